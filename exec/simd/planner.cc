#include "exec/simd/planner.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "exec/simd/candidate.h"
#include "exec/simd/contraction.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/lane_analysis.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

// Of the narrowest target.
constexpr int kMinPacketWidth = 4;

struct Block {
  int rows;
  int cols;
};

// Lanes of a packet of programs: those of a register, but no more than a launch
// can fill.
int PacketWidth(const TileProgram& program, const SimdTarget& target) {
  int width = target.f32_lanes;
  while (width > kMinPacketWidth && program.program_count <= width / 2) {
    width /= 2;
  }
  return width;
}

// Of a row of one column with a clone: what nobody may lose to.
Candidate Incumbent(const TileProgram& program, const PlannerOptions& options,
                    const SimdTarget& target) {
  Candidate candidate;
  candidate.lanes = LaneMode::kPrograms;
  candidate.width = PacketWidth(program, target);
  candidate.full_packet = true;
  candidate.mx_f32 = options.mx_f32;
  return candidate;
}

Candidate CompatCandidate(const TileProgram& program,
                          const PlannerOptions& options,
                          const SimdTarget& target) {
  Candidate candidate = Incumbent(program, options, target);
  candidate.block_cols = options.mma_output_block;
  candidate.full_packet = options.full_packet;
  candidate.masked_lanes = true;
  candidate.share_uniform = false;
  candidate.max_unrolled_elements = options.max_unrolled_tile_elements;
  return candidate;
}

bool HasContraction(const TileProgram& program) {
  return absl::c_any_of(program.ops, [](const Op& op) {
    return op.kind == OpKind::kContract || op.kind == OpKind::kMxContract;
  });
}

// Vector registers that a block of contractions needs: accumulators, a column's
// operands, one broadcast, one product.
bool FitsRegisters(const Block& block, const SimdTarget& target) {
  return block.rows * block.cols + block.cols + 2 <= target.vector_registers;
}

// Whether instances that run together have a tile in common: what makes a group
// worth its code.
bool SharesTiles(const TileProgram& program, int group) {
  const LaneAnalysis lanes(program, group);
  return absl::c_any_of(program.ops, [&](const Op& op) {
    return op.kind == OpKind::kLoad && program.Volume(op.results[0]) > 1 &&
           lanes.IsUniform(op.results[0]);
  });
}

// The candidate with nothing asked for that no tile is large enough for, so
// that what would be the same code is one candidate.
Candidate Effective(const TileProgram& program, Candidate candidate) {
  const bool programs = candidate.lanes == LaneMode::kPrograms;
  int64_t rows = 1;
  int64_t cols = 1;
  for (const Op& op : program.ops) {
    if (op.kind != OpKind::kContract && op.kind != OpKind::kMxContract) {
      continue;
    }
    const Contraction mma = TypedContraction(program, op);
    if (mma.column == kNoDim) continue;
    const int64_t columns = program.Extent(mma.column);
    const int64_t others =
        program.Volume(mma.output) / std::max<int64_t>(columns, 1);
    rows = std::max(rows, programs ? others : others * candidate.group);
    cols = std::max(cols, programs
                              ? columns
                              : CeilDivide(columns, int64_t{candidate.width}));
  }
  candidate.block_rows =
      static_cast<int>(std::min<int64_t>(candidate.block_rows, rows));
  candidate.block_cols =
      static_cast<int>(std::min<int64_t>(candidate.block_cols, cols));
  return candidate;
}

// The incumbent comes first.
class CandidateList {
 public:
  CandidateList(const TileProgram& program, const Candidate& incumbent)
      : program_(program), all_({incumbent}) {}

  void Add(const Candidate& candidate) {
    const Candidate effective = Effective(program_, candidate);
    const std::string key = ToString(effective);
    const bool known = absl::c_any_of(
        all_, [&](const Candidate& other) { return ToString(other) == key; });
    if (!known) all_.push_back(effective);
  }

  std::vector<Candidate> Take() && { return std::move(all_); }

 private:
  const TileProgram& program_;
  std::vector<Candidate> all_;
};

std::vector<Candidate> JointCandidates(const TileProgram& program,
                                       const PlannerOptions& options,
                                       const SimdTarget& target) {
  const Candidate incumbent = Incumbent(program, options, target);
  CandidateList list(program, incumbent);
  std::vector<Block> blocks = {{1, 1}};
  if (HasContraction(program)) {
    blocks = {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 2}, {2, 4}, {4, 2}, {6, 2}};
  }
  for (const Block& block : blocks) {
    if (!FitsRegisters(block, target)) continue;
    Candidate candidate = incumbent;
    candidate.block_rows = block.rows;
    candidate.block_cols = block.cols;
    candidate.vector_copies = true;
    for (const int64_t unrolled : {64, 16}) {
      candidate.max_unrolled_elements = unrolled;
      list.Add(candidate);
    }
  }
  for (const int group : {1, 2, 4, 8}) {
    if (group > 1 &&
        (group > program.program_count || !SharesTiles(program, group))) {
      continue;
    }
    for (const Block& block : blocks) {
      if (!FitsRegisters(block, target)) continue;
      Candidate candidate;
      candidate.lanes = LaneMode::kAxis;
      candidate.width = target.f32_lanes;
      candidate.group = group;
      candidate.block_rows = block.rows;
      candidate.block_cols = block.cols;
      candidate.k_unroll = 4;
      candidate.vector_copies = true;
      candidate.mx_f32 = options.mx_f32;
      candidate.max_unrolled_elements = 16;
      for (const bool forward : {false, true}) {
        candidate.forward = forward;
        list.Add(candidate);
      }
    }
  }
  return std::move(list).Take();
}

