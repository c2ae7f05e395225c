#include "ir/ops/reduce_ops.h"

#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/op_test_util.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::Eq;

constexpr auto kVec = MemorySpace::kVec;
constexpr auto kFP32 = DataType::kFP32;
constexpr auto kInt32 = DataType::kInt32;

TileView ColumnMajor(OpTester& t, const Ints& valid) {
  TileView view = LayoutView(TileLayout::kColMajor, TileLayout::kNoneBox, 512);
  view.valid_shape = t.Shape(valid);
  return view;
}

TEST(ReduceTest, RowsBecomeOneColumn) {
  OpTester t;
  const Expr* tile = t.Value(
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {9, 40})));
  for (const char* name : {"row_max", "row_min", "row_sum", "row_prod"}) {
    EXPECT_THAT(
        t.Deduce(std::string("tile.") + name, {tile, tile}),
        IsOkAndHolds(Eq(t.Tile({16, 1}, kFP32, kVec, ColumnMajor(t, {9, 1})))))
        << name;
  }
  for (const char* name : {"row_argmax", "row_argmin"}) {
    EXPECT_THAT(
        t.Deduce(std::string("tile.") + name, {tile, tile}),
        IsOkAndHolds(Eq(t.Tile({16, 1}, kInt32, kVec, ColumnMajor(t, {9, 1})))))
        << name;
  }
}

TEST(ReduceTest, ColumnsBecomeOneRow) {
  OpTester t;
  const Expr* tile = t.Value(
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {9, 40})));
  const TileView view = t.ValidView({1, 64}, kVec, {1, 40});
  for (const char* name : {"col_max", "col_min", "col_sum", "col_prod"}) {
    EXPECT_THAT(t.Deduce(std::string("tile.") + name, {tile}),
                IsOkAndHolds(Eq(t.Tile({1, 64}, kFP32, kVec, view))))
        << name;
  }
  EXPECT_THAT(t.Deduce("tile.col_sum", {tile, tile}),
              IsOkAndHolds(Eq(t.Tile({1, 64}, kFP32, kVec, view))));
  EXPECT_THAT(t.Deduce("tile.col_argmax", {tile, tile}),
              IsOkAndHolds(Eq(t.Tile({1, 64}, kInt32, kVec, view))));
}

TEST(ReduceTest, NeedSomethingToReduce) {
  OpTester t;
  const Expr* flat = t.Value(t.Tile({64}, kFP32, kVec));
  const Expr* empty = t.Value(
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {0, 64})));
  const Expr* ints = t.Value(t.Tile({16, 64}, kInt32, kVec));
  EXPECT_THAT(t.Deduce("tile.col_max", {flat}),
              BreaksRule("MX-TILE-4", "tile must have rank 2 or more"));
  EXPECT_THAT(t.Deduce("tile.col_max", {empty}),
              BreaksRule("MX-TILE-11", "only [0, 64] is valid"));
  EXPECT_THAT(
      t.Deduce("tile.row_max", {t.Value(t.Tile({16, 64}, kFP32, kVec)), ints}),
      BreaksRule("MX-TILE-3", "FP32 and INT32"));
}

TEST(ExpandTest, RowVectorsKeepTheTile) {
  OpTester t;
  const Type* type =
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {9, 40}));
  const Expr* row = t.Value(t.Tile({16, 1}, DataType::kFP16, kVec));
  for (const char* name :
       {"row_expand", "row_expand_sub", "row_expand_mul", "row_expand_div",
        "row_expand_max", "row_expand_min", "row_expand_expdif"}) {
    EXPECT_THAT(t.Deduce(std::string("tile.") + name, {t.Value(type), row}),
                IsOkAndHolds(Eq(type)))
        << name;
  }
  EXPECT_THAT(t.Deduce("tile.row_expand_mul",
                       {t.Value(type), t.Value(t.Tile({8, 1}, kFP32, kVec))}),
              BreaksRule("MX-TILE-1", "the row vector must be [..., M, 1]"));
  EXPECT_THAT(t.Deduce("tile.row_expand_mul",
                       {t.Value(type), t.Value(t.Tile({16, 8}, kFP32, kVec))}),
              BreaksRule("MX-TILE-1", "got [16, 8] for [16, 64]"));
}

// A block of 32 bytes a row.
TEST(ExpandTest, RowExpandAddTakesABlock) {
  OpTester t;
  const Type* type = t.Tile({16, 64}, kFP32, kVec);
  const Expr* block = t.Value(t.Tile({16, 8}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.row_expand_add", {t.Value(type), block}),
              IsOkAndHolds(Eq(type)));
  EXPECT_THAT(t.Deduce("tile.row_expand_add",
                       {t.Value(type), t.Value(t.Tile({16, 8}, kInt32, kVec))}),
              BreaksRule("MX-TILE-3", "FP32 and INT32"));
}

TEST(ExpandTest, ColumnVectorsAndScalarsWidenTheType) {
  OpTester t;
  const Expr* half = t.Value(t.Tile({16, 64}, DataType::kFP16, kVec));
  const Expr* col = t.Value(t.Tile({1, 64}, kFP32, kVec));
  const Type* wide = t.Tile({16, 64}, kFP32, kVec);
  for (const char* name : {"col_expand", "col_expand_add", "col_expand_sub",
                           "col_expand_mul", "col_expand_div", "col_expand_max",
                           "col_expand_min", "col_expand_expdif"}) {
    EXPECT_THAT(t.Deduce(std::string("tile.") + name, {half, col}),
                IsOkAndHolds(Eq(wide)))
        << name;
  }
  EXPECT_THAT(t.Deduce("tile.expands", {half, t.context().Float(1)}),
              IsOkAndHolds(Eq(wide)));
}

}  // namespace
}  // namespace mxtile::ir
