#include "kernels/reference/quantize_rules.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "numerics/element_format.h"

namespace mxtile {

absl::Status CheckQuantizedFormat(ElementFormat format) {
  if (format == ElementFormat::kF8E4M3FN || format == ElementFormat::kF8E5M2 ||
      format == ElementFormat::kF4E2M1FN) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "quantise to ", Name(format),
      ": the format must be f8E4M3FN, f8E5M2 or f4E2M1FN (MX-QUANT-1)"));
}

}  // namespace mxtile
