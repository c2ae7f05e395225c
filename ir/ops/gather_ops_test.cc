#include "ir/ops/gather_ops.h"

#include <cstdint>
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

Attr Mask(int pattern) { return {"mask_pattern", AttrValue::Int(pattern)}; }

TEST(GatherTest, TakesTheShapeOfTheIndices) {
  OpTester t;
  const Expr* src = t.Value(t.Tile({16, 64}, DataType::kFP16, kVec));
  const Expr* indices = t.Value(t.Tile({8, 32}, kInt32, kVec));
  EXPECT_THAT(t.Deduce("tile.gather", {src, indices, indices}),
              IsOkAndHolds(Eq(t.Tile({8, 32}, DataType::kFP16, kVec))));
  EXPECT_THAT(t.Deduce("tile.gather", {src, src, indices}),
              BreaksRule("MX-TILE-2", "indices must be an integer type"));
}

// 32 bytes are 8 elements of FP32, 16 of FP16.
TEST(GatherTest, BlocksOf32Bytes) {
  OpTester t;
  const Expr* src = t.Value(t.Tile({16, 64}, kFP32, kVec));
  const Expr* offset =
      t.Value(t.Tile({4, 8}, kInt32, kVec, t.ValidView({4, 8}, kVec, {4, 5})));
  EXPECT_THAT(t.Deduce("tile.gatherb", {src, offset}),
              IsOkAndHolds(Eq(t.Tile({4, 64}, kFP32, kVec,
                                     t.ValidView({4, 64}, kVec, {4, 40})))));
  EXPECT_THAT(t.Deduce("tile.gatherb", {src, offset},
                       {{"output_dtype", AttrValue::Of(DataType::kFP16)}}),
              IsOkAndHolds(Eq(t.Tile({4, 128}, DataType::kFP16, kVec,
                                     t.ValidView({4, 128}, kVec, {4, 80})))));
}

TEST(GatherTest, MaskPatterns) {
  OpTester t;
  const Expr* src = t.Value(t.Tile({16, 64}, kFP32, kVec));
  const std::vector<int64_t> cols = {32, 32, 16, 16, 16, 16, 64};
  for (int pattern = 1; pattern <= 7; ++pattern) {
    EXPECT_THAT(t.Deduce("tile.gather_mask", {src}, {Mask(pattern)}),
                IsOkAndHolds(Eq(t.Tile({16, cols[pattern - 1]}, kFP32, kVec))))
        << pattern;
  }
  EXPECT_THAT(t.Deduce("tile.gather_mask", {src}, {Mask(8)}),
              BreaksRule("MX-TILE-13", "from 1 to 7, got 8"));
}

TEST(GatherTest, CompareGivesIndicesAndCounts) {
  OpTester t;
  const Expr* src = t.Value(t.Tile({16, 64}, kFP32, kVec));
  const Type* items[] = {t.Tile({16, 8}, kInt32, kVec),
                         t.Tile({1, 16}, DataType::kUInt32, kVec)};
  EXPECT_THAT(t.Deduce("tile.gather_compare", {src, t.context().Float(0), src},
                       {{"out_cols", AttrValue::Int(8)},
                        {"count_dtype", AttrValue::Of(DataType::kUInt32)}}),
              IsOkAndHolds(Eq(t.context().GetTupleType(items))));
}

TEST(GatherTest, RowsAndElementsOfATensor) {
  OpTester t;
  const Expr* mem = t.Value(t.Tensor({1000, 64}, kFP32));
  const Expr* idx = t.Value(
      t.Tile({1, 32}, kInt32, kVec, t.ValidView({1, 32}, kVec, {1, 20})));
  EXPECT_THAT(t.Deduce("tile.mgather", {mem, idx}),
              IsOkAndHolds(Eq(t.Tile({32, 64}, kFP32, kVec,
                                     t.ValidView({32, 64}, kVec, {20, 64})))));
  EXPECT_THAT(t.Deduce("tile.mgather", {mem, idx},
                       {{"coalesce", AttrValue::String("elem")}}),
              IsOkAndHolds(Eq(t.Tile({1, 32}, kFP32, kVec,
                                     t.ValidView({1, 32}, kVec, {1, 20})))));
  const Expr* in_gm = t.Value(t.Tensor({1, 32}, kInt32));
  EXPECT_THAT(t.Deduce("tile.mgather", {mem, in_gm, t.List({20, 64})},
                       {{"target_memory", AttrValue::Of(MemorySpace::kMat)}}),
              IsOkAndHolds(Eq(
                  t.Tile({32, 64}, kFP32, MemorySpace::kMat,
                         t.ValidView({32, 64}, MemorySpace::kMat, {20, 64})))));
}

TEST(ScatterTest, GivesTheDestination) {
  OpTester t;
  const Type* type =
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {9, 64}));
  const Expr* dst = t.Value(type);
  const Expr* src = t.Value(t.Tile({4, 64}, kFP32, kVec));
  const Expr* idx = t.Value(t.Tile({4, 64}, kInt32, kVec));
  const Type* tensor = t.Tensor({1000}, kFP32);
  EXPECT_THAT(t.Deduce("tile.scatter", {dst, src, idx}),
              IsOkAndHolds(Eq(type)));
  EXPECT_THAT(t.Deduce("tile.scatter_mask", {dst, src}, {Mask(1)}),
              IsOkAndHolds(Eq(type)));
  EXPECT_THAT(t.Deduce("tile.scatter_update", {dst, idx, src}),
              IsOkAndHolds(Eq(type)));
  EXPECT_THAT(t.Deduce("tile.mscatter", {src, idx, t.Value(tensor)}),
              IsOkAndHolds(Eq(tensor)));
  EXPECT_THAT(t.Deduce("tile.scatter", {dst, idx, idx}),
              BreaksRule("MX-TILE-3", "FP32 and INT32"));
  EXPECT_THAT(t.Deduce("tile.scatter",
                       {dst, src, t.Value(t.Tile({8, 64}, kInt32, kVec))}),
              BreaksRule("MX-TILE-1", "[4, 64] and [8, 64]"));
}

TEST(ScatterTest, GatherRowGivesItsDestination) {
  OpTester t;
  const Type* type = t.Tile({16, 128}, kFP32, kVec);
  EXPECT_THAT(t.Deduce("tile.gather_row",
                       {t.Value(type), t.Value(t.Tensor({64, 128}, kFP32)),
                        t.List({0, 0}), t.List({3, 0}), t.List({1, 128})}),
              IsOkAndHolds(Eq(type)));
}

TEST(SortTest, ValuesWithTheirIndices) {
  OpTester t;
  const Expr* src = t.Value(t.Tile({1, 128}, kFP32, kVec));
  const Expr* tmp = t.Value(t.Tile({1, 512}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.sort32", {src, src}),
              IsOkAndHolds(Eq(t.Tile({1, 256}, kFP32, kVec))));
  EXPECT_THAT(t.Deduce("tile.mrgsort_format1", {src, t.Dim(64)}),
              IsOkAndHolds(Eq(t.Tile({1, 128}, kFP32, kVec))));
  EXPECT_THAT(t.Deduce("tile.mrgsort_format2", {src, src, tmp}),
              IsOkAndHolds(Eq(t.Tile({1, 512}, kFP32, kVec))));
}

}  // namespace
}  // namespace mxtile::ir
