#include "layouts/nz/nz_layout.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace mxtile {
namespace {

constexpr int64_t kL0CBoxCols = 16;

int64_t CeilDivide(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

// Bytes of a line of a box.
int64_t LineBytes(NzOrder order) {
  return order == NzOrder::kL0C ? kL0CBoxCols * 4 : kNzBoxLineBytes;
}

absl::Status CheckElementBytes(NzOrder order, int64_t element_bytes) {
  if (order == NzOrder::kL0C && element_bytes != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("L0C holds 4-byte elements, not elements of ",
                     element_bytes, " bytes (NZ-LAYOUT-2)"));
  }
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        Name(order), " layout: an element of ", element_bytes,
        " bytes; it must be 1, 2 or 4 (pass packed 4-bit data as bytes) "
        "(NZ-LAYOUT-2)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view Name(NzOrder order) {
  switch (order) {
    case NzOrder::kNZ:
      return "NZ";
    case NzOrder::kZN:
      return "ZN";
    case NzOrder::kL0C:
      return "L0C";
  }
  MX_CHECK(false) << "NZ order " << static_cast<int>(order);
  return "";
}

absl::StatusOr<NzLayout> NzLayout::Create(NzOrder order, int64_t rows,
                                          int64_t cols, int64_t element_bytes,
                                          NzRows box_rows) {
  if (rows < 1 || cols < 1 || rows > kMaxExtent || cols > kMaxExtent) {
    return absl::InvalidArgumentError(absl::StrCat(
        Name(order), " layout of [", rows, ", ", cols,
        "]: extents must be in 1 .. ", kMaxExtent, " (NZ-LAYOUT-1)"));
  }
  MX_RETURN_IF_ERROR(CheckElementBytes(order, element_bytes));
  if (box_rows == NzRows::kRowPlusOne && order != NzOrder::kNZ) {
    return absl::InvalidArgumentError(absl::StrCat(
        Name(order), " layout: only NZ can have a spare row (NZ-LAYOUT-3)"));
  }
  const int64_t used_lines = order == NzOrder::kZN ? cols : rows;
  const int64_t spare_lines = box_rows == NzRows::kRowPlusOne ? 1 : 0;
  return NzLayout(
      order, rows, cols, element_bytes,
      CeilDivide(used_lines, kNzBoxLines) * kNzBoxLines + spare_lines);
}

int64_t NzLayout::size_bytes() const {
  const int64_t across = order_ == NzOrder::kZN ? rows_ : cols_;
  const int64_t strips = CeilDivide(across * element_bytes_, LineBytes(order_));
  return strips * lines_ * LineBytes(order_);
}

int64_t NzLayout::Offset(int64_t row, int64_t col) const {
  MX_CHECK(row >= 0 && row < rows_ && col >= 0 && col < cols_)
      << "(" << row << ", " << col << ") is outside of " << Name(order_) << " ["
      << rows_ << ", " << cols_ << "]";
  // ZN is NZ of the transpose.
  const int64_t line = order_ == NzOrder::kZN ? col : row;
  const int64_t across = order_ == NzOrder::kZN ? row : col;
  const int64_t line_bytes = LineBytes(order_);
  const int64_t byte = across * element_bytes_;
  return (byte / line_bytes * lines_ + line) * line_bytes + byte % line_bytes;
}

}  // namespace mxtile
