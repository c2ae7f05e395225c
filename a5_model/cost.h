#ifndef A5_MODEL_COST_H_
#define A5_MODEL_COST_H_

// Cycles of an instruction from the constants of the SoC table, rounded up.
//
//   MmadCycles(Ascend950(), 128, 128, 256, /*element_bits=*/8);   // 537
//
// The constants and their sources: CostInfo in a5_model/soc/soc.h. They are
// fits and guesses good for comparing programs, not for predicting times.

#include <cstdint>

#include "a5_model/soc/soc.h"

namespace mxtile {
namespace a5 {

// One MMAD of m x k by k x n: 25 + ceil(m/16) * ceil(k/kt) * ceil(n/16), kt =
// 256 / element bits (that 4-bit elements take 64 k at a time is ours, after
// the quoted peaks). Public measurement: 6144^3 in tiles of 128 x 256(n) x
// 128(k) on 32 cores takes 0.602 ms, by this formula 0.562 ms.
int64_t MmadCycles(const Soc& soc, int64_t m, int64_t k, int64_t n,
                   int64_t element_bits);

// GM -> Mat (or any other load from GM).
int64_t GmLoadCycles(const Soc& soc, int64_t bytes);

// Mat -> `to`, which is Left, Right, LeftScale, RightScale or Bias.
int64_t MatMoveCycles(const Soc& soc, MemorySpace to, int64_t bytes);

// Vec -> Mat.
int64_t UbToMatCycles(const Soc& soc, int64_t bytes);

// Acc -> anywhere: `rows` rows of `columns` elements of 4 bytes.
int64_t AccDrainCycles(const Soc& soc, int64_t rows, int64_t columns);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_COST_H_
