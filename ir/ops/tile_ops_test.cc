#include "ir/ops/tile_ops.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/op_test_util.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::Eq;

constexpr DataType kE8M0 = DataType::kFP8E8M0;
constexpr DataType kFP16 = DataType::kFP16;
constexpr DataType kFP32 = DataType::kFP32;
constexpr DataType kUInt8 = DataType::kUInt8;
constexpr MemorySpace kVec = MemorySpace::kVec;
constexpr MemorySpace kMat = MemorySpace::kMat;
constexpr MemorySpace kLeft = MemorySpace::kLeft;
constexpr MemorySpace kRight = MemorySpace::kRight;
constexpr MemorySpace kAcc = MemorySpace::kAcc;
constexpr MemorySpace kLeftScale = MemorySpace::kLeftScale;
constexpr MemorySpace kRightScale = MemorySpace::kRightScale;
constexpr TensorLayout kND = TensorLayout::kND;
constexpr TensorLayout kDN = TensorLayout::kDN;
constexpr TensorLayout kA = TensorLayout::kMxAZZ;
constexpr TensorLayout kB = TensorLayout::kMxBNN;
constexpr TileLayout kRow = TileLayout::kRowMajor;
constexpr TileLayout kCol = TileLayout::kColMajor;
constexpr TileLayout kFlat = TileLayout::kNoneBox;

Attr Target(MemorySpace space) {
  return {"target_memory", AttrValue::Of(space)};
}

// ---- tile.load

struct Load {
  Ints tensor;
  DataType dtype = kFP16;
  TensorLayout layout = kND;
  Ints offsets = {0, 0};
  Ints shapes = {};
  Ints valid = {};  // Empty: left out.
  std::optional<MemorySpace> target = std::nullopt;
  Ints stride = {};
  Ints tensor_valid = {};
  bool clamp = false;
};

absl::StatusOr<const Type*> DeduceLoad(OpTester& t, const Load& load) {
  TensorView view;
  view.layout = load.layout;
  view.stride = t.Shape(load.stride);
  view.valid_shape = t.Shape(load.tensor_valid);
  std::vector<const Expr*> args = {
      t.Value(t.Tensor(load.tensor, load.dtype, view)), t.List(load.offsets),
      t.List(load.shapes)};
  if (!load.valid.empty()) args.push_back(t.List(load.valid));
  std::vector<Attr> kwargs;
  if (load.target.has_value()) kwargs.push_back(Target(*load.target));
  if (load.clamp) kwargs.push_back({"clamp", AttrValue::Bool(true)});
  return t.Deduce("tile.load", args, kwargs);
}

Load MxLoad(TensorLayout layout, Ints tensor, Ints offsets, Ints shapes,
            Ints valid = {}) {
  Load load;
  load.tensor = tensor;
  load.dtype = kE8M0;
  load.layout = layout;
  load.offsets = offsets;
  load.shapes = shapes;
  load.valid = valid;
  load.target = kMat;
  return load;
}

Load Plain(Ints tensor, Ints offsets, Ints shapes,
           std::optional<MemorySpace> target, TensorLayout layout = kND) {
  Load load;
  load.tensor = tensor;
  load.layout = layout;
  load.offsets = offsets;
  load.shapes = shapes;
  load.target = target;
  return load;
}

struct LoadCase {
  std::string name;
  Load load;
  Ints shape;                         // Of the tile.
  std::optional<TileView> view = {};  // Nothing: the implicit one.
  Ints valid = {};                    // Nothing: the shape.
};

std::ostream& operator<<(std::ostream& out, const LoadCase& c) {
  return out << c.name;
}

