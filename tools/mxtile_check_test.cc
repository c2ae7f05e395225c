// Programs that are refused: what `mxtile check` and its siblings say.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kBinary[] = "tools/mxtile_main";

std::string Gemm() {
  return *ReadFile(
      ToolRunner::RepositoryFile("testdata/programs/mxfp8_gemm.py"));
}

std::string Repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// The matmul with one place rewritten.
struct Broken {
  const char* name;
  std::string from;
  std::string to;
  std::string place;  // "LINE:COLUMN"
  const char* said;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class BrokenProgramTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenProgramTest, IsRefusedAtItsPlace) {
  const Broken& broken = GetParam();
  const ToolRunner tool(kBinary);
  const std::string text = Gemm();
  ASSERT_TRUE(absl::StrContains(text, broken.from));
  tool.Write("p.py", absl::StrReplaceAll(text, {{broken.from, broken.to}}));
  // All read programs alike; the huge one is read once.
  const std::vector<const char*> commands =
      text.size() + broken.to.size() > 1000000
          ? std::vector<const char*>{"check"}
          : std::vector<const char*>{"check", "run", "lower"};
  for (const char* command : commands) {
    std::vector<std::string> args = {command, "p.py"};
    if (std::string(command) == "run") args.insert(args.end(), {"--out", "o"});
    if (std::string(command) == "lower") args.insert(args.end(), {"-o", "o"});
    const ToolResult r = tool.Run(args);
    EXPECT_EQ(r.exit_code, 1) << command;
    EXPECT_THAT(
        r.err,
        AllOf(StartsWith(absl::StrCat("p.py:", broken.place, ": error: ")),
              HasSubstr(broken.said)));
    EXPECT_LT(r.err.size(), 1500) << "an excerpt, not the line";
    EXPECT_THAT(r.out, IsEmpty());
    EXPECT_THAT(tool.Files(), ElementsAre("p.py"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, BrokenProgramTest,
    ::testing::Values(
        Broken{"Syntax", "[0, k0 // 32], [128, 2]", "[0, k0 // 32, [128, 2]",
               "24:67", "')' cannot close '['"},
        Broken{"UnknownType", "a: pl.Tensor[[128, 512], pl.FP8E4M3FN]",
               "a: pl.Tensr[[128, 512], pl.FP8E4M3FN]", "11:12",
               "pl.Tensr is no type"},
        Broken{"UnknownElementType", "a: pl.Tensor[[128, 512], pl.FP8E4M3FN]",
               "a: pl.Tensor[[128, 512], pl.FP8E4M3]", "11:34",
               "pl.FP8E4M3 is no element type"},
        Broken{"UseBeforeDefinition", "pl.matmul_mx(a_first,",
               "pl.matmul_mx(a_step,", "21:30", "'a_step' is not defined"},
        Broken{"KNotMultipleOf64", "[0, 0], [128, 64]", "[0, 0], [128, 96]",
               "21:17", "K=96"},
        Broken{"ScaleShape", "pl.load(a_scale, [0, 0], [128, 2])",
               "pl.load(a_scale, [0, 0], [128, 4])", "21:17",
               "lhs_scale physical cols=2"},
        Broken{"NestedBrackets", "k0 // 32], [128, 2]",
               Repeated("(", 100000) + "k0" + Repeated(")", 100000) +
                   "], [128, 2]",
               "24:247", "nested too deep, the limit is 200"},
        Broken{"UnaryChain", "k0 // 32], [128, 2]",
               Repeated("-", 100000) + "k0], [128, 2]", "24:247",
               "nested too deep, the limit is 200"},
        Broken{"ErrorInALineOf10MB", "            a_step = pl.load(",
               "            x = " + Repeated("k0 + ", 1000000) + "nope + " +
                   Repeated("k0 + ", 1000000) +
                   "k0\n            a_step = pl.load(",
               "23:5000017", "'nope' is not defined"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MxtileCheckTest, SumOf100000TermsWorks) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py",
             absl::StrReplaceAll(
                 Gemm(), {{"            a_step = pl.load(",
                           "            x = " + Repeated("k0 + ", 99999) +
                               "k0\n            a_step = pl.load("}}));
  for (const char* command : {"check", "run"}) {
    const ToolResult r = tool.Run({command, "p.py"});
    EXPECT_EQ(r.exit_code, 0) << command << ": " << r.err;
  }
  ASSERT_EQ(tool.Run({"convert", "p.py", "q.py"}).exit_code, 0);
  EXPECT_EQ(tool.Run({"diff", "p.py", "q.py"}).exit_code, 0);
}

TEST(MxtileCheckTest, EmptyAndBinaryFiles) {
  const ToolRunner tool(kBinary);
  tool.Write("empty.py", "");
  tool.Write("binary.py", std::string("\x7f\x45\x4c\x46\x00\x01\xff", 7));
  const ToolResult empty = tool.Run({"check", "empty.py"});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_EQ(empty.err,
            "empty.py: error: the file holds no program and no function "
            "[MX-TEXT-1]\n");
  const ToolResult binary = tool.Run({"check", "binary.py"});
  EXPECT_EQ(binary.exit_code, 1);
  EXPECT_THAT(binary.err,
              AllOf(StartsWith("binary.py:1:"), HasSubstr("[MX-SYNTAX-1]")));
}

TEST(MxtileCheckTest, ExitCodesOfUsage) {
  const ToolRunner tool(kBinary);
  EXPECT_EQ(tool.Run({"--help"}).exit_code, 0);
  EXPECT_EQ(tool.Run({}).exit_code, 2);
  EXPECT_EQ(tool.Run({"frobnicate"}).exit_code, 2);
  EXPECT_EQ(tool.Run({"check"}).exit_code, 2);
  EXPECT_EQ(tool.Run({"check", "none.py"}).exit_code, 2);
  EXPECT_EQ(tool.Run({"check", "--require", "none", "none.py"}).exit_code, 2);
  EXPECT_EQ(tool.Run({"convert", "a.mxpb", "-"}).exit_code, 2);
  for (const char* command :
       {"run", "lower", "check", "prove", "convert", "diff"}) {
    const ToolResult help = tool.Run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("Example")) << command;
  }
}

// A program before SSA form: legal, unless SSA form is asked for.
constexpr char kBeforeSsa[] =
    "import pypto.language as pl\n"
    "@pl.function\n"
    "def f(n: pl.Scalar[pl.INDEX]):\n"
    "    a = n\n"
    "    a = a + 1\n";

TEST(MxtileCheckTest, RequireAsksForMore) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", kBeforeSsa);
  const ToolResult plain = tool.Run({"check", "p.py"});
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_EQ(plain.out, "p.py: program f, 1 functions, no errors\n");
  const ToolResult r =
      tool.Run({"check", "--require", "type_checked,ssa_form", "p.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err,
            "p.py:5:5: error: 'a' is defined again inside its scope "
            "[MX-SSA-2]\n"
            "    a = a + 1\n"
            "    ^~~~~~~~~\n"
            "p.py:4:5: note: the first definition\n"
            "    a = n\n"
            "    ^~~~~\n");
}

TEST(MxtileCheckTest, EveryPropertyCanBeRequired) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py",
             "import pypto.language as pl\n"
             "@pl.function\n"
             "def f(n: pl.Scalar[pl.INDEX]):\n"
             "    pl.func_attr({\"mx_tensor_views_blocked\": True})\n"
             "    a = n\n");
  const ToolResult r = tool.Run(
      {"check", "p.py", "--require",
       "ssa_form,type_checked,use_after_def,call_types,"
       "normalized_stmt_structure,no_redundant_blocks,split_incore_orch,"
       "incore_tile_ops,"
       "tile_ops_2d,mx_views_blocked,tile_memory_inferred,"
       "tensor_view_canonical_weak,tensor_view_canonical,"
       "allocated_memory_addr"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
}

TEST(MxtileCheckTest, AnUnknownPropertyIsAUsageError) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", kBeforeSsa);
  const ToolResult r =
      tool.Run({"check", "--require", "ssa_form,sssa_form", "p.py"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, AllOf(StartsWith("mxtile: error: no property "
                                      "'sssa_form'; there are ssa_form, "),
                           HasSubstr(", tensor_view_canonical, ")));
}

TEST(MxtileCheckTest, TypesAreCheckedAlways) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py",
             "import pypto.language as pl\n"
             "@pl.function\n"
             "def f(n: pl.Scalar[pl.INDEX]):\n"
             "    if n:\n"
             "        a = n\n");
  const ToolResult r = tool.Run({"check", "p.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, StartsWith("p.py:4:5: error: a condition must be BOOL, it "
                                "is INDEX; compare it, as in x != 0 "
                                "[MX-TYPE-8]\n"));
}

