// Sizes: long sums, long lines and deep nesting neither overflow nor lose the
// place of an error.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/ir_test_util.h"
#include "ir/source_file.h"
#include "ir/stmt.h"

namespace mxtile::ir {
namespace {

// "0 + 1 + ... + n"
std::string SumText(int terms, absl::string_view last) {
  std::string sum;
  for (int i = 0; i + 1 < terms; ++i) absl::StrAppend(&sum, i, " + ");
  absl::StrAppend(&sum, last);
  return sum;
}

TEST(ReaderLimitsTest, ASumOf100000TermsReadsBack) {
  const std::string sum = SumText(100'000, "n");
  EXPECT_EQ(RoundTripBody(absl::StrCat("y = ", sum)),
            absl::StrCat("y: pl.Scalar[pl.INDEX] = ", sum, "\n"));
}

TEST(ReaderLimitsTest, ASumOf100000TermsMayBeADim) {
  const TestProgram program(
      InFunction("pass", absl::StrCat("n: pl.Scalar[pl.INDEX], x: pl.Tensor[[",
                                      SumText(100'000, "n"), "], pl.FP32]")));
  ASSERT_EQ(program.errors(), "");
  const auto* type =
      CheckedCast<TensorType>(program.function().params[1]->type);
  int nodes = 0;
  PostOrder(type->shape[0], [&](const Expr*) { ++nodes; });
  EXPECT_EQ(nodes, 199'999);
}

TEST(ReaderLimitsTest, ManyStatementsMakeNoDepth) {
  std::string body;
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&body, "y = n\n");
  const TestProgram program(InFunction(body));
  ASSERT_EQ(program.errors(), "");
  EXPECT_EQ(program.function().body.size(), 20'000);
}

TEST(ReaderLimitsTest, BlocksAsDeepAsTheParserAllows) {
  std::string body;
  // The class and the function take two of them.
  for (int i = 0; i < 97; ++i) {
    absl::StrAppend(&body, std::string(i, ' '), "if b:\n");
  }
  absl::StrAppend(&body, std::string(97, ' '), "y = n\n");
  const TestProgram program(InFunction(body));
  EXPECT_EQ(program.errors(), "");
}

TEST(ReaderLimitsTest, AnErrorInALineOf10MegabytesHasItsColumn) {
  const std::string pad(10'000'000, ' ');
  const std::string text = InFunction(absl::StrCat("y = n +", pad, "zebra"));
  const TestProgram program(text);
  ASSERT_FALSE(program.has_value());
  const Diagnostic& error = program.sink().diagnostics()[0];
  EXPECT_EQ(error.rule_id, "MX-TEXT-2");
  EXPECT_EQ(error.span.line, 7);
  EXPECT_EQ(error.span.column, 8 + 7 + 10'000'000 + 1);
  const SourceFile file("a.py", text);
  const std::string shown =
      RenderDiagnostic(error, [&](absl::string_view) { return &file; });
  EXPECT_LT(shown.size(), 500);
  EXPECT_NE(shown.find("zebra\n"), std::string::npos) << shown;
}

}  // namespace
}  // namespace mxtile::ir
