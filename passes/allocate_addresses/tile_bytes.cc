#include "passes/allocate_addresses/tile_bytes.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "ir/text/printer.h"

namespace mxtile {
namespace {

constexpr int64_t kLanes = 16;

struct Extents {
  int64_t rows;
  int64_t cols;
};

// Capped at kMaxTileBytes. The factors are not negative.
int64_t Product(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return kMaxTileBytes;
  return std::min(product, kMaxTileBytes);
}

absl::StatusOr<Extents> ExtentsOf(const ir::TileType& tile) {
  Extents extents = {1, 1};
  for (size_t i = 0; i < tile.shape.size(); ++i) {
    const ir::ConstInt* dim = ir::AsConstInt(tile.shape[i]);
    if (dim == nullptr || dim->value < 0) {
      return ir::RuleError(
          "MX-ADDR-1",
          absl::StrCat("its shape has no constant size: ", ir::PrintType(&tile),
                       "; make it as large as needed and narrow its "
                       "valid_shape"));
    }
    if (i + 1 == tile.shape.size()) {
      extents.cols = dim->value;
    } else {
      extents.rows = Product(extents.rows, dim->value);
    }
  }
  return extents;
}

Extents BoxOf(const ir::TileView& view, int64_t element_bits) {
  const int64_t in_lane =
      std::max<int64_t>(1, view.fractal * 8 / kLanes / element_bits);
  if (view.slayout == ir::TileLayout::kRowMajor) return {kLanes, in_lane};
  return {in_lane, kLanes};
}

}  // namespace

absl::StatusOr<int64_t> TileBytes(const ir::TileType& tile) {
  MX_ASSIGN_OR_RETURN(const Extents extents, ExtentsOf(tile));
  const ir::TileView view = tile.EffectiveView();
  if (view.slayout == ir::TileLayout::kNoneBox) {
    const int64_t count = Product(extents.rows, extents.cols);
    return std::min(ir::SizeInBytes(tile.dtype, count), kMaxTileBytes);
  }
  const int64_t bits =
      tile.space == ir::MemorySpace::kAcc ? 32 : ir::BitWidth(tile.dtype);
  const Extents box = BoxOf(view, bits);
  const int64_t boxes = Product(CeilDivide(extents.rows, box.rows),
                                CeilDivide(extents.cols, box.cols));
  return Product(boxes, view.fractal);
}

}  // namespace mxtile
