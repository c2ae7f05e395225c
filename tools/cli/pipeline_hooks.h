#ifndef TOOLS_CLI_PIPELINE_HOOKS_H_
#define TOOLS_CLI_PIPELINE_HOOKS_H_

// What tools hang onto a pass pipeline.

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "tools/run/report.h"

namespace mxtile {

// Notes each pass's time and what it changed.
class TimingHook : public PassHook {
 public:
  absl::Status BeforePass(const Pass& pass,
                          const ir::Program& program) override;
  absl::Status AfterPass(const Pass& pass, const ir::Program& before,
                         const ir::Program& after) override;

  const std::vector<PassReport>& reports() const { return reports_; }

 private:
  std::chrono::steady_clock::time_point start_;
  std::vector<PassReport> reports_;
};

// Writes DIR/NN_after_PASS.py after each pass; DIR is made on the first one.
class DumpHook : public PassHook {
 public:
  explicit DumpHook(std::string folder) : folder_(std::move(folder)) {}

  absl::Status AfterPass(const Pass& pass, const ir::Program& before,
                         const ir::Program& after) override;

  // Whether the error that ended the pipeline was a file that could not be
  // written.
  bool failed() const { return failed_; }

 private:
  std::string folder_;
  int count_ = 0;
  bool failed_ = false;
};

}  // namespace mxtile

#endif  // TOOLS_CLI_PIPELINE_HOOKS_H_
