#include "numerics/bf16.h"

#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/float_bits.h"

namespace mxtile {

float DecodeBF16(uint16_t code) {
  return absl::bit_cast<float>(uint32_t{code} << 16);
}

uint16_t EncodeBF16(float value) {
  constexpr uint32_t kQuiet = 0x0040;
  const uint32_t sign = SignBit(value) << 15;
  const uint32_t bits = MagnitudeBits(value);
  const uint32_t code = IsNanMagnitude(bits) ? bits >> 16 | kQuiet
                                             : ShiftRightNearestEven(bits, 16);
  return static_cast<uint16_t>(sign | code);
}

}  // namespace mxtile
