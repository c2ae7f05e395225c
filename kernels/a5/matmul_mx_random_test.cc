// TMATMUL_MX on the model against kernels/reference, bit for bit, on random
// problems: formats, shapes, layouts in GM, K steps, starts, modes and L0
// addresses.
//
//   matmul_mx_random_test --matmuls=1000 --seed=7

#include <cstdint>
#include <random>
#include <vector>

#include "a5_model/machine.h"
#include "absl/strings/str_cat.h"
#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "kernels/a5/matmul_mx_test_util.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

uint64_t seed = 20261201;
int num_matmuls = 10;  // of each test

constexpr ElementFormat kFormats[2][2] = {
    {ElementFormat::kF8E4M3FN, ElementFormat::kF8E5M2},
    {ElementFormat::kF4E2M1FN, ElementFormat::kF4E1M2}};

int64_t Below(std::mt19937& random, int64_t limit) { return random() % limit; }

MatmulProblem RandomShape(std::mt19937& random) {
  const auto& formats = kFormats[Below(random, 2)];
  MatmulProblem p = {};
  p.mode.gemv = Below(random, 5) == 0;
  p.mode.saturate = Below(random, 3) == 0;
  p.m = p.mode.gemv ? 1 : 1 + Below(random, 80);
  p.n = 1 + Below(random, 80);
  p.k_step = 64 * (1 + Below(random, 3));
  p.k = p.k_step * (1 + Below(random, 3));
  p.left_format = formats[Below(random, 2)];
  p.right_format = formats[Below(random, 2)];
  p.a_is_transposed = !p.mode.gemv && Below(random, 2) == 0;
  p.b_is_transposed = Below(random, 2) == 0;
  p.interleaved_scales = Below(random, 2) == 0;
  return p;
}

// Multiples of 512 that the tiles fit behind, rarely 0.
std::vector<L0Addresses> RandomAddresses(std::mt19937& random,
                                         const MatmulProblem& p) {
  const MatmulMxOperands at_zero = MakeStepTiles(p, 0).operands;
  std::vector<L0Addresses> addresses;
  for (int64_t step = 0; step < p.k / p.k_step; ++step) {
    const auto pick = [&](const Tile& tile) {
      // A transposing load spills up to three fractals past the tile.
      return 512 * Below(random, (65536 - TileBytes(tile)) / 512 - 3);
    };
    addresses.push_back({static_cast<uint64_t>(pick(at_zero.left)),
                         static_cast<uint64_t>(pick(at_zero.right))});
  }
  return addresses;
}

void ExpectEqualsTheReference(const RandomMatmulOptions& options) {
  SCOPED_TRACE(absl::StrCat("--seed=", seed));
  std::mt19937 random(seed);
  for (int i = 0; i < num_matmuls; ++i) {
    MatmulProblem p = RandomMatmul(random, RandomShape(random), options);
    switch (Below(random, 3)) {
      case 0:
        p.bias = RandomFloats(random, p.n);
        break;
      case 1:
        p.c_in = RandomFloats(random, p.m * p.n);
        break;
      default:
        break;
    }
    SCOPED_TRACE(absl::StrCat(i, ": ", p.m, "x", p.k, "x", p.n));
    Machine machine;
    const MatmulBuffers gm = UploadMatmul(machine, p);
    MX_ASSERT_OK(RunMatmul(machine, p, gm, RandomAddresses(random, p)));
    ASSERT_EQ(ReadC(machine, p, gm), ReferenceC(p));
  }
}

TEST(MatmulMxRandomTest, FiniteCodesUnderOrdinaryScales) {
  ExpectEqualsTheReference({});
}

TEST(MatmulMxRandomTest, AnyCodesUnderOrdinaryScales) {
  ExpectEqualsTheReference({112, 142, /*specials=*/true});
}

TEST(MatmulMxRandomTest, AnyCodesUnderAnyScales) {
  ExpectEqualsTheReference({0, 255, /*specials=*/true});
}

TEST(MatmulMxRandomTest, SumsThatOverflow) {
  ExpectEqualsTheReference({185, 192, /*specials=*/false});
}

TEST(MatmulMxRandomTest, SumsThatUnderflow) {
  ExpectEqualsTheReference({55, 66, /*specials=*/false});
}

}  // namespace
}  // namespace a5
}  // namespace mxtile

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv, "--matmuls=", &mxtile::a5::seed,
                                &mxtile::a5::num_matmuls);
}
