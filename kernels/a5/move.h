#ifndef KERNELS_A5_MOVE_H_
#define KERNELS_A5_MOVE_H_

// TMOV from Mat (L1) to the memories of the cube, a whole tile each.
//
//   TMovToLeft(machine, a_mat, a_left);             // NZ -> NZ, or ZN -> NZ
//   TMovToRight(machine, b_mat, b_right);           // NZ -> ZN, or ZN -> ZN
//   TMovToLeftScale(machine, sa_mat, sa_left);      // ZZ -> ZZ
//   TMovToRightScale(machine, sb_mat, sb_right);    // NN -> NN
//   TMovToBias(machine, bias_mat, bias);            // ND -> ND, fp32 [1, N]
//
// Source and destination have the same valid region. It, and not the shape of
// the destination, sets the steps and the pitch in L0 ("compact" mode of the
// headers): 16 * ceil(valid lines / 16) lines a column of fractals. That is the
// pitch that MMAD_MX assumes, which knows the valid extents only.
//
// Data has elements of 8 bits, or of 4 (LOAD_2Dv2 in its _s4 form). Where the
// layouts differ it is transposed, in squares of 32 x 32 elements (64 x 64 of 4
// bits): K of the source is a multiple of that, and the destination has room
// for its lines (rows of A, columns of B) rounded up to it.
//
// The left side of a gemv is one row [1, K] and its scales [1, K/32], both ND
// in Mat and in L0, K allocated in whole 512 bytes.
//
// A scale move is a fill: the machine records it under the destination's `id`
// (TMatmulMx asks for it). An odd number of groups is refused.
//
// Errors: A5-TILE-1 (a tile), A5-TILE-3 (the two do not fit), and the traps of
// the instructions.

#include "a5_model/machine.h"
#include "absl/status/status.h"
#include "kernels/a5/tile.h"

namespace mxtile {
namespace a5 {

// An NZ source, what TLOAD makes of a row-major [M, K], is copied. A ZN source,
// what it makes of a column-major one, is transposed: A = Q^T for a row-major Q
// [K, M], for example one that was quantised along its rows.
absl::Status TMovToLeft(Machine& machine, const Tile& source,
                        const Tile& destination);
// An NZ source, what TLOAD makes of a row-major [K, N], is transposed, a ZN
// source is copied.
absl::Status TMovToRight(Machine& machine, const Tile& source,
                         const Tile& destination);
absl::Status TMovToLeftScale(Machine& machine, const Tile& source,
                             const Tile& destination);
absl::Status TMovToRightScale(Machine& machine, const Tile& source,
                              const Tile& destination);
absl::Status TMovToBias(Machine& machine, const Tile& source,
                        const Tile& destination);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_MOVE_H_
