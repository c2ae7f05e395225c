#include "kernels/tquant_options.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

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

absl::Status CheckGroupFormat(absl::string_view role, const TileType& tile,
                              bool fits, absl::string_view required) {
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("TQUANT: the tile '", role, "', ", ToString(tile),
                   ", must be of ", required, " (MX-QUANT-6)"));
}

// Maxima and scalings.
absl::Status CheckScratch(absl::string_view role, const GroupTileType& groups,
                          const TileType& src) {
  const bool fits = groups.tile.format == ElementFormat::kF32 ||
                    groups.tile.format == src.format;
  return CheckGroupFormat(
      role, groups.tile, fits && groups.form != GroupForm::kInterleaved,
      absl::StrCat("f32 or, as its source, ", Name(src.format),
                   ", and not interleaved"));
}

absl::Status CheckGroups(absl::string_view role, const GroupTileType& groups,
                         const TQuantOptions& options, const TileType& src) {
  return CreateGroupMap(role, groups.tile, groups.form, options.axis, src)
      .status();
}

}  // namespace

absl::Status CheckQuantizedFormat(ElementFormat format) {
  if (format == ElementFormat::kF8E4M3FN || format == ElementFormat::kF8E5M2 ||
      format == ElementFormat::kF4E2M1FN) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "quantise to ", Name(format),
      ": the format must be f8E4M3FN, f8E5M2 or f4E2M1FN (MX-QUANT-1)"));
}

absl::Status CheckGroupExtents(GroupAxis axis, const TileType& src) {
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

absl::Status CheckExponentFormat(const TileType& tile) {
  return CheckGroupFormat("exp", tile, tile.format == ElementFormat::kF8E8M0FNU,
                          Name(ElementFormat::kF8E8M0FNU));
}

absl::Status CheckTQuant(const TQuantOptions& options,
                         const TQuantTypes& types) {
  const TileType& src = types.src;
  MX_RETURN_IF_ERROR(CheckQuantizedFormat(options.format));
  MX_RETURN_IF_ERROR(CheckSource(options, src));
  MX_RETURN_IF_ERROR(CheckGroupExtents(options.axis, src));
  MX_RETURN_IF_ERROR(CheckSameShape("TQUANT: the destination", types.dst,
                                    options.format, src));
  MX_RETURN_IF_ERROR(CheckExponentFormat(types.exp.tile));
  MX_RETURN_IF_ERROR(CheckScratch("max", types.max, src));
  MX_RETURN_IF_ERROR(CheckScratch("scaling", types.scaling, src));
  MX_RETURN_IF_ERROR(CheckGroups("exp", types.exp, options, src));
  MX_RETURN_IF_ERROR(CheckGroups("max", types.max, options, src));
  return CheckGroups("scaling", types.scaling, options, src);
}

}  // namespace mxtile
