#include "ir/ops/tile_ops.h"

#include <algorithm>
#include <array>
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
#include "ir/op_registry.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_rules.h"
#include "ir/ops/tile_rules.h"
#include "ir/ops/valid_region.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

// ---- Shared

constexpr char kTargetMemory[] = "target_memory";

bool IsScaleSpace(MemorySpace space) {
  return space == MemorySpace::kLeftScale || space == MemorySpace::kRightScale;
}

std::string SpaceText(std::optional<MemorySpace> space) {
  return space.has_value() ? absl::StrCat("pl.Mem.", EnumName(*space))
                           : "no memory space yet";
}

std::string LayoutText(const TileView& view) {
  return absl::StrCat(EnumName(view.blayout), "/", EnumName(view.slayout), "/",
                      view.fractal);
}

void FillKwarg(std::vector<Attr>& kwargs, absl::string_view name,
               AttrValue value, Context& context) {
  if (FindAttr(kwargs, name) == nullptr) {
    kwargs.push_back({context.Intern(name), value});
  }
}

bool HasSameElements(Exprs a, Exprs b, Context& context) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const Expr* x, const Expr* y) {
                      return context.InternDim(x) == context.InternDim(y);
                    });
}

// ---- tile.load

struct LoadWindow {
  const TensorType& source;
  Exprs offsets;
  Exprs shapes;
  Exprs valid_shape;
  std::optional<MemorySpace> target;
};

LoadWindow LoadWindowOf(const OpCall& call) {
  const Exprs shapes = call.DimList(2);
  return {call.Tensor(0), call.DimList(1), shapes,
          call.HasArg(3) ? call.DimList(3) : shapes, call.TargetMemory()};
}

// The scale tile's layout is that of the space it will be moved to.
TileView ScaleLayout(TensorLayout layout, Dims shape) {
  return ImplicitTileView(shape, layout == TensorLayout::kMxAZZ
                                     ? MemorySpace::kLeftScale
                                     : MemorySpace::kRightScale);
}

absl::Status CheckMxSource(const OpCall& call, const LoadWindow& window) {
  const TensorType& source = window.source;
  const absl::string_view layout = EnumName(source.layout());
  if (source.dtype != DataType::kFP8E8M0 && source.dtype != DataType::kUInt8) {
    return call.Error("MX-LOAD-1", "an ", layout,
                      " tensor must be FP8E8M0 or UINT8, got ",
                      DataTypeName(source.dtype));
  }
  if (source.shape.size() != 2 && !IsBlockedMxShape(source.shape)) {
    return call.Error("MX-LOAD-2", "an ", layout,
                      " tensor must be 2D, or blocked [1, *, *, 16, 2], got ",
                      ShapeText(source.shape));
  }
  if (source.shape.size() == 2 && window.shapes.size() != 2) {
    return call.Error("MX-LOAD-3", "an ", layout,
                      " tensor needs a 2D load window, got ",
                      ShapeText(window.shapes));
  }
  if (source.shape.size() == 2 && window.valid_shape.size() != 2) {
    return call.Error("MX-LOAD-3", "an ", layout,
                      " tensor needs a 2D valid_shape, got ",
                      ShapeText(window.valid_shape));
  }
  if (!MayBePackedRowMajor(source.shape, source.view->stride)) {
    return call.Error("MX-LOAD-4", "only packed 2D ", layout,
                      " tensors can be loaded; ", ShapeText(source.shape),
                      " has stride ", ShapeText(source.view->stride),
                      "; copy it to a packed tensor first");
  }
  if (window.target != MemorySpace::kMat) {
    return call.Error("MX-LOAD-5", "an ", layout,
                      " tensor must be loaded with target_memory=pl.Mem.Mat, "
                      "got ",
                      window.target.has_value() ? SpaceText(window.target)
                                                : "no target_memory");
  }
  return absl::OkStatus();
}

