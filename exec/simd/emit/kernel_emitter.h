#ifndef EXEC_SIMD_EMIT_KERNEL_EMITTER_H_
#define EXEC_SIMD_EMIT_KERNEL_EMITTER_H_

// From a tile program and a candidate to a module of LLVM.
//
//   MX_ASSIGN_OR_RETURN(EmittedKernel kernel,
//                       EmitKernel(program, candidate, HostTarget()));
//   kernel.module, kernel.entry
//
// The module has one external function,
//
//   void ENTRY(void** buffers,      // by buffer number of the views
//              int64_t first,       // a multiple of candidate.team()
//              int64_t count,       // instances first .. first + count - 1
//              void* workspace,     // kernel.resources.workspace bytes
//              int64_t* error)      // 0, or the first operation that left a
//                                   // view stores 1 + its number
//
// and internal ones, the bodies, which run a team of instances:
//   ENTRY.body   a packet of which some lanes may be inactive (kPrograms),
//                or one instance (kAxis)
//   ENTRY.team   all lanes active (kPrograms, with candidate.full_packet), or a
//                whole group (kAxis, group > 1)
// A body that no range of instances needs is not emitted, but for
// candidate.masked_lanes, whose original body always is.
//
// Errors (InvalidArgument): a candidate that the program does not admit: loops
// or conditions that differ between the instances of a team, a width other than
// 1, 2, 4, 8 and 16. Unimplemented in a build without LLVM.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "exec/simd/candidate.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

struct EmittedKernel {
  EmittedModule module;
  std::string entry;
  Resources resources;
  int64_t blocked_mmas = 0;
  // IR instructions, before any optimisation, of ENTRY.body and ENTRY.team; 0
  // for one that does not exist.
  int64_t body_instructions = 0;
  int64_t team_instructions = 0;
  // Estimated, of all instances (cost_model.h).
  double cycles = 0;
};

// OK when the candidate can be emitted.
absl::Status CheckCandidate(const TileProgram& program,
                            const Candidate& candidate);

absl::StatusOr<EmittedKernel> EmitKernel(const TileProgram& program,
                                         const Candidate& candidate,
                                         const SimdTarget& target);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_EMIT_KERNEL_EMITTER_H_
