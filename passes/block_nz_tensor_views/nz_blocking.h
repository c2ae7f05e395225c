#ifndef PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_BLOCKING_H_
#define PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_BLOCKING_H_

// The arithmetic of blocking an NZ tensor: its last two axes are matrices of
// fractals, 16 rows of 32 bytes; those before them are batches, which follow
// each other.
//
//   BlockedNzShape({2, 3, 32, 64} of FP16) == {6, 4, 2, 16, 16}
//
// c0, the columns of a fractal, is 32 bytes of elements (layouts/nz).

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile {

inline constexpr int64_t kNzRows = 16;

// c0: 32 for 8-bit elements, 16 for FP16, 8 for FP32.
int64_t NzColumns(ir::DataType dtype);

// NZ-BLOCK-1 to 4 (ir::RuleError) unless `dims`, a tensor or a window of one,
// can be blocked; `what` begins the message. In the order of the rules.
absl::Status CheckNzBlockable(absl::string_view what, ir::Dims dims,
                              ir::DataType dtype);

// NZ-BLOCK-9 unless the batches of a window follow each other in the tensor:
// behind its first axis with more than one of them it has all of each axis. Of
// dims that passed the check.
absl::Status CheckNzRun(absl::string_view what, ir::Dims tensor,
                        ir::Dims window);

// Of dims that passed the check.
std::vector<int64_t> BlockedNzShape(ir::Dims dims, ir::DataType dtype);

// The value of a dim that is a constant.
inline int64_t NzExtent(const ir::Expr* dim) {
  return ir::AsConstInt(dim)->value;
}

}  // namespace mxtile

#endif  // PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_BLOCKING_H_
