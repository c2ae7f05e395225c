#include "layouts/nz/nz_layout.h"

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

constexpr int64_t kL0CBoxCols = 16;

int64_t LinesOfBoxes(int64_t lines) {
  return CeilDivide(lines, kNzBoxLines) * kNzBoxLines;
}

absl::Status CheckShape(NzOrder order, int64_t rows, int64_t cols,
                        int element_bits) {
  constexpr int64_t kMaxExtent = NzLayout::kMaxExtent;
  if (rows < 1 || cols < 1 || rows > kMaxExtent || cols > kMaxExtent) {
    return absl::InvalidArgumentError(absl::StrCat(
        Name(order), " layout of [", rows, ", ", cols,
        "]: extents must be in 1 .. ", kMaxExtent, " (NZ-LAYOUT-1)"));
  }
  if (order == NzOrder::kL0C && element_bits != 32) {
    return absl::InvalidArgumentError(
        absl::StrCat("L0C holds elements of 32 bits, not of ", element_bits,
                     " (NZ-LAYOUT-2)"));
  }
  if (element_bits != 4 && element_bits != 8 && element_bits != 16 &&
      element_bits != 32) {
    return absl::InvalidArgumentError(
        absl::StrCat(Name(order), " layout: an element of ", element_bits,
                     " bits; it must have 4, 8, 16 or 32 (NZ-LAYOUT-2)"));
  }
  return absl::OkStatus();
}

// The lines are the rows of NZ and L0C and the columns of ZN.
int64_t Lines(NzOrder order, int64_t rows, int64_t cols) {
  return order == NzOrder::kZN ? cols : rows;
}

// The map over [lines, across].
IndexMap MakeLineMap(int64_t lines, int64_t across, int64_t line_elements,
                     int64_t pitch_lines) {
  return IndexMap(
      lines, across, {{pitch_lines, line_elements}},
      {{line_elements, 1},
       {CeilDivide(across, line_elements), pitch_lines * line_elements}});
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

NzLayout::NzLayout(NzOrder order, int element_bits, int64_t pitch_lines,
                   IndexMap map)
    : order_(order),
      element_bits_(element_bits),
      pitch_lines_(pitch_lines),
      map_(std::move(map)) {}

absl::StatusOr<NzLayout> NzLayout::Create(NzOrder order, int64_t rows,
                                          int64_t cols, int element_bits) {
  return Create(order, rows, cols, element_bits,
                LinesOfBoxes(Lines(order, rows, cols)));
}

absl::StatusOr<NzLayout> NzLayout::CreateRowPlusOne(int64_t rows, int64_t cols,
                                                    int element_bits) {
  return Create(NzOrder::kNZ, rows, cols, element_bits, LinesOfBoxes(rows) + 1);
}

absl::StatusOr<NzLayout> NzLayout::Create(NzOrder order, int64_t rows,
                                          int64_t cols, int element_bits,
                                          int64_t pitch_lines) {
  MX_RETURN_IF_ERROR(CheckShape(order, rows, cols, element_bits));
  const int64_t least = LinesOfBoxes(Lines(order, rows, cols));
  const int64_t spare = pitch_lines % kNzBoxLines;
  if (pitch_lines < least || pitch_lines > kMaxExtent + 1 || spare > 1 ||
      (spare == 1 && order != NzOrder::kNZ)) {
    return absl::InvalidArgumentError(absl::StrCat(
        Name(order), " layout of [", rows, ", ", cols, "]: a pitch of ",
        pitch_lines, " lines; it must be a multiple of 16",
        order == NzOrder::kNZ ? ", or one more," : "", " in ", least, " .. ",
        kMaxExtent, " (NZ-LAYOUT-3)"));
  }
  const int64_t line_elements =
      order == NzOrder::kL0C ? kL0CBoxCols : kNzBoxLineBytes * 8 / element_bits;
  const bool lines_are_cols = order == NzOrder::kZN;
  IndexMap map = MakeLineMap(/*lines=*/lines_are_cols ? cols : rows,
                             /*across=*/lines_are_cols ? rows : cols,
                             line_elements, pitch_lines);
  return NzLayout(order, element_bits, pitch_lines,
                  lines_are_cols ? map.Transposed() : std::move(map));
}

int64_t NzLayout::Offset(int64_t row, int64_t col) const {
  MX_CHECK(row >= 0 && row < rows() && col >= 0 && col < cols())
      << "(" << row << ", " << col << ") is outside of " << Name(order_) << " ["
      << rows() << ", " << cols() << "]";
  return map_.Offset(row, col);
}

}  // namespace mxtile
