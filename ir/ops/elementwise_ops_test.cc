#include "ir/ops/elementwise_ops.h"

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
constexpr auto kFP16 = DataType::kFP16;
constexpr auto kInt32 = DataType::kInt32;
constexpr auto kInt16 = DataType::kInt16;

// A tile that lies column-major, is valid in part and has a pad.
TileView Special(OpTester& t, const Ints& valid) {
  TileView view = LayoutView(TileLayout::kColMajor, TileLayout::kNoneBox, 512);
  view.valid_shape = t.Shape(valid);
  view.pad = PadValue::kMin;
  return view;
}

TEST(ElementwiseTest, UnaryKeepsEverything) {
  OpTester t;
  const Type* type = t.Tile({16, 64}, kFP32, kVec, Special(t, {9, kSymbolic}));
  for (const char* name : {"abs", "exp", "neg", "sqrt", "relu", "sin", "cos",
                           "recip", "log", "rsqrt"}) {
    EXPECT_THAT(t.Deduce(std::string("tile.") + name, {t.Value(type)}),
                IsOkAndHolds(Eq(type)))
        << name;
  }
  const Type* ints = t.Tile({16, 64}, kInt16, kVec);
  EXPECT_THAT(t.Deduce("tile.not", {t.Value(ints)}), IsOkAndHolds(Eq(ints)));
}

TEST(ElementwiseTest, ResultIsInVec) {
  OpTester t;
  EXPECT_THAT(t.Deduce("tile.exp", {t.Value(t.Tile({16, 64}, kFP32))}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kVec))));
}

TEST(ElementwiseTest, ElementTypesOfUnary_MX_TILE_2) {
  OpTester t;
  const Expr* fp16 = t.Value(t.Tile({16, 64}, kFP16, kVec));
  const Expr* ints = t.Value(t.Tile({16, 64}, kInt32, kVec));
  EXPECT_THAT(t.Deduce("tile.sin", {fp16}),
              BreaksRule("MX-TILE-2", "tile must be FP32, got FP16"));
  EXPECT_THAT(t.Deduce("tile.log", {ints}),
              BreaksRule("MX-TILE-2", "FP16 or FP32, got INT32"));
  EXPECT_THAT(t.Deduce("tile.not", {ints}),
              BreaksRule("MX-TILE-2", "INT16 or UINT16, got INT32"));
}

TEST(ElementwiseTest, BinaryTakesTheViewOfLhsAndTheWiderType) {
  OpTester t;
  const TileView view = Special(t, {9, 64});
  const Expr* lhs = t.Value(t.Tile({16, 64}, kFP16, kVec, view));
  const Expr* rhs = t.Value(t.Tile({16, 64}, kFP32, kVec));
  for (const char* name : {"add", "sub", "mul", "maximum", "minimum", "fmod",
                           "part_add", "part_mul", "part_max", "part_min"}) {
    EXPECT_THAT(t.Deduce(std::string("tile.") + name, {lhs, rhs}),
                IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kVec, view))))
        << name;
  }
}

TEST(ElementwiseTest, PromotionPrefersFloatThenWidthThenSign) {
  OpTester t;
  const auto sum = [&](DataType a, DataType b) {
    return t.Deduce("tile.add", {t.Value(t.Tile({16}, a, kVec)),
                                 t.Value(t.Tile({16}, b, kVec))});
  };
  EXPECT_THAT(sum(kInt32, kFP16), IsOkAndHolds(Eq(t.Tile({16}, kFP16, kVec))));
  EXPECT_THAT(sum(kInt16, kInt32),
              IsOkAndHolds(Eq(t.Tile({16}, kInt32, kVec))));
  EXPECT_THAT(sum(DataType::kUInt32, kInt32),
              IsOkAndHolds(Eq(t.Tile({16}, kInt32, kVec))));
  EXPECT_THAT(sum(kFP16, DataType::kBF16),
              IsOkAndHolds(Eq(t.Tile({16}, kFP16, kVec))));
}

TEST(ElementwiseTest, Broadcasts_MX_TILE_1) {
  OpTester t;
  const Expr* row = t.Value(t.Tile({1, 64}, kFP32, kVec));
  const Expr* full = t.Value(t.Tile({16, 64}, kFP32, kVec));
  const Expr* part = t.Value(
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {9, 64})));
  const Expr* symbolic = t.Value(t.Tile({kSymbolic, 64}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.add", {full, row}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kVec))));
  EXPECT_THAT(t.Deduce("tile.add", {row, part}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kVec,
                                     t.ValidView({16, 64}, kVec, {9, 64})))));
  EXPECT_THAT(t.Deduce("tile.add", {symbolic, row}),
              IsOkAndHolds(Eq(t.Tile({kSymbolic, 64}, kFP32, kVec))));
  EXPECT_THAT(
      t.Deduce("tile.add", {full, t.Value(t.Tile({8, 64}, kFP32, kVec))}),
      BreaksRule("MX-TILE-1",
                 "the shapes [16, 64] of lhs and [8, 64] of rhs do not "
                 "broadcast"));
}

