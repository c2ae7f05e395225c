#include "layouts/mx/flat_exponents.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "layouts/index_map.h"

namespace mxtile {
namespace {

// Elements that share a scale.
constexpr int64_t kGroupCols = 32;

}  // namespace

FlatExponents::FlatExponents(int64_t row_stride_bytes, IndexMap map)
    : row_stride_bytes_(row_stride_bytes), map_(std::move(map)) {}

absl::StatusOr<FlatExponents> FlatExponents::Create(int64_t valid_rows,
                                                    int64_t valid_cols,
                                                    int64_t tile_cols) {
  for (const int64_t extent : {valid_rows, valid_cols, tile_cols}) {
    if (extent >= 1 && extent <= kMaxExtent) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "flat exponents of [", valid_rows, ", ", valid_cols, "] in a tile of ",
        tile_cols, " columns: each must be in 1 .. ", kMaxExtent,
        " (MX-FLAT-1)"));
  }
  if (tile_cols % kGroupCols != 0 || tile_cols < valid_cols) {
    return absl::InvalidArgumentError(absl::StrCat(
        "flat exponents of [", valid_rows, ", ", valid_cols,
        "]: the source tile has ", tile_cols,
        " columns; these are the allocated ones, a multiple of 32 and at least "
        "the valid ",
        valid_cols, " (MX-FLAT-2)"));
  }
  const int64_t stride = tile_cols / kGroupCols;
  const int64_t groups = (valid_cols + kGroupCols - 1) / kGroupCols;
  return FlatExponents(stride, IndexMap(valid_rows, groups,
                                        {{valid_rows, stride}}, {{groups, 1}}));
}

int64_t FlatExponents::Offset(int64_t row, int64_t group) const {
  MX_CHECK(row >= 0 && row < rows() && group >= 0 && group < groups())
      << "(" << row << ", " << group << ") is outside of flat exponents ["
      << rows() << ", " << groups() << "]";
  return map_.Offset(row, group);
}

}  // namespace mxtile
