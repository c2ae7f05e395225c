#include "passes/convert_to_ssa/convert_to_ssa.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/text_program_test_util.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;

constexpr char kParams[] =
    "x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX], "
    "out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]";

std::string Text(const std::string& body, const std::string& params = kParams) {
  return ProgramText({FunctionText("Orchestration", "main", params, body)});
}

struct SsaCase {
  std::string name;
  std::string before;
  std::string after;
};

const std::vector<SsaCase>& Cases() {
  static const auto* const cases = new std::vector<SsaCase>{
      {"StraightLine", "a = n + 1\na = a + n\nb = a * 2\nreturn b",
       "a__ssa_v0 = n + 1\na__ssa_v1 = a__ssa_v0 + n\nb = a__ssa_v1 * 2\n"
       "return b"},
      {"AParameterIsItsFirstVersion", "n = n + 1\nreturn n",
       "n__ssa_v0 = n + 1\nreturn n__ssa_v0"},
      {"CarriedByALoop",
       "total = n\n"
       "for i in pl.range(4):\n"
       "    total = total + i\n"
       "return total",
       "total__ssa_v0 = n\n"
       "for i, (total__iter_v1,) in pl.range(4, "
       "init_values=(total__ssa_v0,)):\n"
       "    total__ssa_v3 = total__iter_v1 + i\n"
       "    total__rv_v2 = pl.yield_(total__ssa_v3)\n"
       "return total__rv_v2"},
      {"BehindWhatTheLoopCarriesAlreadyByName",
       "b = n\n"
       "a = n\n"
       "for i, (acc,) in pl.range(4, init_values=(x,)):\n"
       "    b = b + i\n"
       "    a = a + b\n"
       "    y = pl.yield_(pl.tensor.exp(acc))\n"
       "return y, a, b",
       "b__ssa_v0 = n\n"
       "a__ssa_v0 = n\n"
       "for i, (acc, a__iter_v1, b__iter_v1) in pl.range(4, init_values=(x, "
       "a__ssa_v0, b__ssa_v0)):\n"
       "    b__ssa_v3 = b__iter_v1 + i\n"
       "    a__ssa_v3 = a__iter_v1 + b__ssa_v3\n"
       "    y, a__rv_v2, b__rv_v2 = pl.yield_(pl.tensor.exp(acc), a__ssa_v3, "
       "b__ssa_v3)\n"
       "return y, a__rv_v2, b__rv_v2"},
      {"NestedLoops",
       "a = n\n"
       "for i in pl.range(4):\n"
       "    for j in pl.range(8):\n"
       "        a = a + j\n"
       "return a",
       "a__ssa_v0 = n\n"
       "for i, (a__iter_v1,) in pl.range(4, init_values=(a__ssa_v0,)):\n"
       "    for j, (a__iter_v3,) in pl.range(8, init_values=(a__iter_v1,)):\n"
       "        a__ssa_v5 = a__iter_v3 + j\n"
       "        a__rv_v4 = pl.yield_(a__ssa_v5)\n"
       "    a__rv_v2 = pl.yield_(a__rv_v4)\n"
       "return a__rv_v2"},
      {"WhileLoopWithItsCondition",
       "a = n\n"
       "while a > 0:\n"
       "    a = a - 1\n"
       "return a",
       "a__ssa_v0 = n\n"
       "for (a__iter_v1,) in pl.while_(init_values=(a__ssa_v0,)):\n"
       "    pl.cond(a__iter_v1 > 0)\n"
       "    a__ssa_v3 = a__iter_v1 - 1\n"
       "    a__rv_v2 = pl.yield_(a__ssa_v3)\n"
       "return a__rv_v2"},
      {"OneBranchAssigns",
       "a = n\n"
       "if n > 4:\n"
       "    a = n * 2\n"
       "return a",
       "a__ssa_v0 = n\n"
       "if n > 4:\n"
       "    a__ssa_v1 = n * 2\n"
       "    a__phi_v2 = pl.yield_(a__ssa_v1)\n"
       "else:\n"
       "    a__phi_v2 = pl.yield_(a__ssa_v0)\n"
       "return a__phi_v2"},
      {"BothBranchesAssignWhatHadNoValue",
       "if n > 4:\n"
       "    a = n * 2\n"
       "else:\n"
       "    a = n\n"
       "return a",
       "if n > 4:\n"
       "    a__ssa_v0 = n * 2\n"
       "    a__phi_v2 = pl.yield_(a__ssa_v0)\n"
       "else:\n"
       "    a__ssa_v1 = n\n"
       "    a__phi_v2 = pl.yield_(a__ssa_v1)\n"
       "return a__phi_v2"},
      {"ABranchInALoop",
       "a = n\n"
       "for i in pl.range(4):\n"
       "    if i > 1:\n"
       "        pass\n"
       "    else:\n"
       "        a = a + 1\n"
       "return a",
       "a__ssa_v0 = n\n"
       "for i, (a__iter_v1,) in pl.range(4, init_values=(a__ssa_v0,)):\n"
       "    if i > 1:\n"
       "        a__phi_v4 = pl.yield_(a__iter_v1)\n"
       "    else:\n"
       "        a__ssa_v3 = a__iter_v1 + 1\n"
       "        a__phi_v4 = pl.yield_(a__ssa_v3)\n"
       "    a__rv_v2 = pl.yield_(a__phi_v4)\n"
       "return a__rv_v2"},
      {"ReadBehindTheLoopStartsAsTheOutParameter",
       "for i in pl.range(4):\n"
       "    y = pl.tensor.exp(x)\n"
       "return y",
       "for i, (y__iter_v0,) in pl.range(4, init_values=(out,)):\n"
       "    y__ssa_v2 = pl.tensor.exp(x)\n"
       "    y__rv_v1 = pl.yield_(y__ssa_v2)\n"
       "return y__rv_v1"},
      // The parameter n is the first variable of the type.
      {"ReadBehindTheLoopStartsAsAVariableOfItsType",
       "m = n * 2\n"
       "for i in pl.range(4):\n"
       "    a = m + i\n"
       "return a",
       "m = n * 2\n"
       "for i, (a__iter_v0,) in pl.range(4, init_values=(n,)):\n"
       "    a__ssa_v2 = m + i\n"
       "    a__rv_v1 = pl.yield_(a__ssa_v2)\n"
       "return a__rv_v1"},
      {"AScalarOfANewTypeStartsAsZero",
       "for i in pl.range(4):\n"
       "    a = pl.cast(i, pl.INT32)\n"
       "return a",
       "for i, (a__iter_v0,) in pl.range(4, init_values=(pl.const(0, "
       "pl.INT32),)):\n"
       "    a__ssa_v2 = pl.cast(i, pl.INT32)\n"
       "    a__rv_v1 = pl.yield_(a__ssa_v2)\n"
       "return a__rv_v1"},
      {"TheBodyOfAScopeIsPartOfWhatIsAroundIt",
       "a = n\n"
       "with pl.at(level=pl.Level.CORE_GROUP):\n"
       "    a = a + 1\n"
       "return a",
       "a__ssa_v0 = n\n"
       "with pl.at(level=pl.Level.CORE_GROUP):\n"
       "    a__ssa_v1 = a__ssa_v0 + 1\n"
       "return a__ssa_v1"},
      {"DimsOfTypesFollow",
       "m = n * 2\n"
       "m = m + 1\n"
       "t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, "
       "pl.TileView(valid_shape=[m, 16])] = pl.tile.load(x, [0, 0], [16, 16], "
       "[m, 16], target_memory=pl.Mem.Vec)\n"
       "u = pl.tile.exp(t)",
       "m__ssa_v0 = n * 2\n"
       "m__ssa_v1 = m__ssa_v0 + 1\n"
       "t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, "
       "pl.TileView(valid_shape=[m__ssa_v1, 16])] = pl.tile.load(x, [0, 0], "
       "[16, 16], [m__ssa_v1, 16], target_memory=pl.Mem.Vec)\n"
       "u = pl.tile.exp(t)"},
  };
  return *cases;
}