TEST(ElementwiseTest, DivisionWantsOneShapeAndType) {
  OpTester t;
  const Expr* full = t.Value(t.Tile({16, 64}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.div", {full, full}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kVec))));
  EXPECT_THAT(
      t.Deduce("tile.div", {full, t.Value(t.Tile({1, 64}, kFP32, kVec))}),
      BreaksRule("MX-TILE-1", "one shape"));
  EXPECT_THAT(
      t.Deduce("tile.div", {full, t.Value(t.Tile({16, 64}, kFP16, kVec))}),
      BreaksRule("MX-TILE-3", "FP32 and FP16"));
}

TEST(ElementwiseTest, BitsAndShiftsAreOfIntegers) {
  OpTester t;
  const Expr* i16 = t.Value(t.Tile({16, 64}, kInt16, kVec));
  const Expr* i32 = t.Value(t.Tile({16, 64}, kInt32, kVec));
  const Expr* fp32 = t.Value(t.Tile({16, 64}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.and", {i16, i32}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kInt32, kVec))));
  EXPECT_THAT(t.Deduce("tile.shl", {i16, i32}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kInt16, kVec))));
  EXPECT_THAT(t.Deduce("tile.xor", {i32, i32, i32}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kInt32, kVec))));
  EXPECT_THAT(t.Deduce("tile.or", {i32, fp32}),
              BreaksRule("MX-TILE-2", "rhs must be an integer type"));
}

TEST(ElementwiseTest, ScalarsDoNotChangeTheType) {
  OpTester t;
  const TileView view = Special(t, {9, 64});
  const Type* type = t.Tile({16, 64}, kFP16, kVec, view);
  const Expr* scalar = t.context().Float(2);
  for (const char* name : {"adds", "subs", "muls", "divs", "maximums",
                           "minimums", "fmods", "lrelu"}) {
    EXPECT_THAT(t.Deduce(std::string("tile.") + name, {t.Value(type), scalar}),
                IsOkAndHolds(Eq(type)))
        << name;
  }
  const Type* ints = t.Tile({16, 64}, kInt16, kVec);
  for (const char* name : {"ands", "ors", "shls", "shrs"}) {
    EXPECT_THAT(
        t.Deduce(std::string("tile.") + name, {t.Value(ints), t.Dim(3)}),
        IsOkAndHolds(Eq(ints)))
        << name;
  }
  EXPECT_THAT(t.Deduce("tile.ands", {t.Value(ints), scalar}),
              BreaksRule("MX-TILE-2", "rhs must be an integer type"));
}

TEST(ElementwiseTest, ThreeValuesAndChoices) {
  OpTester t;
  const Expr* fp16 = t.Value(t.Tile({16, 64}, kFP16, kVec));
  const Expr* fp32 = t.Value(t.Tile({16, 64}, kFP32, kVec));
  const Expr* mask = t.Value(t.Tile({16, 32}, DataType::kUInt8, kVec));
  const Type* result = t.Tile({16, 64}, kFP32, kVec);
  EXPECT_THAT(t.Deduce("tile.addc", {fp16, fp16, fp32}),
              IsOkAndHolds(Eq(result)));
  EXPECT_THAT(t.Deduce("tile.addsc", {fp16, t.context().Float(1), fp16}),
              IsOkAndHolds(Eq(result)));
  EXPECT_THAT(t.Deduce("tile.sel", {mask, fp16, fp32, fp32}),
              IsOkAndHolds(Eq(result)));
  EXPECT_THAT(t.Deduce("tile.sels", {mask, fp32, fp32, t.context().Float(1)}),
              IsOkAndHolds(Eq(result)));
  EXPECT_THAT(t.Deduce("tile.prelu", {fp32, fp16, fp32}),
              BreaksRule("MX-TILE-3", "FP32 and FP16"));
}

// 100 columns are 13 bytes, in a row of one block of 32; 300 are 38, in 64.
TEST(ElementwiseTest, ComparisonsPackBits) {
  OpTester t;
  const auto mask = [&](const Ints& shape, const Ints& valid) {
    return t.Tile(shape, DataType::kUInt8, kVec,
                  t.ValidView(shape, kVec, valid));
  };
  const Expr* narrow = t.Value(t.Tile({16, 100}, kFP32, kVec));
  const Expr* wide = t.Value(t.Tile({16, 300}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.cmp", {narrow, narrow}),
              IsOkAndHolds(Eq(mask({16, 32}, {16, 13}))));
  EXPECT_THAT(t.Deduce("tile.cmps", {wide, t.context().Float(0)},
                       {{"cmp_type", AttrValue::Int(2)}}),
              IsOkAndHolds(Eq(mask({16, 64}, {16, 38}))));
}

TEST(ElementwiseTest, ShortForms) {
  OpTester t;
  const Type* tile = t.Tile({16}, kFP32);
  const Type* scalar = t.context().IndexType();
  const auto found = [&](const char* name, const Type* rhs) {
    const OpDef* def = StandardOps().FindShort(name, {{"", tile}, {"", rhs}});
    return def == nullptr ? "" : def->name;
  };
  EXPECT_EQ(found("add", tile), "tile.add");
  EXPECT_EQ(found("add", scalar), "tile.adds");
  EXPECT_EQ(found("tile.add", scalar), "tile.adds");
  EXPECT_EQ(found("and", scalar), "tile.ands");
  EXPECT_EQ(found("cmp", scalar), "tile.cmps");
  EXPECT_EQ(found("exp", scalar), "tile.exp");
}

}  // namespace
}  // namespace mxtile::ir
