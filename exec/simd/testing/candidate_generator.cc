#include "exec/simd/testing/candidate_generator.h"

#include "exec/simd/candidate.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

Candidate GenerateCandidate(const TileProgram& program, RandomSource& random) {
  Candidate candidate;
  candidate.lanes = random.Chance(50) ? LaneMode::kPrograms : LaneMode::kAxis;
  candidate.width = random.OneOf({4, 8, 8, 8});
  candidate.group = random.OneOf({1, 2, 4});
  candidate.block_rows = random.OneOf({1, 1, 2, 4, 6});
  candidate.block_cols = random.OneOf({1, 2, 4});
  candidate.k_unroll = random.OneOf({1, 3, 4});
  candidate.share_uniform = random.Chance(70);
  candidate.forward = random.Chance(50);
  candidate.vector_copies = random.Chance(50);
  candidate.mx_f32 = false;
  candidate.full_packet = random.Chance(50);
  candidate.masked_lanes = random.Chance(30);
  candidate.max_unrolled_elements = random.OneOf({1, 4, 16, 64});
  if (!CheckCandidate(program, candidate).ok()) {
    candidate.lanes = LaneMode::kAxis;
    candidate.group = 1;
  }
  return candidate;
}

}  // namespace mxtile::exec::simd
