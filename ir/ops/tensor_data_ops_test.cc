#include "ir/ops/tensor_data_ops.h"

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
constexpr DataType kInt32 = DataType::kInt32;

std::vector<Attr> Of(DataType dtype) {
  return {{"dtype", AttrValue::Of(dtype)}};
}

class DataTest : public ::testing::Test {
 protected:
  absl::StatusOr<const Type*> Read(const Type* tensor, const Ints& indices) {
    return t_.Deduce("tensor.read", {t_.Value(tensor), t_.List(indices)});
  }
  absl::StatusOr<const Type*> Write(const Type* tensor, const Ints& indices,
                                    const Expr* value) {
    return t_.Deduce("tensor.write",
                     {t_.Value(tensor), t_.List(indices), value});
  }

  OpTester t_;
  Context& c_ = t_.context();
};

TEST_F(DataTest, Full) {
  EXPECT_THAT(t_.Deduce("tensor.full", {t_.List({8, kSymbolic}), c_.Index(0)},
                        Of(kFP32)),
              IsOkAndHolds(Eq(t_.Tensor({8, kSymbolic}, kFP32))));
  EXPECT_THAT(
      t_.Deduce("tensor.full", {t_.List({8}), t_.Dim(kSymbolic)}, Of(kFP32)),
      BreaksRule("MX-TENSOR-9", "constant number"));
  EXPECT_THAT(
      t_.Deduce("tensor.full", {t_.List({8, 0}), c_.Index(0)}, Of(kFP32)),
      BreaksRule("MX-OP-6", "positive"));
}

TEST_F(DataTest, Ci) {
  EXPECT_THAT(t_.Deduce("tensor.ci", {c_.Index(0), t_.List({1, 32})}),
              IsOkAndHolds(Eq(t_.Tensor({1, 32}, kInt32))));
  EXPECT_THAT(t_.Deduce("tensor.ci", {c_.Int(0, kInt32), t_.List({1, 32})},
                        Of(DataType::kInt16)),
              BreaksRule("MX-TENSOR-2", "start must be of INT16, got INT32"));
  EXPECT_THAT(
      t_.Deduce("tensor.ci", {c_.Index(0), t_.List({1, 32})}, Of(kFP32)),
      BreaksRule("MX-TENSOR-2", "dtype"));
  for (const Ints& shape : {Ints{2, 32}, Ints{1, 1}, Ints{}}) {
    EXPECT_THAT(t_.Deduce("tensor.ci", {c_.Index(0), t_.List(shape)}),
                BreaksRule("MX-TENSOR-1", "one row"));
  }
}

TEST_F(DataTest, Random) {
  const auto random = [this](const Ints& shape, std::vector<Attr> kwargs) {
    std::vector<const Expr*> args(6, c_.Index(1));
    args.push_back(t_.List(shape));
    return t_.Deduce("tensor.random", args, kwargs);
  };
  EXPECT_THAT(random({8, 64}, {}),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, DataType::kUInt32))));
  EXPECT_THAT(random({8, 64}, Of(kInt32)),
              IsOkAndHolds(Eq(t_.Tensor({8, 64}, kInt32))));
  EXPECT_THAT(random({8, 64}, Of(kFP32)), BreaksRule("MX-TENSOR-2", "FP32"));
  EXPECT_THAT(random({8, 64}, {{"rounds", AttrValue::Int(8)}}),
              BreaksRule("MX-TENSOR-9", "got 8"));
  EXPECT_THAT(random({64}, {}), BreaksRule("MX-TENSOR-4", "[64]"));
}

TEST_F(DataTest, CreateL1AndAlloc) {
  EXPECT_THAT(t_.Deduce("tensor.create_l1", {t_.List({16, 64})}, Of(kFP32)),
              IsOkAndHolds(Eq(t_.Tensor({16, 64}, kFP32))));
  EXPECT_THAT(
      t_.Deduce("tensor.create_l1", {t_.List({kSymbolic, 64})}, Of(kFP32)),
      BreaksRule("MX-TENSOR-1", "[n, 64]"));
  EXPECT_THAT(t_.Deduce("tensor.alloc", {c_.Index(0), c_.Index(1024)}),
              IsOkAndHolds(Eq(c_.GetMarkerType(TypeKind::kPtr))));
}

TEST_F(DataTest, ReadAndWrite) {
  const TensorType* tensor = t_.Tensor({8, 64}, kInt32);
  EXPECT_THAT(Read(tensor, {7, kSymbolic}),
              IsOkAndHolds(Eq(c_.GetScalarType(kInt32))));
  EXPECT_THAT(Read(tensor, {7}), BreaksRule("MX-TENSOR-7", "[7] into [8, 64]"));
  EXPECT_THAT(Read(tensor, {8, 0}), BreaksRule("MX-TENSOR-7", "index 8"));
  EXPECT_THAT(Read(tensor, {-1, 0}), BreaksRule("MX-TENSOR-7", "index -1"));
  EXPECT_THAT(Write(tensor, {0, 0}, c_.Index(3)), IsOkAndHolds(Eq(tensor)));
  EXPECT_THAT(Write(tensor, {0, 0}, c_.Float(3)),
              BreaksRule("MX-TENSOR-2", "value must be of INT32, got FP32"));
  EXPECT_THAT(Write(tensor, {0, 64}, c_.Index(3)),
              BreaksRule("MX-TENSOR-7", "index 64"));
}

TEST_F(DataTest, Queries) {
  const Expr* tensor = t_.Value(t_.Tensor({8, 64}, kFP32));
  EXPECT_THAT(t_.Deduce("tensor.dim", {tensor, t_.Dim(-1)}),
              IsOkAndHolds(Eq(c_.IndexType())));
  EXPECT_THAT(t_.Deduce("tensor.dim", {tensor, t_.Dim(2)}),
              BreaksRule("MX-TENSOR-5", "axis 2"));
  for (const char* op : {"tensor.get_block_idx", "tensor.get_block_num",
                         "tensor.get_subblock_idx"}) {
    EXPECT_THAT(t_.Deduce(op, {}), IsOkAndHolds(Eq(c_.IndexType()))) << op;
  }
}

}  // namespace
}  // namespace mxtile::ir
