#include "passes/flatten_tile_nd_to_2d/batch_matmul_lowering.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/type.h"
#include "passes/flatten_tile_nd_to_2d/flat_shapes.h"
#include "passes/flatten_tile_nd_to_2d/load_window.h"

namespace mxtile {
namespace {

using ir::AttrValue;
using ir::Call;
using ir::CheckedCast;
using ir::DynCast;
using ir::Expr;
using ir::Var;

ir::Attr Target(ir::MemorySpace space) {
  return {"target_memory", AttrValue::Of(space)};
}

}  // namespace

// ---- Shapes

bool BatchMatmulLowering::PrepareSide(const BatchOperand& operand, Side* side) {
  if (operand.type == nullptr || operand.type->shape.size() < 2 ||
      !StaticProduct(operand.type->shape).has_value()) {
    Error(absl::StrCat("the ", side->name,
                       " of a batch matmul is no tile of constant dims"));
    return false;
  }
  side->operand = operand;
  std::vector<int64_t> dims;
  for (const Expr* dim : operand.type->shape) {
    dims.push_back(ir::AsConstInt(dim)->value);
  }
  side->rows = dims[dims.size() - 2];
  side->columns = dims.back();
  side->batch.assign(dims.begin(), dims.end() - 2);
  return true;
}

bool BatchMatmulLowering::Prepare(const Call& call) {
  const std::vector<BatchOperand> sides = operands_.OperandsOf(call);
  lhs_.name = "lhs";
  rhs_.name = "rhs";
  if (!PrepareSide(sides[0], &lhs_) || !PrepareSide(sides[1], &rhs_)) {
    return false;
  }
  const size_t rank = std::max(lhs_.batch.size(), rhs_.batch.size());
  batch_.assign(rank, 1);
  for (const Side* side : {&lhs_, &rhs_}) {
    const size_t lead = rank - side->batch.size();
    for (size_t i = 0; i < side->batch.size(); ++i) {
      int64_t& dim = batch_[lead + i];
      if (side->batch[i] == 1) continue;
      if (dim != 1 && dim != side->batch[i]) {
        Error(absl::StrCat("batch dims ", dim, " and ", side->batch[i],
                           " of a batch matmul do not broadcast"));
        return false;
      }
      dim = side->batch[i];
    }
  }
  pages_ = 1;
  for (const int64_t dim : batch_) pages_ *= dim;
  return true;
}

std::vector<int64_t> BatchMatmulLowering::IndicesOf(int64_t page) const {
  std::vector<int64_t> indices(batch_.size());
  for (size_t i = batch_.size(); i-- > 0;) {
    indices[i] = page % batch_[i];
    page /= batch_[i];
  }
  return indices;
}

std::vector<int64_t> BatchMatmulLowering::IndicesIn(const Side& side,
                                                    int64_t page) const {
  const std::vector<int64_t> all = IndicesOf(page);
  std::vector<int64_t> indices(all.end() - side.batch.size(), all.end());
  for (size_t i = 0; i < indices.size(); ++i) {
    if (side.batch[i] == 1) indices[i] = 0;
  }
  return indices;
}

ir::Exprs BatchMatmulLowering::Shifted(ir::Exprs offsets,
                                       const std::vector<int64_t>& indices) {
  std::vector<const Expr*> shifted(offsets.begin(), offsets.end());
  for (size_t i = 0; i < indices.size(); ++i) {
    shifted[i] = IndexSum(context_, shifted[i], context_.Index(indices[i]));
  }
  return context_.List(shifted);
}

// ---- Pages

const Var* BatchMatmulLowering::Page(const Side& side, int64_t page) {
  const std::vector<int64_t> indices = IndicesIn(side, page);
  int64_t number = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    number = number * side.batch[i] + indices[i];
  }
  const std::string suffix = absl::StrCat(number);
  if (!side.operand.stays_whole) return LoadedPage(side, indices, suffix);
  const Expr* tile = rewrite_(side.operand.tile);
  const auto* type = DynCast<ir::TileType>(tile->type);
  if (type == nullptr || type->shape.size() != 2) {
    Error(absl::StrCat("the ", side.name, " of a batch matmul is not flat"));
    return nullptr;
  }
  return emit_.Op(absl::StrCat(side.name, "_slice_", suffix), "tile.slice",
                  {tile, emit_.List({side.rows, side.columns}),
                   side.operand.is_view ? emit_.List({0, number * side.columns})
                                        : emit_.List({number * side.rows, 0})});
}

const Var* BatchMatmulLowering::LoadedPage(const Side& side,
                                           std::vector<int64_t> indices,
                                           const std::string& suffix) {
  const Call& load = *side.operand.load;
  const Expr* tensor = rewrite_(load.args[0]);
  const auto& tensor_type = *CheckedCast<ir::TensorType>(tensor->type);
  const auto* offsets = CheckedCast<ir::Tuple>(rewrite_(load.args[1]));
  const auto* window = CheckedCast<ir::Tuple>(load.args[2]);
  const size_t rank = window->elements.size();

  const ir::Exprs at = Shifted(offsets->elements, indices);
  const Var* source = FlatSource(
      tensor, absl::StrCat(side.name, "_pbview2d_", suffix), context_, emit_);
  const Expr* shape = context_.NewTuple(context_.ExprList(
      {window->elements[rank - 2], window->elements[rank - 1]}));
  const Expr* offset = context_.NewTuple(context_.ExprList(
      {RowOffset(context_, at, tensor_type.shape), at.back()}));
  const Var* page = emit_.Assign(
      absl::StrCat(side.name, "_pbload_", suffix),
      emit_.Call("tile.load", context_.ExprList({source, offset, shape, shape}),
                 load.kwargs, load.span, nullptr));
  if (!side.operand.is_view) return page;
  return emit_.Op(absl::StrCat(side.name, "_pbview_", suffix),
                  "tile.transpose_view", {page});
}

