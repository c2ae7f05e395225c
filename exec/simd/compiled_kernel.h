#ifndef EXEC_SIMD_COMPILED_KERNEL_H_
#define EXEC_SIMD_COMPILED_KERNEL_H_

// A tile program as machine code of this process.
//
//   MX_ASSIGN_OR_RETURN(std::unique_ptr<CompiledKernel> kernel,
//                       CompiledKernel::Create(program, candidate, options));
//   MX_RETURN_IF_ERROR(kernel->Run({{x, 3200}, {y, 3200}}));

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/candidate.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/jit/block_pool.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// What a kernel turned out to be, beside what was asked for.
struct KernelFacts {
  Resources resources;
  int64_t blocked_mmas = 0;
  int64_t body_instructions = 0;  // see kernel_emitter.h
  int64_t team_instructions = 0;
  int64_t instructions = 0;  // of the whole module
};

class CompiledKernel {
 public:
  using Entry = void (*)(void** buffers, int64_t first, int64_t count,
                         void* workspace, int64_t* error);

  // Errors: those of EmitKernel and of the compiler (jit/jit.h). The program is
  // copied.
  static absl::StatusOr<std::unique_ptr<CompiledKernel>> Create(
      const TileProgram& program, const Candidate& candidate,
      const JitOptions& options);

  // Runs all instances; with a pool, runs of whole teams on its threads.
  // Errors: those of CheckBuffers; OutOfRange for a checked window that leaves
  // its view, naming the place of one that did. Other instances have run then.
  absl::Status Run(absl::Span<const BufferSpan> buffers,
                   BlockPool* pool = nullptr) const;

  const TileProgram& program() const { return program_; }
  const Candidate& candidate() const { return candidate_; }
  const KernelFacts& facts() const { return facts_; }
  const JitCode& code() const { return *code_; }
  Entry entry() const { return entry_; }

 private:
  CompiledKernel(const TileProgram& program, const Candidate& candidate)
      : program_(program), candidate_(candidate) {}

  TileProgram program_;
  Candidate candidate_;
  KernelFacts facts_;
  std::unique_ptr<JitCode> code_;
  Entry entry_ = nullptr;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_COMPILED_KERNEL_H_
