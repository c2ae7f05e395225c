#ifndef EXEC_SIMD_KERNEL_RUNNER_H_
#define EXEC_SIMD_KERNEL_RUNNER_H_

// Runs tile programs as machine code: plans, compiles, executes, and remembers.
// The executor of a SimdBackend (simd_backend.h):
//
//   KernelRunner runner({});
//   SimdBackend backend(registry, runner.AsRun(), &sink);
//   ... Interpreter(program, &backend, &sink).Run(...) ...
//   for (const auto& kernel : runner.kernels()) {
//     kernel->plan.selected, kernel->facts, kernel->launches, kernel->run_ms
//   }
//
// A program that was run before, with the same contents and the same form of MX
// products (mx_product_form.h), is not compiled again. A runner is used by one
// thread; what it runs is spread over its own.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/jit/block_pool.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/planner.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

struct KernelRunnerOptions {
  // mx_f32 is not used: each launch has its own.
  PlannerOptions planner;
  JitOptions jit;
  // Fewer than one: one for each core.
  int threads = 0;
};

// A kernel that was run.
struct KernelUse {
  std::string name;  // of the program
  int64_t program_count = 0;
  PlanningResult plan;
  KernelFacts facts;
  int64_t launches = 0;
  // Wall time: of planning and of emitting and compiling, once; of all
  // launches.
  double plan_ms = 0;
  double compile_ms = 0;
  double run_ms = 0;
};

class KernelRunner {
 public:
  explicit KernelRunner(const KernelRunnerOptions& options);

  // Runs all instances. Errors: those of Plan (planner.h) and of CompiledKernel
  // (compiled_kernel.h); Unimplemented in a build without LLVM.
  absl::Status Run(const TileProgram& program,
                   absl::Span<const BufferSpan> buffers);
  // The same as a function, which the runner must outlive.
  std::function<absl::Status(const TileProgram&, absl::Span<const BufferSpan>)>
  AsRun();

  // In the order of their first launch.
  const std::vector<std::unique_ptr<KernelUse>>& kernels() const {
    return uses_;
  }
  std::vector<std::unique_ptr<KernelUse>> TakeKernels() && {
    return std::move(uses_);
  }
  int threads() const { return pool_.num_workers(); }

 private:
  struct Entry {
    std::unique_ptr<CompiledKernel> kernel;
    KernelUse* use = nullptr;
  };
  absl::StatusOr<Entry*> FindOrCompile(const TileProgram& program, bool mx_f32);

  const KernelRunnerOptions options_;
  absl::Status usable_;
  BlockPool pool_;
  std::map<std::string, Entry> entries_;  // by contents
  std::vector<std::unique_ptr<KernelUse>> uses_;
};

// Equal for programs that are equal, names and places included, and only for
// those.
std::string ContentKey(const TileProgram& program);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_KERNEL_RUNNER_H_
