#ifndef KERNELS_REFERENCE_QUANTIZE_RULES_H_
#define KERNELS_REFERENCE_QUANTIZE_RULES_H_

// What the quantisers of this folder refuse in common.
//
//   MX_RETURN_IF_ERROR(CheckQuantizedFormat(format));

#include "absl/status/status.h"
#include "numerics/element_format.h"

namespace mxtile {

// MX-QUANT-1: elements are quantised to f8E4M3FN, f8E5M2 or f4E2M1FN.
absl::Status CheckQuantizedFormat(ElementFormat format);

}  // namespace mxtile

#endif  // KERNELS_REFERENCE_QUANTIZE_RULES_H_
