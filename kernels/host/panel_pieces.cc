#include "kernels/host/panel_pieces.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

Pieces OnePiece(int64_t first, int64_t size_bytes) {
  return {1, size_bytes, first, 0};
}

Pieces DataPieces(const QuantizedLayout& whole, const QuantizedLayout& panel,
                  int64_t first_row) {
  const int64_t first = first_row * whole.data_strides().line;
  const int64_t size = panel.data_size_bytes();
  if (whole.form().data_order == DataOrder::kND) return OnePiece(first, size);
  const int64_t strips = size / panel.data_strides().chunk;
  return {strips, panel.data_strides().chunk, first,
          whole.data_strides().chunk};
}

// In the matrix [lines, groups] of scales the panel is a range of lines along
// axis 1, a range of groups along axis 0.
Pieces ScalePieces(const QuantizedLayout& whole, const QuantizedLayout& panel,
                   int64_t first_row) {
  const bool axis1 = whole.axis() == GroupAxis::kAxis1;
  const int64_t first = axis1
                            ? whole.ScaleOffset(first_row, 0)
                            : whole.ScaleOffset(0, first_row / kScaleGroupSize);
  const int64_t size = panel.scale_size_bytes();
  int64_t count = 1;  // storage rows that the panel has a part of
  int64_t stride = 0;
  switch (whole.form().scale_order) {
    case ScaleOrder::kND:
    case ScaleOrder::kMxAND:
    case ScaleOrder::kMxBDN:  // a storage row is a line
      if (!axis1) {
        count = whole.lines();
        stride = whole.groups();
      }
      break;
    case ScaleOrder::kDN:  // a group
      if (axis1) {
        count = whole.groups();
        stride = whole.lines();
      }
      break;
    case ScaleOrder::kMxADN:
    case ScaleOrder::kMxBND:  // a pair of groups
      if (axis1) {
        count = whole.groups() / 2;
        stride = 2 * whole.lines();
      }
      break;
    case ScaleOrder::kZZ:
    case ScaleOrder::kNN:  // 16 lines
      if (!axis1) {
        count = whole.lines() / kScaleBoxLines;
        stride = kScaleBoxLines * whole.groups();
      }
      break;
  }
  return {count, size / count, first, stride};
}

}  // namespace

absl::StatusOr<Panel> PanelOf(const QuantizedLayout& whole, RowRange rows) {
  const bool is_last = rows.last == whole.rows();
  if (rows.first < 0 || rows.first >= rows.last || rows.last > whole.rows() ||
      rows.first % kPanelUnit != 0 ||
      (!is_last && rows.last % kPanelUnit != 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rows ", rows.first, " to ", rows.last, " of [", whole.rows(), ", ",
        whole.cols(),
        "]: a panel must lie in the matrix, begin at a multiple "
        "of ",
        kPanelUnit, " and end at one or with the matrix (MX-HOST-7)"));
  }
  QuantizedForm form = whole.form();
  form.padded = {(is_last ? whole.padded_rows() : rows.last) - rows.first,
                 whole.padded_cols()};
  MX_ASSIGN_OR_RETURN(
      const QuantizedLayout layout,
      QuantizedLayout::Create(rows.last - rows.first, whole.cols(), form));
  return Panel{layout, DataPieces(whole, layout, rows.first),
               ScalePieces(whole, layout, rows.first)};
}

}  // namespace mxtile::host
