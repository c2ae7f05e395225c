// Subscripts: items of tuples and arrays, windows of tensors and tiles.
//
//   a[0:16, i]    is    tensor.slice(a, [16, 1], [0, i], [], [1])
//   a[i, j]       is    tensor.read(a, [i, j])
//   a[0:16] = b   is    a = tensor.assemble(a, b, [0])

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/text/expr_reader.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {

// One entry a dimension: `offsets` and `extents`. A dimension with an index and
// no slice is dropped from the result.
struct ExprReader::Window {
  std::vector<const ir::Expr*> offsets;
  std::vector<const ir::Expr*> extents;
  std::vector<int64_t> dropped;
};

namespace {

absl::Span<const Expr* const> Indices(const Subscript& subscript) {
  const Tuple* tuple = subscript.index->As<Tuple>();
  return tuple != nullptr ? tuple->elements
                          : absl::MakeConstSpan(&subscript.index, 1);
}

// upper - lower, as short as it can be said.
const ir::Expr* Extent(const ir::Expr* upper, const ir::Expr* lower,
                       Context& context) {
  const ConstInt* from = AsConstInt(lower);
  const ConstInt* to = AsConstInt(upper);
  if (from != nullptr && to != nullptr) {
    return context.Index(to->value - from->value);
  }
  if (from != nullptr && from->value == 0) return upper;
  // i * 16 + 16 behind i * 16.
  const ir::Binary* sum = DynCast<ir::Binary>(upper);
  if (sum != nullptr && sum->op == ir::BinaryOp::kAdd &&
      context.InternDim(sum->lhs) == context.InternDim(lower)) {
    return sum->rhs;
  }
  return context.NewBinary(ir::BinaryOp::kSub, upper, lower);
}

}  // namespace

absl::StatusOr<const ir::Expr*> ExprReader::MakeOpCall(
    absl::string_view op, std::vector<const ir::Expr*> args, TextRange span) {
  ir::Call call;
  call.kind = ir::ExprKind::kCall;
  call.callee = context_->GetOp(op);
  call.args = context_->List(args);
  call.span = At(span);
  return FinishOpCall(call, nullptr);
}

// ---- Reading

absl::StatusOr<const ir::Expr*> ExprReader::ReadSubscript(
    const Subscript& subscript) {
  MX_ASSIGN_OR_RETURN(const ir::Expr* value, Read(subscript.value));
  if (Isa<TupleType>(value->type)) return ReadItem(value, subscript);
  if (Isa<ArrayType>(value->type)) {
    MX_ASSIGN_OR_RETURN(const ir::Expr* index, Read(subscript.index));
    return MakeOpCall("array.get_element", {value, index}, subscript.span);
  }
  if (Isa<TensorType>(value->type) || Isa<TileType>(value->type)) {
    return ReadWindow(value, subscript);
  }
  return Error(kFormRule, subscript.span,
               "only tuples, arrays, tensors and tiles have parts");
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadItem(
    const ir::Expr* tuple, const Subscript& subscript) {
  const TupleType* type = CheckedCast<TupleType>(tuple->type);
  MX_ASSIGN_OR_RETURN(const int64_t index,
                      ReadInt(subscript.index, "the item's number", kFormRule));
  if (index < 0 || index >= static_cast<int64_t>(type->elements.size())) {
    return Error(kFormRule, subscript.index->span,
                 absl::StrCat("item ", index, " of a tuple of ",
                              type->elements.size(), " items"));
  }
  return context_->NewTupleItem(tuple, index, At(subscript.span));
}

absl::Status ExprReader::AddSlice(const Slice& slice, const ir::Expr* size,
                                  Window* window) {
  const ir::Expr* lower = context_->Index(0);
  const ir::Expr* upper = size;
  if (slice.lower != nullptr) {
    MX_ASSIGN_OR_RETURN(lower, Read(slice.lower));
  }
  if (slice.upper != nullptr) {
    MX_ASSIGN_OR_RETURN(upper, Read(slice.upper));
  }
  for (const ir::Expr* bound : {lower, upper}) {
    if (!MayBeInteger(*bound->type)) {
      return Error(kWindowRule, slice.span, "a bound is an integer scalar");
    }
  }
  window->offsets.push_back(lower);
  window->extents.push_back(Extent(upper, lower, *context_));
  return absl::OkStatus();
}

absl::StatusOr<ExprReader::Window> ExprReader::ReadWindowBounds(
    Dims shape, const Subscript& subscript) {
  const absl::Span<const Expr* const> indices = Indices(subscript);
  if (indices.size() > shape.size()) {
    return Error(
        kWindowRule, subscript.index->span,
        absl::StrCat(indices.size(), " indices for rank ", shape.size()));
  }
  Window window;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (const Slice* slice = indices[i]->As<Slice>()) {
      MX_RETURN_IF_ERROR(AddSlice(*slice, shape[i], &window));
      continue;
    }
    MX_ASSIGN_OR_RETURN(const ir::Expr* index, Read(indices[i]));
    window.offsets.push_back(index);
    window.extents.push_back(context_->Index(1));
    window.dropped.push_back(static_cast<int64_t>(i));
  }
  for (size_t i = indices.size(); i < shape.size(); ++i) {
    window.offsets.push_back(context_->Index(0));
    window.extents.push_back(shape[i]);
  }
  return window;
}

absl::StatusOr<const ir::Expr*> ExprReader::ReadWindow(
    const ir::Expr* value, const Subscript& subscript) {
  const TileType* tile = DynCast<TileType>(value->type);
  const absl::string_view ops = tile != nullptr ? "tile" : "tensor";
  const Dims shape =
      tile != nullptr ? tile->shape : DynCast<TensorType>(value->type)->shape;
  MX_ASSIGN_OR_RETURN(Window window, ReadWindowBounds(shape, subscript));
  const ir::Expr* offsets = context_->NewTuple(context_->List(window.offsets));
  if (window.dropped.size() == shape.size()) {
    return MakeOpCall(absl::StrCat(ops, ".read"), {value, offsets},
                      subscript.span);
  }
  // A tile keeps a constant shape; what is known at run time only is valid.
  const ir::Expr* valid = context_->NewTuple(context_->List(window.extents));
  bool narrowed = false;
  for (size_t i = 0; tile != nullptr && i < shape.size(); ++i) {
    const bool constant = AsConstInt(window.extents[i]) != nullptr ||
                          AsConstInt(shape[i]) == nullptr;
    if (constant) continue;
    window.extents[i] = Extent(shape[i], window.offsets[i], *context_);
    narrowed = true;
  }
  const ir::Expr* none = context_->NewTuple({});
  std::vector<const ir::Expr*> args = {
      value, context_->NewTuple(context_->List(window.extents)), offsets};
  if (narrowed || !window.dropped.empty()) {
    args.push_back(narrowed ? valid : none);
  }
  if (!window.dropped.empty()) {
    std::vector<const ir::Expr*> dims;
    for (const int64_t dim : window.dropped) {
      dims.push_back(context_->Index(dim));
    }
    args.push_back(context_->NewTuple(context_->List(dims)));
  }
  return MakeOpCall(absl::StrCat(ops, ".slice"), std::move(args),
                    subscript.span);
}

// ---- Writing

absl::StatusOr<const ir::Expr*> ExprReader::ReadWindowWrite(
    const Subscript& target, const ir::Expr* value) {
  MX_ASSIGN_OR_RETURN(const ir::Expr* whole, Read(target.value));
  if (const ArrayType* array = DynCast<ArrayType>(whole->type)) {
    MX_ASSIGN_OR_RETURN(const ir::Expr* index, Read(target.index));
    const ConstInt* literal = AsConstInt(value);
    if (literal != nullptr && literal->dtype() == DataType::kIndex) {
      value = context_->Int(literal->value, array->dtype);
    }
    return MakeOpCall("array.update_element", {whole, index, value},
                      target.span);
  }
  const TileType* tile = DynCast<TileType>(whole->type);
  const TensorType* tensor = DynCast<TensorType>(whole->type);
  if (tile == nullptr && tensor == nullptr) {
    return Error(kFormRule, target.span,
                 "only parts of tensors, tiles and arrays can be assigned to");
  }
  const bool open = value->type->kind == TypeKind::kUnknown;
  const bool same_kind =
      open || (tile != nullptr ? Isa<TileType>(value->type)
                               : Isa<TensorType>(value->type));
  const absl::string_view kind = tile != nullptr ? "tile" : "tensor";
  const Dims shape = tile != nullptr ? tile->shape : tensor->shape;
  MX_ASSIGN_OR_RETURN(const Window window, ReadWindowBounds(shape, target));
  if (!same_kind || window.dropped.size() == shape.size()) {
    return Error(kWindowRule, target.span,
                 absl::StrCat("a window of a ", kind, " is given a ", kind,
                              "; a single element is no window"));
  }
  if (!open) {
    MX_ASSIGN_OR_RETURN(value, LiftRank(value, window, target));
  }
  return MakeOpCall(
      absl::StrCat(kind, ".assemble"),
      {whole, value, context_->NewTuple(context_->List(window.offsets))},
      target.span);
}

// The value with the dimensions that the window drops, so that the ranks agree.
absl::StatusOr<const ir::Expr*> ExprReader::LiftRank(const ir::Expr* value,
                                                     const Window& window,
                                                     const Subscript& target) {
  const TileType* tile = DynCast<TileType>(value->type);
  const Dims shape =
      tile != nullptr ? tile->shape : DynCast<TensorType>(value->type)->shape;
  const size_t rank = window.extents.size();
  if (shape.size() == rank) return value;
  const size_t kept = rank - window.dropped.size();
  if (shape.size() < kept) {
    return Error(kWindowRule, target.span,
                 absl::StrCat("the window has rank ", kept, ", the value ",
                              shape.size()));
  }
  // A tile may have leading dimensions of 1 that keep it 2-D.
  Dims rest = shape.subspan(shape.size() - kept);
  std::vector<const ir::Expr*> lifted;
  for (size_t i = 0; i < rank; ++i) {
    const bool dropped = std::find(window.dropped.begin(), window.dropped.end(),
                                   i) != window.dropped.end();
    lifted.push_back(dropped ? context_->Index(1) : rest.front());
    if (!dropped) rest.remove_prefix(1);
  }
  return MakeOpCall(tile != nullptr ? "tile.reshape" : "tensor.reshape",
                    {value, context_->NewTuple(context_->List(lifted))},
                    target.span);
}

}  // namespace mxtile::ir::text
