#include "ir/ops/tensor_elementwise_ops.h"

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
#include "ir/ops/standard_ops.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::Eq;

constexpr DataType kFP16 = DataType::kFP16;
constexpr DataType kFP32 = DataType::kFP32;
constexpr DataType kInt16 = DataType::kInt16;
constexpr DataType kInt32 = DataType::kInt32;

class ElementwiseTest : public ::testing::Test {
 protected:
  const TensorType* PartlyValid(const Ints& shape, const Ints& valid,
                                DataType dtype,
                                PadValue pad = PadValue::kNull) {
    TensorView view;
    view.valid_shape = t_.Shape(valid);
    view.pad = pad;
    return t_.Tensor(shape, dtype, view);
  }
  const TensorType* Window(const Ints& shape, DataType dtype) {
    TensorType type = *t_.Tensor(shape, dtype);
    type.kind = TypeKind::kDistributedTensor;
    return t_.context().GetTensorType(type);
  }
  absl::StatusOr<const Type*> Binary(const std::string& op, const Type* lhs,
                                     const Type* rhs,
                                     const std::vector<Attr>& kwargs = {}) {
    return t_.Deduce(op, {t_.Value(lhs), t_.Value(rhs)}, kwargs);
  }
  absl::StatusOr<const Type*> WithScalar(const std::string& op, const Type* lhs,
                                         const Expr* rhs) {
    return t_.Deduce(op, {t_.Value(lhs), rhs});
  }
  absl::StatusOr<const Type*> Unary(const std::string& op, const Type* input,
                                    const std::vector<Attr>& kwargs = {}) {
    return t_.Deduce(op, {t_.Value(input)}, kwargs);
  }

  OpTester t_;
  Context& c_ = t_.context();
};

TEST_F(ElementwiseTest, BinariesBroadcastAndPromote) {
  for (const char* name :
       {"add", "sub", "mul", "div", "fmod", "maximum", "minimum", "cmp",
        "part_add", "part_mul", "part_max", "part_min"}) {
    const std::string op = absl::StrCat("tensor.", name);
    EXPECT_THAT(
        Binary(op, t_.Tensor({8, 1}, kInt32), t_.Tensor({1, 64}, kFP16)),
        IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP16))))
        << op;
    EXPECT_THAT(Binary(op, t_.Tensor({8, 64}, kFP16), t_.Tensor({64}, kFP32)),
                IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP32))))
        << op;
    EXPECT_THAT(
        Binary(op, t_.Tensor({8, 64}, kFP32), t_.Tensor({8, 32}, kFP32)),
        BreaksRule("MX-TENSOR-1", "[8, 64] and [8, 32]"))
        << op;
  }
}

TEST_F(ElementwiseTest, ResultIsFreshData) {
  TensorView view;
  view.layout = TensorLayout::kDN;
  view.pad = PadValue::kZero;
  const TensorType* input = t_.Tensor({8, 64}, kFP32, view);
  EXPECT_THAT(Binary("tensor.add", input, input),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP32))));
  EXPECT_THAT(Binary("tensor.add", Window({8, 64}, kFP32), input),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP32))));
}

TEST_F(ElementwiseTest, CommonValidRegionStays) {
  const TensorType* part = PartlyValid({8, 64}, {4, 64}, kFP32, PadValue::kMax);
  EXPECT_THAT(Binary("tensor.add", part, part),
              IsOkAndHolds(Eq(PartlyValid({8, 64}, {4, 64}, kFP32))));
  EXPECT_THAT(Binary("tensor.add", part, t_.Tensor({8, 64}, kFP32)),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP32))));
  for (const char* op : {"tensor.part_add", "tensor.cmp"}) {
    EXPECT_THAT(Binary(op, part, part),
                IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP32))))
        << op;
  }
}

