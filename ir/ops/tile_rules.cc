#include "ir/ops/tile_rules.h"

#include <algorithm>
#include <cmath>
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
#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
namespace {

bool IsIn(DataType dtype, ElementClass wanted) {
  switch (wanted) {
    case ElementClass::kAny:
      return true;
    case ElementClass::kInteger:
      return IsInteger(dtype);
    case ElementClass::kFloat:
      return IsFloat(dtype);
    case ElementClass::kFp32:
      return dtype == DataType::kFP32;
    case ElementClass::kFp16Fp32:
      return dtype == DataType::kFP16 || dtype == DataType::kFP32;
    case ElementClass::kInt16:
      return dtype == DataType::kInt16 || dtype == DataType::kUInt16;
  }
  return false;
}

absl::string_view ClassText(ElementClass wanted) {
  switch (wanted) {
    case ElementClass::kAny:
      return "any";
    case ElementClass::kInteger:
      return "an integer type";
    case ElementClass::kFloat:
      return "a float type";
    case ElementClass::kFp32:
      return "FP32";
    case ElementClass::kFp16Fp32:
      return "FP16 or FP32";
    case ElementClass::kInt16:
      return "INT16 or UINT16";
  }
  return "";
}

DataType ElementOf(const OpCall& call, int index) {
  const Type* type = call.Arg(index)->type;
  if (const auto* tile = DynCast<TileType>(type)) return tile->dtype;
  if (const auto* tensor = DynCast<TensorType>(type)) return tensor->dtype;
  return call.Scalar(index);
}

// Of two dims of one axis, the extent of both together; null when they differ.
const Expr* Together(const Expr* a, const Expr* b) {
  if (a == b || IsConstant(b, 1)) return a;
  if (IsConstant(a, 1)) return b;
  if (KnownDifferent(a, b)) return nullptr;
  return ConstantOf(a).has_value() ? a : b;
}

}  // namespace

const Type* MakeTile(Context& context, Dims shape, DataType dtype,
                     std::optional<MemorySpace> space, const TileView& view) {
  TileType type;
  type.shape = shape;
  type.dtype = dtype;
  type.space = space;
  type.view = &view;
  return context.GetTileType(type);
}

TileView PlainView() { return TileView(); }

TileView ViewLike(const TileType& tile, Dims valid_shape) {
  const TileView source = tile.EffectiveView();
  TileView view;
  view.valid_shape = valid_shape;
  view.blayout = source.blayout;
  view.slayout = source.slayout;
  view.pad = source.pad;
  view.compact = source.compact;
  return view;
}

DataType Promoted(DataType a, DataType b) {
  if (IsFloat(a) != IsFloat(b)) return IsFloat(a) ? a : b;
  if (BitWidth(a) != BitWidth(b)) return BitWidth(a) > BitWidth(b) ? a : b;
  if (IsSignedInteger(b) && !IsSignedInteger(a)) return b;
  return a;
}

absl::StatusOr<DimVector> BroadcastShapes(const OpCall& call,
                                          const std::vector<int>& tiles) {
  DimVector shape = ToVector(call.Tile(tiles[0]).shape);
  for (size_t i = 1; i < tiles.size(); ++i) {
    DimVector other = ToVector(call.Tile(tiles[i]).shape);
    if (other.size() > shape.size()) std::swap(shape, other);
    const size_t lead = shape.size() - other.size();
    for (size_t dim = 0; dim < other.size(); ++dim) {
      const Expr* both = Together(shape[lead + dim], other[dim]);
      if (both == nullptr) {
        return call.Error("MX-TILE-1", "the shapes ",
                          ShapeText(call.Tile(tiles[0]).shape), " of ",
                          call.ArgName(tiles[0]), " and ",
                          ShapeText(call.Tile(tiles[i]).shape), " of ",
                          call.ArgName(tiles[i]),
                          " do not broadcast; dimensions must be equal or 1");
      }
      shape[lead + dim] = both;
    }
  }
  return shape;
}

absl::Status CheckSameShape(const OpCall& call, int a, int b) {
  const Dims lhs = call.Tile(a).shape;
  const Dims rhs = call.Tile(b).shape;
  bool same = lhs.size() == rhs.size();
  for (size_t i = 0; same && i < lhs.size(); ++i) {
    same = !KnownDifferent(lhs[i], rhs[i]);
  }
  if (same) return absl::OkStatus();
  return call.Error("MX-TILE-1", call.ArgName(a), " and ", call.ArgName(b),
                    " must have one shape, got ", ShapeText(lhs), " and ",
                    ShapeText(rhs));
}

