// What people type and compilers print, and what it stands for: each construct
// beside its canonical form.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/stmt.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile::ir {
namespace {

using ::testing::HasSubstr;

constexpr char kParams[] =
    "x: pl.Tensor[[4, 32, 64], pl.FP32], y: pl.Tensor[[32, 64], pl.FP32], "
    "n: pl.Scalar[pl.INDEX]";

// The statements of a function's body with `written`, as they print.
std::string Printed(absl::string_view written) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "two",
                    "t: pl.Tensor[[32, 64], pl.FP32], u: "
                    "pl.Out[pl.Tensor[[32, 64], pl.FP32]]",
                    "return t, u",
                    "tuple[pl.Tensor[[32, 64], pl.FP32], pl.Tensor[[32, 64], "
                    "pl.FP32]]"),
       FunctionText("Orchestration", "main", absl::StrCat("self, ", kParams),
                    written)}));
  std::string text = PrintFunction(program.function("main"));
  // The decorator and the signature are two lines.
  for (int i = 0; i < 2; ++i) text.erase(0, text.find('\n') + 1);
  return text;
}

struct Written {
  const char* name;
  const char* written;
  const char* printed;
};

std::string NameOf(const ::testing::TestParamInfo<Written>& info) {
  return info.param.name;
}

class FrontEndTest : public ::testing::TestWithParam<Written> {};

TEST_P(FrontEndTest, StandsForItsCanonicalForm) {
  EXPECT_EQ(Printed(GetParam().written), GetParam().printed);
}

const Written kWindows[] = {
    {"ElementOfATensor", "e = y[0, n]",
     "    e: pl.Scalar[pl.FP32] = pl.tensor.read(y, [0, n])\n"},
    {"IndexDropsADimension", "p = x[1]",
     "    p: pl.Tensor[[32, 64], pl.FP32] = pl.tensor.slice(x, [1, 32, 64], "
     "[1, 0, 0], [], [0])\n"},
    {"SliceWithConstantBounds", "p = y[8:16, 32:]",
     "    p: pl.Tensor[[8, 32], pl.FP32] = pl.tensor.slice(y, [8, 32], [8, "
     "32])\n"},
    {"ExtentOfASum", "p = y[n:n + 8]",
     "    p: pl.Tensor[[8, 64], pl.FP32] = pl.tensor.slice(y, [8, 64], [n, "
     "0])\n"},
    {"WindowWritten", "y[0:8, :] = y[8:16]",
     "    y: pl.Tensor[[32, 64], pl.FP32] = pl.tensor.assemble(y, "
     "pl.tensor.slice(y, [8, 64], [8, 0]), [0, 0])\n"},
    {"ArrayElements", "a = pl.array.create(4, pl.INT32)\na[0] = 7\nb = a[n]",
     "    a: pl.Array[4, pl.INT32] = pl.array.create(4, dtype=pl.INT32)\n"
     "    a: pl.Array[4, pl.INT32] = pl.array.update_element(a, 0, "
     "pl.const(7, pl.INT32))\n"
     "    b: pl.Scalar[pl.INT32] = pl.array.get_element(a, n)\n"},
};
INSTANTIATE_TEST_SUITE_P(Windows, FrontEndTest, ::testing::ValuesIn(kWindows),
                         NameOf);

const Written kNames[] = {
    {"Unpacking", "p, q = self.two(y, y)",
     "    _tuple_tmp: pl.Tuple[pl.Tensor[[32, 64], pl.FP32], "
     "pl.Tensor[[32, 64], pl.FP32]] = self.two(y, y)\n"
     "    p: pl.Tensor[[32, 64], pl.FP32] = _tuple_tmp[0]\n"
     "    q: pl.Tensor[[32, 64], pl.FP32] = _tuple_tmp[1]\n"},
    {"NestedTargetsAndUnderscore", "(p, _), t = pl.submit(self.two, y)",
     "    _tuple_tmp: pl.Tuple[pl.Tensor[[32, 64], pl.FP32], "
     "pl.Tensor[[32, 64], pl.FP32], pl.Scalar[pl.TASK_ID]] = "
     "pl.submit(self.two, y)\n"
     "    p: pl.Tensor[[32, 64], pl.FP32] = _tuple_tmp[0]\n"
     "    t: pl.Scalar[pl.TASK_ID] = _tuple_tmp[2]\n"},
    {"MarkedArguments", "p = self.two(pl.no_dep(y), y)",
     "    p: pl.Tuple[pl.Tensor[[32, 64], pl.FP32], pl.Tensor[[32, 64], "
     "pl.FP32]] = self.two(y, y, attrs={\"arg_direction_overrides\": [0]})\n"},
    {"NoDependency", "p = pl.submit(self.two, y, deps=[None])",
     "    p: pl.Tuple[pl.Tensor[[32, 64], pl.FP32], pl.Tensor[[32, 64], "
     "pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.two, y)\n"},
    {"LiteralsOfAStatedType",
     "a: pl.Scalar[pl.INT32] = 0\nb: pl.Scalar[pl.FP16] = 1",
     "    a: pl.Scalar[pl.INT32] = pl.const(0, pl.INT32)\n"
     "    b: pl.Scalar[pl.FP16] = pl.const(1.0, pl.FP16)\n"},
    {"SizeOfAnElement", "a = n * pl.FP32.get_byte() + pl.FP4.get_byte()",
     "    a: pl.Scalar[pl.INDEX] = n * 4 + 1\n"},
};
INSTANTIATE_TEST_SUITE_P(Names, FrontEndTest, ::testing::ValuesIn(kNames),
                         NameOf);