TEST(ConvertToSsaTest, GivesEachAssignmentAVariable) {
  for (const SsaCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const TextProgram input(Text(c.before));
    ExpectProgram(RunOnText(ConvertToSsa(), input), Text(c.after));
  }
}

TEST(ConvertToSsaTest, SecondRunChangesNothing) {
  for (const SsaCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const TextProgram input(Text(c.after));
    EXPECT_EQ(RunOnText(ConvertToSsa(), input).program, input.get());
  }
}

// for i in pl.range(4): t = i; pl.tensor.write(out, [t, 0], 1.0)
const ir::Stmt* LoopWithTemporary(ir::Context& context, const ir::Var* t,
                                  const ir::Var* out) {
  ir::For loop;
  loop.kind = ir::StmtKind::kFor;
  loop.loop_var = context.NewVar("i", context.IndexType());
  loop.start = context.Index(0);
  loop.stop = context.Index(4);
  loop.step = context.Index(1);
  ir::Assign assign;
  assign.kind = ir::StmtKind::kAssign;
  assign.var = t;
  assign.value = loop.loop_var;
  ir::Eval write;
  write.kind = ir::StmtKind::kEval;
  write.expr = ir::MakeOpCall(
      &context, "tensor.write",
      {{out, context.NewTuple({{t, context.Index(0)}}), context.Float(1.0)}},
      {});
  loop.body = context.List(
      std::vector<const ir::Stmt*>{context.New(assign), context.New(write)});
  return context.New(loop);
}

