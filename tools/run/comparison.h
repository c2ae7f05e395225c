#ifndef TOOLS_RUN_COMPARISON_H_
#define TOOLS_RUN_COMPARISON_H_

// How far a result is from its reference.
//
//   const Comparison c = Compare(actual, expected, magnitudes);
//   c.max_scaled_error <= 1e-5
//
// Per element, with d = |actual - expected| (0 when both are NaN or the same
// infinity, infinite when anything else is special):
//
//   absolute  d
//   relative  d / |expected|; elements with expected == 0 do not count, for an
//             infinite or NaN one it is d
//   scaled    d / magnitude, the sum of absolute products behind the element;
//             d when the magnitude is 0 or not finite
//
// The scaled error is what a run is judged by: rounding errors of a sum are
// proportional to it, whatever cancels.

#include <cstdint>

#include "absl/types/span.h"

namespace mxtile {

struct Comparison {
  double max_absolute_error = 0;
  double max_relative_error = 0;
  double max_scaled_error = 0;
  int64_t worst_index = -1;  // Of the largest scaled error; -1: no elements.
};

// Equal lengths.
Comparison Compare(absl::Span<const double> actual,
                   absl::Span<const double> expected,
                   absl::Span<const double> magnitudes);

}  // namespace mxtile

#endif  // TOOLS_RUN_COMPARISON_H_
