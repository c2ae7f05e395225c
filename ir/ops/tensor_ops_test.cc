#include "ir/ops/tensor_ops.h"

#include <optional>
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
constexpr DataType kFP32 = DataType::kFP32;
constexpr TensorLayout kND = TensorLayout::kND;
constexpr TensorLayout kDN = TensorLayout::kDN;
constexpr TensorLayout kNZ = TensorLayout::kNZ;
constexpr TensorLayout kA = TensorLayout::kMxAZZ;
constexpr TensorLayout kB = TensorLayout::kMxBNN;

class ViewTest : public ::testing::Test {
 protected:
  absl::StatusOr<const Type*> View(
      const Type* input, std::optional<Ints> shape,
      std::optional<TensorLayout> layout = std::nullopt,
      std::optional<Ints> valid = std::nullopt) {
    std::vector<const Expr*> args = {t_.Value(input)};
    if (shape.has_value()) args.push_back(t_.List(*shape));
    if (valid.has_value()) args.push_back(t_.List(*valid));
    std::vector<Attr> kwargs;
    if (layout.has_value()) {
      kwargs.push_back({"layout", AttrValue::Of(*layout)});
    }
    return t_.Deduce("tensor.view", args, kwargs);
  }
  const TensorType* Strided(const Ints& shape, const Ints& stride,
                            TensorLayout layout = kND) {
    TensorView view;
    view.stride = t_.Shape(stride);
    view.layout = layout;
    return t_.Tensor(shape, kFP32, view);
  }
  const TensorType* PartlyValid(const Ints& shape, const Ints& valid,
                                TensorLayout layout = kND) {
    TensorView view;
    view.valid_shape = t_.Shape(valid);
    view.layout = layout;
    return t_.Tensor(shape, kFP32, view);
  }

  OpTester t_;
};

TEST_F(ViewTest, B12_MxToNd) {
  EXPECT_THAT(View(t_.Tensor({32, 4}, kE8M0, kA), Ints{1, 128}, kND),
              IsOkAndHolds(Eq(t_.Tensor({1, 128}, kE8M0))));
}

TEST_F(ViewTest, B12_BlockedMxToNd) {
  EXPECT_THAT(View(t_.Tensor({1, 2, 2, 16, 2}, kE8M0, kA), Ints{1, 128}, kND),
              IsOkAndHolds(Eq(t_.Tensor({1, 128}, kE8M0))));
}

TEST_F(ViewTest, B13_NdToMx) {
  EXPECT_THAT(View(t_.Tensor({1, 128}, kE8M0), Ints{4, 32}, kB),
              IsOkAndHolds(Eq(t_.Tensor({4, 32}, kE8M0, kB))));
}

TEST_F(ViewTest, B13_NdToBlockedMx) {
  EXPECT_THAT(View(t_.Tensor({1, 128}, kE8M0), Ints{1, 2, 2, 16, 2}, kB),
              IsOkAndHolds(Eq(t_.Tensor({1, 2, 2, 16, 2}, kE8M0, kB))));
}

TEST_F(ViewTest, L18_MxNeedsShapeNdAndE8m0) {
  const std::string token = "does not support MX";
  const TensorType* mx = t_.Tensor({32, 4}, kE8M0, kA);
  EXPECT_THAT(View(mx, {}, kND), BreaksRule("MX-VIEW-3", token));
  EXPECT_THAT(View(mx, {}, kA), BreaksRule("MX-VIEW-3", token));
  EXPECT_THAT(View(mx, Ints{1, 128}), BreaksRule("MX-VIEW-3", token));
  EXPECT_THAT(View(mx, Ints{4, 32}, kB), BreaksRule("MX-VIEW-3", token));
  EXPECT_THAT(View(mx, Ints{4, 32}, kDN), BreaksRule("MX-VIEW-3", token));
  EXPECT_THAT(View(t_.Tensor({4, 32}, kE8M0, kDN), Ints{32, 4}, kA),
              BreaksRule("MX-VIEW-3", token));
  EXPECT_THAT(View(t_.Tensor({1, 128}, DataType::kUInt8), Ints{32, 4}, kA),
              BreaksRule("MX-VIEW-3", "UINT8"));
}

TEST_F(ViewTest, MxSideIs2DOrBlocked) {
  EXPECT_THAT(View(t_.Tensor({1, 128}, kE8M0), Ints{2, 16, 4}, kA),
              BreaksRule("MX-VIEW-4", "[2, 16, 4]"));
  EXPECT_THAT(View(t_.Tensor({2, 2, 2, 16, 2}, kE8M0, kA), Ints{1, 256}, kND),
              BreaksRule("MX-VIEW-4", "[2, 2, 2, 16, 2]"));
}

TEST_F(ViewTest, NeedsShapeOrLayout) {
  EXPECT_THAT(View(t_.Tensor({32, 4}, kFP32), {}),
              BreaksRule("MX-VIEW-1", "a shape, a layout or both"));
}

TEST_F(ViewTest, NoNz) {
  EXPECT_THAT(View(t_.Tensor({32, 4}, kFP32), Ints{4, 32}, kNZ),
              BreaksRule("MX-VIEW-2", "NZ"));
  EXPECT_THAT(View(t_.Tensor({32, 4}, kFP32, kNZ), Ints{4, 32}, kND),
              BreaksRule("MX-VIEW-2", "NZ"));
}

TEST_F(ViewTest, ElementCountStays) {
  EXPECT_THAT(View(t_.Tensor({32, 4}, kFP32), Ints{4, 16}),
              BreaksRule("MX-VIEW-5", "[32, 4] of 128 and [4, 16] of 64"));
  EXPECT_THAT(View(t_.Tensor({kSymbolic, 4}, kFP32), Ints{2, kSymbolic}),
              IsOkAndHolds(Eq(t_.Tensor({2, kSymbolic}, kFP32))));
  EXPECT_THAT(View(t_.Tensor({1}, kFP32), Ints{}),
              BreaksRule("MX-VIEW-5", "not be empty"));
}

