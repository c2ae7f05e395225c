#ifndef PASSES_FLATTEN_TILE_ND_TO_2D_FLAT_SHAPES_H_
#define PASSES_FLATTEN_TILE_ND_TO_2D_FLAT_SHAPES_H_

// Shapes, offsets and regions of tiles with more than two axes, and what they
// are once all axes but the last are one.
//
//   FlatDims(context, {2, 3, 4})          // [6, 4]
//   RowOffset(context, {1, 2, 5}, {2, 3, 4})   // 1*3 + 2 = 5

#include <cstdint>
#include <optional>

#include "ir/context.h"
#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile {

// The type as a tile of more than two axes; null when it is none.
const ir::TileType* AsNdTile(const ir::Type* type);

// a + b and a * b: constants are folded unless they overflow, 0 and 1 drop out.
const ir::Expr* IndexSum(ir::Context& context, const ir::Expr* a,
                         const ir::Expr* b);
const ir::Expr* IndexProduct(ir::Context& context, const ir::Expr* a,
                             const ir::Expr* b);

// The product of constant dims; nullopt for one that is not a positive
// constant, and for an overflow.
std::optional<int64_t> StaticProduct(ir::Dims dims);

// [product of all dims but the last, last].
ir::Dims FlatDims(ir::Context& context, ir::Dims dims);
// The same of a valid shape: the constant factor comes first.
ir::Dims FlatValidShape(ir::Context& context, ir::Dims valid);
// The row of an element, counted over all axes of `shape` but the last.
const ir::Expr* RowOffset(ir::Context& context, ir::Exprs offsets,
                          ir::Dims shape);

// The tile with two axes: shape and valid shape flat, all else kept.
const ir::TileType* FlatTile(ir::Context& context, const ir::TileType& tile);

// Whether a region of that extent, inside of `whole`, is a band of rows once
// `whole` is flat: behind the first axis that it has more than one element of,
// it has all of every axis but the last.
bool IsRowBand(ir::Context& context, ir::Exprs region, ir::Dims whole);

}  // namespace mxtile

#endif  // PASSES_FLATTEN_TILE_ND_TO_2D_FLAT_SHAPES_H_