// Emits the candidate; facts.rejection says why it is not admitted.
CandidateFacts Try(const TileProgram& program, const Candidate& candidate,
                   const PlannerOptions& options, const SimdTarget& target) {
  CandidateFacts facts;
  facts.candidate = candidate;
  const absl::Status admitted = CheckCandidate(program, candidate);
  if (!admitted.ok()) {
    facts.rejection = std::string(admitted.message());
    return facts;
  }
  absl::StatusOr<EmittedKernel> kernel = EmitKernel(program, candidate, target);
  if (!kernel.ok()) {
    facts.rejection = std::string(kernel.status().message());
    return facts;
  }
  facts.resources = kernel->resources;
  facts.blocked_mmas = kernel->blocked_mmas;
  facts.body_instructions = kernel->body_instructions;
  facts.team_instructions = kernel->team_instructions;
  facts.cycles = kernel->cycles;
  if (facts.resources.bytes > options.max_local_bytes) {
    facts.rejection = absl::StrCat("an instance needs ", facts.resources.bytes,
                                   " bytes of arrays, above the limit of ",
                                   options.max_local_bytes);
  }
  return facts;
}

absl::Status NoCandidate(const TileProgram& program,
                         const PlannerOptions& options,
                         const std::vector<CandidateFacts>& rejected) {
  const CandidateFacts& first = rejected[0];
  const std::string message = absl::StrCat(
      "no way to run ", program.name, " with SIMD: ", ToString(first.candidate),
      ": ", first.rejection);
  return first.resources.bytes > options.max_local_bytes
             ? absl::ResourceExhaustedError(message)
             : absl::InvalidArgumentError(message);
}

absl::StatusOr<PlanningResult> PlanCompat(const TileProgram& program,
                                          const PlannerOptions& options,
                                          const SimdTarget& target) {
  PlanningResult result;
  Candidate candidate = CompatCandidate(program, options, target);
  CandidateFacts facts = Try(program, candidate, options, target);
  if (facts.rejection.empty() && options.full_packet &&
      facts.body_instructions > options.clone_budget) {
    // The request stands in the plan; the loss does, too.
    facts.rejection = absl::StrCat("the body has ", facts.body_instructions,
                                   " instructions, above the clone budget of ",
                                   options.clone_budget);
    result.rejected.push_back(facts);
    candidate.full_packet = false;
    facts = Try(program, candidate, options, target);
  }
  if (!facts.rejection.empty()) return NoCandidate(program, options, {facts});
  result.admitted.push_back(facts);
  result.selected.facts = std::move(facts);
  return result;
}

absl::StatusOr<PlanningResult> PlanJoint(const TileProgram& program,
                                         const PlannerOptions& options,
                                         const SimdTarget& target) {
  PlanningResult result;
  bool incumbent_has_clone = false;
  std::optional<CandidateFacts> smallest_over_budget;
  const auto instructions = [](const CandidateFacts& facts) {
    return facts.body_instructions + facts.team_instructions;
  };
  for (const Candidate& candidate : JointCandidates(program, options, target)) {
    CandidateFacts facts = Try(program, candidate, options, target);
    facts.is_incumbent = result.admitted.empty() && result.rejected.empty();
    if (facts.rejection.empty() && instructions(facts) > options.jit_budget) {
      facts.rejection = absl::StrCat(instructions(facts),
                                     " instructions, above the JIT budget of ",
                                     options.jit_budget);
      if (!smallest_over_budget.has_value() ||
          instructions(facts) < instructions(*smallest_over_budget)) {
        smallest_over_budget = facts;
      }
    }
    if (facts.is_incumbent) incumbent_has_clone = facts.has_clone();
    // Packets of programs all ask for the clone, in packets of one width; lanes
    // along an axis have no mask to be cloned away.
    if (facts.rejection.empty() && candidate.lanes == LaneMode::kPrograms) {
      MX_CHECK(facts.has_clone() || !incumbent_has_clone)
          << ToString(candidate) << " loses the clone that the incumbent has";
    }
    (facts.rejection.empty() ? result.admitted : result.rejected)
        .push_back(std::move(facts));
  }
  if (result.admitted.empty()) {
    if (!smallest_over_budget.has_value()) {
      return NoCandidate(program, options, result.rejected);
    }
    smallest_over_budget->rejection.clear();
    result.admitted.push_back(*smallest_over_budget);
  }
  result.selected.facts = *absl::c_min_element(
      result.admitted, [](const CandidateFacts& a, const CandidateFacts& b) {
        return a.cycles < b.cycles;
      });
  return result;
}

}  // namespace

absl::string_view Name(PlanMode mode) {
  return mode == PlanMode::kCompat ? "compat" : "joint";
}

absl::StatusOr<PlanningResult> Plan(const TileProgram& program,
                                    const PlannerOptions& options,
                                    const SimdTarget& target) {
  const int block = options.mma_output_block;
  if (block != 1 && block != 2 && block != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("mma_output_block is ", block, ", it must be 1, 2 or 4"));
  }
  const bool compat = options.mode == PlanMode::kCompat;
  MX_ASSIGN_OR_RETURN(PlanningResult result,
                      compat ? PlanCompat(program, options, target)
                             : PlanJoint(program, options, target));
  result.selected.mode = options.mode;
  result.selected.requested_block = block;
  result.selected.requested_clone = !compat || options.full_packet;
  return result;
}

}  // namespace mxtile::exec::simd
