#include "tools/reduce/reducer.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/rule_error.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "ir/verifier.h"
#include "tools/reduce/long_program_test_util.h"
#include "tools/reduce/reductions.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;

bool IsSound(const ir::Program& program) {
  ir::DiagnosticSink sink;
  ir::VerifySsaForm(program, &sink);
  ir::VerifyTypeChecked(program, &sink);
  ir::VerifyUseAfterDef(program, &sink);
  ir::VerifyCallTypes(program, &sink);
  return !sink.has_errors();
}

absl::StatusOr<std::string> Reduce(const std::string& text,
                                   const StillFails& still_fails) {
  const TextProgram program(text);
  ir::DiagnosticSink sink;
  return ReduceProgram(
      *program, still_fails, [](const ReduceProgress&) {}, &sink);
}

TEST(ReducerTest, BringsThreeHundredLinesBelowThirty) {
  const std::string text = LongProgramText();
  ASSERT_GE(CountLines(text), 300);
  int tried = 0;
  const auto still_fails = [&tried](const std::string& candidate) {
    ++tried;
    // Text that cannot be read fails the test here.
    const TextProgram program(candidate);
    EXPECT_TRUE(IsSound(*program)) << candidate;
    return absl::StrContains(candidate, "pl.tile.recip(") &&
           absl::StrContains(candidate, "pl.tile.row_max(");
  };
  const absl::StatusOr<std::string> reduced = Reduce(text, still_fails);
  ASSERT_THAT(reduced, IsOk());
  EXPECT_LT(CountLines(*reduced), 30) << *reduced;
  EXPECT_TRUE(still_fails(*reduced));
  EXPECT_LT(tried, 1000);
  // The same again, and nothing more to find.
  EXPECT_THAT(Reduce(text, still_fails), IsOkAndHolds(*reduced));
  EXPECT_THAT(Reduce(*reduced, still_fails), IsOkAndHolds(*reduced));
}

TEST(ReducerTest, WhatDoesNotFailIsNotReduced) {
  const absl::StatusOr<std::string> reduced =
      Reduce(LongProgramText(), [](const std::string&) { return false; });
  EXPECT_EQ(ir::RuleOf(reduced.status()), "MX-REDUCE-1");
}

TEST(ReducerTest, AnErrorOfTheTrialEndsIt) {
  EXPECT_THAT(Reduce(LongProgramText(),
                     [](const std::string&) -> absl::StatusOr<bool> {
                       return absl::AbortedError("enough");
                     }),
              StatusIs(absl::StatusCode::kAborted, "enough"));
}

// ---- Reductions by themselves

const Reduction& Named(absl::string_view name) {
  for (const Reduction& reduction : Reductions()) {
    if (reduction.name == name) return reduction;
  }
  ADD_FAILURE() << "no reduction " << name;
  return Reductions()[0];
}

constexpr char kParams[] =
    "x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX], "
    "z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]";

std::string Cell(absl::string_view body) {
  return ProgramText({FunctionText("InCore", "cell", kParams, body)});
}

// A reduction of `body` to `less` when it takes the items.
struct Case {
  const char* reduction;
  int count;
  ItemRange items;
  const char* body;
  const char* less;
};

