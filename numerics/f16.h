#ifndef NUMERICS_F16_H_
#define NUMERICS_F16_H_

// f16: IEEE binary16 (sign, 5 exponent bits with bias 15, 10 mantissa bits),
// with subnormals, Inf and NaN.
//
//   DecodeF16(0x3E00) == 1.5f
//   EncodeF16(65520.0f) == 0x7C00  // Inf: the tie beyond 65504
//
//   0x0001   2^-24, the smallest subnormal
//   0x0400   2^-14, the smallest normal
//   0x7BFF   65504, the largest finite
//   0x7C00   Inf; NaN above

#include <cstdint>

#include "numerics/overflow.h"

namespace mxtile {

// Exact. NaN keeps its sign and payload and becomes quiet.
float DecodeF16(uint16_t code);

// Nearest, ties to even. Magnitudes of 65520 and above overflow: by default to
// Inf, as IEEE 754 has it. NaN keeps its sign and the upper payload bits and
// becomes quiet, as F16C does it.
uint16_t EncodeF16(float value, Overflow overflow = Overflow::kSpecial);

}  // namespace mxtile

#endif  // NUMERICS_F16_H_
