#include "exec/simd/compiled_kernel.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/candidate.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/jit/block_pool.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/view_error.h"

namespace mxtile::exec::simd {
namespace {

constexpr int64_t kWorkspaceAlignment = 64;

// Pieces of a launch for each worker: enough to even out, few enough that a
// piece's workspace is worth its allocation.
constexpr int64_t kPiecesPerWorker = 4;

}  // namespace

absl::StatusOr<std::unique_ptr<CompiledKernel>> CompiledKernel::Create(
    const TileProgram& program, const Candidate& candidate,
    const JitOptions& options) {
  std::unique_ptr<CompiledKernel> kernel(
      new CompiledKernel(program, candidate));
  MX_ASSIGN_OR_RETURN(EmittedKernel emitted,
                      EmitKernel(program, candidate, options.target));
  KernelFacts& facts = kernel->facts_;
  facts.resources = emitted.resources;
  facts.blocked_mmas = emitted.blocked_mmas;
  facts.body_instructions = emitted.body_instructions;
  facts.team_instructions = emitted.team_instructions;
  MX_ASSIGN_OR_RETURN(kernel->code_,
                      Compile(std::move(emitted.module), options));
  facts.instructions = kernel->code_->object().instructions;
  kernel->entry_ = reinterpret_cast<Entry>(kernel->code_->Find(emitted.entry));
  MX_CHECK(kernel->entry_ != nullptr);
  return kernel;
}

absl::Status CompiledKernel::Run(absl::Span<const BufferSpan> buffers,
                                 BlockPool* pool) const {
  MX_RETURN_IF_ERROR(CheckBuffers(program_, buffers));
  std::vector<void*> pointers;
  for (const BufferSpan& buffer : buffers) pointers.push_back(buffer.data);
  std::atomic<int64_t> error{0};
  const auto run = [&](int64_t first, int64_t count) {
    std::vector<uint8_t> memory(facts_.resources.workspace +
                                kWorkspaceAlignment);
    const uintptr_t start = reinterpret_cast<uintptr_t>(memory.data());
    uint8_t* workspace =
        memory.data() + (RoundUp(start, kWorkspaceAlignment) - start);
    int64_t own_error = 0;
    entry_(pointers.data(), first, count, workspace, &own_error);
    if (own_error != 0) error = own_error;
  };
  if (pool == nullptr) {
    run(0, program_.program_count);
  } else {
    const int64_t team = candidate_.team();
    const int64_t teams = CeilDivide(program_.program_count, team);
    const int64_t pieces =
        std::min<int64_t>(teams, pool->num_workers() * kPiecesPerWorker);
    pool->ParallelFor(pieces, 1, [&](int64_t piece, int64_t, int) {
      const int64_t first = teams * piece / pieces * team;
      const int64_t last =
          std::min(teams * (piece + 1) / pieces * team, program_.program_count);
      run(first, last - first);
    });
  }
  if (error == 0) return absl::OkStatus();
  return LeftViewError(program_, program_.ops[error - 1], "");
}

}  // namespace mxtile::exec::simd
