#include "kernels/a5/gm_tensor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

std::string List(const std::vector<int64_t>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

}  // namespace

std::string ToString(const GmTensor& tensor, const GmWindow& window) {
  return absl::StrFormat("%s %s strides %s, window %s at %s",
                         Name(tensor.format), List(tensor.shape),
                         List(tensor.strides), List(window.sizes),
                         List(window.offsets));
}

absl::StatusOr<uint64_t> WindowAddress(absl::string_view op,
                                       const GmTensor& tensor,
                                       const GmWindow& window) {
  const size_t rank = tensor.shape.size();
  if (tensor.strides.size() != rank || window.offsets.size() != rank ||
      window.sizes.size() != rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        op, ": ", ToString(tensor, window), ": ranks differ (A5-TILE-2)"));
  }
  int64_t offset = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (window.sizes[i] < 1 || window.offsets[i] < 0 ||
        window.offsets[i] > tensor.shape[i] - window.sizes[i]) {
      return absl::OutOfRangeError(
          absl::StrFormat("%s: %s: dimension %d leaves the tensor (A5-TILE-2)",
                          op, ToString(tensor, window), i));
    }
    offset += window.offsets[i] * tensor.strides[i];
  }
  const int64_t offset_bits = offset * BitWidth(tensor.format);
  if (offset_bits % 8 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(op, ": ", ToString(tensor, window),
                     ": starts in the middle of a byte (A5-TILE-2)"));
  }
  return tensor.address + offset_bits / 8;
}

}  // namespace a5
}  // namespace mxtile
