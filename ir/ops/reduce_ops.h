#ifndef IR_OPS_REDUCE_OPS_H_
#define IR_OPS_REDUCE_OPS_H_

// Reductions along rows and columns, and their way back, in Vec.
//
//   tile.row_max row_min row_sum row_prod (tile, tmp_tile)
//     [..., M, N] to [..., M, 1], column-major; each row that is valid
//   tile.row_argmax row_argmin (tile, tmp_tile): the same of INT32
//   tile.col_max col_min col_prod (tile), tile.col_sum (tile[, tmp_tile])
//     [M, N] to [1, N], row-major
//   tile.col_argmax col_argmin (tile, tmp_tile): the same of INT32
//   tile.row_expand, row_expand_add sub mul div max min expdif (tile, row_vec)
//     the shape and layout of the tile; row_vec is [..., M, 1], for
//     row_expand_add also one block of 32 bytes wide
//   tile.col_expand, col_expand_add ... (tile, col_vec): those of the tile
//   tile.expands (target, scalar): the target's
//
// Rules: MX-TILE-1 to -4 and -11 (ir/ops/tile_rules.h).

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterReduceOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_REDUCE_OPS_H_
