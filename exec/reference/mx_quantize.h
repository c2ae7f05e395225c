#ifndef EXEC_REFERENCE_MX_QUANTIZE_H_
#define EXEC_REFERENCE_MX_QUANTIZE_H_

// What quantising a tile on the vector unit means for a reference in numbers:
// codes and scales are data, so they are those of the machine, by the same
// rule, and only what is computed from them afterwards is exact.
//
//   MX_ASSIGN_OR_RETURN(
//       const MxValues q,
//       QuantizeValues(values, /*rows=*/64, /*cols=*/128,
//                      ElementFormat::kBF16, GroupAxis::kAxis0));
//   q.data[0] * q.scales[0]   // close to values[0]
//
// Numerics: kernels/reference/quantize.h, f8E4M3FN, the OCP rule.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kernels/group_axis.h"
#include "numerics/element_format.h"

namespace mxtile::exec {

struct MxValues {
  std::vector<double> data;  // What the codes stand for; [rows, cols].
  // 2^(s-127), NaN for s = 255; [rows, cols/32] along axis 1, [rows/32, cols]
  // along axis 0.
  std::vector<double> scales;
};

// Row-major values of a tile of the format `source`, to which they are rounded
// first. Errors: MX-QUANT-2 and 3.
absl::StatusOr<MxValues> QuantizeValues(absl::Span<const double> values,
                                        int64_t rows, int64_t cols,
                                        ElementFormat source, GroupAxis axis);

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_MX_QUANTIZE_H_
