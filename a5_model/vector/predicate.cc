// Predicates of the vector unit: where they come from, their logic, and the
// selection that they decide.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_math.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/lanewise.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_unit.h"
#include "base/check.h"

namespace mxtile {
namespace a5 {
namespace {

// Eight bits, `kStep` apart.
template <int kStep>
uint64_t Spaced(uint64_t bits) {
  if constexpr (kStep == 2) {
    bits = (bits | bits << 4) & 0x0F0F;
    bits = (bits | bits << 2) & 0x3333;
    bits = (bits | bits << 1) & 0x5555;
  } else if constexpr (kStep == 4) {
    bits = (bits | bits << 12) & 0x000F000F;
    bits = (bits | bits << 6) & 0x03030303;
    bits = (bits | bits << 3) & 0x11111111;
  }
  return bits;
}

// A bit for each lane of which `holds` is true of its values in a and b.
template <typename T, typename Holds>
ByteBits BitsOf(const Reg& a, const Reg& b, Holds holds) {
  const auto x = a.lanes<T>();
  const auto y = b.lanes<T>();
  uint8_t held[kLanes<T>];
  for (int i = 0; i < kLanes<T>; ++i) {
    held[i] = holds(Comparable(x[i]), Comparable(y[i])) ? 1 : 0;
  }
  // Eight lanes at a time: their bytes of 0 or 1 to a byte of bits, and these
  // to the places of the lanes.
  constexpr int kEightLanes = 8 * static_cast<int>(sizeof(T));
  ByteBits bits;
  for (int i = 0; i < kLanes<T>; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, held + i, 8);
    const uint64_t packed = eight * 0x0102040810204080 >> 56;
    const int bit = i / 8 * kEightLanes;
    bits.words()[bit / 64] |= Spaced<sizeof(T)>(packed) << (bit % 64);
  }
  return bits;
}

template <typename T>
ByteBits BitsWhere(Compare relation, const Reg& a, const Reg& b) {
  switch (relation) {
    case Compare::kEq:
      return BitsOf<T>(a, b, [](auto x, auto y) { return x == y; });
    case Compare::kNe:
      // Not x != y, which holds for NaN.
      return BitsOf<T>(a, b, [](auto x, auto y) { return x < y || x > y; });
    case Compare::kLt:
      return BitsOf<T>(a, b, [](auto x, auto y) { return x < y; });
    case Compare::kLe:
      return BitsOf<T>(a, b, [](auto x, auto y) { return x <= y; });
    case Compare::kGt:
      return BitsOf<T>(a, b, [](auto x, auto y) { return x > y; });
    case Compare::kGe:
      return BitsOf<T>(a, b, [](auto x, auto y) { return x >= y; });
  }
  MX_CHECK(false) << static_cast<int>(relation);
  return ByteBits();
}

template <typename T>
Mask Compared(Compare relation, const Reg& a, const Reg& b, const Mask& mask) {
  const ByteBits active = mask.bits().Lanes<T>();
  const ByteBits bits = BitsWhere<T>(relation, a, b) & active;
  const ByteBits undefined = a.undefined() | b.undefined();
  if (!undefined.any() && !mask.undefined().any()) return Mask(bits);
  return Mask(bits,
              (undefined.Widen<T>() & active) | mask.undefined().Lanes<T>());
}

int LanesOf(Pattern pattern) {
  switch (pattern) {
    case Pattern::kAll:
      return kVectorBytes;
    case Pattern::kAllF:
      return 0;
    case Pattern::kVl1:
      return 1;
    case Pattern::kVl2:
      return 2;
    case Pattern::kVl3:
      return 3;
    case Pattern::kVl4:
      return 4;
    case Pattern::kVl8:
      return 8;
    case Pattern::kVl16:
      return 16;
    case Pattern::kVl32:
      return 32;
    case Pattern::kVl64:
      return 64;
    case Pattern::kVl128:
      return 128;
  }
  MX_CHECK(false) << static_cast<int>(pattern);
  return 0;
}

}  // namespace

template <typename T>
Mask VectorUnit::Vcmp(Compare relation, const Reg& a, const Reg& b,
                      const Mask& mask) {
  if (!Begin(VectorOp::kVcmp)) return Mask();
  return Compared<T>(relation, a, b, mask);
}

template <typename T>
Mask VectorUnit::Vcmps(Compare relation, const Reg& a, T scalar,
                       const Mask& mask) {
  if (!Begin(VectorOp::kVcmps)) return Mask();
  return Compared<T>(relation, a, Reg::Of<T>([&](int) { return scalar; }),
                     mask);
}

template <typename T>
Reg VectorUnit::Vsel(const Reg& a, const Reg& b, const Mask& mask) {
  if (!Begin(VectorOp::kVsel)) return Reg();
  const ByteBits chosen = mask.bits().Spread<T>();
  Reg result;
  BlendBytes(chosen, a.bytes(), b.bytes(), result.bytes());
  if (a.undefined().any() || b.undefined().any() || mask.undefined().any()) {
    result.set_undefined((a.undefined() & chosen) | (b.undefined() & ~chosen) |
                         mask.undefined().Spread<T>());
  }
  return result;
}

template <typename T>
Mask VectorUnit::Pset(Pattern pattern) {
  if (!Begin(VectorOp::kPset)) return Mask();
  return Mask::FirstLanes<T>(std::min(LanesOf(pattern), kLanes<T>));
}

template <typename T>
Mask VectorUnit::Plt(uint32_t* count) {
  const uint32_t lanes = std::min<uint32_t>(*count, kLanes<T>);
  *count -= lanes;
  if (!Begin(VectorOp::kPlt)) return Mask();
  return Mask::FirstLanes<T>(static_cast<int>(lanes));
}

Mask VectorUnit::Pand(const Mask& a, const Mask& b, const Mask& mask) {
  if (!Begin(VectorOp::kPand)) return Mask();
  return Mask(
      a.bits() & b.bits() & mask.bits(),
      ((a.undefined() | b.undefined()) & mask.bits()) | mask.undefined());
}

Mask VectorUnit::Por(const Mask& a, const Mask& b, const Mask& mask) {
  if (!Begin(VectorOp::kPor)) return Mask();
  return Mask(
      (a.bits() | b.bits()) & mask.bits(),
      ((a.undefined() | b.undefined()) & mask.bits()) | mask.undefined());
}

Mask VectorUnit::Pxor(const Mask& a, const Mask& b, const Mask& mask) {
  if (!Begin(VectorOp::kPxor)) return Mask();
  return Mask(
      (a.bits() ^ b.bits()) & mask.bits(),
      ((a.undefined() | b.undefined()) & mask.bits()) | mask.undefined());
}

Mask VectorUnit::Pnot(const Mask& a, const Mask& mask) {
  if (!Begin(VectorOp::kPnot)) return Mask();
  return Mask(~a.bits() & mask.bits(),
              (a.undefined() & mask.bits()) | mask.undefined());
}

#define MXTILE_INSTANTIATE(T)                                              \
  template Mask VectorUnit::Vcmp<T>(Compare, const Reg&, const Reg&,       \
                                    const Mask&);                          \
  template Mask VectorUnit::Vcmps<T>(Compare, const Reg&, T, const Mask&); \
  template Reg VectorUnit::Vsel<T>(const Reg&, const Reg&, const Mask&);   \
  template Mask VectorUnit::Pset<T>(Pattern);                              \
  template Mask VectorUnit::Plt<T>(uint32_t*)
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

}  // namespace a5
}  // namespace mxtile
