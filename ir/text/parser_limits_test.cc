// Sizes: what must parse, what must be refused, and that neither overflows.

#include <algorithm>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/source_file.h"
#include "ir/text/parser.h"
#include "ir/text/syntax.h"
#include "ir/text/syntax_dump.h"

namespace mxtile::ir::text {
namespace {

std::string Repeat(absl::string_view text, int count) {
  std::string result;
  result.reserve(text.size() * count);
  for (int i = 0; i < count; ++i) result.append(text.data(), text.size());
  return result;
}

// "parsed", or the rules that the program breaks. Dumps what it parsed, to walk
// the whole tree.
std::string Outcome(const std::string& contents) {
  const SourceFile file("a.py", contents);
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module = ParseModule(file, &tree, &sink);
  if (module.ok()) {
    DumpSyntax(**module);
    return "parsed";
  }
  std::string rules;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    const std::string message =
        RenderDiagnostic(diagnostic, [&](absl::string_view) { return &file; });
    EXPECT_LT(message.size(), 2000);
    rules += diagnostic.rule_id;
  }
  return rules;
}

// A way to nest `count` times, and how far it goes.
struct NestingCase {
  const char* name;
  std::function<std::string(int count)> program;
  int limit;
};

class ParserNestingTest : public ::testing::TestWithParam<NestingCase> {};

TEST_P(ParserNestingTest, HasALimit_MX_SYNTAX_10) {
  const NestingCase& nesting = GetParam();
  EXPECT_EQ(Outcome(nesting.program(nesting.limit)), "parsed");
  EXPECT_EQ(Outcome(nesting.program(nesting.limit + 1)), "MX-SYNTAX-10");
  EXPECT_EQ(Outcome(nesting.program(100'000)), "MX-SYNTAX-10");
}

std::string Around(absl::string_view open, int count, absl::string_view middle,
                   absl::string_view close) {
  return absl::StrCat(Repeat(open, count), middle, Repeat(close, count));
}

std::string NestedBlocks(absl::string_view header, int count) {
  std::string program;
  // The indentation grows by one, so that 100,000 blocks would take 5 GB: what
  // is far behind the limit is left out.
  for (int i = 0; i <= std::min(count, 1000); ++i) {
    absl::StrAppend(&program, std::string(i, ' '),
                    i == std::min(count, 1000) ? "pass" : header, "\n");
  }
  return program;
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, ParserNestingTest,
    ::testing::Values(
        NestingCase{"Parentheses",
                    [](int n) { return Around("(", n, "a", ")"); },
                    kMaxNesting},
        NestingCase{"Lists", [](int n) { return Around("[", n, "", "]"); },
                    kMaxNesting},
        NestingCase{"Tuples", [](int n) { return Around("(", n, "a", ",)"); },
                    kMaxNesting},
        NestingCase{"Dicts", [](int n) { return Around("{1:", n, "a", "}"); },
                    kMaxNesting},
        NestingCase{"Calls", [](int n) { return Around("f(", n, "a", ")"); },
                    kMaxNesting},
        NestingCase{"Keywords",
                    [](int n) { return Around("f(k=", n, "a", ")"); },
                    kMaxNesting},
        NestingCase{"Subscripts",
                    [](int n) { return Around("x[", n, "a", "]"); },
                    kMaxNesting},
        NestingCase{"Minuses", [](int n) { return Around("-", n, "a", ""); },
                    kMaxNesting},
        NestingCase{"Nots", [](int n) { return Around("not ", n, "a", ""); },
                    kMaxNesting},
        NestingCase{"Powers", [](int n) { return Around("a**", n, "a", ""); },
                    kMaxNesting},
        NestingCase{"Sums", [](int n) { return Around("a+(", n, "a", ")"); },
                    kMaxNesting},
        NestingCase{"AttributeChain",
                    [](int n) { return Around("", n, "a", ".b"); },
                    kMaxNesting},
        NestingCase{"SubscriptChain",
                    [](int n) { return Around("", n, "a", "[0]"); },
                    kMaxNesting},
        NestingCase{"CallChain", [](int n) { return Around("", n, "a", "()"); },
                    kMaxNesting},
        NestingCase{"SumsInCalls",
                    [](int n) { return Around("f(a+", n, "a", ")"); },
                    kMaxNesting / 2},
        NestingCase{"Mixed", [](int n) { return Around("x[f(", n, "a", ")]"); },
                    kMaxNesting / 2},
        // A chain behind a chain: three steps each.
        NestingCase{"ChainsInChains",
                    [](int n) { return Around("x[", n, "a", "].b.c"); },
                    (kMaxNesting - 1) / 3}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Blocks, ParserNestingTest,
    ::testing::Values(
        NestingCase{"Ifs", [](int n) { return NestedBlocks("if a:", n); },
                    kMaxBlockNesting},
        NestingCase{"Fors",
                    [](int n) { return NestedBlocks("for a in b:", n); },
                    kMaxBlockNesting},
        NestingCase{"Defs", [](int n) { return NestedBlocks("def f():", n); },
                    kMaxBlockNesting},
        // The first block is that of the `if`.
        NestingCase{"Elifs",
                    [](int n) {
                      return absl::StrCat("if a: b\n",
                                          Repeat("elif a: b\n", n));
                    },
                    kMaxBlockNesting - 1}),
    [](const auto& info) { return info.param.name; });

TEST(ParserLimitsTest, OpenBracketsWithoutEnd) {
  for (const char* open : {"(", "[", "{", "f(", "x["}) {
    EXPECT_EQ(Outcome(Repeat(open, 100'000)), "MX-SYNTAX-10") << open;
  }
}

// Every level of operators in every bracket: the deepest recursion of the
// parser, which finds the tree too deep only on its way back.
TEST(ParserLimitsTest, DeepestRecursion) {
  const std::string levels = "a or b xor c and d < e | f ^ g & h << i + j * f(";
  const std::string expr = Around(levels, kMaxNesting, "k", ")");
  const std::string blocks = NestedBlocks("if a:", kMaxBlockNesting);
  const std::string indentation(kMaxBlockNesting, ' ');
  EXPECT_EQ(Outcome(absl::StrCat(blocks, indentation, expr)), "MX-SYNTAX-10");
  EXPECT_EQ(Outcome(absl::StrCat(blocks, indentation,
                                 Around(levels, kMaxNesting / 11, "k", ")"))),
            "parsed");
}

TEST(ParserLimitsTest, LongSum) {
  const SourceFile file("a.py", "a" + Repeat(" + a", 100'000));
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module = ParseModule(file, &tree, &sink);
  ASSERT_TRUE(module.ok());
  const Expr* left = (*module)->body[0]->As<ExprStmt>()->value;
  int count = 0;
  while (const Binary* binary = left->As<Binary>()) {
    left = binary->left;
    ++count;
  }
  EXPECT_EQ(count, 100'000);
}

TEST(ParserLimitsTest, LongList) {
  const SourceFile file("a.py",
                        absl::StrCat("[", Repeat("1, ", 1'000'000), "]"));
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module = ParseModule(file, &tree, &sink);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(
      (*module)->body[0]->As<ExprStmt>()->value->As<List>()->elements.size(),
      1'000'000);
}

TEST(ParserLimitsTest, ManyOfEach) {
  EXPECT_EQ(Outcome(Repeat("x = 1\n", 20'000)), "parsed");
  EXPECT_EQ(Outcome(Repeat("x;", 20'000)), "parsed");
  EXPECT_EQ(Outcome(Repeat("# c\n", 20'000)), "parsed");
  EXPECT_EQ(Outcome(Repeat("'a' ", 20'000)), "parsed");
  EXPECT_EQ(Outcome(Repeat("a < b and ", 20'000) + "c"), "parsed");
  EXPECT_EQ(Outcome(Repeat("if a:\n  b\n", 10'000)), "parsed");
  EXPECT_EQ(Outcome(absl::StrCat("f(", Repeat("a, ", 20'000), ")")), "parsed");
  EXPECT_EQ(Outcome(absl::StrCat("{", Repeat("a: b, ", 20'000), "}")),
            "parsed");
  std::string keywords = "f(";
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&keywords, "k", i, "=1,");
  EXPECT_EQ(Outcome(keywords + ")"), "parsed");
}

TEST(ParserLimitsTest, LongTokens) {
  EXPECT_EQ(Outcome(std::string(10 << 20, 'x')), "parsed");
  EXPECT_EQ(Outcome(absl::StrCat("'", std::string(1 << 20, 'x'), "'")),
            "parsed");
  EXPECT_EQ(Outcome(absl::StrCat("# ", std::string(1 << 20, 'x'))), "parsed");
  EXPECT_EQ(Outcome(absl::StrCat("x", std::string(1 << 20, ' '), "y")),
            "MX-SYNTAX-7");
  EXPECT_EQ(Outcome(std::string(1 << 20, '\n')), "parsed");
}

}  // namespace
}  // namespace mxtile::ir::text
