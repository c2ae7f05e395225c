// Sources, group maxima, scales and codes in vectors: what both axes share.
// Included once for each instruction set by quantize_kernels.cc.
//
// Nothing here rounds but three IEEE operations, each by itself: the product
// with the reciprocal scale, the NV rule's product, and the addition that
// rounds a magnitude to its format. So every instruction set gives the same
// bits.

#if defined(KERNELS_HOST_ENCODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_HOST_ENCODE_INL_H_
#undef KERNELS_HOST_ENCODE_INL_H_
#else
#define KERNELS_HOST_ENCODE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/host/format_traits.h"
#include "numerics/scale_rule.h"

HWY_BEFORE_NAMESPACE();
namespace mxtile::host {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF32 = hn::ScalableTag<float>;
using DI32 = hn::ScalableTag<int32_t>;
using DU32 = hn::ScalableTag<uint32_t>;
using DI16 = hn::ScalableTag<int16_t>;
using DU16 = hn::ScalableTag<uint16_t>;
using DU8 = hn::ScalableTag<uint8_t>;
using VF32 = hn::Vec<DF32>;
using VI32 = hn::Vec<DI32>;
using VU16 = hn::Vec<DU16>;
using VU8 = hn::Vec<DU8>;

// Every instruction set that this library is compiled for has vectors of a
// fixed size: 1, 2 or 4 blocks of 16 bytes.
constexpr int kLanes = HWY_LANES(float);
constexpr int kBlocks = kLanes / 4;
// The unit of all loops: 4 groups of 32 elements along a row.
constexpr int kUnit = 128;
constexpr int kUnitVectors = kUnit / kLanes;
constexpr int kGroupVectors = 32 / kLanes;

// ---- Sources: kLanes elements as floats, exactly

struct SourceF32 {
  static constexpr int kBytes = 4;
  static HWY_INLINE VF32 Load(const uint8_t* HWY_RESTRICT from) {
    return hn::LoadU(DF32(), reinterpret_cast<const float*>(from));
  }
};

struct SourceBF16 {
  static constexpr int kBytes = 2;
  static HWY_INLINE VF32 Load(const uint8_t* HWY_RESTRICT from) {
    const hn::Rebind<uint16_t, DU32> d16;
    const auto codes = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from));
    return hn::BitCast(DF32(), hn::ShiftLeft<16>(hn::PromoteTo(DU32(), codes)));
  }
};

struct SourceF16 {
  static constexpr int kBytes = 2;
  static HWY_INLINE VF32 Load(const uint8_t* HWY_RESTRICT from) {
    const DF32 df;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, DF32> df16;
    return hn::PromoteTo(
        df, hn::LoadU(df16, reinterpret_cast<const hwy::float16_t*>(from)));
#else
    const DU32 du;
    const hn::Rebind<uint16_t, DU32> d16;
    const auto codes = hn::PromoteTo(
        du, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(from)));
    const auto magnitude = hn::And(codes, hn::Set(du, 0x7FFF));
    const auto sign = hn::ShiftLeft<16>(hn::Xor(codes, magnitude));
    // 2^112 lifts the exponent's bias from 15 to 127, of subnormals too.
    const auto value =
        hn::Mul(hn::BitCast(df, hn::ShiftLeft<13>(magnitude)),
                hn::BitCast(df, hn::Set(du, uint32_t{127 + 112} << 23)));
    const auto special = hn::IfThenElseZero(
        hn::Gt(hn::BitCast(DI32(), magnitude), hn::Set(DI32(), 0x7BFF)),
        hn::Set(DI32(), 0x7F800000));
    return hn::Or(hn::Or(value, hn::BitCast(df, special)),
                  hn::BitCast(df, sign));
#endif
  }
};

// ---- Maxima and scales

// Bits of the magnitudes: as integers in the order of the numbers, Inf above
// them and NaN above Inf.
HWY_INLINE VI32 Magnitudes(VF32 values) {
  return hn::And(hn::BitCast(DI32(), values), hn::Set(DI32(), 0x7FFFFFFF));
}

