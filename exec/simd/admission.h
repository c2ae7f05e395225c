#ifndef EXEC_SIMD_ADMISSION_H_
#define EXEC_SIMD_ADMISSION_H_

// Which register block a contraction gets. The resource analysis and the
// emitter consume the same MmaBlock.
//
// Requested is rows x columns (candidate.h). With complete-program lanes the
// seed's rule holds for a row of R columns: it falls back to 1 x 1 when
//   1. R is 1, or expansion is off (max_unrolled_elements 0);
//   2. no output dimension has more than one element;
//   3. the column dimension is not in exactly one operand with stride 1;
//   4. one block would have more than `max_region_work` nodes:
//      min(R, N) * (K rolled ? 1 : K) * (2 + ranks of lhs, rhs and output).
// Otherwise strides are a matter of cost and not of legality: with lanes along
// an axis, and for blocks of several rows, only 2 and the first half of 1 hold,
// and a block has no more columns than the output. (A row of programs keeps
// what is requested: its outputs are all in the tail.)

#include <cstdint>
#include <string>

#include "exec/simd/candidate.h"
#include "exec/simd/contraction.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

struct MmaBlock {
  int rows = 1;
  int cols = 1;
  bool rolled = false;  // contributions by a loop
  // Why it is smaller than requested; empty when it is not.
  std::string fallback;
};

inline constexpr int64_t kMaxRegionWork = 4096;

// `max_region_work` 0 is no budget.
MmaBlock AdmitMma(const TileProgram& program, const Contraction& mma,
                  const Candidate& candidate,
                  int64_t max_region_work = kMaxRegionWork);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_ADMISSION_H_
