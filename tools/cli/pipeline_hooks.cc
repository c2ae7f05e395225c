#include "tools/cli/pipeline_hooks.h"

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"

namespace mxtile {
namespace {

int CountStatements(const ir::Function& function) {
  int count = 0;
  ir::ForEachStmt(function.body, [&count](const ir::Stmt*) { ++count; });
  return count;
}

// "gemm: 15 -> 23 statements, main: types or attributes"
std::string Describe(const ir::Program& before, const ir::Program& after) {
  std::vector<std::string> parts;
  for (const ir::Function* function : after.functions) {
    const ir::Function* old = before.Find(function->name);
    if (old == function) continue;
    const int from = old == nullptr ? 0 : CountStatements(*old);
    const int to = CountStatements(*function);
    parts.push_back(from == to
                        ? absl::StrCat(function->name, ": types or attributes")
                        : absl::StrCat(function->name, ": ", from, " -> ", to,
                                       " statements"));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace

absl::Status TimingHook::BeforePass(const Pass&, const ir::Program&) {
  start_ = std::chrono::steady_clock::now();
  return absl::OkStatus();
}

absl::Status TimingHook::AfterPass(const Pass& pass, const ir::Program& before,
                                   const ir::Program& after) {
  const std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start_;
  PassReport report;
  report.name = std::string(pass.name());
  report.milliseconds = time.count();
  report.changed = &before != &after;
  if (report.changed) report.detail = Describe(before, after);
  reports_.push_back(report);
  return absl::OkStatus();
}

absl::Status DumpHook::AfterPass(const Pass& pass, const ir::Program&,
                                 const ir::Program& after) {
  absl::Status status =
      count_ == 0 ? CreateDirectories(folder_) : absl::OkStatus();
  if (status.ok()) {
    status = WriteFileAtomically(
        absl::StrFormat("%s/%02d_after_%s.py", folder_, count_, pass.name()),
        ir::PrintProgram(after));
  }
  ++count_;
  failed_ = !status.ok();
  return status;
}

}  // namespace mxtile
