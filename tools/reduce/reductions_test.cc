#include "tools/reduce/reductions.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "ir/verifier.h"
#include "tools/reduce/item_range.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::Contains;

bool IsSound(const ir::Program& program) {
  ir::DiagnosticSink sink;
  ir::VerifySsaForm(program, &sink);
  ir::VerifyTypeChecked(program, &sink);
  ir::VerifyUseAfterDef(program, &sink);
  ir::VerifyCallTypes(program, &sink);
  return !sink.has_errors();
}

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

TEST(ReductionsTest, ExpressionsBecomeZeroOrAnOperand) {
  const auto load = [](absl::string_view row) {
    return Cell(absl::StrCat("s = pl.load(x, [", row, ", 0], [1, 64])"));
  };
  const TextProgram program(load("n * 2"));
  const Reduction& expressions = Named("expressions");
  std::vector<std::string> found;
  const int count = expressions.count(program.get(), &program.context());
  for (int i = 0; i < count; ++i) {
    found.push_back(ir::PrintProgram(
        *expressions.apply(program.get(), {i, i + 1}, &program.context())));
  }
  // x stays: nothing else is of its type.
  for (const char* row : {"0", "n", "2", "0 * 2", "n * 0"}) {
    EXPECT_THAT(found, Contains(ir::PrintProgram(*TextProgram(load(row)))))
        << row;
  }
}

TEST(ReductionsTest, SizesChangeEverywhere) {
  const auto copy = [](int rows, int cols) {
    const std::string tensor =
        absl::StrCat("pl.Tensor[[", rows, ", ", cols, "], pl.FP32]");
    return ProgramText(
        {FunctionText("InCore", "cell",
                      absl::StrCat("x: ", tensor, ", z: pl.Out[", tensor, "]"),
                      absl::StrCat("s = pl.load(x, [0, 0], [", rows, ", ", cols,
                                   "])\npl.store(s, [0, 0], z)"))});
  };
  const TextProgram program(copy(8, 64));
  const Reduction& sizes = Named("sizes");
  // 8 to 4, 2, 1; 64 to 32, 16, 2, 1.
  ASSERT_EQ(sizes.count(program.get(), &program.context()), 7);
  const std::vector<std::pair<int, int>> want = {
      {4, 64}, {2, 64}, {1, 64}, {8, 32}, {8, 16}, {8, 2}, {8, 1}};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(
        ir::PrintProgram(
            *sizes.apply(program.get(), {i, i + 1}, &program.context())),
        ir::PrintProgram(*TextProgram(copy(want[i].first, want[i].second))));
  }
}

TEST(ReductionsTest, ReturnsGoAndTheirCallsHaveNoResult) {
  const std::string x_and_z =
      absl::StrCat("x: ", kTensor, ", z: pl.Out[", kTensor, "]");
  const TextProgram program(TwoFunctions(x_and_z, "r = self.cell(x, z)", true));
  const Reduction& returns = Named("returns");
  ASSERT_EQ(returns.count(program.get(), &program.context()), 1);
  const std::string less = ir::PrintProgram(
      *returns.apply(program.get(), {0, 1}, &program.context()));
  const TextProgram again(less);
  EXPECT_TRUE(IsSound(*again));
  EXPECT_TRUE(again.function("cell").return_types.empty());
  EXPECT_EQ(again.function("main").body[0]->kind, ir::StmtKind::kEval);
}

TEST(ReductionsTest, CommentsGo) {
  const TextProgram program(
      Cell("# one\ns = pl.load(x, [0, 0], [8, 64])\n# two\npl.store(s, [0, 0], "
           "z)"));
  const ir::Program* less =
      Named("comments").apply(program.get(), {0, 1}, &program.context());
  EXPECT_EQ(ir::PrintProgram(*less),
            ir::PrintProgram(*TextProgram(Cell(
                "s = pl.load(x, [0, 0], [8, 64])\npl.store(s, [0, 0], z)"))));
}

}  // namespace
}  // namespace mxtile
