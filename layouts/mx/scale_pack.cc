#include "layouts/mx/scale_pack.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "layouts/conversion.h"
#include "layouts/index_map.h"
#include "layouts/mx/scale_layout.h"

namespace mxtile {
namespace {

IndexMap RowMajor(const ScaleLayout& layout) {
  const int64_t rows = layout.rows(), cols = layout.cols();
  return IndexMap(rows, cols, {{rows, cols}}, {{cols, 1}});
}

absl::StatusOr<std::vector<uint8_t>> Convert(IndexMap from, IndexMap to,
                                             absl::Span<const uint8_t> bytes) {
  MX_ASSIGN_OR_RETURN(const Conversion conversion,
                      Conversion::Create(std::move(from), std::move(to)));
  return conversion.Converted(/*element_bits=*/8, bytes);
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> PackScale(
    const ScaleLayout& layout, absl::Span<const uint8_t> row_major) {
  return Convert(RowMajor(layout), layout.map(), row_major);
}

absl::StatusOr<std::vector<uint8_t>> UnpackScale(
    const ScaleLayout& layout, absl::Span<const uint8_t> packed) {
  return Convert(layout.map(), RowMajor(layout), packed);
}

}  // namespace mxtile