TEST_F(ElementwiseTest, Division) {
  EXPECT_THAT(Binary("tensor.div", t_.Tensor({8}, DataType::kInt8),
                     t_.Tensor({8}, kFP32)),
              BreaksRule("MX-TENSOR-2", "INT8"));
  const std::vector<Attr> precise = {{"high_precision", AttrValue::Bool(true)}};
  EXPECT_THAT(Binary("tensor.div", t_.Tensor({8}, kFP16), t_.Tensor({8}, kFP16),
                     precise),
              IsOkAndHolds(Eq(t_.Tensor({8}, kFP16))));
  EXPECT_THAT(Binary("tensor.div", t_.Tensor({8}, kInt32),
                     t_.Tensor({8}, kInt32), precise),
              BreaksRule("MX-TENSOR-2", "high_precision"));
}

TEST_F(ElementwiseTest, ScalarsPromoteButBareIntegers) {
  const TensorType* fp16 = PartlyValid({8, 64}, {4, 64}, kFP16);
  for (const char* op : {"tensor.adds", "tensor.muls", "tensor.divs",
                         "tensor.fmods", "tensor.maximum"}) {
    EXPECT_THAT(WithScalar(op, fp16, c_.Index(2)), IsOkAndHolds(Eq(fp16)))
        << op;
    EXPECT_THAT(WithScalar(op, fp16, c_.Float(2.5)),
                IsOkAndHolds(Eq(PartlyValid({8, 64}, {4, 64}, kFP32))))
        << op;
  }
  EXPECT_THAT(WithScalar("tensor.subs", fp16, c_.Float(2.5)),
              IsOkAndHolds(Eq(fp16)));
  EXPECT_THAT(
      WithScalar("tensor.subs", t_.Tensor({8}, DataType::kUInt32), c_.Index(1)),
      BreaksRule("MX-TENSOR-2", "UINT32"));
  EXPECT_THAT(WithScalar("tensor.cmp", fp16, c_.Index(0)),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kFP16))));
}

TEST_F(ElementwiseTest, Bits) {
  const TensorType* ints = PartlyValid({8, 64}, {4, 64}, kInt16);
  const TensorType* words = PartlyValid({8, 64}, {4, 64}, kInt32);
  for (const char* name : {"and", "or"}) {
    const std::string op = absl::StrCat("tensor.", name);
    EXPECT_THAT(Binary(op, ints, words), IsOkAndHolds(Eq(words))) << op;
    EXPECT_THAT(WithScalar(op + "s", ints, c_.Int(1, kInt32)),
                IsOkAndHolds(Eq(ints)))
        << op;
    EXPECT_THAT(Binary(op, t_.Tensor({8}, kFP32), t_.Tensor({8}, kInt32)),
                BreaksRule("MX-TENSOR-2", "integer type, got FP32"));
    EXPECT_THAT(
        Binary(op, t_.Tensor({8, 1}, kInt32), t_.Tensor({8, 8}, kInt32)),
        BreaksRule("MX-TENSOR-1", "one shape"));
    EXPECT_THAT(WithScalar(op + "s", ints, c_.Float(1)),
                BreaksRule("MX-TENSOR-2", "an integer, got FP32"));
  }
  EXPECT_THAT(Binary("tensor.xor", ints, ints),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kInt16))));
  EXPECT_THAT(WithScalar("tensor.xors", ints, c_.Index(1)),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kInt16))));
}

TEST_F(ElementwiseTest, Shifts) {
  const TensorType* ints = t_.Tensor({8, 64}, kInt16);
  for (const char* name : {"shl", "shr"}) {
    const std::string op = absl::StrCat("tensor.", name);
    EXPECT_THAT(Binary(op, ints, t_.Tensor({8, 64}, kInt32)),
                IsOkAndHolds(Eq(ints)));
    EXPECT_THAT(WithScalar(op + "s", ints, c_.Index(3)),
                IsOkAndHolds(Eq(ints)));
    EXPECT_THAT(WithScalar(op + "s", ints, c_.Index(-1)),
                BreaksRule("MX-TENSOR-9", "got -1"));
  }
}

