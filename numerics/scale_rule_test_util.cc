#include "numerics/scale_rule_test_util.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numerics/element_format.h"

namespace mxtile {
namespace {

// value = significand * 2^exponent; value is finite and positive.
struct Integral {
  int64_t significand;
  int exponent;
};

Integral Split(float value) {
  int exponent;
  const double fraction = std::frexp(value, &exponent);
  return {static_cast<int64_t>(std::ldexp(fraction, 24)), exponent - 24};
}

}  // namespace

int ExactCeilingExponent(ElementFormat format, float max_abs) {
  const Integral max = Split(max_abs);
  const Integral limit = Split(MaxFinite(format));
  // Both significands are in [2^23, 2^24), so at equal exponents one comparison
  // decides whether a further factor of two is needed.
  const int more = max.significand > limit.significand ? 1 : 0;
  return std::max(0, max.exponent - limit.exponent + more + 127);
}

int FloorExponent(ElementFormat format, float max_abs) {
  return std::max(0, std::ilogb(max_abs) - MaxExponent(format) + 127);
}

}  // namespace mxtile
