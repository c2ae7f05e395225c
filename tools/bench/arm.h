#ifndef TOOLS_BENCH_ARM_H_
#define TOOLS_BENCH_ARM_H_

// An arm of an experiment, captured: planned, compiled and run once.
//
//   MX_ASSIGN_OR_RETURN(const CapturedArm arm,
//                       Capture(workload, spec, CaptureOptions()));
//   MX_ASSIGN_OR_RETURN(PairedArm replay, Replay(workload, arm));
//
// What Replay gives is linked from the captured object; nothing is compiled
// again. Other arms are code of this binary.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "exec/simd/jit/target.h"
#include "nlohmann/json.hpp"
#include "tools/bench/declaration.h"
#include "tools/bench/paired.h"
#include "tools/bench/workload.h"

namespace mxtile::bench {

// Of generated arms.
struct CaptureOptions {
  int64_t clone_budget = 4096;
  exec::simd::SimdTarget target = exec::simd::HostTarget();
};

struct CapturedArm {
  ArmSpec spec;
  int64_t workspace_bytes = 0;
  // Of compiled arms.
  std::string object;
  std::string ir_before;
  std::string ir_after;
  // facts.json of the evidence (docs/bench.md).
  nlohmann::ordered_json facts;
  std::vector<float> output;
};

// Errors: Unimplemented for an arm that this build does not have (LLVM,
// OpenBLAS); those of the planner and the compiler; a wrong result (paired.h).
absl::StatusOr<CapturedArm> Capture(const Workload& workload,
                                    const ArmSpec& spec,
                                    const CaptureOptions& options);

// `workload` and `arm` must outlive it.
absl::StatusOr<PairedArm> Replay(const Workload& workload,
                                 const CapturedArm& arm);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_ARM_H_