const Written kScopes[] = {
    {"ManualScope", "with pl.manual_scope():\n    pass",
     "    with pl.scope(mode=pl.ScopeMode.MANUAL):\n        pass\n"},
    {"AutomaticScope", "with pl.scope(mode=pl.ScopeMode.AUTO):\n    pass",
     "    with pl.scope():\n        pass\n"},
    {"AtInTheOrderOfTheLanguage",
     "with pl.at(dumps=[y], name_hint='k', level=pl.Level.L2CACHE, "
     "allow_early_resolve=False, optimizations=["
     "pl.cross_core_slot(slot_num=4), pl.split(pl.SplitMode.UP_DOWN)]) as t:\n"
     "    pass\na = t",
     "    with pl.at(level=pl.Level.CHIP_DIE, name_hint=\"k\", "
     "optimizations=[pl.split(pl.SplitMode.UP_DOWN), "
     "pl.cross_core_slot(slot_num=4)], dumps=[y]) as t:\n        pass\n"
     "    a: pl.Scalar[pl.TASK_ID] = t\n"},
    {"SpmdLoop",
     "for i in pl.spmd(core_num=n, sync_start=True):\n    a = i * 16\nb = a",
     "    for i in pl.spmd(n, sync_start=True):\n"
     "        a: pl.Scalar[pl.INDEX] = i * 16\n"
     "    b: pl.Scalar[pl.INDEX] = a\n"},
    {"SplitAiv",
     "for i in pl.split_aiv(2, mode=pl.SplitMode.LEFT_RIGHT):\n    a = i",
     "    for i in pl.split_aiv(2, mode=pl.SplitMode.LEFT_RIGHT):\n"
     "        a: pl.Scalar[pl.INDEX] = i\n"},
    {"Cluster", "with pl.cluster(name_hint='c'):\n    pass",
     "    with pl.cluster(name_hint=\"c\"):\n        pass\n"},
};
INSTANTIATE_TEST_SUITE_P(Scopes, FrontEndTest, ::testing::ValuesIn(kScopes),
                         NameOf);

std::string ErrorOf(absl::string_view body) {
  return ErrorInBody(body, kParams);
}

TEST(FrontEndErrorTest, Scopes_MX_TEXT_11) {
  const struct {
    const char* header;
    const char* message;
  } kCases[] = {
      {"with pl.at():", "pl.at needs level"},
      {"with pl.at(level=pl.Level.CHIP, level2=1):",
       "pl.at has no 'level2'; it has level, role, name_hint, optimizations, "
       "deps, no_dep_args, dumps, allow_early_resolve, windowize"},
      {"with pl.at(pl.Level.CHIP, level=pl.Level.CHIP):",
       "level is given twice"},
      {"with pl.at(level=pl.Level.NOWHERE):", "pl.at: level is a pl.Level"},
      {"with pl.at(level=pl.Level.CHIP, allow_early_resolve=1):",
       "pl.at: allow_early_resolve is True or False"},
      {"with pl.at(level=pl.Level.CHIP, split=pl.SplitMode.NONE):",
       "pl.at has no 'split'"},
      {"with pl.scope(1):", "pl.scope takes no such argument"},
      {"with pl.scope() as t:", "pl.scope launches no task"},
      {"with pl.manual_scope(name='a'):", "pl.manual_scope takes no arguments"},
      {"with pl.spmd():", "pl.spmd needs core_num"},
      {"with pl.split_aiv(2, mode=pl.SplitMode.NONE):",
       "pl.split_aiv is a loop"},
      {"for i in pl.split_aiv(0, mode=pl.SplitMode.NONE):",
       "pl.split_aiv: count is a positive integer constant"},
      {"for i, j in pl.spmd(2):", "a scope that is a loop has one variable"},
      {"with pl.elsewhere():", "a scope is pl.at, pl.cluster"},
      {"with pl.cluster(), pl.cluster():", "expected one scope"},
  };
  for (const auto& test : kCases) {
    const std::string error = ErrorOf(absl::StrCat(test.header, "\n    pass"));
    EXPECT_THAT(error, HasSubstr(test.message)) << test.header;
    EXPECT_THAT(error, HasSubstr("MX-TEXT-11")) << test.header;
  }
}

