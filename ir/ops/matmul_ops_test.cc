#include "ir/ops/matmul_ops.h"

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

constexpr DataType kBF16 = DataType::kBF16;
constexpr DataType kFP32 = DataType::kFP32;
constexpr MemorySpace kAcc = MemorySpace::kAcc;

class MatmulTest : public ::testing::Test {
 protected:
  const Expr* Operand(const Ints& shape, DataType dtype, Ints valid = {}) {
    if (valid.empty()) valid = shape;
    return t_.Value(
        t_.Tile(shape, dtype, std::nullopt, t_.ValidView(shape, {}, valid)));
  }

  OpTester t_;
  const Expr* lhs_ = Operand({16, 64}, kBF16);
  const Expr* rhs_ = Operand({64, 48}, kBF16);
};

TEST_F(MatmulTest, FloatsGiveFp32AndIntegersInt32) {
  EXPECT_THAT(t_.Deduce("tile.matmul", {lhs_, rhs_}),
              IsOkAndHolds(Eq(t_.Tile({16, 48}, kFP32, kAcc))));
  EXPECT_THAT(t_.Deduce("tile.matmul", {Operand({16, 64}, DataType::kInt8),
                                        Operand({64, 48}, DataType::kInt8)}),
              IsOkAndHolds(Eq(t_.Tile({16, 48}, DataType::kInt32, kAcc))));
  EXPECT_THAT(
      t_.Deduce("tile.matmul", {lhs_, Operand({64, 48}, DataType::kFP16)}),
      BreaksRule("MX-MATMUL-12", "BF16 and FP16"));
}

TEST_F(MatmulTest, NarrowRowsAreCompact) {
  TileView view = t_.ValidView({16, 48}, kAcc, {8, 40});
  view.compact = CompactMode::kNormal;
  EXPECT_THAT(t_.Deduce("tile.matmul", {Operand({16, 64}, kBF16, {8, 64}),
                                        Operand({64, 48}, kBF16, {64, 40})}),
              IsOkAndHolds(Eq(t_.Tile({16, 48}, kFP32, kAcc, view))));
}

TEST_F(MatmulTest, KAgrees) {
  EXPECT_THAT(t_.Deduce("tile.matmul", {lhs_, Operand({32, 48}, kBF16)}),
              BreaksRule("MX-MATMUL-4", "lhs K=64 and rhs K=32"));
  const Expr* narrow = Operand({64, 48}, kBF16, {40, 48});
  EXPECT_THAT(t_.Deduce("tile.matmul", {lhs_, narrow}),
              BreaksRule("MX-MATMUL-5", "rhs valid K=64 or more needed"));
  MX_EXPECT_OK(
      t_.Deduce("tile.matmul", {Operand({16, 64}, kBF16, {16, 32}), narrow}));
}

TEST_F(MatmulTest, AccIsTheResult) {
  const Type* acc = t_.Tile({16, 48}, kFP32, kAcc);
  EXPECT_THAT(t_.Deduce("tile.matmul_acc", {t_.Value(acc), lhs_, rhs_}),
              IsOkAndHolds(Eq(acc)));
  EXPECT_THAT(
      t_.Deduce("tile.matmul_acc", {t_.Value(t_.Tile({16, 48}, kFP32)), lhs_,
                                    rhs_, t_.context().Bool(true)}),
      IsOkAndHolds(Eq(acc)));
  EXPECT_THAT(
      t_.Deduce("tile.matmul_acc", {t_.Value(acc), lhs_, rhs_, t_.Dim(1)}),
      BreaksRule("MX-OP-2", "init_cond must be a BOOL scalar"));
}

TEST_F(MatmulTest, AccCoversTheProduct) {
  const Expr* lhs = Operand({16, 64}, kBF16, {8, 64});
  MX_EXPECT_OK(
      t_.Deduce("tile.matmul_acc", {Operand({16, 48}, kFP32), lhs, rhs_}));
  EXPECT_THAT(t_.Deduce("tile.matmul_acc",
                        {Operand({16, 48}, kFP32, {4, 48}), lhs, rhs_}),
              BreaksRule("MX-MATMUL-9", "acc valid rows=8 or more"));
  EXPECT_THAT(
      t_.Deduce("tile.matmul_acc", {Operand({32, 48}, kFP32), lhs, rhs_}),
      BreaksRule("MX-MATMUL-9", "acc physical rows=16"));
  EXPECT_THAT(
      t_.Deduce("tile.matmul_acc", {Operand({16, 48}, kBF16), lhs, rhs_}),
      BreaksRule("MX-MATMUL-9", "acc dtype FP32"));
}

TEST_F(MatmulTest, BiasIsOneRow) {
  EXPECT_THAT(
      t_.Deduce("tile.matmul_bias", {lhs_, rhs_, Operand({1, 48}, kFP32)}),
      IsOkAndHolds(Eq(t_.Tile({16, 48}, kFP32, kAcc))));
  EXPECT_THAT(
      t_.Deduce("tile.matmul_bias", {lhs_, rhs_, Operand({2, 48}, kFP32)}),
      BreaksRule("MX-MATMUL-10", "bias physical rows=1"));
  EXPECT_THAT(t_.Deduce("tile.matmul_bias",
                        {lhs_, rhs_, Operand({1, 48}, kFP32, {1, 40})}),
              BreaksRule("MX-MATMUL-10", "bias valid cols=48 or more"));
}

TEST_F(MatmulTest, KeywordsForTensorsPassWhenTheyChangeNothing) {
  const OpDef* matmul = t_.context().registry().Find("tile.matmul");
  std::vector<const Expr*> args = {lhs_, rhs_};
  std::vector<Attr> kwargs = {{"out_dtype", AttrValue::Of(DataType::kFP32)},
                              {"b_trans", AttrValue::Bool(false)}};
  matmul->fill_defaults(args, kwargs, t_.context());
  EXPECT_THAT(kwargs, ::testing::IsEmpty());
  kwargs = {{"out_dtype", AttrValue::Of(DataType::kFP16)},
            {"b_trans", AttrValue::Bool(true)}};
  matmul->fill_defaults(args, kwargs, t_.context());
  EXPECT_EQ(kwargs.size(), 2);
}

}  // namespace
}  // namespace mxtile::ir
