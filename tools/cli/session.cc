#include "tools/cli/session.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "ir/ops/standard_ops.h"
#include "ir/rule_error.h"
#include "ir/text/reader.h"

namespace mxtile {
namespace {

void PrintError(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

Session::Session() : context_(&ir::StandardOps()) {}

const ir::SourceFile* Session::FindFile(absl::string_view name) const {
  for (const auto& file : files_) {
    if (file->name() == name) return file.get();
  }
  return nullptr;
}

const ir::Program* Session::Load(const std::string& path) {
  absl::StatusOr<std::string> contents = ReadFile(path);
  if (!contents.ok()) {
    exit_code_ = FailOnFile(contents.status());
    return nullptr;
  }
  if (contents->size() > ir::SourceFile::kMaxBytes) {
    exit_code_ = FailOnFile(absl::ResourceExhaustedError(
        absl::StrCat(path, " has more than 2 GiB")));
    return nullptr;
  }
  files_.push_back(std::make_unique<ir::SourceFile>(
      path == "-" ? "<stdin>" : path, *std::move(contents)));
  absl::StatusOr<const ir::Program*> program =
      ir::ReadProgram(*files_.back(), &context_, &sink_);
  if (!program.ok()) {
    exit_code_ = Fail(program.status());
    return nullptr;
  }
  return *program;
}

void Session::PrintDiagnostics() {
  const auto diagnostics = sink_.diagnostics();
  for (; printed_ < diagnostics.size(); ++printed_) {
    PrintError(ir::RenderDiagnostic(
        diagnostics[printed_],
        [this](absl::string_view name) { return FindFile(name); }));
  }
}

ExitCode Session::Fail(const absl::Status& status) {
  const bool said = printed_ < sink_.diagnostics().size();
  PrintDiagnostics();
  const bool refused = absl::IsInvalidArgument(status) ||
                       absl::IsFailedPrecondition(status) ||
                       absl::IsUnimplemented(status);
  if (!said) {
    const std::string rule = ir::RuleOf(status);
    PrintError(absl::StrCat(
        "mxtile: ", refused ? "" : "internal ", "error: ", status.message(),
        rule.empty() ? "" : absl::StrCat(" [", rule, "]"), "\n"));
  }
  return refused ? kExitRefused : kExitFault;
}

ExitCode Session::FailOnFile(const absl::Status& status) {
  PrintError(absl::StrCat("mxtile: error: ", status.message(), "\n"));
  return kExitUsage;
}

}  // namespace mxtile
