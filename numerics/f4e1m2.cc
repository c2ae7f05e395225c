#include "numerics/f4e1m2.h"

#include <cmath>
#include <cstdint>

#include "numerics/minifloat.h"

namespace mxtile {

float DecodeF4E1M2(uint8_t code) {
  using E1M2 = Minifloat</*kMantissaBits=*/2, /*kBias=*/1>;
  return std::copysign(E1M2::Value(code & 7), code & 8 ? -1.0f : 1.0f);
}

}  // namespace mxtile
