#include "exec/interpreter.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"

namespace mxtile::exec {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StrEq;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

// A tensor that holds one integer.
struct Cell : Object {
  std::string name;
  int64_t value = 0;
};

std::string Text(const Value& value) {
  if (value.is_none()) return "none";
  if (value.is_bool()) return value.AsBool() ? "True" : "False";
  if (value.is_int()) return absl::StrCat(value.AsInt());
  if (value.is_float()) return absl::StrCat("float ", value.AsFloat());
  if (value.is_object()) {
    const auto& cell = dynamic_cast<const Cell&>(*value.AsObject());
    return absl::StrCat(cell.name, "=", cell.value);
  }
  std::vector<std::string> items;
  for (const Value& item : value.AsTuple()) items.push_back(Text(item));
  return absl::StrCat("(", absl::StrJoin(items, ", "), ")");
}

// Operators by name:
//   test.note(x, ...)   logs its arguments and the block; x
//   test.put(cell, x)   stores; the cell
//   test.get(cell)      loads
//   test.fail()         breaks MX-TEST-1
class FakeBackend : public Backend {
 public:
  absl::StatusOr<Value> EvalOp(const ir::Call& call, const ir::Type* type,
                               absl::Span<const Value> args,
                               BlockPosition block) override {
    const absl::string_view name = call.callee->name;
    result_types.push_back(type);
    if (name == "test.note") {
      std::vector<std::string> texts;
      for (const Value& arg : args) texts.push_back(Text(arg));
      log.push_back(absl::StrCat(absl::StrJoin(texts, " "), " @", block.index,
                                 "/", block.count));
      return args[0];
    }
    if (name == "test.put") {
      dynamic_cast<Cell&>(*args[0].AsObject()).value = args[1].AsInt();
      return args[0];
    }
    if (name == "test.get") {
      return Value(dynamic_cast<Cell&>(*args[0].AsObject()).value);
    }
    return ir::RuleError("MX-TEST-1", absl::StrCat("told to ", name));
  }

  absl::StatusOr<Value> CreateTensor(const ir::TensorType& type,
                                     absl::string_view name) override {
    log.push_back(absl::StrCat("create ", name));
    return NewCell(name);
  }

  static Value NewCell(absl::string_view name) {
    auto cell = std::make_shared<Cell>();
    cell->name = std::string(name);
    return Value(std::shared_ptr<Object>(std::move(cell)));
  }

  std::vector<std::string> log;
  std::vector<const ir::Type*> result_types;
};

// A run of the program's function `main`, or of `f` when there is no `main`.
struct TestRun {
  explicit TestRun(const ir::Program& program, std::vector<Value> args = {},
                   absl::flat_hash_map<std::string, int64_t> dims = {}) {
    const ir::Function* entry = program.Find("main");
    if (entry == nullptr) entry = program.Find("f");
    if (entry == nullptr) return;  // The text could not be read.
    Interpreter interpreter(program, &backend, &sink, std::move(dims));
    results = interpreter.Run(*entry, std::move(args));
  }

  // The results, or `RULE message` of the errors.
  std::string text() const {
    std::vector<std::string> parts;
    if (results.ok()) {
      EXPECT_EQ(sink.error_count(), 0);
      for (const Value& value : *results) parts.push_back(Text(value));
      return absl::StrJoin(parts, ", ");
    }
    for (const ir::Diagnostic& diagnostic : sink.diagnostics()) {
      parts.push_back(absl::StrCat(diagnostic.rule_id,
                                   diagnostic.rule_id.empty() ? "" : " ",
                                   diagnostic.message));
    }
    return absl::StrCat("error: ", absl::StrJoin(parts, "; "));
  }

