#include "ir/ops/gemv_ops.h"

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

constexpr auto kFP32 = DataType::kFP32;
constexpr auto kInt32 = DataType::kInt32;

constexpr auto kAcc = MemorySpace::kAcc;
constexpr auto kFP16 = DataType::kFP16;

TEST(GemvTest, OneValidRowOfABox) {
  OpTester t;
  const Expr* lhs = t.Value(t.Tile({1, 64}, kFP16, MemorySpace::kLeft));
  const Expr* rhs = t.Value(t.Tile({64, 32}, kFP16, MemorySpace::kRight));
  const Expr* bias = t.Value(t.Tile({1, 32}, kFP32, MemorySpace::kBias));
  const Type* result =
      t.Tile({16, 32}, kFP32, kAcc, t.ValidView({16, 32}, kAcc, {1, 32}));
  EXPECT_THAT(t.Deduce("tile.gemv", {lhs, rhs}), IsOkAndHolds(Eq(result)));
  EXPECT_THAT(t.Deduce("tile.gemv_acc", {t.Value(result), lhs, rhs},
                       {{"acc_phase", AttrValue::String("final")}}),
              IsOkAndHolds(Eq(result)));
  EXPECT_THAT(t.Deduce("tile.gemv_bias", {lhs, rhs, bias}),
              IsOkAndHolds(Eq(result)));
}

TEST(GemvTest, Rules) {
  OpTester t;
  const Expr* lhs = t.Value(t.Tile({1, 64}, kFP16));
  const Expr* rhs = t.Value(t.Tile({64, 32}, kFP16));
  EXPECT_THAT(t.Deduce("tile.gemv", {rhs, rhs}),
              BreaksRule("MX-MATMUL-4", "lhs K=32 and rhs K=64"));
  EXPECT_THAT(t.Deduce("tile.gemv", {t.Value(t.Tile({2, 64}, kFP16)), rhs}),
              BreaksRule("MX-TILE-4", "lhs must be one row"));
  EXPECT_THAT(t.Deduce("tile.gemv", {lhs, t.Value(t.Tile({64, 32}, kFP32))}),
              BreaksRule("MX-TILE-3", "FP16 and FP32"));
  EXPECT_THAT(
      t.Deduce("tile.gemv_acc", {t.Value(t.Tile({1, 32}, kFP32)), lhs, rhs}),
      BreaksRule("MX-MATMUL-9", "acc physical rows=16"));
}

TEST(BatchMatmulTest, LeadingDimsBroadcast) {
  OpTester t;
  const Expr* lhs = t.Value(t.Tile({4, 1, 16, 64}, kFP16));
  const Expr* rhs = t.Value(t.Tile({3, 64, 32}, kFP16));
  const Type* result = t.Tile({4, 3, 16, 32}, kFP32, kAcc);
  EXPECT_THAT(t.Deduce("tile.batch_matmul", {lhs, rhs}),
              IsOkAndHolds(Eq(result)));
  EXPECT_THAT(t.Deduce("tile.batch_matmul_acc", {t.Value(result), lhs, rhs}),
              IsOkAndHolds(Eq(result)));
  const Expr* bytes = t.Value(t.Tile({16, 64}, DataType::kInt8));
  EXPECT_THAT(t.Deduce("tile.batch_matmul",
                       {bytes, t.Value(t.Tile({64, 32}, DataType::kInt8))}),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kInt32, kAcc))));
}

TEST(BatchMatmulTest, Rules) {
  OpTester t;
  const Expr* lhs = t.Value(t.Tile({4, 16, 64}, kFP16));
  const Expr* rhs = t.Value(t.Tile({4, 64, 32}, kFP16));
  EXPECT_THAT(t.Deduce("tile.batch_matmul", {lhs, lhs}),
              BreaksRule("MX-MATMUL-4", "lhs [4, 16, 64] and rhs [4, 16, 64]"));
  EXPECT_THAT(
      t.Deduce("tile.batch_matmul", {lhs, t.Value(t.Tile({3, 64, 32}, kFP16))}),
      BreaksRule("MX-TILE-1", "do not broadcast"));
  EXPECT_THAT(t.Deduce("tile.batch_matmul_acc",
                       {t.Value(t.Tile({4, 16, 16}, kFP32)), lhs, rhs}),
              BreaksRule("MX-MATMUL-9", "[4, 16, 32], got [4, 16, 16]"));
  EXPECT_THAT(
      t.Deduce("tile.batch_matmul", {lhs, t.Value(t.Tile({64}, kFP16))}),
      BreaksRule("MX-TILE-4", "rhs must have rank 2 or more"));
}

}  // namespace
}  // namespace mxtile::ir
