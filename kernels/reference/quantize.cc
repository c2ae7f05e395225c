#include "kernels/reference/quantize.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile {
namespace {

absl::Status CheckArguments(int64_t size, int64_t rows, int64_t cols,
                            GroupAxis axis, ElementFormat format) {
  MX_RETURN_IF_ERROR(CheckQuantizedFormat(format));
  // Divides, since a product of wrong extents could overflow.
  if (rows < 1 || cols < 1 || size % rows != 0 || size / rows != cols) {
    return absl::InvalidArgumentError(
        absl::StrCat("quantise [", rows, ", ", cols, "]: ", size,
                     " values are given; extents must be positive and their "
                     "product that number (MX-QUANT-2)"));
  }
  const int64_t extent = axis == GroupAxis::kAxis0 ? rows : cols;
  if (extent % kScaleGroupSize != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "quantise [", rows, ", ", cols, "] along axis ", static_cast<int>(axis),
        ": ", extent, " is not a multiple of ", kScaleGroupSize,
        "; pad it with zeros (MX-QUANT-3)"));
  }
  return absl::OkStatus();
}

// Where the 32 elements of the group with scale (scale_row, scale_col) lie in a
// row-major matrix.
struct Group {
  Group(const QuantizedMatrix& matrix, int64_t scale_row, int64_t scale_col) {
    if (matrix.axis == GroupAxis::kAxis1) {
      first = scale_row * matrix.cols + scale_col * kScaleGroupSize;
      stride = 1;
    } else {
      first = scale_row * kScaleGroupSize * matrix.cols + scale_col;
      stride = matrix.cols;
    }
  }
  int64_t operator[](int64_t i) const { return first + i * stride; }

  int64_t first;
  int64_t stride;
};

// Fills the codes of a group; returns its scale.
uint8_t QuantizeGroup(absl::Span<const float> values, const Group& group,
                      ScaleRule rule, ElementFormat format,
                      absl::Span<uint8_t> codes) {
  float elements[kScaleGroupSize];
  for (int i = 0; i < kScaleGroupSize; ++i) elements[i] = values[group[i]];
  const uint8_t scale = SharedExponent(rule, format, MaxAbs(elements));
  for (int i = 0; i < kScaleGroupSize; ++i) {
    codes[group[i]] = EncodeScaled(format, elements[i], scale);
  }
  return scale;
}

}  // namespace

absl::StatusOr<QuantizedMatrix> Quantize(absl::Span<const float> values,
                                         int64_t rows, int64_t cols,
                                         GroupAxis axis, ElementFormat format,
                                         ScaleRule rule) {
  MX_RETURN_IF_ERROR(CheckArguments(values.size(), rows, cols, axis, format));
  QuantizedMatrix matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.axis = axis;
  matrix.format = format;
  matrix.codes.resize(values.size());
  const bool along_rows = axis == GroupAxis::kAxis1;
  matrix.scale_rows = along_rows ? rows : rows / kScaleGroupSize;
  matrix.scale_cols = along_rows ? cols / kScaleGroupSize : cols;
  for (int64_t row = 0; row < matrix.scale_rows; ++row) {
    for (int64_t col = 0; col < matrix.scale_cols; ++col) {
      matrix.scales.push_back(QuantizeGroup(values, Group(matrix, row, col),
                                            rule, format,
                                            absl::MakeSpan(matrix.codes)));
    }
  }
  return matrix;
}

std::vector<double> Dequantize(const QuantizedMatrix& matrix) {
  MX_CHECK(matrix.codes.size() == matrix.rows * matrix.cols &&
           matrix.scales.size() == matrix.scale_rows * matrix.scale_cols &&
           matrix.scales.size() * kScaleGroupSize == matrix.codes.size());
  std::vector<double> values(matrix.codes.size());
  const uint8_t* scale = matrix.scales.data();
  for (int64_t row = 0; row < matrix.scale_rows; ++row) {
    for (int64_t col = 0; col < matrix.scale_cols; ++col) {
      const Group group(matrix, row, col);
      for (int i = 0; i < kScaleGroupSize; ++i) {
        values[group[i]] =
            DecodeScaled(matrix.format, matrix.codes[group[i]], *scale);
      }
      ++scale;
    }
  }
  return values;
}

}  // namespace mxtile
