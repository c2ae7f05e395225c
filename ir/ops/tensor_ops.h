#ifndef IR_OPS_TENSOR_OPS_H_
#define IR_OPS_TENSOR_OPS_H_

// Tensors in global memory: tensor.create and tensor.view.
//
// tensor.create (shape; dtype, layout, manual_dep, init_value)
//   Packed, of uninitialised contents unless init_value is given.
// tensor.view (input[, shape[, valid_shape]]; layout)
//   The same bytes under another shape, another layout, or both; packed.
//   Without a shape a change between ND and DN swaps the last two dims, with
//   stride and valid shape. ND <-> MX_A_ZZ / MX_B_NN goes only by a shape and
//   for FP8E8M0: the bytes stay, the ND side counts them, the MX side is [M, G]
//   / [G, N] or, once blocked, [1, *, *, 16, 2].
//
// Short forms: pl.create_tensor, pl.view.
//
// Rules:
//   MX-VIEW-1  a shape or a layout is given
//   MX-VIEW-2  neither side is NZ
//   MX-VIEW-3  MX tensors are viewed by a shape, between ND and MX, in FP8E8M0
//   MX-VIEW-4  the MX side is 2-D or blocked
//   MX-VIEW-5  the number of elements stays
//   MX-VIEW-6  a new shape needs a packed input
//   MX-VIEW-7  a partly valid input needs a valid_shape with its new shape;
//   that
//              lies inside the new shape and is for ND
//   MX-VIEW-8  DN, and a change of layout without a shape, need two dims
//   MX-CREATE-5 a tensor of MX layout is 2-D or blocked
// and those of ir/ops/op_signature.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_OPS_H_
