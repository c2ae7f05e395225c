#include "ir/ops/cross_core_ops.h"

#include <optional>
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

constexpr auto kMat = MemorySpace::kMat;

Attr Split(int split) { return {"split", AttrValue::Int(split)}; }

TEST(PushPopTest, APopHasTheTypeThatItNames) {
  OpTester t;
  AttrValue shape;
  shape.kind = AttrValue::Kind::kList;
  const AttrValue dims[] = {AttrValue::Int(16), AttrValue::Int(64)};
  shape.list = dims;
  const std::vector<Attr> kwargs = {
      {"shape", shape}, {"dtype", AttrValue::Of(kFP32)}, Split(0)};
  EXPECT_THAT(t.Deduce("tile.tpop_from_aic", {}, kwargs),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kVec))));
  EXPECT_THAT(t.Deduce("tile.tpop_from_aiv", {}, kwargs),
              IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, kMat))));
}

TEST(PushPopTest, OrTheOneThatTheTextStates) {
  OpTester t;
  const Type* type = t.Tile({16, 64}, kFP32, kVec);
  const OpDef* pop = StandardOps().Find("tile.tpop_from_aic");
  EXPECT_THAT(pop->deduce({pop, {}, {}, type}, t.context()),
              IsOkAndHolds(Eq(type)));
  EXPECT_THAT(t.Deduce("tile.tpop_from_aic", {}),
              IsOkAndHolds(Eq(t.context().GetMarkerType(TypeKind::kUnknown))));
}

TEST(PushPopTest, APushGivesNothing) {
  OpTester t;
  EXPECT_THAT(t.Deduce("tile.tpush_to_aic",
                       {t.Value(t.Tile({16, 64}, kFP32, kVec))}, {Split(1)}),
              IsOkAndHolds(Eq(t.context().GetMarkerType(TypeKind::kUnknown))));
  EXPECT_TRUE(StandardOps().Find("tile.tpush_to_aic")->has_effect);
}

TEST(SplitTest, HalvesRowsOrColumns) {
  OpTester t;
  const Expr* tile = t.Value(
      t.Tile({33, 64}, kFP32, kMat, t.ValidView({33, 64}, kMat, {31, 64})));
  const auto half = [&](const Ints& shape, const Ints& valid) {
    return t.Tile(shape, kFP32, kVec, t.ValidView(shape, kVec, valid));
  };
  EXPECT_THAT(t.Deduce("tile.aiv_shard", {tile}, {Split(0)}),
              IsOkAndHolds(Eq(half({33, 64}, {31, 64}))));
  for (const int rows : {1, 3}) {
    EXPECT_THAT(t.Deduce("tile.aiv_shard", {tile}, {Split(rows)}),
                IsOkAndHolds(Eq(half({17, 64}, {16, 64}))));
  }
  for (const int cols : {2, 4}) {
    EXPECT_THAT(t.Deduce("tile.aiv_shard", {tile}, {Split(cols)}),
                IsOkAndHolds(Eq(half({33, 32}, {31, 32}))));
  }
  EXPECT_THAT(t.Deduce("tile.aiv_shard", {tile}, {Split(5)}),
              BreaksRule("MX-TILE-13", "from 0 to 4, got 5"));
}

TEST(SplitTest, GathersToTheWhole) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile({16, 64}, kFP32, kVec));
  EXPECT_THAT(t.Deduce("tile.aic_gather", {tile}, {Split(1)}),
              IsOkAndHolds(Eq(t.Tile({32, 64}, kFP32, kMat))));
}

TEST(RemoteTest, ALoadIsAWindow) {
  OpTester t;
  const Expr* target = t.Value(t.Tensor({64, 64}, kFP32));
  EXPECT_THAT(
      t.Deduce("pld.tile.remote_load", {target, t.Dim(1), t.List({0, 0}),
                                        t.List({16, 64}), t.List({9, 64})}),
      IsOkAndHolds(Eq(t.Tile({16, 64}, kFP32, std::nullopt,
                             t.ValidView({16, 64}, std::nullopt, {9, 64})))));
  EXPECT_THAT(t.Deduce("pld.tile.remote_load",
                       {target, t.Dim(1), t.List({0}), t.List({16, 64})}),
              BreaksRule("MX-TILE-4", "must have the rank of [64, 64]"));
  EXPECT_THAT(
      t.Deduce("pld.tile.remote_load",
               {target, t.Dim(1), t.List({0, 0}), t.List({kSymbolic, 64})}),
      BreaksRule("MX-TILE-5", "[n, 64]"));
}

}  // namespace
}  // namespace mxtile::ir