  FakeBackend backend;
  ir::DiagnosticSink sink;
  absl::StatusOr<std::vector<Value>> results =
      absl::UnknownError("has not run");
};

constexpr absl::string_view kParams =
    "n: pl.Scalar[pl.INDEX], x: pl.Scalar[pl.FP32], b: pl.Scalar[pl.BOOL], "
    "w: pl.Scalar[pl.INT32]";

// ---- Statements: a body with n = 5, x = 2.5, b = True, w = 2^31 - 1

struct BodyCase {
  std::string name;
  std::string body;
  std::string want;
};
std::ostream& operator<<(std::ostream& os, const BodyCase& c) {
  return os << c.body;
}

class BodyTest : public TestWithParam<BodyCase> {};

TEST_P(BodyTest, Returns) {
  const BodyCase& c = GetParam();
  const TextProgram program(
      ProgramText({FunctionText("InCore", "f", kParams, c.body)}));
  const TestRun run(*program, {Value(int64_t{5}), Value(2.5), Value(true),
                               Value(int64_t{0x7fffffff})});
  EXPECT_EQ(run.text(), c.want);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BodyTest,
    ValuesIn(std::vector<BodyCase>{
        {"Nothing", "pass", ""},
        {"Scalars", "a = n * 2 - 1\nreturn a, x, b", "9, float 2.5, True"},
        {"BeforeSsa",
         "a = n\n"
         "for i in pl.range(3):\n"
         "    a = a + i\n"
         "return a",
         "8"},
        {"LoopCarries",
         "for i, (a, c) in pl.range(5, init_values=(0, 1)):\n"
         "    s = a + i\n"
         "    p = c * 2\n"
         "    total, power = pl.yield_(s, p)\n"
         "return total, power",
         "10, 32"},
        {"CarriedValuesChangeAtOnce",
         "for i, (a, c) in pl.range(3, init_values=(1, 2)):\n"
         "    d, e = pl.yield_(c, a)\n"
         "return d, e",
         "2, 1"},
        {"EmptyLoopKeepsTheFirstValue",
         "for i, (a,) in pl.range(5, 5, 1, init_values=(n,)):\n"
         "    s = a + 1\n"
         "    r = pl.yield_(s)\n"
         "return r",
         "5"},
        {"LoopDown",
         "for i, (a,) in pl.range(6, 0, -2, init_values=(0,)):\n"
         "    s = a * 10 + i\n"
         "    r = pl.yield_(s)\n"
         "return r",
         "642"},
        {"LoopToTheLastInteger",
         "for i, (a,) in pl.range(9223372036854775806, 9223372036854775807, "
         "2, init_values=(0,)):\n"
         "    s = a + 1\n"
         "    r = pl.yield_(s)\n"
         "return r",
         "1"},
        {"ParallelLoopsAreSequential",
         "for i, (a,) in pl.parallel(4, init_values=(0,)):\n"
         "    s = a * 10 + i\n"
         "    r = pl.yield_(s)\n"
         "return r",
         "123"},
        {"LoopsInLoops",
         "for i, (a,) in pl.range(3, init_values=(0,)):\n"
         "    for j, (c,) in pl.range(i, init_values=(a,)):\n"
         "        s = c + 10\n"
         "        inner = pl.yield_(s)\n"
         "    t = inner + 1\n"
         "    outer = pl.yield_(t)\n"
         "return outer",
         "33"},
        {"IfTaken",
         "if n > 4:\n"
         "    r = pl.yield_(n)\n"
         "else:\n"
         "    r = pl.yield_(0)\n"
         "return r",
         "5"},
        {"IfNotTaken",
         "if n > 5:\n"
         "    r, s = pl.yield_(n, 1)\n"
         "else:\n"
         "    r, s = pl.yield_(0, 2)\n"
         "return r, s",
         "0, 2"},
        {"IntegersAreConditions",
         "if n - 5:\n"
         "    r = pl.yield_(1)\n"
         "else:\n"
         "    r = pl.yield_(2)\n"
         "return r",
         "2"},
        {"While",
         "for (left, sum) in pl.while_(init_values=(n, 0)):\n"
         "    pl.cond(left > 0)\n"
         "    s = sum + left\n"
         "    l = left - 1\n"
         "    done, total = pl.yield_(l, s)\n"
         "return done, total",
         "0, 15"},
        {"WhileNever",
         "for (a,) in pl.while_(init_values=(n,)):\n"
         "    pl.cond(a < 0)\n"
         "    c = a - 1\n"
         "    r = pl.yield_(c)\n"
         "return r",
         "5"},
        {"BreakKeepsWhatTheRoundBeganWith",
         "for i, (a,) in pl.range(10, init_values=(0,)):\n"
         "    if i == 3:\n"
         "        break\n"
         "    s = a + i\n"
         "    r = pl.yield_(s)\n"
         "return r",
         "3"},
        {"ContinueSkipsTheRound",
         "for i, (a,) in pl.range(5, init_values=(0,)):\n"
         "    if i == 3:\n"
         "        continue\n"
         "    s = a * 10 + i\n"
         "    r = pl.yield_(s)\n"
         "return r",
         "124"},
        {"BreakLeavesTheInnerLoop",
         "for i, (a,) in pl.range(3, init_values=(0,)):\n"
         "    for j in pl.range(10):\n"
         "        if j == 2:\n"
         "            break\n"
         "    s = a + 1\n"
         "    r = pl.yield_(s)\n"
         "return r",
         "3"},
        {"WhileTrueBreaks",
         "a = 0\n"
         "while True:\n"
         "    a = a + 1\n"
         "    if a == 7:\n"
         "        break\n"
         "return a",
         "7"},
        {"ReturnOutOfALoop",
         "for i in pl.range(10):\n"
         "    if i == 3:\n"
         "        return i\n"
         "return 99",
         "3"},
        // The literal has the other operand's width.
        {"LiteralOnTheLeftWraps", "a = 1 + w\nreturn a", "-2147483648"},
        {"LiteralOnTheRightWraps", "a = w + 1\nreturn a", "-2147483648"},
        {"CastsWiden", "a = pl.cast(w, pl.INDEX) + 1\nreturn a", "2147483648"},
        {"CastTruncates", "a = pl.cast(x, pl.INDEX)\nreturn a", "2"},
        {"Unary", "a = -n\nc = ~n\nd = abs(-n)\nreturn a, c, d, not b",
         "-5, -6, 5, False"},
        {"MinMax", "return pl.min(n, 3), pl.max(n, 3)", "3, 5"},

        // Errors.
        {"StepZero",
         "z = n - 5\n"
         "for i in pl.range(0, 4, z):\n"
         "    pass",
         "error: the loop's step is 0"},
        {"DivisionByZero", "a = n // (n - 5)", "error: division by zero"},
        {"QuotientOfIntegersIsNoInteger", "a = n / 2",
         "error: the result is a floating-point number, it must be INDEX"},
        {"MixedOperands", "a = n + x",
         "error: the result is a floating-point number, it must be INDEX"},
        {"BoolPlusInteger", "a = b + 1", "error: operands of different kinds"},
        {"FloatCondition",
         "if x:\n"
         "    a = n",
         "error: a condition is BOOL or an integer"},
        {"FloatConditionOfWhile",
         "while x:\n"
         "    a = n",
         "error: a condition is BOOL or an integer"},
        {"CarriedValueOfAnotherKind",
         "for i, (a,) in pl.range(3, init_values=(0,)):\n"
         "    r = pl.yield_(x)\n"
         "return r",
         "error: what 'a' becomes is a floating-point number, it must be "
         "INDEX"},
        {"Operator", "a: pl.Scalar[pl.INDEX] = pl.test.fail()",
         "error: MX-TEST-1 told to test.fail"},
    }),
    [](const TestParamInfo<BodyCase>& info) { return info.param.name; });

TEST(InterpreterTest, YieldInABranchBelongsToTheLoop) {
  // Text cannot say this.
  ir::OpRegistry registry;
  ir::Context context(&registry);
  const auto index = [&](int64_t v) { return context.Index(v); };
  ir::FunctionBuilder f(&context, "f", ir::FunctionType::kInCore);
  f.ReturnType(context.IndexType());
  f.BeginFor("i", index(0), index(4), index(1), {{"a", index(0)}});
  const ir::Expr* sum =
      context.NewBinary(ir::BinaryOp::kAdd, f.iter_arg(0), f.loop_var());
  f.BeginIf(context.NewBinary(ir::BinaryOp::kLt, f.loop_var(), index(2)));
  f.BeginElse({sum});
  f.EndIf({}, {});
  const std::vector<const ir::Var*> total = f.EndFor({f.iter_arg(0)}, {"r"});
  f.Return({total[0]});
  const TestRun run(*ir::MakeProgram(&context, "P", {f.Build()}));
  EXPECT_EQ(run.text(), "1");
}

TEST(InterpreterTest, DynamicDims) {
  const TextProgram program(
      ProgramText({FunctionText("InCore", "f", "", "a = N * 2\nreturn a")},
                  "N = pl.dynamic(\"N\")\n"));
  EXPECT_EQ(TestRun(*program, {}, {{"N", 21}}).text(), "42");
  EXPECT_EQ(TestRun(*program).text(), "error: 'N' has no value");
}

TEST(InterpreterTest, SumOfManyTerms) {
  constexpr int kTerms = 100000;
  ir::OpRegistry registry;
  ir::Context context(&registry);
  ir::FunctionBuilder f(&context, "f", ir::FunctionType::kInCore);
  const ir::Var* n = f.Param("n", context.IndexType());
  const ir::Expr* left = n;
  const ir::Expr* right = n;
  for (int i = 1; i < kTerms; ++i) {
    left = context.NewBinary(ir::BinaryOp::kAdd, left, context.Index(i));
    right = context.NewBinary(ir::BinaryOp::kAdd, context.Index(i), right);
  }
  f.Return({left, right});
  const TestRun run(*ir::MakeProgram(&context, "P", {f.Build()}),
                    {Value(int64_t{7})});
  const std::string sum = absl::StrCat(7 + int64_t{kTerms} * (kTerms - 1) / 2);
  EXPECT_EQ(run.text(), absl::StrCat(sum, ", ", sum));
}

TEST(InterpreterTest, BackendSeesTheTypeOfTheVariable) {
  const TextProgram program(
      ProgramText({FunctionText("InCore", "f", "n: pl.Scalar[pl.INDEX]",
                                "a: pl.Scalar[pl.INT32] = pl.test.note(n)\n"
                                "pl.test.note(n)")}));
  const TestRun run(*program, {Value(int64_t{1})});
  EXPECT_THAT(
      run.backend.result_types,
      ElementsAre(program.context().GetScalarType(ir::DataType::kInt32),
                  program.context().GetMarkerType(ir::TypeKind::kUnknown)));
}

TEST(InterpreterTest, HostIntegersTakeTheParametersWidth) {
  const TextProgram program(ProgramText({FunctionText(
      "InCore", "f",
      "a: pl.Scalar[pl.INT8], b: pl.Scalar[pl.BOOL], c: pl.Scalar[pl.INDEX]",
      "return a, b, c")}));
  EXPECT_EQ(TestRun(*program, {Value(int64_t{300}), Value(int64_t{2}),
                               Value(int64_t{300})})
                .text(),
            "44, True, 300");
}

TEST(InterpreterTest, WrongArgumentsOfTheHost) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "f", "t: pl.Tensor[[4], pl.FP32]", "")}));
  EXPECT_THAT(TestRun(*program).results,
              StatusIs(absl::StatusCode::kInvalidArgument,
                       StrEq("function 'f' has 1 parameters, got 0 "
                             "arguments")));
  EXPECT_THAT(
      TestRun(*program, {Value(int64_t{1})}).results,
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("argument 't'")));
}

