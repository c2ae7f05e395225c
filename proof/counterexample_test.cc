#include "proof/counterexample.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/proof_test_util.h"

namespace mxtile::proof {
namespace {

using ir::DataType;
using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;
using Kind = Binding::Kind;

class CounterexampleTest : public testing::Test {
 protected:
  std::optional<Counterexample> Find(const Expr* expr, const Goal& goal) {
    facts_.emplace(*ir_.Program());
    return FindCounterexample(*facts_, expr, goal);
  }
  std::optional<Counterexample> Find(const Expr* expr) {
    return Find(expr, Goal::MultipleOf(16));
  }
  // The value, or nothing.
  std::optional<int64_t> Value(const Expr* expr, const Goal& goal) {
    const auto found = Find(expr, goal);
    return found.has_value() ? std::optional<int64_t>(found->value)
                             : std::nullopt;
  }
  std::optional<int64_t> Value(const Expr* expr) {
    return Value(expr, Goal::MultipleOf(16));
  }

  TestIr ir_;
  FunctionBuilder f_ = ir_.Function("cell");
  std::optional<ProgramFacts> facts_;
};

TEST_F(CounterexampleTest, CallerWithAConstant) {
  const Var* row = ir_.Param(f_, "row");
  const Expr* offset = ir_.Add(row, ir_.Int(16));
  ir_.Add(f_);
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(16)});
  ir_.Call(main, "cell", {ir_.Int(8)});
  ir_.Add(ir_.OnLines(main.Build(), "main.py", 40));
  const auto found = Find(offset);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->value, 24);
  ASSERT_EQ(found->bindings.size(), 1);
  EXPECT_EQ(found->bindings[0].kind, Kind::kArgument);
  EXPECT_EQ(found->bindings[0].var, row);
  EXPECT_EQ(found->bindings[0].value, 8);
  EXPECT_EQ(found->bindings[0].site->span().line, 41);
}

TEST_F(CounterexampleTest, LoopRounds) {
  const Var* second = ir_.Loop(f_, 0, 64, 8);
  const Var* only_first = ir_.Loop(f_, 0, 8, 8);
  const Var* none = ir_.Loop(f_, 8, 8, 8);
  const Var* last = ir_.Loop(f_, 0, 1040, 16);
  ir_.Add(f_);
  EXPECT_EQ(Value(second), 8);
  EXPECT_EQ(Value(only_first), std::nullopt);
  EXPECT_EQ(Value(none), std::nullopt);
  EXPECT_EQ(Value(ir_.Sub(ir_.Int(1000), last), Goal::NonNegative()), -24);
}

TEST_F(CounterexampleTest, TheHostMayPassAnything) {
  const Var* row = ir_.Param(f_, "row");
  const Var* n = f_.Param("n", ir_.context().GetScalarType(DataType::kUInt8));
  ir_.Add(f_);
  const auto found = Find(row);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->value, 1);
  ASSERT_EQ(found->bindings.size(), 1);
  EXPECT_EQ(found->bindings[0].kind, Kind::kHost);
  EXPECT_EQ(Value(row, Goal::NonNegative()), -1);
  EXPECT_EQ(Value(n, Goal::NonNegative()), std::nullopt);
}

// Both parameters come from the same call.
TEST_F(CounterexampleTest, ArgumentsOfOneCallGoTogether) {
  const Var* p = ir_.Param(f_, "p");
  const Var* q = ir_.Param(f_, "q");
  const Expr* sum = ir_.Add(p, q);
  const Expr* twice = ir_.Add(p, p);
  ir_.Add(f_);
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(8), ir_.Int(8)});
  ir_.Call(main, "cell", {ir_.Int(16), ir_.Int(16)});
  ir_.Add(main);
  EXPECT_EQ(Value(sum), std::nullopt);
  EXPECT_EQ(Value(twice), std::nullopt);
  EXPECT_EQ(Value(p), 8);
}

TEST_F(CounterexampleTest, ThroughTwoFunctionsAndALoop) {
  const Var* row = ir_.Param(f_, "row");
  ir_.Add(f_);
  FunctionBuilder middle = ir_.Function("middle");
  const Var* base = ir_.Param(middle, "base");
  middle.BeginFor("i", 0, 4, 1);
  const Var* i = middle.loop_var();
  const Var* at = middle.Assign("at", ir_.Mul(i, ir_.Int(8)));
  ir_.Call(middle, "cell", {ir_.Add(base, at)});
  middle.EndFor();
  ir_.Add(middle);
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "middle", {ir_.Int(32)});
  ir_.Add(main);
  const auto found = Find(row);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->value, 40);
  ASSERT_EQ(found->bindings.size(), 3);
  EXPECT_EQ(found->bindings[0].var, i);
  EXPECT_EQ(found->bindings[0].value, 1);
  EXPECT_EQ(found->bindings[1].var, base);
  EXPECT_EQ(found->bindings[1].value, 32);
  EXPECT_EQ(found->bindings[2].var, row);
  EXPECT_EQ(found->bindings[2].value, 40);
}

TEST_F(CounterexampleTest, ALoopUpToWhatTheHostPasses) {
  const Var* n = ir_.Param(f_, "n");
  f_.BeginFor("i", ir_.Int(0), n, ir_.Int(8));
  const Var* i = f_.loop_var();
  f_.EndFor();
  ir_.Add(f_);
  const auto found = Find(i);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->value, 8);
  ASSERT_EQ(found->bindings.size(), 2);
  EXPECT_EQ(found->bindings[0].var, n);
  EXPECT_GT(found->bindings[0].value, 8);
}

