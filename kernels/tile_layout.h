#ifndef KERNELS_TILE_LAYOUT_H_
#define KERNELS_TILE_LAYOUT_H_

// How the elements of a tile are laid out. The offsets are those of
// layouts/mx/scale_layout.h and layouts/nz/nz_layout.h.
//
//   Name(TileLayout::kNz) == "NZ"

#include "absl/strings/string_view.h"

namespace mxtile {

enum class TileLayout {
  kNd,  // row-major; also the exponents of both grouping axes
  kNz,  // fractals of 16 rows x 32 bytes, column of fractals by column: data
  kZn,  // the NZ of the transposed matrix: data of the right operand
  kZz,  // scale boxes of A, [M, G]: 16 rows x 2 groups
  kNn,  // scale boxes of B, [G, N]: the ZZ of the transposed matrix
};

// "ND", "NZ", "ZN", "ZZ", "NN".
absl::string_view Name(TileLayout layout);

}  // namespace mxtile

#endif  // KERNELS_TILE_LAYOUT_H_
