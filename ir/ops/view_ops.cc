#include "ir/ops/view_ops.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/reshape_valid.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tile_rules.h"
#include "ir/ops/valid_region.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

// ---- Windows of a tile: slice, extract

struct TileWindow {
  const TileType& tile;
  Exprs offsets;
  Exprs shape;
};

// What is valid of the window: what the tile has from the offset on.
DimVector ValidInWindow(const TileWindow& window, Context& context) {
  const Dims valid = window.tile.EffectiveValidShape();
  DimVector visible =
      VisibleThrough({valid, window.offsets, window.shape}, context);
  for (size_t i = 0; i < visible.size(); ++i) {
    const bool is_whole_dim =
        IsConstant(window.offsets[i], 0) &&
        context.InternDim(window.shape[i]) == window.tile.shape[i];
    if (is_whole_dim) {
      visible[i] = valid[i];
      continue;
    }
    const bool is_known = valid[i] == window.tile.shape[i] ||
                          (ConstantOf(valid[i]).has_value() &&
                           ConstantOf(window.offsets[i]).has_value());
    if (is_known) continue;
    const Expr* offset = window.offsets[i];
    const Expr* rest =
        IsConstant(offset, 0)
            ? valid[i]
            : context.NewBinary(
                  BinaryOp::kSub,
                  context.NewBinary(BinaryOp::kMax, valid[i], offset), offset);
    visible[i] = context.NewBinary(BinaryOp::kMin, rest, window.shape[i]);
  }
  return visible;
}

absl::Status CheckTileWindow(const OpCall& call, const TileWindow& window) {
  const size_t rank = window.tile.shape.size();
  if (window.shape.size() != rank || window.offsets.size() != rank) {
    return call.Error("MX-TILE-4", "shape and offset must have the rank of ",
                      ShapeText(window.tile.shape), ", got ",
                      ShapeText(window.shape), " and ",
                      ShapeText(window.offsets));
  }
  MX_RETURN_IF_ERROR(CheckStaticShape(call, window.shape, window.tile.dtype));
  return CheckWindow(call, "MX-TILE-6",
                     {window.offsets, window.shape, window.tile.shape}, "reads",
                     "take a smaller window, or load a larger tile");
}

// ---- tile.slice

// The axes that go, in order.
absl::StatusOr<std::vector<bool>> DroppedDims(const OpCall& call, Exprs shape) {
  std::vector<bool> dropped(shape.size(), false);
  if (!call.HasArg(4)) return dropped;
  for (const Expr* element : call.DimList(4)) {
    const std::optional<int64_t> axis = ConstantOf(element);
    const bool fits = axis.has_value() && *axis >= 0 &&
                      *axis < static_cast<int64_t>(shape.size()) &&
                      !dropped[*axis] && IsConstant(shape[*axis], 1);
    if (!fits) {
      return call.Error("MX-TILE-10", "drop_dims ", ShapeText(call.DimList(4)),
                        " must name axes of extent 1 of ", ShapeText(shape),
                        ", each once");
    }
    dropped[*axis] = true;
  }
  return dropped;
}

// A tile keeps two dims.
DimVector WithoutDims(const DimVector& dims, const std::vector<bool>& dropped,
                      Context& context) {
  DimVector kept;
  bool drops = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    drops = drops || dropped[i];
    if (!dropped[i]) kept.push_back(dims[i]);
  }
  while (drops && kept.size() < 2) kept.insert(kept.begin(), context.Index(1));
  return kept;
}

TileView SlicedView(const TileType& tile, Dims shape) {
  if (tile.view == nullptr) return ImplicitTileView(shape, tile.space);
  TileView view = *tile.view;
  view.stride = {};
  view.start_offset = nullptr;
  return view;
}

absl::StatusOr<const Type*> DeduceSlice(const OpCall& call, Context& context) {
  const TileType& tile = call.Tile(0);
  const TileWindow window = {tile, call.DimList(2), call.DimList(1)};
  MX_RETURN_IF_ERROR(CheckTileWindow(call, window));
  DimVector valid = ValidInWindow(window, context);
  if (call.HasArg(3) && !call.DimList(3).empty()) {
    const Exprs requested = call.DimList(3);
    MX_RETURN_IF_ERROR(CheckValidInside(call, requested, window.shape));
    for (size_t i = 0; i < valid.size(); ++i) {
      const auto has = ConstantOf(valid[i]);
      const auto wants = ConstantOf(requested[i]);
      const bool tile_has_less =
          has.has_value() && wants.has_value() && *has < *wants;
      if (!tile_has_less) valid[i] = requested[i];
    }
  }
  MX_ASSIGN_OR_RETURN(const std::vector<bool> dropped,
                      DroppedDims(call, window.shape));
  const DimVector shape = WithoutDims(ToVector(window.shape), dropped, context);
  valid = WithoutDims(valid, dropped, context);
  TileView view = SlicedView(tile, shape);
  view.valid_shape = valid;
  if (call.Kwarg("pad_value") != nullptr) {
    MX_ASSIGN_OR_RETURN(view.pad, PadOf(call, PadValue::kNull));
  }
  return MakeTile(context, shape, tile.dtype, tile.space, view);
}

