#include "passes/variable_retyper.h"

#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/structural_equal.h"

namespace mxtile {
namespace {

using ir::DataType;

// Variables whose name begins with "w" become INT64; the others stay.
class WideVariables : public VariableRetyper {
 public:
  using VariableRetyper::VariableRetyper;

 protected:
  const ir::Type* TypeOf(const ir::Var* var) override {
    return var->name[0] == 'w' ? context().GetScalarType(DataType::kInt64)
                               : var->type;
  }
};

class VariableRetyperTest : public ::testing::Test {
 protected:
  VariableRetyperTest() : context_(&registry_) {}

  // A function with each kind of definition, the "w" ones of the given type.
  const ir::Program* Build(DataType wide) {
    const ir::Type* narrow = context_.GetScalarType(DataType::kInt32);
    const ir::Type* type = context_.GetScalarType(wide);
    ir::FunctionBuilder f(&context_, "f", ir::FunctionType::kOpaque);
    const ir::Var* n = f.AssignOp("n", "some.op", {}, {}, narrow);
    const ir::Var* w = f.AssignOp("w", "some.op", {n}, {}, type);
    f.BeginFor("i", context_.Index(0), context_.Index(4), context_.Index(1),
               {{"w_arg", w}, {"n_arg", n}});
    const ir::Var* next =
        f.AssignOp("w_next", "some.op", {f.iter_arg(0)}, {}, type);
    const ir::Var* result =
        f.EndFor({next, f.iter_arg(1)}, {"w_result", "n_result"})[0];
    f.BeginIf(context_.Bool(true));
    f.BeginElse({w});
    const ir::Var* phi = f.EndIf({result}, {"w_phi"})[0];
    f.Return({phi});
    return ir::MakeProgram(&context_, "P", {f.Build()});
  }

  ir::OpRegistry registry_;
  ir::Context context_;
};

TEST_F(VariableRetyperTest, DefinitionsUsesAndValuesChangeTogether) {
  const ir::Program* after =
      WideVariables(&context_).RewriteProgram(Build(DataType::kInt32));
  EXPECT_TRUE(ir::StructurallyEqual(*after, *Build(DataType::kInt64)));
}

TEST_F(VariableRetyperTest, WithoutAChangeTheProgramIsTheSame) {
  const ir::Program* program = Build(DataType::kInt64);
  EXPECT_EQ(WideVariables(&context_).RewriteProgram(program), program);
}

TEST_F(VariableRetyperTest, AnAssignmentThatDoesNotChangeKeepsItsValue) {
  // The variable states another type than the value: not this class's matter.
  ir::FunctionBuilder f(&context_, "f", ir::FunctionType::kOpaque);
  const ir::Expr* value = ir::MakeOpCall(
      &context_, "some.op", {}, {}, context_.GetScalarType(DataType::kInt32));
  f.Assign("n", value, context_.GetScalarType(DataType::kInt16));
  const ir::Program* program = ir::MakeProgram(&context_, "P", {f.Build()});
  EXPECT_EQ(WideVariables(&context_).RewriteProgram(program), program);
}

}  // namespace
}  // namespace mxtile
