#include "passes/block_mx_scale_tensor_views/mx_offsets.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/standard_ops.h"
#include "ir/text/text_program_test_util.h"
#include "passes/pass.h"
#include "proof/facts.h"
#include "proof/format_expr.h"
#include "proof/prover.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::ElementsAre;

// "f:4 tile.load s, block axis 0: row % 16", a text an offset.
std::vector<std::string> Offsets(const TextProgram& program) {
  std::vector<std::string> texts;
  ForEachMxWindow(
      *program, ir::StandardOps(), [&](const MxWindowOffsets& window) {
        for (const MxOffset& offset : window.offsets) {
          texts.push_back(absl::StrCat(
              window.function->name, " ", window.call->callee->name, " ",
              proof::FormatExpr(window.tensor), ", ", offset.axis_name,
              " axis ", offset.axis, ": ", proof::FormatExpr(offset.expr),
              " by ", offset.divisor));
        }
      });
  return texts;
}

TEST(MxOffsetsTest, AxesOfBothLayouts) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell",
                    "a: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ], "
                    "b: pl.Tensor[[4, 64], pl.FP8E8M0, pl.MX_B_NN], "
                    "row: pl.Scalar[pl.INDEX]",
                    "s = pl.load(a, [row, 2], [16, 2])\n"
                    "for i in pl.range(0, 4):\n"
                    "    t = pl.load(b, [0, i * 16], [2, 16])")}));
  EXPECT_THAT(Offsets(program),
              ElementsAre("cell tile.load a, block axis 0: row by 16",
                          "cell tile.load a, group axis 1: 2 by 2",
                          "cell tile.load b, block axis 1: i * 16 by 16",
                          "cell tile.load b, group axis 0: 0 by 2"));
}

TEST(MxOffsetsTest, NothingElse) {
  const TextProgram program(ProgramText({FunctionText(
      "InCore", "cell",
      "nd: pl.Tensor[[64, 64], pl.FP8E4M3FN], "
      "blocked: pl.Tensor[[1, 4, 2, 16, 2], pl.FP8E8M0, pl.MX_A_ZZ]",
      "t = pl.load(nd, [0, 8], [16, 2])\n"
      "u = pl.tile.load(blocked, [0, 1, 1, 0, 0], [1, 1, 1, 16, 2], "
      "[1, 1, 1, 16, 2], target_memory=pl.Mem.Mat)")}));
  EXPECT_THAT(Offsets(program), ElementsAre());
}

TEST(MxOffsetsTest, Judgement) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell",
                    "a: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ], "
                    "row: pl.Scalar[pl.INDEX]",
                    "s = pl.load(a, [row * 16, 2], [16, 2])")}));
  const proof::ProgramFacts facts(*program);
  const proof::Prover prover(facts);
  std::vector<OffsetJudgement> judgements;
  ForEachMxWindow(*program, ir::StandardOps(),
                  [&](const MxWindowOffsets& window) {
                    for (const MxOffset& offset : window.offsets) {
                      judgements.push_back(JudgeOffset(prover, window, offset));
                    }
                  });
  ASSERT_EQ(judgements.size(), 2);
  EXPECT_TRUE(judgements[0].multiple.proven());
  EXPECT_FALSE(judgements[0].sign.proven());
  const OffsetVerdict& refused = judgements[0].verdict;
  EXPECT_EQ(refused.function, "cell");
  EXPECT_EQ(refused.op, "tile.load");
  EXPECT_EQ(refused.tensor, "a");
  EXPECT_EQ(refused.axis, "block");
  EXPECT_EQ(refused.divisor, 16);
  EXPECT_EQ(refused.offset, "row * 16");
  EXPECT_TRUE(refused.symbolic);
  EXPECT_FALSE(refused.proven);
  EXPECT_EQ(refused.span.line, program.LineOf("pl.load"));
  EXPECT_EQ(refused.reason,
            "row * 16: row is a parameter of 'cell', to which the host may "
            "pass anything, not known to be >= 0; counterexample: row = -1 "
            "(which the host may pass) gives -16");
  const OffsetVerdict& proven = judgements[1].verdict;
  EXPECT_TRUE(proven.proven);
  EXPECT_FALSE(proven.symbolic);
  EXPECT_EQ(proven.reason, "2: multiple of 2; >= 0");
}

}  // namespace
}  // namespace mxtile
