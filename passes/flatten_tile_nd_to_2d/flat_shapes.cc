#include "passes/flatten_tile_nd_to_2d/flat_shapes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/check.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile {
namespace {

using ir::AsConstInt;
using ir::Context;
using ir::Dims;
using ir::Expr;

bool IsConstant(const Expr* expr, int64_t value) {
  const ir::ConstInt* constant = AsConstInt(expr);
  return constant != nullptr && constant->value == value;
}

}  // namespace

const ir::TileType* AsNdTile(const ir::Type* type) {
  const auto* tile = ir::DynCast<ir::TileType>(type);
  return tile != nullptr && tile->shape.size() > 2 ? tile : nullptr;
}

const Expr* IndexSum(Context& context, const Expr* a, const Expr* b) {
  if (IsConstant(a, 0)) return b;
  if (IsConstant(b, 0)) return a;
  const ir::ConstInt* x = AsConstInt(a);
  const ir::ConstInt* y = AsConstInt(b);
  int64_t sum;
  if (x != nullptr && y != nullptr &&
      !__builtin_add_overflow(x->value, y->value, &sum)) {
    return context.Index(sum);
  }
  return context.NewBinary(ir::BinaryOp::kAdd, a, b);
}

const Expr* IndexProduct(Context& context, const Expr* a, const Expr* b) {
  if (IsConstant(a, 1) || IsConstant(b, 0)) return b;
  if (IsConstant(b, 1) || IsConstant(a, 0)) return a;
  const ir::ConstInt* x = AsConstInt(a);
  const ir::ConstInt* y = AsConstInt(b);
  int64_t product;
  if (x != nullptr && y != nullptr &&
      !__builtin_mul_overflow(x->value, y->value, &product)) {
    return context.Index(product);
  }
  return context.NewBinary(ir::BinaryOp::kMul, a, b);
}

std::optional<int64_t> StaticProduct(Dims dims) {
  int64_t product = 1;
  for (const Expr* dim : dims) {
    const ir::ConstInt* constant = AsConstInt(dim);
    if (constant == nullptr || constant->value <= 0 ||
        __builtin_mul_overflow(product, constant->value, &product)) {
      return std::nullopt;
    }
  }
  return product;
}

Dims FlatDims(Context& context, Dims dims) {
  MX_CHECK(dims.size() > 2) << "rank " << dims.size();
  const Expr* rows = dims[0];
  for (size_t i = 1; i + 1 < dims.size(); ++i) {
    rows = IndexProduct(context, rows, dims[i]);
  }
  return context.ExprList({rows, dims.back()});
}

Dims FlatValidShape(Context& context, Dims valid) {
  const Expr* constant = context.Index(1);
  const Expr* symbolic = context.Index(1);
  for (const Expr* dim : valid.first(valid.size() - 1)) {
    const Expr*& factor = AsConstInt(dim) != nullptr ? constant : symbolic;
    factor = IndexProduct(context, factor, dim);
  }
  return context.ExprList(
      {IndexProduct(context, constant, symbolic), valid.back()});
}

const Expr* RowOffset(Context& context, ir::Exprs offsets, Dims shape) {
  MX_CHECK(offsets.size() == shape.size() && shape.size() > 2)
      << offsets.size() << " offsets of " << shape.size() << " axes";
  const Expr* row = offsets[0];
  for (size_t i = 1; i + 1 < shape.size(); ++i) {
    row = IndexSum(context, IndexProduct(context, row, shape[i]), offsets[i]);
  }
  return row;
}

const ir::TileType* FlatTile(Context& context, const ir::TileType& tile) {
  ir::TileType flat = tile;
  flat.shape = FlatDims(context, tile.shape);
  ir::TileView view;
  if (tile.view != nullptr) {
    view = *tile.view;
    if (view.valid_shape.size() == tile.shape.size()) {
      view.valid_shape = FlatValidShape(context, view.valid_shape);
    }
    view.stride = {};
    view.start_offset = nullptr;
    flat.view = &view;
  }
  return context.GetTileType(flat);
}

bool IsRowBand(Context& context, ir::Exprs region, Dims whole) {
  bool must_be_whole = false;
  for (size_t i = 0; i + 1 < whole.size(); ++i) {
    const bool is_whole =
        context.InternDim(region[i]) == context.InternDim(whole[i]);
    if (must_be_whole && !is_whole) return false;
    must_be_whole = must_be_whole || !IsConstant(region[i], 1);
  }
  return true;
}

}  // namespace mxtile
