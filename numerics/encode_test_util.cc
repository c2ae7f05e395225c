#include "numerics/encode_test_util.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/base/casts.h"
#include "absl/types/span.h"

namespace mxtile {

uint32_t NearestCode(absl::Span<const double> values, double magnitude) {
  const auto above = std::upper_bound(values.begin(), values.end(), magnitude);
  if (above == values.end()) return static_cast<uint32_t>(values.size() - 1);
  const auto high = static_cast<uint32_t>(above - values.begin());
  const uint32_t low = high - 1;
  // Exact: neighbours differ by a bit or two in their significands.
  const double middle = (values[low] + values[high]) / 2;
  if (magnitude == middle) return low % 2 == 0 ? low : high;
  return magnitude < middle ? low : high;
}

std::vector<float> EncodeProbes() {
  constexpr uint32_t kLowerHalves[] = {0x0000, 0x0001, 0x0FFF, 0x1000, 0x1001,
                                       0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF};
  std::vector<float> probes;
  for (uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const uint32_t lower : kLowerHalves) {
      probes.push_back(absl::bit_cast<float>(upper << 16 | lower));
    }
  }
  return probes;
}

}  // namespace mxtile
