#include "tools/pairs/pass_pairs.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/source_file.h"
#include "ir/structural_equal.h"
#include "ir/text/reader.h"
#include "passes/a5_pipeline.h"
#include "passes/pass_manager.h"

namespace mxtile {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kBefore = ".before.py";
constexpr absl::string_view kExpected = ".expected.py";

// What the first diagnostic says, or the status where there is none.
std::string Reason(const absl::Status& status, const ir::DiagnosticSink& sink) {
  if (sink.diagnostics().empty()) return std::string(status.message());
  const ir::Diagnostic& first = sink.diagnostics()[0];
  return absl::StrCat(first.rule_id, " line ", first.span.line, ": ",
                      first.message);
}

// One of the two programs, on its way.
struct Side {
  Side() : context(&ir::StandardOps()) {
    pass_context.ir = &context;
    pass_context.sink = &sink;
  }

  absl::Status Run(const std::vector<const Pass*>& passes) {
    const auto result = PassManager(passes).Run(program, pass_context);
    if (result.ok()) program = *result;
    return result.status();
  }

  // Reads and prepares.
  absl::Status Load(const std::string& path, const PairOptions& options) {
    const absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    file.emplace(path, *text);
    const auto read = ir::ReadProgram(*file, &context, &sink);
    if (!read.ok()) return read.status();
    program = *read;
    pass_context.options = options.pass;
    return Run(options.prepare);
  }

  std::optional<ir::SourceFile> file;
  ir::Context context;
  ir::DiagnosticSink sink;
  PassContext pass_context;
  const ir::Program* program = nullptr;
};

}  // namespace

absl::string_view PairVerdictName(PairVerdict verdict) {
  switch (verdict) {
    case PairVerdict::kEqual:
      return "equal";
    case PairVerdict::kDifferent:
      return "different";
    case PairVerdict::kRefused:
      return "refused";
    case PairVerdict::kUnreadable:
      return "unreadable";
  }
  return "";
}

PairResult CheckPair(const Pass& pass, const std::string& before,
                     const std::string& expected, const PairOptions& options) {
  Side ours;
  Side theirs;
  for (const auto& [side, path] :
       {std::make_pair(&ours, &before), std::make_pair(&theirs, &expected)}) {
    const absl::Status status = side->Load(*path, options);
    if (!status.ok()) {
      return {PairVerdict::kUnreadable,
              absl::StrCat(*path, ": ", Reason(status, side->sink))};
    }
  }
  const absl::Status status = ours.Run({&pass});
  if (!status.ok()) {
    return {PairVerdict::kRefused, Reason(status, ours.sink)};
  }
  const std::optional<ir::Difference> difference =
      ir::FindDifference(*ours.program, *theirs.program);
  if (!difference.has_value()) return {PairVerdict::kEqual, ""};
  return {PairVerdict::kDifferent,
          absl::StrCat(difference->path, ": ", difference->lhs, ", expected ",
                       difference->rhs)};
}

absl::StatusOr<std::vector<ProgramPair>> FindPairs(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    if (it->is_regular_file()) paths.push_back(it->path().string());
  }
  if (error) {
    return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  }
  std::sort(paths.begin(), paths.end());

  std::vector<ProgramPair> pairs;
  for (const std::string& path : paths) {
    const bool is_before = absl::EndsWith(path, kBefore);
    if (!is_before && !absl::EndsWith(path, kExpected)) continue;
    const absl::string_view ending = is_before ? kBefore : kExpected;
    const std::string stem = path.substr(0, path.size() - ending.size());
    const std::string partner =
        absl::StrCat(stem, is_before ? kExpected : kBefore);
    if (!std::binary_search(paths.begin(), paths.end(), partner)) {
      return absl::NotFoundError(absl::StrCat(path, " has no ", partner));
    }
    if (!is_before) continue;
    const fs::path where(stem);
    const std::string pass_name = where.parent_path().filename().string();
    const Pass* pass = FindPass(pass_name);
    if (pass == nullptr) {
      return absl::NotFoundError(
          absl::StrCat(path, ": no pass '", pass_name, "'"));
    }
    pairs.push_back({pass,
                     absl::StrCat(pass_name, "/", where.filename().string()),
                     path, partner});
  }
  return pairs;
}

}  // namespace mxtile
