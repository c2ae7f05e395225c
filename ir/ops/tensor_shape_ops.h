#ifndef IR_OPS_TENSOR_SHAPE_OPS_H_
#define IR_OPS_TENSOR_SHAPE_OPS_H_

// The same elements under another shape.
//
// tensor.reshape (input, shape[, valid_shape])
//   ND, of the pad of the input. The valid region follows (reshape_rules.h);
//   where it is no rectangle under the new shape, there is no such reshape. A
//   valid_shape may cut it.
// tensor.reinterpret_view (data[, shape]; dtype)
//   The same bytes as elements of another type. Without a shape the dim along
//   which elements follow each other counts anew, with its valid extent. The
//   data is packed, ND or DN; a pad of zero stays.
// tensor.transpose (input, axis1, axis2[, valid_shape])
//   Strides and valid region swap with the dims; a swap of the last two turns
//   ND into DN and DN into ND. A valid_shape is that of the result.
// tensor.concat (src0, src1)
//   Matrices side by side: new data.
// tensor.aiv_shard, aic_gather (tensor; split)
//   Half of a matrix, or both halves, along the axis of the split: UP_DOWN (1)
//   rows, LEFT_RIGHT (2) columns, NONE (0) neither. Of an odd extent the larger
//   half. Without `split` it is that of the region around, which says the type.
//
// reshape and reinterpret_view leave the data where it is.
//
// Short forms: pl.<name> of a tensor.
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorShapeOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_SHAPE_OPS_H_
