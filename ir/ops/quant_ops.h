#ifndef IR_OPS_QUANT_OPS_H_
#define IR_OPS_QUANT_OPS_H_

// MX quantisation on the vector unit, and the move that gives its exponents the
// order of scales. The types are those that PyPTO's dumps state.
//
//   tile.tquant_mx (src; group_axis, dtype): (data, scale)
//     group_axis 1: src [M, K]; data FP8E4M3FN [M, K], scale FP8E8M0
//       [M, K/32], row/row/32
//     group_axis 0: src [N, K], which is transposed first; data [K, N], scale
//       [K/32, N], col/col/32
//   tile.tquant_mx_raw (src, max, scaling; group_axis, dtype): (codes, exps)
//     What the hardware has. codes INT8 like src [R, C]; exps UINT8, flat
//     [1, R*C/32] for group_axis 1, [R/32, C] for 0. max and scaling are
//     scratch, of the source's element type, an element for each group.
//   tile.tmov_x2zz (src, tmp; group_axis, dst_rows, dst_cols): UINT8,
//     row/row/32
//     group_axis 1: src [1, M*G] or [M, G] to [M, G] = [dst_rows, dst_cols]
//     group_axis 0: src [G, N] to [N, G], which are also dst_rows and dst_cols
//       where they are given
//
// The rule of the scales is OCP's; no kwarg says another one.
//
// Rules:
//   MX-TQUANT-1  the source is FP16, BF16 or FP32, of constant shape, all valid
//   MX-TQUANT-2  its extents are whole groups and boxes
//   MX-TQUANT-3  dtype is FP8E4M3FN, group_axis 0 or 1
//   MX-TQUANT-4  a scratch tile has the source's element type and an element
//                for each group
//   MX-TQUANT-5  exponents are UINT8, row-major, all of one tile, an even
//                number of groups
//   MX-TQUANT-6  tmp is a row-major UINT8 tile of 64 + ceil(M/16) * G bytes
//                (group_axis 1) or 32

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterQuantOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_QUANT_OPS_H_
