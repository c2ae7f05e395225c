#include "layouts/mx/scale_pack.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "layouts/mx/scale_layout.h"

namespace mxtile {
namespace {

absl::Status CheckSize(const ScaleLayout& layout, absl::string_view what,
                       int64_t actual, int64_t expected) {
  if (actual == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " scale matrix ", Name(layout.order()), " [",
                   layout.rows(), ", ", layout.cols(), "] takes ", expected,
                   " bytes, but ", actual, " are given"));
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> PackScale(
    const ScaleLayout& layout, absl::Span<const uint8_t> row_major) {
  MX_RETURN_IF_ERROR(CheckSize(layout, "row-major", row_major.size(),
                               layout.rows() * layout.cols()));
  std::vector<uint8_t> packed(layout.size_bytes());
  const uint8_t* source = row_major.data();
  for (int64_t row = 0; row < layout.rows(); ++row) {
    for (int64_t col = 0; col < layout.cols(); ++col) {
      packed[layout.Offset(row, col)] = *source++;
    }
  }
  return packed;
}

absl::StatusOr<std::vector<uint8_t>> UnpackScale(
    const ScaleLayout& layout, absl::Span<const uint8_t> packed) {
  MX_RETURN_IF_ERROR(
      CheckSize(layout, "packed", packed.size(), layout.size_bytes()));
  std::vector<uint8_t> row_major;
  row_major.reserve(layout.rows() * layout.cols());
  for (int64_t row = 0; row < layout.rows(); ++row) {
    for (int64_t col = 0; col < layout.cols(); ++col) {
      row_major.push_back(packed[layout.Offset(row, col)]);
    }
  }
  return row_major;
}

}  // namespace mxtile
