#include "ir/text/text_program_test_util.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/diagnostic.h"
#include "ir/text/reader.h"

namespace mxtile::ir {
namespace {

std::string Indented(absl::string_view text, int columns) {
  std::string result;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    absl::StrAppend(&result, std::string(columns, ' '), line, "\n");
  }
  return result;
}

}  // namespace

std::string FunctionText(absl::string_view type, absl::string_view name,
                         absl::string_view params, absl::string_view body,
                         absl::string_view returns) {
  return absl::StrCat(
      "    @pl.function(type=pl.FunctionType.", type, ")\n    def ", name, "(",
      params, ")", returns.empty() ? "" : " -> ", returns, ":\n",
      Indented(body.empty() ? absl::string_view("pass") : body, 8));
}

std::string ProgramText(const std::vector<std::string>& functions,
                        absl::string_view head) {
  return absl::StrCat("import pypto.language as pl\n",
                      "import pypto.language.distributed as pld\n", head,
                      "\n@pl.program\nclass P:\n",
                      absl::StrJoin(functions, "\n"));
}

TextProgram::TextProgram(absl::string_view text, const OpRegistry& ops)
    : file_("p.py", std::string(text)),
      context_(std::make_unique<Context>(&ops)) {
  DiagnosticSink sink;
  const absl::StatusOr<const Program*> read =
      ReadProgram(file_, context_.get(), &sink);
  program_ = read.ok() ? *read : MakeProgram(context_.get(), "P", {});
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    ADD_FAILURE() << RenderDiagnostic(diagnostic, [this](absl::string_view) {
      return &file_;
    }) << "in\n" << text;
  }
}

const Function& TextProgram::function(absl::string_view name) const {
  const Function* function = program_->Find(name);
  MX_CHECK(function != nullptr) << "no function '" << name << "'";
  return *function;
}

int TextProgram::LineOf(absl::string_view fragment) const {
  for (int line = 1; line <= file_.line_count(); ++line) {
    if (absl::StrContains(file_.Line(line), fragment)) return line;
  }
  MX_CHECK(false) << "no line with '" << fragment << "'";
  return 0;
}

}  // namespace mxtile::ir
