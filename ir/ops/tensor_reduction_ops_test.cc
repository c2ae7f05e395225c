#include "ir/ops/tensor_reduction_ops.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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

constexpr DataType kFP16 = DataType::kFP16;
constexpr DataType kFP32 = DataType::kFP32;
constexpr DataType kInt32 = DataType::kInt32;

class ReductionTest : public ::testing::Test {
 protected:
  const TensorType* PartlyValid(const Ints& shape, const Ints& valid,
                                DataType dtype = kFP32) {
    TensorView view;
    view.valid_shape = t_.Shape(valid);
    return t_.Tensor(shape, dtype, view);
  }
  absl::StatusOr<const Type*> Reduce(const std::string& op, const Type* input,
                                     const std::vector<Attr>& kwargs = {}) {
    return t_.Deduce(op, {t_.Value(input)}, kwargs);
  }
  absl::StatusOr<const Type*> Expand(const std::string& op, const Type* tensor,
                                     const Type* vector) {
    return t_.Deduce(op, {t_.Value(tensor), t_.Value(vector)});
  }

  OpTester t_;
};

TEST_F(ReductionTest, RowsAndColumns) {
  const TensorType* input = PartlyValid({2, 8, 64}, {2, 4, 32});
  for (const char* name : {"sum", "max", "min", "prod"}) {
    EXPECT_THAT(Reduce(absl::StrCat("tensor.row_", name), input),
                IsOkAndHolds(Eq(PartlyValid({2, 8, 1}, {2, 4, 1}))))
        << name;
    EXPECT_THAT(Reduce(absl::StrCat("tensor.col_", name), input),
                IsOkAndHolds(Eq(PartlyValid({2, 1, 64}, {2, 1, 32}))))
        << name;
  }
  for (const char* name : {"argmax", "argmin"}) {
    EXPECT_THAT(Reduce(absl::StrCat("tensor.row_", name), input),
                IsOkAndHolds(Eq(PartlyValid({2, 8, 1}, {2, 4, 1}, kInt32))))
        << name;
    EXPECT_THAT(Reduce(absl::StrCat("tensor.col_", name), input),
                IsOkAndHolds(Eq(PartlyValid({2, 1, 64}, {2, 1, 32}, kInt32))))
        << name;
  }
}

TEST_F(ReductionTest, AxisAndKeepDim) {
  const TensorType* input = t_.Tensor({2, 8, 64}, kFP32);
  EXPECT_THAT(Reduce("tensor.row_sum", input,
                     {{"axis", AttrValue::Int(0)},
                      {"keep_dim", AttrValue::Bool(false)}}),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP32))));
  EXPECT_THAT(Reduce("tensor.row_sum", t_.Tensor({64}, kFP32),
                     {{"keep_dim", AttrValue::Bool(false)}}),
              IsOkAndHolds(Eq(t_.context().GetScalarType(kFP32))));
  EXPECT_THAT(Reduce("tensor.row_sum", input, {{"axis", AttrValue::Int(3)}}),
              BreaksRule("MX-TENSOR-5", "axis 3 is not one of the 3 axes"));
}

TEST_F(ReductionTest, Refused) {
  EXPECT_THAT(Reduce("tensor.col_sum", t_.Tensor({64}, kFP32)),
              BreaksRule("MX-TENSOR-4", "2 or more, got 1"));
  EXPECT_THAT(Reduce("tensor.row_sum", PartlyValid({8, 64}, {0, 64})),
              BreaksRule("MX-TENSOR-8", "axis 0 nothing is valid"));
  EXPECT_THAT(Reduce("tensor.row_min", t_.Tensor({8, 64}, DataType::kBF16)),
              BreaksRule("MX-TENSOR-2", "BF16"));
  EXPECT_THAT(Reduce("tensor.col_min", t_.Tensor({8, 64}, DataType::kBF16)),
              IsOkAndHolds(Eq(t_.Tensor({1, 64}, DataType::kBF16))));
  TensorType window = *t_.Tensor({8, 64}, kFP32);
  window.kind = TypeKind::kDistributedTensor;
  EXPECT_THAT(Reduce("tensor.row_sum", t_.context().GetTensorType(window)),
              BreaksRule("MX-OP-2", "not distributed, got a distributed"));
}

