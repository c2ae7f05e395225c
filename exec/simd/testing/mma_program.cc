#include "exec/simd/testing/mma_program.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

constexpr float kOverwrittenA = 13;
constexpr float kOverwrittenC = -7;

int64_t IndexOfB(const MmaCase& mma, int64_t program, int64_t k, int64_t n) {
  const int64_t within =
      mma.form == MmaForm::kTransposed ? n * mma.k + k : k * mma.n + n;
  return program * mma.k * mma.n + within;
}

}  // namespace

std::string ToString(const MmaCase& mma) {
  const char* const names[] = {"plain", "swapped", "transposed", "extracted"};
  return absl::StrCat(names[static_cast<int>(mma.form)], " ", mma.m, "x", mma.n,
                      "x", mma.k);
}

absl::StatusOr<TileProgram> BuildMma(const MmaCase& mma) {
  TileProgramBuilder b("mma", mma.programs);
  const DimId m = b.AddDim("m", mma.m);
  const DimId n = b.AddDim("n", mma.n);
  const DimId k = b.AddDim("k", mma.k);
  const auto view = [&](const char* name, const Space& space, int buffer) {
    std::vector<int64_t> shape = {mma.programs};
    for (const DimId dim : space) shape.push_back(b.program().Extent(dim));
    return b.AddView({name, ElementType::kF32, shape, buffer});
  };
  const auto window = [&](const Space& space) {
    Window own = {{b.ProgramIndex(), b.Index(0), b.Index(0)}, {kNoDim}};
    own.axes.insert(own.axes.end(), space.begin(), space.end());
    return own;
  };
  const Space of_b =
      mma.form == MmaForm::kTransposed ? Space{n, k} : Space{k, n};
  const ViewId view_a = view("a", {m, k}, 0);
  const ViewId view_b = view("b", of_b, 1);
  const ViewId view_c = view("c", {m, n}, 2);
  const ValueId lhs = b.Load(view_a, window({m, k}));
  const ValueId rhs = b.Load(view_b, window(of_b));
  const ValueId seed = b.Load(view_c, window({m, n}));
  b.Store(view_a, window({m, k}),
          b.Broadcast(b.Constant(kOverwrittenA), {m, k}));
  b.Store(view_c, window({m, n}),
          b.Broadcast(b.Constant(kOverwrittenC), {m, n}));
  const ValueId result = mma.form == MmaForm::kSwapped
                             ? b.Contract(rhs, lhs, seed)
                             : b.Contract(lhs, rhs, seed);
  if (mma.form != MmaForm::kExtracted) {
    b.Store(view_c, window({m, n}), result);
    return std::move(b).Finish();
  }
  b.For(b.Index(0), b.Index(mma.m), b.Index(1), {},
        [&](ValueId row, std::vector<ValueId>) {
          b.Store(view_c,
                  {{b.ProgramIndex(), row, b.Index(0)}, {kNoDim, kNoDim, n}},
                  b.Extract(result, {m}, {row}));
          return std::vector<ValueId>();
        });
  return std::move(b).Finish();
}

std::vector<std::vector<float>> MmaMemory(const MmaCase& mma) {
  const float cycle[] = {0x1p20f, 0.125f, -0x1p20f};
  std::vector<float> a(mma.programs * mma.m * mma.k);
  std::vector<float> b(mma.programs * mma.k * mma.n);
  std::vector<float> c(mma.programs * mma.m * mma.n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = cycle[i % 3];
  for (size_t i = 0; i < b.size(); ++i) {
    b[i] = static_cast<float>(static_cast<int>((5 * i + 3) % 13) - 6) / 8;
  }
  for (size_t i = 0; i < c.size(); ++i) {
    c[i] = static_cast<float>(static_cast<int>(i % 7) - 3) / 4;
  }
  for (int64_t p = 0; p < mma.programs; ++p) {
    if (mma.k == 0 || mma.m == 0 || mma.n == 0) break;
    a[p * mma.m * mma.k] = 1 + 0x1p-23f;
    c[p * mma.m * mma.n] = -1;
    for (int64_t k = 0; k < mma.k; ++k) {
      b[IndexOfB(mma, p, k, 0)] = k == 0 ? 1 - 0x1p-23f : 0.0f;
    }
  }
  return {a, b, c};
}

std::vector<std::vector<float>> MmaOracle(const MmaCase& mma) {
  const std::vector<std::vector<float>> in = MmaMemory(mma);
  std::vector<std::vector<float>> out = in;
  for (float& x : out[0]) x = kOverwrittenA;
  for (int64_t p = 0; p < mma.programs; ++p) {
    for (int64_t m = 0; m < mma.m; ++m) {
      for (int64_t n = 0; n < mma.n; ++n) {
        float& at = out[2][(p * mma.m + m) * mma.n + n];
        volatile float sum = at;
        for (int64_t k = 0; k < mma.k; ++k) {
          volatile float product = in[0][(p * mma.m + m) * mma.k + k] *
                                   in[1][IndexOfB(mma, p, k, n)];
          sum = sum + product;
        }
        at = sum;
      }
    }
  }
  return out;
}

}  // namespace mxtile::exec::simd
