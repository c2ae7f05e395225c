#include "ir/ops/view_ops.h"

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

constexpr auto kMat = MemorySpace::kMat;

Attr TargetIs(MemorySpace space) {
  return {"target_memory", AttrValue::Of(space)};
}

// ---- Windows

TEST(SliceTest, ShowsWhatIsValid) {
  OpTester t;
  const Expr* tile = t.Value(
      t.Tile({64, 64}, kFP32, kVec, t.ValidView({64, 64}, kVec, {40, 64})));
  EXPECT_THAT(t.Deduce("tile.slice", {tile, t.List({32, 64}), t.List({32, 0})}),
              IsOkAndHolds(Eq(t.Tile({32, 64}, kFP32, kVec,
                                     t.ValidView({32, 64}, kVec, {8, 64})))));
  EXPECT_THAT(t.Deduce("tile.slice", {tile, t.List({32, 64}), t.List({0, 0}),
                                      t.List({16, 16})}),
              IsOkAndHolds(Eq(t.Tile({32, 64}, kFP32, kVec,
                                     t.ValidView({32, 64}, kVec, {16, 16})))));
  // No more than there is.
  EXPECT_THAT(t.Deduce("tile.slice", {tile, t.List({32, 64}), t.List({32, 0}),
                                      t.List({16, 16})}),
              IsOkAndHolds(Eq(t.Tile({32, 64}, kFP32, kVec,
                                     t.ValidView({32, 64}, kVec, {8, 16})))));
}

TEST(SliceTest, ASymbolicExtentTravelsWithItsWholeAxis) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile(
      {64, 64}, kFP32, kVec, t.ValidView({64, 64}, kVec, {kSymbolic, 64})));
  EXPECT_THAT(
      t.Deduce("tile.slice", {tile, t.List({64, 32}), t.List({0, 32})}),
      IsOkAndHolds(Eq(t.Tile({64, 32}, kFP32, kVec,
                             t.ValidView({64, 32}, kVec, {kSymbolic, 32})))));
}

TEST(SliceTest, DropsUnitAxesDownToTwo) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile({4, 16, 64}, kFP32, kVec));
  EXPECT_THAT(
      t.Deduce("tile.slice", {tile, t.List({1, 16, 64}), t.List({2, 0, 0}),
                              t.List({}), t.List({0})}),
      IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kVec))));
  EXPECT_THAT(
      t.Deduce("tile.slice", {tile, t.List({1, 1, 64}), t.List({2, 0, 0}),
                              t.List({}), t.List({0, 1})}),
      IsOkAndHolds(Eq(t.Tile({1, 64}, kFP32, kVec))));
  EXPECT_THAT(
      t.Deduce("tile.slice", {tile, t.List({1, 16, 64}), t.List({2, 0, 0}),
                              t.List({}), t.List({1})}),
      BreaksRule("MX-TILE-10", "axes of extent 1 of [1, 16, 64]"));
}

TEST(SliceTest, StaysInsideTheTile) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile({64, 64}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.slice", {tile, t.List({32, 64}), t.List({40, 0})}),
              BreaksRule("MX-TILE-6", "offset 40 + extent 32 > size 64"));
  EXPECT_THAT(t.Deduce("tile.slice", {tile, t.List({32}), t.List({0})}),
              BreaksRule("MX-TILE-4", "must have the rank of [64, 64]"));
  EXPECT_THAT(
      t.Deduce("tile.slice", {tile, t.List({kSymbolic, 64}), t.List({0, 0})}),
      BreaksRule("MX-TILE-5", "got [n, 64]"));
}

TEST(ExtractTest, LayoutOfTheTarget) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile({128, 128}, kFP32, kMat));
  const std::vector<const Expr*> args = {tile, t.Dim(0), t.Dim(64),
                                         t.List({64, 64})};
  EXPECT_THAT(t.Deduce("tile.extract", args, {TargetIs(MemorySpace::kLeft)}),
              IsOkAndHolds(Eq(t.Tile({64, 64}, kFP32, MemorySpace::kLeft,
                                     LayoutView(TileLayout::kRowMajor,
                                                TileLayout::kRowMajor, 512)))));
  EXPECT_THAT(t.Deduce("tile.extract", args, {TargetIs(MemorySpace::kRight)}),
              IsOkAndHolds(Eq(t.Tile({64, 64}, kFP32, MemorySpace::kRight))));
  EXPECT_THAT(t.Deduce("tile.extract", args),
              IsOkAndHolds(Eq(t.Tile({64, 64}, kFP32, kVec))));
  EXPECT_THAT(
      t.Deduce("tile.extract", {tile, t.Dim(0), t.Dim(96), t.List({64, 64})}),
      BreaksRule("MX-TILE-6", "reads past the end of dimension 1"));
}

