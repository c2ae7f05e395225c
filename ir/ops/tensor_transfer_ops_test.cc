#include "ir/ops/tensor_transfer_ops.h"

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

constexpr DataType kFP32 = DataType::kFP32;

class TransferTest : public ::testing::Test {
 protected:
  const TensorType* Window(const Ints& shape, DataType dtype = kFP32) {
    TensorType type = *t_.Tensor(shape, dtype);
    type.kind = TypeKind::kDistributedTensor;
    return t_.context().GetTensorType(type);
  }
  absl::StatusOr<const Type*> Put(const Type* dst, const Type* src,
                                  const std::vector<Ints>& region = {},
                                  const std::vector<Attr>& kwargs = {}) {
    std::vector<const Expr*> args = {t_.Value(dst), t_.Dim(1), t_.Value(src)};
    for (const Ints& list : region) args.push_back(t_.List(list));
    return t_.Deduce("pld.tensor.put", args, kwargs);
  }
  absl::StatusOr<const Type*> Store(const Type* src, const Type* target,
                                    const Ints& offsets) {
    return t_.Deduce(
        "pld.tensor.remote_store",
        {t_.Value(src), t_.Value(target), t_.Dim(1), t_.List(offsets)});
  }
  auto IsNothing() {
    return IsOkAndHolds(Eq(t_.context().GetMarkerType(TypeKind::kUnknown)));
  }

  OpTester t_;
  Context& c_ = t_.context();
};

TEST_F(TransferTest, AllocWindowBuffer) {
  const auto alloc = [this](const Expr* size, std::vector<Attr> kwargs) {
    return t_.Deduce("pld.tensor.alloc_window_buffer", {size}, kwargs);
  };
  const Attr dtype = {"dtype", AttrValue::Of(kFP32)};
  const auto is_pointer = IsOkAndHolds(Eq(c_.GetMarkerType(TypeKind::kPtr)));
  EXPECT_THAT(alloc(c_.Index(64), {{"name", AttrValue::String("buf")}}),
              is_pointer);
  EXPECT_THAT(alloc(t_.List({8, kSymbolic}), {dtype}), is_pointer);
  EXPECT_THAT(alloc(t_.List({8}), {}), BreaksRule("MX-TENSOR-9", "a dtype"));
  EXPECT_THAT(alloc(c_.Index(8), {dtype}),
              BreaksRule("MX-TENSOR-9", "a dtype"));
  EXPECT_THAT(alloc(t_.List({8, 0}), {dtype}),
              BreaksRule("MX-TENSOR-9", "positive, got [8, 0]"));
  EXPECT_THAT(alloc(t_.List({}), {dtype}), BreaksRule("MX-TENSOR-4", "empty"));
}

TEST_F(TransferTest, WindowIsDistributed) {
  const Expr* buffer = t_.Value(c_.GetMarkerType(TypeKind::kPtr));
  const std::vector<Attr> dtype = {{"dtype", AttrValue::Of(kFP32)}};
  EXPECT_THAT(t_.Deduce("pld.tensor.window", {buffer, t_.List({8, 64})}, dtype),
              IsOkAndHolds(Eq(Window({8, 64}))));
  EXPECT_THAT(
      t_.Deduce("pld.tensor.window", {t_.Dim(1), t_.List({8, 64})}, dtype),
      BreaksRule("MX-OP-2", "buf must be a pointer"));
}

TEST_F(TransferTest, WholeTransfers) {
  EXPECT_THAT(Put(Window({8, 64}), t_.Tensor({8, 64}, kFP32)), IsNothing());
  EXPECT_THAT(Put(t_.Tensor({8, 64}, kFP32), Window({8, 64})),
              BreaksRule("MX-OP-2", "dst must be a distributed tensor"));
  EXPECT_THAT(
      t_.Deduce("pld.tensor.get", {t_.Value(t_.Tensor({8, 64}, kFP32)),
                                   t_.Dim(1), t_.Value(Window({8, 64}))}),
      IsNothing());
  EXPECT_THAT(Put(Window({8, 64}), t_.Tensor({4, 64}, kFP32)),
              BreaksRule("MX-TENSOR-1", "[8, 64] and [4, 64]"));
  EXPECT_THAT(Put(Window({8, 64}), t_.Tensor({64}, kFP32)),
              BreaksRule("MX-TENSOR-4", "src must have rank 2"));
  EXPECT_THAT(Put(Window({8, 64}), t_.Tensor({8, 64}, DataType::kFP16)),
              BreaksRule("MX-TENSOR-3", "FP16"));
  EXPECT_THAT(
      Put(Window({8}, DataType::kUInt8), t_.Tensor({8}, DataType::kUInt8), {},
          {{"atomic", AttrValue::String("Add")}}),
      BreaksRule("MX-TENSOR-2", "UINT8"));
}

