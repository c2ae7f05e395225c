#include "proof/program_index.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "proof/facts.h"
#include "proof/proof_test_util.h"
#include "proof/random_program_test_util.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;

// All variables of the program.
std::vector<const Var*> VarsOf(const ir::Program& program) {
  std::vector<const Var*> vars;
  for (const ir::Function* function : program.functions) {
    vars.insert(vars.end(), function->params.begin(), function->params.end());
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      ir::ForEachDefinition(*stmt,
                            [&](const Var* var) { vars.push_back(var); });
    });
  }
  return vars;
}

// Two readings of a program that share no code.
TEST(ProgramIndexTest, AgreesWithTheFacts) {
  constexpr uint64_t kSeed = 7;
  Random random(kSeed);
  int params = 0;
  for (int round = 0; round < 300; ++round) {
    TestIr ir;
    const ir::Program& program = *RandomProgram(&ir, &random);
    const ProgramFacts facts(program, {"f0"});
    const ProgramIndex index(program, "f0");
    for (const Var* var : VarsOf(program)) {
      const VarFacts* expected = facts.Find(var);
      if (expected == nullptr) continue;  // A task id.
      const ProgramIndex::Binding* binding = index.Find(var);
      ASSERT_NE(binding, nullptr) << var->name << ", seed " << kSeed;
      EXPECT_EQ(binding->assign, expected->definition);
      EXPECT_EQ(binding->loop, expected->loop);
      if (expected->origin != VarFacts::Origin::kParam) {
        EXPECT_EQ(binding->function, nullptr);
        continue;
      }
      ++params;
      ASSERT_EQ(binding->function, expected->function);
      const auto calls = index.CallsOf(*binding->function);
      const FunctionFacts& callee = *facts.Find(expected->function);
      if (callee.host_calls || callee.recursive) {
        EXPECT_TRUE(calls.empty());
        continue;
      }
      ASSERT_EQ(calls.size(), expected->sources.size());
      for (size_t i = 0; i < calls.size(); ++i) {
        const ParamSource& source = expected->sources[i];
        EXPECT_EQ(calls[i].expr, source.call);
        EXPECT_EQ(calls[i].caller, source.caller);
        EXPECT_EQ(ArgumentOf(*calls[i].expr, binding->function->params,
                             binding->param),
                  source.value);
      }
    }
  }
  EXPECT_GT(params, 100);
}

TEST(ProgramIndexTest, SubmitsWithContexts) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* first = ir.Param(f, "first");
  const Var* gap = ir.Param(f, "gap");
  const Var* context =
      f.Param("context", ir.context().GetMarkerType(ir::TypeKind::kCommCtx));
  const ir::Function* cell = f.Build();
  ir.Add(cell);
  FunctionBuilder main = ir.Function("main");
  const Var* c =
      main.Param("c", ir.context().GetMarkerType(ir::TypeKind::kCommCtx));
  ir.Submit(main, "cell", {ir.Int(16), c});
  ir.Submit(main, "cell", {});
  ir.Submit(main, "cell", {c, c, c, c});
  ir.Add(main);
  const ProgramIndex index(*ir.Program(), "");
  const auto calls = index.CallsOf(*cell);
  ASSERT_EQ(calls.size(), 3);
  const auto passed = [&](size_t call, const Var* param) {
    const ProgramIndex::Binding& binding = *index.Find(param);
    return ArgumentOf(*calls[call].expr, cell->params, binding.param);
  };
  EXPECT_EQ(passed(0, first), ir.Int(16));
  EXPECT_EQ(passed(0, gap), nullptr);
  EXPECT_EQ(passed(0, context), c);
  for (const Var* param : cell->params) {
    EXPECT_EQ(passed(1, param), nullptr);
    EXPECT_EQ(passed(2, param), nullptr);
  }
}

TEST(ProgramIndexTest, BoundTwice) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* v = f.Assign("v", ir.Int(16));
  ir::Assign again;
  again.kind = ir::StmtKind::kAssign;
  again.var = v;
  again.value = ir.Int(8);
  ir::Function twice = *f.Build();
  std::vector<const ir::Stmt*> body(twice.body.begin(), twice.body.end());
  body.push_back(ir.context().New(again));
  twice.body = ir.context().List(body);
  ir.Add(ir.context().New(twice));
  const ProgramIndex index(*ir.Program(), "");
  EXPECT_EQ(index.Find(v), nullptr);
  EXPECT_EQ(index.Find(ir.Int(16)), nullptr);
}

}  // namespace
}  // namespace mxtile::proof
