#include "numerics/f8e8m0fnu.h"

#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/float_bits.h"

namespace mxtile {

float DecodeF8E8M0FNU(uint8_t code) {
  if (code == 255) return absl::bit_cast<float>(kFloatQuietNanBits);
  // 2^-127 is half of the smallest normal.
  if (code == 0) return absl::bit_cast<float>(uint32_t{1} << 22);
  return absl::bit_cast<float>(uint32_t{code} << 23);
}

}  // namespace mxtile
