#ifndef PASSES_MATERIALIZE_TENSOR_STRIDES_MATERIALIZE_TENSOR_STRIDES_H_
#define PASSES_MATERIALIZE_TENSOR_STRIDES_MATERIALIZE_TENSOR_STRIDES_H_

// Writes out the strides of packed tensor views.
//
//   s: pl.Tensor[[1, 2, 2, 16, 2], pl.FP8E8M0,
//                pl.TensorView(stride=[], layout=pl.TensorLayout.MX_A_ZZ)]
// becomes
//   s: pl.Tensor[[1, 2, 2, 16, 2], pl.FP8E8M0,
//                pl.TensorView(stride=[128, 64, 32, 2, 1],
//                              layout=pl.TensorLayout.MX_A_ZZ)]
//
// wherever a type is stated: parameters, returns, variables, calls, also inside
// tuples. Strides count elements. By layout:
//
//   ND, MX_A_ZZ, MX_B_NN, NZ   each axis steps over all axes behind it
//   DN                         likewise, with the last two axes swapped
//
// Products of constants are constants, unless they overflow 64 bits; then, and
// with symbolic dims, the product stays an expression. Tensors without a view
// and views with strides stay as they are, so a second run changes nothing.
//
// Requires: ssa_form, incore_tile_ops, tile_ops_2d, tile_memory_inferred, and
// tensor_view_canonical_weak, as stated strides stay. Produces: those and
// tensor_view_canonical. Cost: one walk.
//
// Rules:
//   MX-STRIDE-1  an NZ view is blocked, [b, C/c0, R/16, 16, c0] with c0 the
//                elements in 32 bytes
//   MX-STRIDE-2  a DN view has at least two axes

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class MaterializeTensorStrides : public Pass {
 public:
  absl::string_view name() const override {
    return "materialize_tensor_strides";
  }
  absl::string_view pypto_name() const override {
    return "MaterializeTensorStrides";
  }
  PropertySet required() const override;
  PropertySet produced() const override;
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_MATERIALIZE_TENSOR_STRIDES_MATERIALIZE_TENSOR_STRIDES_H_