// ---- tile.extract

TileView ExtractedView(Exprs shape, Dims valid, MemorySpace target) {
  TileView view = ImplicitTileView(shape, target);
  view.valid_shape = valid;
  const bool in_l0 =
      target == MemorySpace::kLeft || target == MemorySpace::kRight;
  if (in_l0) {
    view.blayout = TileLayout::kRowMajor;
    view.slayout = target == MemorySpace::kLeft ? TileLayout::kRowMajor
                                                : TileLayout::kColMajor;
  }
  for (size_t i = 0; in_l0 && i < shape.size(); ++i) {
    const auto size = ConstantOf(shape[i]);
    if (ConstantOf(valid[i]) != size) view.compact = CompactMode::kNormal;
  }
  return view;
}

absl::StatusOr<const Type*> DeduceExtract(const OpCall& call,
                                          Context& context) {
  const TileType& tile = call.Tile(0);
  const Exprs offsets = context.ExprList({call.Arg(1), call.Arg(2)});
  const TileWindow window = {tile, offsets, call.DimList(3)};
  MX_RETURN_IF_ERROR(CheckTileWindow(call, window));
  const DimVector valid = ValidInWindow(window, context);
  const MemorySpace target = call.TargetMemory().value_or(MemorySpace::kVec);
  return MakeTile(context, window.shape, tile.dtype, target,
                  ExtractedView(window.shape, valid, target));
}

// ---- tile.reshape, tile.reinterpret_view

absl::Status NoRectangle(const OpCall& call, const TileType& tile,
                         Exprs shape) {
  return call.Error("MX-TILE-9", "of ", ShapeText(tile.shape), " only ",
                    ShapeText(tile.EffectiveValidShape()),
                    " is valid, which is not known to be a rectangle under ",
                    ShapeText(shape),
                    "; pad the tile first (tile.fillpad), or reshape before "
                    "narrowing it");
}

absl::StatusOr<const Type*> DeduceReshape(const OpCall& call,
                                          Context& context) {
  const TileType& tile = call.Tile(0);
  const Exprs shape = call.DimList(1);
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, tile.dtype));
  const std::optional<int64_t> before = ElementCount(tile.shape);
  const std::optional<int64_t> after = ElementCount(shape);
  if (before.has_value() && after.has_value() && *before != *after) {
    return call.Error("MX-TILE-8", "the number of elements must stay, got ",
                      ShapeText(tile.shape), " of ", *before, " and ",
                      ShapeText(shape), " of ", *after);
  }
  const auto valid =
      ReshapedValid({tile.shape, tile.EffectiveValidShape(), shape}, context);
  if (!valid.has_value()) return NoRectangle(call, tile, shape);
  const TileView source = tile.EffectiveView();
  TileView view = ImplicitTileView(shape, tile.space);
  view.valid_shape = *valid;
  view.pad = source.pad;
  view.compact = source.compact;
  return MakeTile(context, shape, tile.dtype, tile.space, view);
}

// The dim, of elements of `from` bits, in elements of `to` bits; null when it
// does not divide.
const Expr* Rescaled(const Expr* dim, int from, int to, Context& context) {
  if (from == to) return dim;
  if (from > to) return Multiple(context, dim, from / to);
  const int64_t factor = to / from;
  if (const std::optional<int64_t> value = ConstantOf(dim)) {
    return *value % factor == 0 ? context.Index(*value / factor) : nullptr;
  }
  return context.NewBinary(BinaryOp::kFloorDiv, dim, context.Index(factor));
}

absl::Status CheckSameBytes(const OpCall& call, DataType dtype, Exprs shape) {
  const TileType& tile = call.Tile(0);
  const std::optional<int64_t> before = ElementCount(tile.shape);
  const std::optional<int64_t> after = ElementCount(shape);
  if (!before.has_value() || !after.has_value() ||
      *before * BitWidth(tile.dtype) == *after * BitWidth(dtype)) {
    return absl::OkStatus();
  }
  return call.Error("MX-TILE-8", "the bytes must stay, got ",
                    ShapeText(tile.shape), " of ", DataTypeName(tile.dtype),
                    " and ", ShapeText(shape), " of ", DataTypeName(dtype));
}