// ---- Calls

constexpr absl::string_view kCellType = "pl.Tensor[[4], pl.FP32]";

std::string CellParam(absl::string_view name) {
  return absl::StrCat(name, ": ", kCellType);
}
std::string OutParam(absl::string_view name) {
  return absl::StrCat(name, ": pl.Out[", kCellType, "]");
}

TEST(CallTest, StoresThroughOutParametersAreSeen) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell",
                    absl::StrCat(OutParam("o"), ", v: pl.Scalar[pl.INDEX]"),
                    "pl.test.put(o, v)"),
       FunctionText("Orchestration", "main",
                    absl::StrCat("self, ", CellParam("t")),
                    "self.cell(t, 42)\n"
                    "a: pl.Scalar[pl.INDEX] = pl.test.get(t)\n"
                    "return a, t")}));
  const TestRun run(*program, {FakeBackend::NewCell("t")});
  EXPECT_EQ(run.text(), "42, t=42");
}

TEST(CallTest, ResultsOneSeveralNone) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "one", "n: pl.Scalar[pl.INDEX]", "return n + 1",
                    "pl.Scalar[pl.INDEX]"),
       FunctionText("InCore", "two", "n: pl.Scalar[pl.INDEX]",
                    "return n + 2, n + 3",
                    "tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INDEX]]"),
       FunctionText("InCore", "none", "", ""),
       FunctionText("Orchestration", "main", "self",
                    "self.none()\n"
                    "a = self.one(10)\n"
                    "t = self.two(a)\n"
                    "x = t[0]\n"
                    "y = t[1]\n"
                    "return a, x, y")}));
  EXPECT_EQ(TestRun(*program).text(), "11, 13, 14");
}

