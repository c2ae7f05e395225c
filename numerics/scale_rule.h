#ifndef NUMERICS_SCALE_RULE_H_
#define NUMERICS_SCALE_RULE_H_

// From the largest magnitude of a group of 32 elements to the scale that they
// share.
//
//   const float max_abs = MaxAbs(group);
//   const uint8_t s =
//       SharedExponent(ScaleRule::kOcp, ElementFormat::kF8E4M3FN, max_abs);
//   const uint8_t code = EncodeScaled(format, x, s);  // scaled_element.h
//
// The shared exponent s is an f8E8M0FNU code: the scale is 2^(s-127), 255 is
// NaN. In the table E is the biased exponent of a float.
//
//   max_abs          kOcp                      kNv
//   NaN              255                       255
//   Inf              255 - emax (finite)       254
//   finite           max(0, E - emax)          least s >= 0 with
//                                              max_abs <= Q * 2^(s-127)
//   zero             0                         0
//
// emax = MaxExponent(format) and Q = MaxFinite(format). kOcp (OCP MX v1.0, 6.3)
// saturates elements that lie above Q * 2^(s-127); kNv has none of them, but
// for the float below.
//
// kNv is computed as the A5's instructions do it: d = max_abs * fl32(1/Q), one
// float multiplication, then the exponent of d rounded up. This is the exact
// least s for every float except one a format, where it is 0 and the exact one
// 1: 0x04600001 (f8E4M3FN), 0x07E00001 (f8E5M2), 0x01400001 (f4E2M1FN). The
// host has to round to nearest and to keep subnormals, as it does by default.

#include <cstdint>

#include "absl/types/span.h"
#include "numerics/element_format.h"

namespace mxtile {

// Elements that share one scale (OCP MX v1.0, table 1).
inline constexpr int kScaleGroupSize = 32;

enum class ScaleRule { kOcp, kNv };

// The largest magnitude of a group; NaN when an element is NaN, 0 when the
// group is empty.
float MaxAbs(absl::Span<const float> group);

// `format` is that of the elements: f8E4M3FN, f8E5M2 or f4E2M1FN; another one
// is a bug. The sign of `max_abs` is ignored.
uint8_t SharedExponent(ScaleRule rule, ElementFormat format, float max_abs);

// 2^(127-s), which the elements are multiplied by. Exact: s = 254 gives a
// subnormal, s = 255 NaN (0x7FC00000).
float ReciprocalScale(uint8_t shared_exponent);

// The same as a bf16 code, which the A5's scaling tile holds for bf16 and f16
// elements (pto_numerics, 3 and 8): (254-s) << 7; s = 254 gives the subnormal
// 0x0040. For s = 255 the device has a NaN of its own for each width of
// `format`: 0x7F81 in 8 bits, 0x7FC0 in 4. For f8E5M2, which the A5 does not
// quantise to, that of 8 bits. `format` is as for SharedExponent.
uint16_t ReciprocalScaleBF16(ElementFormat format, uint8_t shared_exponent);

}  // namespace mxtile

#endif  // NUMERICS_SCALE_RULE_H_