TEST_F(CounterexampleTest, DynamicDims) {
  const Var* rows = ir_.context().NewVar("ROWS", ir_.context().IndexType());
  ir_.Add(f_);
  const std::vector<const Var*> dims = {rows};
  const ProgramFacts facts(*ir_.Program(ir_.context().List(dims)));
  EXPECT_FALSE(
      FindCounterexample(facts, rows, Goal::NonNegative()).has_value());
  EXPECT_EQ(FindCounterexample(facts, rows, Goal::MultipleOf(16))->value, 1);
}

TEST_F(CounterexampleTest, ArithmeticWraps) {
  const Var* n = f_.Param("n", ir_.context().GetScalarType(DataType::kInt8));
  const Expr* doubled = ir_.Mul(n, ir_.context().Int(2, DataType::kInt8));
  const Expr* masked = ir_.Max(doubled, ir_.Int(0));
  ir_.Add(f_);
  // 127 * 2 is -2 in 8 bits.
  EXPECT_LT(*Value(doubled, Goal::NonNegative()), 0);
  EXPECT_EQ(Value(masked, Goal::NonNegative()), std::nullopt);
}

// ---- What nobody can promise

TEST_F(CounterexampleTest, OnlyWhatIsReachedInEveryRun) {
  const Var* flag =
      f_.Param("flag", ir_.context().GetScalarType(DataType::kBool));
  f_.BeginIf(flag);
  f_.BeginFor("i", 0, 64, 8);
  const Var* under_if = f_.loop_var();
  f_.EndFor();
  f_.BeginElse();
  f_.EndIf();
  f_.BeginFor("j", 0, 0, 1);
  f_.BeginFor("k", 0, 64, 8);
  const Var* under_no_round = f_.loop_var();
  f_.EndFor();
  f_.EndFor();
  f_.BeginFor("l", 0, 1, 1);
  f_.BeginFor("m", 0, 64, 8);
  const Var* under_one_round = f_.loop_var();
  f_.EndFor();
  f_.EndFor();
  ir_.Add(f_);
  EXPECT_EQ(Value(under_if), std::nullopt);
  EXPECT_EQ(Value(under_no_round), std::nullopt);
  EXPECT_EQ(Value(under_one_round), 8);
}

TEST_F(CounterexampleTest, OnlyCallsThatAreMade) {
  const Var* row = ir_.Param(f_, "row");
  ir_.Add(f_);
  FunctionBuilder main = ir_.Function("main");
  const Var* flag =
      main.Param("flag", ir_.context().GetScalarType(DataType::kBool));
  main.BeginIf(flag);
  ir_.Call(main, "cell", {ir_.Int(8)});
  main.BeginElse();
  main.EndIf();
  ir_.Add(main);
  EXPECT_EQ(Value(row), std::nullopt);
}

TEST_F(CounterexampleTest, NotInAFunctionThatMayEndEarly) {
  const Var* flag =
      f_.Param("flag", ir_.context().GetScalarType(DataType::kBool));
  f_.BeginIf(flag);
  f_.Return({});
  f_.BeginElse();
  f_.EndIf();
  const Var* i = ir_.Loop(f_, 0, 64, 8);
  ir_.Add(f_);
  EXPECT_EQ(Value(i), std::nullopt);
}

TEST_F(CounterexampleTest, NotFromUnknownSources) {
  const Var* p = ir_.Param(f_, "p");
  const Var* b = ir_.BlockIdx(f_);
  const Var* unknown =
      f_.AssignOp("u", "tile.unknown", {}, {}, ir_.context().IndexType());
  f_.BeginFor("i", ir_.Int(0), ir_.Int(4), ir_.Int(1), {{"at", ir_.Int(8)}});
  const ir::IterArg* at = f_.iter_arg(0);
  const Var* end = f_.EndFor({ir_.Int(8)}, {"end"})[0];
  ir_.Add(f_);
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(8), ir_.Int(8)});  // One too many.
  ir_.Add(main);
  for (const Expr* expr : std::vector<const Expr*>{p, b, unknown, at, end}) {
    EXPECT_EQ(Value(expr), std::nullopt);
  }
}

TEST_F(CounterexampleTest, NotFromRecursion) {
  const Var* p = ir_.Param(f_, "p");
  ir_.Call(f_, "cell", {p});
  ir_.Add(f_);
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(8)});
  ir_.Add(main);
  EXPECT_EQ(Value(p), std::nullopt);
}

TEST_F(CounterexampleTest, NotWhereRoundingDecides) {
  const Var* i = ir_.Loop(f_, -7, -6, 1);
  const Expr* half = ir_.Div(i, ir_.Int(2));
  const Expr* whole = ir_.Div(ir_.Sub(i, ir_.Int(1)), ir_.Int(2));
  ir_.Add(f_);
  EXPECT_EQ(Value(half, Goal::NonNegative()), std::nullopt);
  EXPECT_EQ(Value(whole, Goal::NonNegative()), -4);
}

TEST_F(CounterexampleTest, EndsOnHugeExpressions) {
  const Expr* sum = ir_.Loop(f_, 0, 64, 8);
  for (int n = 0; n < 100000; ++n) sum = ir_.Add(sum, ir_.Int(16));
  const Expr* shared = ir_.Param(f_, "n");
  for (int n = 0; n < 60; ++n) shared = ir_.Add(shared, shared);
  ir_.Add(f_);
  EXPECT_EQ(Value(sum), std::nullopt);
  EXPECT_EQ(Value(shared), std::nullopt);
}

}  // namespace
}  // namespace mxtile::proof
