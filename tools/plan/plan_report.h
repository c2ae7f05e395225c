#ifndef TOOLS_PLAN_PLAN_REPORT_H_
#define TOOLS_PLAN_PLAN_REPORT_H_

// What `mxtile plan` has to say (docs/simd.md), as text for people and as JSON
// for machines.
//
//   PlanReport report = {file, "Sgemm", "main", options, target, kernels};
//   std::cout << ToText(report, PlanDetail::kCandidates);

#include <cstdint>
#include <string>
#include <vector>

#include "exec/simd/jit/target.h"
#include "exec/simd/planner.h"
#include "nlohmann/json.hpp"
#include "tools/plan/planned_kernels.h"

namespace mxtile {

struct PlanReport {
  std::string file;
  std::string program;
  std::string entry;
  exec::simd::PlannerOptions options;
  exec::simd::SimdTarget target;
  std::vector<PlannedKernel> kernels;
};

enum class PlanDetail {
  kSelected,    // What was chosen, requested and realised.
  kCandidates,  // And every candidate, with its costs and why it lost.
};

// `with_programs`: also the tile programs, one operation a line.
std::string ToText(const PlanReport& report, PlanDetail detail,
                   bool with_programs);
// With all candidates.
std::string ToJson(const PlanReport& report);

// "attend: 8 instances, 1 launch"
std::string KernelTitle(const std::string& name, int64_t instances,
                        int64_t launches);

// One plan: its mode, what was requested and what it became.
nlohmann::ordered_json PlanToJson(const exec::simd::ExecutionPlan& plan);
// The same in a line: "axis x8, group 4, block 4x2, forward; 4 blocked
// contractions, 5012 instructions".
std::string PlanToLine(const exec::simd::ExecutionPlan& plan);

}  // namespace mxtile

#endif  // TOOLS_PLAN_PLAN_REPORT_H_