TEST(CallTest, CoreNumOfTheFunctionLaunchesBlocks) {
  const TextProgram program(
      ProgramText({FunctionText("InCore", "cell", "n: pl.Scalar[pl.INDEX]",
                                "pl.test.note(n)"),
                   FunctionText("Spmd", "launch", "self",
                                "pl.func_attr({\"core_num\": 3})\n"
                                "pl.test.note(1)\n"
                                "self.cell(2)"),
                   FunctionText("Orchestration", "main", "self",
                                "pl.test.note(0)\n"
                                "self.launch()\n"
                                "self.cell(3)")}));
  const TestRun run(*program);
  EXPECT_EQ(run.text(), "");
  // A function that is called from a block runs in that block.
  EXPECT_THAT(run.backend.log,
              ElementsAre("0 @0/1", "1 @0/3", "2 @0/3", "1 @1/3", "2 @1/3",
                          "1 @2/3", "2 @2/3", "3 @0/1"));
}

TEST(CallTest, RecursionIsRefused) {
  const TextProgram program(
      ProgramText({FunctionText("InCore", "f", "n: pl.Scalar[pl.INDEX]",
                                "pl.test.note(n)\n"
                                "self.f(n + 1)")}));
  const TestRun run(*program, {Value(int64_t{0})});
  EXPECT_EQ(run.text(), "error: calls are nested deeper than 50: recursion?");
  EXPECT_EQ(run.backend.log.size(), Interpreter::kMaxCallDepth + 1);
}