absl::StatusOr<const Type*> DeduceReinterpretView(const OpCall& call,
                                                  Context& context) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 1));
  const TileType& tile = call.Tile(0);
  const TileView source = tile.EffectiveView();
  const DataType dtype = *call.DataTypeKwarg("dtype");
  const bool by_columns =
      source.blayout == TileLayout::kColMajor && tile.shape.size() >= 2;
  const size_t axis = tile.shape.size() - (by_columns ? 2 : 1);
  const int from = BitWidth(tile.dtype);
  const int to = BitWidth(dtype);
  DimVector shape = ToVector(tile.shape);
  DimVector valid = ToVector(tile.EffectiveValidShape());
  const bool is_all_valid = valid == shape;
  shape[axis] = Rescaled(shape[axis], from, to, context);
  valid[axis] = Rescaled(valid[axis], from, to, context);
  if (shape[axis] == nullptr || valid[axis] == nullptr) {
    return call.Error("MX-TILE-8", "axis ", axis, " of ", ShapeText(tile.shape),
                      " of ", DataTypeName(tile.dtype), ", valid ",
                      ShapeText(tile.EffectiveValidShape()),
                      ", is no whole number of ", DataTypeName(dtype));
  }
  if (call.HasArg(1)) {
    const DimVector resized = shape;
    shape = ToVector(call.DimList(1));
    MX_RETURN_IF_ERROR(CheckSameBytes(call, dtype, shape));
    const auto reshaped = is_all_valid
                              ? std::optional<DimVector>(shape)
                              : ReshapedValid({resized, valid, shape}, context);
    if (!reshaped.has_value()) return NoRectangle(call, tile, shape);
    valid = *reshaped;
  }
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, dtype));
  TileView view = ViewLike(tile, valid);
  view.fractal = source.fractal;
  // Zero bytes are zeros of any type; the largest value is not.
  if (view.pad != PadValue::kZero) view.pad = PadValue::kNull;
  return MakeTile(context, shape, dtype, tile.space, view);
}

// ---- tile.transpose, tile.transpose_view

absl::StatusOr<size_t> AxisOfArg(const OpCall& call, int index) {
  const int64_t rank = static_cast<int64_t>(call.Tile(0).shape.size());
  const std::optional<int64_t> axis = ConstantOf(call.Arg(index));
  if (axis.has_value() && *axis >= -rank && *axis < rank) {
    return static_cast<size_t>(*axis < 0 ? *axis + rank : *axis);
  }
  return call.Error("MX-TILE-10", call.ArgName(index),
                    " must be a constant from ", -rank, " to ", rank - 1,
                    " for ", ShapeText(call.Tile(0).shape));
}

DimVector Swapped(Dims dims, size_t a, size_t b) {
  DimVector swapped = ToVector(dims);
  std::swap(swapped[a], swapped[b]);
  return swapped;
}

absl::StatusOr<const Type*> DeduceTranspose(const OpCall& call,
                                            Context& context) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_ASSIGN_OR_RETURN(const size_t a, AxisOfArg(call, 1));
  MX_ASSIGN_OR_RETURN(const size_t b, AxisOfArg(call, 2));
  const TileType& tile = call.Tile(0);
  if (a == b) {
    return call.Error("MX-TILE-10", "axis1 and axis2 must differ, both are ", a,
                      " of ", ShapeText(tile.shape));
  }
  if (call.HasArg(3)) MX_RETURN_IF_ERROR(CheckSameElement(call, 0, 3));
  const DimVector shape = Swapped(tile.shape, a, b);
  const DimVector valid = Swapped(tile.EffectiveValidShape(), a, b);
  TileView view = PlainView();
  view.valid_shape = valid;
  return MakeTile(context, shape, tile.dtype, tile.space, view);
}

TileLayout Flipped(TileLayout layout) {
  switch (layout) {
    case TileLayout::kRowMajor:
      return TileLayout::kColMajor;
    case TileLayout::kColMajor:
      return TileLayout::kRowMajor;
    case TileLayout::kNoneBox:
      return layout;
  }
  return layout;
}

