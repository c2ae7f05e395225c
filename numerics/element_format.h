#ifndef NUMERICS_ELEMENT_FORMAT_H_
#define NUMERICS_ELEMENT_FORMAT_H_

// The element formats that a tile or a scale can have, as a run-time value.
// Code that knows its format calls that format's own header (f8e4m3fn.h, ...).
//
//   BitWidth(ElementFormat::kF4E2M1FN) == 4
//   Decode(ElementFormat::kF8E4M3FN, 0x7E) == 448.0f
//   Encode(ElementFormat::kF8E4M3FN, 1000.0f, Overflow::kSaturate) == 0x7E
//
//   name       bits  MaxExponent  MaxFinite            Inf  NaN  source
//   f8E4M3FN      8            8  448                  -    yes  OCP OFP8 v1.0
//   f8E5M2        8           15  57344                yes  yes  OCP OFP8 v1.0
//   f4E2M1FN      4            2  6                    -    -    OCP MX v1.0
//   f4E1M2        4            0  1.75                 -    -    A5 cube
//   f8E8M0FNU     8          127  2^127                -    yes  OCP MX v1.0
//   bf16         16          127  (2 - 2^-7) * 2^127   yes  yes
//   f16          16           15  65504                yes  yes  IEEE 754
//   f32          32          127  (2 - 2^-23) * 2^127  yes  yes  IEEE 754
//
// The codes of a format, in all of them: 0 .. LargestFiniteCode ascend from the
// smallest magnitude to MaxFinite, what follows up to the sign bit is Inf or
// NaN, and the sign bit repeats all that; f8E8M0FNU has no sign.
//
//   for (uint64_t code = 0; code < CodeCount(format); ++code) {
//     if (KindOf(format, code) == CodeKind::kFinite) use(Decode(format, code));
//   }

#include <cstdint>

#include "absl/strings/string_view.h"
#include "numerics/overflow.h"

namespace mxtile {

enum class ElementFormat {
  kF8E4M3FN,
  kF8E5M2,
  kF4E2M1FN,
  kF4E1M2,
  kF8E8M0FNU,
  kBF16,
  kF16,
  kF32,
};

// Every format, in the order of the enum.
inline constexpr ElementFormat kElementFormats[] = {
    ElementFormat::kF8E4M3FN,  ElementFormat::kF8E5M2,
    ElementFormat::kF4E2M1FN,  ElementFormat::kF4E1M2,
    ElementFormat::kF8E8M0FNU, ElementFormat::kBF16,
    ElementFormat::kF16,       ElementFormat::kF32,
};

// Bits of one element; a 4-bit one takes a nibble.
int BitWidth(ElementFormat format);

// "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f4E1M2", "f8E8M0FNU", "bf16", "f16",
// "f32".
absl::string_view Name(ElementFormat format);

// floor(log2(MaxFinite)): the `emax` of the OCP scale rule.
int MaxExponent(ElementFormat format);

// The largest finite value.
float MaxFinite(ElementFormat format);

// 2^BitWidth(format), which for f32 is above every uint32_t.
uint64_t CodeCount(ElementFormat format);

// The code of MaxFinite(format).
uint32_t LargestFiniteCode(ElementFormat format);

// The bit of the sign, the highest one; 0 for f8E8M0FNU.
uint32_t SignMask(ElementFormat format);

// What the NaN with bits 0x7FC00000 encodes to: 0x7F, 0xFF (f8E8M0FNU), 0x7FC0,
// 0x7E00, 0x7FC00000. The 4-bit formats have no NaN; theirs is 7, which decodes
// to MaxFinite.
uint32_t NanCode(ElementFormat format);

enum class CodeKind { kFinite, kInfinity, kNan };

// Bits of `code` above BitWidth(format) are ignored.
CodeKind KindOf(ElementFormat format, uint32_t code);

// The value of the code in the low BitWidth(format) bits; higher bits are
// ignored. Exact.
float Decode(ElementFormat format, uint32_t code);

// The code of the nearest value, ties to even (f8E8M0FNU: ties up). Overflow,
// NaN and, in f8E8M0FNU, values that are not positive: as the format's own
// header says. f32 is the float's bits, but for Inf when it saturates.
uint32_t Encode(ElementFormat format, float value, Overflow overflow);

}  // namespace mxtile

#endif  // NUMERICS_ELEMENT_FORMAT_H_
