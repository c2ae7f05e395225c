#include "kernels/a5/tile.h"

#include <cstdint>
#include <string>

#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "kernels/tile_layout.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

struct Unit {
  int64_t rows;
  int64_t cols;
};

// What rows and columns have to be multiples of.
Unit UnitOf(const Tile& tile) {
  const CubeInfo& cube = Ascend950().cube;
  if (tile.space == MemorySpace::kAcc) {
    return {cube.fractal_rows, cube.fractal_rows};
  }
  const int64_t c0 = FractalColumns(tile.format);
  switch (tile.layout) {
    case TileLayout::kNd:
      // The A of a gemv: 512 bytes of K each. [headers]
      if (tile.space == MemorySpace::kLeft) return {1, cube.fractal_rows * c0};
      return {1, BitWidth(tile.format) == 4 ? 2 : 1};
    case TileLayout::kNz:
      return {cube.fractal_rows, c0};
    case TileLayout::kZn:
      return {c0, cube.fractal_rows};
    case TileLayout::kZz:
      return {cube.fractal_rows, 2};
    case TileLayout::kNn:
      return {2, cube.fractal_rows};
  }
  return {1, 1};
}

std::string FindFault(const Tile& tile, MemorySpace space, TileLayout layout) {
  if (tile.space != space || tile.layout != layout) {
    return absl::StrCat("has to be in ", Name(space), " as ", Name(layout));
  }
  if (tile.valid_rows < 1 || tile.valid_rows > tile.rows ||
      tile.valid_cols < 1 || tile.valid_cols > tile.cols) {
    return "the valid region has to be inside the tile and not empty";
  }
  const Unit unit = UnitOf(tile);
  if (tile.rows % unit.rows != 0 || tile.cols % unit.cols != 0) {
    const bool odd_groups =
        tile.layout == TileLayout::kZz || tile.layout == TileLayout::kNn;
    return absl::StrFormat(
        "the shape has to be a multiple of [%d, %d]%s", unit.rows, unit.cols,
        odd_groups ? ": pad to an even number of groups" : "");
  }
  const MemoryInfo& memory = Ascend950().memory(space);
  if (tile.address > memory.limit_bytes ||
      TileBytes(tile) >
          memory.limit_bytes - static_cast<int64_t>(tile.address)) {
    return absl::StrFormat("its %d bytes end beyond the %d of %s",
                           TileBytes(tile), memory.limit_bytes, Name(space));
  }
  return "";
}

}  // namespace

std::string ToString(const Tile& tile) {
  return absl::StrFormat("%s 0x%x %s %s [%d, %d] valid [%d, %d] id %d",
                         Name(tile.space), tile.address, Name(tile.format),
                         Name(tile.layout), tile.rows, tile.cols,
                         tile.valid_rows, tile.valid_cols, tile.id);
}

int64_t ElementBytes(ElementFormat format, int64_t count) {
  return (count * BitWidth(format) + 7) / 8;
}

int64_t FractalColumns(ElementFormat format) {
  return Ascend950().cube.fractal_row_bytes * 8 / BitWidth(format);
}

int64_t TileBytes(const Tile& tile) {
  return ElementBytes(tile.format, tile.rows * tile.cols);
}

absl::Status CheckTile(absl::string_view op, absl::string_view role,
                       const Tile& tile, MemorySpace space, TileLayout layout) {
  const std::string fault = FindFault(tile, space, layout);
  if (fault.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      op, ": ", role, " tile ", ToString(tile), ": ", fault, " (A5-TILE-1)"));
}

}  // namespace a5
}  // namespace mxtile
