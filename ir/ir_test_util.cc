#include "ir/ir_test_util.h"

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "ir/ops/standard_ops.h"
#include "ir/source_file.h"
#include "ir/text/printer.h"
#include "ir/text/reader.h"

namespace mxtile::ir {
namespace {

constexpr absl::string_view kHead =
    "import pypto.language as pl\n"
    "import pypto.language.distributed as pld\n"
    "@pl.program\n"
    "class P:\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n";
constexpr int kLinesBeforeBody = 6;
constexpr int kBodyIndent = 8;

std::string ErrorLine(const Diagnostic& error, int lines, int columns) {
  const SourceSpan& span = error.span;
  if (!span.known()) {
    return absl::StrCat(error.rule_id, " ", span.file, " ", error.message);
  }
  return absl::StrCat(error.rule_id, " ", span.line - lines, ":",
                      span.column - columns, "-", span.end_line - lines, ":",
                      span.end_column - columns, " ", error.message);
}

std::string FirstError(absl::string_view text, int lines, int columns) {
  const TestProgram program(text);
  if (program.has_value()) return "no error";
  return ErrorLine(program.sink().diagnostics()[0], lines, columns);
}

}  // namespace

std::string InFunction(absl::string_view body, absl::string_view params) {
  std::string text = absl::StrCat(kHead, "    def f(", params, "):\n");
  for (const absl::string_view line :
       absl::StrSplit(absl::StripSuffix(body, "\n"), '\n')) {
    absl::StrAppend(&text, std::string(kBodyIndent, ' '), line, "\n");
  }
  return text;
}

TestProgram::TestProgram(absl::string_view text)
    : context_(std::make_unique<Context>(&StandardOps())) {
  const SourceFile file("a.py", std::string(text));
  const absl::StatusOr<const Program*> program =
      ReadProgram(file, context_.get(), &sink_);
  if (program.ok()) program_ = *program;
  // The first error ends reading, and the status says nothing more.
  EXPECT_EQ(program.ok(), sink_.diagnostics().empty());
  EXPECT_LE(sink_.diagnostics().size(), 1);
  EXPECT_EQ(program.status(), sink_.ToStatus());
}

const Function& TestProgram::function() const {
  const Function* named = program_->Find("f");
  return named != nullptr ? *named : *program_->functions[0];
}

std::string TestProgram::errors() const {
  std::string text;
  for (const Diagnostic& error : sink_.diagnostics()) {
    absl::StrAppend(&text, ErrorLine(error, 0, 0), "\n");
  }
  return text;
}

std::string DifferenceOf(const Program& lhs, const Program& rhs) {
  const std::optional<Difference> difference = FindDifference(lhs, rhs);
  return difference.has_value()
             ? absl::StrCat(difference->path, ": ", difference->lhs, " | ",
                            difference->rhs)
             : "equal";
}

std::string PrintAndReadBack(const Program& program) {
  const std::string text = PrintProgram(program);
  const TestProgram again(text);
  EXPECT_EQ(again.errors(), "") << text;
  if (!again.has_value()) return text;
  EXPECT_EQ(DifferenceOf(program, *again), "equal") << text;
  EXPECT_EQ(again->name, program.name);
  EXPECT_EQ(PrintProgram(*again), text);
  return text;
}

std::string RoundTrip(absl::string_view text) {
  const TestProgram program(text);
  return program.has_value() ? PrintAndReadBack(*program) : program.errors();
}

std::string RoundTripBody(absl::string_view body, absl::string_view params) {
  const std::string text = RoundTrip(InFunction(body, params));
  std::string result;
  bool in_body = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (in_body && absl::ConsumePrefix(&line, std::string(kBodyIndent, ' '))) {
      absl::StrAppend(&result, line, "\n");
    }
    in_body |= absl::ConsumePrefix(&line, "    def ");
  }
  return in_body ? result : text;
}

std::string ErrorIn(absl::string_view text) { return FirstError(text, 0, 0); }

std::string ErrorInBody(absl::string_view body, absl::string_view params) {
  return FirstError(InFunction(body, params), kLinesBeforeBody, kBodyIndent);
}

std::string Summary(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    absl::StrAppend(&text, diagnostic.rule_id, " ", diagnostic.span.line, ":",
                    diagnostic.span.column, " ", diagnostic.message, "\n");
    for (const DiagnosticNote& note : diagnostic.notes) {
      absl::StrAppend(&text, "  ", note.span.line, ":", note.span.column, " ",
                      note.message, "\n");
    }
  }
  return text;
}

const Expr* LongSum(Context* context, const Var* var, int terms) {
  const Expr* sum = context->Index(0);
  for (int i = 1; i + 1 < terms; ++i) {
    sum = context->NewBinary(BinaryOp::kAdd, sum, context->Index(i));
  }
  return context->NewBinary(BinaryOp::kAdd, sum, var);
}

}  // namespace mxtile::ir
