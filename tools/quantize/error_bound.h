#ifndef TOOLS_QUANTIZE_ERROR_BOUND_H_
#define TOOLS_QUANTIZE_ERROR_BOUND_H_

// What the format promises for each element of a quantised matrix: the table of
// VerifyInFiles (matrix_in_files.h), computed without the kernels.
//
//   MX_RETURN_IF_ERROR(CheckBounds(layout, ScaleRule::kOcp, scales, values,
//                                  dequantised, /*first_row=*/0));

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/scale_rule.h"

namespace mxtile {

// `values` and `dequantised` are [rows, cols] of the layout, `scales` its own;
// kInternal with the first element that breaks its bound, whose row is counted
// from `first_row`.
absl::Status CheckBounds(const host::QuantizedLayout& layout, ScaleRule rule,
                         absl::Span<const uint8_t> scales,
                         absl::Span<const float> values,
                         absl::Span<const float> dequantised,
                         int64_t first_row);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_ERROR_BOUND_H_
