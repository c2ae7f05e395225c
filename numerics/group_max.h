#ifndef NUMERICS_GROUP_MAX_H_
#define NUMERICS_GROUP_MAX_H_

// The maximum of a group as the A5 finds it: what its max tile holds, bit for
// bit, and the float that the scale is computed from (pto_numerics, 2 and 11).
//
//   const GroupMax max = F16GroupMax(group, ScaleRule::kOcp);
//   const uint8_t s = SharedExponent(ScaleRule::kOcp, format, max.value);
//
// The tile has the type of the source, but need not hold one of its codes:
//
//   source  rule   the tile holds
//   f32     both   the largest of bits & 0x7FFFFFFF
//   bf16    both   the largest of bits & 0x7FFF
//   f16     kOcp   each element as bf16, truncated; then the largest of
//                  bits & 0x7FFF. Inf is 0x7F80, NaN 0x7FC0
//   f16     kNv    the largest of bits & 0x7FFF
//
// NaN wins, and Inf wins over finite values, since the largest bits do. On the
// device that is documented for 16 bits; for f32 it is this project's decision.
//
// Truncation keeps the exponent and kOcp looks at nothing else; so the scale is
// always that of MaxAbs (scale_rule.h) of the decoded elements. Only whoever
// looks at the tile sees a difference.

#include <cstdint>

#include "absl/types/span.h"
#include "numerics/scale_rule.h"

namespace mxtile {

struct GroupMax {
  // For f32 all bits count, otherwise the lower 16.
  uint32_t tile_bits;
  // What the second step reads from them: a magnitude, Inf or NaN.
  float value;
};

// Of an empty group: 0.
GroupMax F32GroupMax(absl::Span<const float> group);
GroupMax BF16GroupMax(absl::Span<const uint16_t> group);
GroupMax F16GroupMax(absl::Span<const uint16_t> group, ScaleRule rule);

}  // namespace mxtile

#endif  // NUMERICS_GROUP_MAX_H_
