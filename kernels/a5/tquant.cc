#include "kernels/a5/tquant.h"

#include <cstdint>

#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "kernels/a5/tquant_loops.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

TQuantTypes TypesOf(const UbQuantTiles& tiles) {
  const auto groups = [](const UbGroupTile& tile) {
    return GroupTileType{tile.tile.type, tile.form};
  };
  return {tiles.dst.type, tiles.src.type, groups(tiles.exp), groups(tiles.max),
          groups(tiles.scaling)};
}

absl::Status CheckScratchFormat(absl::string_view role, const TileType& tile,
                                ElementFormat source) {
  if (tile.format == source) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("TQUANT: the tile '", role, "', ", ToString(tile),
                   ", is on the A5 of the source's format, ", Name(source),
                   " (A5-QUANT-2)"));
}

absl::Status CheckForms(const UbQuantTiles& tiles) {
  const bool flat = tiles.exp.form == GroupForm::kFlat;
  if (flat == (tiles.max.form == GroupForm::kFlat) &&
      flat == (tiles.scaling.form == GroupForm::kFlat)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "TQUANT: of the tiles 'exp', 'max' and 'scaling' some are flat and some "
      "are 2-D; the A5 has one loop for all three (A5-QUANT-3)");
}

absl::Status CheckEvenColumns(const TileType& dst) {
  if (dst.format != ElementFormat::kF4E2M1FN || dst.valid_cols % 2 == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "TQUANT: the tile 'dst', ", ToString(dst), ", has ", dst.valid_cols,
      " valid columns; two codes share a byte, and the vector unit writes "
      "whole bytes: the number must be even (A5-QUANT-4)"));
}

absl::Status CheckPlaces(const TQuantOptions& options,
                         const UbQuantTiles& tiles) {
  // FP4 rows may begin in the middle of a block: they go through vstus.
  const RowAlignment dst_rows = options.format == ElementFormat::kF4E2M1FN
                                    ? RowAlignment::kAny
                                    : RowAlignment::kBlocks;
  const RowAlignment group_rows = options.axis == GroupAxis::kAxis1
                                      ? RowAlignment::kAny
                                      : RowAlignment::kBlocks;
  MX_RETURN_IF_ERROR(CheckUbTile("TQUANT", "dst", tiles.dst, dst_rows));
  MX_RETURN_IF_ERROR(CheckUbTile("TQUANT", "src", tiles.src));
  MX_RETURN_IF_ERROR(CheckUbTile("TQUANT", "exp", tiles.exp.tile, group_rows));
  MX_RETURN_IF_ERROR(CheckUbTile("TQUANT", "max", tiles.max.tile, group_rows));
  MX_RETURN_IF_ERROR(
      CheckUbTile("TQUANT", "scaling", tiles.scaling.tile, group_rows));
  return CheckDisjoint("TQUANT", {{"dst", tiles.dst},
                                  {"src", tiles.src},
                                  {"exp", tiles.exp.tile},
                                  {"max", tiles.max.tile},
                                  {"scaling", tiles.scaling.tile}});
}

}  // namespace

absl::Status TQuant(VectorUnit& unit, const TQuantOptions& options,
                    const UbQuantTiles& tiles, PathCounts* paths) {
  MX_RETURN_IF_ERROR(CheckTQuant(options, TypesOf(tiles)));
  if (options.format == ElementFormat::kF8E5M2) {
    return absl::InvalidArgumentError(
        "TQUANT: the A5 has no conversion to f8E5M2 in the vector unit; the "
        "reference quantises to it (A5-QUANT-1)");
  }
  const ElementFormat source = tiles.src.type.format;
  MX_RETURN_IF_ERROR(CheckScratchFormat("max", tiles.max.tile.type, source));
  MX_RETURN_IF_ERROR(
      CheckScratchFormat("scaling", tiles.scaling.tile.type, source));
  MX_RETURN_IF_ERROR(CheckForms(tiles));
  MX_RETURN_IF_ERROR(CheckEvenColumns(tiles.dst.type));
  MX_RETURN_IF_ERROR(CheckPlaces(options, tiles));
  const QuantLoop loop = {unit, options, tiles, paths};
  if (options.axis == GroupAxis::kAxis1) {
    QuantizeAxis1(loop);
  } else {
    QuantizeAxis0(loop);
  }
  return unit.status();
}

}  // namespace a5
}  // namespace mxtile
