#ifndef NUMERICS_F8E4M3FN_H_
#define NUMERICS_F8E4M3FN_H_

// f8E4M3FN (OCP OFP8 v1.0): sign, 4 exponent bits with bias 7, 3 mantissa bits.
//
//   DecodeF8E4M3FN(0x38) == 1.0f
//   EncodeF8E4M3FN(1.0625f, Overflow::kSaturate) == 0x38  // tie to even
//
//   0x00, 0x80   +0, -0
//   0x01         2^-9, the smallest subnormal
//   0x08         2^-6, the smallest normal
//   0x7E         448, the largest
//   0x7F, 0xFF   NaN; there is no Inf

#include <cstdint>

#include "numerics/overflow.h"

namespace mxtile {

// Exact. 0x7F and 0xFF give quiet NaNs with that sign.
float DecodeF8E4M3FN(uint8_t code);

// Nearest, ties to even; the sign of zero is kept. A value of magnitude above
// 464, the tie between 448 and the next step, overflows. NaN gives 0x7F with
// its sign.
uint8_t EncodeF8E4M3FN(float value, Overflow overflow);

}  // namespace mxtile

#endif  // NUMERICS_F8E4M3FN_H_
