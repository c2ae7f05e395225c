#ifndef IR_OPS_VIEW_OPS_H_
#define IR_OPS_VIEW_OPS_H_

// Parts of tiles, and tiles under another shape. But for tile.extract and
// tile.concat the result stays in the memory space of its first tile operand.
//
//   tile.slice (input, shape, offset[, valid_shape[, drop_dims]]; pad_value)
//     The window of that shape, valid where the tile is; with valid_shape, at
//     most that. drop_dims: axes of extent 1 that go, down to rank 2.
//   tile.reshape (input, shape)
//     As many elements. The valid region has to stay a rectangle at the origin:
//     dims of extent 1 come and go, a prefix of the rows stays a prefix.
//   tile.reinterpret_view (data[, shape]; dtype)
//     The same bytes. Without a shape the contiguous axis grows or shrinks.
//   tile.transpose (input, axis1, axis2[, tmp]): row-major
//   tile.transpose_view (input): the last two axes and their layouts swapped
//   tile.assemble (target, source, offset): the target; where only a part of it
//     was valid, the valid part grows by what is written
//   tile.extract (src, index_row, index_col, shape; target_memory)
//     The window in target_memory (Vec): row/row boxes in Left, row/col in
//     Right, compact there when not all of it is valid
//   tile.concat (src0, src1): side by side, in Vec
//   tile.set_validshape (tile, valid_rows, valid_cols)
//   tile.read (tile, indices): a scalar; tile.write (tile, indices, value): the
//     tile
//
// Rules: MX-TILE-1, -3 to -10 (ir/ops/tile_rules.h).

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterViewOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_VIEW_OPS_H_
