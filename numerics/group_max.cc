#include "numerics/group_max.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "absl/types/span.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

constexpr uint16_t kMagnitude = 0x7FFF;

// The magnitude of an f16 code as a bf16 code, rounded toward zero: the A5's
// vcvt ROUND_Z with Inf and NaN set right.
uint16_t TruncatedToBF16(uint16_t code) {
  constexpr uint16_t kQuietNan = 0x7FC0;
  const float value = DecodeF16(code & kMagnitude);
  return std::isnan(value) ? kQuietNan : TruncateToBF16(value);
}

}  // namespace

GroupMax F32GroupMax(absl::Span<const float> group) {
  const float max = MaxAbs(group);
  return {absl::bit_cast<uint32_t>(max), max};
}

GroupMax BF16GroupMax(absl::Span<const uint16_t> group) {
  uint16_t max = 0;
  for (const uint16_t code : group) {
    max = std::max<uint16_t>(max, code & kMagnitude);
  }
  return {max, DecodeBF16(max)};
}

GroupMax F16GroupMax(absl::Span<const uint16_t> group, ScaleRule rule) {
  const bool truncates = rule == ScaleRule::kOcp;
  uint16_t max = 0;
  for (const uint16_t code : group) {
    max = std::max<uint16_t>(
        max, truncates ? TruncatedToBF16(code) : code & kMagnitude);
  }
  return {max, truncates ? DecodeBF16(max) : DecodeF16(max)};
}

}  // namespace mxtile