absl::StatusOr<const Type*> DeduceTransposeView(const OpCall& call,
                                                Context& context) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  const TileType& tile = call.Tile(0);
  const size_t last = tile.shape.size() - 1;
  const DimVector shape = Swapped(tile.shape, last - 1, last);
  const DimVector valid = Swapped(tile.EffectiveValidShape(), last - 1, last);
  TileView view = ViewLike(tile, valid);
  view.blayout = Flipped(view.blayout);
  view.slayout = Flipped(view.slayout);
  view.fractal = tile.EffectiveView().fractal;
  return MakeTile(context, shape, tile.dtype, tile.space, view);
}

// ---- tile.assemble, tile.concat, tile.set_validshape

absl::Status CheckAssembledTypes(const OpCall& call) {
  const DataType target = call.Tile(0).dtype;
  // FP32 results of the cube are narrowed on their way.
  const bool narrows = call.Tile(1).dtype == DataType::kFP32 &&
                       (target == DataType::kBF16 || target == DataType::kFP16);
  return narrows ? absl::OkStatus() : CheckSameElement(call, 0, 1);
}

absl::StatusOr<DimVector> ValidAfterWrite(const OpCall& call,
                                          const RegionAt& written,
                                          Context& context) {
  const Dims shape = call.Tile(0).shape;
  // What is valid everywhere stays so, wherever is written.
  if (written.valid == shape) return ToVector(shape);
  auto grown = UnionWithWritten(written, context);
  if (grown.has_value()) return *std::move(grown);
  return call.Error("MX-TILE-9", "writing ", ShapeText(written.extents), " at ",
                    ShapeText(written.offsets), " next to the valid ",
                    ShapeText(written.valid),
                    " is not known to leave one rectangle at the origin; "
                    "write in the order in which the region grows");
}

absl::StatusOr<const Type*> DeduceAssemble(const OpCall& call,
                                           Context& context) {
  MX_RETURN_IF_ERROR(CheckAssembledTypes(call));
  const TileType& target = call.Tile(0);
  const TileType& source = call.Tile(1);
  const Exprs offsets = call.DimList(2);
  TileView view = target.EffectiveView();
  const size_t rank = target.shape.size();
  DimVector valid = ToVector(target.shape);
  if (source.shape.size() == rank && offsets.size() == rank) {
    const Dims written = source.EffectiveValidShape();
    MX_RETURN_IF_ERROR(CheckWindow(call, "MX-TILE-6",
                                   {offsets, written, target.shape}, "writes",
                                   "assemble a smaller tile"));
    MX_ASSIGN_OR_RETURN(
        valid,
        ValidAfterWrite(call, {target.EffectiveValidShape(), offsets, written},
                        context));
  }
  view.valid_shape = valid;
  return MakeTile(context, target.shape, target.dtype, target.space, view);
}

absl::StatusOr<const Type*> DeduceConcat(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(CheckSameElement(call, 0, 1));
  const Dims a = call.Tile(0).shape;
  const Dims b = call.Tile(1).shape;
  if (KnownDifferent(a[0], b[0])) {
    return call.Error("MX-TILE-1",
                      "src0 and src1 must have one number of "
                      "rows, got ",
                      ShapeText(a), " and ", ShapeText(b));
  }
  const auto left = ConstantOf(a[1]);
  const auto right = ConstantOf(b[1]);
  const Expr* cols = left.has_value() && right.has_value()
                         ? context.Index(*left + *right)
                         : context.NewBinary(BinaryOp::kAdd, a[1], b[1]);
  return MakeTile(context, DimVector{a[0], cols}, call.Tile(0).dtype,
                  MemorySpace::kVec, PlainView());
}

absl::StatusOr<const Type*> DeduceSetValidShape(const OpCall& call,
                                                Context& context) {
  const TileType& tile = call.Tile(0);
  const DimVector valid = {call.Arg(1), call.Arg(2)};
  MX_RETURN_IF_ERROR(CheckValidInside(call, valid, tile.shape));
  TileView view = tile.EffectiveView();
  view.valid_shape = valid;
  return MakeTile(context, tile.shape, tile.dtype, tile.space, view);
}

// ---- tile.read, tile.write

