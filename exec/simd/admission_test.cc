// The rule for register blocks, clause by clause.

#include "exec/simd/admission.h"

#include <cstdint>
#include <string>
#include <utility>

#include "exec/simd/candidate.h"
#include "exec/simd/contraction.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::HasSubstr;

// A row of `cols` columns with complete-program lanes.
Candidate Row(int cols) {
  Candidate candidate;
  candidate.block_cols = cols;
  return candidate;
}

Candidate Axis(int rows, int cols) {
  Candidate candidate;
  candidate.lanes = LaneMode::kAxis;
  candidate.width = 8;
  candidate.block_rows = rows;
  candidate.block_cols = cols;
  return candidate;
}

class AdmissionTest : public ::testing::Test {
 protected:
  AdmissionTest() : b_("admission", 1) {}

  DimId Dim(const char* name, int64_t extent) {
    return b_.AddDim(name, extent);
  }
  ValueId Tile(const Space& space) {
    return b_.Broadcast(b_.Constant(0), space);
  }
  // The contraction that the other calls are about.
  void Contract(const Space& lhs, const Space& rhs, const Space& output) {
    b_.Contract(Tile(lhs), Tile(rhs), Tile(output));
    program_ = *std::move(b_).Finish();
  }
  MmaBlock Admit(const Candidate& candidate,
                 int64_t max_region_work = kMaxRegionWork) {
    return AdmitMma(program_, TypedContraction(program_, program_.ops.back()),
                    candidate, max_region_work);
  }
  void ExpectBlock(const MmaBlock& block, int rows, int cols) {
    EXPECT_EQ(block.rows, rows);
    EXPECT_EQ(block.cols, cols);
    EXPECT_EQ(block.fallback, "");
  }
  void ExpectFallback(const MmaBlock& block, const std::string& reason) {
    EXPECT_EQ(block.rows, 1);
    EXPECT_EQ(block.cols, 1);
    EXPECT_THAT(block.fallback, HasSubstr(reason));
  }

  TileProgramBuilder b_;
  TileProgram program_;
};

TEST_F(AdmissionTest, RowMajorProductGetsWhatIsRequested) {
  const DimId m = Dim("m", 2), n = Dim("n", 35), k = Dim("k", 17);
  Contract({m, k}, {k, n}, {m, n});
  for (const int r : {1, 2, 4}) ExpectBlock(Admit(Row(r)), 1, r);
}

TEST_F(AdmissionTest, ColumnInTheLeftOperand) {
  const DimId m = Dim("m", 2), n = Dim("n", 35), k = Dim("k", 17);
  Contract({k, n}, {m, k}, {m, n});
  for (const int r : {1, 2, 4}) ExpectBlock(Admit(Row(r)), 1, r);
}

// Names and the number of dimensions are nothing.
TEST_F(AdmissionTest, DimensionsCountByIdentity) {
  const DimId a = Dim("same", 2), b = Dim("same", 3), c = Dim("same", 5),
              d = Dim("same", 7);
  Contract({a, b, d}, {d, c}, {a, b, c});
  ExpectBlock(Admit(Row(4)), 1, 4);
}

TEST_F(AdmissionTest, TransposedRightOperandFallsBack) {
  const DimId m = Dim("m", 2), key = Dim("key", 35), d = Dim("d", 17);
  Contract({m, d}, {key, d}, {m, key});
  ExpectFallback(Admit(Row(2)), "column dimension key has stride 17");
  ExpectFallback(Admit(Row(4)), "column dimension key has stride 17");
  // Nothing was requested.
  ExpectBlock(Admit(Row(1)), 1, 1);
}

TEST_F(AdmissionTest, TransposedLeftOperandFallsBack) {
  const DimId m = Dim("m", 2), n = Dim("n", 35), k = Dim("k", 17);
  Contract({n, k}, {k, m}, {m, n});
  ExpectFallback(Admit(Row(4)), "column dimension n has stride 17");
}

TEST_F(AdmissionTest, LaterUnitDimensionsLeaveTheStrideAlone) {
  const DimId m = Dim("m", 2), n = Dim("n", 5), k = Dim("k", 3),
              one = Dim("one", 1);
  Contract({m, k}, {k, n, one}, {m, n, one});
  ExpectBlock(Admit(Row(4)), 1, 4);
}

TEST_F(AdmissionTest, ColumnInBothOperandsFallsBack) {
  const DimId m = Dim("m", 2), batch = Dim("batch", 5), k = Dim("k", 3);
  Contract({k, m, batch}, {k, batch}, {m, batch});
  ExpectFallback(Admit(Row(2)), "column dimension batch is in both operands");
}

TEST_F(AdmissionTest, OneOutputHasNoColumn) {
  const DimId one = Dim("one", 1), k = Dim("k", 17);
  Contract({one, k}, {k}, {one});
  ExpectFallback(Admit(Row(4)),
                 "no output dimension has more than one element");
  ExpectFallback(Admit(Axis(4, 2)),
                 "no output dimension has more than one element");
}

// The columns of N = 1 are those of the next dimension, which is strided.
TEST_F(AdmissionTest, OneColumnIsNoColumn) {
  const DimId m = Dim("m", 4), n = Dim("n", 1), k = Dim("k", 17);
  Contract({m, k}, {k, n}, {m, n});
  ExpectFallback(Admit(Row(4)), "column dimension m has stride 17");
}

TEST_F(AdmissionTest, ExpansionThatIsOffFallsBack) {
  const DimId m = Dim("m", 2), n = Dim("n", 35), k = Dim("k", 17);
  Contract({m, k}, {k, n}, {m, n});
  for (Candidate candidate : {Row(4), Axis(4, 2)}) {
    candidate.max_unrolled_elements = 0;
    ExpectFallback(Admit(candidate), "expansion is off");
  }
}

