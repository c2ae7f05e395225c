#include "numerics/f8e5m2.h"

#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/float_bits.h"
#include "numerics/minifloat.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

using E5M2 = Minifloat</*kMantissaBits=*/2, /*kBias=*/15>;

constexpr uint32_t kLargest = 0x7B;
constexpr uint32_t kInfinity = 0x7C;
constexpr uint32_t kNan = 0x7F;

float Magnitude(uint32_t code) {
  if (code > kInfinity) return absl::bit_cast<float>(kFloatQuietNanBits);
  if (code == kInfinity) return absl::bit_cast<float>(kFloatInfinityBits);
  return E5M2::Value(code);
}

}  // namespace

float DecodeF8E5M2(uint8_t code) {
  return std::copysign(Magnitude(code & 0x7F), code & 0x80 ? -1.0f : 1.0f);
}

uint8_t EncodeF8E5M2(float value, Overflow overflow) {
  const uint32_t sign = SignBit(value) << 7;
  const uint32_t bits = MagnitudeBits(value);
  if (IsNanMagnitude(bits)) return static_cast<uint8_t>(sign | kNan);
  uint32_t code = E5M2::NearestCode(bits);
  if (code > kLargest) {
    code = overflow == Overflow::kSaturate ? kLargest : kInfinity;
  }
  return static_cast<uint8_t>(sign | code);
}

}  // namespace mxtile
