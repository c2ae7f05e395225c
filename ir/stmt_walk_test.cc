#include "ir/stmt_walk.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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

constexpr char kBody[] =
    "y = n\n"
    "for i, (a,) in pl.pipeline(1, n, 2, stage=2, init_values=(y,), "
    "attrs={'k': [b, [f]], 'l': i32}):\n"
    "    if b:\n"
    "        r = pl.yield_(a)\n"
    "    else:\n"
    "        r = pl.yield_(i)\n"
    "    s = pl.yield_(r)\n"
    "for (c,) in pl.while_(init_values=(s,)):\n"
    "    pl.cond(c > 0)\n"
    "    u = pl.yield_(c - 1)\n"
    "while b:\n"
    "    if b:\n"
    "        break\n"
    "    continue\n"
    "pl.store(t, [0, 0], x)\n"
    "return u, y\n";

TEST(StmtWalkTest, StatementsInProgramOrder) {
  const TestProgram program(InFunction(kBody));
  ASSERT_EQ(program.errors(), "");
  std::vector<StmtKind> kinds;
  ForEachStmt(program.function().body,
              [&](const Stmt* stmt) { kinds.push_back(stmt->kind); });
  using K = StmtKind;
  EXPECT_THAT(kinds,
              ElementsAre(K::kAssign, K::kFor, K::kIf, K::kYield, K::kYield,
                          K::kYield, K::kWhile, K::kYield, K::kWhile, K::kIf,
                          K::kBreak, K::kContinue, K::kEval, K::kReturn));
}

TEST(StmtWalkTest, EachStatementHasItsExpressionsAndDefinitions) {
  const TestProgram program(InFunction(kBody));
  ASSERT_EQ(program.errors(), "");
  std::vector<std::string> lines;
  ForEachStmt(program.function().body, [&](const Stmt* stmt) {
    std::vector<std::string> exprs;
    ForEachRootExpr(*stmt,
                    [&](const Expr* e) { exprs.push_back(PrintExpr(e)); });
    std::vector<std::string> vars;
    ForEachDefinition(
        *stmt, [&](const Var* var) { vars.push_back(std::string(var->name)); });
    lines.push_back(absl::StrCat(absl::StrJoin(exprs, "; "), " -> ",
                                 absl::StrJoin(vars, ", ")));
  });
  EXPECT_THAT(
      lines, ElementsAre("n -> y", "1; n; 2; y; b; f; i32 -> i, a, s", "b -> r",
                         "a -> ", "i -> ", "r -> ", "s; c > 0 -> c, u",
                         "c - 1 -> ", "b -> ", "b -> ", " -> ", " -> ",
                         "pl.tile.store(t, [0, 0], x) -> ", "u; y -> "));
}

}  // namespace
}  // namespace mxtile::ir
