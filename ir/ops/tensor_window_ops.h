#ifndef IR_OPS_TENSOR_WINDOW_OPS_H_
#define IR_OPS_TENSOR_WINDOW_OPS_H_

// Windows of tensors, and which part of a tensor holds data.
//
// tensor.slice (input, shape, offset[, valid_shape[, drop_dims]];
//               pad_value, clamp)
//   The window of that shape at the offset, as ND, of an NZ tensor as NZ. What
//   is valid in it is what the input has there, less what `valid_shape` cuts;
//   with `clamp` the window may reach over the end, where nothing is valid.
//   drop_dims takes dims of 1 away, all but one. The pad is that of the input,
//   or pad_value. An empty valid_shape is none.
// tensor.assemble (target, source, offset; atomic)
//   The target, with the valid part of the source written at the offset. Its
//   valid region grows to a rectangle; a pad is forgotten. Sources of another
//   rank leave it all valid. atomic adds.
// tensor.fillpad (tensor; pad_value)
//   All valid; the rest is filled with zero, max or min.
// tensor.fillpad_expand (tensor, shape; pad_value)
//   The same in a larger shape of constants, of that pad.
// tensor.set_validshape (tensor, valid_rows, valid_cols)
//   The same matrix with another valid region.
//
// slice, assemble and set_validshape leave the data where it is.
//
// Short forms: pl.<name> of a tensor.
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorWindowOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_WINDOW_OPS_H_
