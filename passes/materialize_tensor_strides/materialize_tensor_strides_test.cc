#include "passes/materialize_tensor_strides/materialize_tensor_strides.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"

namespace mxtile {
namespace {

using ir::DataType;
using ir::Dims;
using ir::TensorLayout;
using ir::TensorType;
using ir::Type;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class MaterializeTensorStridesTest : public ::testing::Test {
 protected:
  MaterializeTensorStridesTest() : context_(&registry_) {
    pass_context_.ir = &context_;
    pass_context_.sink = &sink_;
  }

  const TensorType* Tensor(Dims shape, TensorLayout layout, DataType dtype,
                           std::vector<const ir::Expr*> stride = {}) {
    ir::TensorView view;
    view.layout = layout;
    view.stride = stride;
    // An ND tensor keeps its view only for something that it says.
    if (layout == TensorLayout::kND) view.pad = ir::PadValue::kZero;
    TensorType type;
    type.kind = ir::TypeKind::kTensor;
    type.shape = shape;
    type.dtype = dtype;
    type.view = &view;
    return context_.GetTensorType(type);
  }
  const TensorType* Tensor(std::vector<int64_t> shape, TensorLayout layout,
                           DataType dtype = DataType::kFP8E8M0,
                           std::vector<const ir::Expr*> stride = {}) {
    return Tensor(context_.StaticDims(shape), layout, dtype, stride);
  }

  // A program with one function that has a parameter of the type.
  const ir::Program* WithParam(const Type* type) {
    ir::FunctionBuilder f(&context_, "f", ir::FunctionType::kOrchestration);
    f.Param("x", type);
    f.Return({});
    return ir::MakeProgram(&context_, "P", {f.Build()});
  }

  absl::StatusOr<const ir::Program*> Run(const ir::Program* program) {
    return PassManager({&pass_}).Run(program, pass_context_);
  }

  // The stride that a parameter of the type gets, as "[32, 1, 4]".
  std::string StrideOf(const Type* type) {
    const absl::StatusOr<const ir::Program*> after = Run(WithParam(type));
    if (!after.ok()) return after.status().ToString();
    const auto* tensor =
        ir::CheckedCast<TensorType>((*after)->functions[0]->params[0]->type);
    return ir::PrintExpr(context_.NewTuple(tensor->view->stride));
  }

  ir::OpRegistry registry_;
  ir::Context context_;
  ir::DiagnosticSink sink_;
  PassContext pass_context_;
  MaterializeTensorStrides pass_;
};

TEST_F(MaterializeTensorStridesTest, RowMajorLayouts) {
  EXPECT_EQ(StrideOf(Tensor({4, 8}, TensorLayout::kND)), "[8, 1]");
  EXPECT_EQ(StrideOf(Tensor({7}, TensorLayout::kND)), "[1]");
  EXPECT_EQ(StrideOf(Tensor({1, 2, 2, 16, 2}, TensorLayout::kMxAZZ)),
            "[128, 64, 32, 2, 1]");
  EXPECT_EQ(StrideOf(Tensor({1, 1, 1, 16, 2}, TensorLayout::kMxBNN)),
            "[32, 32, 32, 2, 1]");
  EXPECT_EQ(StrideOf(Tensor({1, 8, 1, 16, 2}, TensorLayout::kMxAZZ)),
            "[256, 32, 32, 2, 1]");
}

TEST_F(MaterializeTensorStridesTest, DnSwapsTheLastTwoAxes) {
  EXPECT_EQ(StrideOf(Tensor({2, 4, 8}, TensorLayout::kDN)), "[32, 1, 4]");
  EXPECT_EQ(StrideOf(Tensor({4, 8}, TensorLayout::kDN)), "[1, 4]");
  EXPECT_EQ(StrideOf(Tensor({3, 2, 4, 8}, TensorLayout::kDN)),
            "[64, 32, 1, 4]");
}

TEST_F(MaterializeTensorStridesTest, BlockedNzIsRowMajor) {
  EXPECT_EQ(StrideOf(Tensor({1, 128, 512, 16, 32}, TensorLayout::kNZ,
                            DataType::kInt8)),
            "[33554432, 262144, 512, 32, 1]");
  EXPECT_EQ(
      StrideOf(Tensor({1, 2, 4, 16, 64}, TensorLayout::kNZ, DataType::kFP4)),
      "[8192, 4096, 1024, 64, 1]");
}

TEST_F(MaterializeTensorStridesTest, UnblockedNzIsRefused) {
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{
           {64, 64}, {1, 2, 4, 16, 64}, {1, 2, 4, 8, 32}, {2, 4, 16, 32}}) {
    EXPECT_THAT(Run(WithParam(Tensor(shape, TensorLayout::kNZ))),
                StatusIs(absl::StatusCode::kInvalidArgument, _));
    EXPECT_EQ(sink_.diagnostics().back().rule_id, "MX-STRIDE-1");
    EXPECT_THAT(sink_.diagnostics().back().message,
                HasSubstr("run PyPTO's block_nz_tensor_views first"));
  }
}

TEST_F(MaterializeTensorStridesTest, DnNeedsTwoAxes) {
  EXPECT_FALSE(Run(WithParam(Tensor({64}, TensorLayout::kDN))).ok());
  EXPECT_EQ(sink_.diagnostics().back().rule_id, "MX-STRIDE-2");
}

TEST_F(MaterializeTensorStridesTest, AnErrorIsReportedOncePerType) {
  const Type* type = Tensor({64, 64}, TensorLayout::kNZ);
  ir::FunctionBuilder f(&context_, "f", ir::FunctionType::kOrchestration);
  const ir::Var* x = f.Param("x", type);
  f.Assign("y", x);
  f.Return({});
  EXPECT_FALSE(Run(ir::MakeProgram(&context_, "P", {f.Build()})).ok());
  EXPECT_THAT(sink_.diagnostics(), SizeIs(1));
}

TEST_F(MaterializeTensorStridesTest, SymbolicDimsStayProducts) {
  const ir::Var* n = context_.NewVar("n", context_.IndexType());
  const ir::Var* m = context_.NewVar("m", context_.IndexType());
  const ir::Expr* eight = context_.Index(8);
  ir::FunctionBuilder f(&context_, "f", ir::FunctionType::kOrchestration);
  const std::vector<const ir::Expr*> nd = {eight, m, n};
  const std::vector<const ir::Expr*> dn = {m, eight, n};
  f.Param("x", Tensor(nd, TensorLayout::kND, DataType::kFP32));
  f.Param("y", Tensor(dn, TensorLayout::kDN, DataType::kFP32));
  f.Return({});
  const ir::Program* program =
      ir::MakeProgram(&context_, "P", {f.Build()}, std::vector{m, n});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Run(program));
  const auto stride = [&](int i) {
    return ir::CheckedCast<TensorType>(after->functions[0]->params[i]->type)
        ->view->stride;
  };
  EXPECT_EQ(ir::PrintExpr(stride(0)[0]), "n * m");
  EXPECT_EQ(stride(0)[1], n);
  EXPECT_EQ(ir::PrintExpr(stride(1)[0]), "8 * n");
  EXPECT_EQ(stride(1)[1], context_.Index(1));
  EXPECT_EQ(stride(1)[2], eight);
}

