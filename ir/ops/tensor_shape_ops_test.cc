#include "ir/ops/tensor_shape_ops.h"

#include <string>
#include <vector>

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
constexpr TensorLayout kND = TensorLayout::kND;
constexpr TensorLayout kDN = TensorLayout::kDN;

struct ViewSpec {
  Ints valid = {};
  Ints stride = {};
  TensorLayout layout = kND;
  PadValue pad = PadValue::kNull;
};

class ShapeOpsTest : public ::testing::Test {
 protected:
  const TensorType* Viewed(const Ints& shape, DataType dtype,
                           const ViewSpec& spec) {
    TensorView view;
    view.valid_shape = t_.Shape(spec.valid);
    view.stride = t_.Shape(spec.stride);
    view.layout = spec.layout;
    view.pad = spec.pad;
    return t_.Tensor(shape, dtype, view);
  }
  absl::StatusOr<const Type*> Reshape(const Type* input,
                                      const std::vector<Ints>& lists) {
    std::vector<const Expr*> args = {t_.Value(input)};
    for (const Ints& list : lists) args.push_back(t_.List(list));
    return t_.Deduce("tensor.reshape", args);
  }
  absl::StatusOr<const Type*> Reinterpret(const Type* input, DataType dtype,
                                          const std::vector<Ints>& shape = {}) {
    std::vector<const Expr*> args = {t_.Value(input)};
    for (const Ints& list : shape) args.push_back(t_.List(list));
    return t_.Deduce("tensor.reinterpret_view", args,
                     {{"dtype", AttrValue::Of(dtype)}});
  }
  absl::StatusOr<const Type*> Transpose(const Type* input, int64_t axis1,
                                        int64_t axis2) {
    return t_.Deduce("tensor.transpose",
                     {t_.Value(input), t_.Dim(axis1), t_.Dim(axis2)});
  }
  absl::StatusOr<const Type*> Split(const std::string& op, const Type* input,
                                    absl::string_view mode) {
    return t_.Deduce(op, {t_.Value(input)},
                     {{"split", AttrValue::Enum("SplitMode", mode)}});
  }

  OpTester t_;
};

TEST_F(ShapeOpsTest, L18_DoNotSupportMx) {
  const TensorType* mx =
      t_.Tensor({32, 4}, DataType::kFP8E8M0, TensorLayout::kMxAZZ);
  const std::string token = "does not support MX";
  EXPECT_THAT(Reshape(mx, {{128}}), BreaksRule("MX-TENSOR-6", token));
  EXPECT_THAT(Transpose(mx, 0, 1), BreaksRule("MX-TENSOR-6", token));
  EXPECT_THAT(Reinterpret(mx, DataType::kUInt8),
              BreaksRule("MX-TENSOR-6", token));
}

TEST_F(ShapeOpsTest, Reshape) {
  EXPECT_THAT(
      Reshape(Viewed({8, 64}, kFP32, {{}, {}, kND, PadValue::kMax}),
              {{16, 32}}),
      IsOkAndHolds(Eq(Viewed({16, 32}, kFP32, {{}, {}, kND, PadValue::kMax}))));
  EXPECT_THAT(Reshape(t_.Tensor({kSymbolic, 64}, kFP32), {{8, kSymbolic}}),
              IsOkAndHolds(Eq(t_.Tensor({8, kSymbolic}, kFP32))));
  EXPECT_THAT(Reshape(t_.Tensor({8, 64}, kFP32), {{16, 16}}),
              BreaksRule("MX-TENSOR-10", "[8, 64] of 512 and [16, 16] of 256"));
  EXPECT_THAT(Reshape(t_.Tensor({1}, kFP32), {{}}),
              BreaksRule("MX-TENSOR-4", "rank 1 or more"));
}

TEST_F(ShapeOpsTest, ReshapeOfAPartlyValidTensor) {
  const TensorType* rows = Viewed({64, 8}, kFP32, {{40, 8}});
  EXPECT_THAT(Reshape(rows, {{32, 16}}),
              IsOkAndHolds(Eq(Viewed({32, 16}, kFP32, {{20, 16}}))));
  EXPECT_THAT(Reshape(rows, {{32, 16}, {10, 16}}),
              IsOkAndHolds(Eq(Viewed({32, 16}, kFP32, {{10, 16}}))));
  EXPECT_THAT(Reshape(rows, {{32, 16}, {21, 16}}),
              BreaksRule("MX-TENSOR-8", "[21, 16] must lie inside [20, 16]"));
  EXPECT_THAT(Reshape(Viewed({8, 64}, kFP32, {{8, 32}}), {{512}}),
              BreaksRule("MX-TENSOR-8", "only [8, 32] is valid"));
  EXPECT_THAT(Reshape(Viewed({64, 8}, kFP32, {{40, 8}, {}, kDN}), {{32, 16}}),
              BreaksRule("MX-TENSOR-8", "no rectangle"));
}

