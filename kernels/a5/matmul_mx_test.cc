#include "kernels/a5/matmul_mx.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/load.h"
#include "kernels/a5/move.h"
#include "kernels/a5/store.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

constexpr ElementFormat kScaleFormat = ElementFormat::kF8E8M0FNU;

int64_t RoundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// What to multiply: logical matrices of codes and how the kernel runs them.
struct Problem {
  std::string name;
  int64_t m, k, n;
  int64_t k_step;  // K of one matmul; the steps accumulate
  ElementFormat left_format = ElementFormat::kF8E4M3FN;
  ElementFormat right_format = ElementFormat::kF8E4M3FN;
  bool b_column_major = false;  // B stored as [N, K]
  bool with_bias = false;

  std::vector<uint8_t> a = {};   // [m, k]
  std::vector<uint8_t> sa = {};  // [m, k / 32]
  std::vector<uint8_t> b = {};   // [k, n]
  std::vector<uint8_t> sb = {};  // [k / 32, n]
  std::vector<float> bias = {};  // [n]
};

void FillRandomly(Problem& p, std::mt19937& random) {
  const auto codes = [&](int64_t count, ElementFormat format) {
    std::vector<uint8_t> result(count);
    for (uint8_t& code : result) {
      do {
        code = random();
      } while (!std::isfinite(Decode(format, code)));
    }
    return result;
  };
  const auto scales = [&](int64_t count) {
    std::vector<uint8_t> result(count);
    for (uint8_t& scale : result) scale = 117 + random() % 21;
    return result;
  };
  p.a = codes(p.m * p.k, p.left_format);
  p.b = codes(p.k * p.n, p.right_format);
  p.sa = scales(p.m * p.k / 32);
  p.sb = scales(p.k / 32 * p.n);
  p.bias.resize(p.n);
  for (float& value : p.bias) value = random() % 1000 * 0.125f - 60;
}

// The definition, as three loops over decoded codes.
std::vector<float> NaiveMatmul(const Problem& p) {
  std::vector<float> c;
  for (int64_t m = 0; m < p.m; ++m) {
    for (int64_t n = 0; n < p.n; ++n) {
      float acc = p.with_bias ? p.bias[n] : 0.0f;
      for (int64_t k = 0; k < p.k; ++k) {
        const double scale = std::ldexp(
            1.0, p.sa[m * (p.k / 32) + k / 32] + p.sb[k / 32 * p.n + n] - 254);
        acc = static_cast<float>(
            static_cast<double>(acc) +
            static_cast<double>(Decode(p.left_format, p.a[m * p.k + k])) *
                static_cast<double>(Decode(p.right_format, p.b[k * p.n + n])) *
                scale);
      }
      c.push_back(acc);
    }
  }
  return c;
}

// Scales of `lines` x `groups` as boxes, lines padded with 127: what a host
// would put into an MX_A_ZZ or MX_B_NN tensor.
template <typename At>
std::vector<uint8_t> Boxes(int64_t lines, int64_t groups, At at) {
  std::vector<uint8_t> boxes;
  for (int64_t line = 0; line < RoundUp(lines, 16); line += 16) {
    for (int64_t g = 0; g < groups; g += 2) {
      for (int64_t i = 0; i < 32; ++i) {
        const bool real = line + i / 2 < lines;
        boxes.push_back(real ? at(line + i / 2, g + i % 2) : 127);
      }
    }
  }
  return boxes;
}

std::vector<uint8_t> Transposed(const std::vector<uint8_t>& matrix,
                                int64_t rows, int64_t cols) {
  std::vector<uint8_t> result(matrix.size());
  for (int64_t i = 0; i < rows * cols; ++i) {
    result[i % cols * rows + i / cols] = matrix[i];
  }
  return result;
}

// The problem in GM.
struct Buffers {
  GmTensor a, sa, b, sb, bias, c;
};

GmTensor ScaleTensor(uint64_t address, int64_t lines, int64_t groups) {
  return {address,
          kScaleFormat,
          {1, RoundUp(lines, 16) / 16, groups / 2, 16, 2},
          {RoundUp(lines, 16) * groups, 16 * groups, 32, 2, 1}};
}

uint64_t Upload(Machine& machine, const std::string& name,
                const std::vector<uint8_t>& bytes) {
  const uint64_t address = machine.AllocateGm(name, bytes.size());
  MX_EXPECT_OK(machine.WriteGm(address, bytes));
  return address;
}