TEST_F(MaterializeTensorStridesTest, AnOverflowStaysAProduct) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_EQ(StrideOf(Tensor({2, big, big}, TensorLayout::kND)),
            "[1099511627776 * 1099511627776, 1099511627776, 1]");
}

TEST_F(MaterializeTensorStridesTest, BareAndExplicitStayTheSameProgram) {
  TensorType bare;
  bare.kind = ir::TypeKind::kTensor;
  bare.shape = context_.StaticDims({4, 8});
  const std::vector<const ir::Expr*> padded = {context_.Index(16),
                                               context_.Index(1)};
  ir::FunctionBuilder f(&context_, "f", ir::FunctionType::kOrchestration);
  f.Param("x", context_.GetTensorType(bare));
  f.Param("y", Tensor({4, 8}, TensorLayout::kND, DataType::kFP32, padded));
  const std::vector<const ir::Expr*> padded_nz = {
      context_.Index(8192), context_.Index(512), context_.Index(128),
      context_.Index(8), context_.Index(1)};
  f.Param("z", Tensor({1, 8, 4, 16, 8}, TensorLayout::kNZ, DataType::kFP32,
                      padded_nz));
  f.Return({});
  const ir::Program* program = ir::MakeProgram(&context_, "P", {f.Build()});
  EXPECT_THAT(Run(program), IsOkAndHolds(program));
}

