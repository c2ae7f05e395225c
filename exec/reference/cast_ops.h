#ifndef EXEC_REFERENCE_CAST_OPS_H_
#define EXEC_REFERENCE_CAST_OPS_H_

// tile.cast on tiles of numbers.
//
//   // t: pl.Tile[[16, 64], pl.FP4]; by way of BF16 and FP32
//   value = CastTile(call, tile);  // pl.tile.cast(t, target_type=pl.FP8E4M3FN)
//
// A cast that the A5 has no instruction for is defined as its chain of native
// casts (a5_model/soc/cast_chain.h): each of them rounds, by the mode of the
// cast. So a program means the same before and after
// passes/legalize_tile_cast. A cast that no chain leads to is one step.
//
// What a step to a type can do:
//
//   floating point  a value of the type stays; others are rounded to nearest
//                   even by the modes "none" and "rint", saturating (FP32:
//                   infinite)
//   integer         rounded by the mode: "rint" to nearest even, "round" to
//                   nearest away from zero, "floor", "ceil", "trunc", "odd" to
//                   nearest odd; "none" takes integers only
//
// Everything else is refused (MX-REF-3), as no public source says what the
// device gives: other modes to floating-point types, NaN or what lies outside
// of an integer type, types without a format here (HF8, FP4E2M1X2, INDEX ...).
// Modes of integers as in the public PTO-ISA simulator.
//
// An element without a value is an error (MX-REF-1).

#include "absl/status/statusor.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_tile.h"
#include "exec/value.h"
#include "ir/expr.h"

namespace mxtile::exec {

// `call` is of tile.cast, `tile` its operand.
template <typename Number>
absl::StatusOr<Value> CastTile(const ir::Call& call,
                               const ReferenceTile<Number>& tile);

extern template absl::StatusOr<Value> CastTile(
    const ir::Call& call, const ReferenceTile<double>& tile);
extern template absl::StatusOr<Value> CastTile(
    const ir::Call& call, const ReferenceTile<float>& tile);
extern template absl::StatusOr<Value> CastTile(
    const ir::Call& call, const ReferenceTile<Tracked>& tile);

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_CAST_OPS_H_
