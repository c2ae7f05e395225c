#ifndef IR_OPS_MATMUL_OPS_H_
#define IR_OPS_MATMUL_OPS_H_

// The matrix products without scales.
//
// tile.matmul      (lhs, rhs)
// tile.matmul_acc  (acc, lhs, rhs[, init_cond])
// tile.matmul_bias (lhs, rhs, bias)
//   lhs [M, K] and rhs [K, N] of one element type. The result is [M, N] in Acc,
//   FP32 of floats and INT32 of integers; valid shape, compact mode and acc as
//   in ir/ops/matmul_mx_ops.h, where the rules stand, too. Where init_cond
//   holds, the product overwrites the acc.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterMatmulOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_MATMUL_OPS_H_