// They stay, so they must be right before.
TEST_F(MaterializeTensorStridesTest, StatedStridesAreThoseOfTheLayout) {
  const std::vector<const ir::Expr*> overlapping = {context_.Index(7),
                                                    context_.Index(1)};
  ir::FunctionBuilder f(&context_, "f", ir::FunctionType::kOrchestration);
  f.Param("y", Tensor({4, 8}, TensorLayout::kND, DataType::kFP32, overlapping));
  f.Return({});
  EXPECT_THAT(Run(ir::MakeProgram(&context_, "P", {f.Build()})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1")));
  EXPECT_EQ(sink_.diagnostics()[0].rule_id, "MX-PROP-9");
}

// Every place that states a type, against the same program written with
// strides.
TEST_F(MaterializeTensorStridesTest, EveryStatedType) {
  const auto build = [&](const Type* a, const Type* dist) {
    ir::FunctionBuilder f(&context_, "f", ir::FunctionType::kOrchestration);
    const ir::Var* x = f.Param("x", a);
    f.Param("d", dist);
    f.ReturnType(a);
    const ir::Var* made = f.AssignOp("made", "some.op", {x}, {}, a);
    const Type* pair =
        context_.GetTupleType({a, context_.GetScalarType(DataType::kTaskId)});
    const ir::Var* both = f.AssignOp("both", "other.op", {made}, {}, pair);
    const ir::Var* first = f.Assign("first", context_.NewTupleItem(both, 0));
    f.BeginFor("i", context_.Index(0), context_.Index(4), context_.Index(1),
               {{"carried", first}});
    const ir::Var* next = f.AssignOp("next", "some.op", {f.iter_arg(0)}, {}, a);
    const ir::Var* result = f.EndFor({next}, {"result"})[0];
    f.Return({result});
    return ir::MakeProgram(&context_, "P", {f.Build()});
  };
  const auto distributed = [&](const TensorType* type) {
    TensorType copy = *type;
    copy.kind = ir::TypeKind::kDistributedTensor;
    return context_.GetTensorType(copy);
  };
  const TensorType* packed =
      Tensor({1, 2, 2, 16, 2}, TensorLayout::kMxAZZ, DataType::kFP8E8M0);
  const Dims stride = context_.StaticDims({128, 64, 32, 2, 1});
  const TensorType* strided =
      Tensor({1, 2, 2, 16, 2}, TensorLayout::kMxAZZ, DataType::kFP8E8M0,
             {stride.begin(), stride.end()});

  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after,
                          Run(build(packed, distributed(packed))));
  EXPECT_EQ(ir::PrintProgram(*after),
            ir::PrintProgram(*build(strided, distributed(strided))));
  EXPECT_TRUE(
      ir::StructurallyEqual(*after, *build(strided, distributed(strided))));
  EXPECT_THAT(Run(after), IsOkAndHolds(after)) << "a second run";
}

}  // namespace
}  // namespace mxtile
