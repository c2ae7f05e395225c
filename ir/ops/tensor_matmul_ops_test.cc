#include "ir/ops/tensor_matmul_ops.h"

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
constexpr DataType kInt8 = DataType::kInt8;
constexpr DataType kInt32 = DataType::kInt32;

class TensorMatmulTest : public ::testing::Test {
 protected:
  absl::StatusOr<const Type*> Matmul(const Ints& lhs, const Ints& rhs,
                                     const std::vector<Attr>& kwargs = {}) {
    return t_.Deduce(
        "tensor.matmul",
        {t_.Value(t_.Tensor(lhs, kBF16)), t_.Value(t_.Tensor(rhs, kBF16))},
        kwargs);
  }
  absl::StatusOr<const Type*> Accumulate(const Type* acc, const Type* lhs,
                                         const Type* rhs) {
    return t_.Deduce("tensor.matmul_acc",
                     {t_.Value(acc), t_.Value(lhs), t_.Value(rhs)});
  }
  const TensorType* Result(const Ints& shape) {
    return t_.Tensor(shape, kBF16);
  }

  const Attr a_trans_ = {"a_trans", AttrValue::Bool(true)};
  const Attr b_trans_ = {"b_trans", AttrValue::Bool(true)};
  OpTester t_;
};

TEST_F(TensorMatmulTest, Matrices) {
  EXPECT_THAT(Matmul({16, 64}, {64, 32}), IsOkAndHolds(Eq(Result({16, 32}))));
  EXPECT_THAT(Matmul({64, 16}, {64, 32}, {a_trans_}),
              IsOkAndHolds(Eq(Result({16, 32}))));
  EXPECT_THAT(Matmul({16, 64}, {32, 64}, {b_trans_}),
              IsOkAndHolds(Eq(Result({16, 32}))));
  EXPECT_THAT(Matmul({16, 64}, {64, 32}, {{"out_dtype", AttrValue::Of(kFP32)}}),
              IsOkAndHolds(Eq(t_.Tensor({16, 32}, kFP32))));
  EXPECT_THAT(Matmul({16, 64}, {32, 32}),
              BreaksRule("MX-TENSOR-1", "lhs K must equal rhs K"));
}

TEST_F(TensorMatmulTest, VectorsAndBatches) {
  EXPECT_THAT(Matmul({64}, {64}), IsOkAndHolds(Eq(Result({}))));
  EXPECT_THAT(Matmul({16, 64}, {64}), IsOkAndHolds(Eq(Result({16}))));
  EXPECT_THAT(Matmul({64}, {64, 32}), IsOkAndHolds(Eq(Result({32}))));
  EXPECT_THAT(Matmul({4, 1, 16, 64}, {3, 64, 32}),
              IsOkAndHolds(Eq(Result({4, 3, 16, 32}))));
  EXPECT_THAT(Matmul({4, 16, 64}, {3, 64, 32}),
              BreaksRule("MX-TENSOR-1", "[4] and [3]"));
  EXPECT_THAT(Matmul({4, 16, 64}, {64}),
              BreaksRule("MX-TENSOR-4", "two dims or more"));
  EXPECT_THAT(Matmul({64}, {64, 32}, {a_trans_}),
              BreaksRule("MX-TENSOR-4", "a_trans does not apply"));
}

TEST_F(TensorMatmulTest, Accumulation) {
  const TensorType* lhs = t_.Tensor({16, 64}, kBF16);
  const TensorType* rhs = t_.Tensor({64, 32}, kBF16);
  const TensorType* acc = t_.Tensor({16, 32}, kFP32);
  EXPECT_THAT(Accumulate(acc, lhs, rhs), IsOkAndHolds(Eq(acc)));
  EXPECT_THAT(
      Accumulate(t_.Tensor({16, 32}, kInt32), t_.Tensor({16, 64}, kInt8),
                 t_.Tensor({64, 32}, kInt8)),
      IsOkAndHolds(Eq(t_.Tensor({16, 32}, kInt32))));
  EXPECT_THAT(Accumulate(t_.Tensor({16, 32}, kBF16), lhs, rhs),
              BreaksRule("MX-TENSOR-3", "acc must be of FP32"));
  EXPECT_THAT(Accumulate(acc, lhs, t_.Tensor({64, 32}, DataType::kFP16)),
              BreaksRule("MX-TENSOR-3", "rhs must be of BF16"));
  EXPECT_THAT(Accumulate(t_.Tensor({16, 16}, kFP32), lhs, rhs),
              BreaksRule("MX-TENSOR-1", "[16, 32], got [16, 16]"));
  EXPECT_THAT(Accumulate(acc, t_.Tensor({64}, kBF16), rhs),
              BreaksRule("MX-TENSOR-4", "lhs"));
}

}  // namespace
}  // namespace mxtile::ir