Buffers UploadProblem(Machine& machine, const Problem& p) {
  const int64_t groups = p.k / 32;
  Buffers buffers;
  buffers.a = {Upload(machine, "a", p.a), p.left_format, {p.m, p.k}, {p.k, 1}};
  buffers.b = p.b_column_major
                  ? GmTensor{Upload(machine, "b", Transposed(p.b, p.k, p.n)),
                             p.right_format,
                             {p.k, p.n},
                             {1, p.k}}
                  : GmTensor{Upload(machine, "b", p.b),
                             p.right_format,
                             {p.k, p.n},
                             {p.n, 1}};
  const std::vector<uint8_t> sa = Boxes(
      p.m, groups, [&](int64_t m, int64_t g) { return p.sa[m * groups + g]; });
  const std::vector<uint8_t> sb = Boxes(
      p.n, groups, [&](int64_t n, int64_t g) { return p.sb[g * p.n + n]; });
  buffers.sa = ScaleTensor(Upload(machine, "sa", sa), p.m, groups);
  buffers.sb = ScaleTensor(Upload(machine, "sb", sb), p.n, groups);
  std::vector<uint8_t> bias(p.n * 4);
  std::memcpy(bias.data(), p.bias.data(), bias.size());
  buffers.bias = {
      Upload(machine, "bias", bias), ElementFormat::kF32, {1, p.n}, {p.n, 1}};
  buffers.c = {machine.AllocateGm("c", p.m * p.n * 4),
               ElementFormat::kF32,
               {p.m, p.n},
               {p.n, 1}};
  return buffers;
}

// The tiles of one K step. Data of step i is at i * 0x4000 in Left and Right.
struct StepTiles {
  Tile a_mat, sa_mat, b_mat, sb_mat;
  MatmulMxOperands operands;
};

StepTiles MakeStepTiles(const Problem& p, int64_t step) {
  const int64_t m = RoundUp(p.m, 16);
  const int64_t n = RoundUp(p.n, 32);
  const int64_t k = p.k_step;
  const int64_t groups = k / 32;
  const uint64_t l0 = step * 0x4000;
  const int64_t n_boxes = RoundUp(p.n, 16);
  const TileLayout b_layout =
      p.b_column_major ? TileLayout::kZn : TileLayout::kNz;
  StepTiles t;
  t.operands.left = {MemorySpace::kLeft, l0, m, k, p.m, k, p.left_format,
                     TileLayout::kNz};
  t.operands.left_scale = {
      MemorySpace::kLeftScale, l0 >> 4, m, groups, m, groups, kScaleFormat,
      TileLayout::kZz,
      /*id=*/10 + step};
  t.operands.right = {MemorySpace::kRight, l0, k, n, k, p.n, p.right_format,
                      TileLayout::kZn};
  t.operands.right_scale = {MemorySpace::kRightScale,
                            l0 >> 4,
                            groups,
                            n_boxes,
                            groups,
                            n_boxes,
                            kScaleFormat,
                            TileLayout::kNn,
                            /*id=*/20 + step};
  const auto in_mat = [](Tile tile, uint64_t address, TileLayout layout) {
    tile.space = MemorySpace::kMat;
    tile.address = address;
    tile.layout = layout;
    return tile;
  };
  t.a_mat = in_mat(t.operands.left, 0x0, TileLayout::kNz);
  t.b_mat = in_mat(t.operands.right, 0x10000, b_layout);
  t.sa_mat = in_mat(t.operands.left_scale, 0x20000, TileLayout::kZz);
  t.sb_mat = in_mat(t.operands.right_scale, 0x21000, TileLayout::kNn);
  return t;
}

absl::Status LoadStep(Machine& machine, const Problem& p, const Buffers& gm,
                      const StepTiles& t, int64_t step) {
  const int64_t k = step * p.k_step;
  const int64_t pairs = p.k_step / 64;
  const int64_t m_blocks = RoundUp(p.m, 16) / 16;
  const int64_t n_blocks = RoundUp(p.n, 16) / 16;
  MX_RETURN_IF_ERROR(TLoad(machine, gm.a, {{0, k}, {p.m, p.k_step}}, t.a_mat));
  MX_RETURN_IF_ERROR(TLoad(machine, gm.b, {{k, 0}, {p.k_step, p.n}}, t.b_mat));
  MX_RETURN_IF_ERROR(TLoad(
      machine, gm.sa, {{0, 0, step * pairs, 0, 0}, {1, m_blocks, pairs, 16, 2}},
      t.sa_mat));
  return TLoad(machine, gm.sb,
               {{0, 0, step * pairs, 0, 0}, {1, n_blocks, pairs, 16, 2}},
               t.sb_mat);
}

