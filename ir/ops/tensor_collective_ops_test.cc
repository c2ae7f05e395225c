#include "ir/ops/tensor_collective_ops.h"

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
#include "ir/ops/standard_ops.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::Eq;
using ::testing::Optional;

constexpr DataType kFP16 = DataType::kFP16;
constexpr DataType kFP32 = DataType::kFP32;
constexpr DataType kInt32 = DataType::kInt32;

class CollectiveTest : public ::testing::Test {
 protected:
  const TensorType* Window(const Ints& shape, DataType dtype = kFP32) {
    TensorType type = *t_.Tensor(shape, dtype);
    type.kind = TypeKind::kDistributedTensor;
    return t_.context().GetTensorType(type);
  }
  const TensorType* Counters(const Ints& shape) {
    return Window(shape, kInt32);
  }
  absl::StatusOr<const Type*> Deduce(const std::string& op,
                                     const std::vector<const Type*>& types,
                                     const std::vector<Attr>& kwargs = {}) {
    std::vector<const Expr*> args;
    for (const Type* type : types) args.push_back(t_.Value(type));
    return t_.Deduce(op, args, kwargs);
  }

  const Attr dtype_ = {"dtype", AttrValue::Of(kFP32)};
  OpTester t_;
};

TEST_F(CollectiveTest, AllReduce) {
  const TensorType* data = Window({8, 64}, kFP16);
  EXPECT_THAT(Deduce("pld.tensor.allreduce", {data}), IsOkAndHolds(Eq(data)));
  EXPECT_THAT(Deduce("pld.tensor.allreduce", {data, Counters({4, 2, 1})},
                     {{"op", AttrValue::Enum("pld.ReduceOp", "Max")},
                      {"mode", AttrValue::String("ring")},
                      {"core_num", AttrValue::Int(4)}}),
              IsOkAndHolds(Eq(data)));
  EXPECT_THAT(Deduce("pld.tensor.allreduce", {Window({8}, kInt32)}),
              BreaksRule("MX-TENSOR-2", "INT32"));
  EXPECT_THAT(Deduce("pld.tensor.allreduce", {data, Window({4})}),
              BreaksRule("MX-TENSOR-12", "signal must be INT32"));
  EXPECT_THAT(
      Deduce("pld.tensor.allreduce", {data}, {{"core_num", AttrValue::Int(0)}}),
      BreaksRule("MX-TENSOR-9", "core_num"));
  EXPECT_THAT(Deduce("pld.tensor.allreduce", {t_.Tensor({8}, kFP32)}),
              BreaksRule("MX-OP-2", "target must be a distributed tensor"));
}

TEST_F(CollectiveTest, BuiltinAllReduce) {
  const std::string op = "builtin.tensor.allreduce";
  const TensorType* data = Window({8, 64});
  const Attr cores = {"core_num", AttrValue::Int(4)};
  EXPECT_THAT(Deduce(op, {data, Counters({2})}, {dtype_}),
              IsOkAndHolds(Eq(data)));
  EXPECT_THAT(Deduce(op, {data, Counters({2, 4})}, {dtype_, cores}),
              IsOkAndHolds(Eq(data)));
  EXPECT_THAT(Deduce(op, {data, Counters({2})}, {dtype_, cores}),
              BreaksRule("MX-TENSOR-12", "[2] for 4 cores"));
  EXPECT_THAT(Deduce(op, {Window({8}, kFP16), Counters({2})}, {dtype_}),
              BreaksRule("MX-TENSOR-2", "dtype must be of FP16, got FP32"));
  EXPECT_THAT(Deduce(op, {data, Counters({2})}),
              BreaksRule("MX-OP-3", "dtype is missing"));
}

TEST_F(CollectiveTest, Ring) {
  const std::string op = "builtin.tensor.allreduce_ring";
  const TensorType* data = Window({8, 64});
  EXPECT_THAT(Deduce(op, {data, Counters({7, 4})}, {dtype_}),
              IsOkAndHolds(Eq(data)));
  EXPECT_THAT(Deduce(op, {data, Counters({8, 4})}, {dtype_}),
              BreaksRule("MX-TENSOR-12", "got [8, 4]"));
  EXPECT_THAT(Deduce(op, {data, Counters({33, 17})}, {dtype_}),
              BreaksRule("MX-TENSOR-12", "at most 16"));
  EXPECT_THAT(Deduce(op, {data, Counters({5, 3})}, {dtype_}),
              BreaksRule("MX-TENSOR-1", "3 equal chunks"));
  EXPECT_THAT(Deduce(op, {data, Counters({7, 4})},
                     {dtype_, {"op", AttrValue::String("Max")}}),
              BreaksRule("MX-TENSOR-9", "Sum only, got Max"));
}

