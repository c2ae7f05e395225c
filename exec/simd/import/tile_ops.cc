#include "exec/simd/import/tile_ops.h"

#include <cstdint>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "ir/enums.h"
#include "ir/rule_error.h"
#include "ir/type.h"
#include "numerics/element_format.h"

namespace mxtile::exec::simd {

ir::DataType TileOps::DtypeOf(const ir::Expr* tile) {
  return ir::CheckedCast<ir::TileType>(tile->type)->dtype;
}

// ---- operators

absl::StatusOr<Binding> TileOps::Eval(const ir::Call& call, const OpInfo& info,
                                      absl::Span<const Binding> args) {
  if (info.family == OpFamily::kNothing) return Binding();
  if (info.family == OpFamily::kSame) return args[0];
  const AxisPair* axes = s_.axes.Find(&call);
  if (axes == nullptr) {
    return ir::RuleError(
        "MX-SIMD-3",
        absl::StrCat(call.callee->name, ": a tile needs constant extents"));
  }
  const Tile& first = args[0].tile;
  absl::StatusOr<Tile> result;
  switch (info.family) {
    case OpFamily::kTranspose:
      result = Transpose(call, first);
      break;
    case OpFamily::kReshape:
      result = Reshape(call, *axes, first);
      break;
    case OpFamily::kCreate:
      // Nobody may depend on its elements, which are 0 here.
      if (ir::IsInteger(DtypeOf(&call))) {
        result = Filled(call, *axes, s_.scalars.Index(0));
      } else {
        result = s_.NewTile(*axes);
        result->value =
            s_.builder.Broadcast(s_.builder.Constant(0), s_.SpaceOf(*result));
      }
      break;
    case OpFamily::kFull:
      result = Filled(call, *axes, args[1].scalar);
      break;
    case OpFamily::kExpandScalar: {
      MX_ASSIGN_OR_RETURN(result, Filled(call, *axes, args[1].scalar));
      result->valid_rows = first.valid_rows;
      result->valid_cols = first.valid_cols;
      break;
    }
    case OpFamily::kCount:
      result = Count(call, *axes, args[0].scalar);
      break;
    case OpFamily::kPad:
      result = Pad(call, *axes, first);
      break;
    case OpFamily::kUnary:
      result = Unary(call, info, first);
      break;
    case OpFamily::kBinary:
    case OpFamily::kScalar:
    case OpFamily::kMaskLogic:
      result = Binary(call, info.binary, *axes, first, args[1]);
      break;
    case OpFamily::kCompare: {
      MX_ASSIGN_OR_RETURN(const BinaryKind kind, ComparisonOf(call));
      result = Binary(call, kind, *axes, first, args[1]);
      break;
    }
    case OpFamily::kRowReduction:
    case OpFamily::kColReduction:
      result = Reduce(call, info, *axes, first);
      break;
    case OpFamily::kRowExpansion:
    case OpFamily::kColExpansion:
      result = Expand(call, info, *axes, first, args[1].tile);
      break;
    case OpFamily::kSelect:
      result = Choose(call, *axes, first, args[1].tile, args[2]);
      break;
    case OpFamily::kSelectScalar:
      result = Choose(call, *axes, first, args[1].tile, args[3]);
      break;
    case OpFamily::kCast:
      result = Cast(call, first);
      break;
    default:
      MX_CHECK(false) << "an operator of another importer";
  }
  MX_RETURN_IF_ERROR(result.status());
  return Binding::Of(*result);
}

absl::StatusOr<Tile> TileOps::NewResult(
    const ir::Call& call, const AxisPair& axes,
    std::initializer_list<const Tile*> tiles) {
  Tile result = s_.NewTile(axes);
  const auto merge = [&](const TileAxis& axis, TileAxis AxisPair::*member,
                         ValueId Tile::*valid) {
    bool is_first = true;
    for (const Tile* tile : tiles) {
      const int64_t extent = (tile->axes.*member).extent;
      if (extent == 1) continue;
      if (extent != axis.extent ||
          (!is_first && result.*valid != tile->*valid)) {
        return false;
      }
      result.*valid = tile->*valid;
      is_first = false;
    }
    return true;
  };
  if (merge(axes.rows, &AxisPair::rows, &Tile::valid_rows) &&
      merge(axes.cols, &AxisPair::cols, &Tile::valid_cols)) {
    return result;
  }
  return ir::RuleError(
      "MX-SIMD-6",
      absl::StrCat(call.callee->name,
                   ": the valid regions of the tiles are not known to be the "
                   "same; give them one valid shape, or pad them "
                   "(tile.fillpad)"));
}

absl::StatusOr<ValueId> TileOps::Operand(const ir::Call& call,
                                         const Scalar& scalar,
                                         ElementType type) {
  if (type == ElementType::kF32 && scalar.type != ElementType::kBool) {
    return s_.scalars.AsFloat(scalar);
  }
  if (type == scalar.type && scalar.id != kNoValue) return scalar.id;
  return UnsupportedVariant(
      call, absl::StrCat("with a scalar of ", Name(scalar.type), " for ",
                         Name(type), " elements"));
}

absl::StatusOr<Tile> TileOps::Unary(const ir::Call& call, const OpInfo& info,
                                    const Tile& tile) {
  const ElementType type = s_.TypeOf(tile.value);
  if (type != ElementType::kF32) {
    return UnsupportedVariant(
        call, absl::StrCat("of ", ir::DataTypeName(DtypeOf(call.args[0])),
                           " (cast to FP32 first)"));
  }
  Tile result = tile;
  result.value = s_.builder.Unary(info.unary, tile.value);
  result.zero_outside = false;
  return result;
}

absl::StatusOr<Tile> TileOps::Binary(const ir::Call& call, BinaryKind kind,
                                     const AxisPair& axes, const Tile& a,
                                     const Binding& b) {
  const bool has_tile = b.kind == Binding::Kind::kTile;
  MX_ASSIGN_OR_RETURN(Tile result, has_tile
                                       ? NewResult(call, axes, {&a, &b.tile})
                                       : NewResult(call, axes, {&a}));
  ValueId lhs = s_.Fit(a, axes).value;
  ElementType type = s_.TypeOf(lhs);
  ValueId rhs = kNoValue;
  if (has_tile) {
    rhs = s_.Fit(b.tile, axes).value;
  } else {
    // A tile of integers meets a float as floats.
    if (type == ElementType::kIndex && b.scalar.type == ElementType::kF32) {
      lhs = s_.builder.Cast(lhs, ElementType::kF32);
      type = ElementType::kF32;
    }
    MX_ASSIGN_OR_RETURN(rhs, Operand(call, b.scalar, type));
  }
  const bool is_logic = kind == BinaryKind::kAnd || kind == BinaryKind::kOr;
  for (const ValueId operand : {lhs, rhs}) {
    const ElementType given = s_.TypeOf(operand);
    const bool computes = is_logic ? given == ElementType::kBool
                                   : given == ElementType::kF32 ||
                                         (given == ElementType::kIndex &&
                                          kind != BinaryKind::kDiv);
    if (computes && given == s_.TypeOf(lhs)) continue;
    if (is_logic) return UnsupportedVariant(call, "of what no tile.cmp made");
    return UnsupportedVariant(
        call, absl::StrCat("of ", Name(s_.TypeOf(lhs)), " and ", Name(given),
                           " elements (cast to FP32 first)"));
  }
  result.value = s_.builder.Binary(kind, lhs, rhs, s_.SpaceOf(result));
  return result;
}

absl::StatusOr<Tile> TileOps::Reduce(const ir::Call& call, const OpInfo& info,
                                     const AxisPair& axes, const Tile& tile) {
  if (s_.TypeOf(tile.value) != ElementType::kF32) {
    return UnsupportedVariant(
        call, absl::StrCat("of ", ir::DataTypeName(DtypeOf(call.args[0])),
                           " (cast to FP32 first)"));
  }
  const bool by_rows = info.family == OpFamily::kRowReduction;
  const DimId dim = by_rows ? tile.cols : tile.rows;
  const ValueId limit = by_rows ? tile.valid_cols : tile.valid_rows;
  Tile reduced = tile;
  reduced.zero_outside = false;
  (by_rows ? reduced.cols : reduced.rows) = kNoDim;
  (by_rows ? reduced.valid_cols : reduced.valid_rows) = kNoValue;
  (by_rows ? reduced.axes.cols : reduced.axes.rows) =
      by_rows ? axes.cols : axes.rows;
  if (dim != kNoDim) {
    reduced.value = s_.builder.Reduce(info.reduce, tile.value, dim, limit);
  }
  return s_.Fit(reduced, axes);
}

absl::StatusOr<Tile> TileOps::Expand(const ir::Call& call, const OpInfo& info,
                                     const AxisPair& axes, const Tile& tile,
                                     const Tile& vector) {
  const bool by_rows = info.family == OpFamily::kRowExpansion;
  if ((by_rows ? vector.axes.cols : vector.axes.rows).extent != 1) {
    return UnsupportedVariant(
        call, by_rows ? "of a row vector of more than one column"
                      : "of a column vector of more than one row");
  }
  if (!info.second_only) {
    MX_ASSIGN_OR_RETURN(Tile result, Binary(call, info.binary, axes, tile,
                                            Binding::Of(vector)));
    if (info.exp_of_difference) {
      result.value = s_.builder.Unary(UnaryKind::kExp, result.value);
    }
    return result;
  }
  MX_ASSIGN_OR_RETURN(Tile result, NewResult(call, axes, {&tile, &vector}));
  result.value =
      s_.builder.Broadcast(s_.Fit(vector, axes).value, s_.SpaceOf(result));
  return result;
}

absl::StatusOr<BinaryKind> TileOps::ComparisonOf(const ir::Call& call) {
  constexpr BinaryKind kKinds[] = {BinaryKind::kEq, BinaryKind::kNe,
                                   BinaryKind::kLt, BinaryKind::kLe,
                                   BinaryKind::kGt, BinaryKind::kGe};
  const ir::AttrValue* type = ir::FindAttr(call.kwargs, "cmp_type");
  const int64_t index = type == nullptr ? 0 : type->int_value;
  if (type != nullptr &&
      (type->kind != ir::AttrValue::Kind::kInt || index < 0 || index > 5)) {
    return UnsupportedVariant(call, "with a cmp_type that is not 0 to 5");
  }
  return kKinds[index];
}

absl::StatusOr<Tile> TileOps::Choose(const ir::Call& call, const AxisPair& axes,
                                     const Tile& mask, const Tile& then,
                                     const Binding& otherwise) {
  if (s_.TypeOf(mask.value) != ElementType::kBool) {
    return UnsupportedVariant(call, "of what no tile.cmp made");
  }
  const bool has_tile = otherwise.kind == Binding::Kind::kTile;
  MX_ASSIGN_OR_RETURN(
      Tile result, has_tile
                       ? NewResult(call, axes, {&then, &mask, &otherwise.tile})
                       : NewResult(call, axes, {&then, &mask}));
  const ValueId chosen = s_.Fit(then, axes).value;
  ValueId other = kNoValue;
  if (has_tile) {
    other = s_.Fit(otherwise.tile, axes).value;
  } else {
    MX_ASSIGN_OR_RETURN(other,
                        Operand(call, otherwise.scalar, s_.TypeOf(chosen)));
  }
  if (s_.TypeOf(chosen) != s_.TypeOf(other)) {
    return UnsupportedVariant(
        call, absl::StrCat("between ", Name(s_.TypeOf(chosen)), " and ",
                           Name(s_.TypeOf(other)), " elements"));
  }
  result.value = s_.builder.Select(s_.Fit(mask, axes).value, chosen, other,
                                   s_.SpaceOf(result));
  return result;
}

absl::StatusOr<Tile> TileOps::Cast(const ir::Call& call, const Tile& tile) {
  const ir::AttrValue* target = ir::FindAttr(call.kwargs, "target_type");
  const ir::AttrValue* mode = ir::FindAttr(call.kwargs, "mode");
  const ir::DataType dtype =
      target == nullptr ? ir::DataType::kBool : target->data_type;
  const ElementType from = s_.TypeOf(tile.value);
  Tile result = tile;
  TileProgramBuilder& b = s_.builder;
  if (from != ElementType::kF32) {
    result.value = b.Cast(tile.value, ElementType::kF32);
  }
  if (dtype == ir::DataType::kFP32) return result;
  constexpr int64_t kRint = 1;
  const bool nearest_even =
      mode == nullptr || mode->text == "none" || mode->text == "rint" ||
      (mode->kind == ir::AttrValue::Kind::kInt && mode->int_value <= kRint);
  if ((dtype != ir::DataType::kBF16 && dtype != ir::DataType::kFP16) ||
      !nearest_even) {
    return UnsupportedVariant(
        call, absl::StrCat("to ", ir::DataTypeName(dtype),
                           " by this mode (mode=\"rint\" to FP32, BF16 and "
                           "FP16 can)"));
  }
  MX_ASSIGN_OR_RETURN(const ElementType type, TileTypeOf(dtype));
  // What rounds beyond the largest value becomes that: Overflow::kSaturate.
  const float largest = MaxFinite(*FormatOf(type));
  ValueId clamped =
      b.Binary(BinaryKind::kMax, result.value, b.Constant(-largest));
  clamped = b.Binary(BinaryKind::kMin, clamped, b.Constant(largest));
  result.value = b.Cast(clamped, type);
  return result;
}

}  // namespace mxtile::exec::simd