std::vector<LoadCase> LoadCases() {
  std::vector<LoadCase> cases = {
      {"L1", MxLoad(kA, {16, 2}, {0, 0}, {16, 2}), {16, 2}, LeftScaleView()},
      {"L1_window",
       MxLoad(kA, {64, 4}, {16, 2}, {16, 2}),
       {16, 2},
       LeftScaleView()},
      {"L2", MxLoad(kB, {8, 16}, {0, 0}, {8, 16}), {8, 16}, RightScaleView()},
      {"L2_window",
       MxLoad(kB, {8, 64}, {0, 16}, {8, 16}),
       {8, 16},
       RightScaleView()},
      {"L8", MxLoad(kA, {8, 8}, {0, 0}, {8, 8}), {8, 8}, LeftScaleView()},
      {"L19_column",
       MxLoad(kA, {64, 4}, {0, 0}, {16, 1}),
       {16, 1},
       LeftScaleView()},
      {"L19_row",
       MxLoad(kB, {4, 64}, {0, 0}, {1, 16}),
       {1, 16},
       RightScaleView()},
      {"B6_narrowed",
       MxLoad(kA, {64, 4}, {0, 0}, {32, 2}, {16, 2}),
       {32, 2},
       LeftScaleView(),
       {16, 2}},
      {"SymbolicMxOffset",
       MxLoad(kA, {64, 4}, {kSymbolic, 0}, {16, 2}),
       {16, 2},
       LeftScaleView()},
      {"BlockedA",
       MxLoad(kA, {1, 4, 2, 16, 2}, {0, 1, 1, 0, 0}, {1, 2, 1, 16, 2}),
       {32, 2},
       LeftScaleView()},
      {"BlockedB",
       MxLoad(kB, {1, 4, 2, 16, 2}, {0, 1, 0, 0, 0}, {1, 3, 2, 16, 2},
              {1, 3, 2, 16, 2}),
       {4, 48},
       RightScaleView()},
      {"BlockedSymbolicOffset",
       MxLoad(kA, {1, 4, 2, 16, 2}, {0, kSymbolic, 0, 0, 0}, {1, 1, 1, 16, 2}),
       {16, 2},
       LeftScaleView()},
      {"MatIsBoxed", Plain({64, 64}, {0, 0}, {32, 64}, kMat), {32, 64}},
      {"VecIsFlat", Plain({64, 64}, {32, 0}, {32, 64}, kVec), {32, 64}},
      {"NoTargetNoSpace", Plain({64, 64}, {0, 0}, {32, 64}, {}), {32, 64}},
      {"OneRowInMat",
       Plain({64, 64}, {0, 0}, {1, 64}, kMat),
       {1, 64},
       LayoutView(kRow, kFlat, 512)},
      {"OneRowOfThreeDims",
       Plain({4, 8, 64}, {0, 0, 0}, {1, 8, 64}, kMat),
       {1, 8, 64}},
      {"DnIsTransposedInMat",
       Plain({64, 32}, {0, 0}, {64, 32}, kMat, kDN),
       {64, 32},
       LayoutView(kRow, kCol, 512)},
      {"OneDnColumnInMat",
       Plain({64, 32}, {0, 0}, {64, 1}, kMat, kDN),
       {64, 1},
       LayoutView(kRow, kFlat, 512)},
      {"ColumnInVec",
       Plain({64, 32}, {0, 0}, {64, 1}, kVec),
       {64, 1},
       LayoutView(kCol, kFlat, 512)},
      {"LowerRankWindow", Plain({4, 8, 64}, {0, 0}, {64, 64}, kVec), {64, 64}},
      {"SymbolicDims",
       Plain({kSymbolic, 64}, {kSymbolic, 0}, {16, 64}, kVec),
       {16, 64}},
  };
  Load load = Plain({64, 64}, {0, 0}, {32, 64}, kMat);
  load.dtype = kE8M0;
  cases.push_back({"L3_plainE8m0", load, {32, 64}});

  load = MxLoad(kA, {8, 8}, {0, 0}, {8, 8});
  load.stride = {8, 1};
  cases.push_back({"L8_packedStride", load, {8, 8}, LeftScaleView()});
  load.dtype = kUInt8;
  cases.push_back({"L8_uint8", load, {8, 8}, LeftScaleView()});
  load = MxLoad(kA, {1, 2, 2, 16, 2}, {0, 0, 0, 0, 0}, {1, 2, 2, 16, 2});
  load.stride = {128, 64, 32, 2, 1};
  cases.push_back({"BlockedPackedStride", load, {32, 4}, LeftScaleView()});

  load = Plain({64, 64}, {48, 0}, {32, 64}, kVec);
  load.valid = {16, 64};
  cases.push_back({"TileOverhangs", load, {32, 64}, {}, {16, 64}});
  load.valid = {kSymbolic, 64};
  cases.push_back({"SymbolicValid", load, {32, 64}, {}, {kSymbolic, 64}});
  load.valid = {};
  load.clamp = true;
  cases.push_back({"Clamped", load, {32, 64}, {}, {16, 64}});
  load = Plain({64, 64}, {32, 0}, {32, 64}, kVec);
  load.tensor_valid = {40, 64};
  cases.push_back({"TensorPartlyValid", load, {32, 64}, {}, {8, 64}});
  load.offsets = {48, 0};
  load.shapes = {16, 64};
  cases.push_back({"TensorInvalidThere", load, {16, 64}, {}, {0, 64}});
  return cases;
}

class LoadAccepted : public ::testing::TestWithParam<LoadCase> {};

