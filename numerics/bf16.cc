#include "numerics/bf16.h"

#include <algorithm>
#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/float_bits.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

constexpr uint32_t kLargest = 0x7F7F;
constexpr uint32_t kInfinity = 0x7F80;

uint32_t NearestMagnitude(uint32_t bits, Overflow overflow) {
  constexpr uint32_t kQuiet = 0x0040;
  if (IsNanMagnitude(bits)) return bits >> 16 | kQuiet;
  return std::min(ShiftRightNearestEven(bits, 16),
                  overflow == Overflow::kSaturate ? kLargest : kInfinity);
}

}  // namespace

float DecodeBF16(uint16_t code) {
  return absl::bit_cast<float>(uint32_t{code} << 16);
}

uint16_t EncodeBF16(float value, Overflow overflow) {
  return static_cast<uint16_t>(
      SignBit(value) << 15 | NearestMagnitude(MagnitudeBits(value), overflow));
}

}  // namespace mxtile
