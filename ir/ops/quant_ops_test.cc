#include "ir/ops/quant_ops.h"

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

Attr Axis(int axis) { return {"group_axis", AttrValue::Int(axis)}; }
Attr Rows(int64_t rows) { return {"dst_rows", AttrValue::Int(rows)}; }
Attr Cols(int64_t cols) { return {"dst_cols", AttrValue::Int(cols)}; }

class QuantOpsTest : public ::testing::Test {
 protected:
  const Expr* Source(const Ints& shape, DataType dtype = DataType::kFP32) {
    return t_.Value(t_.Tile(shape, dtype, kVec));
  }
  const Type* Pair(const Type* first, const Type* second) {
    const Type* types[] = {first, second};
    return t_.context().GetTupleType(types);
  }
  // In boxes, with this valid shape.
  TileView Boxed(TileLayout layout, const Ints& valid) {
    TileView view = LayoutView(layout, layout, 32);
    view.valid_shape = t_.Shape(valid);
    return view;
  }

  OpTester t_;
};

TEST_F(QuantOpsTest, QuantizesAlongTheRows) {
  EXPECT_THAT(
      t_.Deduce("tile.tquant_mx", {Source({32, 128})}, {Axis(1)}),
      IsOkAndHolds(Eq(Pair(t_.Tile({32, 128}, DataType::kFP8E4M3FN, kVec),
                           t_.Tile({32, 4}, DataType::kFP8E8M0, kVec,
                                   Boxed(TileLayout::kRowMajor, {32, 4}))))));
}

TEST_F(QuantOpsTest, QuantizesTheTransposeAlongTheColumns) {
  EXPECT_THAT(
      t_.Deduce("tile.tquant_mx", {Source({32, 128}, DataType::kBF16)},
                {Axis(0)}),
      IsOkAndHolds(Eq(Pair(t_.Tile({128, 32}, DataType::kFP8E4M3FN, kVec),
                           t_.Tile({4, 32}, DataType::kFP8E8M0, kVec,
                                   Boxed(TileLayout::kColMajor, {4, 32}))))));
}

TEST_F(QuantOpsTest, RawFormGivesBytes) {
  const Expr* flat = Source({1, 128});
  EXPECT_THAT(
      t_.Deduce("tile.tquant_mx_raw", {Source({32, 128}), flat, flat},
                {Axis(1)}),
      IsOkAndHolds(Eq(Pair(t_.Tile({32, 128}, DataType::kInt8, kVec),
                           t_.Tile({1, 128}, DataType::kUInt8, kVec)))));
  const Expr* rows = Source({1, 128});
  EXPECT_THAT(
      t_.Deduce("tile.tquant_mx_raw", {Source({32, 128}), rows, rows},
                {Axis(0)}),
      IsOkAndHolds(Eq(Pair(t_.Tile({32, 128}, DataType::kInt8, kVec),
                           t_.Tile({1, 128}, DataType::kUInt8, kVec)))));
}

TEST_F(QuantOpsTest, SourceRules) {
  const Expr* scratch = Source({1, 32});
  const auto raw = [&](const Expr* src, int axis) {
    return t_.Deduce("tile.tquant_mx_raw", {src, scratch, scratch},
                     {Axis(axis)});
  };
  EXPECT_THAT(raw(Source({16, 64}, DataType::kInt8), 1),
              BreaksRule("MX-TQUANT-1", "FP16, BF16 or FP32"));
  EXPECT_THAT(raw(Source({kSymbolic, 64}), 1),
              BreaksRule("MX-TQUANT-1", "constant shape"));
  EXPECT_THAT(raw(t_.Value(t_.Tile({16, 64}, DataType::kFP32, kVec,
                                   t_.ValidView({16, 64}, kVec, {16, 60}))),
                  1),
              BreaksRule("MX-TQUANT-1", "valid [16, 60]"));
  EXPECT_THAT(raw(Source({16, 65}), 1),
              BreaksRule("MX-TQUANT-2",
                         "columns must be a positive multiple of 32, got 65"));
  EXPECT_THAT(raw(Source({16, 64}), 0),
              BreaksRule("MX-TQUANT-2",
                         "rows must be a positive multiple of 32, got 16"));
  EXPECT_THAT(raw(Source({16, 64}), 2), BreaksRule("MX-TQUANT-3", "1"));
  EXPECT_THAT(t_.Deduce("tile.tquant_mx", {Source({16, 32})}, {Axis(1)}),
              BreaksRule("MX-TQUANT-2", "K must be a positive multiple of 64"));
  EXPECT_THAT(t_.Deduce("tile.tquant_mx", {Source({24, 64})}, {Axis(1)}),
              BreaksRule("MX-TQUANT-2", "M must be a positive multiple of 16"));
  EXPECT_THAT(t_.Deduce("tile.tquant_mx", {Source({16, 64})}, {Axis(0)}),
              BreaksRule("MX-TQUANT-2", "N must be a positive multiple of 32"));
  EXPECT_THAT(t_.Deduce("tile.tquant_mx", {Source({16, 64})},
                        {Axis(1), {"dtype", AttrValue::Of(DataType::kFP4)}}),
              BreaksRule("MX-TQUANT-3", "dtype must be FP8E4M3FN, got FP4"));
}

