#ifndef IR_OPS_CROSS_CORE_OPS_H_
#define IR_OPS_CROSS_CORE_OPS_H_

// Tiles between the cube core (AIC) and its vector cores (AIV), and between
// devices.
//
//   tile.tpush_to_aiv, tile.tpush_to_aic (tile; split, id)
//   tile.tpop_from_aic, tile.tpop_from_aiv (; split, id, shape, dtype)
//     A tile of that shape and type, in Vec on an AIV, in Mat on the AIC;
//     without them what the text states.
//   tile.aiv_shard (tile; split): the part of one AIV; tile.aic_gather (tile;
//     split): the whole again. Split 1 and 3 halve rows, 2 and 4 columns.
//     Without a split, as in the scope that decides it, what the text states.
//   pld.tile.remote_load (target, peer, offsets, shape[, valid_shape]): a tile
//   pld.tile.remote_store, pld.tile.put, pld.tile.get: nothing
//
// Rules: MX-TILE-5, -7 and -13 (ir/ops/tile_rules.h).

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterCrossCoreOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_CROSS_CORE_OPS_H_