absl::Status CheckLoadRanks(const OpCall& call, const LoadWindow& window) {
  const size_t rank = window.shapes.size();
  if (window.offsets.size() != rank || window.valid_shape.size() != rank) {
    return call.Error(
        "MX-LOAD-8", "offsets, shapes and valid_shape must have one rank, got ",
        ShapeText(window.offsets), ", ", ShapeText(window.shapes), ", ",
        ShapeText(window.valid_shape));
  }
  if (rank == 0 || rank > window.source.shape.size()) {
    return call.Error("MX-LOAD-8", "the window ", ShapeText(window.shapes),
                      " must have from 1 to as many dimensions as the tensor ",
                      ShapeText(window.source.shape));
  }
  return absl::OkStatus();
}

absl::Status CheckValidInsideWindow(const OpCall& call,
                                    const LoadWindow& window) {
  for (size_t i = 0; i < window.shapes.size(); ++i) {
    const std::optional<int64_t> valid = ConstantOf(window.valid_shape[i]);
    const std::optional<int64_t> size = ConstantOf(window.shapes[i]);
    if (!valid.has_value()) continue;
    if (*valid < 0 || (size.has_value() && *valid > *size)) {
      return call.Error(
          "MX-LOAD-10", "valid_shape ", ShapeText(window.valid_shape),
          " must lie inside the window ", ShapeText(window.shapes));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBlockedWindow(const OpCall& call, const LoadWindow& window,
                                Context& context) {
  if (!IsBlockedMxShape(window.shapes) ||
      !HasSameElements(window.shapes, window.valid_shape, context)) {
    return call.Error("MX-LOAD-6",
                      "a blocked MX tensor is loaded by complete boxes: shapes "
                      "and valid_shape must both be [1, s1, s2, 16, 2], got ",
                      ShapeText(window.shapes), " and ",
                      ShapeText(window.valid_shape),
                      "; narrow the tile's valid_shape instead");
  }
  for (const size_t dim : {0, 3, 4}) {
    if (!IsConstant(window.offsets[dim], 0)) {
      return call.Error("MX-LOAD-7",
                        "offsets of a blocked MX tensor must be [0, o1, o2, 0, "
                        "0], got ",
                        ShapeText(window.offsets));
    }
  }
  return CheckWindow(call, "MX-LOAD-9",
                     {window.offsets, window.shapes, window.source.shape},
                     "reads", "load fewer boxes");
}

absl::StatusOr<const Type*> DeduceBlockedMxLoad(const OpCall& call,
                                                const LoadWindow& window,
                                                Context& context) {
  MX_RETURN_IF_ERROR(CheckBlockedWindow(call, window, context));
  const Expr* lanes = Multiple(context, window.shapes[1], kMxBoxLanes);
  const Expr* groups = Multiple(context, window.shapes[2], kMxBoxGroups);
  const TensorLayout layout = window.source.layout();
  const Dims shape = layout == TensorLayout::kMxAZZ
                         ? context.ExprList({lanes, groups})
                         : context.ExprList({groups, lanes});
  return MakeTile(context, shape, window.source.dtype, window.target,
                  ScaleLayout(layout, shape));
}

// A single row has nothing to box; a DN source arrives transposed.
TileView MatLoadLayout(Dims shape, TensorLayout source) {
  TileView view = ImplicitTileView(shape, MemorySpace::kMat);
  const bool transposed = source == TensorLayout::kDN;
  if (transposed) std::swap(view.blayout, view.slayout);
  if (shape.size() == 2 && IsConstant(shape[transposed ? 1 : 0], 1)) {
    view.blayout = TileLayout::kRowMajor;
    view.slayout = TileLayout::kNoneBox;
  }
  return view;
}

// [b, c, r, 16, c0] as rows and columns; nullopt unless b, c and r are
// constants.
std::optional<std::array<int64_t, 2>> NzMatrix(Exprs window) {
  const std::optional<int64_t> rows =
      ElementCount(std::vector<const Expr*>{window[0], window[2], window[3]});
  const std::optional<int64_t> cols =
      ElementCount(std::vector<const Expr*>{window[1], window[4]});
  if (!rows.has_value() || !cols.has_value()) return std::nullopt;
  return std::array<int64_t, 2>{*rows, *cols};
}

// A window of a blocked NZ tensor gives the matrix that its fractals hold,
// where the text states that matrix. Null when this is no such load: by its
// shape alone it might be one of a tensor with five axes.
const Type* BlockedNzLoad(const OpCall& call, const LoadWindow& window,
                          Context& context) {
  const auto* stated = DynCast<TileType>(call.stated());
  const DataType dtype = window.source.dtype;
  if (window.source.layout() != TensorLayout::kNZ || stated == nullptr ||
      stated->shape.size() != 2 ||
      !IsBlockedNzShape(window.source.shape, dtype) ||
      !IsBlockedNzShape(window.shapes, dtype) ||
      !IsBlockedNzShape(window.valid_shape, dtype)) {
    return nullptr;
  }
  const auto matrix = NzMatrix(window.shapes);
  const auto valid = NzMatrix(window.valid_shape);
  if (!matrix.has_value() || !valid.has_value() ||
      !IsConstant(stated->shape[0], (*matrix)[0]) ||
      !IsConstant(stated->shape[1], (*matrix)[1])) {
    return nullptr;
  }
  TileView view = MatLoadLayout(stated->shape, TensorLayout::kNZ);
  const Expr* valid_shape[] = {context.Index((*valid)[0]),
                               context.Index((*valid)[1])};
  view.valid_shape = valid_shape;
  return MakeTile(context, stated->shape, dtype, window.target, view);
}

TileView LoadLayout(const LoadWindow& window) {
  const TensorLayout source = window.source.layout();
  if (IsMx(source)) return ScaleLayout(source, window.shapes);
  if (window.target == MemorySpace::kMat) {
    return MatLoadLayout(window.shapes, source);
  }
  return ImplicitTileView(window.shapes, window.target);
}

// A window of lower rank reads the tensor under another shape, so its offsets
// can't be compared with the tensor's dims; those of an MX tensor are the
// blocking pass's to judge.
bool IsRectangleOf(const LoadWindow& window) {
  return window.shapes.size() == window.source.shape.size() &&
         !IsMx(window.source.layout());
}

absl::Status CheckInsideSource(const OpCall& call, const LoadWindow& window) {
  if (call.BoolKwarg("clamp")) {
    return CheckOffsets(call, "MX-LOAD-9", window.offsets);
  }
  return CheckWindow(call, "MX-LOAD-9",
                     {window.offsets, window.valid_shape, window.source.shape},
                     "reads", "give a smaller valid_shape, or clamp=True");
}

// A pass that flattens tiles leaves a window of three or more dims in front of
// a tile of rows: what the text states says so.
const Type* Flattened(const OpCall& call, const TileType& loaded,
                      Context& context) {
  const auto* stated = DynCast<TileType>(call.stated());
  const bool is_flat =
      stated != nullptr && stated->shape.size() == 2 && loaded.shape.size() > 2;
  if (!is_flat) return &loaded;
  const Dims leading = loaded.shape.first(loaded.shape.size() - 1);
  const std::optional<int64_t> rows = ElementCount(leading);
  const Dims valid = loaded.EffectiveValidShape();
  const std::optional<int64_t> valid_rows =
      ElementCount(valid.first(valid.size() - 1));
  if (!rows.has_value() || !valid_rows.has_value()) return stated;
  const Expr* shape[] = {context.Index(*rows), loaded.shape.back()};
  const Expr* valid_shape[] = {context.Index(*valid_rows), valid.back()};
  TileView view = ImplicitTileView(shape, loaded.space);
  view.valid_shape = valid_shape;
  return MakeTile(context, shape, loaded.dtype, loaded.space, view);
}

absl::StatusOr<const Type*> DeduceLoad(const OpCall& call, Context& context) {
  const LoadWindow window = LoadWindowOf(call);
  const bool is_mx = IsMx(window.source.layout());
  if (is_mx) {
    MX_RETURN_IF_ERROR(CheckMxSource(call, window));
  }
  MX_RETURN_IF_ERROR(CheckLoadRanks(call, window));
  MX_RETURN_IF_ERROR(CheckValidInsideWindow(call, window));
  MX_RETURN_IF_ERROR(
      CheckResultShape(call, window.shapes, window.source.dtype));
  if (window.target.has_value() && window.target != MemorySpace::kVec &&
      window.target != MemorySpace::kMat) {
    return call.Error("MX-LOAD-11",
                      "global memory is loaded to pl.Mem.Vec or "
                      "pl.Mem.Mat, got ",
                      SpaceText(window.target),
                      "; load to pl.Mem.Mat and tile.move from there");
  }
  if (is_mx && IsBlockedMxShape(window.source.shape)) {
    return DeduceBlockedMxLoad(call, window, context);
  }
  const Type* nz_tile = BlockedNzLoad(call, window, context);
  if (nz_tile != nullptr) {
    MX_RETURN_IF_ERROR(CheckInsideSource(call, window));
    return nz_tile;
  }

  TileView view = LoadLayout(window);
  std::vector<const Expr*> valid(window.valid_shape.begin(),
                                 window.valid_shape.end());
  if (IsRectangleOf(window)) {
    MX_RETURN_IF_ERROR(CheckInsideSource(call, window));
    valid = VisibleThrough({EffectiveValidShape(window.source), window.offsets,
                            window.valid_shape},
                           context);
  }
  view.valid_shape = valid;
  const Type* type = MakeTile(context, window.shapes, window.source.dtype,
                              window.target, view);
  return Flattened(call, *CheckedCast<TileType>(type), context);
}

void FillLoadDefaults(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
                      Context& context) {
  if (args.size() == 3) args.push_back(args[2]);
  const auto* source =
      args.empty() ? nullptr : DynCast<TensorType>(args[0]->type);
  const bool is_mx = source != nullptr && IsMx(source->layout());
  FillKwarg(kwargs, kTargetMemory,
            AttrValue::Of(is_mx ? MemorySpace::kMat : MemorySpace::kVec),
            context);
}

// ---- tile.store

bool HasAtomicAdd(DataType dtype) {
  switch (dtype) {
    case DataType::kFP32:
    case DataType::kFP16:
    case DataType::kBF16:
    case DataType::kInt32:
    case DataType::kInt16:
    case DataType::kInt8:
      return true;
    default:
      return false;
  }
}

absl::Status CheckStoreKwargs(const OpCall& call) {
  constexpr int kAtomicAdd = 1;
  const DataType dtype = call.Tile(0).dtype;
  if (call.ChoiceKwarg("atomic") == kAtomicAdd && !HasAtomicAdd(dtype)) {
    return call.Error("MX-STORE-4",
                      "atomic add takes FP32, FP16, BF16, INT32, INT16 or INT8 "
                      "tiles, got ",
                      DataTypeName(dtype), "; cast the tile first");
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceStore(const OpCall& call, Context& context) {
  const TileType& tile = call.Tile(0);
  const Exprs offsets = call.DimList(1);
  const TensorType& tensor = call.Tensor(2);
  MX_RETURN_IF_ERROR(CheckStoreKwargs(call));
  if (call.HasArg(3) && call.DimList(3).size() != offsets.size()) {
    return call.Error("MX-STORE-1",
                      "shapes and offsets must have one rank, got ",
                      ShapeText(call.DimList(3)), " and ", ShapeText(offsets));
  }

  // `shapes` says that the tile is written under another shape; so does a rank
  // of its own. The offsets of an MX tensor are the blocking pass's to judge.
  const size_t rank = tensor.shape.size();
  if (call.HasArg(3) || IsMx(tensor.layout()) || offsets.size() != rank ||
      tile.shape.size() != rank) {
    return &tensor;
  }
  const Dims written = tile.EffectiveValidShape();
  MX_RETURN_IF_ERROR(CheckWindow(
      call, "MX-STORE-2", {offsets, written, tensor.shape}, "writes",
      "store a smaller tile, or through the view of the destination whose "
      "layout the tile was read with"));
  if (tensor.view == nullptr || tensor.view->valid_shape.empty()) {
    return &tensor;
  }
  const Dims valid = tensor.view->valid_shape;
  const bool writes_all =
      written == tensor.shape &&
      std::all_of(offsets.begin(), offsets.end(),
                  [](const Expr* offset) { return IsConstant(offset, 0); });
  if (writes_all) return WithValidShape(tensor, tensor.shape, context);
  const auto grown = UnionWithWritten({valid, offsets, written}, context);
  if (!grown.has_value()) {
    return call.Error("MX-STORE-3", "writing ", ShapeText(written), " at ",
                      ShapeText(offsets), " next to the valid ",
                      ShapeText(valid),
                      " is not known to leave one rectangle at the origin; "
                      "write in the order in which the region grows, or give "
                      "the tensor no valid_shape");
  }
  return WithValidShape(tensor, *grown, context);
}

// ---- tile.move

absl::Status CheckMoveToScale(const OpCall& call, MemorySpace target) {
  const TileType& tile = call.Tile(0);
  const TileView fixed = ImplicitTileView(tile.shape, target);
  if (call.EnumKwarg<TileLayout>("blayout").value_or(fixed.blayout) !=
          fixed.blayout ||
      call.EnumKwarg<TileLayout>("slayout").value_or(fixed.slayout) !=
          fixed.slayout) {
    return call.Error("MX-MOVE-1", SpaceText(target),
                      " has the hardware-fixed layout ", LayoutText(fixed),
                      "; leave blayout and slayout out");
  }
  if (tile.shape.size() != 2) {
    return call.Error("MX-MOVE-2", SpaceText(target), " takes a 2D tile, got ",
                      ShapeText(tile.shape));
  }
  if (tile.space != MemorySpace::kMat) {
    return call.Error("MX-MOVE-3", SpaceText(target),
                      " is filled from Mat memory, the tile is in ",
                      SpaceText(tile.space), "; move it to pl.Mem.Mat first");
  }
  if (tile.dtype != DataType::kUInt8 && tile.dtype != DataType::kFP8E8M0) {
    return call.Error("MX-MOVE-4", SpaceText(target),
                      " takes UINT8 or FP8E8M0 scales, got ",
                      DataTypeName(tile.dtype));
  }
  if (!SameLayout(tile.EffectiveView(), fixed)) {
    return call.Error("MX-MOVE-5", SpaceText(target),
                      " takes a Mat tile of the matching ", LayoutText(fixed),
                      " layout, got ", LayoutText(tile.EffectiveView()),
                      "; left scales come from MX_A_ZZ tensors, right scales "
                      "from MX_B_NN");
  }
  return absl::OkStatus();
}

TileView MovedView(const OpCall& call, MemorySpace target) {
  const TileType& tile = call.Tile(0);
  const TileView source = tile.EffectiveView();
  TileView view = ImplicitTileView(tile.shape, target);
  if (view.slayout == TileLayout::kNoneBox) {
    view.blayout = source.blayout;
    view.slayout = source.slayout;
  }
  // L0B is read by rows of boxes whatever the shape.
  if (target == MemorySpace::kRight) view.blayout = TileLayout::kRowMajor;
  view.blayout = call.EnumKwarg<TileLayout>("blayout").value_or(view.blayout);
  view.slayout = call.EnumKwarg<TileLayout>("slayout").value_or(view.slayout);
  view.valid_shape = source.valid_shape;
  view.pad = source.pad;
  return view;
}

absl::StatusOr<const Type*> DeduceMove(const OpCall& call, Context& context) {
  const TileType& tile = call.Tile(0);
  const MemorySpace target = call.TargetMemory().value_or(MemorySpace::kVec);
  DataType dtype = tile.dtype;
  if (IsScaleSpace(target)) {
    MX_RETURN_IF_ERROR(CheckMoveToScale(call, target));
    dtype = DataType::kFP8E8M0;
  }
  return MakeTile(context, tile.shape, dtype, target, MovedView(call, target));
}

// ---- tile.create

absl::Status CheckCreate(const OpCall& call) {
  const Exprs shape = call.DimList(0);
  const std::optional<MemorySpace> target = call.TargetMemory();
  const bool in_mat = target == MemorySpace::kMat;
  if (target.has_value() && IsScaleSpace(*target)) {
    return call.Error(
        "MX-CREATE-1", "does not support target_memory=", SpaceText(target),
        "; tile.load the scales to pl.Mem.Mat and tile.move them");
  }
  if (call.BoolKwarg("transpose") && (!in_mat || shape.size() != 2)) {
    return call.Error("MX-CREATE-2",
                      "transpose=True is for 2D tiles with "
                      "target_memory=pl.Mem.Mat, got ",
                      ShapeText(shape), " in ", SpaceText(target));
  }
  if (call.BoolKwarg("flat_layout") &&
      (!in_mat || call.BoolKwarg("transpose"))) {
    return call.Error(
        "MX-CREATE-3",
        "flat_layout=True is for target_memory=pl.Mem.Mat without "
        "transpose, got ",
        SpaceText(target));
  }
  const bool is_static =
      std::all_of(shape.begin(), shape.end(),
                  [](const Expr* dim) { return ConstantOf(dim).has_value(); });
  if (shape.empty() || !is_static) {
    return call.Error("MX-CREATE-4",
                      "the shape must be a non-empty list of constants, got ",
                      ShapeText(shape),
                      "; make the tile as large as needed and narrow its "
                      "valid_shape");
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceCreate(const OpCall& call, Context& context) {
  const Exprs shape = call.DimList(0);
  const DataType dtype = *call.DataTypeKwarg("dtype");
  MX_RETURN_IF_ERROR(CheckCreate(call));
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, dtype));
  TileView view = ImplicitTileView(shape, call.TargetMemory());
  if (call.BoolKwarg("transpose")) std::swap(view.blayout, view.slayout);
  if (call.BoolKwarg("flat_layout")) view = ImplicitTileView(shape, {});
  return MakeTile(context, shape, dtype, call.TargetMemory(), view);
}

void FillCreateDefaults(std::vector<const Expr*>& args,
                        std::vector<Attr>& kwargs, Context& context) {
  FillKwarg(kwargs, kTargetMemory, AttrValue::Of(MemorySpace::kVec), context);
}

// ---- tile.cast, tile.alloc, block index and count

absl::StatusOr<const Type*> DeduceCast(const OpCall& call, Context& context) {
  const TileType& tile = call.Tile(0);
  const DataType target = *call.DataTypeKwarg("target_type");
  if (tile.dtype == target) {
    return call.Error("MX-CAST-1", "the tile is ", DataTypeName(target),
                      " already; drop the cast");
  }
  MX_RETURN_IF_ERROR(CheckResultShape(call, tile.shape, target));
  const TileView source = tile.EffectiveView();
  TileView view = ImplicitTileView(tile.shape, MemorySpace::kVec);
  if (source.slayout == TileLayout::kNoneBox) view.blayout = source.blayout;
  view.valid_shape = source.valid_shape;
  return MakeTile(context, tile.shape, target, MemorySpace::kVec, view);
}

void FillCastDefaults(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
                      Context& context) {
  FillKwarg(kwargs, "mode", AttrValue::String("round"), context);
}

absl::StatusOr<const Type*> DeduceAlloc(const OpCall& call, Context& context) {
  const std::optional<int64_t> size = ConstantOf(call.Arg(1));
  if (size.has_value() && *size < 0) {
    return call.Error("MX-ALLOC-1", "size must not be negative, got ", *size);
  }
  return context.GetMarkerType(TypeKind::kPtr);
}

absl::StatusOr<const Type*> DeduceIndex(const OpCall& call, Context& context) {
  return context.IndexType();
}

// ---- Registration

void RegisterLoad(OpRegistry& registry) {
  OpDef def;
  def.name = "tile.load";
  def.short_forms = {{"load"}};
  def.result_space = ResultSpace::kKwarg;
  def.fill_defaults = FillLoadDefaults;
  RegisterOp(
      registry, std::move(def),
      {{{"tensor", ArgKind::kTensor},
        {"offsets", ArgKind::kDims},
        {"shapes", ArgKind::kDims},
        {"valid_shape", ArgKind::kDims, /*optional=*/true}},
       {{kTargetMemory, KwargKind::kMemorySpace}, {"clamp", KwargKind::kBool}}},
      DeduceLoad);
}

void RegisterStore(OpRegistry& registry) {
  OpDef def;
  def.name = "tile.store";
  def.short_forms = {{"store"}};
  def.operand_spaces = {{MemorySpace::kVec, MemorySpace::kAcc}};
  def.result_aliases_arg = 2;
  def.has_effect = true;
  RegisterOp(
      registry, std::move(def),
      {{{"tile", ArgKind::kTile},
        {"offsets", ArgKind::kDims},
        {"output_tensor", ArgKind::kTensor},
        {"shapes", ArgKind::kDims, /*optional=*/true}},
       {{"atomic", KwargKind::kChoice, /*required=*/false, {"None_", "Add"}}}},
      DeduceStore);
}

void RegisterMove(OpRegistry& registry) {
  OpDef def;
  def.name = "tile.move";
  def.short_forms = {{"move"}};
  def.result_space = ResultSpace::kKwargOrVec;
  RegisterOp(registry, std::move(def),
             {{{"tile", ArgKind::kTile}},
              {{kTargetMemory, KwargKind::kMemorySpace},
               {"blayout", KwargKind::kTileLayout},
               {"slayout", KwargKind::kTileLayout}}},
             DeduceMove);
}

void RegisterCreate(OpRegistry& registry) {
  OpDef def;
  def.name = "tile.create";
  def.short_forms = {{"create_tile"}};
  def.result_space = ResultSpace::kKwarg;
  def.fill_defaults = FillCreateDefaults;
  RegisterOp(registry, std::move(def),
             {{{"shape", ArgKind::kDims}},
              {{"dtype", KwargKind::kDataType, /*required=*/true},
               {kTargetMemory, KwargKind::kMemorySpace},
               {"transpose", KwargKind::kBool},
               {"flat_layout", KwargKind::kBool}}},
             DeduceCreate);
}

void RegisterCast(OpRegistry& registry) {
  OpDef def;
  def.name = "tile.cast";
  def.short_forms = {{"cast", {OperandKind::kTile}}};
  def.operand_spaces = {{MemorySpace::kVec}};
  def.result_space = ResultSpace::kFixed;
  def.fixed_space = MemorySpace::kVec;
  def.fill_defaults = FillCastDefaults;
  RegisterOp(registry, std::move(def),
             {{{"tile", ArgKind::kTile}},
              {{"target_type", KwargKind::kDataType, /*required=*/true},
               {"mode",
                KwargKind::kChoice,
                /*required=*/false,
                {"none", "rint", "round", "floor", "ceil", "trunc", "odd"}}}},
             DeduceCast);
}

void RegisterAlloc(OpRegistry& registry) {
  OpDef def;
  def.name = "tile.alloc";
  def.compiler_only = true;
  // Used by the MemRefs inside types, which no operand list shows.
  def.has_effect = true;
  RegisterOp(
      registry, std::move(def),
      {{{"memory_space", ArgKind::kMemorySpace}, {"size", ArgKind::kInteger}},
       {{"pinned", KwargKind::kBool}}},
      DeduceAlloc);
}

void RegisterBlockQuery(OpRegistry& registry, absl::string_view short_name) {
  OpDef def;
  def.name = absl::StrCat("tile.", short_name);
  def.short_forms = {{std::string(short_name)}};
  def.result_never_negative = true;
  RegisterOp(registry, std::move(def), {}, DeduceIndex);
}

}  // namespace

void RegisterTileOps(OpRegistry& registry) {
  RegisterLoad(registry);
  RegisterStore(registry);
  RegisterMove(registry);
  RegisterCreate(registry);
  RegisterCast(registry);
  RegisterAlloc(registry);
  RegisterBlockQuery(registry, "get_block_idx");
  RegisterBlockQuery(registry, "get_block_num");
  RegisterBlockQuery(registry, "get_subblock_idx");
}

}  // namespace mxtile::ir
