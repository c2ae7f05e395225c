#include "ir/ops/quant_ops.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tile_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

constexpr int64_t kScaleFractal = 32;
constexpr int64_t kTmpBytes = 32;        // That a move from DN asks for.
constexpr int64_t kIndexBaseBytes = 64;  // Of a move from ND, besides the
                                         // indices.
constexpr int64_t kPairColumns = 64;     // Two groups: one column of boxes.

struct Extents {
  int64_t rows;
  int64_t cols;
};

std::optional<Extents> ConstantExtents(Dims dims) {
  if (dims.size() != 2) return std::nullopt;
  const auto rows = ConstantOf(dims[0]);
  const auto cols = ConstantOf(dims[1]);
  if (!rows.has_value() || !cols.has_value()) return std::nullopt;
  return Extents{*rows, *cols};
}

absl::StatusOr<int> GroupAxisOf(const OpCall& call) {
  const std::optional<int64_t> axis = call.IntKwarg("group_axis");
  if (axis == 0 || axis == 1) return static_cast<int>(*axis);
  return call.Error("MX-TQUANT-3",
                    "group_axis must be 1 (groups along the rows) or 0 (along "
                    "the columns)");
}

absl::Status CheckTarget(const OpCall& call) {
  const DataType dtype =
      call.DataTypeKwarg("dtype").value_or(DataType::kFP8E4M3FN);
  if (dtype == DataType::kFP8E4M3FN) return absl::OkStatus();
  return call.Error("MX-TQUANT-3", "dtype must be FP8E4M3FN, got ",
                    DataTypeName(dtype));
}

absl::StatusOr<Extents> SourceExtents(const OpCall& call) {
  const TileType& src = call.Tile(0);
  const bool is_float = src.dtype == DataType::kFP16 ||
                        src.dtype == DataType::kBF16 ||
                        src.dtype == DataType::kFP32;
  const std::optional<Extents> extents = ConstantExtents(src.shape);
  if (is_float && extents.has_value() &&
      src.EffectiveValidShape() == src.shape) {
    return *extents;
  }
  return call.Error(
      "MX-TQUANT-1",
      "src must be FP16, BF16 or FP32, of constant shape and all valid, got ",
      DataTypeName(src.dtype), " ", ShapeText(src.shape), " valid ",
      ShapeText(src.EffectiveValidShape()),
      "; cast it, or tile.fillpad it and widen its valid shape");
}

absl::Status CheckMultiple(const OpCall& call, absl::string_view what,
                           int64_t extent, int64_t unit) {
  if (extent > 0 && extent % unit == 0) return absl::OkStatus();
  return call.Error("MX-TQUANT-2", what, " must be a positive multiple of ",
                    unit, ", got ", extent, " of ",
                    ShapeText(call.Tile(0).shape));
}

const Type* TileOf(Context& context, Extents shape, Extents valid,
                   DataType dtype, TileView view) {
  const DimVector dims = {context.Index(shape.rows), context.Index(shape.cols)};
  const DimVector valid_dims = {context.Index(valid.rows),
                                context.Index(valid.cols)};
  view.valid_shape = valid_dims;
  return MakeTile(context, dims, dtype, MemorySpace::kVec, view);
}

TileView ScaleView(TileLayout layout) {
  TileView view;
  view.blayout = layout;
  view.slayout = layout;
  view.fractal = kScaleFractal;
  return view;
}

// ---- tile.tquant_mx

absl::StatusOr<const Type*> DeduceQuantize(const OpCall& call,
                                           Context& context) {
  MX_ASSIGN_OR_RETURN(const int axis, GroupAxisOf(call));
  MX_RETURN_IF_ERROR(CheckTarget(call));
  MX_ASSIGN_OR_RETURN(const Extents src, SourceExtents(call));
  MX_RETURN_IF_ERROR(CheckMultiple(call, "K", src.cols, kPairColumns));
  MX_RETURN_IF_ERROR(axis == 1 ? CheckMultiple(call, "M", src.rows, kMxBoxLanes)
                               : CheckMultiple(call, "N", src.rows, kMxGroup));
  const Extents data = axis == 1 ? src : Extents{src.cols, src.rows};
  const Extents scale = axis == 1 ? Extents{src.rows, src.cols / kMxGroup}
                                  : Extents{src.cols / kMxGroup, src.rows};
  const TileLayout layout =
      axis == 1 ? TileLayout::kRowMajor : TileLayout::kColMajor;
  const Type* types[] = {
      TileOf(context, data, data, DataType::kFP8E4M3FN, PlainView()),
      TileOf(context, scale, scale, DataType::kFP8E8M0, ScaleView(layout))};
  return context.GetTupleType(types);
}

// ---- tile.tquant_mx_raw

absl::Status CheckScratch(const OpCall& call, int index, int64_t groups) {
  const TileType& tile = call.Tile(index);
  const std::optional<int64_t> elements =
      ElementCount(tile.EffectiveValidShape());
  if (tile.dtype == call.Tile(0).dtype && elements == groups) {
    return absl::OkStatus();
  }
  return call.Error(
      "MX-TQUANT-4", call.ArgName(index), " must have ", groups,
      " elements, one a group, of ", DataTypeName(call.Tile(0).dtype), ", got ",
      ShapeText(tile.EffectiveValidShape()), " of ", DataTypeName(tile.dtype));
}

