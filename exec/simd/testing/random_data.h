#ifndef EXEC_SIMD_TESTING_RANDOM_DATA_H_
#define EXEC_SIMD_TESTING_RANDOM_DATA_H_

// Memory of one element type: what to fill it with, and how to compare it.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/random_source.h"

namespace mxtile::exec::simd {

// `bytes` bytes of elements: mostly numbers of ordinary size, among them zeros
// of both signs and subnormals; a few NaNs, infinities and floats near the
// largest unless `finite`. Indices are small with a few at the ends of 64 bits.
std::vector<uint8_t> RandomData(ElementType type, int64_t bytes, bool finite,
                                RandomSource& random);

// Empty when both hold the same elements, bit for bit but for the payloads of
// NaNs; otherwise the first difference: "element 7 of f32: 1 (0x3f800000), not
// 2 (0x40000000)".
std::string FirstDifference(ElementType type, absl::Span<const uint8_t> actual,
                            absl::Span<const uint8_t> expected);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_RANDOM_DATA_H_
