// What the pass tells about offsets, besides the program.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/text/text_program_test_util.h"
#include "passes/block_mx_scale_tensor_views/block_mx_test_util.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(FindingsTest, TwoVerdictsALoad) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "cell", absl::StrCat("s: ", ScaleB8x64()),
                    "for i in pl.range(0, 64, 16):\n"
                    "    t = pl.load(s, [2, i], [2, 16])")}));
  const PassOutcome outcome = RunBlockMx(input);
  ASSERT_EQ(outcome.findings.offsets.size(), 2);
  const OffsetVerdict& block = outcome.findings.offsets[0];
  const OffsetVerdict& group = outcome.findings.offsets[1];
  for (const OffsetVerdict& verdict : outcome.findings.offsets) {
    EXPECT_EQ(verdict.span.line, input.LineOf("pl.load"));
    EXPECT_EQ(verdict.function, "cell");
    EXPECT_EQ(verdict.op, "tile.load");
    EXPECT_EQ(verdict.tensor, "s");
    EXPECT_EQ(verdict.argument, 1);
    EXPECT_TRUE(verdict.proven);
    EXPECT_NE(verdict.reason, "");
    EXPECT_EQ(verdict.violating_value, std::nullopt);
  }
  EXPECT_EQ(block.axis, "block");
  EXPECT_EQ(block.axis_index, 1);
  EXPECT_EQ(block.divisor, 16);
  EXPECT_EQ(block.offset, "i");
  EXPECT_TRUE(block.symbolic);
  EXPECT_EQ(group.axis, "group");
  EXPECT_EQ(group.axis_index, 0);
  EXPECT_EQ(group.divisor, 2);
  EXPECT_EQ(group.offset, "2");
  EXPECT_FALSE(group.symbolic);
}

TEST(FindingsTest, RefusedOffsetsAreTold) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell",
      absl::StrCat("s: ", ScaleA64x8(), ", p: pl.Scalar[pl.INDEX]"),
      "t = pl.load(s, [p, p], [16, 2])")}));
  const PassOutcome outcome = RunBlockMx(input);
  EXPECT_EQ(outcome.program, nullptr);
  ASSERT_EQ(outcome.findings.offsets.size(), 2);
  ASSERT_EQ(outcome.sink.error_count(), 2) << "one an axis";
  for (int i = 0; i < 2; ++i) {
    const OffsetVerdict& verdict = outcome.findings.offsets[i];
    EXPECT_FALSE(verdict.proven);
    EXPECT_THAT(verdict.reason, HasSubstr("p"));
    ASSERT_EQ(outcome.sink.diagnostics()[i].notes.size(), 1);
    EXPECT_EQ(outcome.sink.diagnostics()[i].notes[0].message, verdict.reason);
  }
}

TEST(FindingsTest, ValuesThatViolate) {
  const TextProgram input(
      ProgramText({FunctionText("InCore", "cell",
                                absl::StrCat("s: ", ScaleA64x8(),
                                             ", p: pl.Scalar[pl.INDEX]"),
                                "t = pl.load(s, [p, -2], [16, 2])"),
                   FunctionText("Orchestration", "main",
                                absl::StrCat("self, s: ", ScaleA64x8()),
                                "self.cell(s, 24)")}));
  const PassOutcome outcome = RunBlockMx(input);
  ASSERT_EQ(outcome.findings.offsets.size(), 2);
  EXPECT_THAT(outcome.findings.offsets[0].violating_value, Optional(24));
  EXPECT_THAT(outcome.findings.offsets[1].violating_value, Optional(-2));
}

// Everything that is wrong is told at once.
TEST(FindingsTest, AllErrorsOfAProgram) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "one",
                    absl::StrCat("s: ", MxType("[24, 8]", "MX_A_ZZ")), ""),
       FunctionText("InCore", "two", absl::StrCat("s: ", ScaleA64x8()),
                    "t = pl.load(s, [8, 0], [16, 2])\n"
                    "u = pl.load(s, [0, 1], [16, 2])")}));
  const PassOutcome outcome = RunBlockMx(input);
  EXPECT_EQ(outcome.program, nullptr);
  std::vector<std::string> rules;
  for (const ir::Diagnostic& diagnostic : outcome.sink.diagnostics()) {
    rules.push_back(diagnostic.rule_id);
  }
  EXPECT_THAT(rules, ElementsAre("MX-BLOCK-3", "MX-OFFSET-2", "MX-OFFSET-2"));
}

}  // namespace
}  // namespace mxtile
