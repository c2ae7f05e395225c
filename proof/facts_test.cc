#include "proof/facts.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "proof/proof_test_util.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;
using Origin = VarFacts::Origin;

// "main:16 host": who passes what.
std::string Sources(const ProgramFacts& facts, const Var* param) {
  std::vector<std::string> texts;
  for (const ParamSource& source : facts.Find(param)->sources) {
    switch (source.kind) {
      case ParamSource::Kind::kArgument: {
        const ir::ConstInt* value = ir::AsConstInt(source.value);
        texts.push_back(
            absl::StrCat(source.caller->name, ":",
                         value != nullptr ? absl::StrCat(value->value) : "?"));
        break;
      }
      case ParamSource::Kind::kHost:
        texts.push_back("host");
        break;
      case ParamSource::Kind::kMalformedCall:
        texts.push_back(absl::StrCat(source.caller->name, ":malformed"));
        break;
      case ParamSource::Kind::kOmitted:
        texts.push_back(absl::StrCat(source.caller->name, ":omitted"));
        break;
    }
  }
  return absl::StrJoin(texts, " ");
}

TEST(FactsTest, Variables) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* p = ir.Param(f, "p");
  const Var* b = ir.BlockIdx(f);
  const Var* v = f.Assign("v", p);
  const Var* i = ir.Loop(f, 8, 64, 16);
  const Var* j = ir.Loop(f, p, ir.Int(64), ir.Int(16));
  const Var* dim = ir.context().NewVar("M", ir.context().IndexType());
  ir.Add(f);
  const ir::Program* program = ir.Program({dim});
  const ProgramFacts facts(*program);

  EXPECT_EQ(facts.Find(p)->origin, Origin::kParam);
  EXPECT_EQ(facts.Find(p)->function, program->functions[0]);
  EXPECT_EQ(facts.Find(b)->origin, Origin::kAssigned);
  EXPECT_TRUE(facts.Find(b)->never_negative);
  EXPECT_EQ(facts.Find(v)->definition->value, p);
  EXPECT_FALSE(facts.Find(v)->never_negative);
  EXPECT_EQ(facts.Find(i)->origin, Origin::kLoopVar);
  EXPECT_EQ(facts.Find(i)->range->start, 8);
  EXPECT_EQ(facts.Find(i)->range->step, 16);
  EXPECT_EQ(facts.Find(i)->loop->loop_var, i);
  EXPECT_FALSE(facts.Find(j)->range.has_value());
  EXPECT_EQ(facts.Find(dim)->origin, Origin::kDynamicDim);
  EXPECT_EQ(facts.Find(dim)->function, nullptr);
  for (const Var* var : {p, b, v, i, j, dim}) {
    EXPECT_FALSE(facts.Find(var)->rebound);
  }
}

TEST(FactsTest, OnlyScalars) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* tensor = f.Param("t", ir.TensorType());
  const Var* alias = f.Assign("alias", tensor);
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  EXPECT_EQ(facts.Find(tensor), nullptr);
  EXPECT_EQ(facts.Find(alias), nullptr);
}

TEST(FactsTest, CarriedValuesAndResults) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  f.BeginFor("i", ir.Int(0), ir.Int(4), ir.Int(1), {{"at", ir.Int(0)}});
  const ir::IterArg* at = f.iter_arg(0);
  const Var* end = f.EndFor({at}, {"end"})[0];
  f.BeginIf(ir.context().Bool(true));
  f.BeginElse({ir.Int(0)});
  const Var* phi = f.EndIf({ir.Int(16)}, {"phi"})[0];
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  EXPECT_EQ(facts.Find(at)->origin, Origin::kIterArg);
  EXPECT_EQ(facts.Find(end)->origin, Origin::kLoopResult);
  EXPECT_EQ(facts.Find(phi)->origin, Origin::kIfResult);
}

TEST(FactsTest, CallsInOrder) {
  TestIr ir;
  FunctionBuilder cell = ir.Function("cell");
  const Var* p = ir.Param(cell, "p");
  const Var* q = ir.Param(cell, "q");
  ir.Add(cell);
  FunctionBuilder main = ir.Function("main");
  ir.Call(main, "cell", {ir.Int(1), ir.Int(2)});
  ir.Call(main, "cell", {ir.Int(3), ir.Int(4)});
  ir.Call(main, "nobody", {ir.Int(5), ir.Int(6)});
  ir.Call(main, "cell", {ir.Int(7)});
  ir.Add(ir.OnLines(main.Build(), "gemm.py", 10));
  const ProgramFacts facts(*ir.Program());
  EXPECT_EQ(Sources(facts, p), "main:1 main:3 main:malformed");
  EXPECT_EQ(Sources(facts, q), "main:2 main:4 main:malformed");
  EXPECT_EQ(facts.Find(p)->sources[1].span().file, "gemm.py");
  EXPECT_EQ(facts.Find(p)->sources[1].span().line, 11);
  EXPECT_EQ(facts.Find(p)->sources[2].span().line, 13);
}

