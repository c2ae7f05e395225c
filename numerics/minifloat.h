#ifndef NUMERICS_MINIFLOAT_H_
#define NUMERICS_MINIFLOAT_H_

// Magnitudes of the small float formats: what they share. A code is
// (exponent field << kMantissaBits | mantissa) without the sign; it stands for
//
//   field > 0:  (1 + mantissa / 2^kMantissaBits) * 2^(field - kBias)
//   field = 0:  (mantissa / 2^kMantissaBits) * 2^(1 - kBias)
//
//   using E4M3 = Minifloat</*kMantissaBits=*/3, /*kBias=*/7>;
//   E4M3::Value(0x7E) == 448.0f
//   E4M3::NearestCode(MagnitudeBits(448.0f)) == 0x7E
//
// NaN, Inf and saturation differ by format and are the caller's.

#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/float_bits.h"

namespace mxtile {

// 1 <= kMantissaBits <= 10, 1 <= kBias <= 15: every value is a normal float.
template <int kMantissaBits, int kBias>
struct Minifloat {
  static_assert(kMantissaBits >= 1 && kMantissaBits <= 10);
  static_assert(kBias >= 1 && kBias <= 15);

  // Exact. Codes beyond the format's last one go on by the same formula.
  static float Value(uint32_t code) {
    constexpr int kShift = 23 - kMantissaBits;
    if (code >> kMantissaBits != 0) {
      return absl::bit_cast<float>((code << kShift) +
                                   (uint32_t{127 - kBias} << 23));
    }
    constexpr uint32_t kStepBits = uint32_t{128 - kBias - kMantissaBits} << 23;
    return static_cast<float>(code) * absl::bit_cast<float>(kStepBits);
  }

  // The code of the nearest value, ties to the even code, as if codes had no
  // upper end. `magnitude_bits` are those of a float >= 0; Inf gives a code
  // above that of every finite value.
  static uint32_t NearestCode(uint32_t magnitude_bits) {
    constexpr int kShift = 23 - kMantissaBits;
    const int exponent = static_cast<int>(magnitude_bits >> 23);
    if (exponent >= 128 - kBias) {
      return ShiftRightNearestEven(magnitude_bits, kShift) -
             (uint32_t{127 - kBias} << kMantissaBits);
    }
    // Below the smallest normal: count steps of 2^(1 - kBias - kMantissaBits).
    const int shift = kShift + (128 - kBias) - exponent;
    if (shift > 24) return 0;  // less than half a step, as every subnormal is
    const uint32_t significand = (magnitude_bits & 0x7FFFFF) | 0x800000;
    return ShiftRightNearestEven(significand, shift);
  }
};

}  // namespace mxtile

#endif  // NUMERICS_MINIFLOAT_H_
