#ifndef TOOLS_QUANTIZE_EXPLAIN_H_
#define TOOLS_QUANTIZE_EXPLAIN_H_

// One group of a matrix, in full: from the bits of its floats to the bytes of
// its codes.
//
//   MX_ASSIGN_OR_RETURN(const std::string text,
//                       ExplainElement(source, "w", settings, /*row=*/3,
//                                      /*col=*/70));
//
// The text shows the maximum, the scale that each rule and each preset
// (kernels/host/preset.h) gives it, then for each element of the group its
// bits, its value over the scale, its code, what the code is worth and whether
// it was a tie, was clipped or became zero; and where the code and the scale of
// the element lie in every layout.
//
// Errors (kInvalidArgument):
//   MX-EXPLAIN-1  the element lies in the matrix;
//   MX-EXPLAIN-2  (of the command) the tensor is there, a matrix of floats.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tools/quantize/matrix_source.h"
#include "tools/quantize/quantize_settings.h"

namespace mxtile {

absl::StatusOr<std::string> ExplainElement(const MatrixSource& source,
                                           const std::string& name,
                                           const QuantizeSettings& settings,
                                           int64_t row, int64_t col);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_EXPLAIN_H_
