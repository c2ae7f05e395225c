// Tiles of other shapes, and tiles made of scalars.

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "exec/pad_number.h"
#include "exec/simd/element_type.h"
#include "exec/simd/import/tile_ops.h"
#include "exec/simd/tile_program_builder.h"
#include "ir/type.h"

namespace mxtile::exec::simd {

absl::StatusOr<Tile> TileOps::Transpose(const ir::Call& call,
                                        const Tile& tile) {
  if (ir::CheckedCast<ir::TileType>(call.args[0]->type)->shape.size() != 2) {
    return UnsupportedVariant(call, "of other than 2-D tiles");
  }
  Tile result = tile;
  std::swap(result.axes.rows, result.axes.cols);
  std::swap(result.rows, result.cols);
  std::swap(result.valid_rows, result.valid_cols);
  return result;
}

absl::StatusOr<Tile> TileOps::Reshape(const ir::Call& call,
                                      const AxisPair& axes, const Tile& tile) {
  const auto is_same = [](const AxisPair& a, const AxisPair& b) {
    return a.rows.extent == b.rows.extent && a.cols.extent == b.cols.extent;
  };
  if (is_same(tile.axes, axes)) return s_.Fit(tile, axes);
  Tile turned = tile;
  std::swap(turned.axes.rows, turned.axes.cols);
  std::swap(turned.rows, turned.cols);
  std::swap(turned.valid_rows, turned.valid_cols);
  const bool is_vector =
      tile.axes.rows.extent == 1 || tile.axes.cols.extent == 1;
  if (is_vector && is_same(turned.axes, axes)) return s_.Fit(turned, axes);
  return UnsupportedVariant(
      call,
      absl::StrCat("from [", tile.axes.rows.extent, ", ", tile.axes.cols.extent,
                   "] to [", axes.rows.extent, ", ", axes.cols.extent, "]"));
}

absl::StatusOr<Tile> TileOps::Filled(const ir::Call& call, const AxisPair& axes,
                                     const Scalar& value) {
  MX_ASSIGN_OR_RETURN(const ElementType type, TileTypeOf(DtypeOf(&call)));
  Tile result = s_.NewTile(axes);
  MX_ASSIGN_OR_RETURN(const ValueId scalar, Operand(call, value, type));
  const Space space = s_.SpaceOf(result);
  result.value = space.empty() ? scalar : s_.builder.Broadcast(scalar, space);
  return result;
}

absl::StatusOr<Tile> TileOps::Count(const ir::Call& call, const AxisPair& axes,
                                    const Scalar& start) {
  MX_ASSIGN_OR_RETURN(const ElementType type, TileTypeOf(DtypeOf(&call)));
  if (type != ElementType::kIndex || start.type != ElementType::kIndex) {
    return UnsupportedVariant(call, "of other than integers");
  }
  TileProgramBuilder& b = s_.builder;
  Tile result = s_.NewTile(axes);
  const Space space = s_.SpaceOf(result);
  ValueId number = s_.scalars.Index(0).id;
  if (result.cols != kNoDim) number = b.Iota(result.cols);
  if (result.rows != kNoDim) {
    const ValueId row = b.Binary(BinaryKind::kMul, b.Iota(result.rows),
                                 s_.scalars.Index(axes.cols.extent).id);
    number = b.Binary(BinaryKind::kAdd, row, number, space);
  }
  const ir::AttrValue* descending = ir::FindAttr(call.kwargs, "descending");
  const bool down = descending != nullptr && descending->bool_value;
  result.value = number;
  if (down || start.linear.AsConstant() != 0) {
    result.value = b.Binary(down ? BinaryKind::kSub : BinaryKind::kAdd,
                            start.id, number, space);
  }
  return result;
}

ValueId TileOps::Masked(const Tile& tile, ValueId pad) {
  TileProgramBuilder& b = s_.builder;
  const Space space = b.program().values[tile.value].space;
  ValueId value = tile.value;
  const std::pair<DimId, ValueId> axes[] = {{tile.rows, tile.valid_rows},
                                            {tile.cols, tile.valid_cols}};
  for (const auto& [dim, valid] : axes) {
    if (valid == kNoValue) continue;
    value = b.Select(b.Binary(BinaryKind::kLt, b.Iota(dim), valid), value, pad,
                     space);
  }
  return value;
}

absl::StatusOr<Tile> TileOps::Pad(const ir::Call& call, const AxisPair& axes,
                                  const Tile& tile) {
  const ElementType type = s_.TypeOf(tile.value);
  const std::optional<double> number = PadNumber(call.kwargs);
  if (!number.has_value()) {
    return UnsupportedVariant(call, "with this pad_value");
  }
  const double pad = *number;
  Tile result = s_.Fit(tile, axes);
  const bool is_zero = pad == 0;
  if (!(is_zero && tile.zero_outside)) {
    if (type != ElementType::kF32 &&
        !(is_zero && type == ElementType::kIndex)) {
      return UnsupportedVariant(call,
                                absl::StrCat("of ", Name(type), " elements"));
    }
    result.value =
        Masked(result, type == ElementType::kIndex
                           ? s_.scalars.Index(0).id
                           : s_.builder.Constant(static_cast<float>(pad)));
  }
  result.valid_rows = result.valid_cols = kNoValue;
  return result;
}

}  // namespace mxtile::exec::simd