TEST(ReductionsTest, TakeWhatTheySay) {
  const Case cases[] = {
      {"statements",
       4,
       {1, 2},
       "s = pl.load(x, [0, 0], [16, 64])\nt = pl.tile.exp(s)\n"
       "u = pl.tile.neg(t)\npl.store(u, [0, 0], z)",
       "s = pl.load(x, [0, 0], [16, 64])\nu = pl.tile.neg(s)\n"
       "pl.store(u, [0, 0], z)"},
      // Nothing is left that the store could use.
      {"statements",
       2,
       {0, 1},
       "s = pl.load(x, [0, 0], [16, 64])\npl.store(s, [0, 0], z)",
       "pass"},
      // The operand of the same type; of none, a variable of it.
      {"statements",
       3,
       {0, 1},
       "m = 3 * 4\ns = pl.load(x, [m, 0], [1, 64])\npl.store(s, [m, 0], z)",
       "s = pl.load(x, [3, 0], [1, 64])\npl.store(s, [3, 0], z)"},
      {"statements",
       3,
       {0, 1},
       "m = pl.tile.get_block_idx()\ns = pl.load(x, [m, 0], [1, 64])\n"
       "pl.store(s, [m, 0], z)",
       "s = pl.load(x, [n, 0], [1, 64])\npl.store(s, [n, 0], z)"},
      // What a loop hands on becomes what it starts with.
      {"statements",
       4,
       {1, 2},
       "s = pl.load(x, [0, 0], [16, 64])\n"
       "for i, (t,) in pl.range(0, 4, 1, init_values=(s,)):\n"
       "    u = pl.tile.exp(t)\n"
       "    r = pl.yield_(u)\n"
       "pl.store(r, [0, 0], z)",
       "s = pl.load(x, [0, 0], [16, 64])\npl.store(s, [0, 0], z)"},
      {"bodies",
       1,
       {0, 1},
       "s = pl.load(x, [0, 0], [16, 64])\n"
       "for i, (t,) in pl.range(2, 4, 1, init_values=(s,)):\n"
       "    u = pl.load(x, [i, 0], [1, 64])\n"
       "    v = pl.tile.exp(t)\n"
       "    r = pl.yield_(v)\n"
       "pl.store(r, [0, 0], z)",
       "s = pl.load(x, [0, 0], [16, 64])\nu = pl.load(x, [2, 0], [1, 64])\n"
       "v = pl.tile.exp(s)\npl.store(v, [0, 0], z)"},
      {"bodies",
       2,
       {1, 2},
       "s = pl.load(x, [0, 0], [16, 64])\n"
       "if n > 1:\n    t = pl.tile.exp(s)\n    r = pl.yield_(t)\n"
       "else:\n    u = pl.tile.neg(s)\n    r = pl.yield_(u)\n"
       "pl.store(r, [0, 0], z)",
       "s = pl.load(x, [0, 0], [16, 64])\nu = pl.tile.neg(s)\n"
       "pl.store(u, [0, 0], z)"},
      {"carried",
       2,
       {0, 1},
       "s = pl.load(x, [0, 0], [16, 64])\n"
       "for i, (t, w) in pl.range(0, 4, 1, init_values=(s, s)):\n"
       "    u = pl.tile.exp(t)\n    v = pl.tile.neg(w)\n"
       "    r, q = pl.yield_(u, v)\n"
       "pl.store(r, [0, 0], z)\npl.store(q, [0, 0], z)",
       "s = pl.load(x, [0, 0], [16, 64])\n"
       "for i, (w,) in pl.range(0, 4, 1, init_values=(s,)):\n"
       "    u = pl.tile.exp(s)\n    v = pl.tile.neg(w)\n"
       "    q = pl.yield_(v)\n"
       "pl.store(s, [0, 0], z)\npl.store(q, [0, 0], z)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(absl::StrCat(c.reduction, " of\n", c.body));
    const TextProgram program(Cell(c.body));
    const Reduction& reduction = Named(c.reduction);
    EXPECT_EQ(reduction.count(program.get(), &program.context()), c.count);
    const ir::Program* less =
        reduction.apply(program.get(), c.items, &program.context());
    ASSERT_NE(less, nullptr);
    EXPECT_TRUE(IsSound(*less));
    EXPECT_EQ(ir::PrintProgram(*less),
              ir::PrintProgram(*TextProgram(Cell(c.less))));
  }
}

TEST(ReductionsTest, AReturnThatLosesItsValueMakesNoCandidate) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell", "x: pl.Tensor[[16, 64], pl.FP32]",
                    "s = pl.load(x, [0, 0], [16, 64])\nreturn s",
                    "pl.Tile[[16, 64], pl.FP32]")}));
  EXPECT_EQ(
      Named("statements").apply(program.get(), {0, 1}, &program.context()),
      nullptr);
}

constexpr char kTensor[] = "pl.Tensor[[16, 64], pl.FP32]";

std::string TwoFunctions(absl::string_view callee_params,
                         absl::string_view call, bool returns) {
  const std::string result = returns ? kTensor : "";
  return ProgramText(
      {FunctionText(
           "InCore", "cell", callee_params,
           absl::StrCat("s = pl.load(x, [0, 0], [16, 64])\n",
                        returns ? "r = " : "", "pl.store(s, [0, 0], z)",
                        returns ? "\nreturn r" : ""),
           result),
       FunctionText("Orchestration", "main",
                    absl::StrCat("x: ", kTensor, ", z: pl.Out[", kTensor, "]"),
                    call)});
}

TEST(ReductionsTest, ParametersGoWithTheirArguments) {
  const std::string x_and_z =
      absl::StrCat("x: ", kTensor, ", z: pl.Out[", kTensor, "]");
  const TextProgram program(
      TwoFunctions(absl::StrCat("n: pl.Scalar[pl.INDEX], ", x_and_z),
                   "self.cell(7, x, z)", false));
  const Reduction& parameters = Named("parameters");
  EXPECT_EQ(parameters.count(program.get(), &program.context()), 5);
  // All that are not used.
  const ir::Program* less =
      parameters.apply(program.get(), {0, 5}, &program.context());
  EXPECT_EQ(ir::PrintProgram(*less), ir::PrintProgram(*TextProgram(TwoFunctions(
                                         x_and_z, "self.cell(x, z)", false))));
}

TEST(ReductionsTest, FunctionsGoWithTheirCalls) {
  const std::string x_and_z =
      absl::StrCat("x: ", kTensor, ", z: pl.Out[", kTensor, "]");
  const TextProgram program(TwoFunctions(x_and_z, "self.cell(x, z)", false));
  const ir::Program* less =
      Named("functions").apply(program.get(), {0, 1}, &program.context());
  ASSERT_EQ(less->functions.size(), 1);
  EXPECT_EQ(less->functions[0]->name, "main");
  EXPECT_TRUE(less->functions[0]->body.empty());
  EXPECT_EQ(Named("functions").apply(program.get(), {0, 2}, &program.context()),
            nullptr);
}

}  // namespace
}  // namespace mxtile
