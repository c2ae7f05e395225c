#ifndef EXEC_SIMD_PLANNER_H_
#define EXEC_SIMD_PLANNER_H_

// Chooses how a tile program becomes machine code: register block, full-packet
// clone, code growth and layout together, so that asking for a wider block
// cannot be slower than not asking.
//
//   MX_ASSIGN_OR_RETURN(PlanningResult result,
//                       Plan(program, PlannerOptions(), HostTarget()));
//   result.selected.candidate, result.selected.facts, result.rejected
//
// Two modes:
//   compat   The seed's: the options' values are forced. A lane is a program;
//            a row of mma_output_block columns, masked lanes; a clone for full
//            packets if one is requested and the original body has at most
//            clone_budget instructions. A wider block may lose the clone.
//   joint    Every candidate of a fixed list is emitted, counted and ranked by
//            estimated cycles (emit/cost_model.h): lanes = programs or an
//            axis, blocks of up to 12 accumulators, groups that share operands,
//            copies and forwarded reads.
//            The incumbent, a row of one column with its clone, is always among
//            them, and every other packet of programs has the clone if it has.
//
// A packet of programs has as many lanes as a register of the target, or half
// or a quarter of them where the launch has no more programs.
//
// The same program, options and target give the same result on every host.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "exec/simd/candidate.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

enum class PlanMode { kCompat, kJoint };

struct PlannerOptions {
  PlanMode mode = PlanMode::kJoint;
  // Columns of a contraction's register block: 1, 2 or 4. Compat only.
  int mma_output_block = 1;
  // Requests the clone for full packets. Compat only: joint always tries.
  bool full_packet = false;
  // The most instructions, before optimisation, of a body that is cloned.
  int64_t clone_budget = 4096;
  // Tiles of more elements are arrays; 0: nothing is expanded. Compat only.
  int64_t max_unrolled_tile_elements = 64;
  // The most bytes of arrays of one instance.
  int64_t max_local_bytes = int64_t{2} << 20;
  // The most instructions, before optimisation, of all bodies together (about
  // 0.03 ms each to compile); a candidate above is rejected. The smallest
  // candidate is taken when all are.
  int64_t jit_budget = 20'000;
  // MX contractions by f32 products (Candidate::mx_f32).
  bool mx_f32 = false;
};

// What a candidate became, or why it did not.
struct CandidateFacts {
  Candidate candidate;
  bool is_incumbent = false;
  Resources resources;
  int64_t blocked_mmas = 0;
  int64_t body_instructions = 0;
  int64_t team_instructions = 0;  // of the clone; 0 without one
  // Of all instances, estimated.
  double cycles = 0;
  std::string rejection;

  bool has_clone() const { return team_instructions > 0; }
};

struct ExecutionPlan {
  PlanMode mode = PlanMode::kJoint;
  int requested_block = 1;
  bool requested_clone = false;
  CandidateFacts facts;

  const Candidate& candidate() const { return facts.candidate; }
};

struct PlanningResult {
  ExecutionPlan selected;
  // In the order of the list; the selected one is among them.
  std::vector<CandidateFacts> admitted;
  std::vector<CandidateFacts> rejected;
};

// Errors (InvalidArgument): an mma_output_block other than 1, 2 and 4; a
// program that no candidate admits, with the incumbent's reason; more than
// max_local_bytes (ResourceExhausted) in each.
absl::StatusOr<PlanningResult> Plan(const TileProgram& program,
                                    const PlannerOptions& options,
                                    const SimdTarget& target);

absl::string_view Name(PlanMode mode);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_PLANNER_H_
