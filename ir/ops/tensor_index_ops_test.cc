#include "ir/ops/tensor_index_ops.h"

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

constexpr DataType kFP16 = DataType::kFP16;
constexpr DataType kFP32 = DataType::kFP32;
constexpr DataType kInt16 = DataType::kInt16;
constexpr DataType kInt32 = DataType::kInt32;

Attr Int(absl::string_view name, int64_t value) {
  return {name, AttrValue::Int(value)};
}

class IndexTest : public ::testing::Test {
 protected:
  absl::StatusOr<const Type*> Deduce(const std::string& op,
                                     const std::vector<const Type*>& types,
                                     const std::vector<Attr>& kwargs = {}) {
    std::vector<const Expr*> args;
    for (const Type* type : types) args.push_back(t_.Value(type));
    return t_.Deduce(op, args, kwargs);
  }
  const TensorType* T(const Ints& shape, DataType dtype) {
    return t_.Tensor(shape, dtype);
  }

  OpTester t_;
  Context& c_ = t_.context();
};

TEST_F(IndexTest, Gather) {
  const Attr last = Int("dim", -1);
  EXPECT_THAT(
      Deduce("tensor.gather", {T({8, 64}, kFP32), T({4, 128}, kInt32)}, {last}),
      IsOkAndHolds(Eq(T({4, 128}, kFP32))));
  EXPECT_THAT(
      Deduce("tensor.gather", {T({8, 64}, kFP16), T({8, 3}, kInt16)}, {last}),
      IsOkAndHolds(Eq(T({8, 3}, kFP16))));
  EXPECT_THAT(
      Deduce("tensor.gather", {T({8, 64}, kFP32), T({8, 3}, kInt16)}, {last}),
      BreaksRule("MX-TENSOR-2", "index must be of INT32, got INT16"));
  EXPECT_THAT(
      Deduce("tensor.gather", {T({8, 64}, kFP32), T({9, 3}, kInt32)}, {last}),
      BreaksRule("MX-TENSOR-1", "9 and 8"));
  EXPECT_THAT(Deduce("tensor.gather", {T({8, 64}, kFP32), T({8, 3}, kInt32)},
                     {Int("dim", 2)}),
              BreaksRule("MX-TENSOR-5", "axis 2"));
  EXPECT_THAT(
      Deduce("tensor.gather", {T({8, 64}, kFP32), T({8}, kInt32)}, {last}),
      BreaksRule("MX-TENSOR-4", "index"));
}

TEST_F(IndexTest, GatherMask) {
  const TensorType* input = T({8, 64}, kFP32);
  EXPECT_THAT(Deduce("tensor.gather_mask", {input}, {Int("mask_pattern", 2)}),
              IsOkAndHolds(Eq(T({8, 32}, kFP32))));
  EXPECT_THAT(Deduce("tensor.gather_mask", {input},
                     {{"mask_pattern", AttrValue::String("P0001")},
                      {"output_dtype", AttrValue::Of(kInt32)}}),
              IsOkAndHolds(Eq(T({8, 16}, kInt32))));
  EXPECT_THAT(Deduce("tensor.gather_mask", {input}, {Int("mask_pattern", 7)}),
              IsOkAndHolds(Eq(input)));
  EXPECT_THAT(Deduce("tensor.gather_mask", {input}, {Int("mask_pattern", 0)}),
              BreaksRule("MX-TENSOR-9", "got 0"));
  EXPECT_THAT(Deduce("tensor.gather_mask", {T({8, 30}, kFP32)},
                     {Int("mask_pattern", 3)}),
              BreaksRule("MX-TENSOR-1", "divide 30"));
  EXPECT_THAT(
      Deduce("tensor.gather_mask", {input},
             {Int("mask_pattern", 1), {"output_dtype", AttrValue::Of(kFP16)}}),
      BreaksRule("MX-TENSOR-2", "as wide as FP32"));
}

