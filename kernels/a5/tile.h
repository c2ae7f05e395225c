#ifndef KERNELS_A5_TILE_H_
#define KERNELS_A5_TILE_H_

// A tile on the A5: where it is, its shape, and how its elements are laid out.
//
//   // A [32, 128] E4M3 left operand of which 30 rows are valid.
//   const Tile left = {MemorySpace::kLeft, /*address=*/0x8000, /*rows=*/32,
//                      /*cols=*/128, /*valid_rows=*/30, /*valid_cols=*/128,
//                      ElementFormat::kF8E4M3FN, TileLayout::kNz};

#include <cstdint>
#include <string>

#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "kernels/tile_layout.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

using mxtile::TileLayout;

struct Tile {
  MemorySpace space;
  uint64_t address;  // bytes, in its space
  // The allocated shape in elements; [valid_rows, valid_cols] of it at the
  // upper left is meant.
  int64_t rows;
  int64_t cols;
  int64_t valid_rows;
  int64_t valid_cols;
  ElementFormat format;
  TileLayout layout;
  // For scale tiles: a number that differs between tiles, also between one tile
  // and the next that the program defines under the same name. A matmul accepts
  // the scales at an address only when a fill of this number wrote them.
  int64_t id = 0;
};

// "LeftScale 0x800 f8E8M0FNU ZZ [64, 4] valid [64, 4] id 7".
std::string ToString(const Tile& tile);

// Bytes of `count` adjacent elements; of 4 bits, two share a byte and a half
// byte counts whole.
int64_t ElementBytes(ElementFormat format, int64_t count);

// Elements in 32 bytes, the width of a fractal: 8 of f32, 32 of 8 bits, 64 of
// 4 bits.
int64_t FractalColumns(ElementFormat format);

// Bytes that the tile occupies from `address` on.
int64_t TileBytes(const Tile& tile);

// A5-TILE-1 (InvalidArgument, prefixed with "OP: ROLE tile ...") unless the
// tile is in `space` with `layout`, 0 < valid <= shape, the shape fills whole
// fractals or boxes (ND: whole bytes; in Left, whole fractals of one row), and
// the tile lies inside its memory.
absl::Status CheckTile(absl::string_view op, absl::string_view role,
                       const Tile& tile, MemorySpace space, TileLayout layout);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_TILE_H_
