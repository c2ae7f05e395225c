#ifndef NUMERICS_F4E1M2_H_
#define NUMERICS_F4E1M2_H_

// f4E1M2: sign, 1 exponent bit with bias 1, 2 mantissa bits, so that codes
// 0 .. 7 are 0, 0.25, 0.5 ... 1.75; bit 3 is the sign. An operand type of the
// A5's cube beside f4E2M1FN, not part of OCP MX; it is decoded only.
//
//   DecodeF4E1M2(0b1011) == -0.75f

#include <cstdint>

namespace mxtile {

// Exact. The high nibble of `code` is ignored.
float DecodeF4E1M2(uint8_t code);

}  // namespace mxtile

#endif  // NUMERICS_F4E1M2_H_