absl::Status CheckIndices(const OpCall& call) {
  const Dims shape = call.Tile(0).shape;
  const Exprs indices = call.DimList(1);
  // One index counts elements.
  if (indices.size() == 1) return absl::OkStatus();
  if (indices.size() != shape.size()) {
    return call.Error("MX-TILE-4",
                      "indices must be one, or one a dimension of ",
                      ShapeText(shape), ", got ", ShapeText(indices));
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto index = ConstantOf(indices[i]);
    const auto size = ConstantOf(shape[i]);
    if (index.has_value() &&
        (*index < 0 || (size.has_value() && *index >= *size))) {
      return call.Error("MX-TILE-6", "index ", *index, " of dimension ", i,
                        " is outside ", ShapeText(shape));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceRead(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(CheckIndices(call));
  return context.GetScalarType(call.Tile(0).dtype);
}

absl::StatusOr<const Type*> DeduceWrite(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(CheckIndices(call));
  return call.Arg(0)->type;
}

// ---- Registration

OpDef ViewOp(absl::string_view name) {
  OpDef def;
  def.name = absl::StrCat("tile.", name);
  def.result_space = ResultSpace::kFirstInput;
  def.short_forms = {OfTile(name)};
  return def;
}

void RegisterReshapes(OpRegistry& registry) {
  const ArgSpec shape = {"shape", ArgKind::kDims};
  RegisterOp(registry, ViewOp("slice"),
             {{{"input", ArgKind::kTile},
               shape,
               {"offset", ArgKind::kDims},
               {"valid_shape", ArgKind::kDims, /*optional=*/true},
               {"drop_dims", ArgKind::kDims, /*optional=*/true}},
              {{"pad_value", KwargKind::kPadValue}}},
             DeduceSlice);
  RegisterOp(registry, ViewOp("reshape"), {{{"input", ArgKind::kTile}, shape}},
             DeduceReshape);
  OpDef reinterpret = ViewOp("reinterpret_view");
  reinterpret.front_order = {"data", "dtype"};
  RegisterOp(
      registry, std::move(reinterpret),
      {{{"data", ArgKind::kTile}, {"shape", ArgKind::kDims, /*optional=*/true}},
       {{"dtype", KwargKind::kDataType, /*required=*/true}}},
      DeduceReinterpretView);
  RegisterOp(registry, ViewOp("transpose"),
             {{{"input", ArgKind::kTile},
               {"axis1", ArgKind::kInteger},
               {"axis2", ArgKind::kInteger},
               {"tmp", ArgKind::kTile, /*optional=*/true}}},
             DeduceTranspose);
  RegisterOp(registry, ViewOp("transpose_view"), {{{"input", ArgKind::kTile}}},
             DeduceTransposeView);
}

void RegisterParts(OpRegistry& registry) {
  RegisterOp(registry, ViewOp("assemble"),
             {{{"target", ArgKind::kTile},
               {"source", ArgKind::kTile},
               {"offset", ArgKind::kDims}}},
             DeduceAssemble);
  RegisterOp(registry, ViewOp("set_validshape"),
             {{{"tile", ArgKind::kMatrix},
               {"valid_rows", ArgKind::kInteger},
               {"valid_cols", ArgKind::kInteger}}},
             DeduceSetValidShape);
  OpDef extract = ViewOp("extract");
  extract.result_space = ResultSpace::kKwargOrVec;
  RegisterOp(registry, std::move(extract),
             {{{"src", ArgKind::kMatrix},
               {"index_row", ArgKind::kInteger},
               {"index_col", ArgKind::kInteger},
               {"shape", ArgKind::kDims}},
              {{"target_memory", KwargKind::kMemorySpace}}},
             DeduceExtract);
  const OpSignature concat = {
      {{"src0", ArgKind::kMatrix}, {"src1", ArgKind::kMatrix}}};
  OpDef concat_def = VecOp("concat", concat);
  concat_def.short_forms = {OfTile("concat")};
  RegisterOp(registry, std::move(concat_def), concat, DeduceConcat);
}

void RegisterElements(OpRegistry& registry) {
  const ArgSpec tile = {"tile", ArgKind::kTile};
  const ArgSpec indices = {"indices", ArgKind::kDims};
  OpDef read;
  read.name = "tile.read";
  read.short_forms = {OfTile("read")};
  read.operand_spaces = {{MemorySpace::kVec}};
  RegisterOp(registry, std::move(read), {{tile, indices}}, DeduceRead);
  OpDef write;
  write.name = "tile.write";
  write.short_forms = {OfTile("write")};
  write.operand_spaces = {{MemorySpace::kVec}};
  write.result_space = ResultSpace::kFixed;
  write.fixed_space = MemorySpace::kVec;
  write.result_aliases_arg = 0;
  write.has_effect = true;
  RegisterOp(registry, std::move(write),
             {{tile, indices, {"value", ArgKind::kScalar}}}, DeduceWrite);
}

}  // namespace

void RegisterViewOps(OpRegistry& registry) {
  RegisterReshapes(registry);
  RegisterParts(registry);
  RegisterElements(registry);
}

}  // namespace mxtile::ir
