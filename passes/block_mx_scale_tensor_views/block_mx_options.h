#ifndef PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_OPTIONS_H_
#define PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_OPTIONS_H_

// What block_mx_scale_tensor_views accepts beyond seed 000.
//
//   BlockMxOptions options;
//   options.store = BlockMxOptions::kCompleteBoxes;
//   const BlockMxScaleTensorViews pass(options);

#include "proof/prover.h"

namespace mxtile {

struct BlockMxOptions {
  enum Store {
    kRefused,        // MX tensors are only read.
    kCompleteBoxes,  // tile.store of whole boxes, MX-BLOCK-9.
  };
  Store store = kRefused;
  // How offsets are proven.
  proof::ProofOptions proof;
};

}  // namespace mxtile

#endif  // PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_BLOCK_MX_OPTIONS_H_