TEST_F(ShapeOpsTest, ReinterpretView) {
  EXPECT_THAT(Reinterpret(Viewed({8, 64}, kFP32,
                                 {{8, 16}, {64, 1}, kND, PadValue::kZero}),
                          kFP16),
              IsOkAndHolds(Eq(Viewed({8, 128}, kFP16,
                                     {{8, 32}, {}, kND, PadValue::kZero}))));
  EXPECT_THAT(
      Reinterpret(Viewed({8, 64}, kFP16, {{}, {}, kDN, PadValue::kMax}), kFP32),
      IsOkAndHolds(Eq(Viewed({4, 64}, kFP32, {{}, {}, kDN}))));
  EXPECT_THAT(Reinterpret(t_.Tensor({8, 64}, kFP16), kFP32, {{256}}),
              IsOkAndHolds(Eq(t_.Tensor({256}, kFP32))));
  EXPECT_THAT(Reinterpret(t_.Tensor({8, 64}, kFP16), kFP32, {{512}}),
              BreaksRule("MX-TENSOR-10", "bytes"));
  EXPECT_THAT(Reinterpret(t_.Tensor({8, 63}, kFP16), kFP32),
              BreaksRule("MX-TENSOR-10", "whole elements of FP32"));
  EXPECT_THAT(Reinterpret(Viewed({8, 64}, kFP16, {{8, 33}}), kFP32),
              BreaksRule("MX-TENSOR-10", "[8, 33]"));
  EXPECT_THAT(Reinterpret(Viewed({8, 64}, kFP16, {{}, {128, 1}}), kFP32),
              BreaksRule("MX-TENSOR-10", "stride [128, 1]"));
  EXPECT_THAT(Reinterpret(t_.Tensor({8, 64}, kFP16), kFP16),
              BreaksRule("MX-TENSOR-2", "FP16 as FP16"));
  EXPECT_THAT(Reinterpret(t_.Tensor({8, 64}, kFP16, TensorLayout::kNZ), kFP32),
              BreaksRule("MX-TENSOR-10", "NZ"));
}

TEST_F(ShapeOpsTest, TransposeSwapsEverything) {
  EXPECT_THAT(Transpose(Viewed({2, 8, 64}, kFP32,
                               {{2, 4, 64}, {}, kND, PadValue::kZero}),
                        1, -1),
              IsOkAndHolds(Eq(
                  Viewed({2, 64, 8}, kFP32,
                         {{2, 64, 4}, {512, 1, 64}, kDN, PadValue::kZero}))));
  EXPECT_THAT(Transpose(Viewed({64, 8}, kFP32, {{}, {1, 64}, kDN}), 0, 1),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP32))));
  EXPECT_THAT(Transpose(t_.Tensor({2, 8, 64}, kFP32), 0, 1),
              IsOkAndHolds(Eq(Viewed({8, 2, 64}, kFP32, {{}, {64, 512, 1}}))));
}

TEST_F(ShapeOpsTest, TransposeAxes) {
  const TensorType* input = t_.Tensor({8, 64}, kFP32);
  EXPECT_THAT(Transpose(input, 1, -1), BreaksRule("MX-TENSOR-5", "1 twice"));
  EXPECT_THAT(Transpose(input, 0, 2), BreaksRule("MX-TENSOR-5", "axis 2"));
  EXPECT_THAT(Transpose(input, 0, kSymbolic),
              BreaksRule("MX-TENSOR-5", "axis2 must be a constant"));
  EXPECT_THAT(Transpose(t_.Tensor({8}, kFP32), 0, 0),
              BreaksRule("MX-TENSOR-4", "2 or more"));
  EXPECT_THAT(
      t_.Deduce("tensor.transpose",
                {t_.Value(input), t_.Dim(0), t_.Dim(1), t_.List({32, 8})}),
      IsOkAndHolds(Eq(Viewed({64, 8}, kFP32, {{32, 8}, {1, 64}, kDN}))));
}

TEST_F(ShapeOpsTest, Concat) {
  const auto concat = [this](const Type* a, const Type* b) {
    return t_.Deduce("tensor.concat", {t_.Value(a), t_.Value(b)});
  };
  EXPECT_THAT(
      concat(Viewed({8, 64}, kFP32, {{4, 64}}), t_.Tensor({8, 32}, kFP32)),
      IsOkAndHolds(Eq(t_.Tensor({8, 96}, kFP32))));
  EXPECT_THAT(concat(t_.Tensor({8, 64}, kFP32), t_.Tensor({4, 32}, kFP32)),
              BreaksRule("MX-TENSOR-1", "4 and 8"));
  EXPECT_THAT(concat(t_.Tensor({8, 64}, kFP32), t_.Tensor({8, 32}, kFP16)),
              BreaksRule("MX-TENSOR-3", "FP16"));
  EXPECT_THAT(concat(t_.Tensor({8}, kFP32), t_.Tensor({8, 32}, kFP32)),
              BreaksRule("MX-TENSOR-4", "src0"));
}

TEST_F(ShapeOpsTest, Splits) {
  const TensorType* rows = Viewed({8, 64}, kFP32, {{5, 64}});
  EXPECT_THAT(Split("tensor.aiv_shard", rows, "UP_DOWN"),
              IsOkAndHolds(Eq(Viewed({4, 64}, kFP32, {{3, 64}}))));
  EXPECT_THAT(Split("tensor.aiv_shard", rows, "LEFT_RIGHT"),
              IsOkAndHolds(Eq(Viewed({8, 32}, kFP32, {{5, 32}}))));
  EXPECT_THAT(Split("tensor.aiv_shard", rows, "NONE"), IsOkAndHolds(Eq(rows)));
  EXPECT_THAT(Split("tensor.aic_gather", rows, "UP_DOWN"),
              IsOkAndHolds(Eq(Viewed({16, 64}, kFP32, {{10, 64}}))));
  EXPECT_THAT(Split("tensor.aiv_shard", Viewed({8, 64}, kFP32, {{8, 32}}),
                    "LEFT_RIGHT"),
              BreaksRule("MX-TENSOR-8", "[8, 32]"));
  EXPECT_THAT(Split("tensor.aiv_shard", t_.Tensor({8}, kFP32), "UP_DOWN"),
              BreaksRule("MX-TENSOR-4", "rank 2"));
  EXPECT_THAT(t_.Deduce("tensor.aiv_shard", {t_.Value(rows)}),
              IsOkAndHolds(Eq(t_.context().GetMarkerType(TypeKind::kUnknown))));
}

}  // namespace
}  // namespace mxtile::ir
