#include "numerics/f8e8m0fnu.h"

#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/float_bits.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

constexpr uint32_t kLargest = 254;
constexpr uint8_t kNan = 255;

// `bits` are those of a positive float. Codes are exponent fields, but for the
// subnormals: 2^-127, code 0, is in the middle of their range.
uint32_t NearestCode(uint32_t bits) {
  constexpr uint32_t kSmallestNormal = uint32_t{1} << 23;
  constexpr uint32_t kHalf = kSmallestNormal >> 1;
  if (bits >= kSmallestNormal) return (bits + kHalf) >> 23;
  return bits >= kHalf + (kHalf >> 1) ? 1 : 0;
}

}  // namespace

float DecodeF8E8M0FNU(uint8_t code) {
  if (code == kNan) return absl::bit_cast<float>(kFloatQuietNanBits);
  // 2^-127 is half of the smallest normal.
  if (code == 0) return absl::bit_cast<float>(uint32_t{1} << 22);
  return absl::bit_cast<float>(uint32_t{code} << 23);
}

uint8_t EncodeF8E8M0FNU(float value, Overflow overflow) {
  const uint32_t magnitude = MagnitudeBits(value);
  if (IsNanMagnitude(magnitude)) return kNan;
  const bool saturate = overflow == Overflow::kSaturate;
  if (magnitude == 0 || SignBit(value) != 0) return saturate ? 0 : kNan;
  const uint32_t code = NearestCode(magnitude);
  if (code > kLargest) return saturate ? kLargest : kNan;
  return static_cast<uint8_t>(code);
}

double ScaleProduct(uint8_t a, uint8_t b) {
  if (a == kNan || b == kNan) {
    return absl::bit_cast<double>(uint64_t{0x7FF8} << 48);
  }
  constexpr uint64_t kDoubleBias = 1023;
  return absl::bit_cast<double>((kDoubleBias - 254 + a + b) << 52);
}

}  // namespace mxtile
