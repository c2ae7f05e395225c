#ifndef IR_OPS_TENSOR_MATMUL_OPS_H_
#define IR_OPS_TENSOR_MATMUL_OPS_H_

// Matrix products of whole tensors.
//
// tensor.matmul (lhs, rhs; out_dtype, a_trans, b_trans, c_matrix_nz)
//   [..., M, K] x [..., K, N] is [..., M, N]; leading dims broadcast. A vector
//   counts as one row on the left, one column on the right, and its dim goes. A
//   transposed operand is stored the other way round and has two dims or more.
//   The element type is out_dtype, or the promoted one.
// tensor.matmul_acc (acc, lhs, rhs[, init_cond]; a_trans, b_trans)
//   lhs and rhs of one type; acc is FP32 for floats, INT32 for integers, of the
//   shape of the product. Where init_cond holds, acc counts as zero.
//
// Results are new data, all valid.
//
// Short forms: pl.matmul and pl.matmul_acc of tensors.
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorMatmulOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_MATMUL_OPS_H_
