#include "numerics/scale_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "numerics/element_format.h"
#include "numerics/float_bits.h"

namespace mxtile {
namespace {

constexpr uint8_t kNanScale = 255;
constexpr uint8_t kLargestScale = 254;

bool IsScaled(ElementFormat format) {
  return format == ElementFormat::kF8E4M3FN ||
         format == ElementFormat::kF8E5M2 || format == ElementFormat::kF4E2M1FN;
}

uint8_t OcpExponent(ElementFormat format, uint32_t max_bits) {
  const int exponent = static_cast<int>(max_bits >> 23);
  return static_cast<uint8_t>(std::max(0, exponent - MaxExponent(format)));
}

uint8_t NvExponent(ElementFormat format, uint32_t max_bits) {
  const float reciprocal = 1.0f / MaxFinite(format);
  const float ratio = absl::bit_cast<float>(max_bits) * reciprocal;
  const uint32_t bits = absl::bit_cast<uint32_t>(ratio);
  if (bits == kFloatInfinityBits) return kLargestScale;
  const uint32_t exponent = bits >> 23;
  // Scale 0 is 2^-127, bits 0x00400000: a subnormal ratio needs more only
  // above.
  constexpr uint32_t kSmallestScaleBits = 0x00400000;
  const bool above_power = (bits & 0x7FFFFF) != 0;
  const bool round_up = above_power && bits > kSmallestScaleBits;
  return static_cast<uint8_t>(exponent + (round_up ? 1 : 0));
}

}  // namespace

float MaxAbs(absl::Span<const float> group) {
  uint32_t max_bits = 0;
  for (const float value : group) {
    max_bits = std::max(max_bits, MagnitudeBits(value));
  }
  return absl::bit_cast<float>(max_bits);
}

uint8_t SharedExponent(ScaleRule rule, ElementFormat format, float max_abs) {
  MX_CHECK(IsScaled(format)) << Name(format) << " is not quantised to";
  const uint32_t max_bits = MagnitudeBits(max_abs);
  if (IsNanMagnitude(max_bits)) return kNanScale;
  return rule == ScaleRule::kOcp ? OcpExponent(format, max_bits)
                                 : NvExponent(format, max_bits);
}

float ReciprocalScale(uint8_t shared_exponent) {
  if (shared_exponent == kNanScale) {
    return absl::bit_cast<float>(kFloatQuietNanBits);
  }
  // 2^-127 is half of the smallest normal.
  if (shared_exponent == kLargestScale) {
    return absl::bit_cast<float>(uint32_t{1} << 22);
  }
  return absl::bit_cast<float>((uint32_t{254} - shared_exponent) << 23);
}

uint16_t ReciprocalScaleBF16(ElementFormat format, uint8_t shared_exponent) {
  MX_CHECK(IsScaled(format)) << Name(format) << " is not quantised to";
  if (shared_exponent == kNanScale) {
    return BitWidth(format) == 8 ? 0x7F81 : 0x7FC0;
  }
  // A power of two has no more bits than bf16 keeps.
  return absl::bit_cast<uint32_t>(ReciprocalScale(shared_exponent)) >> 16;
}

}  // namespace mxtile
