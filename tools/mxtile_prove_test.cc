// `mxtile prove` from outside: the table, the trees, the report for machines,
// the exit codes.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

constexpr char kBinary[] = "tools/mxtile_main";

std::string Tiled() {
  return *ReadFile(
      ToolRunner::RepositoryFile("testdata/programs/mxfp8_gemm_tiled.py"));
}
std::string Refused() {
  return *ReadFile(
      ToolRunner::RepositoryFile("testdata/refused/mx_offsets.py"));
}

TEST(MxtileProveTest, ATableOfProvenOffsets) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Tiled());
  const ToolResult r = tool.Run({"prove", "p.py"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(
      r.out,
      "program Mxfp8GemmTiled, p.py\n"
      "function  line  operator   tensor   axis   offset    divisor  verdict  "
      "reason\n"
      "cell      20    tile.load  a_scale  block  row       16       proven   "
      "row = 64*i (loop at 43)\n"
      "cell      20    tile.load  a_scale  group  0         2        proven   "
      "constant\n"
      "cell      22    tile.load  b_scale  block  col       16       proven   "
      "col = 64*i (loop at 44)\n"
      "cell      22    tile.load  b_scale  group  0         2        proven   "
      "constant\n"
      "cell      26    tile.load  a_scale  block  row       16       proven   "
      "row = 64*i (loop at 43)\n"
      "cell      26    tile.load  a_scale  group  k0 // 32  2        proven   "
      "k0 = 128 + 128*i (loop at 24)\n"
      "cell      28    tile.load  b_scale  block  col       16       proven   "
      "col = 64*i (loop at 44)\n"
      "cell      28    tile.load  b_scale  group  k0 // 32  2        proven   "
      "k0 = 128 + 128*i (loop at 24)\n"
      "\n"
      "8 offsets: 8 proven\n");
}

TEST(MxtileProveTest, RefusedOffsets) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Refused());
  const ToolResult r = tool.Run({"prove", "p.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(
      r.out,
      "program RefusedOffsets, p.py\n"
      "function  line  operator   tensor  axis   offset       divisor  verdict "
      " "
      "reason\n"
      "kernel    17    tile.load  scale   block  row          16       refused "
      " "
      "caller 'main' at p.py:31 passes 8, not a multiple of 16\n"
      "kernel    17    tile.load  scale   group  0            2        proven  "
      " "
      "constant\n"
      "kernel    19    tile.load  scale   block  i * 16       16       proven  "
      " "
      "i = 1*j (loop at 18), assuming that i * 16 does not overflow INDEX\n"
      "kernel    19    tile.load  scale   group  2            2        proven  "
      " "
      "constant\n"
      "kernel    21    tile.load  scale   block  32 - j * 16  16       refused "
      " "
      "subtraction, which may be negative; counterexample: j = 3 (loop at 20) "
      "gives -16\n"
      "kernel    21    tile.load  scale   group  2 * group    2        refused "
      " "
      "group is a parameter of 'main', to which the host may pass anything, "
      "not known to be >= 0; counterexample: group = -1 (which the host may "
      "pass) and group = -1 when 'kernel' is called at p.py:30 gives -2\n"
      "\n"
      "6 offsets: 3 proven (1 assuming no overflow), 3 refused\n");
}

TEST(MxtileProveTest, ExplainShowsTreesChainsAndCounterexamples) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Refused());
  const ToolResult r = tool.Run({"prove", "p.py", "--explain"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(
      r.out,
      HasSubstr("    row: multiple of 16: not proven\n"
                "      parameter of 'kernel'\n"
                "      caller 'main' at p.py:31 passes 8, not a multiple of "
                "16\n"
                "      counterexample: row = 8 when 'kernel' is called at "
                "p.py:31\n"
                "    row: >= 0: proven\n"
                "      row >= 0 [MX-PROOF-8] parameter of 'kernel'\n"
                "        caller 'main' at p.py:30 passes 16: 16 >= 0 "
                "[MX-PROOF-1]\n"
                "        caller 'main' at p.py:31 passes 8: 8 >= 0 "
                "[MX-PROOF-1]\n"));
  EXPECT_THAT(r.out, HasSubstr("      i * 16 >= 0 [MX-PROOF-2]; assumes that "
                               "INDEX does not overflow\n"));
}

TEST(MxtileProveTest, StrictOverflow) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Refused());
  tool.Write("q.py", Tiled());
  const ToolResult r = tool.Run({"prove", "--strict-overflow", "p.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("value that may not fit INDEX"));
  EXPECT_THAT(r.out, HasSubstr("\n6 offsets: 2 proven, 4 refused\n"));
  const ToolResult tiled = tool.Run({"prove", "--strict-overflow", "q.py"});
  EXPECT_EQ(tiled.exit_code, 0);
  EXPECT_THAT(tiled.out, HasSubstr("\n8 offsets: 8 proven\n"));
}

TEST(MxtileProveTest, Extended) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", absl::StrReplaceAll(
                         Tiled(), {{"pl.load(a_scale, [row, k0 // 32]",
                                    "pl.load(a_scale, [row, 2 * (k0 % 32)]"}}));
  const ToolResult plain = tool.Run({"prove", "p.py"});
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_THAT(plain.out, HasSubstr("\n8 offsets: 7 proven, 1 refused\n"));
  const ToolResult extended = tool.Run({"prove", "--extended", "p.py"});
  EXPECT_EQ(extended.exit_code, 0) << extended.out;
}

