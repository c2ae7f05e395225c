#ifndef IR_OPS_MATMUL_MX_OPS_H_
#define IR_OPS_MATMUL_MX_OPS_H_

// The MX matrix products and the binding of their scales.
//
// tile.matmul_mx      (lhs, lhs_scale, rhs, rhs_scale)
// tile.matmul_mx_acc  (acc, lhs, lhs_scale, rhs, rhs_scale)
// tile.matmul_mx_bias (lhs, lhs_scale, rhs, rhs_scale, bias)
//   lhs [M, K] and rhs [K, N] of FP8E4M3FN; lhs_scale [M, ceil(K/32)] and
//   rhs_scale [ceil(K/32), N] of FP8E8M0. The result is FP32 [M, N] in Acc,
//   whatever spaces the operands are in: Acc is where the cube writes. Its
//   valid shape is [M valid of lhs, N valid of rhs]; compact is normal unless
//   the valid rows are known to be all rows. With an acc the result is the acc:
//   same buffer, same type.
// tile.tget_scale_addr (dst_scale, src)
//   Binds the scale tile to the data tile's address. The type of dst_scale.
//   Made by InsertMxScaleAddr; it has no short form.
//
// Rules, also of ir/ops/matmul_ops.h; each compares constants only:
//   MX-MATMUL-1  data is FP8E4M3FN
//   MX-MATMUL-2  scales are FP8E8M0
//   MX-MATMUL-3  physical M is a positive multiple of 16, N of 32, K of 64
//   MX-MATMUL-4  physical K is the same on both sides
//   MX-MATMUL-5  valid K is the same on both sides (tile.matmul: that of rhs
//                covers that of lhs)
//   MX-MATMUL-6  valid K is positive
//   MX-MATMUL-7  valid K needs as many scale groups as physical K
//   MX-MATMUL-8  scale tiles have the extents of their data, K in groups of 32;
//                for a symbolic K the physical group count is the scale tile's
//   MX-MATMUL-9  acc has type, shape and valid shape of the product
//   (tile.matmul:
//                its valid shape covers that of the product)
//   MX-MATMUL-10 bias is [1, N] of the result's type, with one valid row and
//   the
//                product's valid columns (tile.matmul: at least those)
//   MX-MATMUL-11 lhs_scale and rhs_scale are two tiles
//   MX-MATMUL-12 tile.matmul: lhs and rhs have one element type
//   MX-BIND-1    dst_scale is FP8E8M0
//   MX-BIND-2    src is FP8E4M3FN
//   MX-BIND-3    both spaces are known
//   MX-BIND-4    LeftScale goes with Left, RightScale with Right
//   MX-BIND-5    as MX-MATMUL-8
// and those of ir/ops/op_signature.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterMatmulMxOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_MATMUL_MX_OPS_H_
