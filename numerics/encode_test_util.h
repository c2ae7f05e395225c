#ifndef NUMERICS_ENCODE_TEST_UTIL_H_
#define NUMERICS_ENCODE_TEST_UTIL_H_

// An encoder's other formula: search the table of decoded codes.
//
//   const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, /*beyond=*/8};
//   NearestCode(e2m1, 2.5) == 4  // tie between codes 4 and 5: the even one

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace mxtile {

// The code whose value is nearest to `magnitude` >= 0, ties to the even code.
// `values[c]` is the value of code c, ascending from 0; the last one is the
// value that the next code would have and stands for whatever is beyond.
uint32_t NearestCode(absl::Span<const double> values, double magnitude);

// Floats with every upper half of 16 bits, each with lower halves that lie at
// and around the ties of every format here: 655,360 in all, NaNs and Infs
// included.
std::vector<float> EncodeProbes();

}  // namespace mxtile

#endif  // NUMERICS_ENCODE_TEST_UTIL_H_
