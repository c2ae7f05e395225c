#ifndef EXEC_SIMD_IMPORT_IMPORT_STATE_H_
#define EXEC_SIMD_IMPORT_IMPORT_STATE_H_

// What the importers of operators share: the program that is built, tiles that
// fit each other, and what types become.
//
//   Tile b = state.Fit(a, axes);   // a over the dimensions of other axes

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "exec/simd/element_type.h"
#include "exec/simd/import/imported_value.h"
#include "exec/simd/import/scalars.h"
#include "exec/simd/import/tile_axes.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "ir/data_type.h"
#include "ir/expr.h"

namespace mxtile::exec::simd {

struct ImportState {
  TileProgramBuilder& builder;
  TileAxes& axes;
  Scalars& scalars;

  ElementType TypeOf(ValueId value) const {
    return builder.program().values[value].type;
  }
  // An empty tile over the dimensions of these axes.
  Tile NewTile(const AxisPair& axes_of_tile);
  // [rows, cols] without what has no dimension.
  Space SpaceOf(const Tile& tile) const;
  // The tile over the dimensions of these axes, where it has as many elements
  // along them: relabelled, if it has others.
  Tile Fit(const Tile& tile, const AxisPair& to);
  // The same with its value over SpaceOf, in that order.
  Tile InOrder(const Tile& tile);
};

// MX-SIMD-2
absl::Status UnsupportedVariant(const ir::Call& call, absl::string_view what);
// The type in a tile program: of memory, and of tiles of integers, which are
// indices there.
absl::StatusOr<ElementType> ViewTypeOf(ir::DataType type);
absl::StatusOr<ElementType> TileTypeOf(ir::DataType type);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_IMPORT_STATE_H_