TEST(FrontEndErrorTest, Windows_MX_TEXT_12) {
  const struct {
    const char* body;
    const char* message;
  } kCases[] = {
      {"a = y[0, 0, 0]", "3 indices for rank 2"},
      {"a = y[0.5:]", "a bound is an integer scalar"},
      {"y[0, 0] = y", "a single element is no window"},
      {"y[0:8] = n", "a window of a tensor is given a tensor"},
      {"x[0:1, 0:8] = y[0]", "the window has rank 3, the value 1"},
  };
  for (const auto& test : kCases) {
    const std::string error = ErrorOf(test.body);
    EXPECT_THAT(error, HasSubstr(test.message)) << test.body;
    EXPECT_THAT(error, HasSubstr("MX-TEXT-12")) << test.body;
  }
}

TEST(FrontEndErrorTest, SeveralNamesNeedATuple) {
  EXPECT_THAT(ErrorOf("a, b = n"),
              HasSubstr("several names are given to what is no tuple"));
  EXPECT_THAT(ErrorOf("n[0] = 1"), HasSubstr("only parts of tensors"));
  EXPECT_THAT(ErrorOf("a = n[0]"), HasSubstr("only tuples, arrays"));
}

// ---- Two blocks, one name

TEST(BranchTest, TheSameNameInBothBranchesIsOneVariable) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "f", kParams,
                    "if n > 2:\n    a = n * 2\nelse:\n    a = n\nb = a + 1")}));
  const Function& f = program.function("f");
  const If* branch = CheckedCast<If>(f.body[0]);
  const Var* a = CheckedCast<Assign>(branch->then_body[0])->var;
  EXPECT_EQ(CheckedCast<Assign>(branch->else_body[0])->var, a);
  const Binary* sum =
      CheckedCast<Binary>(CheckedCast<Assign>(f.body[1])->value);
  EXPECT_EQ(sum->lhs, a);
}

TEST(BranchTest, NamesThatAreNotReadBehindTheBranchesStaySeparate) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "f", kParams,
                    "if n > 2:\n    a = n * 2\nelse:\n    a = n\nb = n + 1")}));
  const If* branch = CheckedCast<If>(program.function("f").body[0]);
  EXPECT_NE(CheckedCast<Assign>(branch->then_body[0])->var,
            CheckedCast<Assign>(branch->else_body[0])->var);
}

TEST(BranchTest, AnInnerBlockAssignsTheVariableAroundIt) {
  const TextProgram program(ProgramText({FunctionText(
      "InCore", "f", kParams,
      "a: pl.Scalar[pl.INT64] = 0\nif n > 2:\n    a = n\nb = a")}));
  const Function& f = program.function("f");
  const Var* a = CheckedCast<Assign>(f.body[0])->var;
  EXPECT_EQ(CheckedCast<Assign>(CheckedCast<If>(f.body[1])->then_body[0])->var,
            a);
  EXPECT_EQ(CheckedCast<Assign>(f.body[2])->value, a);
}

// ---- Files

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream contents;
  contents << in.rdbuf();
  return contents.str();
}

// Each construct of testdata/text_form: printing is stable, and what is read
// from the printed text is the same program.
TEST(TextFormFilesTest, PrintingIsStable) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("testdata/text_form")) {
    SCOPED_TRACE(entry.path().string());
    const TextProgram program(ReadFile(entry.path()));
    ASSERT_FALSE(program->functions.empty());
    const std::string printed = PrintProgram(*program);
    const TextProgram again(printed);
    EXPECT_TRUE(StructurallyEqual(*program, *again));
    EXPECT_EQ(PrintProgram(*again), printed);
    ++files;
  }
  EXPECT_GE(files, 9);
}

}  // namespace
}  // namespace mxtile::ir
