#include "numerics/f8e4m3fn.h"

#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/float_bits.h"
#include "numerics/minifloat.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

using E4M3 = Minifloat</*kMantissaBits=*/3, /*kBias=*/7>;

constexpr uint32_t kLargest = 0x7E;
constexpr uint32_t kNan = 0x7F;

}  // namespace

float DecodeF8E4M3FN(uint8_t code) {
  const uint32_t magnitude = code & 0x7F;
  const float value = magnitude == kNan
                          ? absl::bit_cast<float>(kFloatQuietNanBits)
                          : E4M3::Value(magnitude);
  return std::copysign(value, code & 0x80 ? -1.0f : 1.0f);
}

uint8_t EncodeF8E4M3FN(float value, Overflow overflow) {
  const uint32_t sign = SignBit(value) << 7;
  const uint32_t bits = MagnitudeBits(value);
  if (IsNanMagnitude(bits)) return static_cast<uint8_t>(sign | kNan);
  uint32_t code = E4M3::NearestCode(bits);
  if (code > kLargest) {
    code = overflow == Overflow::kSaturate ? kLargest : kNan;
  }
  return static_cast<uint8_t>(sign | code);
}

}  // namespace mxtile