TEST(FactsTest, SpanOfTheCallGoesBeforeThatOfItsStatement) {
  TestIr ir;
  FunctionBuilder cell = ir.Function("cell");
  const Var* p = ir.Param(cell, "p");
  ir.Add(cell);
  FunctionBuilder main = ir.Function("main");
  ir::Call call;
  call.kind = ir::ExprKind::kCall;
  call.type = ir.context().GetTupleType({});
  call.callee = ir.context().GetFunction("cell");
  call.args = ir.context().ExprList({ir.Int(16)});
  call.span.line = 77;
  main.Eval(ir.context().New(call));
  ir.Add(ir.OnLines(main.Build(), "gemm.py", 10));
  const ProgramFacts facts(*ir.Program());
  EXPECT_EQ(facts.Find(p)->sources[0].span().line, 77);
}

class SubmitFactsTest : public testing::Test {
 protected:
  // cell(p, q, ctx) submitted with the arguments; "ctx" stands for a context.
  std::vector<std::string> SourcesOf(const std::vector<int64_t>& scalars,
                                     int contexts) {
    TestIr ir;
    const ir::Type* ctx = ir.context().GetMarkerType(ir::TypeKind::kCommCtx);
    FunctionBuilder cell = ir.Function("cell");
    const Var* p = ir.Param(cell, "p");
    const Var* q = ir.Param(cell, "q");
    cell.Param("ctx", ctx);
    ir.Add(cell);
    FunctionBuilder main = ir.Function("main");
    std::vector<const Expr*> args;
    for (const int64_t scalar : scalars) args.push_back(ir.Int(scalar));
    for (int n = 0; n < contexts; ++n) args.push_back(main.Param("ctx", ctx));
    ir.Submit(main, "cell", args);
    ir.Add(main);
    const ProgramFacts facts(*ir.Program());
    return {Sources(facts, p), Sources(facts, q)};
  }
  using Texts = std::vector<std::string>;
};

TEST_F(SubmitFactsTest, AllArguments) {
  EXPECT_EQ(SourcesOf({1, 2}, 1), (Texts{"main:1", "main:2"}));
}

TEST_F(SubmitFactsTest, ContextsGoToTheEnd) {
  EXPECT_EQ(SourcesOf({1}, 1), (Texts{"main:1", "main:omitted"}));
  EXPECT_EQ(SourcesOf({}, 1), (Texts{"main:omitted", "main:omitted"}));
}

TEST_F(SubmitFactsTest, FewerArgumentsThanContexts) {
  EXPECT_EQ(SourcesOf({}, 0), (Texts{"main:malformed", "main:malformed"}));
}

TEST_F(SubmitFactsTest, TooManyArguments) {
  EXPECT_EQ(SourcesOf({1, 2, 3}, 1),
            (Texts{"main:malformed", "main:malformed"}));
}

TEST(FactsTest, Hosts) {
  TestIr ir;
  FunctionBuilder cell = ir.Function("cell");
  const Var* p = ir.Param(cell, "p");
  ir.Add(cell);
  FunctionBuilder main = ir.Function("main");
  const Var* n = ir.Param(main, "n");
  ir.Call(main, "cell", {ir.Int(16)});
  ir.Add(main);
  const ProgramFacts facts(*ir.Program());
  EXPECT_EQ(Sources(facts, p), "main:16");
  EXPECT_EQ(Sources(facts, n), "host");
  const ProgramFacts with_entry(*ir.Program(), {/*entry=*/"cell"});
  EXPECT_EQ(Sources(with_entry, p), "main:16 host");
  EXPECT_EQ(Sources(with_entry, n), "host");
  EXPECT_DEATH(ProgramFacts(*ir.Program(), {"absent"}), "absent");
}

