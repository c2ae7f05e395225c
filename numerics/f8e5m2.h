#ifndef NUMERICS_F8E5M2_H_
#define NUMERICS_F8E5M2_H_

// f8E5M2 (OCP OFP8 v1.0): sign, 5 exponent bits with bias 15, 2 mantissa bits;
// the upper byte of a half.
//
//   DecodeF8E5M2(0x3C) == 1.0f
//   EncodeF8E5M2(1e6f, Overflow::kSaturate) == 0x7B
//
//   0x00, 0x80     +0, -0
//   0x01           2^-16, the smallest subnormal
//   0x04           2^-14, the smallest normal
//   0x7B           57344, the largest finite
//   0x7C           Inf
//   0x7D .. 0x7F   NaN

#include <cstdint>

#include "numerics/overflow.h"

namespace mxtile {

// Exact. The NaN codes give quiet NaNs with that sign.
float DecodeF8E5M2(uint8_t code);

// Nearest, ties to even; the sign of zero is kept. A value of magnitude 61440
// (the tie between 57344 and the next step) or above overflows; so does Inf.
// NaN gives 0x7F with its sign.
uint8_t EncodeF8E5M2(float value, Overflow overflow);

}  // namespace mxtile

#endif  // NUMERICS_F8E5M2_H_
