#ifndef KERNELS_REFERENCE_QUANTIZE_H_
#define KERNELS_REFERENCE_QUANTIZE_H_

// MX quantisation in plain loops: what TQUANT means. The model's kernel and the
// host kernel are held against it, byte for byte.
//
//   // [2, 64] floats -> 128 codes and [2, 2] scales
//   MX_ASSIGN_OR_RETURN(
//       const QuantizedMatrix q,
//       Quantize(values, /*rows=*/2, /*cols=*/64, GroupAxis::kAxis1,
//                ElementFormat::kF8E4M3FN, ScaleRule::kOcp));
//   std::vector<double> back = Dequantize(q);
//
// For each group of 32 along the axis: s = SharedExponent(rule, format,
// MaxAbs), code = encode(x * 2^(127-s)), the product in float, nearest even,
// saturating.
//
//   group with a NaN   s = 255; all codes 0x7F (8 bits) or 7 (4 bits)
//   Inf                largest code with its sign; the scale is finite
//   zeros              s = 0; the sign of each zero is kept
//
// Halves and bfloats are quantised as their float values. The A5 rounds the
// product to bf16 for FP4 from bf16; no code shows it.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kernels/group_axis.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {

struct QuantizedMatrix {
  int64_t rows = 0;
  int64_t cols = 0;
  // Row-major [rows, cols], one code a byte; 4-bit codes are in the low nibble.
  std::vector<uint8_t> codes;
  // kAxis1: [rows, cols/32]; kAxis0: [rows/32, cols].
  int64_t scale_rows = 0;
  int64_t scale_cols = 0;
  // Row-major f8E8M0FNU codes.
  std::vector<uint8_t> scales;
  GroupAxis axis = GroupAxis::kAxis1;
  ElementFormat format = ElementFormat::kF8E4M3FN;
};

// `values` is row-major [rows, cols]; `format` is f8E4M3FN, f8E5M2 or f4E2M1FN.
// Errors (kInvalidArgument):
//   MX-QUANT-1  another format;
//   MX-QUANT-2  extents below 1, or not the number of values;
//   MX-QUANT-3  the axis is not a multiple of 32.
absl::StatusOr<QuantizedMatrix> Quantize(absl::Span<const float> values,
                                         int64_t rows, int64_t cols,
                                         GroupAxis axis, ElementFormat format,
                                         ScaleRule rule);

// Row-major [rows, cols]: decoded code * 2^(s-127). Exact. A scale of 255 makes
// its group NaN. `matrix` is consistent, as Quantize makes it.
std::vector<double> Dequantize(const QuantizedMatrix& matrix);

}  // namespace mxtile

#endif  // KERNELS_REFERENCE_QUANTIZE_H_