TEST_F(ViewTest, NewShapeNeedsAPackedInput) {
  EXPECT_THAT(View(Strided({32, 4}, {8, 1}), Ints{128}),
              BreaksRule("MX-VIEW-6", "[32, 4] with stride [8, 1]"));
  EXPECT_THAT(View(Strided({32, 4}, {4, 1}), Ints{128}),
              IsOkAndHolds(Eq(t_.Tensor({128}, kFP32))));
  EXPECT_THAT(View(Strided({32, 4}, {1, 32}, kDN), Ints{128}, kND),
              IsOkAndHolds(Eq(t_.Tensor({128}, kFP32))));
  EXPECT_THAT(View(Strided({32, 4}, {4, 1}, kDN), Ints{128}, kND),
              BreaksRule("MX-VIEW-6", "packed"));
}

TEST_F(ViewTest, LayoutAloneSwapsTheLastTwoDims) {
  EXPECT_THAT(View(t_.Tensor({2, 32, 4}, kFP32), {}, kDN),
              IsOkAndHolds(Eq(t_.Tensor({2, 4, 32}, kFP32, kDN))));
  EXPECT_THAT(View(Strided({32, 4}, {8, 1}), {}, kDN),
              IsOkAndHolds(Eq(Strided({4, 32}, {1, 8}, kDN))));
  EXPECT_THAT(View(PartlyValid({32, 4}, {16, 4}), {}, kDN),
              IsOkAndHolds(Eq(PartlyValid({4, 32}, {4, 16}, kDN))));
  const TensorType* same = PartlyValid({32, 4}, {16, 4});
  EXPECT_THAT(View(same, {}, kND), IsOkAndHolds(Eq(same)));
  EXPECT_THAT(View(t_.Tensor({32}, kFP32), {}, kDN),
              BreaksRule("MX-VIEW-8", "rank >= 2, got 1"));
}

TEST_F(ViewTest, PartlyValidInputNeedsAValidShape) {
  const TensorType* input = PartlyValid({2, 32, 4}, {2, 16, 4});
  EXPECT_THAT(View(input, Ints{64, 4}),
              BreaksRule("MX-VIEW-7", "only [2, 16, 4] is valid"));
  EXPECT_THAT(View(input, Ints{64, 4}, {}, Ints{48, 4}),
              IsOkAndHolds(Eq(PartlyValid({64, 4}, {48, 4}))));
  EXPECT_THAT(View(input, Ints{64, 4}, {}, Ints{65, 4}),
              BreaksRule("MX-VIEW-7", "[65, 4]"));
  EXPECT_THAT(View(input, Ints{64, 4}, {}, Ints{48}),
              BreaksRule("MX-VIEW-7", "[48]"));
  EXPECT_THAT(
      View(t_.Tensor({32, 4}, kE8M0, kA), Ints{1, 128}, kND, Ints{1, 64}),
      BreaksRule("MX-VIEW-7", "ND to ND"));
}

TEST_F(ViewTest, DistributedStaysDistributed) {
  TensorType type = *t_.Tensor({32, 4}, kFP32);
  type.kind = TypeKind::kDistributedTensor;
  const TensorType* input = t_.context().GetTensorType(type);
  type.shape = t_.Shape({128});
  EXPECT_THAT(View(input, Ints{128}),
              IsOkAndHolds(Eq(t_.context().GetTensorType(type))));
}

class CreateTensorTest : public ::testing::Test {
 protected:
  absl::StatusOr<const Type*> Create(const Ints& shape, DataType dtype,
                                     std::vector<Attr> kwargs = {}) {
    kwargs.push_back({"dtype", AttrValue::Of(dtype)});
    return t_.Deduce("tensor.create", {t_.List(shape)}, kwargs);
  }

  OpTester t_;
};

TEST_F(CreateTensorTest, IsPacked) {
  EXPECT_THAT(Create({32, kSymbolic}, kFP32,
                     {{"init_value", AttrValue::Float(0.5)},
                      {"manual_dep", AttrValue::Bool(true)}}),
              IsOkAndHolds(Eq(t_.Tensor({32, kSymbolic}, kFP32))));
  EXPECT_THAT(Create({32, 4}, kE8M0, {{"layout", AttrValue::Of(kA)}}),
              IsOkAndHolds(Eq(t_.Tensor({32, 4}, kE8M0, kA))));
  EXPECT_THAT(Create({2, 32, 4}, kE8M0, {{"layout", AttrValue::Of(kA)}}),
              BreaksRule("MX-CREATE-5", "[2, 32, 4]"));
}

TEST_F(CreateTensorTest, L20_Fp4) {
  EXPECT_THAT(Create({32, 0}, DataType::kFP4),
              BreaksRule("MX-OP-6", "positive even"));
  EXPECT_THAT(Create({32, 7}, DataType::kFP4),
              BreaksRule("MX-OP-6", "positive even"));
  EXPECT_THAT(Create({}, DataType::kFP4), BreaksRule("MX-OP-6", "rank >= 1"));
  EXPECT_THAT(Create({32, 64}, DataType::kFP4),
              IsOkAndHolds(Eq(t_.Tensor({32, 64}, DataType::kFP4))));
}

TEST_F(CreateTensorTest, NeedsADataType) {
  EXPECT_THAT(t_.Deduce("tensor.create", {t_.List({32, 4})}),
              BreaksRule("MX-OP-3", "kwarg dtype is missing"));
}

}  // namespace
}  // namespace mxtile::ir
