#ifndef NUMERICS_SCALED_ELEMENT_H_
#define NUMERICS_SCALED_ELEMENT_H_

// An element under the scale of its group: the last step of MX quantisation,
// and the way back. Every quantiser has its codes from here, or is held against
// this.
//
//   const uint8_t s = SharedExponent(rule, format, MaxAbs(group));
//   const uint8_t code = EncodeScaled(format, x, s);
//   const double back = DecodeScaled(format, code, s);
//
//   EncodeScaled(ElementFormat::kF8E4M3FN, 3.0f, 120) == 0x7C  // 384 * 2^-7
//   DecodeScaled(ElementFormat::kF8E4M3FN, 0x7C, 120) == 3.0
//
// `format` is one of MX data: f8E4M3FN, f8E5M2, f4E2M1FN or f4E1M2; another one
// is a bug. `shared_exponent` is the f8E8M0FNU code s: the scale is 2^(s-127),
// 255 is NaN.
//
// The A5 multiplies bf16 elements by a bf16 reciprocal and rounds the product
// to bf16, for f4E2M1FN and on one of its paths for f8E4M3FN; halves and
// floats it multiplies in float (pto_numerics, 4). No code shows the
// difference, for none of 2^16 elements and 256 scales, so there is one
// definition.

#include <cstdint>

#include "numerics/element_format.h"

namespace mxtile {

// The code of value * 2^(127-s), the product in float: nearest, ties to even,
// saturating; signs are kept, those of zeros too.
//
//   s = 255       NanCode(format), whatever the value: 0x7F or 7
//   Inf           LargestFiniteCode(format), with its sign
//   NaN, s < 255  NanCode(format); in 8-bit formats with the sign of the NaN
//
// The last line is no case of a group, which a NaN makes a NaN group.
uint8_t EncodeScaled(ElementFormat format, float value,
                     uint8_t shared_exponent);

// The code's value times 2^(s-127). Exact: a double has room for all of them,
// a float has not (57344 * 2^127). s = 255 gives NaN.
double DecodeScaled(ElementFormat format, uint8_t code,
                    uint8_t shared_exponent);

}  // namespace mxtile

#endif  // NUMERICS_SCALED_ELEMENT_H_