absl::Status MoveStep(Machine& machine, const StepTiles& t) {
  MX_RETURN_IF_ERROR(TMovToLeft(machine, t.a_mat, t.operands.left));
  MX_RETURN_IF_ERROR(TMovToRight(machine, t.b_mat, t.operands.right));
  MX_RETURN_IF_ERROR(TMovToLeftScale(machine, t.sa_mat, t.operands.left_scale));
  return TMovToRightScale(machine, t.sb_mat, t.operands.right_scale);
}

absl::Status LoadBias(Machine& machine, const Problem& p, const Buffers& gm,
                      const Tile& bias) {
  Tile mat = bias;
  mat.space = MemorySpace::kMat;
  mat.address = 0x30000;
  MX_RETURN_IF_ERROR(TLoad(machine, gm.bias, {{0, 0}, {1, p.n}}, mat));
  return TMovToBias(machine, mat, bias);
}

Tile AccTile(const Problem& p) {
  return {MemorySpace::kAcc,
          0x800,
          RoundUp(p.m, 16),
          RoundUp(p.n, 16),
          p.m,
          p.n,
          ElementFormat::kF32,
          TileLayout::kNz};
}

absl::Status RunOnMachine(Machine& machine, const Problem& p,
                          const Buffers& gm) {
  const Tile acc = AccTile(p);
  const Tile bias = {MemorySpace::kBias,  0x40,           1, p.n, 1, p.n,
                     ElementFormat::kF32, TileLayout::kNd};
  for (int64_t step = 0; step * p.k_step < p.k; ++step) {
    const StepTiles tiles = MakeStepTiles(p, step);
    MX_RETURN_IF_ERROR(LoadStep(machine, p, gm, tiles, step));
    MX_RETURN_IF_ERROR(MoveStep(machine, tiles));
    if (step > 0) {
      MX_RETURN_IF_ERROR(TMatmulMxAcc(machine, acc, tiles.operands));
    } else if (p.with_bias) {
      MX_RETURN_IF_ERROR(LoadBias(machine, p, gm, bias));
      MX_RETURN_IF_ERROR(TMatmulMxBias(machine, acc, tiles.operands, bias));
    } else {
      MX_RETURN_IF_ERROR(TMatmulMx(machine, acc, tiles.operands));
    }
  }
  return TStoreAcc(machine, acc, gm.c, {{0, 0}, {p.m, p.n}});
}

std::vector<uint32_t> BitsOf(const void* words, int64_t count) {
  std::vector<uint32_t> bits(count);
  std::memcpy(bits.data(), words, count * 4);
  return bits;
}

class MatmulMxTest : public ::testing::TestWithParam<Problem> {};

// From GM to GM, bit for bit.
TEST_P(MatmulMxTest, EqualsTheNaiveLoops) {
  Problem p = GetParam();
  const uint32_t seed = 7;
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  FillRandomly(p, random);
  Machine machine;
  const Buffers gm = UploadProblem(machine, p);
  MX_ASSERT_OK(RunOnMachine(machine, p, gm));
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<uint8_t> c,
                          machine.ReadGm(gm.c.address, p.m * p.n * 4));
  const std::vector<float> expected = NaiveMatmul(p);
  EXPECT_EQ(BitsOf(c.data(), p.m * p.n), BitsOf(expected.data(), p.m * p.n));
}

constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;

INSTANTIATE_TEST_SUITE_P(
    Shapes, MatmulMxTest,
    ::testing::Values(
        Problem{"TwoSteps", 32, 128, 64, 64},
        Problem{"OneStep", 32, 128, 64, 128},
        Problem{"FourStepsMixed", 48, 256, 96, 64, kE4M3, kE5M2},
        Problem{"E5M2", 16, 128, 32, 64, kE5M2, kE5M2},
        Problem{"Ragged", 30, 128, 50, 64, kE5M2, kE4M3},
        Problem{"HalfSquare", 17, 128, 40, 128},
        Problem{"OneByOne", 1, 64, 1, 64},
        Problem{"ColumnMajorB", 32, 128, 50, 64, kE4M3, kE4M3, true},
        Problem{"Bias", 30, 128, 50, 64, kE4M3, kE4M3, false, true}),
    [](const ::testing::TestParamInfo<Problem>& info) {
      return info.param.name;
    });