HWY_INLINE hn::Mask<DI32> IsNan(VI32 max_bits) {
  return hn::Gt(max_bits, hn::Set(DI32(), 0x7F800000));
}

// Of groups: s, and 2^(127-s) that their elements are multiplied by.
struct Scales {
  VI32 exponents;
  VF32 reciprocals;
};

// Of groups whose maximum is no NaN; numerics/scale_rule.h.
template <class Format>
HWY_INLINE Scales ScalesOf(ScaleRule rule, VI32 max_bits) {
  const DF32 df;
  const DI32 di;
  const DU32 du;
  if (rule == ScaleRule::kOcp) {
    constexpr int kEmax = Format::kEmax;
    const auto exponent = hn::Max(hn::And(max_bits, hn::Set(di, 0x7F800000)),
                                  hn::Set(di, kEmax << 23));
    // No more than 254 - s = 254 + emax - E comes out as its exponent.
    const auto reciprocal = hn::Sub(hn::Set(du, uint32_t{254 + kEmax} << 23),
                                    hn::BitCast(du, exponent));
    return {hn::Sub(hn::ShiftRight<23>(exponent), hn::Set(di, kEmax)),
            hn::BitCast(df, reciprocal)};
  }
  const auto ratio = hn::BitCast(
      di, hn::Mul(hn::BitCast(df, max_bits), hn::Set(df, Format::kReciprocal)));
  // Rounds the exponent up; 2^-127 and what is below needs no more than 0.
  const auto up =
      hn::BitCast(di, hn::ShiftRight<23>(hn::BitCast(
                          du, hn::Add(ratio, hn::Set(di, 0x7FFFFF)))));
  const auto above = hn::Gt(ratio, hn::Set(di, 0x00400000));
  const auto exponents =
      hn::IfThenElseZero(above, hn::Min(up, hn::Set(di, 254)));
  // s = 254 gives a subnormal, 2^-127.
  const auto bits = hn::ShiftLeft<23>(hn::Sub(hn::Set(di, 254), exponents));
  return {exponents, hn::BitCast(df, hn::Max(bits, hn::Set(di, 0x00400000)))};
}

// ---- Codes

// r + (E << kMantissaBits) of floats with the bits E << 23 | r, r < 2^15, all
// times 2^(7 - kMantissaBits). Below 2^15.
template <int kMantissaBits>
HWY_INLINE VI32 ExponentPlusRest(VI32 bits) {
  const DI32 di;
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  // The upper half is E << 7. One instruction; its pairs are neighbours on x86.
  const DI16 di16;
  VI32 unused = hn::Zero(di);
  const auto factors =
      hn::BitCast(di16, hn::Set(di, 1 << 16 | 1 << (7 - kMantissaBits)));
  return hn::ReorderWidenMulAccumulate(di, hn::BitCast(di16, bits), factors,
                                       hn::Zero(di), unused);
#else
  return hn::Add(
      hn::ShiftRight<16>(bits),
      hn::ShiftLeft<7 - kMantissaBits>(hn::And(bits, hn::Set(di, 0x7FFF))));
#endif
}

// The codes of |y|, nearest even, times 2^(7 - kMantissaBits) and plus
// kCodeBias<Format>; |y| < 2^(kEmax + 1), so that a code may be one beyond that
// of kMaxFinite.
//
// Adding 2^(e + 23 - kMantissaBits) rounds y of exponent e to kMantissaBits; e
// is no less than that of the least normal, whose steps the subnormals share.
template <class Format>
constexpr int kCodeBias = (Format::kLeastExponent + 23 - Format::kMantissaBits)
                          << 7;
template <class Format>
HWY_INLINE VI32 BiasedCodes(VF32 y) {
  constexpr int kShift = 23 - Format::kMantissaBits;
  const DF32 df;
  const DI32 di;
  const auto exponent =
      hn::Max(hn::And(hn::BitCast(di, y), hn::Set(di, 0x7F800000)),
              hn::Set(di, Format::kLeastExponent << 23));
  const auto unit = hn::Add(exponent, hn::Set(di, kShift << 23));
  const auto rounded = hn::Add(hn::Abs(y), hn::BitCast(df, unit));
  return ExponentPlusRest<Format::kMantissaBits>(hn::BitCast(di, rounded));
}

