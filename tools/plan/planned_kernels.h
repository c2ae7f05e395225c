#ifndef TOOLS_PLAN_PLANNED_KERNELS_H_
#define TOOLS_PLAN_PLANNED_KERNELS_H_

// What the SIMD planner chooses for the kernels of an entry, without compiling
// or running them.
//
//   PlanRequest request;
//   request.registry = &ir::StandardOps();
//   request.program = program;
//   request.entry = "main";
//   MX_ASSIGN_OR_RETURN(const std::vector<PlannedKernel> kernels,
//                       PlanKernels(request, &sink));
//   kernels[0].plan.selected
//
// The Orchestration function is interpreted, so that what it launches is known,
// with the right number of instances; what is launched computes nothing.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/planner.h"
#include "exec/simd/tile_program.h"
#include "ir/diagnostic.h"
#include "ir/op_registry.h"
#include "ir/program.h"

namespace mxtile {

struct PlanRequest {
  const ir::OpRegistry* registry = nullptr;
  // Without dynamic dims (exec/specialize.h).
  const ir::Program* program = nullptr;
  std::string entry;
  std::map<std::string, int64_t> scalars;  // Scalar parameters of the entry.
  // mx_f32: for kernels with MX contractions; which form a run takes depends on
  // its scales (exec/simd/mx_product_form.h).
  exec::simd::PlannerOptions options;
  exec::simd::SimdTarget target;
};

struct PlannedKernel {
  exec::simd::TileProgram program;
  int64_t launches = 0;  // Of equal programs, which share a plan.
  exec::simd::PlanningResult plan;
};

// In the order of their first launch. Errors are in the sink, at their place:
// what the SIMD backend does not have (MX-SIMD-1 to 8), what the planner
// refuses; MX-INPUT-6 and 8 for its parameters (exec/inputs.h). Unimplemented
// in a build without LLVM.
absl::StatusOr<std::vector<PlannedKernel>> PlanKernels(
    const PlanRequest& request, ir::DiagnosticSink* sink);

}  // namespace mxtile

#endif  // TOOLS_PLAN_PLANNED_KERNELS_H_
