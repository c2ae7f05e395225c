#include "numerics/f4e2m1fn.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numerics/float_bits.h"
#include "numerics/minifloat.h"

namespace mxtile {
namespace {

using E2M1 = Minifloat</*kMantissaBits=*/1, /*kBias=*/1>;

constexpr uint32_t kLargest = 7;

}  // namespace

float DecodeF4E2M1FN(uint8_t code) {
  return std::copysign(E2M1::Value(code & 7), code & 8 ? -1.0f : 1.0f);
}

uint8_t EncodeF4E2M1FN(float value) {
  const uint32_t bits = MagnitudeBits(value);
  if (IsNanMagnitude(bits)) return kLargest;
  const uint32_t code = std::min(E2M1::NearestCode(bits), kLargest);
  return static_cast<uint8_t>(SignBit(value) << 3 | code);
}

}  // namespace mxtile
