#include "kernels/reference/tmov.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

struct Shape {
  int64_t rows;
  int64_t cols;
};

absl::Status CheckMove(const TileView& dst, const ConstTileView& src,
                       Shape source) {
  if (dst.type.format != src.type.format) {
    return absl::InvalidArgumentError(absl::StrCat(
        "TMOV from ", ToString(src.type), " to ", ToString(dst.type),
        ": a move does not convert; both must have one format "
        "(KERNEL-MOVE-1)"));
  }
  if (dst.type.valid_rows < source.rows || dst.type.valid_cols < source.cols) {
    return absl::InvalidArgumentError(absl::StrCat(
        "TMOV from ", ToString(src.type), " to ", ToString(dst.type),
        ": the valid region of the destination must be [", source.rows, ", ",
        source.cols, "] or more (KERNEL-MOVE-2)"));
  }
  return CheckDisjoint("TMOV", {{"dst", dst}, {"src", src}});
}

absl::Status Move(const TileView& dst, const ConstTileView& src,
                  bool transposed) {
  const Shape source = transposed
                           ? Shape{src.type.valid_cols, src.type.valid_rows}
                           : Shape{src.type.valid_rows, src.type.valid_cols};
  MX_RETURN_IF_ERROR(CheckMove(dst, src, source));
  MX_ASSIGN_OR_RETURN(const ElementReader from, ElementReader::Create(src));
  MX_ASSIGN_OR_RETURN(const ElementWriter to, ElementWriter::Create(dst));
  for (int64_t row = 0; row < dst.type.valid_rows; ++row) {
    for (int64_t col = 0; col < dst.type.valid_cols; ++col) {
      uint32_t code = 0;
      if (row < source.rows && col < source.cols) {
        code = transposed ? from.Code(col, row) : from.Code(row, col);
      }
      to.SetCode(row, col, code);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status TMov(const TileView& dst, const ConstTileView& src) {
  return Move(dst, src, /*transposed=*/false);
}

absl::Status TMovTransposed(const TileView& dst, const ConstTileView& src) {
  return Move(dst, src, /*transposed=*/true);
}

absl::Status PadToEvenGroups(GroupAxis axis, const TileView& dst,
                             const ConstTileView& src) {
  const bool rows_are_groups = axis == GroupAxis::kAxis0;
  const int64_t rows =
      src.type.valid_rows + (rows_are_groups ? src.type.valid_rows % 2 : 0);
  const int64_t cols =
      src.type.valid_cols + (rows_are_groups ? 0 : src.type.valid_cols % 2);
  if (src.type.format != ElementFormat::kF8E8M0FNU ||
      dst.type.valid_rows != rows || dst.type.valid_cols != cols) {
    return absl::InvalidArgumentError(absl::StrCat(
        "PadToEvenGroups from ", ToString(src.type), " to ", ToString(dst.type),
        ": exponents are f8E8M0FNU, and the valid region of the destination "
        "must be [",
        rows, ", ", cols, "] (KERNEL-MOVE-3)"));
  }
  return TMov(dst, src);
}

}  // namespace mxtile
