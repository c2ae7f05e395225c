#ifndef PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_BLOCKING_H_
#define PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_BLOCKING_H_

// The arithmetic of blocking an MX scale matrix: which axis is which, and the
// rank-5 shape. A box is 16 lines by 2 groups (layouts/mx/scale_layout.h).
//
//   const MxAxes axes = MxAxesOf(TensorLayout::kMxBNN);   // block 1, group 0
//   BlockedShape(axes, {2, 32}) == {1, 2, 1, 16, 2}

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/enums.h"
#include "ir/type.h"

namespace mxtile {

inline constexpr int64_t kMxBlock = 16;
inline constexpr int64_t kMxGroup = 2;

struct MxAxes {
  int block = 0;  // M of A, N of B.
  int group = 1;  // G.
};

// `layout` is one of the two MX layouts.
MxAxes MxAxesOf(ir::TensorLayout layout);

// MX-BLOCK-1, -2 or -3 (ir::RuleError) unless `dims` can be blocked; `what`
// begins the message. The checks are made in that order, block before group.
absl::Status CheckBlockable(absl::string_view what, MxAxes axes, ir::Dims dims);

// Of dims that passed the check.
std::array<int64_t, 5> BlockedShape(MxAxes axes, ir::Dims dims);

}  // namespace mxtile

#endif  // PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_BLOCKING_H_
