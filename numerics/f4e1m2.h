#ifndef NUMERICS_F4E1M2_H_
#define NUMERICS_F4E1M2_H_

// f4E1M2: sign, 1 exponent bit with bias 1, 2 mantissa bits, so that codes
// 0 .. 7 are 0, 0.25, 0.5 ... 1.75; bit 3 is the sign. There is neither NaN nor
// Inf. An operand type of the A5's cube beside f4E2M1FN, not part of OCP MX and
// not quantised to: no scale rule has it.
//
//   DecodeF4E1M2(0b1011) == -0.75f
//   EncodeF4E1M2(0.375f) == 0b0010  // 0.5: tie to even
//
// A code is the low nibble of a byte, the high nibble is zero.

#include <cstdint>

namespace mxtile {

// Exact. The high nibble of `code` is ignored.
float DecodeF4E1M2(uint8_t code);

// Nearest, ties to even, saturating to 1.75 (also for Inf); the sign of zero is
// kept. NaN of either sign gives 7, as with f4E2M1FN.
uint8_t EncodeF4E1M2(float value);

}  // namespace mxtile

#endif  // NUMERICS_F4E1M2_H_
