#include "kernels/host/quantize.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantize_job.h"
#include "kernels/host/quantized_layout.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

absl::Status CheckSource(ElementFormat format) {
  if (format == ElementFormat::kF32 || format == ElementFormat::kBF16 ||
      format == ElementFormat::kF16) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("quantise from ", Name(format),
                   ": the source must be f32, bf16 or f16 (MX-HOST-4)"));
}

absl::Status CheckRows(const QuantizedLayout& layout, RowRange rows) {
  const bool groups_cut =
      layout.axis() == GroupAxis::kAxis0 &&
      (rows.first % kScaleGroupSize != 0 ||
       (rows.last % kScaleGroupSize != 0 && rows.last != layout.rows()));
  if (rows.first >= 0 && rows.first < rows.last && rows.last <= layout.rows() &&
      !groups_cut) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "rows ", rows.first, " to ", rows.last, " of [", layout.rows(), ", ",
      layout.cols(), "]: a panel must lie in the matrix and not be empty",
      groups_cut ? ", and hold whole groups of 32 rows" : "", " (MX-HOST-5)"));
}

absl::Status CheckSize(const char* what, int64_t size, int64_t expected) {
  if (size == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, " of ", size, " bytes: it must have ", expected, " (MX-HOST-6)"));
}

template <typename Bytes>
absl::Status CheckSizes(const QuantizedLayout& layout, const Bytes& bytes) {
  MX_RETURN_IF_ERROR(
      CheckSize("data", bytes.data.size(), layout.data_size_bytes()));
  return CheckSize("scales", bytes.scales.size(), layout.scale_size_bytes());
}

// Rows of the panel, and the padding below when it is the last.
int64_t LastPaddedRow(const QuantizedLayout& layout, RowRange rows) {
  return rows.last == layout.rows() ? layout.padded_rows() : rows.last;
}

// Bytes [first_byte, last_byte) of a row.
void ZeroBytes(const DataStrides& stride, int64_t row, int64_t first_byte,
               int64_t last_byte, uint8_t* data) {
  for (int64_t byte = first_byte; byte < last_byte;) {
    const int64_t end = std::min(last_byte, RoundUp(byte + 1, 32));
    std::memset(data + row * stride.line + byte / 32 * stride.chunk + byte % 32,
                0, end - byte);
    byte = end;
  }
}

// The data that no element of the panel has; a byte that it shares with one is
// written again.
void ZeroDataPadding(const QuantizedLayout& layout, RowRange rows,
                     uint8_t* data) {
  const int64_t bits = BitWidth(layout.format());
  const int64_t row_bytes = layout.padded_cols() * bits / 8;
  const int64_t first_byte = layout.cols() * bits / 8;
  const int64_t last_row = LastPaddedRow(layout, rows);
  for (int64_t row = rows.first; row < last_row; ++row) {
    ZeroBytes(layout.data_strides(), row,
              row < rows.last ? first_byte : int64_t{0}, row_bytes, data);
  }
}

// The scales of groups that hold padding only.
void ZeroScalePadding(const QuantizedLayout& layout, RowRange rows,
                      uint8_t* scales) {
  const bool axis1 = layout.axis() == GroupAxis::kAxis1;
  const int64_t last_row = LastPaddedRow(layout, rows);
  const int64_t first_line = axis1 ? rows.first : 0;
  const int64_t last_line = axis1 ? last_row : layout.lines();
  const int64_t first_group = axis1 ? 0 : rows.first / kScaleGroupSize;
  const int64_t last_group =
      axis1 ? layout.groups() : CeilDivide(last_row, kScaleGroupSize);
  // Lines and groups from which on there is no element.
  const int64_t end_line = axis1 ? rows.last : layout.cols();
  const int64_t end_group =
      CeilDivide(axis1 ? layout.cols() : rows.last, kScaleGroupSize);
  for (int64_t line = first_line; line < last_line; ++line) {
    for (int64_t group = line < end_line ? end_group : first_group;
         group < last_group; ++group) {
      scales[layout.ScaleOffset(line, group)] = 0;
    }
  }
}

}  // namespace

absl::Status QuantizeRows(const QuantizedLayout& layout, ScaleRule rule,
                          const SourcePanel& source, RowRange rows,
                          const QuantizedBytes& out) {
  MX_RETURN_IF_ERROR(CheckQuantizedFormat(layout.format()));
  MX_RETURN_IF_ERROR(CheckSource(source.format));
  MX_RETURN_IF_ERROR(CheckRows(layout, rows));
  const int64_t pitch_bytes = layout.cols() * BitWidth(source.format) / 8;
  MX_RETURN_IF_ERROR(CheckSize("source", source.bytes.size(),
                               (rows.last - rows.first) * pitch_bytes));
  MX_RETURN_IF_ERROR(CheckSizes(layout, out));

  ZeroDataPadding(layout, rows, out.data.data());
  ZeroScalePadding(layout, rows, out.scales.data());
  const bool axis1 = layout.axis() == GroupAxis::kAxis1;
  QuantizeJob job;
  job.source_format = source.format;
  job.format = layout.format();
  job.rule = rule;
  job.axis = layout.axis();
  job.rows = rows.last - rows.first;
  job.cols = layout.cols();
  job.source = source.bytes.data();
  job.source_pitch_bytes = pitch_bytes;
  job.data = out.data.data() + rows.first * layout.data_strides().line;
  job.data_strides = layout.data_strides();
  job.scales = out.scales.data();
  job.scale_strides = layout.scale_strides();
  job.first_line = axis1 ? rows.first : 0;
  job.first_group = axis1 ? 0 : rows.first / kScaleGroupSize;
  RunQuantize(job);
  return absl::OkStatus();
}

absl::Status DequantizeRows(const QuantizedLayout& layout,
                            const ConstQuantizedBytes& in, RowRange rows,
                            absl::Span<float> values) {
  MX_RETURN_IF_ERROR(CheckRows(layout, rows));
  MX_RETURN_IF_ERROR(CheckSizes(layout, in));
  MX_RETURN_IF_ERROR(
      CheckSize("values", values.size() * sizeof(float),
                (rows.last - rows.first) * layout.cols() * sizeof(float)));

  const bool axis1 = layout.axis() == GroupAxis::kAxis1;
  DequantizeJob job;
  job.format = layout.format();
  job.axis = layout.axis();
  job.rows = rows.last - rows.first;
  job.cols = layout.cols();
  job.data = in.data.data() + rows.first * layout.data_strides().line;
  job.data_strides = layout.data_strides();
  job.scales = in.scales.data();
  job.scale_strides = layout.scale_strides();
  job.first_line = axis1 ? rows.first : 0;
  job.first_group = axis1 ? 0 : rows.first / kScaleGroupSize;
  job.values = values.data();
  RunDequantize(job);
  return absl::OkStatus();
}

const char* InstructionSet() { return QuantizeInstructionSet(); }

}  // namespace mxtile::host
