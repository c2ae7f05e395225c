#ifndef KERNELS_HOST_QUANTIZE_H_
#define KERNELS_HOST_QUANTIZE_H_

// MX quantisation at the speed of memory, on the vectors of this processor:
// from f32, bf16 or f16 into any data and scale layout in one pass, and back.
// Bit for bit what kernels/reference/quantize.h says, whatever the processor.
//
//   // Weights [4096, 4096] into NZ data and NN scales, 256 rows at a time.
//   MX_ASSIGN_OR_RETURN(const QuantizedLayout layout,
//                       QuantizedLayout::Create(4096, 4096, form));
//   std::vector<uint8_t> data(layout.data_size_bytes());
//   std::vector<uint8_t> scales(layout.scale_size_bytes());
//   for (int64_t row = 0; row < 4096; row += 256) {
//     MX_RETURN_IF_ERROR(QuantizeRows(
//         layout, ScaleRule::kOcp, {ElementFormat::kF32, BytesOf(panel)},
//         {row, row + 256}, {absl::MakeSpan(data), absl::MakeSpan(scales)}));
//   }
//
// A panel is a range of rows. Each call writes the bytes of its rows wherever
// the layout has them, and the last one the padding rows too; so the panels of
// a matrix, in any order or from several threads, fill every byte of the
// output. A file that is written panel by panel uses a layout for each panel
// alone: see panel_pieces.h.
//
// Errors (kInvalidArgument), of both functions:
//   MX-QUANT-1  quantising is to f8E4M3FN, f8E5M2 or f4E2M1FN;
//   MX-HOST-4   the source is f32, bf16 or f16;
//   MX-HOST-5   the panel is not empty and lies in the matrix; along axis 0 it
//               begins at a multiple of 32 and ends at one or with the matrix;
//   MX-HOST-6   source, data, scales and values have the bytes that the panel
//               and the layout say.
//
// The host rounds to nearest and keeps subnormals, as it does by default.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {

// Rows first .. last - 1.
struct RowRange {
  int64_t first = 0;
  int64_t last = 0;
};

// The rows of a panel, row-major and dense, of any alignment.
struct SourcePanel {
  ElementFormat format = ElementFormat::kF32;
  absl::Span<const uint8_t> bytes;
};

// Of the whole matrix.
struct QuantizedBytes {
  absl::Span<uint8_t> data;
  absl::Span<uint8_t> scales;
};
struct ConstQuantizedBytes {
  absl::Span<const uint8_t> data;
  absl::Span<const uint8_t> scales;
};

absl::Status QuantizeRows(const QuantizedLayout& layout, ScaleRule rule,
                          const SourcePanel& source, RowRange rows,
                          const QuantizedBytes& out);

// The values of the panel, row-major and dense, without padding:
// float(DecodeScaled(code, scale)), exact but for magnitudes from 2^128 on,
// which are Inf. Every NaN is 0x7FC00000.
absl::Status DequantizeRows(const QuantizedLayout& layout,
                            const ConstQuantizedBytes& in, RowRange rows,
                            absl::Span<float> values);

// The instruction set that both run on here, by Highway's name: "AVX2".
const char* InstructionSet();

}  // namespace mxtile::host

#endif  // KERNELS_HOST_QUANTIZE_H_