TEST(FactsTest, RecursionThroughSubmits) {
  TestIr ir;
  FunctionBuilder a = ir.Function("a");
  const Var* in_a = ir.Param(a, "p");
  ir.Submit(a, "b", {in_a});
  ir.Add(a);
  FunctionBuilder b = ir.Function("b");
  const Var* in_b = ir.Param(b, "p");
  ir.Call(b, "a", {in_b});
  ir.Call(b, "leaf", {in_b});
  ir.Add(b);
  FunctionBuilder leaf = ir.Function("leaf");
  const Var* in_leaf = ir.Param(leaf, "p");
  ir.Add(leaf);
  const ProgramFacts facts(*ir.Program());
  EXPECT_TRUE(facts.Find(in_a)->recursive);
  EXPECT_TRUE(facts.Find(in_b)->recursive);
  EXPECT_FALSE(facts.Find(in_leaf)->recursive);
  EXPECT_TRUE(facts.Find(facts.Find(in_a)->function)->recursive);
  EXPECT_TRUE(facts.Find(facts.Find(in_b)->function)->recursive);
  EXPECT_FALSE(facts.Find(facts.Find(in_leaf)->function)->recursive);
}

// One call in each place where an expression can stand.
TEST(FactsTest, FindsCallsEverywhere) {
  TestIr ir;
  ir::Context& context = ir.context();
  FunctionBuilder cell = ir.Function("cell");
  const Var* p = ir.Param(cell, "p");
  ir.Add(cell);
  int64_t next = 0;
  const auto call = [&]() -> const Expr* {
    ir::Call call;
    call.kind = ir::ExprKind::kCall;
    call.type = context.IndexType();
    call.callee = context.GetFunction("cell");
    call.args = context.ExprList({ir.Int(next++)});
    return context.New(call);
  };
  FunctionBuilder f = ir.Function("main");
  f.Assign("a", ir.Add(ir.Int(1), call()));
  f.Eval(context.NewTuple(context.ExprList({call(), call()})));
  f.AssignOp("op", "tile.other", {call()},
             {{"kwarg", ir::AttrValue::Of(call())}}, context.IndexType());
  const Expr *start = call(), *stop = call(), *step = call();
  f.BeginFor("i", start, stop, step, {{"x", call()}});
  f.BeginIf(call());
  f.BeginElse({call()});
  const Var* phi = f.EndIf({call()}, {"phi"})[0];
  f.EndFor({ir.Add(phi, call())}, {"end"});
  f.Return({call()});
  ir::Function function = *f.Build();
  ir::While loop;
  loop.kind = ir::StmtKind::kWhile;
  loop.condition = call();
  loop.iter_args = context.List(std::vector<const ir::IterArg*>{
      context.NewIterArg("w", context.IndexType(), call())});
  std::vector<const ir::Stmt*> body(function.body.begin(), function.body.end());
  body.push_back(context.New(loop));
  function.body = context.List(body);
  ir.Add(context.New(function));

  const ProgramFacts facts(*ir.Program());
  std::vector<bool> found(next, false);
  for (const ParamSource& source : facts.Find(p)->sources) {
    found[ir::AsConstInt(source.value)->value] = true;
  }
  EXPECT_EQ(found, std::vector<bool>(next, true));
  EXPECT_EQ(facts.Find(p)->sources.size(), next);
}

TEST(FactsTest, Surroundings) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* top = f.Assign("top", ir.Int(1));
  f.BeginFor("i", 0, 4, 1);
  const Var* i = f.loop_var();
  f.BeginFor("j", 0, 4, 1);
  const Var* j = f.loop_var();
  const Var* inner = f.Assign("inner", ir.Int(1));
  f.BeginIf(ir.context().Bool(true));
  const Var* branch = f.Assign("branch", ir.Int(1));
  f.BeginElse();
  f.EndIf();
  f.EndFor();
  f.EndFor();
  const Var* after = f.Assign("after", ir.Int(1));
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  const auto loop_around = [&](const Var* var) -> const Var* {
    const ir::For* loop = facts.Find(var)->at.loop;
    return loop != nullptr ? loop->loop_var : nullptr;
  };
  for (const Var* var : {top, i, after}) {
    EXPECT_EQ(loop_around(var), nullptr);
    EXPECT_FALSE(facts.Find(var)->at.conditional);
  }
  EXPECT_EQ(loop_around(j), i);
  EXPECT_EQ(loop_around(inner), j);
  EXPECT_EQ(loop_around(branch), j);
  EXPECT_FALSE(facts.Find(inner)->at.conditional);
  EXPECT_TRUE(facts.Find(branch)->at.conditional);
}

