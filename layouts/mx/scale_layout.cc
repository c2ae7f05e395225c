#include "layouts/mx/scale_layout.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace mxtile {
namespace {

// What the lines (m or n) and groups of a layout are in its logical matrix.
bool GroupsAreRows(ScaleOrder order) {
  return order == ScaleOrder::kDN || order == ScaleOrder::kNN ||
         order == ScaleOrder::kMxBND || order == ScaleOrder::kMxBDN;
}

bool NeedsPairs(ScaleOrder order) {
  return order != ScaleOrder::kND && order != ScaleOrder::kDN;
}

bool IsBoxed(ScaleOrder order) {
  return order == ScaleOrder::kZZ || order == ScaleOrder::kNN;
}

int64_t RoundUpToBox(int64_t lines) {
  return (lines + kScaleBoxLines - 1) / kScaleBoxLines * kScaleBoxLines;
}

int64_t BoxedOffset(int64_t line, int64_t group, int64_t groups) {
  const int64_t box = line / kScaleBoxLines * (groups / 2) + group / 2;
  return box * kScaleBoxBytes + line % kScaleBoxLines * 2 + group % 2;
}

int64_t InterleavedOffset(int64_t line, int64_t group, int64_t lines) {
  return (group / 2 * lines + line) * 2 + group % 2;
}

}  // namespace

absl::string_view Name(ScaleOrder order) {
  switch (order) {
    case ScaleOrder::kND:
      return "ND";
    case ScaleOrder::kDN:
      return "DN";
    case ScaleOrder::kZZ:
      return "ZZ";
    case ScaleOrder::kNN:
      return "NN";
    case ScaleOrder::kMxAND:
      return "MX_A_ND";
    case ScaleOrder::kMxADN:
      return "MX_A_DN";
    case ScaleOrder::kMxBND:
      return "MX_B_ND";
    case ScaleOrder::kMxBDN:
      return "MX_B_DN";
  }
  MX_CHECK(false) << "scale order " << static_cast<int>(order);
  return "";
}

absl::StatusOr<ScaleLayout> ScaleLayout::Create(ScaleOrder order, int64_t rows,
                                                int64_t cols) {
  if (rows < 1 || cols < 1 || rows > kMaxExtent || cols > kMaxExtent) {
    return absl::InvalidArgumentError(absl::StrCat(
        "scale matrix ", Name(order), " [", rows, ", ", cols,
        "]: extents must be in 1 .. ", kMaxExtent, " (MX-SCALE-1)"));
  }
  const int64_t groups = GroupsAreRows(order) ? rows : cols;
  if (NeedsPairs(order) && groups % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "scale matrix ", Name(order), " [", rows, ", ", cols, "]: ", groups,
        " groups along K do not form pairs; K must be a multiple "
        "of 64: pad it, with zeros as data and as the scales of "
        "the added group (MX-SCALE-2)"));
  }
  return ScaleLayout(order, rows, cols);
}

int64_t ScaleLayout::size_bytes() const {
  if (!IsBoxed(order_)) return rows_ * cols_;
  return order_ == ScaleOrder::kZZ ? RoundUpToBox(rows_) * cols_
                                   : rows_ * RoundUpToBox(cols_);
}

int64_t ScaleLayout::Offset(int64_t row, int64_t col) const {
  MX_CHECK(row >= 0 && row < rows_ && col >= 0 && col < cols_)
      << "(" << row << ", " << col << ") is outside of " << Name(order_) << " ["
      << rows_ << ", " << cols_ << "]";
  switch (order_) {
    case ScaleOrder::kND:
    case ScaleOrder::kDN:
    case ScaleOrder::kMxAND:
      return row * cols_ + col;
    case ScaleOrder::kMxBDN:
      return col * rows_ + row;
    case ScaleOrder::kZZ:
      return BoxedOffset(/*line=*/row, /*group=*/col, /*groups=*/cols_);
    case ScaleOrder::kNN:
      return BoxedOffset(/*line=*/col, /*group=*/row, /*groups=*/rows_);
    case ScaleOrder::kMxADN:
      return InterleavedOffset(/*line=*/row, /*group=*/col, /*lines=*/rows_);
    case ScaleOrder::kMxBND:
      return InterleavedOffset(/*line=*/col, /*group=*/row, /*lines=*/cols_);
  }
  MX_CHECK(false) << "scale order " << static_cast<int>(order_);
  return 0;
}

}  // namespace mxtile
