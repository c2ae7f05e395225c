#include "tools/quantize/quantization_error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

// The first `count` of a group, of values and of what they became; `limit` is
// the largest magnitude of the group's scale.
void AddGroup(const float* x, const float* y, int64_t count, double limit,
              QuantizationError* error) {
  error->elements += count;
  ++error->groups;
  bool has_nan = false;
  bool has_inf = false;
  for (int64_t i = 0; i < count; ++i) {
    has_nan |= std::isnan(x[i]);
    has_inf |= std::isinf(x[i]);
  }
  if (has_nan || has_inf) {
    ++(has_nan ? error->nan_groups : error->inf_groups);
    return;
  }
  double errors = 0, squares = 0, largest = 0;
  int64_t saturated = 0, underflowed = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = x[i];
    // A float has no 2^128, which the codes next to the largest floats are.
    const double became = std::min(std::max<double>(y[i], -0x1p128), 0x1p128);
    const double distance = std::fabs(value - became);
    errors += distance * distance;
    squares += value * value;
    largest = std::max(largest, distance);
    saturated += std::fabs(value) > limit;
    underflowed += y[i] == 0 && x[i] != 0;
  }
  error->sum_squared_errors += errors;
  error->sum_squares += squares;
  error->max_abs_error = std::max(error->max_abs_error, largest);
  error->saturated += saturated;
  error->underflowed += underflowed;
}

}  // namespace

void QuantizationError::Add(const QuantizationError& other) {
  elements += other.elements;
  groups += other.groups;
  saturated += other.saturated;
  underflowed += other.underflowed;
  nan_groups += other.nan_groups;
  inf_groups += other.inf_groups;
  max_abs_error = std::max(max_abs_error, other.max_abs_error);
  sum_squared_errors += other.sum_squared_errors;
  sum_squares += other.sum_squares;
}

double QuantizationError::RelativeFrobenius() const {
  if (sum_squared_errors == 0) return 0;
  return std::sqrt(sum_squared_errors / sum_squares);
}

double QuantizationError::SqnrDb() const {
  if (sum_squared_errors == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(sum_squares / sum_squared_errors);
}

void AddPanelError(const host::QuantizedLayout& layout,
                   absl::Span<const uint8_t> scales,
                   absl::Span<const float> values,
                   absl::Span<const float> dequantised,
                   QuantizationError* error) {
  double limits[256];
  for (int scale = 0; scale < 256; ++scale) {
    limits[scale] = std::ldexp(MaxFinite(layout.format()), scale - 127);
  }
  const int64_t rows = layout.rows(), cols = layout.cols();
  if (layout.axis() == GroupAxis::kAxis1) {
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t col = 0; col < cols; col += kScaleGroupSize) {
        const int64_t at = row * cols + col;
        AddGroup(&values[at], &dequantised[at],
                 std::min<int64_t>(kScaleGroupSize, cols - col),
                 limits[scales[layout.ScaleOffset(row, col / kScaleGroupSize)]],
                 error);
      }
    }
    return;
  }
  float x[kScaleGroupSize], y[kScaleGroupSize];
  for (int64_t row = 0; row < rows; row += kScaleGroupSize) {
    const int64_t count = std::min<int64_t>(kScaleGroupSize, rows - row);
    for (int64_t col = 0; col < cols; ++col) {
      for (int64_t i = 0; i < count; ++i) {
        x[i] = values[(row + i) * cols + col];
        y[i] = dequantised[(row + i) * cols + col];
      }
      AddGroup(x, y, count,
               limits[scales[layout.ScaleOffset(col, row / kScaleGroupSize)]],
               error);
    }
  }
}

}  // namespace mxtile
