#ifndef IR_OPS_FILL_OPS_H_
#define IR_OPS_FILL_OPS_H_

// Tiles that are made of values, and the part of a tile that is not valid, in
// Vec.
//
//   tile.full (shape, value; dtype)
//   tile.ci (start, shape; dtype, descending): start, start + 1, ...
//   tile.tri (diagonal, shape[, valid_shape]; dtype, upper)
//   tile.random (key0, key1, counter0 to counter3, shape[, valid_shape]; dtype,
//     rounds)
//     Row-major tiles of constant shape.
//   tile.fillpad (tile; pad_value), tile.fillpad_inplace: the whole tile is
//     valid now; its pad is remembered
//   tile.fillpad_expand (tile, shape; pad_value): the same with a larger shape
//
// pl.fillpad fills pad_value in: zero.
//
// Rules: MX-TILE-1, -5, -7 and -12 (ir/ops/tile_rules.h).

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterFillOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_FILL_OPS_H_