TEST_F(ReductionTest, Expansions) {
  const TensorType* tensor = PartlyValid({2, 8, 64}, {2, 4, 64}, kFP16);
  for (const char* name :
       {"", "_sub", "_mul", "_div", "_max", "_min", "_expdif"}) {
    EXPECT_THAT(Expand(absl::StrCat("tensor.row_expand", name), tensor,
                       t_.Tensor({8, 1}, kFP32)),
                IsOkAndHolds(Eq(t_.Tensor({2, 8, 64}, kFP32))))
        << name;
    EXPECT_THAT(Expand(absl::StrCat("tensor.col_expand", name), tensor,
                       t_.Tensor({1, 64}, kFP32)),
                IsOkAndHolds(Eq(t_.Tensor({2, 8, 64}, kFP32))))
        << name;
  }
  EXPECT_THAT(
      Expand("tensor.col_expand_add", tensor, t_.Tensor({1, 64}, kFP32)),
      IsOkAndHolds(Eq(t_.Tensor({2, 8, 64}, kFP32))));
  EXPECT_THAT(Expand("tensor.row_expand_mul", tensor, t_.Tensor({8, 2}, kFP16)),
              BreaksRule("MX-TENSOR-1", "row_vec must be [..., M, 1]"));
  EXPECT_THAT(Expand("tensor.row_expand_mul", tensor, t_.Tensor({4, 1}, kFP16)),
              BreaksRule("MX-TENSOR-1", "4 and 8"));
  EXPECT_THAT(
      Expand("tensor.col_expand_mul", tensor, t_.Tensor({2, 64}, kFP16)),
      BreaksRule("MX-TENSOR-1", "col_vec must be [..., 1, N]"));
  EXPECT_THAT(Expand("tensor.col_expand_mul", tensor, t_.Tensor({64}, kFP16)),
              BreaksRule("MX-TENSOR-4", "col_vec"));
}

TEST_F(ReductionTest, RowExpandAddNeedsOneType) {
  EXPECT_THAT(Expand("tensor.row_expand_add", t_.Tensor({8, 64}, kFP16),
                     t_.Tensor({8, 1}, kFP16)),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP16))));
  EXPECT_THAT(Expand("tensor.row_expand_add", t_.Tensor({8, 64}, kFP16),
                     t_.Tensor({8, 1}, kFP32)),
              BreaksRule("MX-TENSOR-3", "must be of FP16"));
  EXPECT_THAT(
      Expand("tensor.row_expand_add", t_.Tensor({8, 64}, DataType::kBF16),
             t_.Tensor({8, 1}, DataType::kBF16)),
      BreaksRule("MX-TENSOR-2", "BF16"));
}

TEST_F(ReductionTest, ExpandScalarAndClone) {
  EXPECT_THAT(t_.Deduce("tensor.expands",
                        {t_.Value(PartlyValid({8, 64}, {4, 64}, kFP16)),
                         t_.context().Float(1)}),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP16))));
  EXPECT_THAT(Expand("tensor.expand_clone", t_.Tensor({1, 8, 64}, kFP16),
                     t_.Tensor({2, 8, 64}, kFP32)),
              IsOkAndHolds(Eq(t_.Tensor({2, 8, 64}, kFP32))));
  EXPECT_THAT(Expand("tensor.expand_clone", t_.Tensor({1, 1, 64}, kFP16),
                     t_.Tensor({2, 8, 64}, kFP16)),
              BreaksRule("MX-TENSOR-1", "[1, 1, 64] to [2, 8, 64]"));
  EXPECT_THAT(Expand("tensor.expand_clone", t_.Tensor({3, 8, 64}, kFP16),
                     t_.Tensor({2, 8, 64}, kFP16)),
              BreaksRule("MX-TENSOR-1", "one dim grow"));
  EXPECT_THAT(Expand("tensor.expand_clone", t_.Tensor({8, 64}, kFP16),
                     t_.Tensor({2, 8, 64}, kFP16)),
              BreaksRule("MX-TENSOR-4", "rank 3, got 2"));
}

}  // namespace
}  // namespace mxtile::ir
