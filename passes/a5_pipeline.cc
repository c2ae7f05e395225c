#include "passes/a5_pipeline.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "passes/allocate_addresses/allocate_addresses.h"
#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"
#include "passes/infer_tile_memory_space/infer_tile_memory_space.h"
#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"
#include "passes/materialize_tensor_strides/materialize_tensor_strides.h"

namespace mxtile {

const std::vector<const Pass*>& A5Pipeline() {
  static const auto* const passes = new std::vector<const Pass*>{
      new BlockMxScaleTensorViews, new InferTileMemorySpace,
      new InsertMxScaleAddr, new MaterializeTensorStrides,
      new AllocateAddresses};
  return *passes;
}

const Pass* FindPass(absl::string_view name) {
  for (const Pass* pass : A5Pipeline()) {
    if (pass->name() == name || pass->pypto_name() == name) return pass;
  }
  return nullptr;
}

}  // namespace mxtile
