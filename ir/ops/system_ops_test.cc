#include "ir/ops/system_ops.h"

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

constexpr auto kInt32 = DataType::kInt32;

class SystemOpsTest : public ::testing::Test {
 protected:
  const Type* Marker(TypeKind kind) { return t_.context().GetMarkerType(kind); }
  const Type* Scalar(DataType dtype) {
    return t_.context().GetScalarType(dtype);
  }

  OpTester t_;
};

TEST_F(SystemOpsTest, ResultsThatAreAlwaysTheSame) {
  const Attr name = {"name", AttrValue::String("b")};
  EXPECT_THAT(t_.Deduce("system.reserve_buffer", {},
                        {name, {"size", AttrValue::Int(512)}}),
              IsOkAndHolds(Eq(Scalar(kInt32))));
  EXPECT_THAT(t_.Deduce("system.import_peer_buffer", {},
                        {name, {"peer_func", AttrValue::String("f")}}),
              IsOkAndHolds(Eq(Scalar(kInt32))));
  EXPECT_THAT(t_.Deduce("system.task_invalid", {}),
              IsOkAndHolds(Eq(Scalar(DataType::kTaskId))));
  EXPECT_THAT(t_.Deduce("system.task_dummy", {}),
              IsOkAndHolds(Eq(Scalar(DataType::kTaskId))));
  EXPECT_THAT(
      t_.Deduce("system.task_is_valid", {t_.Value(Scalar(DataType::kTaskId))}),
      IsOkAndHolds(Eq(Scalar(DataType::kBool))));
  EXPECT_THAT(t_.Deduce("system.available_aiv_count", {}),
              IsOkAndHolds(Eq(Scalar(kInt32))));
  EXPECT_THAT(t_.Deduce("pld.system.world_size", {}),
              IsOkAndHolds(Eq(Scalar(DataType::kInt64))));
  EXPECT_THAT(t_.Deduce("system.bar_all", {}),
              IsOkAndHolds(Eq(Marker(TypeKind::kUnknown))));
}

TEST_F(SystemOpsTest, ContextsGoOn) {
  const Expr* tensor = t_.Value(t_.Tensor({64}, DataType::kFP32));
  const Expr* comm = t_.Value(Marker(TypeKind::kCommCtx));
  const Expr* prefetch = t_.Value(Marker(TypeKind::kPrefetchAsyncContext));
  const Expr* event = t_.Value(Marker(TypeKind::kAsyncEvent));
  const Expr* session = t_.Value(Marker(TypeKind::kAsyncSession));
  EXPECT_THAT(t_.Deduce("pld.system.get_comm_ctx", {tensor}),
              IsOkAndHolds(Eq(comm->type)));
  EXPECT_THAT(t_.Deduce("pld.system.rank", {comm}),
              IsOkAndHolds(Eq(Scalar(kInt32))));
  EXPECT_THAT(t_.Deduce("prefetch.make_context", {}),
              IsOkAndHolds(Eq(prefetch->type)));
  EXPECT_THAT(t_.Deduce("prefetch.async_prefetch", {tensor, prefetch}),
              IsOkAndHolds(Eq(event->type)));
  EXPECT_THAT(t_.Deduce("prefetch.session", {prefetch}),
              IsOkAndHolds(Eq(session->type)));
  EXPECT_THAT(t_.Deduce("prefetch.wait", {event, session}),
              IsOkAndHolds(Eq(Scalar(DataType::kBool))));
  EXPECT_THAT(t_.Deduce("prefetch.wait", {session, event}),
              BreaksRule("MX-OP-2", "event must be an async event"));
  EXPECT_THAT(t_.Deduce("pld.system.rank", {tensor}),
              BreaksRule("MX-OP-2", "ctx must be a communication context"));
}

TEST_F(SystemOpsTest, Arrays) {
  const Attr dtype = {"dtype", AttrValue::Of(kInt32)};
  const Type* type = t_.context().GetArrayType(4, kInt32);
  const Expr* array = t_.Value(type);
  EXPECT_THAT(t_.Deduce("array.create", {t_.Dim(4)}, {dtype}),
              IsOkAndHolds(Eq(type)));
  EXPECT_THAT(t_.Deduce("array.get_element", {array, t_.Dim(3)}),
              IsOkAndHolds(Eq(Scalar(kInt32))));
  EXPECT_THAT(
      t_.Deduce("array.update_element", {array, t_.Dim(kSymbolic), t_.Dim(7)}),
      IsOkAndHolds(Eq(type)));
  EXPECT_THAT(t_.Deduce("array.create", {t_.Dim(kSymbolic)}, {dtype}),
              BreaksRule("MX-ARRAY-1", "a positive constant"));
  EXPECT_THAT(t_.Deduce("array.create", {t_.Dim(0)}, {dtype}),
              BreaksRule("MX-ARRAY-1", "got 0"));
  EXPECT_THAT(t_.Deduce("array.get_element", {array, t_.Dim(4)}),
              BreaksRule("MX-ARRAY-2", "index 4 is outside the array of 4"));
  EXPECT_THAT(t_.Deduce("array.update_element",
                        {array, t_.Dim(0), t_.context().Float(1)}),
              BreaksRule("MX-ARRAY-3", "must be INT32, got FP32"));
}

TEST_F(SystemOpsTest, WhatTheFrontEndFillsIn) {
  std::vector<const Expr*> args;
  std::vector<Attr> kwargs;
  StandardOps()
      .Find("system.aic_initialize_pipe")
      ->fill_defaults(args, kwargs, t_.context());
  EXPECT_THAT(args, ::testing::ElementsAre(t_.context().Int(0, kInt32),
                                           t_.context().Int(0, kInt32)));
  args = {t_.Dim(3)};
  StandardOps()
      .Find("system.sync_set")
      ->fill_defaults(args, kwargs, t_.context());
  EXPECT_THAT(args, ::testing::IsEmpty());
  ASSERT_EQ(kwargs.size(), 1);
  EXPECT_EQ(kwargs[0].name, "event_id");
  EXPECT_EQ(kwargs[0].value.int_value, 3);
}

}  // namespace
}  // namespace mxtile::ir
