#include "numerics/f4e1m2.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numerics/float_bits.h"
#include "numerics/minifloat.h"

namespace mxtile {
namespace {

using E1M2 = Minifloat</*kMantissaBits=*/2, /*kBias=*/1>;

constexpr uint32_t kLargest = 7;

}  // namespace

float DecodeF4E1M2(uint8_t code) {
  return std::copysign(E1M2::Value(code & 7), code & 8 ? -1.0f : 1.0f);
}

uint8_t EncodeF4E1M2(float value) {
  const uint32_t bits = MagnitudeBits(value);
  if (IsNanMagnitude(bits)) return kLargest;
  const uint32_t code = std::min(E1M2::NearestCode(bits), kLargest);
  return static_cast<uint8_t>(SignBit(value) << 3 | code);
}

}  // namespace mxtile
