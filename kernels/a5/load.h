#ifndef KERNELS_A5_LOAD_H_
#define KERNELS_A5_LOAD_H_

// TLOAD: a window of global memory into a tile in Mat (L1), one instruction.
//
//   TLoad(machine, a, {/*offsets=*/{0, 64}, /*sizes=*/{32, 64}}, a_mat);
//
// The layout of the tile and the rank of the tensor say which load it is:
//
//   tile  tensor and window                 instruction
//   NZ    [R, C], strides [s, 1]            ND2NZ
//   NZ    [1, C/32, R/16, 16, 32] bytes,    copy, a burst a column of fractals
//           strides [., s, 512, 32, 1]
//   ZN    [R, C], strides [1, s]            ND2NZ of the transposed matrix
//   ZZ    [1, M/16, G/2, 16, 2],            copy, a burst a row of boxes
//           strides [., s, 32, 2, 1]
//   NN    [1, N/16, G/2, 16, 2], the same   the same
//   ZZ    [1, 1, G/2, M, 2],                ND2NZ of 16-bit elements: scales of
//           strides [., ., s, 2, 1]         pairs of groups, as MX_A_DN and the
//                                           interleaved exponents of axis 0
//   NN    [1, 1, G/2, N, 2], the same       the same, MX_B_ND
//   ND    [R, C], strides [s, 1]            copy, a burst a row
//
// Elements of 4 bits are moved as bytes, two at a time: rows (of ZN: columns)
// start at whole bytes.
//
// The window is the valid region of the tile: [valid_rows, valid_cols], or that
// region rounded up to whole fractals (boxes). Scale windows have even numbers
// of groups by form; a tile with an odd number is refused.
//
// Errors: A5-TILE-1 (the tile), A5-TILE-2 (the window leaves the tensor),
// A5-TILE-3 (window and tile do not fit, or strides that no load has), and the
// traps of the instruction.

#include "a5_model/machine.h"
#include "absl/status/status.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"

namespace mxtile {
namespace a5 {

absl::Status TLoad(Machine& machine, const GmTensor& source,
                   const GmWindow& window, const Tile& destination);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_LOAD_H_
