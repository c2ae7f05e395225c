#include "passes/block_nz_tensor_views/nz_blocking.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/rule_error.h"

namespace mxtile {
namespace {

constexpr int kByteBits = 8;
constexpr int64_t kFractalRowBits = 256;

// Of the axis, what its extent is a multiple of.
int64_t MultipleOf(size_t axis, size_t rank, ir::DataType dtype) {
  if (axis + 1 == rank) return NzColumns(dtype);
  return axis + 2 == rank ? kNzRows : 1;
}

}  // namespace

int64_t NzColumns(ir::DataType dtype) {
  return kFractalRowBits / ir::BitWidth(dtype);
}

absl::Status CheckNzBlockable(absl::string_view what, ir::Dims dims,
                              ir::DataType dtype) {
  const size_t rank = dims.size();
  if (rank < 2) {
    return ir::RuleError(
        "NZ-BLOCK-1",
        absl::StrCat(what, " must have at least two axes, not ", rank));
  }
  if (ir::BitWidth(dtype) < kByteBits) {
    return ir::RuleError(
        "NZ-BLOCK-2",
        absl::StrCat(what, ": elements of ", ir::BitWidth(dtype), " bits (",
                     ir::DataTypeName(dtype), ") are not supported"));
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    if (ir::AsConstInt(dims[axis]) != nullptr) continue;
    return ir::RuleError(
        "NZ-BLOCK-3", absl::StrCat(what, " needs a static extent of axis ",
                                   axis, "; a dynamic one is not supported"));
  }
  int64_t batches = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t extent = NzExtent(dims[axis]);
    const int64_t multiple = MultipleOf(axis, rank, dtype);
    const bool fits =
        axis + 2 >= rank ||
        (extent > 0 && batches <= std::numeric_limits<int64_t>::max() / extent);
    if (extent <= 0 || extent % multiple != 0 || !fits) {
      return ir::RuleError(
          "NZ-BLOCK-4",
          absl::StrCat(what, ": axis ", axis, " must be ",
                       multiple == 1
                           ? std::string("positive")
                           : absl::StrCat("a positive multiple of ", multiple),
                       ", got ", extent));
    }
    if (axis + 2 < rank) batches *= extent;
  }
  return absl::OkStatus();
}

absl::Status CheckNzRun(absl::string_view what, ir::Dims tensor,
                        ir::Dims window) {
  bool is_inside = false;
  for (size_t axis = 0; axis + 2 < tensor.size(); ++axis) {
    const int64_t extent = NzExtent(window[axis]);
    const int64_t whole = NzExtent(tensor[axis]);
    if (is_inside && extent != whole) {
      return ir::RuleError(
          "NZ-BLOCK-9",
          absl::StrCat(what, " names batches that do not follow each other: ",
                       "axis ", axis, " has ", extent, " of ", whole,
                       " behind an axis with several"));
    }
    is_inside = is_inside || extent > 1;
  }
  return absl::OkStatus();
}

std::vector<int64_t> BlockedNzShape(ir::Dims dims, ir::DataType dtype) {
  const size_t rank = dims.size();
  int64_t batches = 1;
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    batches *= NzExtent(dims[axis]);
  }
  const int64_t columns = NzColumns(dtype);
  return {batches, NzExtent(dims[rank - 1]) / columns,
          NzExtent(dims[rank - 2]) / kNzRows, kNzRows, columns};
}

}  // namespace mxtile
