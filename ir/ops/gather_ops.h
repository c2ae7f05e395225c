#ifndef IR_OPS_GATHER_OPS_H_
#define IR_OPS_GATHER_OPS_H_

// Elements by index, in Vec.
//
//   tile.gather (src, indices, tmp): the shape of the indices
//   tile.gatherb (src, offset; output_dtype): 32 bytes an offset
//   tile.gather_mask (src; mask_pattern, output_dtype)
//     Every second (patterns 1, 2), every fourth (3 to 6) or each (7) column.
//   tile.gather_compare (src, kvalue, tmp; cmp_mode, offset, out_cols,
//     count_dtype): the indices [rows, out_cols] of INT32, and counts [1, rows]
//   tile.gather_row (dst, src, dst_offset, src_offset, shapes[, valid_shape];
//     transpose): the dst
//   tile.mgather (mem, idx[, scratch][, valid_shape]; coalesce, gather_oob,
//     target_memory): by rows [indices, last dim of mem], by elements the shape
//     of idx; in Mat column-major with row-major boxes
//   tile.scatter (dst, src, indexes), tile.scatter_mask (dst, src;
//     mask_pattern), tile.scatter_update (input, index, src; dim): the first
//   tile.mscatter (src, idx, output_tensor): the tensor
//   tile.sort32 (src, idx): values and indices in turn, twice as wide
//   tile.mrgsort_format1 (src, block_len): the shape of src
//   tile.mrgsort_format2 (src0, src1[, src2[, src3]], tmp): that of tmp
//
// pl.mrgsort is format1 with block_len, else format2.
//
// Rules: MX-TILE-1 to -4 and -13 (ir/ops/tile_rules.h).

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterGatherOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_GATHER_OPS_H_