TEST(CallTest, DeepestAllowedNesting) {
  const TextProgram program(
      ProgramText({FunctionText("InCore", "f", "n: pl.Scalar[pl.INDEX]",
                                "if n > 0:\n"
                                "    self.f(n - 1)")}));
  EXPECT_EQ(
      TestRun(*program, {Value(int64_t{Interpreter::kMaxCallDepth})}).text(),
      "");
  EXPECT_THAT(
      TestRun(*program, {Value(int64_t{Interpreter::kMaxCallDepth + 1})})
          .text(),
      HasSubstr("recursion?"));
}

TEST(CallTest, ErrorsAreLocatedWithTheCallsBehindThem) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell", "n: pl.Scalar[pl.INDEX]",
                    "a = n + 1\n"
                    "c: pl.Scalar[pl.INDEX] = pl.test.fail(a)"),
       FunctionText("Group", "middle", "n: pl.Scalar[pl.INDEX]",
                    "for i in pl.range(2):\n"
                    "    self.cell(n * 2)"),
       FunctionText("Orchestration", "main", "self", "self.middle(7)")}));
  const TestRun run(*program);
  EXPECT_EQ(run.results.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ir::RuleOf(run.results.status()), "MX-TEST-1");
  ASSERT_EQ(run.sink.error_count(), 1);
  const ir::Diagnostic& error = run.sink.diagnostics()[0];
  EXPECT_EQ(error.rule_id, "MX-TEST-1");
  EXPECT_EQ(error.span.line, program.LineOf("test.fail"));
  ASSERT_EQ(error.notes.size(), 2);
  EXPECT_EQ(error.notes[0].message, "in the call of 'cell'");
  EXPECT_EQ(error.notes[0].span.line, program.LineOf("self.cell"));
  EXPECT_EQ(error.notes[1].message, "in the call of 'middle'");
  EXPECT_EQ(error.notes[1].span.line, program.LineOf("self.middle"));
}