TEST_F(QuantOpsTest, ScratchRules) {
  const auto raw = [&](const Expr* max, const Expr* scaling) {
    return t_.Deduce("tile.tquant_mx_raw", {Source({16, 64}), max, scaling},
                     {Axis(1)});
  };
  EXPECT_THAT(raw(Source({16, 2}), Source({1, 32})), IsOk());
  EXPECT_THAT(raw(Source({1, 31}), Source({1, 32})),
              BreaksRule("MX-TQUANT-4", "max must have 32 elements"));
  EXPECT_THAT(raw(Source({1, 32}), Source({1, 32}, DataType::kFP16)),
              BreaksRule("MX-TQUANT-4",
                         "scaling must have 32 elements, one a "
                         "group, of FP32"));
}

TEST_F(QuantOpsTest, ExponentsInBoxes) {
  const auto bytes = [&](const Ints& shape) {
    return Source(shape, DataType::kUInt8);
  };
  // [20, 4]: 64 + 2 * 4 bytes of indices, boxes of whole 16 rows.
  const Type* boxes = t_.Tile({32, 4}, DataType::kUInt8, kVec,
                              Boxed(TileLayout::kRowMajor, {20, 4}));
  for (const Ints& shape : {Ints{1, 80}, Ints{20, 4}}) {
    EXPECT_THAT(t_.Deduce("tile.tmov_x2zz", {bytes(shape), bytes({1, 72})},
                          {Axis(1), Rows(20), Cols(4)}),
                IsOkAndHolds(Eq(boxes)));
  }
  EXPECT_THAT(
      t_.Deduce("tile.tmov_x2zz", {bytes({4, 32}), bytes({1, 32})}, {Axis(0)}),
      IsOkAndHolds(Eq(t_.Tile({32, 4}, DataType::kUInt8, kVec,
                              Boxed(TileLayout::kRowMajor, {32, 4})))));
  EXPECT_THAT(t_.Deduce("tile.tmov_x2zz", {bytes({1, 80}), bytes({1, 71})},
                        {Axis(1), Rows(20), Cols(4)}),
              BreaksRule("MX-TQUANT-6", "72 bytes or more"));
  EXPECT_THAT(
      t_.Deduce("tile.tmov_x2zz", {bytes({1, 80}), bytes({1, 96})}, {Axis(1)}),
      BreaksRule("MX-TQUANT-5", "[dst_rows, dst_cols]"));
  EXPECT_THAT(t_.Deduce("tile.tmov_x2zz", {bytes({1, 60}), bytes({1, 96})},
                        {Axis(1), Rows(20), Cols(3)}),
              BreaksRule("MX-TQUANT-5", "an even number of groups"));
  EXPECT_THAT(t_.Deduce("tile.tmov_x2zz", {bytes({4, 32}), bytes({1, 32})},
                        {Axis(0), Rows(4), Cols(32)}),
              BreaksRule("MX-TQUANT-5", "[dst_cols, dst_rows]"));
  EXPECT_THAT(
      t_.Deduce("tile.tmov_x2zz", {Source({4, 32}), bytes({1, 32})}, {Axis(0)}),
      BreaksRule("MX-TQUANT-5", "row-major UINT8"));
}

}  // namespace
}  // namespace mxtile::ir
