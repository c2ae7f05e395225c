#ifndef LAYOUTS_MX_SCALE_PACK_H_
#define LAYOUTS_MX_SCALE_PACK_H_

// Copies a scale matrix from its logical row-major order into a layout, and
// back.
//
//   MX_ASSIGN_OR_RETURN(const ScaleLayout zz,
//                       ScaleLayout::Create(ScaleOrder::kZZ, m, k / 32));
//   MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> packed,
//                       PackScale(zz, scales));
//
// Errors (kInvalidArgument) MX-CONVERT-2: the number of bytes is not that of
// the layout.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "layouts/mx/scale_layout.h"

namespace mxtile {

// `row_major` is [layout.rows(), layout.cols()]; the result has
// layout.size_bytes() bytes, padding 0.
absl::StatusOr<std::vector<uint8_t>> PackScale(
    const ScaleLayout& layout, absl::Span<const uint8_t> row_major);

// The inverse; padding is ignored.
absl::StatusOr<std::vector<uint8_t>> UnpackScale(
    const ScaleLayout& layout, absl::Span<const uint8_t> packed);

}  // namespace mxtile

#endif  // LAYOUTS_MX_SCALE_PACK_H_
