#ifndef IR_OPS_GEMV_OPS_H_
#define IR_OPS_GEMV_OPS_H_

// Products of the cube beside the matrix product, in Acc.
//
//   tile.gemv (lhs, rhs; acc_phase), tile.gemv_acc (acc, lhs, rhs; acc_phase),
//   tile.gemv_bias (lhs, rhs, bias; acc_phase)
//     [1, K] x [K, N]: a box of 16 rows, [16, N], of which one is valid
//   tile.batch_matmul (lhs, rhs), tile.batch_matmul_acc (acc, lhs, rhs)
//     [..., M, K] x [..., K, N]: the leading dims broadcast
//
// Float operands give FP32, integers INT32.
//
// Rules: MX-MATMUL-4, -9, -12 (ir/ops/matmul_mx_ops.h), MX-TILE-1 and -4
// (ir/ops/tile_rules.h).

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterGemvOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_GEMV_OPS_H_