TEST_P(LoadAccepted, DeducesTheTile) {
  OpTester t;
  const LoadCase& c = GetParam();
  TileView view = c.view.has_value()
                      ? *c.view
                      : ImplicitTileView(t.Shape(c.shape), c.load.target);
  view.valid_shape = t.Shape(c.valid);
  EXPECT_THAT(
      DeduceLoad(t, c.load),
      IsOkAndHolds(Eq(t.Tile(c.shape, c.load.dtype, c.load.target, view))));
}

INSTANTIATE_TEST_SUITE_P(Cases, LoadAccepted, ::testing::ValuesIn(LoadCases()),
                         [](const auto& info) { return info.param.name; });

struct RejectedLoad {
  std::string name;
  Load load;
  std::string rule;
  std::string fragment;
};

std::ostream& operator<<(std::ostream& out, const RejectedLoad& c) {
  return out << c.name;
}

std::vector<RejectedLoad> RejectedLoads() {
  const Load base = MxLoad(kA, {64, 4}, {0, 0}, {16, 2});
  const auto with = [&base](auto change) {
    Load load = base;
    change(load);
    return load;
  };
  const auto blocked = [](Ints offsets, Ints shapes, Ints valid = {}) {
    return MxLoad(kA, {1, 4, 2, 16, 2}, offsets, shapes, valid);
  };
  Load partly_valid = Plain({64, 64}, {0, 0}, {32, 64}, kVec);
  partly_valid.valid = {33, 64};
  Load negative_valid = partly_valid;
  negative_valid.valid = {-1, 64};
  Load clamped = Plain({64, 64}, {-16, 0}, {32, 64}, kVec);
  clamped.clamp = true;
  Load fp4 = Plain({64, 64}, {0, 0}, {32, 7}, kVec);
  fp4.dtype = DataType::kFP4;

  return {
      {"L4", with([](Load& l) { l.target = {}; }), "MX-LOAD-5",
       "target_memory=pl.Mem.Mat, got no target_memory"},
      {"L5", with([](Load& l) { l.target = kVec; }), "MX-LOAD-5", "pl.Mem.Vec"},
      {"L6", with([](Load& l) {
         l.offsets = {0};
         l.shapes = {16};
       }),
       "MX-LOAD-3", "2D load window"},
      {"L7", with([](Load& l) {
         l.tensor = {8, 8};
         l.stride = {16, 1};
       }),
       "MX-LOAD-4", "packed 2D"},
      {"L9_dtype", with([](Load& l) { l.dtype = kFP16; }), "MX-LOAD-1",
       "FP8E8M0 or UINT8, got FP16"},
      // Each of these breaks the rules after its own, too.
      {"L9_dtypeFirst", with([](Load& l) {
         l.dtype = kFP16;
         l.tensor = {4, 64, 4};
       }),
       "MX-LOAD-1", "FP16"},
      {"L9_tensorRank", with([](Load& l) {
         l.tensor = {4, 64, 4};
         l.shapes = {16};
       }),
       "MX-LOAD-2", "[4, 64, 4]"},
      {"L9_windowRank", with([](Load& l) {
         l.shapes = {16};
         l.valid = {16};
         l.stride = {16, 1};
       }),
       "MX-LOAD-3", "2D load window"},
      {"L9_validRank", with([](Load& l) {
         l.valid = {16};
         l.stride = {16, 1};
       }),
       "MX-LOAD-3", "2D valid_shape"},
      {"L9_stride", with([](Load& l) {
         l.stride = {16, 1};
         l.target = {};
       }),
       "MX-LOAD-4", "packed 2D"},
      {"L21_partOfABox", blocked({0, 0, 0, 0, 0}, {1, 1, 1, 8, 2}), "MX-LOAD-6",
       "[1, 1, 1, 8, 2]"},
      {"L21_partlyValid",
       blocked({0, 0, 0, 0, 0}, {1, 2, 1, 16, 2}, {1, 1, 1, 16, 2}),
       "MX-LOAD-6", "complete boxes"},
      {"L21_trailingOffset", blocked({0, 0, 0, 8, 0}, {1, 1, 1, 16, 2}),
       "MX-LOAD-7", "[0, 0, 0, 8, 0]"},
      {"L21_leadingOffset", blocked({1, 0, 0, 0, 0}, {1, 1, 1, 16, 2}),
       "MX-LOAD-7", "[1, 0, 0, 0, 0]"},
      {"L21_pastTheEnd", blocked({0, 3, 0, 0, 0}, {1, 2, 1, 16, 2}),
       "MX-LOAD-9", "offset 3 + extent 2 > size 4"},
      {"L21_lowerRank", blocked({0, 0}, {16, 2}), "MX-LOAD-6", "[16, 2]"},
      {"NotBlocked",
       MxLoad(kA, {1, 4, 2, 2, 16}, {0, 0, 0, 0, 0}, {1, 1, 1, 2, 16}),
       "MX-LOAD-2", "[1, 4, 2, 2, 16]"},
      {"OffsetRank", Plain({64, 64}, {0}, {32, 64}, kVec), "MX-LOAD-8",
       "one rank"},
      {"HigherRank", Plain({64, 64}, {0, 0, 0}, {1, 32, 64}, kVec), "MX-LOAD-8",
       "[1, 32, 64]"},
      {"EmptyWindow", Plain({64, 64}, {}, {}, kVec), "MX-LOAD-8", "[]"},
      {"PastTheEnd", Plain({64, 64}, {48, 0}, {32, 64}, kVec), "MX-LOAD-9",
       "offset 48 + extent 32 > size 64"},
      {"NegativeOffset", Plain({64, 64}, {-16, 0}, {32, 64}, kVec), "MX-LOAD-9",
       "got -16"},
      {"NegativeOffsetClamped", clamped, "MX-LOAD-9", "got -16"},
      {"ValidAboveWindow", partly_valid, "MX-LOAD-10", "[33, 64]"},
      {"NegativeValid", negative_valid, "MX-LOAD-10", "[-1, 64]"},
      {"ToLeft", Plain({64, 64}, {0, 0}, {32, 64}, kLeft), "MX-LOAD-11",
       "pl.Mem.Left"},
      {"OddFp4", fp4, "MX-OP-6", "positive even"},
      {"EmptyDim", Plain({64, 64}, {0, 0}, {0, 64}, kVec), "MX-OP-6",
       "positive, got 0"},
  };
}

