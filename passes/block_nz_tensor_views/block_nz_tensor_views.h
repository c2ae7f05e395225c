#ifndef PASSES_BLOCK_NZ_TENSOR_VIEWS_BLOCK_NZ_TENSOR_VIEWS_H_
#define PASSES_BLOCK_NZ_TENSOR_VIEWS_BLOCK_NZ_TENSOR_VIEWS_H_

// Brings NZ tensors into the rank-5 form in which the A5 reads them, and with
// them the windows that loads take.
//
//   [B..., R, C]   ->  [prod(B...), C/c0, R/16, 16, c0]
//   offset [b..., r, c]  ->  [b as one number, c/c0, r/16, 0, 0]
//
// where c0 elements are 32 bytes.
//
//   w: pl.Tensor[[128, 256], pl.FP16, pl.NZ]
//   t = pl.tile.load(w, [k, 64], [32, 64], [32, 64], target_memory=pl.Mem.Mat)
// becomes
//   w: pl.Tensor[[1, 16, 8, 16, 16], pl.FP16, pl.NZ]
//   t = pl.tile.load(w, [0, 4, k // 16, 0, 0], [1, 4, 2, 16, 16], ...)
//
// Tiles stay as they are. Offsets are multiples of 16 (rows), c0 (columns) and
// 1 (batches), and not negative: a constant is checked, anything else proven
// (proof/prover.h, the extended rules) from what stands in the function alone.
// A parameter is never proven, whatever callers pass; MX scales, for which it
// may be, are another pass's (block_mx_scale_tensor_views).
//
// tensor.slice takes whole matrices of batches that follow each other; its
// valid_shape and drop_dims, which then say nothing new, are gone afterwards,
// but for a valid_shape that is the window. NZ tensors that functions hand to
// each other are blocked on both sides.
//
// Functions that change are marked `nz_tensor_views_blocked`; a second run
// leaves them as they are. Findings: one OffsetVerdict an offset of a load.
//
// | rule        | says                                                       |
// |-------------|------------------------------------------------------------|
// | NZ-BLOCK-1  | an NZ tensor has at least two axes                         |
// | NZ-BLOCK-2  | its elements are whole bytes                               |
// | NZ-BLOCK-3  | its dims, and those of a window, are constants             |
// | NZ-BLOCK-4  | R is a positive multiple of 16, C of c0, others positive   |
// | NZ-BLOCK-5  | it has no valid_shape or stride of its own                 |
// | NZ-BLOCK-6  | it is not distributed                                      |
// | NZ-BLOCK-7  | it is only read: by tile.load and tensor.slice             |
// | NZ-BLOCK-8  | a load of it goes to Mat                                   |
// | NZ-BLOCK-9  | a window has the tensor's rank, is written in place, and   |
// |             | its batches follow each other; of several it has all rows  |
// | NZ-BLOCK-10 | a slice has whole matrices, all of it is valid, and only   |
// |             | leading axes are dropped                                   |
// | NZ-BLOCK-11 | between two stripes of columns that a load reads lie at    |
// |             | most 65535 rows that it does not                           |
// | NZ-OFFSET-1 | offsets have the tensor's rank and are written in place    |
// | NZ-OFFSET-2 | a constant offset is a non-negative multiple               |
// | NZ-OFFSET-3 | another offset is proven a multiple                        |
// | NZ-OFFSET-4 | ... and proven non-negative                                |
// | NZ-OFFSET-5 | a window at a constant offset lies inside the tensor       |
//
// Requires ssa_form, incore_tile_ops, split_incore_orch, tile_ops_2d; produces
// the same. Cost: linear in the program, at most 512 visited nodes an offset.
// Source: pypto_passes section 4. Not here: loops whose start or step is
// symbolic, which the newest public version proves too.

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class BlockNzTensorViews : public Pass {
 public:
  absl::string_view name() const override { return "block_nz_tensor_views"; }
  absl::string_view pypto_name() const override { return "BlockNzTensorViews"; }
  PropertySet required() const override {
    return {Property::kSsaForm, Property::kIncoreTileOps,
            Property::kSplitIncoreOrch, Property::kTileOps2D};
  }
  PropertySet produced() const override { return required(); }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_BLOCK_NZ_TENSOR_VIEWS_BLOCK_NZ_TENSOR_VIEWS_H_
