#ifndef A5_MODEL_SOC_CAST_CHAIN_H_
#define A5_MODEL_SOC_CAST_CHAIN_H_

// How one element type becomes another where no instruction does it: by a chain
// of native casts, the shortest that loses nothing on its way.
//
//   CastChain(NativeCasts("a5"), CastType::kFP4, CastType::kFP8E4M3FN)
//       == {kBF16, kFP32, kFP8E4M3FN}
//
// A cast without an instruction is defined as its chain: what a program means
// (exec/reference) and what it is lowered to (passes/legalize_tile_cast) are
// the same conversions in the same order.
//
// A type on the way, behind the first and before the last, must hold what the
// last one holds. These are forbidden:
//
//   on the way  last      when
//   integer     float     always
//   float       float     it has fewer bits of significand, or of exponent;
//                         asked between FP32, FP16 and BF16 only
//   float       integer   its significand has fewer bits than the values of the
//                         last (FP32, FP16 and BF16 only)
//   integer     integer   it is unsigned and the last is not, or its values
//                         have fewer bits
//
// The values of a signed integer have a bit less than the type. Among chains of
// one length that with the smallest sum of costs is taken: 0 from an integer to
// the float of its width, 1 from float to float, 2 otherwise. Among equals, the
// one whose types come first in the table.
//
// On the A5 that reaches 126 of the 182 pairs of its 14 types, by at most four
// casts; on the A2/A3 53 of 72. Not, for example, UINT32 to FP32, for which
// every way leads over INT16, UINT16 or UINT8; FP8E4M3FN to INT32 and FP4 to
// FP16 on the A5, INT16 to INT32 on the A2/A3.
//
// Source: the pass LegalizeTileCast of public PyPTO; pypto_passes section 6.

#include <vector>

#include "a5_model/soc/native_casts.h"
#include "absl/types/span.h"

namespace mxtile {
namespace a5 {

// The types that `from` becomes one after the other, the last being `to`; only
// `to` for a native cast. Empty when there is no chain, and for equal types.
std::vector<CastType> CastChain(absl::Span<const NativeCast> casts,
                                CastType from, CastType to);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_SOC_CAST_CHAIN_H_
