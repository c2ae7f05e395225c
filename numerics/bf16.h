#ifndef NUMERICS_BF16_H_
#define NUMERICS_BF16_H_

// bf16: the upper half of an IEEE binary32 (sign, 8 exponent bits, 7 mantissa
// bits), with subnormals, Inf and NaN.
//
//   DecodeBF16(0x3FC0) == 1.5f
//   EncodeBF16(1.00390625f) == 0x3F80  // tie to even
//   TruncateToBF16(-1.9999999f) == 0xBFFF

#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/overflow.h"

namespace mxtile {

// Exact, NaN payloads included.
inline float DecodeBF16(uint16_t code) {
  return absl::bit_cast<float>(uint32_t{code} << 16);
}

// Nearest, ties to even. What rounds beyond the largest finite value, 0x7F7F,
// overflows: by default to Inf, as IEEE 754 has it. NaN keeps its sign and the
// upper payload bits and becomes quiet.
uint16_t EncodeBF16(float value, Overflow overflow = Overflow::kSpecial);

// Toward zero: the upper half of the float. Only Inf overflows. NaN as above.
uint16_t TruncateToBF16(float value, Overflow overflow = Overflow::kSpecial);

}  // namespace mxtile

#endif  // NUMERICS_BF16_H_
