#ifndef EXEC_MODEL_VEC_OPS_H_
#define EXEC_MODEL_VEC_OPS_H_

// Tile operators with an end in Vec (UB), as instructions of the A5 model: the
// copies of its DMA, and kernels/a5 on a vector unit, one vector function an
// operator.
//
//   LoadToVec(machine, x, {{0, 0}, {64, 128}}, x_vec);
//   QuantizeInVec(machine, GroupAxis::kAxis1,
//                 {codes, exponents, x_vec, max, scaling});
//   MoveInVec(machine, codes, codes_nz);               // ND -> NZ
//   MoveVecToMat(machine, codes_nz, codes_mat);
//   BoxInVec(machine, GroupAxis::kAxis1, exponents, tmp, boxes);
//
// Errors: MX-MODEL-4 (what is copied fits), A5-TILE-1 and 2
// (kernels/a5/tile.h), those of the kernels, and the traps of the instructions.
// All begin with the operation's name.

#include "a5_model/machine.h"
#include "absl/status/status.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"
#include "kernels/group_axis.h"

namespace mxtile::exec {

// Row by row, between a matrix [R, C] of strides [s, 1] and an ND tile; the
// window is the tile's valid region.
absl::Status LoadToVec(a5::Machine& machine, const a5::GmTensor& source,
                       const a5::GmWindow& window, const a5::Tile& tile);
absl::Status StoreFromVec(a5::Machine& machine, const a5::Tile& tile,
                          const a5::GmTensor& destination,
                          const a5::GmWindow& window);

// Byte by byte: shape, format and layout stay.
absl::Status MoveVecToMat(a5::Machine& machine, const a5::Tile& source,
                          const a5::Tile& destination);

// ND to NZ or ZN.
absl::Status MoveInVec(a5::Machine& machine, const a5::Tile& source,
                       const a5::Tile& destination);

// To f8E4M3FN by the OCP rule. Along axis 1 the tiles of groups are flat, or
// dense [M, G], which is the same bytes.
struct QuantTiles {
  a5::Tile codes;
  a5::Tile exponents;
  a5::Tile source;
  a5::Tile max;
  a5::Tile scaling;
};
absl::Status QuantizeInVec(a5::Machine& machine, GroupAxis axis,
                           const QuantTiles& tiles);

// Exponents to ZZ: flat or [M, G] ones (axis 1), [G, N] ones (axis 0).
absl::Status BoxInVec(a5::Machine& machine, GroupAxis axis,
                      const a5::Tile& source, const a5::Tile& tmp,
                      const a5::Tile& destination);

}  // namespace mxtile::exec

#endif  // EXEC_MODEL_VEC_OPS_H_
