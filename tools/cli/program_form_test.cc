#include "tools/cli/program_form.h"

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ir_test_util.h"

namespace mxtile {
namespace {

using ::testing::ElementsAre;

TEST(ProgramFormTest, NamesDecide) {
  EXPECT_EQ(FormOfFile("a.py", "\x08\x01"), ProgramForm::kText);
  EXPECT_EQ(FormOfFile("a.mxpb", "class P:"), ProgramForm::kBinary);
  EXPECT_EQ(FormOfFile("a.textproto", "class P:"), ProgramForm::kTextProto);
  EXPECT_EQ(FormOfName("a"), std::nullopt);
  EXPECT_EQ(FormOfName("-"), std::nullopt);
}

TEST(ProgramFormTest, ContentsOfOtherFilesDecide) {
  EXPECT_EQ(FormOfFile("-", "\x08\x01"), ProgramForm::kBinary);
  EXPECT_EQ(FormOfFile("-", "format_version: 1"), ProgramForm::kTextProto);
  EXPECT_EQ(FormOfFile("-", "# a comment\n\n # another\nformat_version: 1"),
            ProgramForm::kTextProto);
  EXPECT_EQ(FormOfFile("-", "# format_version: 1\nimport x"),
            ProgramForm::kText);
  EXPECT_EQ(FormOfFile("-", "#"), ProgramForm::kText);
  EXPECT_EQ(FormOfFile("-", ""), ProgramForm::kText);
}

TEST(ProgramFormTest, WhatIsPrintedIsRecognised) {
  const ir::TestProgram program(ir::InFunction("y = n + 1"));
  ASSERT_TRUE(program.has_value());
  for (const std::string& name : ProgramFormNames()) {
    const ProgramForm form = *ProgramFormFromName(name);
    EXPECT_EQ(FormOfFile("-", PrintInForm(*program, form)), form) << name;
  }
}

TEST(ProgramFormTest, OptionsNameForms) {
  EXPECT_THAT(ProgramFormNames(), ElementsAre("text", "pb", "textproto"));
  EXPECT_EQ(ProgramFormFromName("pb"), ProgramForm::kBinary);
  EXPECT_EQ(ProgramFormFromName("py"), std::nullopt);
}

}  // namespace
}  // namespace mxtile