const Var* BatchMatmulLowering::PageProduct(int64_t page) {
  const Var* lhs = Page(lhs_, page);
  const Var* rhs = Page(rhs_, page);
  if (lhs == nullptr || rhs == nullptr) return nullptr;
  return emit_.Op(absl::StrCat("matmul_", page), "tile.matmul", {lhs, rhs});
}

const Expr* BatchMatmulLowering::InVec(const Var* product,
                                       const ir::TileType& result, bool move,
                                       int64_t page) {
  const auto* type = DynCast<ir::TileType>(product->type);
  const bool cast = type != nullptr && type->dtype != result.dtype;
  if (!cast && !move) return product;
  product = emit_.Op(absl::StrCat("matmul_vec_", page), "tile.move", {product},
                     {Target(ir::MemorySpace::kVec)});
  if (!cast) return product;
  return emit_.Op(absl::StrCat("matmul_cast_", page), "tile.cast", {product},
                  {{"target_type", AttrValue::Of(result.dtype)},
                   {"mode", AttrValue::String("round")}});
}

// ---- Batch matmuls

const Var* BatchMatmulLowering::Matmul(const Call& call,
                                       absl::string_view name) {
  if (!Prepare(call)) return nullptr;
  const auto& result = *CheckedCast<ir::TileType>(call.type);
  if (pages_ == 1) {
    const Var* product = PageProduct(0);
    return product == nullptr
               ? nullptr
               : CheckedCast<Var>(InVec(product, result, false, 0));
  }
  const Var* tile = emit_.Op(
      name, "tile.create", {emit_.List({pages_ * lhs_.rows, rhs_.columns})},
      {{"dtype", AttrValue::Of(result.dtype)}, Target(ir::MemorySpace::kVec)});
  for (int64_t page = 0; page < pages_; ++page) {
    const Var* product = PageProduct(page);
    if (product == nullptr) return nullptr;
    tile = emit_.Op(name, "tile.assemble",
                    {tile, InVec(product, result, true, page),
                     emit_.List({page * lhs_.rows, 0})});
  }
  return tile;
}

const Var* BatchMatmulLowering::MatmulAndStore(const Call& call,
                                               const Call& store,
                                               absl::string_view name) {
  if (!Prepare(call)) return nullptr;
  const auto& result = *CheckedCast<ir::TileType>(call.type);
  const Expr* tensor = rewrite_(store.args[2]);
  const auto* type = DynCast<ir::TensorType>(tensor->type);
  const auto* offsets = DynCast<ir::Tuple>(rewrite_(store.args[1]));
  if (type == nullptr || offsets == nullptr ||
      offsets->elements.size() != batch_.size() + 2) {
    Error("the store of a batch matmul has not one offset for each axis of it");
    return nullptr;
  }
  std::vector<const Expr*> window(type->shape.size(), context_.Index(1));
  if (window.size() >= 2) {
    window[window.size() - 2] = context_.Index(lhs_.rows);
    window.back() = context_.Index(rhs_.columns);
  }
  const Var* stored = nullptr;
  for (int64_t page = 0; page < pages_; ++page) {
    const Var* product = PageProduct(page);
    if (product == nullptr) return nullptr;
    std::vector<const Expr*> args = {
        InVec(product, result, false, page),
        context_.NewTuple(Shifted(offsets->elements, IndicesOf(page))), tensor};
    if (window.size() > 2) args.push_back(context_.NewTuple(window));
    stored = emit_.Assign(
        absl::StrCat(name, "_", page),
        emit_.Call("tile.store", args, store.kwargs, store.span, tensor->type));
    tensor = stored;
  }
  return stored;
}

const Var* BatchMatmulLowering::Accumulate(const Call& call) {
  if (!Prepare(call)) return nullptr;
  const Var* acc = DynCast<Var>(rewrite_(call.args[0]));
  const auto* type =
      acc == nullptr ? nullptr : DynCast<ir::TileType>(acc->type);
  if (type == nullptr || type->shape.size() != 2) {
    Error("the accumulator of a batch matmul is no flat tile");
    return nullptr;
  }
  for (int64_t page = 0; page < pages_; ++page) {
    const Var* lhs = Page(lhs_, page);
    const Var* rhs = Page(rhs_, page);
    if (lhs == nullptr || rhs == nullptr) return nullptr;
    if (pages_ == 1) {
      return emit_.Op(acc->name, "tile.matmul_acc", {acc, lhs, rhs});
    }
    const Expr* offset = emit_.List({page * lhs_.rows, 0});
    const Var* part =
        emit_.Op(absl::StrCat("acc_page_", page), "tile.slice",
                 {acc, emit_.List({lhs_.rows, rhs_.columns}), offset});
    const Var* sum = emit_.Op(absl::StrCat("matmul_acc_", page),
                              "tile.matmul_acc", {part, lhs, rhs});
    acc = emit_.Op(acc->name, "tile.assemble", {acc, sum, offset});
  }
  return acc;
}

}  // namespace mxtile
