#include "kernels/a5/matmul_mx.h"

#include <cstdint>
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
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/matmul_mx_test_util.h"
#include "kernels/a5/move.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kE1M2 = ElementFormat::kF4E1M2;

struct Case {
  std::string name;
  MatmulProblem problem;
  bool with_bias = false;
};

class MatmulMxTest : public ::testing::TestWithParam<Case> {};

// From GM to GM, bit for bit.
TEST_P(MatmulMxTest, EqualsTheReference) {
  const uint32_t seed = 7;
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  MatmulProblem p = RandomMatmul(random, GetParam().problem);
  if (GetParam().with_bias) {
    p.bias.emplace(p.n);
    for (float& value : *p.bias) value = random() % 1000 * 0.125f - 60;
  }
  Machine machine;
  const MatmulBuffers gm = UploadMatmul(machine, p);
  MX_ASSERT_OK(RunMatmul(machine, p, gm));
  EXPECT_EQ(ReadC(machine, p, gm), ReferenceC(p));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, MatmulMxTest,
    ::testing::Values(
        Case{"TwoSteps", {32, 128, 64, 64}}, Case{"OneStep", {32, 128, 64}},
        Case{"FourStepsMixed", {48, 256, 96, 64, kE4M3, kE5M2}},
        Case{"E5M2", {16, 128, 32, 64, kE5M2, kE5M2}},
        Case{"Ragged", {30, 128, 50, 64, kE5M2, kE4M3}},
        Case{"HalfSquare", {17, 128, 40, 128}}, Case{"OneByOne", {1, 64, 1}},
        Case{"ColumnMajorB", {32, 128, 50, 64, kE4M3, kE4M3, false, true}},
        Case{"Bias", {30, 128, 50, 64}, true},
        // C = Q^T * B: Q [K, M] quantised along its rows, with the interleaved
        // exponents that such a quantiser writes.
        Case{"TransposedA", {48, 128, 32, 64, kE4M3, kE4M3, true}},
        Case{"TransposedAInterleavedScales",
             {70, 192, 33, 64, kE4M3, kE5M2, true, false, true}},
        Case{"BothTransposed", {50, 128, 70, 64, kE4M3, kE4M3, true, true}},
        Case{"FourBit", {32, 128, 64, 64, kE2M1, kE2M1}},
        Case{"FourBitMixed", {48, 256, 80, 128, kE2M1, kE1M2}},
        Case{"FourBitRagged", {13, 128, 21, 64, kE1M2, kE2M1}, true},
        Case{"FourBitColumnMajorB",
             {32, 128, 50, 64, kE2M1, kE2M1, false, true}},
        Case{"FourBitTransposedA",
             {70, 192, 33, 64, kE2M1, kE1M2, true, false, true}},
        Case{"FourBitBothTransposed",
             {17, 128, 70, 128, kE2M1, kE2M1, true, true}},
        Case{"Gemv",
             {1,
              1024,
              64,
              512,
              kE4M3,
              kE5M2,
              false,
              false,
              false,
              {true, false}}},
        Case{"GemvOfHalfAFractal",
             {1, 192, 33, 64, kE4M3, kE4M3, false, true, false, {true, false}},
             true},
        Case{"FourBitGemv",
             {1,
              2048,
              40,
              1024,
              kE2M1,
              kE1M2,
              false,
              false,
              false,
              {true, false}}},
        Case{
            "Saturating",
            {32, 128, 64, 64, kE5M2, kE5M2, false, false, false, {false, true}},
            true}),
    [](const ::testing::TestParamInfo<Case>& info) { return info.param.name; });

// A machine with both steps loaded and moved, ready to multiply step 1.
class MatmulMxTrapTest : public ::testing::Test {
 protected:
  MatmulMxTrapTest() {
    std::mt19937 random(1);
    problem_ = RandomMatmul(random, problem_);
    gm_ = UploadMatmul(machine_, problem_);
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

  MatmulProblem problem_ = {32, 128, 64, 64};
  Machine machine_;
  MatmulBuffers gm_;
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

TEST_F(MatmulMxTrapTest, GemvTakesRowsWithoutFractals_A5_TILE_1) {
  EXPECT_THAT(TMatmulMx(machine_, AccTile(problem_), tiles_.operands,
                        {/*gemv=*/true, /*saturate=*/false}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("TGEMV_MX: left tile Left 0x4000"),
                             HasSubstr("has to be in Left as ND"))));
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
  std::mt19937 random(3);
  const MatmulProblem p = RandomMatmul(random, {32, 128, 64, 64});
  Machine machine;
  MX_ASSERT_OK(RunMatmul(machine, p, UploadMatmul(machine, p)));
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