// A machine with both steps loaded and moved, ready to multiply step 1.
class MatmulMxTrapTest : public ::testing::Test {
 protected:
  MatmulMxTrapTest() {
    std::mt19937 random(1);
    FillRandomly(problem_, random);
    gm_ = UploadProblem(machine_, problem_);
    tiles_ = MakeStepTiles(problem_, 1);
    MX_EXPECT_OK(LoadStep(machine_, problem_, gm_, tiles_, 1));
    MX_EXPECT_OK(MoveStep(machine_, tiles_));
  }

  absl::Status Multiply() {
    return TMatmulMx(machine_, AccTile(problem_), tiles_.operands);
  }
  void ExpectRefused(const std::string& why) {
    EXPECT_THAT(Multiply(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
  }

  Problem problem_ = {"Trap", 32, 128, 64, 64};
  Machine machine_;
  Buffers gm_;
  StepTiles tiles_;
};

TEST_F(MatmulMxTrapTest, RunsAsItIs) { MX_EXPECT_OK(Multiply()); }

TEST_F(MatmulMxTrapTest, ScaleTileAtTheWrongAddress_A5_SCALE_1) {
  tiles_.operands.left_scale.address = 0x200;
  MX_ASSERT_OK(
      TMovToLeftScale(machine_, tiles_.sa_mat, tiles_.operands.left_scale));
  ExpectRefused(
      "TMATMUL_MX: scale tile LeftScale 0x200 f8E8M0FNU ZZ [32, 2] valid [32, "
      "2] id 11 is not at 0x400, the address of its data tile Left 0x4000 "
      "f8E4M3FN NZ [32, 64] valid [32, 64] id 0 >> 4 (A5-SCALE-1)");
}

// The tile says the right address, the bytes went elsewhere: filling before
// binding the address.
TEST_F(MatmulMxTrapTest, FillAtTheWrongAddress_A5_SCALE_2) {
  StepTiles fresh = MakeStepTiles(problem_, 2);
  MX_ASSERT_OK(TMovToLeft(machine_, tiles_.a_mat, fresh.operands.left));
  Tile elsewhere = fresh.operands.left_scale;
  elsewhere.address = 0x100;
  MX_ASSERT_OK(TMovToLeftScale(machine_, tiles_.sa_mat, elsewhere));
  tiles_.operands.left = fresh.operands.left;
  tiles_.operands.left_scale = fresh.operands.left_scale;
  ExpectRefused(
      "is not filled: no LOAD_MX has filled any byte of [0x800, "
      "0x840) of LeftScale (A5-SCALE-2)");
}

TEST_F(MatmulMxTrapTest, FillOfAnotherTileAtTheRightAddress_A5_SCALE_2) {
  Tile other = tiles_.operands.right_scale;
  other.id = 99;
  MX_ASSERT_OK(TMovToRightScale(machine_, tiles_.sb_mat, other));
  ExpectRefused(
      "TMATMUL_MX: the bytes of scale tile RightScale 0x400 "
      "f8E8M0FNU NN [2, 64] valid [2, 64] id 21 belong to a fill of "
      "tile 99 at 0x400 (instruction");
}

TEST_F(MatmulMxTrapTest, FillPartlyOverwritten_A5_SCALE_2) {
  Tile other = tiles_.operands.right_scale;
  other.address += 0x60;
  other.id = 99;
  MX_ASSERT_OK(TMovToRightScale(machine_, tiles_.sb_mat, other));
  ExpectRefused(
      "is not filled: no single LOAD_MX wrote all of [0x400, 0x480) "
      "of RightScale last: instruction");
}

// One fill that started before the tile covers its bytes.
TEST_F(MatmulMxTrapTest, FillFromALowerAddress_A5_SCALE_2) {
  Tile wide = tiles_.operands.right_scale;
  wide.address -= 0x20;
  wide.cols = wide.valid_cols = 80;
  Tile wide_mat = tiles_.sb_mat;
  wide_mat.cols = wide_mat.valid_cols = 80;
  MX_ASSERT_OK(TMovToRightScale(machine_, wide_mat, wide));
  ExpectRefused("belong to a fill of tile 21 at 0x3e0");
}

TEST_F(MatmulMxTrapTest, RefillOfTheSameTileIsFine) {
  MX_ASSERT_OK(
      TMovToRightScale(machine_, tiles_.sb_mat, tiles_.operands.right_scale));
  MX_EXPECT_OK(Multiply());
}

TEST_F(MatmulMxTrapTest, FlippedScaleBitShowsInTheResult) {
  MX_ASSERT_OK(Multiply());
  const std::vector<uint8_t> before =
      machine_.memory(MemorySpace::kAcc).Peek(0x800, 32 * 64 * 4);
  Memory& scales = machine_.memory(MemorySpace::kLeftScale);
  scales.Poke(0x400, {static_cast<uint8_t>(scales.Peek(0x400, 1)[0] ^ 1)});
  MX_ASSERT_OK(Multiply());
  const std::vector<uint8_t> after =
      machine_.memory(MemorySpace::kAcc).Peek(0x800, 32 * 64 * 4);
  // Row 0 only.
  for (int64_t i = 0; i < 32 * 64 * 4; ++i) {
    if (i % (32 * 64) >= 64) {
      EXPECT_EQ(before[i], after[i]);
    }
  }
  EXPECT_NE(before, after);
}

TEST_F(MatmulMxTrapTest, TilesThatDoNotFit_A5_TILE_3) {
  const MatmulMxOperands good = tiles_.operands;
  tiles_.operands.right.valid_rows = 32;
  ExpectRefused("K differs");
  tiles_.operands = good;
  tiles_.operands.left.valid_rows = 31;
  ExpectRefused("is not [31, 64]");
  tiles_.operands = good;
  tiles_.operands.left_scale.valid_rows = 16;
  ExpectRefused("does not fit data tile");
  tiles_.operands = good;
  tiles_.operands.right_scale.rows = 4;
  tiles_.operands.right_scale.valid_rows = 4;
  ExpectRefused("does not fit data tile");
  tiles_.operands = good;
  std::swap(tiles_.operands.left, tiles_.operands.right);
  ExpectRefused("left tile Right 0x4000");
}

TEST_F(MatmulMxTrapTest, BiasThatDoesNotFit_A5_TILE_3) {
  const Tile bias = {MemorySpace::kBias, 0, 1, 32, 1, 32, ElementFormat::kF32,
                     TileLayout::kNd};
  EXPECT_THAT(TMatmulMxBias(machine_, AccTile(problem_), tiles_.operands, bias),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("is not f32 [1, 64] (A5-TILE-3)")));
}

TEST_F(MatmulMxTrapTest, AccumulatingIntoNothing_A5_MEM_3) {
  EXPECT_THAT(TMatmulMxAcc(machine_, AccTile(problem_), tiles_.operands),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("MMAD_MX (instruction")));
}

