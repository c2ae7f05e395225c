#ifndef PASSES_ALLOCATE_ADDRESSES_TILE_BYTES_H_
#define PASSES_ALLOCATE_ADDRESSES_TILE_BYTES_H_

// How many bytes a tile takes in its memory.
//
//   TileBytes(*tile)   // FP8 [16, 64] in Left: 1024
//
// A boxed tile takes whole boxes. A box has 16 lanes of fractal / 16 bytes:
// rows where the boxes are row-major inside, columns where they are col-major.
//
//   fractal  element       box, row-major inside
//     512    FP8           16 x 32     a data fractal
//     512    FP4           16 x 64
//      32    FP8E8M0       16 x 2      a scale box
//    1024    FP32          16 x 16     an accumulator fractal
//
// Acc holds 4 bytes an element whatever the element type. A flat tile takes its
// elements, 4-bit ones two to a byte. Only the physical shape counts. All
// dimensions but the last are rows.

#include <cstdint>

#include "absl/status/statusor.h"
#include "ir/type.h"

namespace mxtile {

// Larger sizes count as this many bytes: more than any memory has.
inline constexpr int64_t kMaxTileBytes = int64_t{1} << 40;

// An error with rule MX-ADDR-1 when a dimension is not a constant.
absl::StatusOr<int64_t> TileBytes(const ir::TileType& tile);

}  // namespace mxtile

#endif  // PASSES_ALLOCATE_ADDRESSES_TILE_BYTES_H_
