#include "ir/verifier_walk.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/ops/standard_ops.h"
#include "ir/stmt.h"

namespace mxtile::ir {
namespace {

std::string UsesIn(const Expr* expr) {
  UseWalk walk;
  std::string names;
  walk.InExpr(expr,
              [&](const Var* var) { absl::StrAppend(&names, var->name); });
  return names;
}

TEST(UseWalkTest, GoesFromLeftToRight) {
  Context context(&StandardOps());
  const auto var = [&](const char* name) {
    return context.NewVar(name, context.IndexType());
  };
  const auto add = [&](const Expr* l, const Expr* r) {
    return context.NewBinary(BinaryOp::kAdd, l, r);
  };
  EXPECT_EQ(UsesIn(var("a")), "a");
  EXPECT_EQ(UsesIn(context.Index(1)), "");
  EXPECT_EQ(UsesIn(add(var("a"), var("b"))), "ab");
  EXPECT_EQ(UsesIn(add(add(var("a"), var("b")), var("c"))), "abc");
  EXPECT_EQ(UsesIn(add(var("a"), add(var("b"), var("c")))), "abc");
  EXPECT_EQ(UsesIn(context.NewTuple(context.ExprList(
                {var("a"), add(var("b"), context.Index(1)), var("c"),
                 add(context.Index(1), add(var("d"), var("e")))}))),
            "abcde");
}

TEST(UseWalkTest, SeesBoundsInitialValuesAndAttributes) {
  const TestProgram program(
      InFunction("for i, (a,) in pl.range(n, init_values=(i32,)):\n"
                 "    r = pl.yield_(a)\n"));
  ASSERT_EQ(program.errors(), "");
  UseWalk walk;
  std::string names;
  walk.ForEachUse(*program.function().body[0],
                  [&](const Var* var, const Expr* root) {
                    EXPECT_EQ(var, root);
                    absl::StrAppend(&names, var->name, " ");
                  });
  EXPECT_EQ(names, "n i32 ");
}

// A type is remembered when it names no variable; the others are walked anew.
TEST(UseWalkTest, SeesVariablesOfTypesEveryTime) {
  Context context(&StandardOps());
  const Var* n = context.NewVar("n", context.IndexType());
  const auto tile = [&](const Expr* rows) {
    TileType type;
    const Expr* shape[] = {rows, context.Index(64)};
    type.shape = shape;
    return context.GetTileType(type);
  };
  const Type* types[] = {tile(n),
                         tile(context.Index(4)),
                         tile(n),
                         tile(context.Index(8)),
                         tile(context.Index(4)),
                         tile(context.NewBinary(BinaryOp::kMul, n, n)),
                         context.GetTupleType({tile(n), tile(n)})};
  UseWalk walk;
  std::vector<int> uses;
  for (const Type* type : types) {
    uses.push_back(0);
    walk.InType(*type, [&](const Var* var) { uses.back() += var == n; });
  }
  EXPECT_EQ(uses, (std::vector<int>{1, 0, 1, 0, 0, 2, 2}));
}

}  // namespace
}  // namespace mxtile::ir
