#include "exec/simd/kernel_runner.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/casts.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "base/stopwatch.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/mx_product_form.h"
#include "exec/simd/planner.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

int ThreadsOf(int requested) {
  if (requested > 0) return requested;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

std::string ContentKey(const TileProgram& program) {
  // The text is for people: numbers are rounded there, and views go by name.
  std::string contents = ToText(program);
  for (const Op& op : program.ops) {
    absl::StrAppend(&contents, op.view, " ",
                    absl::bit_cast<uint64_t>(op.constant), " ", op.integer, " ",
                    absl::bit_cast<uint64_t>(op.window.fill), "\n");
  }
  return Sha256Hex(contents);
}

KernelRunner::KernelRunner(const KernelRunnerOptions& options)
    : options_(options),
      usable_(CheckRunsOnHost(options.jit.target)),
      pool_(ThreadsOf(options.threads)) {}

absl::StatusOr<KernelRunner::Entry*> KernelRunner::FindOrCompile(
    const TileProgram& program, bool mx_f32) {
  Entry& entry =
      entries_[absl::StrCat(ContentKey(program), mx_f32 ? " f32" : "")];
  if (entry.kernel != nullptr) return &entry;
  PlannerOptions planner = options_.planner;
  planner.mx_f32 = mx_f32;
  auto use = std::make_unique<KernelUse>();
  use->name = program.name;
  use->program_count = program.program_count;
  Stopwatch stopwatch;
  MX_ASSIGN_OR_RETURN(use->plan, Plan(program, planner, options_.jit.target));
  use->plan_ms = stopwatch.Lap();
  MX_ASSIGN_OR_RETURN(
      entry.kernel, CompiledKernel::Create(
                        program, use->plan.selected.candidate(), options_.jit));
  use->compile_ms = stopwatch.Lap();
  use->facts = entry.kernel->facts();
  entry.use = use.get();
  uses_.push_back(std::move(use));
  return &entry;
}

absl::Status KernelRunner::Run(const TileProgram& program,
                               absl::Span<const BufferSpan> buffers) {
  MX_RETURN_IF_ERROR(usable_);
  MX_RETURN_IF_ERROR(CheckBuffers(program, buffers));
  MX_ASSIGN_OR_RETURN(
      Entry* const entry,
      FindOrCompile(program, HasExactF32Products(program, buffers)));
  Stopwatch stopwatch;
  const absl::Status status = entry->kernel->Run(buffers, &pool_);
  entry->use->run_ms += stopwatch.Lap();
  ++entry->use->launches;
  return status;
}

std::function<absl::Status(const TileProgram&, absl::Span<const BufferSpan>)>
KernelRunner::AsRun() {
  return
      [this](const TileProgram& program, absl::Span<const BufferSpan> buffers) {
        return Run(program, buffers);
      };
}

}  // namespace mxtile::exec::simd