TEST_F(TransferTest, Regions) {
  const TensorType* src = t_.Tensor({4, 64}, kFP32);
  EXPECT_THAT(Put(Window({8, 64}), src, {{4, 0}, {0, 0}, {4, 64}}),
              IsNothing());
  EXPECT_THAT(Put(Window({8, 64}), src, {{5, 0}, {0, 0}, {4, 64}}),
              BreaksRule("MX-TENSOR-7", "offset 5 + extent 4 > size 8"));
  EXPECT_THAT(Put(Window({8, 64}), src, {{0, 0}, {1, 0}, {4, 64}}),
              BreaksRule("MX-TENSOR-7", "src is accessed"));
  EXPECT_THAT(Put(Window({8, 64}), src, {{0}, {0, 0}, {4, 64}}),
              BreaksRule("MX-TENSOR-7", "must have the rank of dst"));
  EXPECT_THAT(Put(Window({8, 64}), src, {{0, 0}}),
              BreaksRule("MX-TENSOR-7", "come together"));
}

TEST_F(TransferTest, Chunks) {
  const auto chunks = [](int64_t rows, int64_t cols, bool pipeline) {
    return std::vector<Attr>{{"chunk_rows", AttrValue::Int(rows)},
                             {"chunk_cols", AttrValue::Int(cols)},
                             {"pipeline", AttrValue::Bool(pipeline)}};
  };
  const TensorType* dst = Window({kSymbolic, 64});
  const TensorType* src = t_.Tensor({kSymbolic, 64}, kFP32);
  EXPECT_THAT(Put(dst, src), BreaksRule("MX-TENSOR-11", "chunk_rows"));
  EXPECT_THAT(Put(dst, src, {}, chunks(4, 0, false)), IsNothing());
  EXPECT_THAT(Put(dst, src, {}, chunks(4, 0, true)),
              BreaksRule("MX-TENSOR-11", "chunk_cols"));
  EXPECT_THAT(Put(dst, src, {}, chunks(4, -1, false)),
              BreaksRule("MX-TENSOR-9", "chunk_cols"));
}

TEST_F(TransferTest, RemoteStore) {
  EXPECT_THAT(
      Store(t_.Tensor({1, 8, 64}, kFP32), Window({2, 16, 64}), {1, 8, 0}),
      IsNothing());
  EXPECT_THAT(Store(t_.Tensor({8, 64}, kFP32), Window({16, 64}), {9, 0}),
              BreaksRule("MX-TENSOR-7", "offset 9 + extent 8 > size 16"));
  EXPECT_THAT(Store(t_.Tensor({8, 64}, kFP32), Window({16, 64}), {0}),
              BreaksRule("MX-TENSOR-7", "rank of target"));
  EXPECT_THAT(Store(t_.Tensor({2, 8, 64}, kFP32), Window({16, 64}), {0, 0}),
              BreaksRule("MX-TENSOR-1", "one matrix"));
  EXPECT_THAT(Store(Window({8, 64}), Window({16, 64}), {0, 0}),
              BreaksRule("MX-OP-2", "not distributed"));
}

TEST_F(TransferTest, DistributedRuntimeHasNoTypes) {
  EXPECT_THAT(t_.Deduce("dist.submit_worker", {t_.Dim(0)}), IsNothing());
  EXPECT_THAT(t_.Deduce("dist.tree_reduce", {t_.Dim(0)}),
              BreaksRule("MX-OP-1", "takes 2 arguments (rt, leaves)"));
}

TEST_F(TransferTest, ShortForms) {
  const OpRegistry& ops = StandardOps();
  EXPECT_EQ(ops.FindShort("pld.window"), ops.Find("pld.tensor.window"));
  EXPECT_EQ(ops.FindShort("pld.alloc_window_buffer"),
            ops.Find("pld.tensor.alloc_window_buffer"));
  EXPECT_EQ(
      ops.FindShort("pld.remote_store", {{"", t_.Tensor({8, 64}, kFP32)}}),
      ops.Find("pld.tensor.remote_store"));
}

}  // namespace
}  // namespace mxtile::ir
