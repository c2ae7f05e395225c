#include "numerics/f16.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/float_bits.h"
#include "numerics/minifloat.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

using E5M10 = Minifloat</*kMantissaBits=*/10, /*kBias=*/15>;

constexpr uint32_t kLargest = 0x7BFF;
constexpr uint32_t kInfinity = 0x7C00;
constexpr uint32_t kQuietNan = 0x7E00;

float Magnitude(uint32_t code) {
  if (code < kInfinity) return E5M10::Value(code);
  const uint32_t payload = (code - kInfinity) << 13;
  return absl::bit_cast<float>(payload == 0 ? kFloatInfinityBits
                                            : kFloatQuietNanBits | payload);
}

uint32_t NearestMagnitude(uint32_t bits, Overflow overflow) {
  if (IsNanMagnitude(bits)) return kQuietNan | (bits >> 13 & 0x3FF);
  return std::min(E5M10::NearestCode(bits),
                  overflow == Overflow::kSaturate ? kLargest : kInfinity);
}

}  // namespace

float DecodeF16(uint16_t code) {
  return std::copysign(Magnitude(code & 0x7FFF), code & 0x8000 ? -1.0f : 1.0f);
}

uint16_t EncodeF16(float value, Overflow overflow) {
  return static_cast<uint16_t>(
      SignBit(value) << 15 | NearestMagnitude(MagnitudeBits(value), overflow));
}

}  // namespace mxtile
