#ifndef NUMERICS_F8E8M0FNU_H_
#define NUMERICS_F8E8M0FNU_H_

// f8E8M0FNU (OCP MX v1.0): the shared scale of a group. Code s is 2^(s-127);
// there is neither sign nor zero.
//
//   DecodeF8E8M0FNU(127) == 1.0f
//
//   0     2^-127, a subnormal float
//   254   2^127
//   255   NaN
//
// scale_rule.h finds the code of a group.

#include <cstdint>

namespace mxtile {

// Exact.
float DecodeF8E8M0FNU(uint8_t code);

}  // namespace mxtile

#endif  // NUMERICS_F8E8M0FNU_H_
