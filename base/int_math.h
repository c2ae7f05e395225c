#ifndef BASE_INT_MATH_H_
#define BASE_INT_MATH_H_

// Divisions of sizes and extents, which are not negative.
//
//   CeilDivide(33, 16) == 3
//   RoundUp(33, 16) == 48

#include <cstdint>

namespace mxtile {

// value >= 0, divisor >= 1. Does not overflow, whatever the value.
constexpr int64_t CeilDivide(int64_t value, int64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

// The least multiple of `unit` that is not below the value.
constexpr int64_t RoundUp(int64_t value, int64_t unit) {
  return CeilDivide(value, unit) * unit;
}

}  // namespace mxtile

#endif  // BASE_INT_MATH_H_
