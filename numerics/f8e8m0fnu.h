#ifndef NUMERICS_F8E8M0FNU_H_
#define NUMERICS_F8E8M0FNU_H_

// f8E8M0FNU (OCP MX v1.0): the shared scale of a group. Code s is 2^(s-127);
// there is neither sign nor zero nor Inf.
//
//   DecodeF8E8M0FNU(127) == 1.0f
//   EncodeF8E8M0FNU(3.0f, Overflow::kSaturate) == 129  // 4: ties go up
//   ScaleProduct(0, 0) == 0x1p-254
//
//   0     2^-127, a subnormal float
//   254   2^127
//   255   NaN
//
// scale_rule.h finds the code of a group; that is not encoding a number.

#include <cstdint>

#include "numerics/overflow.h"

namespace mxtile {

// Exact. 255 gives 0x7FC00000.
float DecodeF8E8M0FNU(uint8_t code);

// The nearest power of two; a tie, 1.5 times one, goes up.
//
//   value                           kSpecial   kSaturate
//   NaN                                  255         255
//   +Inf                                 255         254
//   1.5 * 2^127 and above                255         254
//   from 1.5 * 2^(s-128) to below
//       1.5 * 2^(s-127), 0 < s < 255       s           s
//   above 0, below 1.5 * 2^-127            0           0
//   0, -0, negative, -Inf                255           0
//
// OCP MX leaves the conversion open, and systems differ. Ties are those of
// ml_dtypes (jax-ml/ml_dtypes#298): 1.25 is 127, 1.5 and 1.75 are 128, 3 is
// 129. Saturating takes the nearest code also for Inf, as in every other format
// here and as the NV rule does, so that only NaN gives NaN; ml_dtypes gives 255
// for Inf in both modes.
uint8_t EncodeF8E8M0FNU(float value, Overflow overflow);

// The factor that the cube applies to the product of two elements:
// 2^(a + b - 254), exact; NaN when a or b is 255. It can be outside the range
// of float, hence double.
double ScaleProduct(uint8_t a, uint8_t b);

}  // namespace mxtile

#endif  // NUMERICS_F8E8M0FNU_H_