TEST(MxtileCheckTest, ManyFilesEndWithASummary) {
  const ToolRunner tool(kBinary);
  tool.Write("good.py", Gemm());
  tool.Write("bad.py", "def");
  tool.Write("old.py", kBeforeSsa);
  const ToolResult r = tool.Run({"check", "bad.py", "good.py", "old.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.out,
            "good.py: program Mxfp8Gemm, 2 functions, no errors\n"
            "old.py: program f, 1 functions, no errors\n"
            "3 files: 2 ok, 1 refused\n");
  EXPECT_THAT(r.err, StartsWith("bad.py:1:4: error: "));
  const ToolResult strict = tool.Run(
      {"check", "--require", "ssa_form", "bad.py", "good.py", "old.py"});
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_THAT(strict.out, EndsWith("3 files: 1 ok, 2 refused\n"));
  const ToolResult missing =
      tool.Run({"check", "none.py", "bad.py", "good.py"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.out,
              EndsWith("3 files: 1 ok, 1 refused, 1 not checked\n"));
}

TEST(MxtileCheckTest, DiffNamesTheFirstDifference) {
  const ToolRunner tool(kBinary);
  tool.Write("a.py", Gemm());
  tool.Write("b.py",
             absl::StrReplaceAll(Gemm(), {{"range(64, 512", "range(64, 448"},
                                          {"a_step", "renamed"}}));
  const ToolResult r = tool.Run({"diff", "a.py", "b.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.out,
            "first difference at gemm: body[5].stop\n"
            "  a.py:22:9: 512\n"
            "  b.py:22:9: 448\n");
}

TEST(MxtileLowerTest, PassThatComesTooEarlyNamesTheOneToRunFirst) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Gemm());
  const ToolResult r = tool.Run(
      {"lower", "p.py", "--passes", "insert_mx_scale_addr", "-o", "o.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("run infer_tile_memory_space first"));
  EXPECT_THAT(tool.Files(), ElementsAre("p.py"));
}

TEST(MxtileLowerTest, M26_MxProductsNeedA5) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Gemm());
  const ToolResult r =
      tool.Run({"lower", "p.py", "--target", "a2a3", "-o", "o.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err,
              AllOf(HasSubstr("only"), HasSubstr("Ascend950"), HasSubstr("a5"),
                    HasSubstr("a2a3"), HasSubstr("[MX-SCALEADDR-1]")));
  // Before anything is written.
  EXPECT_THAT(tool.Files(), ElementsAre("p.py"));
}

TEST(MxtileLowerTest, StopAfterAndPassesChoose) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Gemm());
  const ToolResult stopped = tool.Run(
      {"lower", "p.py", "--stop-after", "block_mx_scale_tensor_views"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  const ToolResult chosen =
      tool.Run({"lower", "p.py", "--passes", "BlockMxScaleTensorViews"});
  EXPECT_EQ(chosen.out, stopped.out);
  EXPECT_THAT(stopped.out, HasSubstr("[0, 0, k0 // 32 // 2, 0, 0]"));
  EXPECT_EQ(tool.Run({"lower", "p.py", "--passes", "none"}).exit_code, 2);
}

}  // namespace
}  // namespace mxtile
