#include "ir/text/type_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/text/lexer.h"
#include "ir/text/printer.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {
namespace {

// The entries between the brackets of `pl.Tensor[a, b]`.
absl::Span<const Expr* const> Slots(const Expr* const& index) {
  const Tuple* tuple = index->As<Tuple>();
  return tuple != nullptr ? tuple->elements : absl::MakeConstSpan(&index, 1);
}

constexpr char kNoType[] = "expected a type, such as pl.Tensor[...]";

// "pl.Ptr", "pld.CommCtxType": the path as it is written with the usual
// aliases.
std::string Spelled(const Path& path) {
  const std::string name = absl::StrJoin(path, ".");
  return path[0] == "pld" ? name : absl::StrCat("pl.", name);
}

std::optional<TypeKind> MarkerKind(absl::string_view spelled) {
  for (const TypeKind kind :
       {TypeKind::kUnknown, TypeKind::kPtr, TypeKind::kMemRefType,
        TypeKind::kWindowBuffer, TypeKind::kCommCtx,
        TypeKind::kPrefetchAsyncContext, TypeKind::kAsyncEvent,
        TypeKind::kAsyncSession}) {
    if (MarkerTypeName(kind) == spelled) return kind;
  }
  // The front end's name.
  if (spelled == "pld.CommCtx") return TypeKind::kCommCtx;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<const Type*> TypeReader::Read(const Expr* annotation) {
  if (const Subscript* subscript = annotation->As<Subscript>()) {
    return ReadSubscript(*subscript);
  }
  // The old style: pl.Tensor((64, 64), pl.FP16).
  if (const Call* call = AsPlCall(annotation, "Tensor")) {
    if (!call->keywords.empty()) {
      return exprs_.Error(kTypeRule, call->keywords[0].name_span,
                          "pl.Tensor(DIMS, pl.DTYPE) takes no keywords");
    }
    return ReadTensor(call->arguments, call->span, /*distributed=*/false);
  }
  const Path path = exprs_.PlPath(annotation);
  if (path.empty()) {
    return exprs_.Error(kTypeRule, annotation->span, kNoType);
  }
  const std::string name = Spelled(path);
  if (const std::optional<TypeKind> kind = MarkerKind(name)) {
    return exprs_.context().GetMarkerType(*kind);
  }
  return exprs_.Error(kTypeRule, annotation->span,
                      absl::StrCat(name, " is no type"));
}

absl::StatusOr<const Type*> TypeReader::ReadSubscript(
    const Subscript& subscript) {
  const absl::Span<const Expr* const> slots = Slots(subscript.index);
  const Name* builtin = subscript.value->As<Name>();
  if (builtin != nullptr && builtin->name == "tuple") return ReadTuple(slots);
  const Path path = exprs_.PlPath(subscript.value);
  const absl::string_view name = path.empty() ? "" : path.back();
  const bool pld = path.size() == 2 && path[0] == "pld";
  if (path.size() == 1) {
    if (name == "Scalar") return ReadScalar(slots, subscript.span);
    if (name == "Tensor") return ReadTensor(slots, subscript.span, false);
    if (name == "Tile") return ReadTile(slots, subscript.span);
    if (name == "Array") return ReadArray(slots, subscript.span);
    if (name == "Tuple") return ReadTuple(slots);
  }
  if (pld && name == "DistributedTensor") {
    return ReadTensor(slots, subscript.span, /*distributed=*/true);
  }
  return exprs_.Error(
      kTypeRule, subscript.value->span,
      path.empty() ? kNoType : absl::StrCat(Spelled(path), " is no type"));
}

absl::StatusOr<const Type*> TypeReader::ReadScalar(
    absl::Span<const Expr* const> slots, TextRange span) {
  if (slots.size() != 1) {
    return exprs_.Error(kTypeRule, span, "expected pl.Scalar[pl.DTYPE]");
  }
  MX_ASSIGN_OR_RETURN(const DataType dtype, exprs_.ReadDataType(slots[0]));
  return exprs_.context().GetScalarType(dtype);
}

absl::StatusOr<const Type*> TypeReader::ReadArray(
    absl::Span<const Expr* const> slots, TextRange span) {
  if (slots.size() != 2) {
    return exprs_.Error(kTypeRule, span, "expected pl.Array[EXTENT, pl.DTYPE]");
  }
  MX_ASSIGN_OR_RETURN(const int64_t extent,
                      exprs_.ReadInt(slots[0], "an array's extent", kTypeRule));
  if (extent <= 0) {
    return exprs_.Error(
        kTypeRule, slots[0]->span,
        absl::StrCat("an array's extent must be positive, not ", extent));
  }
  MX_ASSIGN_OR_RETURN(const DataType dtype, exprs_.ReadDataType(slots[1]));
  return exprs_.context().GetArrayType(extent, dtype);
}

absl::StatusOr<const Type*> TypeReader::ReadTuple(
    absl::Span<const Expr* const> slots) {
  std::vector<const Type*> elements;
  for (const Expr* slot : slots) {
    MX_ASSIGN_OR_RETURN(const Type* type, Read(slot));
    elements.push_back(type);
  }
  return exprs_.context().GetTupleType(elements);
}

absl::StatusOr<const ir::Expr*> TypeReader::ReadDim(const Expr* expr,
                                                    absl::string_view what) {
  MX_ASSIGN_OR_RETURN(const ir::Expr* dim, exprs_.Read(expr));
  if (!MayBeInteger(*dim->type)) {
    return exprs_.Error(kTypeRule, expr->span,
                        absl::StrCat(what, " is an integer scalar"));
  }
  return dim;
}

absl::StatusOr<Dims> TypeReader::ReadDims(const Expr* expr) {
  const List* list = expr->As<List>();
  const Tuple* tuple = expr->As<Tuple>();
  if (list == nullptr && tuple == nullptr) {
    return exprs_.Error(kTypeRule, expr->span, "expected a list of dimensions");
  }
  std::vector<const ir::Expr*> dims;
  for (const Expr* element : list ? list->elements : tuple->elements) {
    MX_ASSIGN_OR_RETURN(const ir::Expr* dim, ReadDim(element, "a dimension"));
    dims.push_back(dim);
  }
  return exprs_.context().List(dims);
}

absl::StatusOr<Dims> TypeReader::ReadShape(const Expr* expr, DataType dtype) {
  MX_ASSIGN_OR_RETURN(const Dims shape, ReadDims(expr));
  for (const ir::Expr* dim : shape) {
    const ConstInt* constant = AsConstInt(dim);
    if (constant != nullptr && constant->value < 0) {
      return exprs_.Error(
          kTypeRule, expr->span,
          absl::StrCat("dimension ", constant->value, " is negative"));
    }
  }
  if (dtype != DataType::kFP4) return shape;
  const ConstInt* last = shape.empty() ? nullptr : AsConstInt(shape.back());
  const bool odd =
      last != nullptr && (last->value <= 0 || last->value % 2 != 0);
  if (shape.empty() || odd) {
    return exprs_.Error(kTypeRule, expr->span,
                        "FP4 elements share bytes in pairs: the last "
                        "dimension must be positive and even");
  }
  return shape;
}

absl::Status TypeReader::CheckViewRank(Dims list, Dims shape, TextRange span) {
  if (list.empty() || list.size() == shape.size()) return absl::OkStatus();
  return exprs_.Error(kTypeRule, span,
                      absl::StrCat("the view has rank ", list.size(),
                                   ", the shape ", shape.size()));
}

const Call* TypeReader::AsPlCall(const Expr* slot, absl::string_view name) {
  const Call* call = slot->As<Call>();
  if (call == nullptr) return nullptr;
  const Path path = exprs_.PlPath(call->callee);
  return path.size() == 1 && path[0] == name ? call : nullptr;
}

// ---- Memrefs

// pl.MemRef(...), or one slot of it: pl.MemRef(...)[i]. Null when it is none.
const Call* TypeReader::AsMemRef(const Expr* slot) {
  const Subscript* subscript = slot->As<Subscript>();
  return AsPlCall(subscript != nullptr ? subscript->value : slot, "MemRef");
}

absl::StatusOr<MemRef> TypeReader::ReadMemRef(const Expr* slot) {
  const Call& call = *AsMemRef(slot);
  const bool declared = call.arguments.size() == 1;
  const bool known_keywords =
      call.keywords.empty() ||
      (call.keywords.size() == 1 && call.keywords[0].name == "slots");
  if ((!declared && call.arguments.size() != 3) || !known_keywords) {
    return exprs_.Error(kTypeRule, call.span,
                        "expected pl.MemRef(BASE, BYTE_OFFSET, SIZE) or "
                        "pl.MemRef(BASE), either with slots=COUNT");
  }
  MemRef memref;
  if (!call.keywords.empty()) {
    MX_ASSIGN_OR_RETURN(
        memref.slot_count,
        exprs_.ReadInt(call.keywords[0].value, "slots", kTypeRule));
  }
  const Subscript* subscript = slot->As<Subscript>();
  if (memref.slot_count < 0 || (subscript != nullptr && !memref.slot_count)) {
    return exprs_.Error(kTypeRule, slot->span,
                        "a slot is chosen of several: slots=COUNT");
  }
  if (subscript != nullptr) {
    MX_ASSIGN_OR_RETURN(memref.slot_index,
                        ReadDim(subscript->index, "a slot's number"));
  }
  const Name* name = call.arguments[0]->As<Name>();
  const String* quoted = call.arguments[0]->As<String>();
  const bool is_name =
      name != nullptr || (quoted != nullptr && IsIdentifier(quoted->value));
  if (!is_name) {
    return exprs_.Error(kTypeRule, call.arguments[0]->span,
                        "a memref's base is a name");
  }
  memref.base =
      exprs_.scope().MemRefBase(name != nullptr ? name->name : quoted->value);
  if (declared) return memref;
  MX_ASSIGN_OR_RETURN(memref.byte_offset,
                      ReadDim(call.arguments[1], "a memref's offset"));
  MX_ASSIGN_OR_RETURN(
      memref.size_bytes,
      exprs_.ReadInt(call.arguments[2], "a memref's size", kTypeRule));
  if (memref.size_bytes < 0) {
    return exprs_.Error(
        kTypeRule, call.arguments[2]->span,
        absl::StrCat("a memref of ", memref.size_bytes, " bytes"));
  }
  return memref;
}

// ---- Tensors

absl::Status TypeReader::ReadTensorViewField(const KeywordArgument& field,
                                             TensorView* view) {
  if (field.name == "stride") {
    MX_ASSIGN_OR_RETURN(view->stride, ReadDims(field.value));
  } else if (field.name == "valid_shape") {
    MX_ASSIGN_OR_RETURN(view->valid_shape, ReadDims(field.value));
  } else if (field.name == "layout") {
    MX_ASSIGN_OR_RETURN(view->layout,
                        exprs_.ReadEnum<TensorLayout>(field.value));
  } else if (field.name == "pad") {
    MX_ASSIGN_OR_RETURN(view->pad, exprs_.ReadEnum<PadValue>(field.value));
  } else {
    return exprs_.Error(kTypeRule, field.name_span,
                        absl::StrCat("pl.TensorView has no '", field.name,
                                     "'; it has valid_shape, stride, layout "
                                     "and pad"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorView> TypeReader::ReadTensorView(const Expr* slot) {
  TensorView view;
  if (const Call* call = AsPlCall(slot, "TensorView")) {
    if (!call->arguments.empty()) {
      return exprs_.Error(kTypeRule, call->arguments[0]->span,
                          "pl.TensorView takes keyword arguments only");
    }
    for (const KeywordArgument& field : call->keywords) {
      MX_RETURN_IF_ERROR(ReadTensorViewField(field, &view));
    }
    return view;
  }
  // pl.NZ for a view of that layout.
  const Path path = exprs_.PlPath(slot);
  const std::optional<TensorLayout> layout =
      path.size() == 1 ? EnumFromName<TensorLayout>(path[0]) : std::nullopt;
  if (!layout.has_value()) {
    return exprs_.Error(kTypeRule, slot->span,
                        "expected pl.TensorView(...), a layout such as pl.NZ, "
                        "or pl.MemRef(...)");
  }
  if (*layout == TensorLayout::kDN) {
    return exprs_.Error(kTypeRule, slot->span,
                        "pl.DN alone is ambiguous; give "
                        "pl.TensorView(stride=[...], "
                        "layout=pl.TensorLayout.DN)");
  }
  view.layout = *layout;
  return view;
}

absl::StatusOr<const Type*> TypeReader::ReadTensor(
    absl::Span<const Expr* const> slots, TextRange span, bool distributed) {
  if (slots.size() < 2 || slots.size() > 4) {
    return exprs_.Error(
        kTypeRule, span,
        "expected pl.Tensor[[DIMS], pl.DTYPE, VIEW, MEMREF], the last two "
        "optional");
  }
  TensorType type;
  type.kind = distributed ? TypeKind::kDistributedTensor : TypeKind::kTensor;
  MX_ASSIGN_OR_RETURN(type.dtype, exprs_.ReadDataType(slots[1]));
  MX_ASSIGN_OR_RETURN(type.shape, ReadShape(slots[0], type.dtype));
  TensorView view;
  MemRef memref;
  for (const Expr* slot : slots.subspan(2)) {
    // The window buffer of a distributed tensor is not part of its type.
    if (distributed && slot->As<String>() != nullptr) continue;
    if (AsMemRef(slot) != nullptr && type.memref == nullptr) {
      MX_ASSIGN_OR_RETURN(memref, ReadMemRef(slot));
      type.memref = &memref;
    } else if (slot == slots[2]) {
      MX_ASSIGN_OR_RETURN(view, ReadTensorView(slot));
      type.view = &view;
    } else {
      return exprs_.Error(kTypeRule, slot->span,
                          "the last entry must be the pl.MemRef(...)");
    }
  }
  for (const Dims dims : {view.stride, view.valid_shape}) {
    if (type.view == nullptr) continue;
    MX_RETURN_IF_ERROR(CheckViewRank(dims, type.shape, slots[2]->span));
  }
  return exprs_.context().GetTensorType(type);
}

// ---- Tiles

absl::Status TypeReader::ReadTileViewField(const KeywordArgument& field,
                                           TileView* view) {
  if (field.name == "valid_shape") {
    MX_ASSIGN_OR_RETURN(view->valid_shape, ReadDims(field.value));
  } else if (field.name == "stride") {
    MX_ASSIGN_OR_RETURN(view->stride, ReadDims(field.value));
  } else if (field.name == "start_offset") {
    MX_ASSIGN_OR_RETURN(view->start_offset,
                        ReadDim(field.value, "a start offset"));
  } else if (field.name == "blayout") {
    MX_ASSIGN_OR_RETURN(view->blayout,
                        exprs_.ReadEnum<TileLayout>(field.value));
  } else if (field.name == "slayout") {
    MX_ASSIGN_OR_RETURN(view->slayout,
                        exprs_.ReadEnum<TileLayout>(field.value));
  } else if (field.name == "fractal") {
    MX_ASSIGN_OR_RETURN(
        view->fractal,
        exprs_.ReadInt(field.value, "a fractal's size", kTypeRule));
  } else if (field.name == "pad") {
    MX_ASSIGN_OR_RETURN(view->pad, exprs_.ReadEnum<PadValue>(field.value));
  } else if (field.name == "compact") {
    MX_ASSIGN_OR_RETURN(view->compact,
                        exprs_.ReadEnum<CompactMode>(field.value));
  } else {
    return exprs_.Error(kTypeRule, field.name_span,
                        absl::StrCat("pl.TileView has no '", field.name,
                                     "'; it has valid_shape, stride, "
                                     "start_offset, blayout, slayout, fractal, "
                                     "pad and compact"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TileView> TypeReader::ReadTileView(const Call& call,
                                                  const TileType& tile) {
  if (!call.arguments.empty()) {
    return exprs_.Error(kTypeRule, call.arguments[0]->span,
                        "pl.TileView takes keyword arguments only");
  }
  TileView view = ImplicitTileView(tile.shape, tile.space);
  for (const KeywordArgument& field : call.keywords) {
    MX_RETURN_IF_ERROR(ReadTileViewField(field, &view));
  }
  for (const Dims dims : {view.stride, view.valid_shape}) {
    MX_RETURN_IF_ERROR(CheckViewRank(dims, tile.shape, call.span));
  }
  return view;
}

absl::StatusOr<const Type*> TypeReader::ReadTile(
    absl::Span<const Expr* const> slots, TextRange span) {
  if (slots.size() < 2 || slots.size() > 5) {
    return exprs_.Error(kTypeRule, span,
                        "expected pl.Tile[[DIMS], pl.DTYPE, MEMREF, pl.Mem.X, "
                        "VIEW], the last three optional");
  }
  TileType type;
  MX_ASSIGN_OR_RETURN(type.dtype, exprs_.ReadDataType(slots[1]));
  MX_ASSIGN_OR_RETURN(type.shape, ReadShape(slots[0], type.dtype));
  MemRef memref;
  const Call* view_call = nullptr;
  for (const Expr* slot : slots.subspan(2)) {
    if (AsMemRef(slot) != nullptr) {
      if (type.memref != nullptr) {
        return exprs_.Error(kTypeRule, slot->span, "a second memref");
      }
      MX_ASSIGN_OR_RETURN(memref, ReadMemRef(slot));
      type.memref = &memref;
    } else if (const Call* call = AsPlCall(slot, "TileView")) {
      if (view_call != nullptr) {
        return exprs_.Error(kTypeRule, slot->span, "a second view");
      }
      view_call = call;
    } else if (type.space.has_value()) {
      return exprs_.Error(kTypeRule, slot->span,
                          "expected pl.MemRef(...) or pl.TileView(...)");
    } else {
      MX_ASSIGN_OR_RETURN(type.space, exprs_.ReadEnum<MemorySpace>(slot));
    }
  }
  if (type.memref != nullptr && !type.space.has_value()) {
    return exprs_.Error(kTypeRule, span,
                        "a tile with a memref needs a memory space, pl.Mem.X");
  }
  TileView view;
  if (view_call != nullptr) {
    MX_ASSIGN_OR_RETURN(view, ReadTileView(*view_call, type));
    type.view = &view;
  }
  return exprs_.context().GetTileType(type);
}

// ---- Annotations

namespace {

bool IsWideInteger(DataType dtype) {
  return dtype == DataType::kIndex || dtype == DataType::kInt64;
}

std::optional<TypeReader::Contradiction> FindShapeContradiction(
    Dims lhs, DataType lhs_dtype, Dims rhs, DataType rhs_dtype) {
  if (lhs_dtype != rhs_dtype) {
    return {{std::string(DataTypeName(lhs_dtype)),
             std::string(DataTypeName(rhs_dtype))}};
  }
  if (lhs.size() != rhs.size()) {
    return {
        {absl::StrCat("rank ", lhs.size()), absl::StrCat("rank ", rhs.size())}};
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    const ConstInt* a = AsConstInt(lhs[i]);
    const ConstInt* b = AsConstInt(rhs[i]);
    if (a != nullptr && b != nullptr && a->value != b->value) {
      return {{absl::StrCat(a->value, " for dimension ", i),
               absl::StrCat(b->value)}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<TypeReader::Contradiction> TypeReader::FindContradiction(
    const Type* lhs, const Type* rhs) {
  const bool unknown =
      lhs->kind == TypeKind::kUnknown || rhs->kind == TypeKind::kUnknown;
  if (unknown || lhs == rhs) return std::nullopt;
  // Both have 64 bits; dumps state either for what counts.
  const ScalarType* scalar = DynCast<ScalarType>(lhs);
  const ScalarType* other = DynCast<ScalarType>(rhs);
  if (scalar != nullptr && other != nullptr && IsWideInteger(scalar->dtype) &&
      IsWideInteger(other->dtype)) {
    return std::nullopt;
  }
  if (lhs->kind == rhs->kind) {
    if (const TensorType* a = DynCast<TensorType>(lhs)) {
      const TensorType* b = DynCast<TensorType>(rhs);
      return FindShapeContradiction(a->shape, a->dtype, b->shape, b->dtype);
    }
    if (const TileType* a = DynCast<TileType>(lhs)) {
      const TileType* b = DynCast<TileType>(rhs);
      return FindShapeContradiction(a->shape, a->dtype, b->shape, b->dtype);
    }
    const TupleType* a = DynCast<TupleType>(lhs);
    const TupleType* b = DynCast<TupleType>(rhs);
    if (a != nullptr && a->elements.size() == b->elements.size()) {
      for (size_t i = 0; i < a->elements.size(); ++i) {
        auto inner = FindContradiction(a->elements[i], b->elements[i]);
        if (inner.has_value()) return inner;
      }
      return std::nullopt;
    }
  }
  return {{PrintType(lhs), PrintType(rhs)}};
}

const Type* TypeReader::MergedTensor(const TensorType& deduced,
                                     const TensorType& annotated) {
  TensorType merged = annotated;
  if (merged.view == nullptr) merged.view = deduced.view;
  if (merged.memref == nullptr) merged.memref = deduced.memref;
  return exprs_.context().GetTensorType(merged);
}

const Type* TypeReader::MergedTile(const TileType& deduced,
                                   const TileType& annotated) {
  TileType merged = annotated;
  // An annotation that knows the space is a printed one, in which an absent
  // view is the implicit one.
  if (!merged.space.has_value() && merged.view == nullptr) {
    merged.space = deduced.space;
    merged.view = deduced.view;
  }
  return exprs_.context().GetTileType(merged);
}

const Type* TypeReader::Merged(const Type* deduced, const Type* annotated) {
  if (deduced == annotated || deduced->kind != annotated->kind) {
    return annotated->kind == TypeKind::kUnknown ? deduced : annotated;
  }
  if (const TensorType* tensor = DynCast<TensorType>(annotated)) {
    return MergedTensor(*DynCast<TensorType>(deduced), *tensor);
  }
  if (const TileType* tile = DynCast<TileType>(annotated)) {
    return MergedTile(*DynCast<TileType>(deduced), *tile);
  }
  const TupleType* tuple = DynCast<TupleType>(annotated);
  if (tuple == nullptr) return annotated;
  std::vector<const Type*> elements;
  for (size_t i = 0; i < tuple->elements.size(); ++i) {
    elements.push_back(
        Merged(DynCast<TupleType>(deduced)->elements[i], tuple->elements[i]));
  }
  return exprs_.context().GetTupleType(elements);
}

absl::StatusOr<const Type*> TypeReader::Merge(const Type* deduced,
                                              const Type* annotated,
                                              TextRange span) {
  const auto contradiction = FindContradiction(annotated, deduced);
  if (contradiction.has_value()) {
    return exprs_.Error(kAnnotationRule, span,
                        absl::StrCat("the annotation says ", contradiction->lhs,
                                     ", the value has ", contradiction->rhs));
  }
  return Merged(deduced, annotated);
}

}  // namespace mxtile::ir::text