TEST(ExtractTest, APartInL0IsCompact) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile({128, 128}, kFP32, kMat,
                                    t.ValidView({128, 128}, kMat, {40, 128})));
  TileView view = LayoutView(TileLayout::kRowMajor, TileLayout::kRowMajor, 512);
  view.valid_shape = t.Shape({40, 64});
  view.compact = CompactMode::kNormal;
  EXPECT_THAT(
      t.Deduce("tile.extract", {tile, t.Dim(0), t.Dim(0), t.List({64, 64})},
               {TargetIs(MemorySpace::kLeft)}),
      IsOkAndHolds(Eq(t.Tile({64, 64}, kFP32, MemorySpace::kLeft, view))));
}

// ---- Other shapes

TEST(ReshapeTest, KeepsElementsAndPad) {
  OpTester t;
  TileView view = t.ValidView({16, 64}, kVec, {8, 64});
  view.pad = PadValue::kMax;
  const Expr* tile = t.Value(t.Tile({16, 64}, kFP32, kVec, view));
  TileView reshaped = t.ValidView({4, 256}, kVec, {2, 256});
  reshaped.pad = PadValue::kMax;
  EXPECT_THAT(t.Deduce("tile.reshape", {tile, t.List({4, 256})}),
              IsOkAndHolds(Eq(t.Tile({4, 256}, kFP32, kVec, reshaped))));
  // [N, 1] is column-major, as everywhere.
  EXPECT_THAT(t.Deduce("tile.reshape", {t.Value(t.Tile({1, 64}, kFP32, kVec)),
                                        t.List({64, 1})}),
              IsOkAndHolds(Eq(t.Tile({64, 1}, kFP32, kVec))));
  EXPECT_THAT(t.Deduce("tile.reshape", {tile, t.List({4, 64})}),
              BreaksRule("MX-TILE-8", "[16, 64] of 1024 and [4, 64] of 256"));
  EXPECT_THAT(t.Deduce("tile.reshape",
                       {t.Value(t.Tile({16, 64}, kFP32, kVec,
                                       t.ValidView({16, 64}, kVec, {16, 40}))),
                        t.List({4, 256})}),
              BreaksRule("MX-TILE-9", "only [16, 40] is valid"));
}

TEST(ReinterpretViewTest, KeepsBytes) {
  OpTester t;
  const Expr* tile = t.Value(
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {9, 40})));
  const Attr to_16 = {"dtype", AttrValue::Of(DataType::kInt16)};
  EXPECT_THAT(t.Deduce("tile.reinterpret_view", {tile}, {to_16}),
              IsOkAndHolds(Eq(t.Tile({16, 128}, DataType::kInt16, kVec,
                                     t.ValidView({16, 128}, kVec, {9, 80})))));
  const Expr* full = t.Value(t.Tile({16, 64}, kFP32, kVec));
  EXPECT_THAT(
      t.Deduce("tile.reinterpret_view", {full, t.List({32, 64})}, {to_16}),
      IsOkAndHolds(Eq(t.Tile({32, 64}, DataType::kInt16, kVec))));
  EXPECT_THAT(
      t.Deduce("tile.reinterpret_view", {full, t.List({32, 32})}, {to_16}),
      BreaksRule("MX-TILE-8", "the bytes must stay"));
  EXPECT_THAT(t.Deduce("tile.reinterpret_view",
                       {t.Value(t.Tile({16, 3}, DataType::kInt16, kVec))},
                       {{"dtype", AttrValue::Of(kFP32)}}),
              BreaksRule("MX-TILE-8", "no whole number of FP32"));
}

// Columns are contiguous in a column-major tile.
TEST(ReinterpretViewTest, GrowsAlongTheContiguousAxis) {
  OpTester t;
  const Expr* column = t.Value(t.Tile({16, 1}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.reinterpret_view", {column},
                       {{"dtype", AttrValue::Of(DataType::kInt16)}}),
              IsOkAndHolds(Eq(t.Tile({32, 1}, DataType::kInt16, kVec))));
}

TEST(TransposeTest, SwapsTwoAxes) {
  OpTester t;
  const Expr* tile = t.Value(
      t.Tile({16, 64}, kFP32, kVec, t.ValidView({16, 64}, kVec, {9, 40})));
  EXPECT_THAT(t.Deduce("tile.transpose", {tile, t.Dim(0), t.Dim(-1)}),
              IsOkAndHolds(Eq(t.Tile({64, 16}, kFP32, kVec,
                                     t.ValidView({64, 16}, kVec, {40, 9})))));
  EXPECT_THAT(t.Deduce("tile.transpose", {tile, t.Dim(1), t.Dim(-1)}),
              BreaksRule("MX-TILE-10", "both are 1"));
  EXPECT_THAT(t.Deduce("tile.transpose", {tile, t.Dim(0), t.Dim(2)}),
              BreaksRule("MX-TILE-10", "from -2 to 1"));
}

