#include "tools/quantize/error_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

struct FormatBounds {
  double largest;   // Q
  double half_gap;  // h
  double above;     // 2^(emax+1) - Q, what the OCP rule may cut off
};

FormatBounds BoundsOf(ElementFormat format) {
  const uint32_t code = LargestFiniteCode(format);
  const double largest = Decode(format, code);
  return {largest, (largest - Decode(format, code - 1)) / 2,
          std::ldexp(1.0, MaxExponent(format) + 1) - largest};
}

bool IsKept(const FormatBounds& bounds, ScaleRule rule, double scale, float x,
            float y) {
  if (std::isnan(x) || std::isnan(y)) return false;
  const double largest = bounds.largest * scale;
  if (std::isinf(x)) {
    return std::signbit(x) == std::signbit(y) &&
           std::fabs(y) == static_cast<float>(largest);
  }
  // A float has no 2^128, which the codes next to the largest floats are.
  const double became = std::min(std::max<double>(y, -0x1p128), 0x1p128);
  const double error = std::fabs(x - became);
  if (error <= bounds.half_gap * scale) return true;
  return rule == ScaleRule::kOcp && std::fabs(x) > largest &&
         error <= bounds.above * scale;
}

}  // namespace

absl::Status CheckBounds(const host::QuantizedLayout& layout, ScaleRule rule,
                         absl::Span<const uint8_t> scales,
                         absl::Span<const float> values,
                         absl::Span<const float> dequantised,
                         int64_t first_row) {
  const FormatBounds bounds = BoundsOf(layout.format());
  const bool axis1 = layout.axis() == GroupAxis::kAxis1;
  const int64_t cols = layout.cols();
  const auto scale_of = [&](int64_t row, int64_t col) {
    return scales[axis1 ? layout.ScaleOffset(row, col / kScaleGroupSize)
                        : layout.ScaleOffset(col, row / kScaleGroupSize)];
  };
  const auto group_has_nan = [&](int64_t row, int64_t col) {
    const int64_t first =
        (axis1 ? col : row) / kScaleGroupSize * kScaleGroupSize;
    const int64_t last = std::min<int64_t>(first + kScaleGroupSize,
                                           axis1 ? cols : layout.rows());
    for (int64_t i = first; i < last; ++i) {
      if (std::isnan(values[axis1 ? row * cols + i : i * cols + col])) {
        return true;
      }
    }
    return false;
  };
  for (int64_t row = 0; row < layout.rows(); ++row) {
    for (int64_t col = 0; col < cols; ++col) {
      const float x = values[row * cols + col];
      const float y = dequantised[row * cols + col];
      const uint8_t scale = scale_of(row, col);
      const bool kept =
          scale == 255
              ? std::isnan(y) && group_has_nan(row, col)
              : IsKept(bounds, rule, std::ldexp(1.0, scale - 127), x, y);
      if (!kept) {
        return absl::InternalError(absl::StrFormat(
            "--verify: element (%d, %d) is %.9g in the input and %.9g in the "
            "output, with scale %d of its group: more than %s allows",
            first_row + row, col, x, y, scale, Name(layout.format())));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace mxtile
