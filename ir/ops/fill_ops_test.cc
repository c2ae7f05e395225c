#include "ir/ops/fill_ops.h"

#include <limits>
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

Attr DTypeIs(DataType dtype) { return {"dtype", AttrValue::Of(dtype)}; }

TEST(FillTest, Full) {
  OpTester t;
  const Expr* zero = t.context().Float(0);
  // A column stays row-major.
  EXPECT_THAT(t.Deduce("tile.full", {t.List({16, 1}), zero}, {DTypeIs(kFP32)}),
              IsOkAndHolds(Eq(t.Tile({16, 1}, kFP32, kVec,
                                     LayoutView(TileLayout::kRowMajor,
                                                TileLayout::kNoneBox, 512)))));
  EXPECT_THAT(
      t.Deduce("tile.full", {t.List({kSymbolic, 1}), zero}, {DTypeIs(kFP32)}),
      BreaksRule("MX-TILE-5", "a non-empty list of constants, got [n, 1]"));
  EXPECT_THAT(t.Deduce("tile.full", {t.List({16, 1}), zero}),
              BreaksRule("MX-OP-3", "kwarg dtype is missing"));
}

TEST(FillTest, SequencesTrianglesAndNoise) {
  OpTester t;
  const Expr* zero = t.Dim(0);
  EXPECT_THAT(t.Deduce("tile.ci", {zero, t.List({1, 64})}),
              IsOkAndHolds(Eq(t.Tile({1, 64}, kInt32, kVec))));
  const TileView view = t.ValidView({16, 64}, kVec, {9, 40});
  EXPECT_THAT(t.Deduce("tile.tri", {zero, t.List({16, 64}), t.List({9, 40})},
                       {DTypeIs(kFP32)}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kVec, view))));
  EXPECT_THAT(t.Deduce("tile.tri", {zero, t.List({16, 64}), t.List({9, 65})}),
              BreaksRule("MX-TILE-7", "the valid shape [9, 65] must lie"));
  EXPECT_THAT(
      t.Deduce("tile.random", {zero, zero, zero, zero, zero, zero,
                               t.List({16, 64}), t.List({9, 40})}),
      IsOkAndHolds(Eq(t.Tile({16, 64}, DataType::kUInt32, kVec, view))));
}

TEST(FillTest, PaddedTilesAreAllValid) {
  OpTester t;
  const Expr* part = t.Value(
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {9, 40})));
  const auto padded = [&](const Ints& shape, PadValue pad) {
    TileView view = t.ValidView(shape, kVec, shape);
    view.pad = pad;
    return t.Tile(shape, kFP32, kVec, view);
  };
  EXPECT_THAT(t.Deduce("tile.fillpad", {part}),
              IsOkAndHolds(Eq(padded({16, 64}, PadValue::kZero))));
  EXPECT_THAT(t.Deduce("tile.fillpad_inplace", {part},
                       {{"pad_value", AttrValue::Enum("PadValue", "max")}}),
              IsOkAndHolds(Eq(padded({16, 64}, PadValue::kMax))));
  EXPECT_THAT(
      t.Deduce("tile.fillpad_expand", {part, t.List({32, 64})},
               {{"pad_value",
                 AttrValue::Float(-std::numeric_limits<double>::infinity())}}),
      IsOkAndHolds(Eq(padded({32, 64}, PadValue::kMin))));
  EXPECT_THAT(
      t.Deduce("tile.fillpad", {part}, {{"pad_value", AttrValue::Float(1.5)}}),
      BreaksRule("MX-TILE-12", "as a number 0, inf or -inf"));
  EXPECT_THAT(t.Deduce("tile.fillpad", {part},
                       {{"pad_value", AttrValue::Enum("PadValue", "null")}}),
              BreaksRule("MX-TILE-12", "zero, max or min"));
  EXPECT_THAT(t.Deduce("tile.fillpad_expand", {part, t.List({8, 64})}),
              BreaksRule("MX-TILE-1", "or larger"));
}

}  // namespace
}  // namespace mxtile::ir
