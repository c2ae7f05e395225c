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

// Maxima of groups of lanes, in the first lanes of the result.
template <typename T, int kGroup>
Reg MaximaOf(const Reg& a, const Mask& mask) {
  constexpr int kGroups = kLanes<T> / kGroup;
  const ByteBits active = mask.bits().Spread<T>();
  // Lanes that are left out have the value that changes no maximum.
  Reg source = a;
  if (active != ByteBits::All()) {
    const Reg lowest = AllLanes(LaneMath<T>::kLowest);
    BlendBytes(active, a.bytes(), lowest.bytes(), source.bytes());
  }
  auto lanes = source.lanes<T>();
  for (int half = kGroup / 2; half >= 1; half /= 2) {
    for (int group = 0; group < kGroups; ++group) {
      T* const lane = &lanes[group * kGroup];
      for (int i = 0; i < half; ++i) {
        lane[i] = LaneMath<T>::Max(lane[i], lane[i + half]);
      }
    }
  }
  Reg result;
  for (int group = 0; group < kGroups; ++group) {
    result.set_lane<T>(group, lanes[group * kGroup]);
  }
  if (a.undefined().any() || mask.undefined().any()) {
    const ByteBits undefined = (a.undefined() & active) | mask.undefined();
    ByteBits groups;
    constexpr int kGroupBytes = kGroup * static_cast<int>(sizeof(T));
    for (int group = 0; group < kGroups; ++group) {
      const int begin = group * kGroupBytes;
      if (undefined.NextSet(begin) < begin + kGroupBytes) {
        groups.Set(group * static_cast<int>(sizeof(T)));
      }
    }
    result.set_undefined(groups.Spread<T>());
  }
  return result;
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
Reg VectorUnit::Vcmax(const Reg& a, const Mask& mask) {
  if (!Begin(VectorOp::kVcmax)) return Reg();
  return MaximaOf<T, kLanes<T>>(a, mask);
}

template <typename T>
Reg VectorUnit::Vcgmax(const Reg& a, const Mask& mask) {
  if (!Begin(VectorOp::kVcgmax)) return Reg();
  return MaximaOf<T, kLanes<T> / kVectorBlocks>(a, mask);
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
