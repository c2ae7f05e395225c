// Arithmetic of the vector unit: lane by lane, and maxima across lanes.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "a5_model/cube/field.h"
#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_math.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/lanewise.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"

namespace mxtile {
namespace a5 {
namespace {

// Counts of a shift: no field is wider.
constexpr int kMaxShift = 0xFFFF;

template <typename T>
T ShiftLeft(T value, uint32_t count) {
  using Unsigned = std::make_unsigned_t<T>;
  constexpr uint32_t kBits = 8 * sizeof(T);
  if (count >= kBits) return 0;
  return static_cast<T>(static_cast<Unsigned>(value) << count);
}

template <typename T>
T ShiftRight(T value, uint32_t count) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  if (count >= kBits) return value < 0 ? static_cast<T>(-1) : T{0};
  return static_cast<T>(value >> count);
}

// Flushes operands and result when the unit is told to; only f32 knows how.
template <typename T, typename Function>
Reg MapFlushing(bool flush, const Reg& a, const Reg& b, const Mask& mask,
                Function function) {
  if constexpr (std::is_same_v<T, float>) {
    if (flush) {
      return MapLanes<float>(a, b, mask, [&](float x, float y) {
        return FlushSubnormal(function(FlushSubnormal(x), FlushSubnormal(y)));
      });
    }
  }
  return MapLanes<T>(a, b, mask, function);
}

template <typename T>
Reg AllLanes(T scalar) {
  return Reg::Of<T>([&](int) { return scalar; });
}

}  // namespace

template <typename T>
Reg VectorUnit::Vadd(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVadd)) return Reg();
  return MapFlushing<T>(options_.flush_subnormals, a, b, mask,
                        [](T x, T y) { return LaneMath<T>::Add(x, y); });
}

template <typename T>
Reg VectorUnit::Vsub(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVsub)) return Reg();
  return MapFlushing<T>(options_.flush_subnormals, a, b, mask,
                        [](T x, T y) { return LaneMath<T>::Sub(x, y); });
}

template <typename T>
Reg VectorUnit::Vmul(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVmul)) return Reg();
  return MapFlushing<T>(options_.flush_subnormals, a, b, mask,
                        [](T x, T y) { return LaneMath<T>::Mul(x, y); });
}

template <typename T>
Reg VectorUnit::Vadds(const Reg& a, T scalar, const Mask& mask) {
  if (!Begin(VectorOp::kVadds)) return Reg();
  return MapFlushing<T>(options_.flush_subnormals, a, AllLanes(scalar), mask,
                        [](T x, T y) { return LaneMath<T>::Add(x, y); });
}

template <typename T>
Reg VectorUnit::Vmuls(const Reg& a, T scalar, const Mask& mask) {
  if (!Begin(VectorOp::kVmuls)) return Reg();
  return MapFlushing<T>(options_.flush_subnormals, a, AllLanes(scalar), mask,
                        [](T x, T y) { return LaneMath<T>::Mul(x, y); });
}

template <typename T>
Reg VectorUnit::Vmax(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVmax)) return Reg();
  return MapLanes<T>(a, b, mask,
                     [](T x, T y) { return LaneMath<T>::Max(x, y); });
}

template <typename T>
Reg VectorUnit::Vmin(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVmin)) return Reg();
  return MapLanes<T>(a, b, mask,
                     [](T x, T y) { return LaneMath<T>::Min(x, y); });
}

template <typename T>
Reg VectorUnit::Vmaxs(const Reg& a, T scalar, const Mask& mask) {
  if (!Begin(VectorOp::kVmaxs)) return Reg();
  return MapLanes<T>(a, mask, [=](T x) { return LaneMath<T>::Max(x, scalar); });
}

template <typename T>
Reg VectorUnit::Vmins(const Reg& a, T scalar, const Mask& mask) {
  if (!Begin(VectorOp::kVmins)) return Reg();
  return MapLanes<T>(a, mask, [=](T x) { return LaneMath<T>::Min(x, scalar); });
}

template <typename T>
Reg VectorUnit::Vabs(const Reg& a, const Mask& mask) {
  if (!Begin(VectorOp::kVabs)) return Reg();
  return MapLanes<T>(a, mask, [](T x) { return LaneMath<T>::Abs(x); });
}

// A bit of these depends on the same bit of the operands only: bytes without a
// value do not spread over their lane. Lanes count for the mask.

template <typename T>
Reg VectorUnit::Vand(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVand)) return Reg();
  return MapBits<T>(a, b, mask, [](uint64_t x, uint64_t y) { return x & y; });
}

template <typename T>
Reg VectorUnit::Vor(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVor)) return Reg();
  return MapBits<T>(a, b, mask, [](uint64_t x, uint64_t y) { return x | y; });
}

template <typename T>
Reg VectorUnit::Vxor(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVxor)) return Reg();
  return MapBits<T>(a, b, mask, [](uint64_t x, uint64_t y) { return x ^ y; });
}

template <typename T>
Reg VectorUnit::Vnot(const Reg& a, const Mask& mask) {
  if (!Begin(VectorOp::kVnot)) return Reg();
  return MapBits<T>(a, a, mask, [](uint64_t x, uint64_t) { return ~x; });
}

template <typename T>
Reg VectorUnit::Vshl(const Reg& a, const Reg& count, const Mask& mask) {
  if (!Begin(VectorOp::kVshl)) return Reg();
  return MapLanes<T>(a, count, mask, [](T x, T y) {
    return ShiftLeft(x, static_cast<std::make_unsigned_t<T>>(y));
  });
}

