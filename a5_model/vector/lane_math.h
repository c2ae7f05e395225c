#ifndef A5_MODEL_VECTOR_LANE_MATH_H_
#define A5_MODEL_VECTOR_LANE_MATH_H_

// Arithmetic of one lane, by lane type.
//
//   LaneMath<int16_t>::Add(32767, 1);                  // -32768
//   LaneMath<BFloat>::Mul({0x3F81}, {0x3F81}).bits;    // 0x3F82
//   LaneMath<float>::Max(1.0f, nan);                   // nan, bit for bit
//
// What floats do beyond IEEE 754, and is ours: Add, Sub and Mul have one NaN,
// positive, quiet, without payload, so that no host's choice of a payload
// shows; Max and Min do not depend on the order of their operands: NaN wins, of
// NaNs the larger magnitude bits, and -0 is below +0. A maximum of magnitudes
// is so that of their bits, the rule of numerics/group_max.h.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "a5_model/vector/lane_type.h"
#include "absl/base/casts.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"
#include "numerics/float_bits.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace a5 {

// Integers.
template <typename T>
struct LaneMath {
  static_assert(std::is_integral_v<T>);
  static constexpr T kLowest = std::numeric_limits<T>::min();

  static T Add(T x, T y) {
    return static_cast<T>(static_cast<uint32_t>(x) + static_cast<uint32_t>(y));
  }
  static T Sub(T x, T y) {
    return static_cast<T>(static_cast<uint32_t>(x) - static_cast<uint32_t>(y));
  }
  static T Mul(T x, T y) {
    return static_cast<T>(static_cast<uint32_t>(x) * static_cast<uint32_t>(y));
  }
  static T Max(T x, T y) { return x > y ? x : y; }
  static T Min(T x, T y) { return x < y ? x : y; }
  static T Abs(T x) { return x < 0 ? Sub(0, x) : x; }
};

// Codes of an IEEE format in the low bits of a Bits, with `kInfinity` the code
// of +Inf.
template <typename Bits, Bits kInfinity>
struct FloatOrder {
  static constexpr Bits kSign =
      static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  using Key = std::make_signed_t<Bits>;

  static constexpr Bits Magnitude(Bits code) {
    return static_cast<Bits>(code & ~kSign);
  }
  static constexpr bool IsNan(Bits code) { return Magnitude(code) > kInfinity; }

  // Numbers by value; NaNs above all by magnitude.
  static constexpr Key KeyOf(Bits code) {
    const Key magnitude = static_cast<Key>(Magnitude(code));
    const bool below =
        (code & kSign) != 0 && magnitude <= static_cast<Key>(kInfinity);
    return below ? static_cast<Key>(~magnitude) : magnitude;
  }
  // Equal keys differ in the sign of a NaN at most.
  static constexpr Bits Max(Bits x, Bits y) {
    const Key a = KeyOf(x);
    const Key b = KeyOf(y);
    return a > b ? x : b > a ? y : static_cast<Bits>(x & y);
  }
  static constexpr Bits Min(Bits x, Bits y) {
    const Bits max = Max(x, y);
    if (IsNan(max)) return max;
    return max == x ? y : x;
  }
};

inline float OneNan(float value) {
  return value == value ? value : absl::bit_cast<float>(kFloatQuietNanBits);
}

// Zero of the same sign for a subnormal.
inline float FlushSubnormal(float value) {
  const uint32_t bits = absl::bit_cast<uint32_t>(value);
  return (bits & 0x7F800000) != 0 ? value
                                  : absl::bit_cast<float>(bits & 0x80000000);
}

template <>
struct LaneMath<float> {
  using Order = FloatOrder<uint32_t, kFloatInfinityBits>;
  static constexpr float kLowest = -std::numeric_limits<float>::infinity();

  static float Add(float x, float y) { return OneNan(x + y); }
  static float Sub(float x, float y) { return OneNan(x - y); }
  static float Mul(float x, float y) { return OneNan(x * y); }
  static float Max(float x, float y) {
    return absl::bit_cast<float>(
        Order::Max(absl::bit_cast<uint32_t>(x), absl::bit_cast<uint32_t>(y)));
  }
  static float Min(float x, float y) {
    return absl::bit_cast<float>(
        Order::Min(absl::bit_cast<uint32_t>(x), absl::bit_cast<uint32_t>(y)));
  }
  static float Abs(float x) {
    return absl::bit_cast<float>(Order::Magnitude(absl::bit_cast<uint32_t>(x)));
  }
};

// 16-bit floats compute in f32 and round once more. That is the rounding of the
// exact result: f32 has more than twice their digits and two, and what f32
// rounds among its subnormals lies below half of the least bf16.
template <typename T, uint16_t kInfinity, float (*kDecode)(uint16_t),
          uint16_t (*kEncode)(float, Overflow)>
struct SmallFloatMath {
  using Order = FloatOrder<uint16_t, kInfinity>;
  static constexpr T kLowest = {kInfinity | 0x8000};

  static T Rounded(float value) { return {kEncode(value, Overflow::kSpecial)}; }
  static T Add(T x, T y) {
    return Rounded(LaneMath<float>::Add(kDecode(x.bits), kDecode(y.bits)));
  }
  static T Sub(T x, T y) {
    return Rounded(LaneMath<float>::Sub(kDecode(x.bits), kDecode(y.bits)));
  }
  static T Mul(T x, T y) {
    return Rounded(LaneMath<float>::Mul(kDecode(x.bits), kDecode(y.bits)));
  }
  static T Max(T x, T y) { return {Order::Max(x.bits, y.bits)}; }
  static T Min(T x, T y) { return {Order::Min(x.bits, y.bits)}; }
  static T Abs(T x) { return {Order::Magnitude(x.bits)}; }
};

template <>
struct LaneMath<Half> : SmallFloatMath<Half, 0x7C00, &DecodeF16, &EncodeF16> {};
template <>
struct LaneMath<BFloat>
    : SmallFloatMath<BFloat, 0x7F80, &DecodeBF16, &EncodeBF16> {};

// A lane as a number that C++ compares: integers as they are.
template <typename T>
auto Comparable(T x) {
  if constexpr (std::is_same_v<T, Half>) {
    return DecodeF16(x.bits);
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return DecodeBF16(x.bits);
  } else {
    return x;
  }
}

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_LANE_MATH_H_
