#include "passes/flatten_call_expr/flatten_call_expr.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/text_program_test_util.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;

constexpr char kTensors[] =
    "x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX]";

struct FlattenCase {
  std::string name;
  std::string before;
  std::string after;
};

const std::vector<FlattenCase>& Cases() {
  static const auto* const cases = new std::vector<FlattenCase>{
      {"Argument", "c = pl.tensor.exp(pl.tensor.neg(x))\nreturn c",
       "t__tmp_v0 = pl.tensor.neg(x)\nc = pl.tensor.exp(t__tmp_v0)\nreturn c"},
      {"OperandsFirstLeftToRight",
       "c = pl.tensor.add(pl.tensor.exp(pl.tensor.neg(x)), pl.tensor.abs(x))\n"
       "return c",
       "t__tmp_v0 = pl.tensor.neg(x)\n"
       "t__tmp_v1 = pl.tensor.exp(t__tmp_v0)\n"
       "t__tmp_v2 = pl.tensor.abs(x)\n"
       "c = pl.tensor.add(t__tmp_v1, t__tmp_v2)\n"
       "return c"},
      {"InsideATuple",
       "v = pl.tensor.read(x, [pl.tile.get_block_idx(), 0])\nreturn v",
       "t__tmp_v0 = pl.tile.get_block_idx()\n"
       "v = pl.tensor.read(x, [t__tmp_v0, 0])\n"
       "return v"},
      {"BothSidesOfArithmetic",
       "c = pl.tile.get_block_idx() * -pl.tile.get_block_num()\nreturn c",
       "t__tmp_v0 = pl.tile.get_block_idx()\n"
       "t__tmp_v1 = pl.tile.get_block_num()\n"
       "c = t__tmp_v0 * -t__tmp_v1\n"
       "return c"},
      {"Condition",
       "if pl.tile.get_block_idx() > n:\n"
       "    y = pl.yield_(pl.tensor.neg(pl.tensor.exp(x)))\n"
       "else:\n"
       "    y = pl.yield_(x)\n"
       "return y",
       "t__tmp_v0 = pl.tile.get_block_idx()\n"
       "if t__tmp_v0 > n:\n"
       "    t__tmp_v1 = pl.tensor.exp(x)\n"
       "    t__tmp_v2 = pl.tensor.neg(t__tmp_v1)\n"
       "    y = pl.yield_(t__tmp_v2)\n"
       "else:\n"
       "    y = pl.yield_(x)\n"
       "return y"},
      {"BoundsAndInitialValues",
       "for i, (acc,) in pl.range(pl.tile.get_block_idx(), n, "
       "pl.tile.get_block_num(), init_values=(pl.tensor.exp(x),)):\n"
       "    y = pl.yield_(pl.tensor.neg(acc))\n"
       "return y",
       "t__tmp_v0 = pl.tile.get_block_idx()\n"
       "t__tmp_v1 = pl.tile.get_block_num()\n"
       "t__tmp_v2 = pl.tensor.exp(x)\n"
       "for i, (acc,) in pl.range(t__tmp_v0, n, t__tmp_v1, "
       "init_values=(t__tmp_v2,)):\n"
       "    t__tmp_v3 = pl.tensor.neg(acc)\n"
       "    y = pl.yield_(t__tmp_v3)\n"
       "return y"},
      {"InvariantConditionOfAWhileLoop",
       "for (k,) in pl.while_(init_values=(n,)):\n"
       "    pl.cond(k < pl.tile.get_block_num())\n"
       "    y = pl.yield_(k + 1)\n"
       "return y",
       "t__tmp_v0 = pl.tile.get_block_num()\n"
       "for (k,) in pl.while_(init_values=(n,)):\n"
       "    pl.cond(k < t__tmp_v0)\n"
       "    y = pl.yield_(k + 1)\n"
       "return y"},
      {"ReturnedAndInAScope",
       "with pl.at(level=pl.Level.CORE_GROUP):\n"
       "    c = pl.tensor.exp(pl.tensor.neg(x))\n"
       "return pl.tensor.abs(c)",
       "with pl.at(level=pl.Level.CORE_GROUP):\n"
       "    t__tmp_v0 = pl.tensor.neg(x)\n"
       "    c = pl.tensor.exp(t__tmp_v0)\n"
       "t__tmp_v1 = pl.tensor.abs(c)\n"
       "return t__tmp_v1"},
  };
  return *cases;
}

std::string Text(const std::string& body) {
  return ProgramText({FunctionText("Orchestration", "main", kTensors, body)});
}

TEST(FlattenCallExprTest, GivesEachCallAStatement) {
  for (const FlattenCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const TextProgram input(Text(c.before));
    ExpectProgram(RunOnText(FlattenCallExpr(), input), Text(c.after));
  }
}

TEST(FlattenCallExprTest, SecondRunChangesNothing) {
  for (const FlattenCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const TextProgram input(Text(c.after));
    EXPECT_EQ(RunOnText(FlattenCallExpr(), input).program, input.get());
  }
}

TEST(FlattenCallExprTest, ArgumentsOfALaunch) {
  const std::string child =
      FunctionText("InCore", "child", "a: pl.Tensor[[16, 16], pl.FP32]",
                   "return a", "pl.Tensor[[16, 16], pl.FP32]");
  const TextProgram input(ProgramText(
      {child, FunctionText("Orchestration", "main", kTensors,
                           "a, t = pl.submit(self.child, pl.tensor.exp(x))")}));
  ExpectProgram(
      RunOnText(FlattenCallExpr(), input),
      ProgramText({child, FunctionText("Orchestration", "main", kTensors,
                                       "t__tmp_v0 = pl.tensor.exp(x)\n"
                                       "a, t = pl.submit(self.child, "
                                       "t__tmp_v0)")}));
}

// A loop would not end when its condition ran once only.
TEST(FlattenCallExprTest, ChangingConditionOfAWhileLoopIsRefused) {
  const TextProgram input(
      Text("for (k,) in pl.while_(init_values=(n,)):\n"
           "    pl.cond(pl.tensor.read(x, [0, 0]) > 1.0)\n"
           "    y = pl.yield_(k + 1)\n"
           "return y"));
  ExpectRefused(
      RunOnText(FlattenCallExpr(), input),
      {"MX-FLATTEN-1 the condition of a while loop calls pl.tensor.read(x, "
       "[0, 0]), which may give another value in each round; assign it in "
       "front of the loop and at the end of its body, and carry it"});
}

}  // namespace
}  // namespace mxtile
