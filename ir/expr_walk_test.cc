#include "ir/expr_walk.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

const Expr* ValueOf(const Stmt* stmt) {
  const Assign* assign = DynCast<Assign>(stmt);
  return assign != nullptr ? assign->value : CheckedCast<Eval>(stmt)->expr;
}

// The direct operands of the value of the body's last statement.
std::string OperandsOf(const std::string& body) {
  const TestProgram program(InFunction(body));
  if (!program.has_value()) return program.errors();
  std::vector<std::string> operands;
  ForEachOperand(*ValueOf(program.function().body.back()),
                 [&](const Expr* e) { operands.push_back(PrintExpr(e)); });
  return absl::StrJoin(operands, "; ");
}

TEST(ExprWalkTest, OperandsInOrder) {
  struct Case {
    const char* value;
    const char* operands;
  };
  constexpr Case kCases[] = {
      {"y = n", ""},
      {"y = 1", ""},
      {"y = 1.0", ""},
      {"y = True", ""},
      {"y = n - 1 * 2", "n; 1 * 2"},
      {"y = -n", "n"},
      {"y = pl.cast(n, pl.FP32)", "n"},
      {"y = [n, [1, 2]]", "n; [1, 2]"},
      {"y = [n, 1][0]", "[n, 1]"},
      {"y = pl.tile.mystery(t, n, a=b, c=[1, [i32]], d='s', attrs={'e': f})",
       "t; n; b; i32; f"},
      {"y = pl.spmd_submit(self.f, n, i32)",
       "MX-TEXT-6 7:13-7:43 "
       "pl.spmd_submit needs core_num\n"},
      {"y = pl.submit(self.f, n)\nd = y[0]\n"
       "z = pl.spmd_submit(self.f, n, i32, deps=[d], core_num=n + 1, "
       "predicate=b, dumps=[x], attrs={'a': f})",
       "n; i32; d; n + 1; b; x; f"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(OperandsOf(c.value), c.operands) << c.value;
  }
}

TEST(ExprWalkTest, PostOrderVisitsOperandsBeforeUsersAndLeftBeforeRight) {
  const TestProgram program(InFunction("y = (n + 1) * pl.min(n, -i32)"));
  std::vector<std::string> visits;
  PostOrder(ValueOf(program.function().body[0]),
            [&](const Expr* e) { visits.push_back(PrintExpr(e)); });
  EXPECT_THAT(visits,
              ElementsAre("n", "1", "n + 1", "n", "i32", "-i32",
                          "pl.min(n, -i32)", "(n + 1) * pl.min(n, -i32)"));
}

TEST(ExprWalkTest, PostOrderOfOneOperatorOnLeaves) {
  const TestProgram program(
      InFunction("y = pl.tile.mystery(t, n, t, a=b, attrs={'e': f})"));
  const Expr* call = ValueOf(program.function().body[0]);
  std::vector<std::string> visits;
  PostOrder(call, [&](const Expr* e) { visits.push_back(PrintExpr(e)); });
  EXPECT_THAT(visits, ElementsAre("t", "n", "t", "b", "f", PrintExpr(call)));
}

TEST(ExprWalkTest, TheInitialValueOfAnIterArgIsNoOperand) {
  const TestProgram program(InFunction(
      "for i, (a,) in pl.range(n, init_values=(n,)):\n    r = pl.yield_(a)"));
  const For* loop = CheckedCast<For>(program.function().body[0]);
  int visits = 0;
  PostOrder(loop->iter_args[0], [&](const Expr*) { ++visits; });
  EXPECT_EQ(visits, 1);
}

TEST(ExprWalkTest, ASumOf100000TermsNeedsNoStack) {
  TestProgram program(InFunction("pass"));
  const Var* n = program.function().params[0];
  int nodes = 0;
  PostOrder(LongSum(&program.context(), n, 100'000),
            [&](const Expr*) { ++nodes; });
  EXPECT_EQ(nodes, 199'999);
}

}  // namespace
}  // namespace mxtile::ir
