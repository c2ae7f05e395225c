#include "kernels/reference/tquant.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/base/casts.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/reference/quantize_rules.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/group_max.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile {
namespace {

absl::Status CheckSource(const TQuantOptions& options, const TileType& src) {
  const bool is_f32 = src.format == ElementFormat::kF32;
  if (src.layout != TileLayout::kNd ||
      (!is_f32 && src.format != ElementFormat::kBF16 &&
       src.format != ElementFormat::kF16)) {
    return absl::InvalidArgumentError(
        absl::StrCat("TQUANT: the source ", ToString(src),
                     " must be row-major f32, bf16 or f16 (MX-QUANT-4)"));
  }
  const bool extension = options.format == ElementFormat::kF8E5M2 ||
                         (is_f32 && options.format == ElementFormat::kF4E2M1FN);
  if (extension && !options.extensions) {
    return absl::InvalidArgumentError(absl::StrCat(
        "TQUANT: ", Name(options.format), " from ", Name(src.format),
        " is nothing that the A5's TQUANT has; TQuantOptions::extensions "
        "allows it (MX-QUANT-4)"));
  }
  return absl::OkStatus();
}

absl::Status CheckExtents(GroupAxis axis, const TileType& src) {
  const bool cols_fit = src.cols % kScaleGroupSize == 0;
  const bool rows_fit =
      axis == GroupAxis::kAxis1 || src.rows % kScaleGroupSize == 0;
  if (cols_fit && rows_fit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("TQUANT along axis ", static_cast<int>(axis), ": the ",
                   cols_fit ? "rows" : "columns", " of the source ",
                   ToString(src), " are no multiple of ", kScaleGroupSize,
                   "; allocate whole groups, the valid region may end before "
                   "(MX-QUANT-3)"));
}

// `tile` holds an element for each of `like`.
absl::Status CheckSameShape(absl::string_view role, const TileType& tile,
                            ElementFormat format, const TileType& like) {
  if (tile.format == format && tile.layout == TileLayout::kNd &&
      tile.rows == like.rows && tile.cols == like.cols &&
      tile.valid_rows == like.valid_rows &&
      tile.valid_cols == like.valid_cols) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(role, " ", ToString(tile), " must be row-major ",
                   Name(format), " with the shape and the valid region of ",
                   ToString(like), " (MX-QUANT-5)"));
}

absl::Status CheckGroupFormat(absl::string_view role, const TileType& tile,
                              bool fits, absl::string_view required) {
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("TQUANT: the tile '", role, "', ", ToString(tile),
                   ", must be of ", required, " (MX-QUANT-6)"));
}

absl::Status CheckExponents(const TileType& tile) {
  return CheckGroupFormat("exp", tile, tile.format == ElementFormat::kF8E8M0FNU,
                          Name(ElementFormat::kF8E8M0FNU));
}

// Maxima and scalings.
absl::Status CheckScratch(absl::string_view role, const GroupTile& groups,
                          const TileType& src) {
  const TileType& tile = TileOf(groups).type;
  const bool fits =
      tile.format == ElementFormat::kF32 || tile.format == src.format;
  return CheckGroupFormat(
      role, tile, fits && !std::holds_alternative<InterleavedGroupTile>(groups),
      absl::StrCat("f32 or, as its source, ", Name(src.format),
                   ", and not interleaved"));
}

absl::Status CheckTiles(const TQuantOptions& options,
                        const TQuantTiles& tiles) {
  const TileType& src = tiles.src.type;
  MX_RETURN_IF_ERROR(CheckQuantizedFormat(options.format));
  MX_RETURN_IF_ERROR(CheckSource(options, src));
  MX_RETURN_IF_ERROR(CheckExtents(options.axis, src));
  MX_RETURN_IF_ERROR(CheckSameShape("TQUANT: the destination", tiles.dst.type,
                                    options.format, src));
  MX_RETURN_IF_ERROR(CheckExponents(TileOf(tiles.exp).type));
  MX_RETURN_IF_ERROR(CheckScratch("max", tiles.max, src));
  MX_RETURN_IF_ERROR(CheckScratch("scaling", tiles.scaling, src));
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
  MX_RETURN_IF_ERROR(CheckExtents(axis, type));
  MX_RETURN_IF_ERROR(
      CheckSameShape("TDEQUANT: the data", type, type.format, type));
  MX_RETURN_IF_ERROR(CheckSameShape("TDEQUANT: the destination", dst.type,
                                    ElementFormat::kF32, type));
  MX_RETURN_IF_ERROR(CheckExponents(TileOf(exp).type));
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