class LoadRejected : public ::testing::TestWithParam<RejectedLoad> {};

TEST_P(LoadRejected, NamesRuleAndValues) {
  OpTester t;
  EXPECT_THAT(DeduceLoad(t, GetParam().load),
              BreaksRule(GetParam().rule, GetParam().fragment));
}

INSTANTIATE_TEST_SUITE_P(Cases, LoadRejected,
                         ::testing::ValuesIn(RejectedLoads()),
                         [](const auto& info) { return info.param.name; });

TEST(LoadTest, BlockedSymbolicWindowIsAProduct) {
  OpTester t;
  const Expr* n = t.Dim(kSymbolic);
  Context& context = t.context();
  TileType type;
  type.shape =
      context.ExprList({context.NewBinary(BinaryOp::kMul, n, context.Index(16)),
                        context.Index(2)});
  type.dtype = kE8M0;
  type.space = kMat;
  const TileView view = LeftScaleView();
  type.view = &view;
  EXPECT_THAT(DeduceLoad(t, MxLoad(kA, {1, 4, 2, 16, 2}, {0, 0, 0, 0, 0},
                                   {1, kSymbolic, 1, 16, 2})),
              IsOkAndHolds(Eq(context.GetTileType(type))));
}

TEST(LoadTest, HugeBlockedWindowStaysSymbolic) {
  OpTester t;
  const int64_t huge = int64_t{1} << 61;
  MX_EXPECT_OK(DeduceLoad(t, MxLoad(kA, {1, huge, 1, 16, 2}, {0, 0, 0, 0, 0},
                                    {1, huge, 1, 16, 2})));
}

// As after a pass that makes all tiles two-dimensional.
TEST(LoadTest, AStatedTileOfRowsFlattensTheWindow) {
  OpTester t;
  const OpDef* load = t.context().registry().Find("tile.load");
  const std::vector<const Expr*> args = {t.Value(t.Tensor({2, 3, 4}, kFP32)),
                                         t.List({0, 0, 0}), t.List({2, 3, 4})};
  const std::vector<Attr> kwargs = {Target(kVec)};
  const TileType* flat = t.Tile({6, 4}, kFP32, kVec);
  EXPECT_THAT(load->deduce({load, args, kwargs, flat}, t.context()),
              IsOkAndHolds(Eq(flat)));
  EXPECT_THAT(load->deduce({load, args, kwargs}, t.context()),
              IsOkAndHolds(Eq(t.Tile({2, 3, 4}, kFP32, kVec))));
}

TEST(LoadTest, ShortFormFillsTargetAndValidShape) {
  OpTester t;
  const OpDef* load = StandardOps().FindShort("load");
  for (const TensorLayout layout : {kND, kA}) {
    std::vector<const Expr*> args = {t.Value(t.Tensor({64, 4}, kE8M0, layout)),
                                     t.List({0, 0}), t.List({16, 2})};
    std::vector<Attr> kwargs;
    load->fill_defaults(args, kwargs, t.context());
    ASSERT_EQ(args.size(), 4);
    EXPECT_EQ(args[3], args[2]);
    ASSERT_EQ(kwargs.size(), 1);
    EXPECT_EQ(kwargs[0].name, "target_memory");
    EXPECT_EQ(kwargs[0].value.text, layout == kND ? "Vec" : "Mat");
  }
}

