#include "passes/a5_pipeline.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "passes/allocate_addresses/allocate_addresses.h"
#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"
#include "passes/convert_to_ssa/convert_to_ssa.h"
#include "passes/flatten_call_expr/flatten_call_expr.h"
#include "passes/flatten_tile_nd_to_2d/flatten_tile_nd_to_2d.h"
#include "passes/infer_tile_memory_space/infer_tile_memory_space.h"
#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"
#include "passes/materialize_tensor_strides/materialize_tensor_strides.h"
#include "passes/normalize_stmt_structure/normalize_stmt_structure.h"

namespace mxtile {

const std::vector<const Pass*>& A5Pipeline() {
  static const auto* const passes = new std::vector<const Pass*>{
      new BlockMxScaleTensorViews, new InferTileMemorySpace,
      new InsertMxScaleAddr, new MaterializeTensorStrides,
      new AllocateAddresses};
  return *passes;
}

const std::vector<const Pass*>& AllPasses() {
  static const auto* const passes = [] {
    auto* all = new std::vector<const Pass*>{
        new ConvertToSsa, new NormalizeStmtStructure, new FlattenCallExpr,
        new FlattenTileNdTo2D};
    all->insert(all->end(), A5Pipeline().begin(), A5Pipeline().end());
    return all;
  }();
  return *passes;
}

const Pass* FindPass(absl::string_view name) {
  for (const Pass* pass : AllPasses()) {
    if (pass->name() == name || pass->pypto_name() == name) return pass;
  }
  return nullptr;
}

}  // namespace mxtile