// The second loop assigns t before it reads it. (The reader makes such names
// two variables.)
TEST(ConvertToSsaTest, TemporariesOfTwoLoopsStayInside) {
  const TextProgram input(Text("return out"));
  ir::Context& context = input.context();
  const ir::Var* t = context.NewVar("t", context.IndexType());
  ir::Function function = *input->functions[0];
  const ir::Var* out = function.params[2];
  function.body = context.List(std::vector<const ir::Stmt*>{
      LoopWithTemporary(context, t, out), LoopWithTemporary(context, t, out)});
  const ir::Program* program =
      ir::MakeProgram(&context, "P", {context.New(function)});
  ExpectProgram(RunOnText(ConvertToSsa(), input, {}, program),
                Text("for i in pl.range(4):\n"
                     "    t__ssa_v0 = i\n"
                     "    pl.tensor.write(out, [t__ssa_v0, 0], 1.0)\n"
                     "for i in pl.range(4):\n"
                     "    t__ssa_v1 = i\n"
                     "    pl.tensor.write(out, [t__ssa_v1, 0], 1.0)"));
}

TEST(ConvertToSsaTest, NoValueOnOneWayIsRefused) {
  const TextProgram input(
      Text("if n > 4:\n"
           "    a = n * 2\n"
           "b = a + 1\n"
           "return b"));
  ExpectRefused(RunOnText(ConvertToSsa(), input),
                {"MX-TOSSA-1 'a' is assigned in one branch only, and read "
                 "behind it; assign it in the other one too, or in front"});
}

// A loop that assigns `a` later must not start it anew: it may have a value.
TEST(ConvertToSsaTest, NoValueOnOneWayToALoopIsRefused) {
  const TextProgram input(
      Text("if n > 4:\n"
           "    a = n * 2\n"
           "for i in pl.range(n):\n"
           "    a = i\n"
           "return a"));
  ExpectRefused(RunOnText(ConvertToSsa(), input),
                {"MX-TOSSA-1 'a' is assigned in one branch only, and read "
                 "behind it; assign it in the other one too, or in front"});
}

TEST(ConvertToSsaTest, ALoopVariableBehindItsLoopIsRefused) {
  const TextProgram input(
      Text("for i in pl.range(4):\n"
           "    a = i\n"
           "return i"));
  ExpectRefused(RunOnText(ConvertToSsa(), input),
                {"MX-TOSSA-1 'i' has no value on every way to here; assign it "
                 "in front of the loop or branch that does"});
}

TEST(ConvertToSsaTest, NothingToStartWithIsRefused) {
  const TextProgram input(
      Text("for i in pl.range(4):\n"
           "    a = pl.tensor.create([8], dtype=pl.FP16)\n"
           "return a"));
  ExpectRefused(
      RunOnText(ConvertToSsa(), input),
      {"MX-TOSSA-2 the loop assigns 'a', which is read behind it, and there is "
       "no pl.Tensor[[8], pl.FP16] that it could be before the first round; "
       "assign it in front of the loop"});
}

TEST(ConvertToSsaTest, LeavingEarlyIsRefused) {
  const TextProgram input(
      Text("a = n\n"
           "for i in pl.range(4):\n"
           "    a = a + 1\n"
           "    if a > 8:\n"
           "        break\n"
           "if n > 4:\n"
           "    a = 0\n"
           "    return a\n"
           "return a"));
  ExpectRefused(RunOnText(ConvertToSsa(), input),
                {"MX-TOSSA-3 the statement hands on 'a', but is left by break, "
                 "continue or return; run PyPTO's ctrl_flow_transform first",
                 "MX-TOSSA-3 the statement hands on 'a', but is left by break, "
                 "continue or return; run PyPTO's ctrl_flow_transform first"});
}

}  // namespace
}  // namespace mxtile
