#ifndef EXEC_SIMD_IMPORT_TILE_OPS_H_
#define EXEC_SIMD_IMPORT_TILE_OPS_H_

// Operators on tiles as operations of a tile program. What they mean is what
// exec/reference computes in float.
//
//   TileOps ops(&state);
//   MX_ASSIGN_OR_RETURN(Binding result, ops.Eval(call, info, args));
//
// Errors: MX-SIMD-2 (a variant or element type of the operator), -3 (shapes),
// -6 (valid regions). Loads and stores: memory_import.h; products:
// matmul_import.h.

#include <initializer_list>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/simd/import/import_state.h"
#include "exec/simd/import/imported_value.h"
#include "exec/simd/import/op_table.h"
#include "exec/simd/import/scalars.h"
#include "exec/simd/import/tile_axes.h"
#include "ir/data_type.h"
#include "ir/expr.h"

namespace mxtile::exec::simd {

class TileOps {
 public:
  // The state must outlive the object.
  explicit TileOps(ImportState* state) : s_(*state) {}

  // `info` of the call's operator; its family is none of kLoad, kStore,
  // kMatmul, kBlockIndex and kBlockCount.
  absl::StatusOr<Binding> Eval(const ir::Call& call, const OpInfo& info,
                               absl::Span<const Binding> args);

 private:
  static ir::DataType DtypeOf(const ir::Expr* tile);

  // tile_shape_ops.cc
  absl::StatusOr<Tile> Transpose(const ir::Call& call, const Tile& tile);
  // Of a matrix to itself, and of a vector, lying or standing.
  absl::StatusOr<Tile> Reshape(const ir::Call& call, const AxisPair& axes,
                               const Tile& tile);
  absl::StatusOr<Tile> Filled(const ir::Call& call, const AxisPair& axes,
                              const Scalar& value);
  absl::StatusOr<Tile> Count(const ir::Call& call, const AxisPair& axes,
                             const Scalar& start);
  absl::StatusOr<Tile> Pad(const ir::Call& call, const AxisPair& axes,
                           const Tile& tile);
  // `x` where the element is valid, `pad` elsewhere.
  ValueId Masked(const Tile& tile, ValueId pad);

  // tile_ops.cc
  absl::StatusOr<Tile> Unary(const ir::Call& call, const OpInfo& info,
                             const Tile& tile);
  // Arithmetic and comparisons of two tiles, or of a tile and a scalar.
  absl::StatusOr<Tile> Binary(const ir::Call& call, BinaryKind kind,
                              const AxisPair& axes, const Tile& a,
                              const Binding& b);
  absl::StatusOr<Tile> Reduce(const ir::Call& call, const OpInfo& info,
                              const AxisPair& axes, const Tile& tile);
  absl::StatusOr<Tile> Expand(const ir::Call& call, const OpInfo& info,
                              const AxisPair& axes, const Tile& tile,
                              const Tile& vector);
  absl::StatusOr<Tile> Choose(const ir::Call& call, const AxisPair& axes,
                              const Tile& mask, const Tile& then,
                              const Binding& otherwise);
  absl::StatusOr<Tile> Cast(const ir::Call& call, const Tile& tile);

  // A tile with the valid extents that all of `tiles` have along its axes.
  absl::StatusOr<Tile> NewResult(const ir::Call& call, const AxisPair& axes,
                                 std::initializer_list<const Tile*> tiles);
  absl::StatusOr<BinaryKind> ComparisonOf(const ir::Call& call);
  // The scalar as an operand of tiles of the type.
  absl::StatusOr<ValueId> Operand(const ir::Call& call, const Scalar& scalar,
                                  ElementType type);

  ImportState& s_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_TILE_OPS_H_
