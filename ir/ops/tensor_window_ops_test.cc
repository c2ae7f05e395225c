#include "ir/ops/tensor_window_ops.h"

#include <optional>
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

constexpr DataType kFP32 = DataType::kFP32;

class WindowTest : public ::testing::Test {
 protected:
  const TensorType* PartlyValid(const Ints& shape, const Ints& valid,
                                PadValue pad = PadValue::kNull,
                                TensorLayout layout = TensorLayout::kND) {
    TensorView view;
    view.valid_shape = t_.Shape(valid);
    view.pad = pad;
    view.layout = layout;
    return t_.Tensor(shape, kFP32, view);
  }
  const TensorType* Distributed(const TensorType* tensor) {
    TensorType type = *tensor;
    type.kind = TypeKind::kDistributedTensor;
    return t_.context().GetTensorType(type);
  }
  absl::StatusOr<const Type*> Slice(const Type* input,
                                    const std::vector<Ints>& lists,
                                    const std::vector<Attr>& kwargs = {}) {
    std::vector<const Expr*> args = {t_.Value(input)};
    for (const Ints& list : lists) args.push_back(t_.List(list));
    return t_.Deduce("tensor.slice", args, kwargs);
  }
  absl::StatusOr<const Type*> Assemble(const Type* target, const Type* source,
                                       const Ints& offset,
                                       const std::vector<Attr>& kwargs = {}) {
    return t_.Deduce("tensor.assemble",
                     {t_.Value(target), t_.Value(source), t_.List(offset)},
                     kwargs);
  }
  static Attr Pad(absl::string_view name) {
    return {"pad_value", AttrValue::Enum("PadValue", name)};
  }

  OpTester t_;
};

TEST_F(WindowTest, SliceIsFreshNd) {
  EXPECT_THAT(Slice(t_.Tensor({64, 64}, kFP32, TensorLayout::kDN),
                    {{16, 32}, {8, kSymbolic}}),
              IsOkAndHolds(Eq(t_.Tensor({16, 32}, kFP32))));
  EXPECT_THAT(
      Slice(Distributed(t_.Tensor({64, 64}, kFP32)), {{16, 32}, {0, 0}}),
      IsOkAndHolds(Eq(Distributed(t_.Tensor({16, 32}, kFP32)))));
}

TEST_F(WindowTest, L18_SliceDoesNotSupportMx) {
  EXPECT_THAT(
      Slice(t_.Tensor({32, 4}, DataType::kFP8E8M0, TensorLayout::kMxAZZ),
            {{16, 4}, {0, 0}}),
      BreaksRule("MX-TENSOR-6", "does not support MX"));
}

TEST_F(WindowTest, SliceSeesWhatIsValid) {
  const TensorType* input = PartlyValid({64, 64}, {40, 64}, PadValue::kZero);
  EXPECT_THAT(
      Slice(input, {{32, 64}, {32, 0}}),
      IsOkAndHolds(Eq(PartlyValid({32, 64}, {8, 64}, PadValue::kZero))));
  EXPECT_THAT(
      Slice(input, {{32, 64}, {0, 0}, {16, 64}}, {Pad("max")}),
      IsOkAndHolds(Eq(PartlyValid({32, 64}, {16, 64}, PadValue::kMax))));
  EXPECT_THAT(
      Slice(input, {{32, 64}, {32, 0}, {16, 64}}),
      IsOkAndHolds(Eq(PartlyValid({32, 64}, {8, 64}, PadValue::kZero))));
  // What is valid is symbolic: the smaller one of it and the window.
  const Expr* n = t_.Dim(kSymbolic);
  TensorView view;
  const Expr* valid[] = {t_.context().NewBinary(BinaryOp::kMin, n, t_.Dim(32)),
                         t_.Dim(64)};
  view.valid_shape = valid;
  EXPECT_THAT(Slice(PartlyValid({64, 64}, {kSymbolic, 64}), {{32, 64}, {0, 0}}),
              IsOkAndHolds(Eq(t_.Tensor({32, 64}, kFP32, view))));
}

TEST_F(WindowTest, SliceStaysInsideOrClamps) {
  const TensorType* input = t_.Tensor({40, 64}, kFP32);
  EXPECT_THAT(Slice(input, {{32, 64}, {32, 0}}),
              BreaksRule("MX-TENSOR-7", "offset 32 + extent 32 > size 40"));
  EXPECT_THAT(
      Slice(input, {{32, 64}, {-1, 0}}, {{"clamp", AttrValue::Bool(true)}}),
      BreaksRule("MX-TENSOR-7", "negative, got -1"));
  EXPECT_THAT(
      Slice(input, {{32, 64}, {32, 0}}, {{"clamp", AttrValue::Bool(true)}}),
      IsOkAndHolds(Eq(PartlyValid({32, 64}, {8, 64}))));
}

TEST_F(WindowTest, SliceRequests) {
  const TensorType* input = t_.Tensor({64, 64}, kFP32);
  EXPECT_THAT(Slice(input, {{32, 64}, {0, 0}, {33, 64}}),
              BreaksRule("MX-TENSOR-8", "[33, 64] must lie inside"));
  EXPECT_THAT(Slice(input, {{32, 64}, {0, 0}, {33}}),
              BreaksRule("MX-TENSOR-8", "rank"));
  EXPECT_THAT(Slice(input, {{32, 64}, {0, 0}, {}}),
              IsOkAndHolds(Eq(t_.Tensor({32, 64}, kFP32))));
  EXPECT_THAT(
      Slice(input, {{32, 64}, {0, 0}}, {{"pad_value", AttrValue::Int(0)}}),
      IsOkAndHolds(Eq(PartlyValid({32, 64}, {32, 64}, PadValue::kZero))));
  EXPECT_THAT(
      Slice(input, {{32, 64}, {0, 0}}, {{"pad_value", AttrValue::Float(7)}}),
      BreaksRule("MX-TENSOR-9", "got 7"));
}