TEST(LoadTest, ShortFormKeepsWhatIsWritten) {
  OpTester t;
  std::vector<const Expr*> args = {t.Value(t.Tensor({64, 4}, kE8M0, kA)),
                                   t.List({0, 0}), t.List({16, 2}),
                                   t.List({8, 2})};
  const std::vector<const Expr*> written = args;
  std::vector<Attr> kwargs = {Target(kVec)};
  StandardOps().FindShort("load")->fill_defaults(args, kwargs, t.context());
  EXPECT_EQ(args, written);
  ASSERT_EQ(kwargs.size(), 1);
  EXPECT_EQ(kwargs[0].value.text, "Vec");
}

// ---- tile.store

class StoreTest : public ::testing::Test {
 protected:
  const TensorType* Output(const Ints& shape, const Ints& valid) {
    TensorView view;
    view.valid_shape = t_.Shape(valid);
    return t_.Tensor(shape, kFP32, view);
  }
  const TileType* PartOf(const Ints& shape, const Ints& valid) {
    return t_.Tile(shape, kFP32, kVec, t_.ValidView(shape, kVec, valid));
  }
  absl::StatusOr<const Type*> Store(const TileType* tile, const Ints& offsets,
                                    const TensorType* tensor,
                                    const std::vector<Attr>& kwargs = {}) {
    return t_.Deduce("tile.store",
                     {t_.Value(tile), t_.List(offsets), t_.Value(tensor)},
                     kwargs);
  }

  OpTester t_;
};

TEST_F(StoreTest, HasTheTypeOfTheTensor) {
  const TensorType* out = t_.Tensor({64, 64}, kFP32);
  EXPECT_THAT(Store(t_.Tile({16, 64}, kFP32, kAcc), {16, 0}, out),
              IsOkAndHolds(Eq(out)));
  EXPECT_THAT(Store(t_.Tile({16, 64}, kFP32), {kSymbolic, 0}, out),
              IsOkAndHolds(Eq(out)));
}

TEST_F(StoreTest, ShapesSayHowAnotherShapeIsWritten) {
  const TensorType* out = t_.Tensor({2, 8, 64}, kFP32);
  const Expr* tile = t_.Value(t_.Tile({16, 64}, kFP32, kVec));
  EXPECT_THAT(t_.Deduce("tile.store", {tile, t_.List({0, 0, 0}), t_.Value(out),
                                       t_.List({2, 8, 64})}),
              IsOkAndHolds(Eq(out)));
  EXPECT_THAT(t_.Deduce("tile.store", {tile, t_.List({0, 0, 0}), t_.Value(out),
                                       t_.List({16, 64})}),
              BreaksRule("MX-STORE-1", "[16, 64] and [0, 0, 0]"));
}

TEST_F(StoreTest, WritesInsideTheTensor) {
  const TensorType* out = t_.Tensor({64, 64}, kFP32);
  EXPECT_THAT(Store(t_.Tile({16, 64}, kFP32, kVec), {56, 0}, out),
              BreaksRule("MX-STORE-2", "offset 56 + extent 16 > size 64"));
  EXPECT_THAT(Store(t_.Tile({16, 64}, kFP32, kVec), {-8, 0}, out),
              BreaksRule("MX-STORE-2", "got -8"));
  EXPECT_THAT(Store(PartOf({16, 64}, {8, 64}), {56, 0}, out),
              IsOkAndHolds(Eq(out)));
}

TEST_F(StoreTest, ValidPartGrowsByWhatIsWritten) {
  EXPECT_THAT(Store(t_.Tile({16, 64}, kFP32, kVec), {16, 0},
                    Output({64, 64}, {16, 64})),
              IsOkAndHolds(Eq(Output({64, 64}, {32, 64}))));
  EXPECT_THAT(Store(t_.Tile({48, 64}, kFP32, kVec), {16, 0},
                    Output({64, 64}, {16, 64})),
              IsOkAndHolds(Eq(t_.Tensor({64, 64}, kFP32))));
}

TEST_F(StoreTest, WhatIsWrittenWhollyIsAllValid) {
  EXPECT_THAT(Store(t_.Tile({64, 64}, kFP32, kVec), {0, 0},
                    Output({64, 64}, {kSymbolic, 64})),
              IsOkAndHolds(Eq(t_.Tensor({64, 64}, kFP32))));
}

TEST_F(StoreTest, ValidPartMustStayARectangle) {
  EXPECT_THAT(Store(t_.Tile({16, 32}, kFP32, kVec), {16, 0},
                    Output({64, 64}, {16, 64})),
              BreaksRule("MX-STORE-3", "next to the valid [16, 64]"));
}

