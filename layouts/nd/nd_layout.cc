#include "layouts/nd/nd_layout.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "layouts/index_map.h"

namespace mxtile {
namespace {

absl::Status CheckShape(int64_t rows, int64_t cols, int element_bits) {
  constexpr int64_t kMaxExtent = NdLayout::kMaxExtent;
  if (rows < 1 || cols < 1 || rows > kMaxExtent || cols > kMaxExtent) {
    return absl::InvalidArgumentError(
        absl::StrCat("ND layout of [", rows, ", ", cols,
                     "]: extents must be in 1 .. ", kMaxExtent, " (MX-ND-1)"));
  }
  if (element_bits != 4 && element_bits != 8 && element_bits != 16 &&
      element_bits != 32) {
    return absl::InvalidArgumentError(
        absl::StrCat("ND layout: an element of ", element_bits,
                     " bits; it must have 4, 8, 16 or 32 (MX-ND-2)"));
  }
  return absl::OkStatus();
}

int64_t DensePitch(int64_t cols, int element_bits) {
  return element_bits == 4 ? (cols + 1) / 2 : cols * (element_bits / 8);
}

}  // namespace

NdLayout::NdLayout(int element_bits, int64_t pitch_bytes, IndexMap map)
    : element_bits_(element_bits),
      pitch_bytes_(pitch_bytes),
      map_(std::move(map)) {}

absl::StatusOr<NdLayout> NdLayout::Create(int64_t rows, int64_t cols,
                                          int element_bits) {
  MX_RETURN_IF_ERROR(CheckShape(rows, cols, element_bits));
  return Create(rows, cols, element_bits, DensePitch(cols, element_bits));
}

absl::StatusOr<NdLayout> NdLayout::Create(int64_t rows, int64_t cols,
                                          int element_bits,
                                          int64_t pitch_bytes) {
  MX_RETURN_IF_ERROR(CheckShape(rows, cols, element_bits));
  const int64_t dense = DensePitch(cols, element_bits);
  const int64_t element_bytes = std::max(element_bits / 8, 1);
  if (pitch_bytes < dense || pitch_bytes > 4 * kMaxExtent ||
      pitch_bytes % element_bytes != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "ND layout of [", rows, ", ", cols, "] elements of ", element_bits,
        " bits: a pitch of ", pitch_bytes, " bytes; it must be ",
        element_bytes > 1 ? absl::StrCat("a multiple of ", element_bytes, " ")
                          : "",
        "in ", dense, " .. ", 4 * kMaxExtent, " (MX-ND-3)"));
  }
  const int64_t pitch = pitch_bytes * 8 / element_bits;
  return NdLayout(element_bits, pitch_bytes,
                  IndexMap(rows, cols, {{rows, pitch}}, {{cols, 1}}));
}

int64_t NdLayout::Offset(int64_t row, int64_t col) const {
  MX_CHECK(row >= 0 && row < rows() && col >= 0 && col < cols())
      << "(" << row << ", " << col << ") is outside of ND [" << rows() << ", "
      << cols() << "]";
  return map_.Offset(row, col);
}

}  // namespace mxtile