TEST_F(AdmissionTest, ContributionsAreALoopAboveTheLimit) {
  const DimId m = Dim("m", 2), n = Dim("n", 5), k = Dim("k", 64),
              j = Dim("j", 2);
  Contract({m, k, j}, {k, j, n}, {m, n});
  Candidate candidate = Row(2);
  candidate.max_unrolled_elements = 128;
  EXPECT_FALSE(Admit(candidate).rolled);
  candidate.max_unrolled_elements = 127;
  EXPECT_TRUE(Admit(candidate).rolled);
  EXPECT_TRUE(Admit(Row(1)).rolled);
}

// min(R, N) * (K rolled ? 1 : K) * (2 + ranks).
TEST_F(AdmissionTest, BudgetOfTheWorkedExample) {
  // PV of a program: [b, h, q, key] * [b, h, key, dv] -> [b, h, q, dv].
  const DimId b = Dim("b", 1), h = Dim("h", 1), q = Dim("q", 1),
              key = Dim("key", 16), dv = Dim("dv", 96);
  Contract({b, h, q, key}, {b, h, key, dv}, {b, h, q, dv});
  ASSERT_EQ(4 * 16 * (2 + 4 + 4 + 4), 896);
  ExpectBlock(Admit(Row(4), 896), 1, 4);
  ExpectFallback(Admit(Row(4), 895),
                 "one block has 896 nodes, above the budget of 895");
  ExpectBlock(Admit(Row(2), 448), 1, 2);
  ExpectFallback(Admit(Row(2), 447), "448 nodes");
  ExpectFallback(Admit(Row(2), 1), "above the budget of 1");
  // No budget.
  ExpectBlock(Admit(Row(4), 0), 1, 4);
}

// 215 and 216: three outputs of nine contributions.
TEST_F(AdmissionTest, BudgetCountsNoMoreOutputsThanThereAre) {
  const DimId m = Dim("m", 2), n = Dim("n", 3), k = Dim("k", 9);
  Contract({m, k}, {k, n}, {m, n});
  ASSERT_EQ(3 * 9 * (2 + 2 + 2 + 2), 216);
  EXPECT_EQ(Admit(Row(4), 216).fallback, "");
  ExpectFallback(Admit(Row(4), 215), "216 nodes");
}

TEST_F(AdmissionTest, BudgetCountsOneRoundOfALoop) {
  const DimId m = Dim("m", 2), n = Dim("n", 35), k = Dim("k", 65);
  Contract({m, k}, {k, n}, {m, n});
  ExpectBlock(Admit(Row(4), 4 * 8), 1, 4);
  ExpectFallback(Admit(Row(4), 4 * 8 - 1), "32 nodes");
  // Unrolled it would be 65 times as much.
  Candidate unrolled = Row(4);
  unrolled.max_unrolled_elements = 65;
  ExpectFallback(Admit(unrolled, 4 * 8 * 65 - 1), "2080 nodes");
  ExpectBlock(Admit(unrolled, 4 * 8 * 65), 1, 4);
}

TEST_F(AdmissionTest, BudgetSaturates) {
  const DimId m = Dim("m", 2), n = Dim("n", 35), k = Dim("k", int64_t{1} << 61);
  Contract({m, k}, {k, n}, {m, n});
  Candidate candidate = Row(4);
  candidate.max_unrolled_elements = INT64_MAX;
  ExpectFallback(Admit(candidate), "9223372036854775807 nodes");
}

TEST_F(AdmissionTest, FewerOutputsThanColumnsAreOneRow) {
  const DimId m = Dim("m", 2), n = Dim("n", 3), k = Dim("k", 9);
  Contract({m, k}, {k, n}, {m, n});
  // The seed's: all of them in the tail.
  ExpectBlock(Admit(Row(4)), 1, 4);
  const MmaBlock clipped = Admit(Axis(2, 4));
  EXPECT_EQ(clipped.rows, 2);
  EXPECT_EQ(clipped.cols, 1);
  EXPECT_EQ(clipped.fallback,
            "column dimension n has the extent 3, 1 of the 4 vectors of 8");
  Candidate rows = Row(4);
  rows.block_rows = 2;
  EXPECT_EQ(Admit(rows).cols, 3);
  EXPECT_EQ(Admit(rows).fallback, "column dimension n has the extent 3");
}

// With lanes along an axis, and with rows, strides cost; they do not forbid.
TEST_F(AdmissionTest, RowsAndLanesAlongAnAxisTakeAnyStride) {
  const DimId m = Dim("m", 2), n = Dim("n", 35), k = Dim("k", 17);
  Contract({m, k}, {n, k}, {m, n});
  ExpectBlock(Admit(Axis(1, 4)), 1, 4);
  ExpectBlock(Admit(Axis(4, 2)), 4, 2);
  ExpectBlock(Admit(Axis(6, 2), /*max_region_work=*/1), 6, 2);
  Candidate rows = Row(2);
  rows.block_rows = 2;
  ExpectBlock(Admit(rows), 2, 2);
  rows.block_cols = 1;
  ExpectBlock(Admit(rows), 2, 1);
}

TEST_F(AdmissionTest, ColumnsOfAnAxisAreVectors) {
  const DimId m = Dim("m", 2), n = Dim("n", 17), k = Dim("k", 9);
  Contract({m, k}, {k, n}, {m, n});
  ExpectBlock(Admit(Axis(1, 2)), 1, 2);
  EXPECT_EQ(Admit(Axis(1, 4)).cols, 3);
  EXPECT_EQ(Admit(Axis(1, 4)).fallback,
            "column dimension n has the extent 17, 3 of the 4 vectors of 8");
}

}  // namespace
}  // namespace mxtile::exec::simd