TEST_F(WindowTest, SliceDropsDimsOfOne) {
  const TensorType* input = t_.Tensor({4, 64, 64}, kFP32);
  EXPECT_THAT(Slice(input, {{1, 1, 64}, {0, 0, 0}, {}, {0, 1}}),
              IsOkAndHolds(Eq(t_.Tensor({64}, kFP32))));
  EXPECT_THAT(Slice(input, {{1, 2, 64}, {0, 0, 0}, {}, {1}}),
              BreaksRule("MX-TENSOR-5", "dimension 1 of [1, 2, 64]"));
  EXPECT_THAT(Slice(input, {{1, 1, 64}, {0, 0, 0}, {}, {0, 0}}),
              BreaksRule("MX-TENSOR-5", "different constant axes"));
  EXPECT_THAT(Slice(input, {{1, 1, 1}, {0, 0, 0}, {}, {0, 1, 2}}),
              BreaksRule("MX-TENSOR-5", "keeps one dimension"));
}

TEST_F(WindowTest, AssembleGrowsTheValidRegion) {
  const TensorType* row = t_.Tensor({16, 64}, kFP32);
  EXPECT_THAT(
      Assemble(PartlyValid({64, 64}, {16, 64}, PadValue::kMax), row, {16, 0}),
      IsOkAndHolds(Eq(PartlyValid({64, 64}, {32, 64}))));
  EXPECT_THAT(Assemble(t_.Tensor({64, 64}, kFP32), row, {kSymbolic, 0}),
              IsOkAndHolds(Eq(t_.Tensor({64, 64}, kFP32))));
  EXPECT_THAT(Assemble(PartlyValid({64, 64}, {16, 64}), row, {32, 0}),
              BreaksRule("MX-TENSOR-8", "[16, 64] at [32, 0]"));
  EXPECT_THAT(Assemble(t_.Tensor({64, 64}, kFP32), row, {56, 0}),
              BreaksRule("MX-TENSOR-7", "offset 56 + extent 16 > size 64"));
  EXPECT_THAT(Assemble(t_.Tensor({64, 64}, kFP32),
                       PartlyValid({16, 64}, {8, 64}), {56, 0}),
              IsOkAndHolds(Eq(t_.Tensor({64, 64}, kFP32))));
  EXPECT_THAT(Assemble(PartlyValid({64, 64}, {16, 64}),
                       t_.Tensor({1, 16, 64}, kFP32), {0, 0}),
              IsOkAndHolds(Eq(t_.Tensor({64, 64}, kFP32))));
}

TEST_F(WindowTest, AssembleAtomically) {
  const std::vector<Attr> add = {
      {"atomic", AttrValue::Enum("AtomicType", "Add")}};
  const Type* bytes = t_.Tensor({8, 8}, DataType::kUInt8);
  EXPECT_THAT(Assemble(bytes, bytes, {0, 0}, add),
              BreaksRule("MX-TENSOR-2", "UINT8"));
  EXPECT_THAT(Assemble(bytes, bytes, {0, 0}), IsOkAndHolds(Eq(bytes)));
}

TEST_F(WindowTest, Fillpad) {
  const TensorType* input =
      PartlyValid({64, 64}, {40, 64}, PadValue::kZero, TensorLayout::kDN);
  EXPECT_THAT(t_.Deduce("tensor.fillpad", {t_.Value(input)}, {Pad("min")}),
              IsOkAndHolds(Eq(PartlyValid({64, 64}, {64, 64}, PadValue::kZero,
                                          TensorLayout::kDN))));
  EXPECT_THAT(t_.Deduce("tensor.fillpad", {t_.Value(input)}, {Pad("null")}),
              BreaksRule("MX-TENSOR-9", "got null"));
}

TEST_F(WindowTest, FillpadExpand) {
  const Expr* input = t_.Value(PartlyValid({40, 64}, {30, 64}));
  EXPECT_THAT(
      t_.Deduce("tensor.fillpad_expand", {input, t_.List({64, 64})}),
      IsOkAndHolds(Eq(PartlyValid({64, 64}, {64, 64}, PadValue::kZero))));
  EXPECT_THAT(t_.Deduce("tensor.fillpad_expand", {input, t_.List({32, 64})}),
              BreaksRule("MX-TENSOR-1", "[32, 64]"));
  EXPECT_THAT(
      t_.Deduce("tensor.fillpad_expand", {input, t_.List({kSymbolic, 64})}),
      BreaksRule("MX-TENSOR-1", "constants"));
}

TEST_F(WindowTest, SetValidShape) {
  const auto set = [this](const Type* tensor, int64_t rows, int64_t cols) {
    return t_.Deduce("tensor.set_validshape",
                     {t_.Value(tensor), t_.Dim(rows), t_.Dim(cols)});
  };
  EXPECT_THAT(
      set(PartlyValid({64, 64}, {64, 64}, PadValue::kZero, TensorLayout::kDN),
          kSymbolic, 32),
      IsOkAndHolds(Eq(PartlyValid({64, 64}, {kSymbolic, 32}, PadValue::kZero,
                                  TensorLayout::kDN))));
  EXPECT_THAT(set(t_.Tensor({64, 64}, kFP32), 65, 64),
              BreaksRule("MX-TENSOR-8", "[65, 64]"));
  EXPECT_THAT(set(t_.Tensor({2, 64, 64}, kFP32), 64, 64),
              BreaksRule("MX-TENSOR-4", "rank 2, got 3"));
}

}  // namespace
}  // namespace mxtile::ir