TEST_F(IndexTest, GatherCompare) {
  const std::vector<Attr> kwargs = {{"cmp_mode", AttrValue::String("gt")},
                                    Int("out_cols", 16)};
  const Type* elements[] = {T({8, 16}, kInt32), T({1, 8}, kInt32)};
  EXPECT_THAT(Deduce("tensor.gather_compare",
                     {T({8, 64}, kFP32), c_.GetScalarType(kFP32)}, kwargs),
              IsOkAndHolds(Eq(c_.GetTupleType(elements))));
  EXPECT_THAT(Deduce("tensor.gather_compare",
                     {T({8, 64}, kFP32), c_.GetScalarType(kInt32)}, kwargs),
              BreaksRule("MX-TENSOR-2", "kvalue must be of FP32"));
}

TEST_F(IndexTest, PagedGatherAndGatherRow) {
  const std::vector<const Type*> types = {T({512, 64}, kFP16),
                                          T({1, 8}, kInt32), T({4}, kInt32)};
  const std::vector<Attr> kwargs = {Int("block_size", 128), Int("size", 32),
                                    Int("max_indices", 8)};
  EXPECT_THAT(Deduce("tensor.paged_gather", types, kwargs),
              IsOkAndHolds(Eq(T({8, 32}, kFP16))));
  std::vector<Attr> transposed = kwargs;
  transposed.push_back({"is_trans", AttrValue::Bool(true)});
  EXPECT_THAT(Deduce("tensor.paged_gather", types, transposed),
              IsOkAndHolds(Eq(T({32, 8}, kFP16))));
  std::vector<Attr> beyond = kwargs;
  beyond.push_back(Int("col_off", 33));
  EXPECT_THAT(Deduce("tensor.paged_gather", types, beyond),
              BreaksRule("MX-TENSOR-7", "column 65 of 64"));
  const Expr* acc = t_.Value(T({16, 128}, kFP16));
  const Expr* src = t_.Value(T({64, 128}, kFP16));
  const Expr* zero = t_.List({0, kSymbolic});
  EXPECT_THAT(
      t_.Deduce("tensor.gather_row", {acc, src, zero, zero, t_.List({4, 128}),
                                      t_.List({kSymbolic, 128})}),
      IsOkAndHolds(Eq(acc->type)));
  EXPECT_THAT(t_.Deduce("tensor.gather_row",
                        {acc, src, zero, zero, t_.List({kSymbolic, 128})}),
              BreaksRule("MX-TENSOR-7", "constants"));
  EXPECT_THAT(
      t_.Deduce("tensor.gather_row",
                {acc, src, zero, zero, t_.List({4, 128}), t_.List({5, 128})}),
      BreaksRule("MX-TENSOR-8", "[5, 128]"));
}

TEST_F(IndexTest, Scatters) {
  const TensorType* input = T({8, 64}, kFP32);
  const Attr last = Int("dim", -1);
  EXPECT_THAT(Deduce("tensor.scatter",
                     {input, T({4, 16}, kInt32), T({4, 16}, kFP32)}, {last}),
              IsOkAndHolds(Eq(input)));
  EXPECT_THAT(Deduce("tensor.scatter",
                     {input, T({4, 16}, kInt16), T({4, 16}, kFP32)}, {last}),
              BreaksRule("MX-TENSOR-2", "index must be of INT32"));
  EXPECT_THAT(Deduce("tensor.scatter",
                     {input, T({4, 8}, kInt32), T({4, 16}, kFP32)}, {last}),
              BreaksRule("MX-TENSOR-1", "8 and 16"));
  EXPECT_THAT(Deduce("tensor.scatter",
                     {input, T({9, 16}, kInt32), T({9, 16}, kFP32)}, {last}),
              BreaksRule("MX-TENSOR-1", "9 and 8"));
  EXPECT_THAT(
      Deduce("tensor.scatter", {input, T({4, 16}, kInt32), T({4, 16}, kFP32)},
             {Int("dim", 0)}),
      BreaksRule("MX-TENSOR-9", "last dim"));
  EXPECT_THAT(Deduce("tensor.scatter_mask", {T({8, 16}, kFP32), input},
                     {Int("mask_pattern", 4)}),
              IsOkAndHolds(Eq(input)));
  EXPECT_THAT(Deduce("tensor.scatter_mask", {T({8, 16}, kFP32), input},
                     {Int("mask_pattern", 1)}),
              BreaksRule("MX-TENSOR-1", "64 and 32"));
  EXPECT_THAT(
      Deduce("tensor.scatter_update",
             {input, T({2, 2}, kInt32), T({4, 64}, kFP32)}, {Int("dim", -2)}),
      IsOkAndHolds(Eq(input)));
  EXPECT_THAT(
      Deduce("tensor.scatter_update",
             {input, T({2, 2}, kInt32), T({4, 64}, kFP32)}, {Int("dim", -1)}),
      BreaksRule("MX-TENSOR-9", "[-2, -2], got -1"));
  EXPECT_THAT(Deduce("tensor.scatter_update",
                     {input, T({2, 2}, kFP32), T({4, 64}, kFP32)}),
              BreaksRule("MX-TENSOR-2", "integer"));
}