absl::StatusOr<const Type*> DeduceRaw(const OpCall& call, Context& context) {
  MX_ASSIGN_OR_RETURN(const int axis, GroupAxisOf(call));
  MX_RETURN_IF_ERROR(CheckTarget(call));
  MX_ASSIGN_OR_RETURN(const Extents src, SourceExtents(call));
  MX_RETURN_IF_ERROR(axis == 1
                         ? CheckMultiple(call, "columns", src.cols, kMxGroup)
                         : CheckMultiple(call, "rows", src.rows, kMxGroup));
  const int64_t groups = src.rows * src.cols / kMxGroup;
  MX_RETURN_IF_ERROR(CheckScratch(call, 1, groups));
  MX_RETURN_IF_ERROR(CheckScratch(call, 2, groups));
  const Extents exps =
      axis == 1 ? Extents{1, groups} : Extents{src.rows / kMxGroup, src.cols};
  const Type* types[] = {
      TileOf(context, src, src, DataType::kInt8, PlainView()),
      TileOf(context, exps, exps, DataType::kUInt8, PlainView())};
  return context.GetTupleType(types);
}

// ---- tile.tmov_x2zz

bool IsPlainBytes(const TileType& tile) {
  const TileView view = tile.EffectiveView();
  return tile.dtype == DataType::kUInt8 &&
         view.blayout == TileLayout::kRowMajor &&
         view.slayout == TileLayout::kNoneBox;
}

// The valid shape of the result.
absl::StatusOr<Extents> BoxedExtents(const OpCall& call, int axis,
                                     Extents src) {
  const std::optional<int64_t> rows = call.IntKwarg("dst_rows");
  const std::optional<int64_t> cols = call.IntKwarg("dst_cols");
  Extents dst = {rows.value_or(src.cols), cols.value_or(src.rows)};
  bool fits = dst.rows == src.cols && dst.cols == src.rows;
  if (axis == 1) {
    fits = rows.has_value() && cols.has_value() &&
           ((src.rows == 1 && src.cols == dst.rows * dst.cols) ||
            (src.rows == dst.rows && src.cols == dst.cols));
  }
  if (fits && dst.rows > 0 && dst.cols > 0 && dst.cols % kMxBoxGroups == 0) {
    return dst;
  }
  return call.Error("MX-TQUANT-5", "src [", src.rows, ", ", src.cols,
                    "] with group_axis=", axis, " must be the exponents of ",
                    axis == 1 ? "[dst_rows, dst_cols]" : "[dst_cols, dst_rows]",
                    ", an even number of groups, got dst_rows=", dst.rows,
                    ", dst_cols=", dst.cols);
}

absl::Status CheckTmp(const OpCall& call, int axis, Extents dst) {
  const int64_t needed =
      axis == 1 ? kIndexBaseBytes +
                      RoundUp(dst.rows, kMxBoxLanes) / kMxBoxLanes * dst.cols
                : kTmpBytes;
  const TileType& tmp = call.Tile(1);
  const std::optional<int64_t> bytes = ElementCount(tmp.shape);
  if (IsPlainBytes(tmp) && bytes.has_value() && *bytes >= needed) {
    return absl::OkStatus();
  }
  return call.Error("MX-TQUANT-6", "tmp must be a row-major UINT8 tile of ",
                    needed, " bytes or more, got ", DataTypeName(tmp.dtype),
                    " ", ShapeText(tmp.shape));
}

absl::StatusOr<const Type*> DeduceToZz(const OpCall& call, Context& context) {
  MX_ASSIGN_OR_RETURN(const int axis, GroupAxisOf(call));
  const TileType& src = call.Tile(0);
  const std::optional<Extents> extents =
      ConstantExtents(src.EffectiveValidShape());
  if (!IsPlainBytes(src) || !extents.has_value()) {
    return call.Error("MX-TQUANT-5",
                      "src must be a row-major UINT8 tile of constant valid "
                      "shape, got ",
                      DataTypeName(src.dtype), " ", ShapeText(src.shape));
  }
  MX_ASSIGN_OR_RETURN(const Extents dst, BoxedExtents(call, axis, *extents));
  MX_RETURN_IF_ERROR(CheckTmp(call, axis, dst));
  return TileOf(context, {RoundUp(dst.rows, kMxBoxLanes), dst.cols}, dst,
                DataType::kUInt8, ScaleView(TileLayout::kRowMajor));
}

void Register(OpRegistry& registry, absl::string_view name,
              std::vector<ShortForm> short_forms, OpSignature signature,
              Deduction deduction) {
  OpDef def = VecOp(name, signature);
  def.short_forms = std::move(short_forms);
  RegisterOp(registry, std::move(def), std::move(signature),
             std::move(deduction));
}

}  // namespace

void RegisterQuantOps(OpRegistry& registry) {
  const ArgSpec src = {"src", ArgKind::kMatrix};
  const KwargSpec axis = {"group_axis", KwargKind::kInt, /*required=*/true};
  const KwargSpec dtype = {"dtype", KwargKind::kDataType};
  Register(registry, "tquant_mx", {OfTile("quant_mx")}, {{src}, {axis, dtype}},
           DeduceQuantize);
  Register(registry, "tquant_mx_raw", {},
           {{src, {"max", ArgKind::kTile}, {"scaling", ArgKind::kTile}},
            {axis, dtype}},
           DeduceRaw);
  Register(
      registry, "tmov_x2zz", {OfTile("tmov_x2zz")},
      {{src, {"tmp", ArgKind::kMatrix}},
       {axis, {"dst_rows", KwargKind::kInt}, {"dst_cols", KwargKind::kInt}}},
      DeduceToZz);
}

}  // namespace mxtile::ir