absl::Status CheckElement(const OpCall& call, int index, ElementClass wanted) {
  const DataType dtype = ElementOf(call, index);
  if (IsIn(dtype, wanted)) return absl::OkStatus();
  return call.Error("MX-TILE-2", call.ArgName(index), " must be ",
                    ClassText(wanted), ", got ", DataTypeName(dtype),
                    "; cast it first");
}

absl::Status CheckSameElement(const OpCall& call, int a, int b) {
  const DataType lhs = ElementOf(call, a);
  const DataType rhs = ElementOf(call, b);
  if (lhs == rhs) return absl::OkStatus();
  return call.Error("MX-TILE-3", call.ArgName(a), " and ", call.ArgName(b),
                    " must have one element type, got ", DataTypeName(lhs),
                    " and ", DataTypeName(rhs), "; cast one of them");
}

absl::Status CheckRank(const OpCall& call, int index, int at_least,
                       int at_most) {
  const int rank = static_cast<int>(call.Tile(index).shape.size());
  if (rank >= at_least && rank <= at_most) return absl::OkStatus();
  return call.Error("MX-TILE-4", call.ArgName(index), " must have rank ",
                    at_least, at_least == at_most ? "" : " or more", ", got ",
                    ShapeText(call.Tile(index).shape));
}

absl::Status CheckStaticShape(const OpCall& call, Exprs shape, DataType dtype) {
  const bool is_static =
      std::all_of(shape.begin(), shape.end(),
                  [](const Expr* dim) { return ConstantOf(dim).has_value(); });
  if (shape.empty() || !is_static) {
    return call.Error("MX-TILE-5",
                      "the shape must be a non-empty list of constants, got ",
                      ShapeText(shape),
                      "; make the tile as large as needed and narrow its "
                      "valid_shape");
  }
  return CheckResultShape(call, shape, dtype);
}

absl::Status CheckValidInside(const OpCall& call, Exprs valid, Exprs shape) {
  bool inside = valid.size() == shape.size();
  for (size_t i = 0; inside && i < valid.size(); ++i) {
    const std::optional<int64_t> extent = ConstantOf(valid[i]);
    const std::optional<int64_t> size = ConstantOf(shape[i]);
    inside = !extent.has_value() ||
             (*extent >= 0 && (!size.has_value() || *extent <= *size));
  }
  if (inside) return absl::OkStatus();
  return call.Error("MX-TILE-7", "the valid shape ", ShapeText(valid),
                    " must lie inside the shape ", ShapeText(shape));
}

absl::StatusOr<PadValue> PadOf(const OpCall& call, PadValue otherwise) {
  const AttrValue* value = call.Kwarg("pad_value");
  if (value == nullptr) return otherwise;
  std::optional<PadValue> pad;
  if (value->kind == AttrValue::Kind::kEnum) {
    pad = EnumFromName<PadValue>(value->text);
  } else if (value->kind == AttrValue::Kind::kInt) {
    if (value->int_value == 0) pad = PadValue::kZero;
  } else if (value->float_value == 0) {
    pad = PadValue::kZero;
  } else if (std::isinf(value->float_value)) {
    pad = value->float_value > 0 ? PadValue::kMax : PadValue::kMin;
  }
  if (pad.has_value() &&
      (*pad != PadValue::kNull || otherwise == PadValue::kNull)) {
    return *pad;
  }
  return call.Error("MX-TILE-12",
                    "pad_value must be pl.PadValue.zero, max or min; as a "
                    "number 0, inf or -inf");
}

OpDef VecOp(absl::string_view name, const OpSignature& signature) {
  OpDef def;
  def.name = absl::StrCat("tile.", name);
  for (const ArgSpec& arg : signature.args) {
    const bool is_tile =
        arg.kind == ArgKind::kTile || arg.kind == ArgKind::kMatrix;
    def.operand_spaces.push_back(is_tile ? SpaceSet{MemorySpace::kVec}
                                         : SpaceSet{});
  }
  while (!def.operand_spaces.empty() && def.operand_spaces.back().empty()) {
    def.operand_spaces.pop_back();
  }
  def.result_space = ResultSpace::kFixed;
  def.fixed_space = MemorySpace::kVec;
  return def;
}

ShortForm OfTile(absl::string_view name) {
  return {std::string(name), {OperandKind::kTile}};
}

}  // namespace mxtile::ir
