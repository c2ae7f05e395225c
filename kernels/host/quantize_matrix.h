#ifndef KERNELS_HOST_QUANTIZE_MATRIX_H_
#define KERNELS_HOST_QUANTIZE_MATRIX_H_

// A whole matrix at once, on several threads: QuantizeRows and DequantizeRows
// (quantize.h) on a panel for each thread. The bytes are the same, whatever
// their number.
//
//   MX_RETURN_IF_ERROR(QuantizeMatrix(layout, ScaleRule::kOcp, source,
//                                     /*num_threads=*/2, out));
//
// Threads are started for the call; one of them is the caller's. No more are
// started than there are panels of kPanelRows rows. Errors as of QuantizeRows.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {

// Panels begin at multiples of it: whole boxes of data and of scales, and whole
// pairs of groups, so that threads share no cache line but at the edges.
inline constexpr int64_t kPanelRows = 64;

absl::Status QuantizeMatrix(const QuantizedLayout& layout, ScaleRule rule,
                            const SourcePanel& source, int num_threads,
                            const QuantizedBytes& out);

absl::Status DequantizeMatrix(const QuantizedLayout& layout,
                              const ConstQuantizedBytes& in, int num_threads,
                              absl::Span<float> values);

}  // namespace mxtile::host

#endif  // KERNELS_HOST_QUANTIZE_MATRIX_H_
