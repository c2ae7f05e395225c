#ifndef PROOF_GOAL_H_
#define PROOF_GOAL_H_

// What is to be shown of an integer expression.
//
//   const Goal goal = Goal::MultipleOf(16);
//   goal.HoldsFor(48)    // true

#include <cstdint>

namespace mxtile::proof {

enum class Property { kMultipleOf, kNonNegative };

struct Goal {
  Property property = Property::kNonNegative;
  int64_t divisor = 0;  // Positive; 0 for kNonNegative.

  static Goal MultipleOf(int64_t divisor) {
    return {Property::kMultipleOf, divisor};
  }
  static Goal NonNegative() { return {Property::kNonNegative, 0}; }

  bool is_sign() const { return property == Property::kNonNegative; }
  bool HoldsFor(int64_t value) const {
    return is_sign() ? value >= 0 : value % divisor == 0;
  }
  bool operator==(const Goal& other) const {
    return property == other.property && divisor == other.divisor;
  }
};

}  // namespace mxtile::proof

#endif  // PROOF_GOAL_H_
