#ifndef IR_OPS_TILE_RULES_H_
#define IR_OPS_TILE_RULES_H_

// What the type deductions of tile operators have in common. A result takes
// over layout, pad and compact of its first tile operand unless its manual says
// otherwise; dims that are not constants are not compared.
//
//   MX_ASSIGN_OR_RETURN(const auto shape, BroadcastShapes(call, {0, 1}));
//   return MakeTile(context, shape, Promoted(a.dtype, b.dtype),
//                   MemorySpace::kVec, ViewLike(a, a.EffectiveValidShape()));
//
// Rules:
//   MX-TILE-1   shapes of operands agree, or broadcast: equal from the last
//               dimension on, or 1
//   MX-TILE-2   the element type is one that the operator has
//   MX-TILE-3   operands have one element type
//   MX-TILE-4   a tile has the rank that the operator needs
//   MX-TILE-5   shapes that are written are constants
//   MX-TILE-6   what is read or written lies inside the tile
//   MX-TILE-7   a valid extent lies inside its dimension
//   MX-TILE-8   the number of elements, or of bytes, stays
//   MX-TILE-9   the valid region of the result is known to be a rectangle at
//               the origin
//   MX-TILE-10  an axis is one of the tile's, the two of a transpose differ
//   MX-TILE-11  a reduction has at least one valid element
//   MX-TILE-12  a pad value is zero, max or min: 0, inf or -inf as a number
//   MX-TILE-13  a mask pattern is 1 to 7, a split 0 to 4

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/ops/op_signature.h"
#include "ir/type.h"

namespace mxtile::ir {

using DimVector = std::vector<const Expr*>;

inline DimVector ToVector(Dims dims) { return {dims.begin(), dims.end()}; }

const Type* MakeTile(Context& context, Dims shape, DataType dtype,
                     std::optional<MemorySpace> space, const TileView& view);

// Row-major, not boxed, all valid: whatever the shape.
TileView PlainView();
// Blayout, slayout, pad and compact of the tile.
TileView ViewLike(const TileType& tile, Dims valid_shape);

// The element type of an operation on both: the float one, else the wider one,
// else the signed one.
DataType Promoted(DataType a, DataType b);

// The shape of the tiles at these arguments together (MX-TILE-1).
absl::StatusOr<DimVector> BroadcastShapes(const OpCall& call,
                                          const std::vector<int>& tiles);
// The two tiles have one shape (MX-TILE-1).
absl::Status CheckSameShape(const OpCall& call, int a, int b);

// MX-TILE-2: the element type of a tile or scalar argument.
enum class ElementClass { kAny, kInteger, kFloat, kFp32, kFp16Fp32, kInt16 };
absl::Status CheckElement(const OpCall& call, int index, ElementClass wanted);
// MX-TILE-3.
absl::Status CheckSameElement(const OpCall& call, int a, int b);
// MX-TILE-4.
absl::Status CheckRank(const OpCall& call, int index, int at_least,
                       int at_most = 1000);
// MX-TILE-5, with CheckResultShape.
absl::Status CheckStaticShape(const OpCall& call, Exprs shape, DataType dtype);
// MX-TILE-7: `valid` has the rank of `shape` and constant extents inside it.
absl::Status CheckValidInside(const OpCall& call, Exprs valid, Exprs shape);

// Of kwarg pad_value, also as a number; `otherwise` without it (MX-TILE-12).
absl::StatusOr<PadValue> PadOf(const OpCall& call, PadValue otherwise);

// ---- Registration

// An operator of the vector unit: all tile operands and the result in Vec.
OpDef VecOp(absl::string_view name, const OpSignature& signature);
// Which tells the operator from its twin on tensors: {name, {kTile}}.
ShortForm OfTile(absl::string_view name);

}  // namespace mxtile::ir

#endif  // IR_OPS_TILE_RULES_H_
