#include "numerics/bf16.h"

#include <algorithm>
#include <cstdint>

#include "numerics/float_bits.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

constexpr uint32_t kLargest = 0x7F7F;
constexpr uint32_t kInfinity = 0x7F80;

// The code of a NaN, or else `code` within the range.
uint32_t Limited(uint32_t bits, uint32_t code, Overflow overflow) {
  constexpr uint32_t kQuiet = 0x0040;
  if (IsNanMagnitude(bits)) return bits >> 16 | kQuiet;
  return std::min(code, overflow == Overflow::kSaturate ? kLargest : kInfinity);
}

uint16_t WithSign(float value, uint32_t magnitude) {
  return static_cast<uint16_t>(SignBit(value) << 15 | magnitude);
}

}  // namespace

uint16_t EncodeBF16(float value, Overflow overflow) {
  const uint32_t bits = MagnitudeBits(value);
  return WithSign(value,
                  Limited(bits, ShiftRightNearestEven(bits, 16), overflow));
}

uint16_t TruncateToBF16(float value, Overflow overflow) {
  const uint32_t bits = MagnitudeBits(value);
  return WithSign(value, Limited(bits, bits >> 16, overflow));
}

}  // namespace mxtile
