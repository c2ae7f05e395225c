#include "passes/a5_pipeline.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "passes/allocate_addresses/allocate_addresses.h"
#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"
#include "passes/block_nz_tensor_views/block_nz_tensor_views.h"
#include "passes/convert_to_ssa/convert_to_ssa.h"
#include "passes/flatten_call_expr/flatten_call_expr.h"
#include "passes/flatten_tile_nd_to_2d/flatten_tile_nd_to_2d.h"
#include "passes/infer_tile_memory_space/infer_tile_memory_space.h"
#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"
#include "passes/legalize_tile_cast/legalize_tile_cast.h"
#include "passes/materialize_tensor_strides/materialize_tensor_strides.h"
#include "passes/normalize_stmt_structure/normalize_stmt_structure.h"
#include "passes/resolve_backend_op_layouts/resolve_backend_op_layouts.h"

namespace mxtile {

const std::vector<const Pass*>& A5Pipeline() {
  static const auto* const passes = [] {
    auto* pipeline = new std::vector<const Pass*>;
    for (const absl::string_view name :
         {"block_mx_scale_tensor_views", "infer_tile_memory_space",
          "insert_mx_scale_addr", "materialize_tensor_strides",
          "allocate_addresses"}) {
      pipeline->push_back(FindPass(name));
    }
    return pipeline;
  }();
  return *passes;
}

const std::vector<const Pass*>& AllPasses() {
  static const auto* const passes =
      new std::vector<const Pass*>{new ConvertToSsa,
                                   new NormalizeStmtStructure,
                                   new FlattenCallExpr,
                                   new FlattenTileNdTo2D,
                                   new BlockNzTensorViews,
                                   new BlockMxScaleTensorViews,
                                   new LegalizeTileCast,
                                   new InferTileMemorySpace,
                                   new InsertMxScaleAddr,
                                   new ResolveBackendOpLayouts,
                                   new MaterializeTensorStrides,
                                   new AllocateAddresses};
  return *passes;
}

const Pass* FindPass(absl::string_view name) {
  for (const Pass* pass : AllPasses()) {
    if (pass->name() == name || pass->pypto_name() == name) return pass;
  }
  return nullptr;
}

}  // namespace mxtile
