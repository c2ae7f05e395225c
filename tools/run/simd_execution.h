#ifndef TOOLS_RUN_SIMD_EXECUTION_H_
#define TOOLS_RUN_SIMD_EXECUTION_H_

// Runs a program as written on the processor of the host, and compares.
//
//   ExecutionRequest request = ...;       // `lowered` is not needed
//   MX_ASSIGN_OR_RETURN(SimdExecution execution,
//                       ExecuteSimd(request, references, {}, &sink));
//
// Results and errors are those of Execute (execution.h), but for what the SIMD
// backend does not have (MX-SIMD-1 to 8, exec/simd/import/importer.h).
// Unimplemented, before anything runs, in a build without LLVM.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "exec/simd/kernel_runner.h"
#include "ir/diagnostic.h"
#include "tools/run/execution.h"
#include "tools/run/results.h"

namespace mxtile {

struct SimdExecution {
  std::vector<ExecutionResult> results;
  std::string cpu;  // LLVM's name.
  int threads = 1;
  // In the order of their first launch.
  std::vector<std::unique_ptr<exec::simd::KernelUse>> kernels;
};

// Of `request.fault` only kFlipScaleByte has a meaning here.
absl::StatusOr<SimdExecution> ExecuteSimd(
    const ExecutionRequest& request, const References& references,
    const exec::simd::KernelRunnerOptions& options, ir::DiagnosticSink* sink);

// OK in a build that can run and plan; otherwise Unimplemented, with the way
// out.
absl::Status CheckHasSimd();

}  // namespace mxtile

#endif  // TOOLS_RUN_SIMD_EXECUTION_H_
