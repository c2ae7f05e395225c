#include "tools/cli/entry.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "exec/specialize.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "tools/cli/session.h"

namespace mxtile {

std::optional<std::pair<std::string, std::string>> SplitSetting(
    const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return std::make_pair(setting.substr(0, equals), setting.substr(equals + 1));
}

bool ParseScalars(const std::vector<std::string>& settings, Session& session,
                  std::map<std::string, int64_t>* scalars,
                  ExitCode* exit_code) {
  for (const std::string& setting : settings) {
    const auto parts = SplitSetting(setting);
    int64_t value = 0;
    if (!parts.has_value() || !absl::SimpleAtoi(parts->second, &value)) {
      *exit_code = session.FailOnFile(absl::InvalidArgumentError(
          absl::StrCat("--set ", setting, ": expected NAME=INTEGER")));
      return false;
    }
    if (!scalars->emplace(parts->first, value).second) {
      *exit_code = session.FailOnFile(absl::InvalidArgumentError(
          absl::StrCat("--set ", parts->first, " is given twice")));
      return false;
    }
  }
  return true;
}

bool FindEntry(const ir::Program& program, const std::string& requested,
               Session& session, std::string* entry, ExitCode* exit_code) {
  if (!requested.empty()) {
    *entry = requested;
    if (program.Find(requested) != nullptr) return true;
    *exit_code = session.FailOnFile(absl::NotFoundError(absl::StrCat(
        "--entry ", requested, ": the program has no such function")));
    return false;
  }
  std::vector<std::string> orchestrations;
  std::vector<std::string> kernels;
  for (const ir::Function* function : program.functions) {
    if (function->function_type == ir::FunctionType::kOrchestration) {
      orchestrations.emplace_back(function->name);
    } else if (ir::IsInCore(function->function_type)) {
      kernels.emplace_back(function->name);
    }
  }
  const std::vector<std::string>& candidates =
      orchestrations.empty() ? kernels : orchestrations;
  if (candidates.size() == 1) {
    *entry = candidates[0];
    return true;
  }
  ir::SourceSpan span = program.functions[0]->span;
  span.line = 0;
  session.sink().Error(
      "MX-RUN-1", span,
      candidates.empty()
          ? "the program has no Orchestration and no in-core function to run"
          : absl::StrCat("several functions could be the entry: ",
                         absl::StrJoin(candidates, ", "),
                         "; choose one with --entry"));
  *exit_code = session.Fail(session.sink().ToStatus());
  return false;
}

bool SpecializeProgram(Session& session, const ir::Program** program,
                       std::map<std::string, int64_t>* scalars,
                       ExitCode* exit_code) {
  std::map<std::string, int64_t> dims;
  for (const ir::Var* dim : (*program)->dynamic_dims) {
    const auto it = scalars->find(std::string(dim->name));
    if (it == scalars->end()) continue;
    dims.insert(*it);
    scalars->erase(it);
  }
  const absl::StatusOr<const ir::Program*> specialized =
      exec::SpecializeDims(*program, dims, &session.context());
  if (!specialized.ok()) {
    *exit_code = session.Fail(specialized.status());
    return false;
  }
  *program = *specialized;
  return true;
}

}  // namespace mxtile