TEST_F(StoreTest, MxTensorsAreLeftToTheBlockingPass) {
  const TensorType* out = t_.Tensor({64, 4}, kE8M0, kA);
  EXPECT_THAT(
      Store(t_.Tile({16, 2}, kE8M0, kVec, LeftScaleView()), {-16, 0}, out),
      IsOkAndHolds(Eq(out)));
}

TEST_F(StoreTest, AtomicAddHasItsTypes) {
  const Attr add = {"atomic", AttrValue::Enum("AtomicType", "Add")};
  const TensorType* out = t_.Tensor({64, 64}, kFP32);
  EXPECT_THAT(Store(t_.Tile({16, 64}, kFP32, kVec), {0, 0}, out, {add}),
              IsOkAndHolds(Eq(out)));
  EXPECT_THAT(Store(t_.Tile({16, 64}, kUInt8, kVec), {0, 0}, out, {add}),
              BreaksRule("MX-STORE-4", "UINT8"));
  EXPECT_THAT(Store(t_.Tile({16, 64}, kUInt8, kVec), {0, 0}, out,
                    {{"atomic", AttrValue::Int(0)}}),
              IsOkAndHolds(Eq(out)));
  EXPECT_THAT(Store(t_.Tile({16, 64}, kUInt8, kVec), {0, 0}, out,
                    {{"atomic", AttrValue::Int(2)}}),
              BreaksRule("MX-OP-4", "one of None_, Add"));
}

// ---- tile.move

class MoveTest : public ::testing::Test {
 protected:
  absl::StatusOr<const Type*> Move(const TileType* tile,
                                   const std::vector<Attr>& kwargs) {
    return t_.Deduce("tile.move", {t_.Value(tile)}, kwargs);
  }

  OpTester t_;
};

TEST_F(MoveTest, L10_ScalesToLeftScale) {
  EXPECT_THAT(
      Move(t_.Tile({16, 8}, kUInt8, kMat, LeftScaleView()),
           {Target(kLeftScale)}),
      IsOkAndHolds(Eq(t_.Tile({16, 8}, kE8M0, kLeftScale, LeftScaleView()))));
}

TEST_F(MoveTest, L11_ScalesToRightScale) {
  EXPECT_THAT(
      Move(t_.Tile({8, 16}, kUInt8, kMat, RightScaleView()),
           {Target(kRightScale)}),
      IsOkAndHolds(Eq(t_.Tile({8, 16}, kE8M0, kRightScale, RightScaleView()))));
}

TEST_F(MoveTest, L10_L11_ScalesThatAreE8m0Already) {
  EXPECT_THAT(
      Move(t_.Tile({16, 8}, kE8M0, kMat, LeftScaleView()),
           {Target(kLeftScale)}),
      IsOkAndHolds(Eq(t_.Tile({16, 8}, kE8M0, kLeftScale, LeftScaleView()))));
  EXPECT_THAT(
      Move(t_.Tile({8, 16}, kE8M0, kMat, RightScaleView()),
           {Target(kRightScale)}),
      IsOkAndHolds(Eq(t_.Tile({8, 16}, kE8M0, kRightScale, RightScaleView()))));
}

TEST_F(MoveTest, L12_ScaleTypes) {
  EXPECT_THAT(Move(t_.Tile({16, 8}, kFP16, kMat, LeftScaleView()),
                   {Target(kLeftScale)}),
              BreaksRule("MX-MOVE-4", "UINT8 or FP8E8M0"));
}

TEST_F(MoveTest, L13_ScalesComeFromMat) {
  EXPECT_THAT(Move(t_.Tile({16, 8}, kE8M0, kVec, LeftScaleView()),
                   {Target(kLeftScale)}),
              BreaksRule("MX-MOVE-3", "Mat memory"));
  EXPECT_THAT(
      Move(t_.Tile({16, 8}, kE8M0, {}, LeftScaleView()), {Target(kLeftScale)}),
      BreaksRule("MX-MOVE-3", "no memory space yet"));
}

TEST_F(MoveTest, L14_ScalesAre2D) {
  EXPECT_THAT(Move(t_.Tile({16}, kE8M0, kMat), {Target(kRightScale)}),
              BreaksRule("MX-MOVE-2", "2D tile"));
}