// What no reader checks of calls and returns.
struct CallCase {
  std::string name;
  std::string params;  // Of `f`, which returns INDEX.
  std::string body;
  std::string call;  // In `main`, with t a tensor and x a FP32.
  std::string want;
};
std::ostream& operator<<(std::ostream& os, const CallCase& c) {
  return os << c.call;
}

class WrongCallTest : public TestWithParam<CallCase> {};

TEST_P(WrongCallTest, IsAnError) {
  const CallCase& c = GetParam();
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "f", c.params, c.body, "pl.Scalar[pl.INDEX]"),
       FunctionText(
           "Orchestration", "main",
           absl::StrCat("self, ", CellParam("t"), ", x: pl.Scalar[pl.FP32]"),
           c.call)}));
  const TestRun run(*program, {FakeBackend::NewCell("t"), Value(2.5)});
  EXPECT_EQ(run.text(), absl::StrCat("error: ", c.want));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongCallTest,
    ValuesIn(std::vector<CallCase>{
        {"FloatForInteger", "n: pl.Scalar[pl.INDEX]", "return n", "self.f(x)",
         "argument 'n' is a floating-point number, it must be INDEX"},
        {"TensorForInteger", "n: pl.Scalar[pl.INDEX]", "return n", "self.f(t)",
         "argument 'n' is a tensor, it must be INDEX"},
        {"IntegerForTensor", "t: pl.Tensor[[4], pl.FP32]", "return 0",
         "self.f(1)", "argument 't' is INDEX, it must be a tensor"},
        {"TensorForTile", "t: pl.Tile[[4], pl.FP32, pl.Mem.Vec]", "return 0",
         "self.f(t)", "argument 't' is a tensor, it must be a tile"},
        {"IntegerForBool", "b: pl.Scalar[pl.BOOL]", "return 0", "self.f(1)",
         "argument 'b' is INDEX, it must be BOOL"},
        {"LaunchChecksToo", "n: pl.Scalar[pl.INDEX]", "return n",
         "r = pl.submit(self.f, x)",
         "argument 'n' is a floating-point number, it must be INDEX"},
        {"ReturnsAnotherKind", "x: pl.Scalar[pl.FP32]", "return x", "self.f(x)",
         "the returned value is a floating-point number, it must be INDEX"},
        {"ReturnsNothing", "", "pass", "self.f()",
         "function 'f' states 1 returned values and returned 0"},
        {"ReturnsTooMany", "", "return 1, 2", "self.f()",
         "function 'f' states 1 returned values and returned 2"},
        {"NoCores", "", "return 1", "r = pl.spmd_submit(self.f, core_num=0)",
         "'f' is launched on 0 cores"},
        {"CoresOfAnotherKind", "", "return 1",
         "r = pl.spmd_submit(self.f, core_num=x)", "core_num is no integer"},
        {"LaunchWithoutAScalar", "n: pl.Scalar[pl.INDEX]", "return 1",
         "r = pl.submit(self.f)",
         "the launch of 'f' leaves out 'n', which is no tensor"},
        {"FalsePredicate", "", "return 1",
         "r = pl.submit(self.f, predicate=(x < 1.0))",
         "the launch of 'f' has a predicate that does not hold; what its "
         "outputs are then is not known"},
    }),
    [](const TestParamInfo<CallCase>& info) { return info.param.name; });