// What a program of two K steps costs each pipe, in instructions and bytes.
TEST(MatmulMxCostTest, PipesOfTheTwoStepProgram) {
  Problem p = {"Cost", 32, 128, 64, 64};
  std::mt19937 random(3);
  FillRandomly(p, random);
  Machine machine;
  const Buffers gm = UploadProblem(machine, p);
  MX_ASSERT_OK(RunOnMachine(machine, p, gm));
  const PipeTimeline& timeline = machine.timeline();
  const int64_t data = (32 + 64) * 128;
  const int64_t scales = data / 32;
  EXPECT_EQ(timeline.stats(Pipe::kMte2).instructions, 8);
  EXPECT_EQ(timeline.stats(Pipe::kMte2).bytes, data + scales);
  // Right takes a load for each 32 rows of K.
  EXPECT_EQ(timeline.stats(Pipe::kMte1).instructions, 2 * (1 + 2 + 1 + 1));
  EXPECT_EQ(timeline.stats(Pipe::kMte1).bytes, data + scales);
  EXPECT_EQ(timeline.stats(Pipe::kM).cycles, 2 * (25 + 2 * 2 * 4));
  EXPECT_EQ(timeline.stats(Pipe::kFix).bytes, 32 * 64 * 4);
  EXPECT_EQ(timeline.events().size(), 8 + 10 + 2 + 1);
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
