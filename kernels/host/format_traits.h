#ifndef KERNELS_HOST_FORMAT_TRAITS_H_
#define KERNELS_HOST_FORMAT_TRAITS_H_

// The element formats as constants that vector code is compiled with. The
// tests hold them against numerics/element_format.h.
//
//   code = (exponent field << kMantissaBits | mantissa), without the sign
//   kLeastExponent   biased exponent, as a float has it, of the least normal
//   kLargestCode     that of kMaxFinite
//   kEmax, kReciprocal   of the scale rules: fl32(1 / kMaxFinite)
//   kNanCode   that every element of a NaN group gets

#include <cstdint>

namespace mxtile::host {

struct F8E4M3Traits {
  static constexpr int kBits = 8;
  static constexpr int kMantissaBits = 3;
  static constexpr int kLeastExponent = 121;
  static constexpr int kEmax = 8;
  static constexpr float kMaxFinite = 448.0f;
  static constexpr int kLargestCode = 0x7E;
  static constexpr float kReciprocal = 1.0f / 448.0f;
  static constexpr uint8_t kNanCode = 0x7F;
  // Codes from the first NaN, and from Inf, on; 0x80 where there is none.
  static constexpr int kFirstNan = 0x7F;
  static constexpr int kInfinity = 0x80;
};

struct F8E5M2Traits {
  static constexpr int kBits = 8;
  static constexpr int kMantissaBits = 2;
  static constexpr int kLeastExponent = 113;
  static constexpr int kEmax = 15;
  static constexpr float kMaxFinite = 57344.0f;
  static constexpr int kLargestCode = 0x7B;
  static constexpr float kReciprocal = 1.0f / 57344.0f;
  static constexpr uint8_t kNanCode = 0x7F;
  static constexpr int kFirstNan = 0x7D;
  static constexpr int kInfinity = 0x7C;
};

struct F4E2M1Traits {
  static constexpr int kBits = 4;
  static constexpr int kMantissaBits = 1;
  static constexpr int kLeastExponent = 127;
  static constexpr int kEmax = 2;
  static constexpr float kMaxFinite = 6.0f;
  static constexpr int kLargestCode = 7;
  static constexpr float kReciprocal = 1.0f / 6.0f;
  static constexpr uint8_t kNanCode = 7;
  static constexpr int kFirstNan = 0x80;
  static constexpr int kInfinity = 0x80;
};

// Not quantised to.
struct F4E1M2Traits {
  static constexpr int kBits = 4;
  static constexpr int kMantissaBits = 2;
  static constexpr int kLeastExponent = 127;
  static constexpr int kFirstNan = 0x80;
  static constexpr int kInfinity = 0x80;
};

}  // namespace mxtile::host

#endif  // KERNELS_HOST_FORMAT_TRAITS_H_