// The bytes of [K, N] boxes by column are those of [N, K] boxes by row.
TEST(TransposeTest, AViewFlipsTheLayouts) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile({64, 128}, kFP32, kMat));
  EXPECT_THAT(t.Deduce("tile.transpose_view", {tile}),
              IsOkAndHolds(Eq(t.Tile({128, 64}, kFP32, kMat,
                                     LayoutView(TileLayout::kRowMajor,
                                                TileLayout::kColMajor, 512)))));
}

// ---- Parts

TEST(AssembleTest, TheValidPartGrows) {
  OpTester t;
  const Expr* target = t.Value(
      t.Tile({64, 64}, kFP32, kVec, t.ValidView({64, 64}, kVec, {16, 64})));
  const Expr* source = t.Value(t.Tile({16, 64}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.assemble", {target, source, t.List({16, 0})}),
              IsOkAndHolds(Eq(t.Tile({64, 64}, kFP32, kVec,
                                     t.ValidView({64, 64}, kVec, {32, 64})))));
  EXPECT_THAT(t.Deduce("tile.assemble", {target, source, t.List({32, 0})}),
              BreaksRule("MX-TILE-9", "next to the valid [16, 64]"));
  EXPECT_THAT(t.Deduce("tile.assemble", {target, source, t.List({56, 0})}),
              BreaksRule("MX-TILE-6", "writes past the end of dimension 0"));
}

TEST(AssembleTest, WhatIsAllValidStaysSo) {
  OpTester t;
  const Type* type = t.Tile({64, 64}, kFP32, kVec);
  EXPECT_THAT(t.Deduce("tile.assemble",
                       {t.Value(type), t.Value(t.Tile({16, 64}, kFP32, kVec)),
                        t.List({kSymbolic, 0})}),
              IsOkAndHolds(Eq(type)));
}

TEST(AssembleTest, CubeResultsAreNarrowed) {
  OpTester t;
  const Type* half = t.Tile({64, 64}, DataType::kFP16, kMat);
  const Expr* acc = t.Value(t.Tile({16, 64}, kFP32, MemorySpace::kAcc));
  const Expr* ints = t.Value(t.Tile({16, 64}, kInt32, MemorySpace::kAcc));
  EXPECT_THAT(t.Deduce("tile.assemble", {t.Value(half), acc, t.List({16, 0})}),
              IsOkAndHolds(Eq(half)));
  EXPECT_THAT(t.Deduce("tile.assemble", {t.Value(half), ints, t.List({16, 0})}),
              BreaksRule("MX-TILE-3", "FP16 and INT32"));
}

TEST(ConcatTest, SideBySide) {
  OpTester t;
  const Expr* a = t.Value(t.Tile({16, 32}, kFP32, kVec));
  const Expr* b = t.Value(t.Tile({16, 8}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.concat", {a, b}),
              IsOkAndHolds(Eq(t.Tile({16, 40}, kFP32, kVec))));
  EXPECT_THAT(
      t.Deduce("tile.concat", {a, t.Value(t.Tile({8, 8}, kFP32, kVec))}),
      BreaksRule("MX-TILE-1", "one number of rows"));
}

TEST(SetValidShapeTest, InsideTheShape) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile({16, 64}, kFP32, kMat));
  EXPECT_THAT(
      t.Deduce("tile.set_validshape", {tile, t.Dim(kSymbolic), t.Dim(40)}),
      IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kMat,
                             t.ValidView({16, 64}, kMat, {kSymbolic, 40})))));
  EXPECT_THAT(t.Deduce("tile.set_validshape", {tile, t.Dim(17), t.Dim(40)}),
              BreaksRule("MX-TILE-7", "[17, 40] must lie inside"));
}

TEST(ElementTest, ReadAndWrite) {
  OpTester t;
  const Type* type = t.Tile({16, 64}, kFP32, kVec);
  const Expr* tile = t.Value(type);
  EXPECT_THAT(t.Deduce("tile.read", {tile, t.List({3, 4})}),
              IsOkAndHolds(Eq(t.context().GetScalarType(kFP32))));
  EXPECT_THAT(
      t.Deduce("tile.write", {tile, t.List({700}), t.context().Float(1)}),
      IsOkAndHolds(Eq(type)));
  EXPECT_THAT(t.Deduce("tile.read", {tile, t.List({16, 0})}),
              BreaksRule("MX-TILE-6", "index 16 of dimension 0"));
  EXPECT_THAT(t.Deduce("tile.read", {tile, t.List({0, 0, 0})}),
              BreaksRule("MX-TILE-4", "one a dimension of [16, 64]"));
}

}  // namespace
}  // namespace mxtile::ir
