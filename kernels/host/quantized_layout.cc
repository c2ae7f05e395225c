#include "kernels/host/quantized_layout.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "layouts/index_map.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/nd/nd_layout.h"
#include "layouts/nz/nz_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

constexpr int64_t kChunkBytes = kNzBoxLineBytes;
constexpr int64_t kPairElements = 2 * kScaleGroupSize;

bool IsMxData(ElementFormat format) {
  return format == ElementFormat::kF8E4M3FN ||
         format == ElementFormat::kF8E5M2 ||
         format == ElementFormat::kF4E2M1FN || format == ElementFormat::kF4E1M2;
}

bool NeedsPairs(ScaleOrder order) {
  return order != ScaleOrder::kND && order != ScaleOrder::kDN;
}

bool IsBoxed(ScaleOrder order) {
  return order == ScaleOrder::kZZ || order == ScaleOrder::kNN;
}

absl::Status CheckForm(int64_t rows, int64_t cols, const QuantizedForm& form) {
  if (!IsMxData(form.format)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "MX data of format ", Name(form.format),
        ": the format must be f8E4M3FN, f8E5M2, f4E2M1FN or f4E1M2 "
        "(MX-HOST-1)"));
  }
  const auto in_range = [](int64_t extent, int64_t least) {
    return extent >= least && extent <= QuantizedLayout::kMaxExtent;
  };
  if (!in_range(rows, 1) || !in_range(cols, 1) ||
      !in_range(form.padded.rows, 0) || !in_range(form.padded.cols, 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "MX data [", rows, ", ", cols, "] padded to [", form.padded.rows, ", ",
        form.padded.cols, "]: extents must be from 1, those to pad to from 0, ",
        "and all at most ", QuantizedLayout::kMaxExtent, " (MX-HOST-2)"));
  }
  if (!IsScaleOrderOf(form.axis, form.scale_order)) {
    const bool axis1 = form.axis == GroupAxis::kAxis1;
    return absl::InvalidArgumentError(absl::StrCat(
        "scales of groups along axis ", axis1 ? 1 : 0, " in ",
        Name(form.scale_order), ": the order must be ", axis1 ? "ND" : "DN",
        ", ZZ, NN, MX_A_ND, MX_A_DN, MX_B_ND or MX_B_DN (MX-HOST-3)"));
  }
  return absl::OkStatus();
}

// Of a dense ND or NZ matrix of padded extents.
absl::StatusOr<DataStrides> StridesOfData(const QuantizedForm& form,
                                          Extents padded) {
  const int bits = BitWidth(form.format);
  if (form.data_order == DataOrder::kND) {
    MX_ASSIGN_OR_RETURN(const NdLayout nd,
                        NdLayout::Create(padded.rows, padded.cols, bits));
    return DataStrides{nd.pitch_bytes(), kChunkBytes};
  }
  MX_ASSIGN_OR_RETURN(
      const NzLayout nz,
      NzLayout::Create(NzOrder::kNZ, padded.rows, padded.cols, bits));
  return DataStrides{kChunkBytes, nz.pitch_lines() * kChunkBytes};
}

// From the layout's own map, so that its formula stands in one place.
ScaleStrides StridesOfScales(const IndexMap& lines_and_groups) {
  const auto row = [&](int64_t line) {
    return line < lines_and_groups.rows() ? lines_and_groups.RowOffset(line)
                                          : 0;
  };
  const auto col = [&](int64_t group) {
    return group < lines_and_groups.cols() ? lines_and_groups.ColOffset(group)
                                           : 0;
  };
  return {row(kScaleBoxLines), row(1), col(2), col(1)};
}

}  // namespace

absl::string_view Name(DataOrder order) {
  return order == DataOrder::kND ? "ND" : "NZ";
}

bool IsScaleOrderOf(GroupAxis axis, ScaleOrder order) {
  return order !=
         (axis == GroupAxis::kAxis1 ? ScaleOrder::kDN : ScaleOrder::kND);
}

Extents PaddedForCube(CubeOperand operand, GroupAxis axis, ElementFormat format,
                      Extents extents) {
  const int64_t n_unit = BitWidth(format) == 4 ? 64 : 32;
  const int64_t line_unit = operand == CubeOperand::kA ? 16 : n_unit;
  const bool axis1 = axis == GroupAxis::kAxis1;
  return {RoundUp(extents.rows, axis1 ? line_unit : kPairElements),
          RoundUp(extents.cols, axis1 ? kPairElements : line_unit)};
}

absl::StatusOr<QuantizedLayout> QuantizedLayout::Create(
    int64_t rows, int64_t cols, const QuantizedForm& form) {
  MX_RETURN_IF_ERROR(CheckForm(rows, cols, form));
  const int64_t bits = BitWidth(form.format);
  const bool axis1 = form.axis == GroupAxis::kAxis1;
  Extents padded = {std::max(rows, form.padded.rows),
                    std::max(cols, form.padded.cols)};
  int64_t& along = axis1 ? padded.cols : padded.rows;
  int64_t& lines = axis1 ? padded.rows : padded.cols;
  along = RoundUp(
      along, NeedsPairs(form.scale_order) ? kPairElements : kScaleGroupSize);
  if (IsBoxed(form.scale_order)) lines = RoundUp(lines, kScaleBoxLines);
  padded.cols = RoundUp(padded.cols, 8 / bits);
  if (form.data_order == DataOrder::kNZ) {
    padded.rows = RoundUp(padded.rows, kNzBoxLines);
    padded.cols = RoundUp(padded.cols, kChunkBytes * 8 / bits);
  }
  // What is rounded up for NZ must still be pairs of groups: 32 bytes are one
  // group or two, and 16 rows divide 32.

  QuantizedLayout layout;
  layout.form_ = form;
  layout.rows_ = rows;
  layout.cols_ = cols;
  layout.padded_rows_ = padded.rows;
  layout.padded_cols_ = padded.cols;
  layout.data_size_bytes_ = padded.rows * (padded.cols * bits / 8);
  MX_ASSIGN_OR_RETURN(layout.data_strides_, StridesOfData(form, padded));
  const int64_t groups = along / kScaleGroupSize;
  const bool groups_first = GroupsAreRows(form.scale_order);
  MX_ASSIGN_OR_RETURN(
      const ScaleLayout scales,
      ScaleLayout::Create(form.scale_order, groups_first ? groups : lines,
                          groups_first ? lines : groups));
  layout.scale_size_bytes_ = scales.size_bytes();
  layout.scale_strides_ = StridesOfScales(scales.LineMap());
  return layout;
}

int64_t QuantizedLayout::lines() const {
  return axis() == GroupAxis::kAxis1 ? padded_rows_ : padded_cols_;
}

int64_t QuantizedLayout::groups() const {
  return (axis() == GroupAxis::kAxis1 ? padded_cols_ : padded_rows_) /
         kScaleGroupSize;
}

int64_t QuantizedLayout::DataOffset(int64_t row, int64_t col) const {
  const int64_t byte = col * BitWidth(format()) / 8;
  return row * data_strides_.line + byte / kChunkBytes * data_strides_.chunk +
         byte % kChunkBytes;
}

int64_t QuantizedLayout::ScaleOffset(int64_t line, int64_t group) const {
  return line / kScaleBoxLines * scale_strides_.box +
         line % kScaleBoxLines * scale_strides_.line +
         group / 2 * scale_strides_.pair + group % 2 * scale_strides_.group;
}

}  // namespace mxtile::host
