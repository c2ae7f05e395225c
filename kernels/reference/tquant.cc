#include "kernels/reference/tquant.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/base/casts.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"
#include "numerics/group_max.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile {
namespace {

TQuantTypes TypesOf(const TQuantTiles& tiles) {
  const auto groups = [](const GroupTile& tile) {
    return GroupTileType{TileOf(tile).type, FormOf(tile)};
  };
  return {tiles.dst.type, tiles.src.type, groups(tiles.exp), groups(tiles.max),
          groups(tiles.scaling)};
}

absl::Status CheckTiles(const TQuantOptions& options,
                        const TQuantTiles& tiles) {
  MX_RETURN_IF_ERROR(CheckTQuant(options, TypesOf(tiles)));
  return CheckDisjoint("TQUANT", {{"dst", tiles.dst},
                                  {"src", tiles.src},
                                  {"exp", TileOf(tiles.exp)},
                                  {"max", TileOf(tiles.max)},
                                  {"scaling", TileOf(tiles.scaling)}});
}

// The elements of a group: those of the valid region, from (row, col) on.
struct Group {
  Group(GroupAxis axis, const TileType& tile, int64_t group_row,
        int64_t group_col)
      : row_step(axis == GroupAxis::kAxis0 ? 1 : 0),
        col_step(axis == GroupAxis::kAxis1 ? 1 : 0) {
    row = row_step == 1 ? group_row * kScaleGroupSize : group_row;
    col = col_step == 1 ? group_col * kScaleGroupSize : group_col;
    const int64_t left =
        row_step == 1 ? tile.valid_rows - row : tile.valid_cols - col;
    size = std::clamp<int64_t>(left, 0, kScaleGroupSize);
  }
  int64_t Row(int64_t i) const { return row + i * row_step; }
  int64_t Col(int64_t i) const { return col + i * col_step; }

  int64_t row_step;
  int64_t col_step;
  int64_t row;
  int64_t col;
  int64_t size;  // valid elements
};

struct Writers {
  ElementWriter dst;
  ElementWriter exp;
  ElementWriter max;
  ElementWriter scaling;
};

absl::StatusOr<Writers> CreateWriters(GroupAxis axis,
                                      const TQuantTiles& tiles) {
  const TileType& src = tiles.src.type;
  MX_ASSIGN_OR_RETURN(ElementWriter dst, ElementWriter::Create(tiles.dst));
  MX_ASSIGN_OR_RETURN(ElementWriter exp,
                      CreateGroupWriter("exp", tiles.exp, axis, src));
  MX_ASSIGN_OR_RETURN(ElementWriter max,
                      CreateGroupWriter("max", tiles.max, axis, src));
  MX_ASSIGN_OR_RETURN(ElementWriter scaling,
                      CreateGroupWriter("scaling", tiles.scaling, axis, src));
  return Writers{std::move(dst), std::move(exp), std::move(max),
                 std::move(scaling)};
}

// A flat tile has groups of padding columns, which the others have not.
void SetGroup(const ElementWriter& writer, int64_t row, int64_t col,
              uint32_t code) {
  if (col < writer.map().cols()) writer.SetCode(row, col, code);
}

GroupMax MaxOfCodes(ElementFormat format, ScaleRule rule,
                    absl::Span<const uint32_t> codes) {
  if (format == ElementFormat::kF32) {
    float values[kScaleGroupSize];
    std::transform(codes.begin(), codes.end(), values,
                   [](uint32_t code) { return absl::bit_cast<float>(code); });
    return F32GroupMax(values);
  }
  uint16_t halves[kScaleGroupSize];
  std::copy(codes.begin(), codes.end(), halves);
  return format == ElementFormat::kBF16 ? BF16GroupMax(halves)
                                        : F16GroupMax(halves, rule);
}

uint32_t FloatBits(float value) { return absl::bit_cast<uint32_t>(value); }

}  // namespace

absl::Status TQuant(const TQuantOptions& options, const TQuantTiles& tiles) {
  MX_RETURN_IF_ERROR(CheckTiles(options, tiles));
  const TileType& type = tiles.src.type;
  MX_ASSIGN_OR_RETURN(const ElementReader src,
                      ElementReader::Create(tiles.src));
  MX_ASSIGN_OR_RETURN(const Writers to, CreateWriters(options.axis, tiles));
  const int64_t group_rows = to.exp.map().rows();
  const int64_t group_cols = std::max(
      {to.exp.map().cols(), to.max.map().cols(), to.scaling.map().cols()});
  for (int64_t row = 0; row < group_rows; ++row) {
    for (int64_t col = 0; col < group_cols; ++col) {
      const Group group(options.axis, type, row, col);
      uint32_t codes[kScaleGroupSize] = {};
      for (int64_t i = 0; i < group.size; ++i) {
        codes[i] = src.Code(group.Row(i), group.Col(i));
      }
      const GroupMax max = MaxOfCodes(type.format, options.rule, codes);
      const uint8_t s = SharedExponent(options.rule, options.format, max.value);
      SetGroup(to.exp, row, col, s);
      SetGroup(to.max, row, col,
               to.max.format() == ElementFormat::kF32 ? FloatBits(max.value)
                                                      : max.tile_bits);
      SetGroup(to.scaling, row, col,
               to.scaling.format() == ElementFormat::kF32
                   ? FloatBits(ReciprocalScale(s))
                   : ReciprocalScaleBF16(options.format, s));
      for (int64_t i = 0; i < group.size; ++i) {
        to.dst.SetCode(
            group.Row(i), group.Col(i),
            EncodeScaled(options.format, Decode(type.format, codes[i]), s));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status TDequant(GroupAxis axis, const TileView& dst,
                      const ConstTileView& data, const ConstGroupTile& exp) {
  const TileType& type = data.type;
  MX_RETURN_IF_ERROR(CheckQuantizedFormat(type.format));
  MX_RETURN_IF_ERROR(CheckGroupExtents(axis, type));
  MX_RETURN_IF_ERROR(
      CheckSameShape("TDEQUANT: the data", type, type.format, type));
  MX_RETURN_IF_ERROR(CheckSameShape("TDEQUANT: the destination", dst.type,
                                    ElementFormat::kF32, type));
  MX_RETURN_IF_ERROR(CheckExponentFormat(TileOf(exp).type));
  MX_RETURN_IF_ERROR(CheckDisjoint(
      "TDEQUANT", {{"dst", dst}, {"data", data}, {"exp", TileOf(exp)}}));
  MX_ASSIGN_OR_RETURN(const ElementReader codes, ElementReader::Create(data));
  MX_ASSIGN_OR_RETURN(const ElementReader scales,
                      CreateGroupReader("exp", exp, axis, type));
  MX_ASSIGN_OR_RETURN(const ElementWriter values, ElementWriter::Create(dst));
  for (int64_t row = 0; row < type.valid_rows; ++row) {
    for (int64_t col = 0; col < type.valid_cols; ++col) {
      const bool axis1 = axis == GroupAxis::kAxis1;
      const auto s =
          static_cast<uint8_t>(axis1 ? scales.Code(row, col / kScaleGroupSize)
                                     : scales.Code(row / kScaleGroupSize, col));
      const double value = DecodeScaled(type.format, codes.Code(row, col), s);
      values.SetCode(row, col, FloatBits(static_cast<float>(value)));
    }
  }
  return absl::OkStatus();
}

}  // namespace mxtile