TEST(FactsTest, CallSites) {
  TestIr ir;
  FunctionBuilder cell = ir.Function("cell");
  const Var* p = ir.Param(cell, "p");
  const ir::Function* cell_function = cell.Build();
  ir.Add(cell_function);
  FunctionBuilder main = ir.Function("main");
  ir.Call(main, "cell", {ir.Int(1)});
  main.BeginFor("i", 0, 4, 1);
  const Var* i = main.loop_var();
  ir.Submit(main, "cell", {ir.Int(2)});
  main.EndFor();
  ir::Submit launch;
  launch.kind = ir::ExprKind::kSubmit;
  launch.type = ir.context().GetTupleType(
      {ir.context().GetScalarType(ir::DataType::kTaskId)});
  launch.callee = ir.context().GetFunction("cell");
  launch.args = ir.context().ExprList({ir.Int(3)});
  launch.core_num = ir.Int(8);
  main.Assign("t", ir.context().New(launch));
  launch.core_num = i;
  main.Assign("t", ir.context().New(launch));
  launch.core_num = nullptr;
  launch.predicate = ir.context().Bool(true);
  main.Assign("t", ir.context().New(launch));
  const ir::Function* main_function = main.Build();
  ir.Add(main_function);

  const ProgramFacts facts(*ir.Program(), {"cell"});
  const FunctionFacts& callee = *facts.Find(cell_function);
  EXPECT_TRUE(callee.host_calls);
  ASSERT_EQ(callee.sites.size(), 5);
  const std::vector<ParamSource>& sources = facts.Find(p)->sources;
  ASSERT_EQ(sources.size(), 6);
  for (int n = 0; n < 5; ++n) {
    EXPECT_EQ(callee.sites[n].call, sources[n].call);
    EXPECT_EQ(callee.sites[n].caller, main_function);
    // A launch on i cores may be one on none; one with a predicate may not
    // start.
    EXPECT_EQ(callee.sites[n].at.conditional, n >= 3);
  }
  EXPECT_EQ(sources[5].kind, ParamSource::Kind::kHost);
  EXPECT_EQ(callee.sites[0].at.loop, nullptr);
  EXPECT_EQ(callee.sites[1].at.loop->loop_var, i);
  EXPECT_TRUE(facts.Find(main_function)->host_calls);
  EXPECT_TRUE(facts.Find(main_function)->sites.empty());
}

TEST(FactsTest, EarlyExits) {
  TestIr ir;
  FunctionBuilder plain = ir.Function("plain");
  plain.Return({});
  const ir::Function* ends = plain.Build();
  FunctionBuilder nested = ir.Function("nested");
  nested.BeginIf(ir.context().Bool(true));
  nested.Return({});
  nested.BeginElse();
  nested.EndIf();
  nested.Return({});
  const ir::Function* leaves = nested.Build();
  ir.Add(ends);
  ir.Add(leaves);
  const ProgramFacts facts(*ir.Program());
  EXPECT_FALSE(facts.Find(ends)->early_exit);
  EXPECT_TRUE(facts.Find(leaves)->early_exit);
}

TEST(FactsTest, BoundTwice) {
  TestIr ir;
  FunctionBuilder f = ir.Function("f");
  const Var* v = f.Assign("v", ir.Int(1));
  ir::Function function = *f.Build();
  function.body = ir.context().List(
      std::vector<const ir::Stmt*>{function.body[0], function.body[0]});
  ir.Add(ir.context().New(function));
  const ProgramFacts facts(*ir.Program());
  EXPECT_TRUE(facts.Find(v)->rebound);
}

TEST(FactsTest, HugeExpressionsAreWalkedOnce) {
  TestIr ir;
  FunctionBuilder cell = ir.Function("cell");
  const Var* p = ir.Param(cell, "p");
  ir.Add(cell);
  FunctionBuilder f = ir.Function("main");
  ir::Call call;
  call.kind = ir::ExprKind::kCall;
  call.type = ir.context().IndexType();
  call.callee = ir.context().GetFunction("cell");
  call.args = ir.context().ExprList({ir.Int(16)});
  const Expr* chain = ir.context().New(call);
  const Expr* shared = chain;  // 2^100 paths to the call.
  for (int n = 0; n < 100000; ++n) chain = ir.Add(chain, ir.Int(1));
  for (int n = 0; n < 100; ++n) shared = ir.Add(shared, shared);
  f.Eval(ir.Add(chain, shared));
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  EXPECT_EQ(Sources(facts, p), "main:16");
}

}  // namespace
}  // namespace mxtile::proof
