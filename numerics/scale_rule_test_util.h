#ifndef NUMERICS_SCALE_RULE_TEST_UTIL_H_
#define NUMERICS_SCALE_RULE_TEST_UTIL_H_

// The scale rules once more, by their mathematical definition.
//
//   ExactCeilingExponent(ElementFormat::kF8E4M3FN, 449.0f) == 128
//   FloorExponent(ElementFormat::kF8E4M3FN, 449.0f) == 127

#include "numerics/element_format.h"

namespace mxtile {

// The least s >= 0 with max_abs <= MaxFinite(format) * 2^(s-127), in integers.
// `max_abs` is finite and positive.
int ExactCeilingExponent(ElementFormat format, float max_abs);

// max(0, floor(log2(max_abs)) - MaxExponent(format) + 127). `max_abs` is finite
// and positive.
int FloorExponent(ElementFormat format, float max_abs);

}  // namespace mxtile

#endif  // NUMERICS_SCALE_RULE_TEST_UTIL_H_
