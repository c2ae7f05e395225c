#ifndef NUMERICS_F4E2M1FN_H_
#define NUMERICS_F4E2M1FN_H_

// f4E2M1FN (OCP MX v1.0, FP4): sign, 2 exponent bits with bias 1, 1 mantissa
// bit. Codes 0 .. 7 are 0, 0.5, 1, 1.5, 2, 3, 4, 6; bit 3 is the sign. There is
// neither NaN nor Inf.
//
//   DecodeF4E2M1FN(0b0011) == 1.5f
//   EncodeF4E2M1FN(-2.5f) == 0b1100  // -2: tie to even
//
// A code is the low nibble of a byte, the high nibble is zero. Packing two to a
// byte is the layout's business.

#include <cstdint>

namespace mxtile {

// Exact. The high nibble of `code` is ignored.
float DecodeF4E2M1FN(uint8_t code);

// Nearest, ties to even, saturating to 6 (also for Inf); the sign of zero is
// kept. NaN of either sign gives 7, as the A5's conversion does.
uint8_t EncodeF4E2M1FN(float value);

}  // namespace mxtile

#endif  // NUMERICS_F4E2M1FN_H_
