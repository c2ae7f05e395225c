#include "passes/function_attrs.h"

#include <string>

#include "gtest/gtest.h"
#include "ir/program.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;

TextProgram WithAttrs(const std::string& attrs) {
  return TextProgram(ProgramText(
      {FunctionText("InCore", "f", "n: pl.Scalar[pl.INDEX]",
                    attrs.empty() ? "" : "pl.func_attr({" + attrs + "})")}));
}

TEST(HasMarkTest, OnlyTrueIsAMark) {
  const struct {
    std::string attrs;
    bool marked;
  } kCases[] = {
      {"", false},
      {"\"mark\": True", true},
      {"\"mark\": False", false},
      {"\"mark\": 1", false},
      {"\"mark\": \"True\"", false},
      {"\"marks\": True", false},
      {"\"other\": 3, \"mark\": True", true},
  };
  for (const auto& c : kCases) {
    const TextProgram program = WithAttrs(c.attrs);
    EXPECT_EQ(HasMark(program.function("f"), "mark"), c.marked) << c.attrs;
  }
}

TEST(WithMarkTest, IsTheLastAttributeAndKeepsTheOthers) {
  const struct {
    std::string attrs;
    std::string want;
  } kCases[] = {
      {"", "pl.func_attr({\"mark\": True})"},
      {"\"mark\": False, \"other\": 3",
       "pl.func_attr({\"other\": 3, \"mark\": True})"},
      {"\"mark\": True", "pl.func_attr({\"mark\": True})"},
  };
  for (const auto& c : kCases) {
    const TextProgram program = WithAttrs(c.attrs);
    const ir::Function& before = program.function("f");
    const std::string text = ir::PrintFunction(before);
    const ir::Function* after = WithMark(before, "mark", &program.context());
    EXPECT_TRUE(HasMark(*after, "mark"));
    EXPECT_NE(ir::PrintFunction(*after).find(c.want), std::string::npos)
        << ir::PrintFunction(*after);
    EXPECT_EQ(after->params, before.params);
    EXPECT_EQ(ir::PrintFunction(before), text) << "the function was changed";
  }
}

}  // namespace
}  // namespace mxtile
