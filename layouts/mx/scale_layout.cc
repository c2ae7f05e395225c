#include "layouts/mx/scale_layout.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "layouts/index_map.h"

namespace mxtile {
namespace {

bool NeedsPairs(ScaleOrder order) {
  return order != ScaleOrder::kND && order != ScaleOrder::kDN;
}

bool IsBoxed(ScaleOrder order) {
  return order == ScaleOrder::kZZ || order == ScaleOrder::kNN;
}

int64_t DensePitch(ScaleOrder order, int64_t lines, int64_t groups) {
  switch (order) {
    case ScaleOrder::kND:
    case ScaleOrder::kMxAND:
    case ScaleOrder::kMxBDN:
      return groups;
    case ScaleOrder::kDN:
      return lines;
    case ScaleOrder::kMxADN:
    case ScaleOrder::kMxBND:
      return 2 * lines;
    case ScaleOrder::kZZ:
    case ScaleOrder::kNN:
      return kScaleBoxLines * groups;
  }
  MX_CHECK(false) << "scale order " << static_cast<int>(order);
  return 0;
}

// The map over [lines, groups].
IndexMap MakeLineMap(ScaleOrder order, int64_t lines, int64_t groups,
                     int64_t pitch) {
  switch (order) {
    case ScaleOrder::kND:
    case ScaleOrder::kMxAND:
    case ScaleOrder::kMxBDN:
      return IndexMap(lines, groups, {{lines, pitch}}, {{groups, 1}});
    case ScaleOrder::kDN:
      return IndexMap(lines, groups, {{lines, 1}}, {{groups, pitch}});
    case ScaleOrder::kMxADN:
    case ScaleOrder::kMxBND:
      return IndexMap(lines, groups, {{lines, 2}},
                      {{2, 1}, {groups / 2, pitch}});
    case ScaleOrder::kZZ:
    case ScaleOrder::kNN:
      return IndexMap(
          lines, groups,
          {{kScaleBoxLines, 2}, {CeilDivide(lines, kScaleBoxLines), pitch}},
          {{2, 1}, {groups / 2, kScaleBoxBytes}});
  }
  MX_CHECK(false) << "scale order " << static_cast<int>(order);
  return IndexMap(1, 1, {}, {});
}

absl::Status CheckShape(ScaleOrder order, int64_t rows, int64_t cols) {
  constexpr int64_t kMaxExtent = ScaleLayout::kMaxExtent;
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
  return absl::OkStatus();
}

}  // namespace

bool GroupsAreRows(ScaleOrder order) {
  return order == ScaleOrder::kDN || order == ScaleOrder::kNN ||
         order == ScaleOrder::kMxBND || order == ScaleOrder::kMxBDN;
}

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

ScaleLayout::ScaleLayout(ScaleOrder order, int64_t pitch_bytes, IndexMap map)
    : order_(order), pitch_bytes_(pitch_bytes), map_(std::move(map)) {}

absl::StatusOr<ScaleLayout> ScaleLayout::Create(ScaleOrder order, int64_t rows,
                                                int64_t cols) {
  MX_RETURN_IF_ERROR(CheckShape(order, rows, cols));
  const bool groups_are_rows = GroupsAreRows(order);
  return Create(order, rows, cols,
                DensePitch(order, /*lines=*/groups_are_rows ? cols : rows,
                           /*groups=*/groups_are_rows ? rows : cols));
}

absl::StatusOr<ScaleLayout> ScaleLayout::Create(ScaleOrder order, int64_t rows,
                                                int64_t cols,
                                                int64_t pitch_bytes) {
  MX_RETURN_IF_ERROR(CheckShape(order, rows, cols));
  const bool groups_are_rows = GroupsAreRows(order);
  const int64_t lines = groups_are_rows ? cols : rows;
  const int64_t groups = groups_are_rows ? rows : cols;
  const int64_t dense = DensePitch(order, lines, groups);
  const int64_t most = (IsBoxed(order) ? 16 : 4) * kMaxExtent;
  if (pitch_bytes < dense || pitch_bytes > most ||
      (IsBoxed(order) && pitch_bytes % kScaleBoxBytes != 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("scale matrix ", Name(order), " [", rows, ", ", cols,
                     "]: a pitch of ", pitch_bytes, " bytes; it must be ",
                     IsBoxed(order) ? "a multiple of 32 " : "", "in ", dense,
                     " .. ", most, " (MX-SCALE-3)"));
  }
  IndexMap map = MakeLineMap(order, lines, groups, pitch_bytes);
  return ScaleLayout(order, pitch_bytes,
                     groups_are_rows ? map.Transposed() : std::move(map));
}

int64_t ScaleLayout::Offset(int64_t row, int64_t col) const {
  MX_CHECK(row >= 0 && row < rows() && col >= 0 && col < cols())
      << "(" << row << ", " << col << ") is outside of " << Name(order_) << " ["
      << rows() << ", " << cols() << "]";
  return map_.Offset(row, col);
}

IndexMap ScaleLayout::LineMap() const {
  return GroupsAreRows(order_) ? map_.Transposed() : map_;
}

}  // namespace mxtile