// ---- Submits

TEST(SubmitTest, LeftOutOutputsAreCreatedAndReturned) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell",
                    absl::StrCat(CellParam("a"), ", ", OutParam("o"), ", ",
                                 OutParam("p")),
                    "v: pl.Scalar[pl.INDEX] = pl.test.get(a)\n"
                    "pl.test.put(o, v + 1)\n"
                    "pl.test.put(p, v + 2)\n"
                    "return o, p",
                    absl::StrCat("tuple[", kCellType, ", ", kCellType, "]")),
       FunctionText("Orchestration", "main",
                    absl::StrCat("self, ", CellParam("t")),
                    "pl.test.put(t, 10)\n"
                    "r = pl.submit(self.cell, t)\n"
                    "o = r[0]\n"
                    "p = r[1]\n"
                    "id = r[2]\n"
                    "s = pl.submit(self.cell, o, t, deps=[id])\n"
                    "q = s[1]\n"
                    "return o, p, q, t")}));
  const TestRun run(*program, {FakeBackend::NewCell("t")});
  EXPECT_EQ(run.text(), "o=11, p=12, p=13, t=12");
  EXPECT_THAT(run.backend.log, ElementsAre("create o", "create p", "create p"));
}

TEST(SubmitTest, ContextsAreTheLastParametersAcrossTheGap) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell",
                    absl::StrCat(CellParam("a"), ", ", OutParam("o"),
                                 ", ctx: pld.CommCtxType"),
                    "pl.test.note(a, o, ctx)\n"
                    "return o",
                    kCellType),
       FunctionText(
           "Orchestration", "main",
           absl::StrCat("self, ", CellParam("t"), ", c: pld.CommCtxType"),
           "r = pl.submit(self.cell, t, c)\n"
           "return r[0]")}));
  const TestRun run(*program, {FakeBackend::NewCell("t"), Value(int64_t{77})});
  EXPECT_EQ(run.text(), "o=0");
  EXPECT_THAT(run.backend.log, ElementsAre("create o", "t=0 o=0 77 @0/1"));
}

TEST(SubmitTest, SpmdRunsBlockAfterBlockOnTheSameOutputs) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell",
                    absl::StrCat("n: pl.Scalar[pl.INDEX], ", OutParam("o")),
                    "v: pl.Scalar[pl.INDEX] = pl.test.get(o)\n"
                    "pl.test.put(o, v * 10 + n)\n"
                    "pl.test.note(v)\n"
                    "return o",
                    kCellType),
       FunctionText("Orchestration", "main", "self, k: pl.Scalar[pl.INDEX]",
                    "r = pl.spmd_submit(self.cell, 7, core_num=k + 1, "
                    "predicate=(k > 0))\n"
                    "pl.test.note(k)\n"
                    "return r[0]")}));
  const TestRun run(*program, {Value(int64_t{2})});
  EXPECT_EQ(run.text(), "o=777");
  EXPECT_THAT(run.backend.log,
              ElementsAre("create o", "0 @0/3", "7 @1/3", "77 @2/3", "2 @0/1"));
}

TEST(SubmitTest, TooManyArguments) {
  // Text cannot say this.
  const ir::OpRegistry registry;
  ir::Context context(&registry);
  ir::FunctionBuilder cell(&context, "cell", ir::FunctionType::kInCore);
  ir::Submit submit;
  submit.kind = ir::ExprKind::kSubmit;
  submit.type = context.GetTupleType({});
  submit.callee = context.GetFunction("cell");
  submit.args = context.ExprList({context.Index(1)});
  ir::FunctionBuilder main(&context, "main", ir::FunctionType::kOrchestration);
  main.Eval(context.New(submit));
  const TestRun run(
      *ir::MakeProgram(&context, "P", {cell.Build(), main.Build()}));
  EXPECT_EQ(run.text(),
            "error: the launch of 'cell' has 1 arguments for 0 parameters");
}

}  // namespace
}  // namespace mxtile::exec
