#include "passes/normalize_stmt_structure/normalize_stmt_structure.h"

#include "gtest/gtest.h"
#include "ir/text/text_program_test_util.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

TEST(NormalizeStmtStructureTest, ReturnsTheSameProgram) {
  const ir::TextProgram program(ir::ProgramText(
      {ir::FunctionText("Orchestration", "main", "x: pl.Scalar[pl.INDEX]",
                        "if x > 1:\n"
                        "    y = x + 1\n"
                        "else:\n"
                        "    pass\n"
                        "for i in pl.range(4):\n"
                        "    z = i * 2")}));
  const PassOutcome outcome = RunOnText(NormalizeStmtStructure(), program);
  EXPECT_EQ(outcome.program, program.get());
}

}  // namespace
}  // namespace mxtile