TEST_F(CollectiveTest, ReduceScatterBroadcastBarrier) {
  const TensorType* data = Window({4, 64});
  const TensorType* signal = Counters({4});
  const Attr root = {"root", AttrValue::Int(1)};
  EXPECT_THAT(Deduce("pld.tensor.reduce_scatter", {data, signal}),
              IsOkAndHolds(Eq(data)));
  EXPECT_THAT(Deduce("pld.tensor.reduce_scatter", {Window({64}), signal}),
              BreaksRule("MX-TENSOR-4", "rank 2"));
  EXPECT_THAT(Deduce("builtin.tensor.reduce_scatter", {data, signal}, {dtype_}),
              IsOkAndHolds(Eq(data)));
  EXPECT_THAT(Deduce("pld.tensor.broadcast", {data, signal}, {root}),
              IsOkAndHolds(Eq(data)));
  EXPECT_THAT(Deduce("pld.tensor.broadcast", {data, signal},
                     {{"root", AttrValue::Int(-1)}}),
              BreaksRule("MX-TENSOR-9", "root"));
  EXPECT_THAT(Deduce("builtin.tensor.broadcast", {data, Counters({4, 1})},
                     {root, dtype_}),
              BreaksRule("MX-TENSOR-12", "[NR], got INT32 [4, 1]"));
  EXPECT_THAT(Deduce("pld.tensor.barrier", {Counters({4, 1})}),
              IsOkAndHolds(Eq(Counters({4, 1}))));
  EXPECT_THAT(Deduce("builtin.tensor.barrier", {signal}),
              IsOkAndHolds(Eq(signal)));
}

TEST_F(CollectiveTest, AllGather) {
  const TensorType* target = Window({4, 64});
  const TensorType* row = t_.Tensor({1, 64}, kFP32);
  const std::string op = "pld.tensor.allgather";
  EXPECT_THAT(Deduce(op, {row, target, Counters({4, 1})}),
              IsOkAndHolds(Eq(target)));
  EXPECT_THAT(Deduce(op, {t_.Tensor({4, 64}, kFP32), target, Counters({4})}),
              BreaksRule("MX-TENSOR-1", "[1, SIZE], got [4, 64]"));
  EXPECT_THAT(Deduce(op, {t_.Tensor({1, 32}, kFP32), target, Counters({4})}),
              BreaksRule("MX-TENSOR-1", "32 and 64"));
  EXPECT_THAT(Deduce(op, {row, target, Counters({2})}),
              BreaksRule("MX-TENSOR-1", "2 and 4"));
  EXPECT_THAT(Deduce(op, {row, target, Counters({4, 2})}),
              BreaksRule("MX-TENSOR-12", "[NR] or [NR, 1]"));
  EXPECT_THAT(Deduce(op, {t_.Tensor({1, 64}, kFP16), target, Counters({4})}),
              BreaksRule("MX-TENSOR-3", "FP16"));
  EXPECT_THAT(Deduce("builtin.tensor.allgather", {row, target, Counters({4})},
                     {dtype_}),
              BreaksRule("MX-OP-2", "input must be a distributed tensor"));
}

TEST_F(CollectiveTest, AllToAll) {
  const TensorType* target = Window({4, 64});
  EXPECT_THAT(Deduce("pld.tensor.all_to_all",
                     {t_.Tensor({4, 64}, kFP32), target, Counters({4})}),
              IsOkAndHolds(Eq(target)));
  EXPECT_THAT(Deduce("pld.tensor.all_to_all",
                     {t_.Tensor({2, 64}, kFP32), target, Counters({4})}),
              BreaksRule("MX-TENSOR-1", "2 and 4"));
  const Expr* window = t_.Value(target);
  EXPECT_THAT(t_.Deduce("pld.tensor.all_to_all",
                        {window, window, t_.Value(Counters({4}))}),
              BreaksRule("MX-TENSOR-12", "different buffers"));
}

TEST_F(CollectiveTest, AllToAllV) {
  const std::string op = "pld.tensor.all_to_all_v";
  const TensorType* input = t_.Tensor({8, 64}, kFP32);
  const TensorType* target = Window({8, 64});
  const TensorType* column = Counters({4, 1});
  EXPECT_THAT(
      Deduce(op, {input, target, column, t_.Tensor({4}, kInt32), column}),
      IsOkAndHolds(Eq(target)));
  EXPECT_THAT(
      Deduce(op, {input, target, column, t_.Tensor({3}, kInt32), column}),
      BreaksRule("MX-TENSOR-1", "3 and 4"));
  EXPECT_THAT(Deduce(op, {input, target, Counters({3, 1}),
                          t_.Tensor({3}, kInt32), Counters({3, 1})}),
              BreaksRule("MX-TENSOR-12", "divides"));
  EXPECT_THAT(Deduce(op, {input, target, column, t_.Tensor({4}, kInt32),
                          Counters({4})}),
              BreaksRule("MX-TENSOR-12", "recv_counts must be INT32"));
}

TEST_F(CollectiveTest, ResultIsTheWindowThatReceives) {
  EXPECT_THAT(StandardOps().Find("pld.tensor.allreduce")->result_aliases_arg,
              Optional(0));
  EXPECT_THAT(StandardOps().Find("pld.tensor.allgather")->result_aliases_arg,
              Optional(1));
  EXPECT_TRUE(StandardOps().Find("pld.tensor.barrier")->has_effect);
}

}  // namespace
}  // namespace mxtile::ir
