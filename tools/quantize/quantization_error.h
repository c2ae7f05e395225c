#ifndef TOOLS_QUANTIZE_QUANTIZATION_ERROR_H_
#define TOOLS_QUANTIZE_QUANTIZATION_ERROR_H_

// What quantising cost in accuracy, summed panel by panel.
//
//   QuantizationError error;
//   AddPanelError(panel.layout, scales, values, dequantised, &error);
//   error.RelativeFrobenius()   // |x - q| / |x|
//   error.SqnrDb()              // 10 log10(|x|^2 / |x - q|^2)
//
// Groups with a NaN or an Inf count as such and take no part in the sums: what
// they lose is no distance.

#include <cstdint>

#include "absl/types/span.h"
#include "kernels/host/quantized_layout.h"

namespace mxtile {

struct QuantizationError {
  int64_t elements = 0;
  int64_t groups = 0;
  // Elements whose magnitude is above the largest of their group's scale.
  int64_t saturated = 0;
  // Elements that are not zero and became zero.
  int64_t underflowed = 0;
  int64_t nan_groups = 0;
  // Those with an Inf and no NaN.
  int64_t inf_groups = 0;
  double max_abs_error = 0;
  double sum_squared_errors = 0;
  double sum_squares = 0;

  void Add(const QuantizationError& other);
  // 0 when nothing was lost.
  double RelativeFrobenius() const;
  // Infinity when nothing was lost.
  double SqnrDb() const;
};

// `scales` are those of the layout; `values` and `dequantised` its [rows, cols]
// row-major.
void AddPanelError(const host::QuantizedLayout& layout,
                   absl::Span<const uint8_t> scales,
                   absl::Span<const float> values,
                   absl::Span<const float> dequantised,
                   QuantizationError* error);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_QUANTIZATION_ERROR_H_
