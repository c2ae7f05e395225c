#ifndef NUMERICS_FLOAT_BITS_H_
#define NUMERICS_FLOAT_BITS_H_

// The parts of an IEEE binary32 as integers, so that encoding depends neither
// on the rounding mode nor on flush-to-zero of the host.
//
//   MagnitudeBits(-1.5f) == 0x3FC00000
//   SignBit(-1.5f) == 1

#include <cstdint>

#include "absl/base/casts.h"

namespace mxtile {

// Bits of +Inf: finite magnitudes are below, NaNs above.
inline constexpr uint32_t kFloatInfinityBits = 0x7F800000;
inline constexpr uint32_t kFloatQuietNanBits = 0x7FC00000;

// Bits of |value|. They order magnitudes as numbers, with Inf above all finite
// ones and NaN above Inf.
inline uint32_t MagnitudeBits(float value) {
  return absl::bit_cast<uint32_t>(value) & 0x7FFFFFFF;
}

// 1 for negative values, -0 and NaNs with the sign set.
inline uint32_t SignBit(float value) {
  return absl::bit_cast<uint32_t>(value) >> 31;
}

inline bool IsNanMagnitude(uint32_t magnitude_bits) {
  return magnitude_bits > kFloatInfinityBits;
}

// `value` / 2^shift to the nearest integer, ties to even. 1 <= shift <= 31;
// value + 2^(shift-1) must fit in 32 bits.
inline uint32_t ShiftRightNearestEven(uint32_t value, int shift) {
  const uint32_t odd = (value >> shift) & 1;
  const uint32_t below_half = (uint32_t{1} << (shift - 1)) - 1;
  return (value + below_half + odd) >> shift;
}

}  // namespace mxtile

#endif  // NUMERICS_FLOAT_BITS_H_