TEST_F(IndexTest, Sorts) {
  const DataType kUInt32 = DataType::kUInt32;
  EXPECT_THAT(Deduce("tensor.sort32", {T({4, 64}, kFP32), T({4, 64}, kUInt32)}),
              IsOkAndHolds(Eq(T({4, 128}, kFP32))));
  EXPECT_THAT(Deduce("tensor.sort32", {T({4, 48}, kFP32), T({4, 48}, kUInt32)}),
              BreaksRule("MX-TENSOR-1", "got 48"));
  EXPECT_THAT(Deduce("tensor.sort32", {T({4, 64}, kFP32), T({4, 64}, kInt32)}),
              BreaksRule("MX-TENSOR-2", "idx must be of UINT32"));
  EXPECT_THAT(t_.Deduce("tensor.mrgsort_format1",
                        {t_.Value(T({1, 256}, kFP32)), c_.Index(64)}),
              IsOkAndHolds(Eq(T({1, 256}, kFP32))));
  EXPECT_THAT(t_.Deduce("tensor.mrgsort_format1",
                        {t_.Value(T({1, 256}, kFP32)), c_.Index(32)}),
              BreaksRule("MX-TENSOR-9", "got 32"));
  EXPECT_THAT(
      Deduce("tensor.mrgsort_format2",
             {T({1, 128}, kFP32), T({1, 64}, kFP32), T({1, 64}, kFP32)}),
      IsOkAndHolds(Eq(T({1, 256}, kFP32))));
  EXPECT_THAT(
      Deduce("tensor.mrgsort_format2", {T({1, 128}, kFP32), T({2, 64}, kFP32)}),
      BreaksRule("MX-TENSOR-1", "2 and 1"));
}

TEST_F(IndexTest, ShortFormsByKeyword) {
  const OpRegistry& ops = StandardOps();
  const Type* tensor = T({8, 64}, kFP32);
  EXPECT_EQ(ops.FindShort("tensor.gather", {{"", tensor}}),
            ops.Find("tensor.gather"));
  EXPECT_EQ(ops.FindShort("gather", {{"", tensor}, {"mask_pattern", nullptr}}),
            ops.Find("tensor.gather_mask"));
  EXPECT_EQ(ops.FindShort("gather", {{"", tensor}, {"kvalue", nullptr}}),
            ops.Find("tensor.gather_compare"));
  EXPECT_EQ(ops.FindShort("scatter", {{"", tensor}, {"mask_pattern", nullptr}}),
            ops.Find("tensor.scatter_mask"));
  EXPECT_EQ(ops.FindShort("mrgsort", {{"", tensor}, {"block_len", nullptr}}),
            ops.Find("tensor.mrgsort_format1"));
}

}  // namespace
}  // namespace mxtile::ir
