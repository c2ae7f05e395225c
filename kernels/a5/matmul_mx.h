#ifndef KERNELS_A5_MATMUL_MX_H_
#define KERNELS_A5_MATMUL_MX_H_

// TMATMUL_MX on tiles: C = A * B, C += A * B or C = bias + A * B, where A and B
// are both FP8 or both FP4 with one E8M0 scale per 32 elements along K.
// TGEMV_MX is the same for one row of A, as a mode.
//
//   TLoad(machine, a, window_a, a_mat);        // kernels/a5/load.h
//   TMovToLeft(machine, a_mat, left);          // kernels/a5/move.h
//   ... right, left_scale, right_scale ...
//   TMatmulMx(machine, acc, {left, left_scale, right, right_scale});
//   TStoreAcc(machine, acc, c, window_c);      // kernels/a5/store.h
//
// Shapes, by valid extents: A [M, K], its scales [M, K/32], B [K, N], its
// scales [K/32, N], C [M, N] fp32. K is a multiple of 64. Scales may have more
// valid rows (columns) than the data within the last box of 16.
//
// The instruction finds the scales at the address of the data >> 4, whatever
// lies there. So before it runs, for each side:
//
//   A5-SCALE-1  the scale tile is at the data tile's address >> 4;
//   A5-SCALE-2  the bytes there, all of them, were last written by one LOAD_MX
//               that filled this scale tile (Tile::id) at that address.
//
// Other errors: A5-TILE-1 (a tile), A5-TILE-3 (tiles that do not fit), and the
// traps of MMAD_MX. Numerics: a5_model/cube/mmad_mx.h.

#include "a5_model/machine.h"
#include "absl/status/status.h"
#include "kernels/a5/tile.h"

namespace mxtile {
namespace a5 {

struct MatmulMxOperands {
  Tile left;         // Left, NZ; in gemv mode ND [1, K]
  Tile left_scale;   // LeftScale, ZZ; in gemv mode ND [1, K/32]
  Tile right;        // Right, ZN
  Tile right_scale;  // RightScale, NN
};

struct MatmulMxMode {
  bool gemv = false;      // TGEMV_MX: M is 1
  bool saturate = false;  // `sat`: a5_model/cube/mmad_mx.h
};

// The accumulator tile has the layout NZ in Acc with 16 * ceil(M / 16) rows a
// column of fractals, whatever its allocated rows.
absl::Status TMatmulMx(Machine& machine, const Tile& acc,
                       const MatmulMxOperands& operands,
                       const MatmulMxMode& mode = {});
absl::Status TMatmulMxAcc(Machine& machine, const Tile& acc,
                          const MatmulMxOperands& operands,
                          const MatmulMxMode& mode = {});
// `bias` is an fp32 [1, N] tile in Bias.
absl::Status TMatmulMxBias(Machine& machine, const Tile& acc,
                           const MatmulMxOperands& operands, const Tile& bias,
                           const MatmulMxMode& mode = {});

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_MATMUL_MX_H_
