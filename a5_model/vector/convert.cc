// Conversions of the vector unit. Codes come from numerics.

#include <cstdint>
#include <type_traits>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_math.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/lanewise.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_unit.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"
#include "numerics/f4e2m1fn.h"
#include "numerics/f8e4m3fn.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int kWideBytes = 4;  // of an f32 lane, and of what shares its place

Overflow OverflowOf(Saturate saturate) {
  return saturate == Saturate::kEnable ? Overflow::kSaturate
                                       : Overflow::kSpecial;
}

// Bytes of `part` of each lane of 4 bytes, of those that are set: all four
// bytes of it.
template <int kPartBytes>
ByteBits PartOf(const ByteBits& lanes, int part) {
  constexpr uint64_t kBytes =
      kPartBytes == 1 ? 0x1111111111111111 : 0x3333333333333333;
  ByteBits result = lanes;
  for (uint64_t& word : result.words()) word &= kBytes << (part * kPartBytes);
  return result;
}

// Lane i of the result: `convert` of lane i of `a`, in `part` of 4 bytes.
template <typename To, typename Convert>
Reg Narrowed(const Reg& a, const Mask& mask, int part, Convert convert) {
  constexpr int kParts = kWideBytes / static_cast<int>(sizeof(To));
  const auto values = a.lanes<float>();
  const ByteBits active = mask.bits().Spread<float>();
  Reg result;
  for (int i = 0; i < kLanes<float>; ++i) {
    if (!mask.active<float>(i)) continue;
    result.set_lane<To>(kParts * i + part, convert(values[i]));
  }
  if (a.undefined().any() || mask.undefined().any()) {
    const ByteBits undefined = (a.undefined().Widen<float>() & active) |
                               mask.undefined().Spread<float>();
    result.set_undefined(PartOf<sizeof(To)>(undefined, part));
  }
  return result;
}

}  // namespace

template <typename From>
Reg VectorUnit::VcvtToF32(const Reg& a, const Mask& mask, HalfPart part) {
  if (!Begin(VectorOp::kVcvt)) return Reg();
  const auto values = a.lanes<From>();
  const int odd = part == HalfPart::kOdd ? 1 : 0;
  Reg result;
  for (int i = 0; i < kLanes<float>; ++i) {
    if (mask.active<From>(2 * i + odd)) {
      result.set_lane<float>(i, Comparable(values[2 * i + odd]));
    }
  }
  if (a.undefined().any() || mask.undefined().any()) {
    const ByteBits lanes =
        (a.undefined().Widen<From>() & mask.bits().Spread<From>()) |
        mask.undefined().Spread<From>();
    result.set_undefined(PartOf<2>(lanes, odd).Widen<float>());
  }
  return result;
}

template <typename To>
Reg VectorUnit::VcvtFromF32(const Reg& a, const Mask& mask, Round round,
                            Saturate saturate, HalfPart part) {
  if (!Begin(VectorOp::kVcvt)) return Reg();
  const Overflow overflow = OverflowOf(saturate);
  const int odd = part == HalfPart::kOdd ? 1 : 0;
  if constexpr (std::is_same_v<To, Half>) {
    if (round != Round::kR) {
      Fail("f32 to f16 is modelled for ROUND_R only (A5-FIELD-1)");
      return Reg();
    }
    return Narrowed<Half>(
        a, mask, odd, [=](float x) { return Half{EncodeF16(x, overflow)}; });
  } else {
    if (round == Round::kZ) {
      return Narrowed<BFloat>(a, mask, odd, [=](float x) {
        return BFloat{TruncateToBF16(x, overflow)};
      });
    }
    return Narrowed<BFloat>(
        a, mask, odd, [=](float x) { return BFloat{EncodeBF16(x, overflow)}; });
  }
}

Reg VectorUnit::VcvtHalfToBFloat(const Reg& a, const Mask& mask, Round round) {
  if (!Begin(VectorOp::kVcvt)) return Reg();
  if (round == Round::kZ) {
    return MapLanes<uint16_t>(
        a, mask, [](uint16_t code) { return TruncateToBF16(DecodeF16(code)); });
  }
  return MapLanes<uint16_t>(
      a, mask, [](uint16_t code) { return EncodeBF16(DecodeF16(code)); });
}

Reg VectorUnit::VcvtF32ToE4M3(const Reg& a, const Mask& mask, Saturate saturate,
                              BytePart part) {
  if (!Begin(VectorOp::kVcvt)) return Reg();
  const Overflow overflow = OverflowOf(saturate);
  return Narrowed<uint8_t>(a, mask, static_cast<int>(part), [=](float x) {
    return EncodeF8E4M3FN(x, overflow);
  });
}

Reg VectorUnit::VcvtBFloatToE2M1x2(const Reg& a, const Mask& mask,
                                   BytePart part) {
  if (!Begin(VectorOp::kVcvt)) return Reg();
  const auto values = a.lanes<uint16_t>();
  const int byte = static_cast<int>(part);
  const auto nibble = [&](int lane) -> uint8_t {
    if (!mask.active<uint16_t>(lane)) return 0;
    return EncodeF4E2M1FN(DecodeBF16(values[lane]));
  };
  Reg result;
  for (int i = 0; i < kLanes<uint32_t>; ++i) {
    result.set_lane<uint8_t>(
        kWideBytes * i + byte,
        static_cast<uint8_t>(nibble(2 * i) | nibble(2 * i + 1) << 4));
  }
  if (a.undefined().any() || mask.undefined().any()) {
    const ByteBits lanes =
        (a.undefined().Widen<uint16_t>() & mask.bits().Spread<uint16_t>()) |
        mask.undefined().Spread<uint16_t>();
    result.set_undefined(PartOf<1>(lanes.Widen<uint32_t>(), byte));
  }
  return result;
}

template Reg VectorUnit::VcvtToF32<Half>(const Reg&, const Mask&, HalfPart);
template Reg VectorUnit::VcvtToF32<BFloat>(const Reg&, const Mask&, HalfPart);
template Reg VectorUnit::VcvtFromF32<Half>(const Reg&, const Mask&, Round,
                                           Saturate, HalfPart);
template Reg VectorUnit::VcvtFromF32<BFloat>(const Reg&, const Mask&, Round,
                                             Saturate, HalfPart);

}  // namespace a5
}  // namespace mxtile