TEST(MxtileProveTest, AnEntryMayBeCalledWithAnything) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Tiled());
  const ToolResult r = tool.Run({"prove", "--entry", "cell", "p.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.out, HasSubstr("row = 1 (which the host may pass)"));
  const ToolResult none = tool.Run({"prove", "--entry", "none", "p.py"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("--entry none: p.py has no such function"));
}

TEST(MxtileProveTest, ReportForMachines) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Refused());
  const ToolResult r = tool.Run({"prove", "--json", "p.py"});
  EXPECT_EQ(r.exit_code, 1);
  const Json report = Json::parse(r.out);
  EXPECT_EQ(report["schema"], "mxtile.prove_report.v1");
  EXPECT_EQ(report["entry"], "");
  EXPECT_EQ(report["extended"], false);
  EXPECT_EQ(report["strict_overflow"], false);
  EXPECT_EQ(report["proven"], 3);
  EXPECT_EQ(report["assuming_no_overflow"], 1);
  EXPECT_EQ(report["refused"], 3);
  ASSERT_EQ(report["files"].size(), 1);
  EXPECT_EQ(report["files"][0]["program"], "RefusedOffsets");
  const Json& offsets = report["files"][0]["offsets"];
  ASSERT_EQ(offsets.size(), 6);

  const Json place = {{"file", "p.py"}, {"line", 31}, {"column", 9}};
  Json caller = place;
  caller["caller"] = "main";
  caller["value"] = "8";
  Json binding = place;
  binding.update({{"caller", "main"},
                  {"from", "call"},
                  {"value", 8},
                  {"variable", "row"}});
  const Json goal = {{"property", "multiple_of"}, {"divisor", 16}};
  EXPECT_EQ(offsets[0]["questions"][0],
            Json({{"goal", goal},
                  {"proven", false},
                  {"visited", 3},
                  {"refusal",
                   {{"reason", "constant_violates"},
                    {"leaf", "8"},
                    {"goal", goal},
                    {"chain", Json::array({{{"variable", "row"},
                                            {"function", "kernel"},
                                            {"caller", caller}}})},
                    {"value", 8},
                    {"counterexample",
                     {{"value", 8}, {"bindings", Json::array({binding})}}}}}}));
  const Json& sign = offsets[2]["questions"][1];
  EXPECT_EQ(sign["proven"], true);
  ASSERT_EQ(sign["certificate"].size(), 3);
  EXPECT_EQ(sign["certificate"][2],
            Json({{"rule", "MX-PROOF-2"},
                  {"expression", "i * 16"},
                  {"goal", {{"property", "non_negative"}}},
                  {"premises", {0, 1}},
                  {"overflow", "assumed"}}));
}

TEST(MxtileProveTest, ManyFiles) {
  const ToolRunner tool(kBinary);
  tool.Write("good.py", Tiled());
  tool.Write("refused.py", Refused());
  tool.Write("broken.py", "def");
  tool.Write("none.py",
             "import pypto.language as pl\n"
             "@pl.function\n"
             "def f(n: pl.Scalar[pl.INDEX]):\n"
             "    a = n\n");
  const ToolResult r =
      tool.Run({"prove", "good.py", "broken.py", "refused.py", "none.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, StartsWith("broken.py:1:4: error: "));
  EXPECT_THAT(r.out, Not(HasSubstr("broken.py")));
  EXPECT_THAT(r.out, HasSubstr("program f, none.py\n"
                               "  no offsets of MX windows\n"));
  EXPECT_THAT(r.out, HasSubstr("\n14 offsets: 11 proven (1 assuming no "
                               "overflow), 3 refused\n"));
  EXPECT_EQ(tool.Run({"prove", "good.py", "missing.py"}).exit_code, 2);
  EXPECT_EQ(tool.Run({"prove", "good.py", "none.py"}).exit_code, 0);
}

// The pass asks the same questions.
TEST(MxtileProveTest, AgreesWithThePass) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", Refused());
  const ToolResult r =
      tool.Run({"lower", "p.py", "--passes", "block_mx_scale_tensor_views"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("'row' cannot be proven a multiple of 16"));
  EXPECT_THAT(r.err, HasSubstr("'32 - j * 16' cannot be proven non-negative"));
  EXPECT_THAT(r.err, HasSubstr("'2 * group' cannot be proven non-negative"));
  EXPECT_THAT(r.err, Not(HasSubstr("'i * 16'")));
}

}  // namespace
}  // namespace mxtile