TEST_F(MoveTest, L15_ScaleLayouts) {
  EXPECT_THAT(
      Move(t_.Tile({16, 8}, kE8M0, kMat, RightScaleView()),
           {Target(kLeftScale)}),
      BreaksRule("MX-MOVE-5", "matching row_major/row_major/32 layout"));
  EXPECT_THAT(
      Move(t_.Tile({16, 8}, kE8M0, kMat, LeftScaleView()),
           {Target(kRightScale)}),
      BreaksRule("MX-MOVE-5", "matching col_major/col_major/32 layout"));
  EXPECT_THAT(Move(t_.Tile({16, 8}, kE8M0, kMat, LayoutView(kRow, kRow, 512)),
                   {Target(kLeftScale)}),
              BreaksRule("MX-MOVE-5", "got row_major/row_major/512"));
}

TEST_F(MoveTest, L16_ScaleLayoutsAreFixed) {
  const TileType* scale = t_.Tile({16, 8}, kE8M0, kMat, LeftScaleView());
  EXPECT_THAT(
      Move(scale, {Target(kLeftScale), {"blayout", AttrValue::Of(kCol)}}),
      BreaksRule("MX-MOVE-1", "hardware-fixed layout"));
  EXPECT_THAT(
      Move(scale, {Target(kLeftScale), {"slayout", AttrValue::Of(kFlat)}}),
      BreaksRule("MX-MOVE-1", "hardware-fixed layout"));
}

TEST_F(MoveTest, BoxedDestinationsDictateTheLayout) {
  const TileType* mat = t_.Tile({16, 64}, kFP16, kMat);
  for (const MemorySpace space : {kLeft, kRight, kMat, kAcc}) {
    EXPECT_THAT(Move(mat, {Target(space)}),
                IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP16, space))));
  }
}

TEST_F(MoveTest, RightIsRowMajorForColumnsToo) {
  EXPECT_THAT(Move(t_.Tile({64, 1}, kFP16, kMat), {Target(kRight)}),
              IsOkAndHolds(Eq(t_.Tile({64, 1}, kFP16, kRight,
                                      LayoutView(kRow, kCol, 512)))));
}

TEST_F(MoveTest, FlatDestinationsKeepTheLayoutButNotTheFractal) {
  EXPECT_THAT(Move(t_.Tile({16, 64}, kFP32, kAcc), {Target(kVec)}),
              IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP32, kVec,
                                      LayoutView(kCol, kRow, 512)))));
}

TEST_F(MoveTest, KwargsOverrideTheLayout) {
  EXPECT_THAT(
      Move(t_.Tile({16, 64}, kFP32, kAcc), {Target(kVec),
                                            {"blayout", AttrValue::Of(kRow)},
                                            {"slayout", AttrValue::Of(kFlat)}}),
      IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP32, kVec))));
}

TEST_F(MoveTest, WithoutTargetToVec) {
  EXPECT_THAT(Move(t_.Tile({16, 64}, kFP32, kVec), {}),
              IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP32, kVec))));
}

TEST_F(MoveTest, KeepsValidShapeAndPadOnly) {
  TileView view = t_.ValidView({16, 64}, kMat, {8, 64});
  view.pad = PadValue::kZero;
  view.stride = t_.Shape({128, 1});
  view.start_offset = t_.Dim(4);
  view.compact = CompactMode::kNormal;
  TileView moved = t_.ValidView({16, 64}, kLeft, {8, 64});
  moved.pad = PadValue::kZero;
  EXPECT_THAT(Move(t_.Tile({16, 64}, kFP16, kMat, view), {Target(kLeft)}),
              IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP16, kLeft, moved))));
}

// ---- tile.create

class CreateTest : public ::testing::Test {
 protected:
  absl::StatusOr<const Type*> Create(const Ints& shape,
                                     std::vector<Attr> kwargs,
                                     DataType dtype = kFP16) {
    kwargs.push_back({"dtype", AttrValue::Of(dtype)});
    return t_.Deduce("tile.create", {t_.List(shape)}, kwargs);
  }

  OpTester t_;
  const Attr transpose_ = {"transpose", AttrValue::Bool(true)};
  const Attr flat_ = {"flat_layout", AttrValue::Bool(true)};
};

TEST_F(CreateTest, HasTheLayoutOfItsSpace) {
  EXPECT_THAT(Create({16, 64}, {}), IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP16))));
  for (const MemorySpace space : {kVec, kMat, kLeft, kRight, kAcc}) {
    EXPECT_THAT(Create({16, 64}, {Target(space)}),
                IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP16, space))));
  }
}

TEST_F(CreateTest, TransposedAndFlatMatTiles) {
  EXPECT_THAT(Create({16, 64}, {Target(kMat), transpose_}),
              IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP16, kMat,
                                      LayoutView(kRow, kCol, 512)))));
  EXPECT_THAT(Create({16, 64}, {Target(kMat), flat_}),
              IsOkAndHolds(Eq(t_.Tile({16, 64}, kFP16, kMat,
                                      LayoutView(kRow, kFlat, 512)))));
}