TEST_F(ElementwiseTest, Unaries) {
  const TensorType* ints =
      PartlyValid({8, 64}, {4, 64}, kInt16, PadValue::kZero);
  for (const char* op : {"tensor.neg", "tensor.abs", "tensor.not"}) {
    EXPECT_THAT(Unary(op, ints),
                IsOkAndHolds(Eq(PartlyValid({8, 64}, {4, 64}, kInt16))))
        << op;
  }
  for (const char* op :
       {"tensor.exp", "tensor.sqrt", "tensor.rsqrt", "tensor.recip"}) {
    EXPECT_THAT(Unary(op, ints),
                IsOkAndHolds(Eq(PartlyValid({8, 64}, {4, 64}, kFP32))))
        << op;
    EXPECT_THAT(Unary(op, t_.Tensor({8}, kFP16)),
                IsOkAndHolds(Eq(t_.Tensor({8}, kFP16))))
        << op;
  }
  for (const char* op : {"tensor.sin", "tensor.cos"}) {
    EXPECT_THAT(Unary(op, t_.Tensor({8}, kFP32)),
                IsOkAndHolds(Eq(t_.Tensor({8}, kFP32))));
    EXPECT_THAT(Unary(op, t_.Tensor({8}, kFP16)),
                BreaksRule("MX-TENSOR-2", "must be of FP32, got FP16"));
  }
  EXPECT_THAT(Unary("tensor.log", t_.Tensor({8}, kFP16)),
              IsOkAndHolds(Eq(t_.Tensor({8}, kFP16))));
  EXPECT_THAT(Unary("tensor.log", ints), BreaksRule("MX-TENSOR-2", "INT16"));
  EXPECT_THAT(Unary("tensor.not", t_.Tensor({8}, kInt32)),
              BreaksRule("MX-TENSOR-2", "INT16, UINT16, got INT32"));
}

TEST_F(ElementwiseTest, HighPrecision) {
  const std::vector<Attr> precise = {{"high_precision", AttrValue::Bool(true)}};
  EXPECT_THAT(Unary("tensor.recip", t_.Tensor({8}, DataType::kBF16), precise),
              BreaksRule("MX-TENSOR-2", "high_precision"));
  EXPECT_THAT(Unary("tensor.rsqrt", t_.Tensor({8}, DataType::kBF16), precise),
              IsOkAndHolds(Eq(t_.Tensor({8}, DataType::kBF16))));
  EXPECT_THAT(Unary("tensor.exp", t_.Tensor({8}, kFP32), precise),
              BreaksRule("MX-OP-3", "unknown kwarg high_precision"));
}

TEST_F(ElementwiseTest, Cast) {
  const auto to = [](DataType dtype) {
    return std::vector<Attr>{{"target_type", AttrValue::Of(dtype)},
                             {"mode", AttrValue::String("floor")}};
  };
  EXPECT_THAT(
      Unary("tensor.cast", PartlyValid({8, 64}, {4, 64}, kFP32, PadValue::kMin),
            to(kInt32)),
      IsOkAndHolds(Eq(PartlyValid({8, 64}, {4, 64}, kInt32))));
  EXPECT_THAT(Unary("tensor.cast", t_.Tensor({8}, kFP32), to(kFP32)),
              BreaksRule("MX-TENSOR-2", "of FP32 already"));
  EXPECT_THAT(Unary("tensor.cast", t_.Tensor({8}, kFP32)),
              BreaksRule("MX-OP-3", "target_type is missing"));
}

TEST_F(ElementwiseTest, ShortFormsByOperands) {
  const OpRegistry& ops = StandardOps();
  const Type* tensor = t_.Tensor({8}, kFP32);
  const Type* scalar = c_.GetScalarType(kFP32);
  for (const char* name : {"add", "tensor.add"}) {
    EXPECT_EQ(ops.FindShort(name, {{"", tensor}, {"", tensor}}),
              ops.Find("tensor.add"))
        << name;
    EXPECT_EQ(ops.FindShort(name, {{"", tensor}, {"", scalar}}),
              ops.Find("tensor.adds"))
        << name;
  }
  EXPECT_EQ(ops.FindShort("muls", {{"", tensor}, {"", scalar}}),
            ops.Find("tensor.muls"));
  EXPECT_EQ(ops.FindShort("cmp", {{"", tensor}, {"", scalar}}),
            ops.Find("tensor.cmp"));
  EXPECT_EQ(ops.FindShort("exp", {{"", tensor}}), ops.Find("tensor.exp"));
}

}  // namespace
}  // namespace mxtile::ir
