#ifndef PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_SCALE_TENSOR_VIEWS_H_
#define PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_SCALE_TENSOR_VIEWS_H_

// Brings MX scale tensors into the rank-5 form in which the A5 reads them, and
// with them the windows that loads take.
//
//   MX_A_ZZ [M, G]  ->  [1, M/16, G/2, 16, 2]     offset [m, g]
//   MX_B_NN [G, N]  ->  [1, N/16, G/2, 16, 2]     offset [g, n]
//
//   s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]
//   t = pl.tile.load(s, [row, 2], [16, 2], [16, 2], target_memory=pl.Mem.Mat)
// becomes
//   s: pl.Tensor[[1, 4, 2, 16, 2], pl.FP8E8M0, pl.MX_A_ZZ]
//   t = pl.tile.load(s, [0, row // 16, 1, 0, 0], [1, 1, 1, 16, 2], ...)
//
// The window covers whole boxes of 16 x 2 only when its offsets are multiples
// of 16 (the "block" axis, M or N) and 2 (the "group" axis, G) and not
// negative. A constant is checked; anything else must be proven
// (proof/prover.h), for every caller of the function, or the program is
// refused. Tiles stay as they are; a load's narrowed valid shape stays with its
// tile, its window is whole.
//
// Scales are not stored to MX tensors, unless BlockMxOptions::store allows
// whole boxes; then a store's offsets, and its shapes where it has them, are
// rewritten in the same way.
//
// Every function is marked `mx_tensor_views_blocked`, so that a second run
// returns the program itself. Findings: one OffsetVerdict an offset, two a load
// or store.
//
// | rule        | says                                                       |
// |-------------|------------------------------------------------------------|
// | MX-BLOCK-1  | an MX tensor (or window) has rank 2                        |
// | MX-BLOCK-2  | its dims are constants                                     |
// | MX-BLOCK-3  | its block dim is a positive multiple of 16, its group dim  |
// |             | of 2                                                       |
// | MX-BLOCK-4  | it has no valid_shape of its own                           |
// | MX-BLOCK-5  | it is not distributed                                      |
// | MX-BLOCK-6  | operators take it as the source of tile.load or            |
// |             | tensor.view only: stores and all others are refused        |
// | MX-BLOCK-7  | a load of it goes to Mat                                   |
// | MX-BLOCK-8  | a view between ND and MX has a shape and is of FP8E8M0     |
// | MX-BLOCK-9  | kCompleteBoxes: a stored tile is FP8E8M0, in boxes of 32   |
// |             | bytes that lie as those of the tensor: row_major/row_major |
// |             | to MX_A_ZZ, col_major/col_major to MX_B_NN; its shape and  |
// |             | its valid shape are whole boxes (MX-BLOCK-1 to 3)          |
// | MX-OFFSET-1 | the offsets of a load or store have rank 2                 |
// | MX-OFFSET-2 | a constant offset is a non-negative multiple               |
// | MX-OFFSET-3 | another offset is proven a multiple                        |
// | MX-OFFSET-4 | ... and proven non-negative                                |
// | MX-OFFSET-5 | a window at a constant offset lies inside the tensor       |
//
// A refusal names the operator, the argument and the axis by their numbers, the
// divisor and the value, or the expression with the reason why nothing is known
// about its value.
//
// Requires ssa_form, incore_tile_ops, tile_ops_2d; produces mx_views_blocked
// and keeps what it requires. Cost: linear in the program, at most 512 visited
// nodes an offset. Source: seed 000, pypto_passes section 5.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/block_mx_scale_tensor_views/block_mx_options.h"
#include "passes/pass.h"

namespace mxtile {

class BlockMxScaleTensorViews : public Pass {
 public:
  explicit BlockMxScaleTensorViews(const BlockMxOptions& options = {})
      : options_(options) {}

  absl::string_view name() const override {
    return "block_mx_scale_tensor_views";
  }
  absl::string_view pypto_name() const override {
    return "BlockMxScaleTensorViews";
  }
  PropertySet required() const override {
    return {Property::kSsaForm, Property::kIncoreTileOps, Property::kTileOps2D};
  }
  PropertySet produced() const override {
    return {Property::kSsaForm, Property::kIncoreTileOps, Property::kTileOps2D,
            Property::kMxViewsBlocked};
  }

  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;

 private:
  BlockMxOptions options_;
};

}  // namespace mxtile

#endif  // PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_SCALE_TENSOR_VIEWS_H_
