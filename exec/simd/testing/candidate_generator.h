#ifndef EXEC_SIMD_TESTING_CANDIDATE_GENERATOR_H_
#define EXEC_SIMD_TESTING_CANDIDATE_GENERATOR_H_

// Draws ways to realise a program: every field of a candidate takes all of its
// values.

#include "exec/simd/candidate.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// One that CheckCandidate admits.
Candidate GenerateCandidate(const TileProgram& program, RandomSource& random);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_CANDIDATE_GENERATOR_H_
