#include "numerics/exp_test_util.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mxtile {
namespace {

constexpr long double kHalfOfSmallest = 0x1p-150L;
constexpr long double kSmallestNormal = 0x1p-126L;
// Half a step above the largest float.
constexpr long double kRoundsToInfinity = 0x1.ffffffp127L;

ExpErrorResult::Range RangeOf(long double exact) {
  using Range = ExpErrorResult::Range;
  if (exact <= kHalfOfSmallest) return Range::kZero;
  if (exact < kSmallestNormal) return Range::kSubnormal;
  return exact < kRoundsToInfinity ? Range::kNormal : Range::kInfinity;
}

}  // namespace

ExpErrorResult ExpError(float x, float result) {
  using Range = ExpErrorResult::Range;
  const long double exact = std::exp(static_cast<long double>(x));
  const double other = std::exp(static_cast<double>(x));
  ExpErrorResult error;
  error.range = RangeOf(exact);
  // Beyond the range of float, double may be out of its own normal numbers.
  error.references_agree = true;
  if (error.range == Range::kZero || error.range == Range::kInfinity) {
    const float right = error.range == Range::kZero ? 0.0f : HUGE_VALF;
    error.is_nearest = result == right && !std::signbit(result);
    error.ulps = error.is_nearest ? 0 : std::numeric_limits<double>::infinity();
    return error;
  }
  error.references_agree = std::fabs(other - exact) <= 0x1p-52L * exact;
  const int exponent = std::max(std::ilogb(exact), -126);
  error.ulps =
      static_cast<double>(std::fabs(std::ldexp(result - exact, 23 - exponent)));
  error.is_nearest = result == static_cast<float>(exact);
  return error;
}

}  // namespace mxtile
