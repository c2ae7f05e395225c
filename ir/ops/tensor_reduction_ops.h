#ifndef IR_OPS_TENSOR_REDUCTION_OPS_H_
#define IR_OPS_TENSOR_REDUCTION_OPS_H_

// Reductions of tensors along an axis, and the way back.
//
// tensor.row_sum, row_max, row_min, row_prod, row_argmax, row_argmin
// tensor.col_sum, ... (input; axis, keep_dim)
//   Rows are reduced along the last axis, columns along the one before it,
//   unless `axis` says otherwise. The axis stays as 1; without keep_dim it
//   goes, and what remains of a vector is a scalar. The valid region goes the
//   same way; no part of it is empty. Positions (arg...) are INT32. row_min is
//   for INT16, INT32, FP16, FP32. Column forms need two dims.
// tensor.row_expand[_add, _sub, _mul, _div, _max, _min, _expdif]
//     (tensor [..., M, N], row_vec [..., M, 1])
// tensor.col_expand[...] (tensor [..., M, N], col_vec [..., 1, N])
//   The vector is repeated along the axis in which it has one element. The
//   result has the shape of the tensor and the promoted type, all valid.
//   row_expand_add needs one type, of INT8, INT16, INT32, FP16, FP32.
// tensor.expands (target, scalar)
//   The scalar in the shape and type of the target.
// tensor.expand_clone (input, target)
//   Of three dims; one of them may grow from 1 to that of the target.
//
// Short forms: pl.<name> of a tensor.
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorReductionOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_REDUCTION_OPS_H_
