#ifndef IR_OPS_ELEMENTWISE_OPS_H_
#define IR_OPS_ELEMENTWISE_OPS_H_

// Element by element, in Vec:
//
//   tile.abs exp sin cos neg sqrt relu recip log rsqrt not (tile)
//   tile.add sub mul div maximum minimum fmod part_* and or xor shl shr rem ...
//     (lhs, rhs): the tiles broadcast; the wider element type, of shifts that
//     of lhs. tile.div: one shape, one type.
//   tile.adds subs muls divs ... (lhs, scalar): the type of lhs
//   tile.addc subc (a, b, c), tile.addsc subsc (a, scalar, c)
//   tile.sel (mask, lhs, rhs, tmp), tile.sels (mask, src, tmp, scalar)
//   tile.cmp cmps (lhs, rhs; cmp_type): a bit for each element, packed into
//     UINT8 along the last dimension; its physical extent a multiple of 32
//
// The result has layout, pad and valid shape of the first value operand. Where
// that one is broadcast, the valid extent is the other's.
//
// pl.add of a tile and a scalar is tile.adds, and so on.
//
// Rules: MX-TILE-1 to -4 (ir/ops/tile_rules.h).

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterElementwiseOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_ELEMENTWISE_OPS_H_
