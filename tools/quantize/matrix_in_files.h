#ifndef TOOLS_QUANTIZE_MATRIX_IN_FILES_H_
#define TOOLS_QUANTIZE_MATRIX_IN_FILES_H_

// A matrix from one file into another, quantised or back, by panels of rows on
// several threads. Memory is that of one panel a thread, about kPanelElements
// elements but at least 64 rows; bytes and sums do not depend on the number of
// threads.
//
//   MX_ASSIGN_OR_RETURN(
//       const QuantizationError error,
//       QuantizeInFiles(source, layout, ScaleRule::kOcp,
//                       {&out, data_offset, scale_offset}, options));

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/positioned_file.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/scale_rule.h"
#include "tools/quantize/matrix_source.h"
#include "tools/quantize/quantization_error.h"

namespace mxtile {

inline constexpr int64_t kPanelElements = int64_t{1} << 20;

struct PanelOptions {
  int num_threads = 1;
  // MX-QUANTIZE-3 (kInvalidArgument) instead of groups with a NaN or an Inf.
  bool fail_on_nonfinite = false;
  // Bytes of the source that were done; called from all threads, one at a time.
  std::function<void(int64_t)> progress;
};

// Where the data and the scales of a layout begin.
struct QuantizedPlace {
  const OutputFile* file = nullptr;
  int64_t data_offset = 0;
  int64_t scale_offset = 0;
};
struct ConstQuantizedPlace {
  const InputFile* file = nullptr;
  int64_t data_offset = 0;
  int64_t scale_offset = 0;
};

absl::StatusOr<QuantizationError> QuantizeInFiles(
    const MatrixSource& source, const host::QuantizedLayout& layout,
    ScaleRule rule, const QuantizedPlace& place, const PanelOptions& options);

// Reads back what QuantizeInFiles wrote and holds each element against the
// source. With s the scale of its group, Q the largest value of the format and
// emax its exponent, an element x and what it became, y, keep
//
//   x finite   |x - y| <= s * h, h half the largest distance of two codes (16
//              for E4M3, 4096 for E5M2, 1 for E2M1); by the OCP rule also
//              |x - y| <= s * (2^(emax+1) - Q), where x is above s * Q; y
//              may be 2^128, which dequantises to Inf
//   x Inf      y = s * Q with its sign
//   s NaN      y NaN, and the group has a NaN
//
// kInternal with the first element that does not.
absl::Status VerifyInFiles(const MatrixSource& source,
                           const host::QuantizedLayout& layout, ScaleRule rule,
                           const QuantizedPlace& place, int num_threads);

// Row-major f32 [rows, cols] at `offset` of `out`.
absl::Status DequantizeInFiles(const ConstQuantizedPlace& place,
                               const host::QuantizedLayout& layout,
                               const OutputFile& out, int64_t offset,
                               const PanelOptions& options);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_MATRIX_IN_FILES_H_