TEST_F(CreateTest, L17_NoScaleTiles) {
  for (const MemorySpace space : {kLeftScale, kRightScale}) {
    EXPECT_THAT(Create({16, 2}, {Target(space)}, kE8M0),
                BreaksRule("MX-CREATE-1", "does not support target_memory"));
  }
}

TEST_F(CreateTest, LayoutKwargsAreForMat) {
  EXPECT_THAT(Create({16, 64}, {Target(kVec), transpose_}),
              BreaksRule("MX-CREATE-2", "pl.Mem.Vec"));
  EXPECT_THAT(Create({2, 16, 64}, {Target(kMat), transpose_}),
              BreaksRule("MX-CREATE-2", "[2, 16, 64]"));
  EXPECT_THAT(Create({16, 64}, {flat_}),
              BreaksRule("MX-CREATE-3", "no memory space yet"));
  EXPECT_THAT(Create({16, 64}, {Target(kMat), transpose_, flat_}),
              BreaksRule("MX-CREATE-3", "without transpose"));
}

TEST_F(CreateTest, ShapeIsConstantAndPositive) {
  EXPECT_THAT(Create({kSymbolic, 64}, {}),
              BreaksRule("MX-CREATE-4", "[n, 64]"));
  EXPECT_THAT(Create({}, {}), BreaksRule("MX-CREATE-4", "[]"));
  EXPECT_THAT(Create({16, 0}, {}), BreaksRule("MX-OP-6", "positive, got 0"));
}

TEST_F(CreateTest, ShortFormFillsVec) {
  std::vector<const Expr*> args = {t_.List({16, 64})};
  std::vector<Attr> kwargs;
  StandardOps()
      .FindShort("create_tile")
      ->fill_defaults(args, kwargs, t_.context());
  ASSERT_EQ(kwargs.size(), 1);
  EXPECT_EQ(kwargs[0].value.text, "Vec");
}

// ---- tile.cast, tile.alloc, block index and count

TEST(CastTest, KeepsShapeAndValidShapeInVec) {
  OpTester t;
  const Attr to_fp16 = {"target_type", AttrValue::Of(kFP16)};
  EXPECT_THAT(t.Deduce("tile.cast",
                       {t.Value(t.Tile({16, 64}, kFP32, kAcc,
                                       t.ValidView({16, 64}, kAcc, {8, 64})))},
                       {to_fp16, {"mode", AttrValue::String("rint")}}),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kFP16, kVec,
                                     t.ValidView({16, 64}, kVec, {8, 64})))));
  EXPECT_THAT(
      t.Deduce("tile.cast", {t.Value(t.Tile({16, 64}, kFP16))}, {to_fp16}),
      BreaksRule("MX-CAST-1", "FP16"));
  EXPECT_THAT(t.Deduce("tile.cast", {t.Value(t.Tile({16, 64}, kFP32))},
                       {to_fp16, {"mode", AttrValue::String("up")}}),
              BreaksRule("MX-OP-4", "none, rint, round"));
}

TEST(CastTest, ColumnVectorKeepsItsLayout) {
  OpTester t;
  EXPECT_THAT(
      t.Deduce(
          "tile.cast",
          {t.Value(t.Tile({16, 1}, kFP32, kVec, LayoutView(kRow, kFlat, 512)))},
          {{"target_type", AttrValue::Of(kFP16)}}),
      IsOkAndHolds(
          Eq(t.Tile({16, 1}, kFP16, kVec, LayoutView(kRow, kFlat, 512)))));
}

TEST(AllocTest, IsAPointer) {
  OpTester t;
  EXPECT_THAT(t.Deduce("tile.alloc", {t.Dim(1), t.Dim(2048)}),
              IsOkAndHolds(Eq(t.context().GetMarkerType(TypeKind::kPtr))));
  EXPECT_THAT(t.Deduce("tile.alloc", {t.Dim(10), t.Dim(2048)}),
              BreaksRule("MX-OP-2", "memory_space must be a memory space"));
  EXPECT_THAT(t.Deduce("tile.alloc", {t.Dim(1), t.Dim(-1)}),
              BreaksRule("MX-ALLOC-1", "got -1"));
}

TEST(BlockQueryTest, AreIndices) {
  OpTester t;
  for (const char* op : {"tile.get_block_idx", "tile.get_block_num"}) {
    EXPECT_THAT(t.Deduce(op, {}), IsOkAndHolds(Eq(t.context().IndexType())));
    EXPECT_THAT(t.Deduce(op, {t.Dim(0)}),
                BreaksRule("MX-OP-1", "takes 0 arguments (none), got 1"));
  }
}

}  // namespace
}  // namespace mxtile::ir