// Moves blocks: u32 lane (vector k of 4, block b) of 4 * kBlocks lanes from
// b * 4 + k to k * kBlocks + b.
HWY_INLINE VU8 VectorsBeforeBlocks(VU8 bytes) {
  if constexpr (kBlocks == 1) {
    return bytes;
  } else {
    alignas(64) static constexpr int32_t kTwo[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    alignas(64) static constexpr int32_t kFour[16] = {
        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    const DI32 di;
    const auto indices = hn::SetTableIndices(di, kBlocks == 2 ? kTwo : kFour);
    return hn::BitCast(DU8(),
                       hn::TableLookupLanes(hn::BitCast(di, bytes), indices));
  }
}

// Signs and codes of 4 * kLanes elements, whose products are y, in bytes and in
// their order; a code of 4 bits is in the low nibble.
template <class Format>
HWY_INLINE VU8 EncodeBytes(VF32 y0, VF32 y1, VF32 y2, VF32 y3) {
  const DI16 di16;
  const DU16 du16;
  const DI32 di;
  // Saturating keeps the sign.
  const auto signs01 = hn::BitCast(
      du16,
      hn::ReorderDemote2To(di16, hn::BitCast(di, y0), hn::BitCast(di, y1)));
  const auto signs23 = hn::BitCast(
      du16,
      hn::ReorderDemote2To(di16, hn::BitCast(di, y2), hn::BitCast(di, y3)));
  const auto sign_bit = hn::Set(du16, 0x8000);
  auto signs = hn::Or(hn::ShiftRight<8>(hn::And(signs01, sign_bit)),
                      hn::And(signs23, sign_bit));
  if constexpr (Format::kBits == 4) signs = hn::ShiftRight<4>(signs);

  constexpr int kShift = 7 - Format::kMantissaBits;
  const auto codes_of = [&](VF32 a, VF32 b) HWY_ATTR {
    const auto biased = hn::ReorderDemote2To(di16, BiasedCodes<Format>(a),
                                             BiasedCodes<Format>(b));
    const auto largest =
        hn::Set(di16, kCodeBias<Format> + (Format::kLargestCode << kShift));
    return hn::BitCast(du16, hn::Sub(hn::Min(biased, largest),
                                     hn::Set(di16, kCodeBias<Format>)));
  };
  const auto codes = hn::Or(hn::ShiftRight<kShift>(codes_of(y0, y1)),
                            hn::ShiftLeft<8 - kShift>(codes_of(y2, y3)));
  // In each block: lane i of y0 is byte 2i, of y1 8+2i, of y2 1+2i, of y3 9+2i.
  alignas(16) static constexpr uint8_t kOrder[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                     1, 3, 5, 7, 9, 11, 13, 15};
  const DU8 du8;
  const auto bytes = hn::TableLookupBytes(
      hn::BitCast(du8, hn::Or(codes, signs)), hn::LoadDup128(du8, kOrder));
  return VectorsBeforeBlocks(bytes);
}

// Nibbles of the bytes of a, then of b, even ones low.
HWY_INLINE VU8 PackNibbles(VU8 a, VU8 b) {
  const DU16 du16;
  const DU8 du8;
  const auto pair = [&](VU8 v) {
    const auto w = hn::BitCast(du16, v);
    return hn::Or(w, hn::ShiftRight<4>(w));
  };
  const auto even = hn::And(pair(a), hn::Set(du16, 0x00FF));
  const auto bytes = hn::BitCast(du8, hn::Or(even, hn::ShiftLeft<8>(pair(b))));
  alignas(16) static constexpr uint8_t kOrder[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                     1, 3, 5, 7, 9, 11, 13, 15};
  const auto halves = hn::TableLookupBytes(bytes, hn::LoadDup128(du8, kOrder));
  if constexpr (kBlocks == 1) {
    return halves;
  } else {
    // Of each block the first half is of a.
    alignas(64) static constexpr int32_t kTwo[8] = {0, 1, 4, 5, 2, 3, 6, 7};
    alignas(64) static constexpr int32_t kFour[16] = {
        0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15};
    const DI32 di;
    const auto indices = hn::SetTableIndices(di, kBlocks == 2 ? kTwo : kFour);
    return hn::BitCast(du8,
                       hn::TableLookupLanes(hn::BitCast(di, halves), indices));
  }
}

// Where the codes of a unit go. Chunks of 32 bytes follow each other in ND; in
// NZ each is in another strip of boxes.
struct DenseChunks {
  static constexpr bool kDense = true;
  HWY_INLINE int64_t stride() const { return 32; }
};
struct ChunksApart {
  static constexpr bool kDense = false;
  int64_t stride_bytes;
  HWY_INLINE int64_t stride() const { return stride_bytes; }
};

// Bytes from `first_byte` on of a unit's codes.
template <class Chunks>
HWY_INLINE void StoreChunks(VU8 bytes, int first_byte, uint8_t* HWY_RESTRICT to,
                            const Chunks& chunks) {
  uint8_t* at = to + first_byte / 32 * chunks.stride() + first_byte % 32;
  if constexpr (kBlocks == 4 && !Chunks::kDense) {
    const hn::Half<DU8> half;
    hn::StoreU(hn::LowerHalf(half, bytes), half, at);
    hn::StoreU(hn::UpperHalf(half, bytes), half, at + chunks.stride());
  } else {
    hn::StoreU(bytes, DU8(), at);
  }
}

// Reciprocals of a unit's 4 groups, in the lanes of each block.
struct ByGroup {
  VF32 reciprocals;
  template <int kVector>
  HWY_INLINE VF32 Get() const {
    return hn::Broadcast<kVector / kGroupVectors>(reciprocals);
  }
};

// A reciprocal for each element of a unit.
struct ByElement {
  const float* HWY_RESTRICT reciprocals;  // aligned
  template <int kVector>
  HWY_INLINE VF32 Get() const {
    return hn::Load(DF32(), reciprocals + kVector * kLanes);
  }
};

template <class Source, class Format, int kVector, class Reciprocals>
HWY_INLINE VF32 Product(const uint8_t* HWY_RESTRICT from,
                        const Reciprocals& reciprocals) {
  return hn::Mul(Source::Load(from + kVector * kLanes * Source::kBytes),
                 reciprocals.template Get<kVector>());
}

template <class Source, class Format, int kVector, class Reciprocals>
HWY_INLINE VU8 EncodeVectors(const uint8_t* HWY_RESTRICT from,
                             const Reciprocals& reciprocals) {
  return EncodeBytes<Format>(
      Product<Source, Format, kVector>(from, reciprocals),
      Product<Source, Format, kVector + 1>(from, reciprocals),
      Product<Source, Format, kVector + 2>(from, reciprocals),
      Product<Source, Format, kVector + 3>(from, reciprocals));
}

// The codes of one unit, 128 elements of a row, from its vector kVector on.
template <class Source, class Format, int kVector = 0, class Reciprocals,
          class Chunks>
HWY_INLINE void EncodeUnit(const uint8_t* HWY_RESTRICT from,
                           const Reciprocals& reciprocals,
                           uint8_t* HWY_RESTRICT to, const Chunks& chunks) {
  if constexpr (kVector < kUnitVectors) {
    const VU8 bytes = EncodeVectors<Source, Format, kVector>(from, reciprocals);
    if constexpr (Format::kBits == 8) {
      StoreChunks(bytes, kVector * kLanes, to, chunks);
      EncodeUnit<Source, Format, kVector + 4>(from, reciprocals, to, chunks);
    } else {
      StoreChunks(PackNibbles(bytes, EncodeVectors<Source, Format, kVector + 4>(
                                         from, reciprocals)),
                  kVector * kLanes / 2, to, chunks);
      EncodeUnit<Source, Format, kVector + 8>(from, reciprocals, to, chunks);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mxtile::host
HWY_AFTER_NAMESPACE();

#endif  // KERNELS_HOST_ENCODE_INL_H_
