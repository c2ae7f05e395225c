#include "proof/format_expr.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "proof/proof_test_util.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using ir::Expr;
using ir::Var;

class FormatExprTest : public testing::Test {
 protected:
  const Var* V(absl::string_view name) {
    return ir_.context().NewVar(name, ir_.context().IndexType());
  }
  const Expr* B(BinaryOp op, const Expr* a, const Expr* b) {
    return ir_.context().NewBinary(op, a, b);
  }

  TestIr ir_;
  const Var* a_ = V("a");
  const Var* b_ = V("b");
  const Var* c_ = V("c");
};

TEST_F(FormatExprTest, Precedence) {
  EXPECT_EQ(FormatExpr(ir_.Div(ir_.Add(a_, b_), ir_.Int(16))), "(a + b) // 16");
  EXPECT_EQ(FormatExpr(ir_.Add(a_, ir_.Mul(b_, c_))), "a + b * c");
  EXPECT_EQ(FormatExpr(ir_.Sub(ir_.Sub(a_, b_), c_)), "a - b - c");
  EXPECT_EQ(FormatExpr(ir_.Sub(a_, ir_.Sub(b_, c_))), "a - (b - c)");
  EXPECT_EQ(FormatExpr(ir_.Mod(ir_.Mul(a_, b_), c_)), "a * b % c");
  EXPECT_EQ(FormatExpr(B(BinaryOp::kPow, B(BinaryOp::kPow, a_, b_), c_)),
            "(a ** b) ** c");
  EXPECT_EQ(FormatExpr(B(BinaryOp::kPow, a_, B(BinaryOp::kPow, b_, c_))),
            "a ** b ** c");
  EXPECT_EQ(FormatExpr(B(BinaryOp::kLt, B(BinaryOp::kLt, a_, b_), c_)),
            "(a < b) < c");
}

TEST_F(FormatExprTest, Nodes) {
  ir::Context& context = ir_.context();
  EXPECT_EQ(FormatExpr(ir_.Int(-1)), "-1");
  EXPECT_EQ(FormatExpr(context.Int(8, ir::DataType::kInt32)),
            "pl.const(8, pl.INT32)");
  EXPECT_EQ(FormatExpr(context.Bool(true)), "True");
  EXPECT_EQ(FormatExpr(context.Float(0.5)), "0.5");
  EXPECT_EQ(FormatExpr(ir_.Min(a_, ir_.Max(b_, c_))),
            "pl.min(a, pl.max(b, c))");
  EXPECT_EQ(FormatExpr(context.NewCast(a_, ir::DataType::kIndex)),
            "pl.cast(a, pl.INDEX)");
  EXPECT_EQ(FormatExpr(context.NewUnary(ir::UnaryOp::kNeg, ir_.Add(a_, b_))),
            "-(a + b)");
  EXPECT_EQ(FormatExpr(context.NewUnary(ir::UnaryOp::kNot, a_)), "not a");
  EXPECT_EQ(FormatExpr(context.NewUnary(ir::UnaryOp::kAbs, a_)), "abs(a)");
  const Expr* tuple = context.NewTuple(context.ExprList({a_, b_}));
  EXPECT_EQ(FormatExpr(tuple), "[a, b]");
  EXPECT_EQ(FormatExpr(context.NewTupleItem(tuple, 1)), "[a, b][1]");
  EXPECT_EQ(FormatExpr(MakeOpCall(&context, "tile.get_block_idx", {}, {})),
            "pl.tile.get_block_idx()");
}

TEST_F(FormatExprTest, LongOnesAreCut) {
  const Expr* sum = a_;
  for (int n = 0; n < 100000; ++n) sum = ir_.Add(sum, V("some_long_name"));
  const std::string left = FormatExpr(sum);
  EXPECT_EQ(left.size(), kFormatLimit);
  EXPECT_EQ(left.substr(0, 20), "... + some_long_name");
  EXPECT_EQ(left.substr(kFormatLimit - 3), "...");
  EXPECT_EQ(FormatExpr(sum, 3), "...");

  const Expr* right = a_;
  for (int n = 0; n < 100000; ++n) right = ir_.Add(a_, right);
  EXPECT_LE(FormatExpr(right).size(), kFormatLimit);
  EXPECT_EQ(FormatExpr(V("exactly_ten"), 11), "exactly_ten");
  EXPECT_EQ(FormatExpr(V("exactly_ten"), 10), "exactly...");
}

TEST_F(FormatExprTest, CutsBetweenCharacters) {
  EXPECT_EQ(FormatExpr(V("aé12345"), 5), "a...");
}

}  // namespace
}  // namespace mxtile::proof
