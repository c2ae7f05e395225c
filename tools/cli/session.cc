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
#include "ir/proto/operator_check.h"
#include "ir/proto/program_reader.h"
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

// Programs of all forms keep the rules of the operators that they call.
absl::StatusOr<const ir::Program*> Session::Read(const ir::SourceFile& file,
                                                 ProgramForm form,
                                                 const LoadOptions& options) {
  if (form == ProgramForm::kText) {
    return ir::ReadProgram(file, &context_, &sink_);
  }
  const ir::ProtoReadOptions proto_options = {options.drop_unknown_fields};
  absl::StatusOr<const ir::Program*> program =
      form == ProgramForm::kBinary
          ? ir::ReadProtoProgram(file.contents(), file.name(), proto_options,
                                 &context_, &sink_)
          : ir::ReadTextProtoProgram(file, proto_options, &context_, &sink_);
  if (!program.ok()) return program;
  ir::CheckOperators(**program, &context_, &sink_);
  if (sink_.has_errors()) return sink_.ToStatus();
  PrintDiagnostics();
  return program;
}

const ir::Program* Session::Load(const std::string& path,
                                 const LoadOptions& options) {
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
  const ProgramForm form =
      options.form.has_value() ? *options.form : FormOfFile(path, *contents);
  files_.push_back(std::make_unique<ir::SourceFile>(
      path == "-" ? "<stdin>" : path, *std::move(contents)));
  absl::StatusOr<const ir::Program*> program =
      Read(*files_.back(), form, options);
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
