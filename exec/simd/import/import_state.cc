#include "exec/simd/import/import_state.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/element_type.h"
#include "ir/rule_error.h"
#include "numerics/element_format.h"

namespace mxtile::exec::simd {

Tile ImportState::NewTile(const AxisPair& axes_of_tile) {
  Tile tile;
  tile.axes = axes_of_tile;
  tile.rows = axes.DimOf(axes_of_tile.rows, builder);
  tile.cols = axes.DimOf(axes_of_tile.cols, builder);
  return tile;
}

Space ImportState::SpaceOf(const Tile& tile) const {
  Space space;
  if (tile.rows != kNoDim) space.push_back(tile.rows);
  if (tile.cols != kNoDim) space.push_back(tile.cols);
  return space;
}

Tile ImportState::Fit(const Tile& tile, const AxisPair& to) {
  Tile result = tile;
  Space space = builder.program().values[tile.value].space;
  const auto fit = [&](const TileAxis& from, const TileAxis& axis, DimId* dim) {
    if (from.extent != axis.extent || *dim == kNoDim) return;
    const DimId wanted = axes.DimOf(axis, builder);
    for (DimId& d : space) {
      // Positions are told apart by the tile's own dimensions.
      if (d == *dim) d = -2 - wanted;
    }
    *dim = wanted;
  };
  fit(tile.axes.rows, to.rows, &result.rows);
  fit(tile.axes.cols, to.cols, &result.cols);
  for (DimId& d : space) {
    if (d <= -2) d = -2 - d;
  }
  if (tile.axes.rows.extent == to.rows.extent) result.axes.rows = to.rows;
  if (tile.axes.cols.extent == to.cols.extent) result.axes.cols = to.cols;
  if (space != builder.program().values[tile.value].space) {
    result.value = builder.Relabel(tile.value, space);
  }
  return result;
}

Tile ImportState::InOrder(const Tile& tile) {
  Tile result = tile;
  const Space space = SpaceOf(tile);
  if (space != builder.program().values[tile.value].space) {
    result.value = builder.Broadcast(tile.value, space);
  }
  return result;
}

// ---- errors and types

absl::Status UnsupportedVariant(const ir::Call& call, absl::string_view what) {
  return ir::RuleError("MX-SIMD-2",
                       absl::StrCat(call.callee->name, " ", what,
                                    " cannot be run by the SIMD backend"));
}

absl::StatusOr<ElementType> ViewTypeOf(ir::DataType type) {
  if (type == ir::DataType::kInt64 || type == ir::DataType::kIndex) {
    return ElementType::kIndex;
  }
  if (const std::optional<ElementFormat> format = exec::FormatOf(type)) {
    for (int i = 0; i <= static_cast<int>(ElementType::kF8E8M0FNU); ++i) {
      const ElementType candidate = static_cast<ElementType>(i);
      if (FormatOf(candidate) == format) return candidate;
    }
  }
  return ir::RuleError("MX-SIMD-2",
                       absl::StrCat("elements of ", ir::DataTypeName(type),
                                    " in memory cannot be read by the SIMD "
                                    "backend"));
}

absl::StatusOr<ElementType> TileTypeOf(ir::DataType type) {
  if (ir::IsInteger(type)) return ElementType::kIndex;
  return ViewTypeOf(type);
}

}  // namespace mxtile::exec::simd