template <typename T>
Reg VectorUnit::Vshr(const Reg& a, const Reg& count, const Mask& mask) {
  if (!Begin(VectorOp::kVshr)) return Reg();
  return MapLanes<T>(a, count, mask, [](T x, T y) {
    return ShiftRight(x, static_cast<std::make_unsigned_t<T>>(y));
  });
}

template <typename T>
Reg VectorUnit::Vshls(const Reg& a, int count, const Mask& mask) {
  if (!Begin(VectorOp::kVshls)) return Reg();
  const absl::Status status =
      CheckField(access_, "shift count", count, 0, kMaxShift);
  if (!status.ok()) {
    Fail(status);
    return Reg();
  }
  const uint32_t shift = static_cast<uint32_t>(count);
  return MapLanes<T>(a, mask, [=](T x) { return ShiftLeft(x, shift); });
}

template <typename T>
Reg VectorUnit::Vshrs(const Reg& a, int count, const Mask& mask) {
  if (!Begin(VectorOp::kVshrs)) return Reg();
  const absl::Status status =
      CheckField(access_, "shift count", count, 0, kMaxShift);
  if (!status.ok()) {
    Fail(status);
    return Reg();
  }
  const uint32_t shift = static_cast<uint32_t>(count);
  return MapLanes<T>(a, mask, [=](T x) { return ShiftRight(x, shift); });
}

template <typename T>
Reg VectorUnit::MaximaOf(const Reg& a, const Mask& mask, int lanes_of_each) {
  Reg result;
  ByteBits undefined;
  const ByteBits source_undefined =
      a.undefined().any() ? a.undefined().Widen<T>() : ByteBits();
  const auto values = a.lanes<T>();
  for (int group = 0; group < kLanes<T> / lanes_of_each; ++group) {
    T max = LaneMath<T>::kLowest;
    bool without_value = false;
    for (int i = group * lanes_of_each; i < (group + 1) * lanes_of_each; ++i) {
      const int byte = i * static_cast<int>(sizeof(T));
      without_value = without_value || mask.undefined().Test(byte);
      if (!mask.active<T>(i)) continue;
      max = LaneMath<T>::Max(max, values[i]);
      without_value = without_value || source_undefined.Test(byte);
    }
    result.set_lane<T>(group, max);
    if (without_value) undefined.Set(group * static_cast<int>(sizeof(T)));
  }
  if (undefined.any()) result.set_undefined(undefined.Spread<T>());
  return result;
}

template <typename T>
Reg VectorUnit::Vcmax(const Reg& a, const Mask& mask) {
  if (!Begin(VectorOp::kVcmax)) return Reg();
  return MaximaOf<T>(a, mask, kLanes<T>);
}

template <typename T>
Reg VectorUnit::Vcgmax(const Reg& a, const Mask& mask) {
  if (!Begin(VectorOp::kVcgmax)) return Reg();
  return MaximaOf<T>(a, mask, kLanes<T> / kVectorBlocks);
}

#define MXTILE_INSTANTIATE(T)                                            \
  template Reg VectorUnit::Vadd<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vsub<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vmul<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vadds<T>(const Reg&, T, const Mask&);         \
  template Reg VectorUnit::Vmuls<T>(const Reg&, T, const Mask&);         \
  template Reg VectorUnit::Vmax<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vmin<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vmaxs<T>(const Reg&, T, const Mask&);         \
  template Reg VectorUnit::Vmins<T>(const Reg&, T, const Mask&);         \
  template Reg VectorUnit::Vand<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vor<T>(const Reg&, const Reg&, const Mask&);  \
  template Reg VectorUnit::Vxor<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vnot<T>(const Reg&, const Mask&);             \
  template Reg VectorUnit::Vcmax<T>(const Reg&, const Mask&);            \
  template Reg VectorUnit::Vcgmax<T>(const Reg&, const Mask&)
MXTILE_INSTANTIATE(int8_t);
MXTILE_INSTANTIATE(uint8_t);
MXTILE_INSTANTIATE(int16_t);
MXTILE_INSTANTIATE(uint16_t);
MXTILE_INSTANTIATE(int32_t);
MXTILE_INSTANTIATE(uint32_t);
MXTILE_INSTANTIATE(float);
MXTILE_INSTANTIATE(Half);
MXTILE_INSTANTIATE(BFloat);
#undef MXTILE_INSTANTIATE

template Reg VectorUnit::Vabs<int8_t>(const Reg&, const Mask&);
template Reg VectorUnit::Vabs<int16_t>(const Reg&, const Mask&);
template Reg VectorUnit::Vabs<int32_t>(const Reg&, const Mask&);
template Reg VectorUnit::Vabs<float>(const Reg&, const Mask&);
template Reg VectorUnit::Vabs<Half>(const Reg&, const Mask&);
template Reg VectorUnit::Vabs<BFloat>(const Reg&, const Mask&);

#define MXTILE_INSTANTIATE(T)                                            \
  template Reg VectorUnit::Vshl<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vshr<T>(const Reg&, const Reg&, const Mask&); \
  template Reg VectorUnit::Vshls<T>(const Reg&, int, const Mask&);       \
  template Reg VectorUnit::Vshrs<T>(const Reg&, int, const Mask&)
MXTILE_INSTANTIATE(int8_t);
MXTILE_INSTANTIATE(uint8_t);
MXTILE_INSTANTIATE(int16_t);
MXTILE_INSTANTIATE(uint16_t);
MXTILE_INSTANTIATE(int32_t);
MXTILE_INSTANTIATE(uint32_t);
#undef MXTILE_INSTANTIATE

}  // namespace a5
}  // namespace mxtile
