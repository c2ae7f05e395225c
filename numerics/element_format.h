#ifndef NUMERICS_ELEMENT_FORMAT_H_
#define NUMERICS_ELEMENT_FORMAT_H_

// The element formats that a tile or a scale can have, as a run-time value.
// Code that knows its format calls that format's own header (f8e4m3fn.h, ...).
//
//   BitWidth(ElementFormat::kF4E2M1FN) == 4
//   Decode(ElementFormat::kF8E4M3FN, 0x7E) == 448.0f
//
//   name        bits  MaxExponent  MaxFinite           source
//   f8E4M3FN       8            8  448                 OCP OFP8 v1.0
//   f8E5M2         8           15  57344               OCP OFP8 v1.0
//   f4E2M1FN       4            2  6                   OCP MX v1.0
//   f4E1M2         4            0  1.75                A5 cube
//   f8E8M0FNU      8          127  2^127               OCP MX v1.0
//   bf16          16          127  (2 - 2^-7) * 2^127
//   f16           16           15  65504               IEEE 754
//   f32           32          127  (2 - 2^-23) * 2^127 IEEE 754

#include <cstdint>

#include "absl/strings/string_view.h"

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

// The value of the code in the low BitWidth(format) bits; higher bits are
// ignored. Exact.
float Decode(ElementFormat format, uint32_t code);

}  // namespace mxtile

#endif  // NUMERICS_ELEMENT_FORMAT_H_
