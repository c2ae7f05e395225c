#include "tools/run/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace mxtile {
namespace {

double Distance(double actual, double expected) {
  if (std::isnan(actual) && std::isnan(expected)) return 0;
  if (actual == expected) return 0;
  const double distance = std::fabs(actual - expected);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity()
                              : distance;
}

}  // namespace

Comparison Compare(absl::Span<const double> actual,
                   absl::Span<const double> expected,
                   absl::Span<const double> magnitudes) {
  MX_CHECK(actual.size() == expected.size() &&
           actual.size() == magnitudes.size());
  Comparison result;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double distance = Distance(actual[i], expected[i]);
    result.max_absolute_error = std::max(result.max_absolute_error, distance);
    if (expected[i] != 0 && distance != 0) {
      // An infinite or NaN reference that is missed is missed entirely.
      const double relative = std::isfinite(expected[i])
                                  ? distance / std::fabs(expected[i])
                                  : distance;
      result.max_relative_error = std::max(result.max_relative_error, relative);
    }
    const double magnitude = magnitudes[i];
    const double scaled =
        distance == 0 || magnitude == 0 || !std::isfinite(magnitude)
            ? distance
            : distance / magnitude;
    if (result.worst_index < 0 || scaled > result.max_scaled_error) {
      result.max_scaled_error = scaled;
      result.worst_index = static_cast<int64_t>(i);
    }
  }
  return result;
}

}  // namespace mxtile
