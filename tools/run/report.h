#ifndef TOOLS_RUN_REPORT_H_
#define TOOLS_RUN_REPORT_H_

// What `mxtile run` has to say, as data, as text for people and as JSON for
// machines (docs/run_report.md). Passes and pipes are of the A5 model; a run by
// the SIMD backend has kernels instead.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "exec/inputs.h"
#include "passes/pass.h"
#include "tools/run/execution.h"
#include "tools/run/simd_execution.h"

namespace mxtile {

// One pass of the pipeline.
struct PassReport {
  std::string name;
  double milliseconds = 0;
  bool changed = false;
  std::string detail;  // "gemm: 15 -> 23 statements"
};

struct RunReport {
  std::string file;
  std::string program;
  std::string entry;
  double tolerance = 0;
  std::vector<exec::BoundInput> inputs;
  std::vector<PassReport> passes;
  PassFindings findings;
  Execution execution;  // Of the SIMD backend: its results only.
  std::optional<SimdExecution> simd;

  // Whether every result is within the tolerance.
  bool correct() const;
};

// `soc` names the machine whose cycles these are; not needed for a run by the
// SIMD backend.
std::string ToText(const RunReport& report, const a5::Soc& soc);
std::string ToJson(const RunReport& report, const a5::Soc& soc);

}  // namespace mxtile

#endif  // TOOLS_RUN_REPORT_H_
