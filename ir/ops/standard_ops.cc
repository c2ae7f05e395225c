#include "ir/ops/standard_ops.h"

#include "ir/ops/matmul_mx_ops.h"
#include "ir/ops/matmul_ops.h"
#include "ir/ops/tensor_ops.h"
#include "ir/ops/tile_ops.h"

namespace mxtile::ir {

const OpRegistry& StandardOps() {
  static const OpRegistry* const registry = [] {
    auto* ops = new OpRegistry();
    RegisterTensorOps(*ops);
    RegisterTileOps(*ops);
    RegisterMatmulOps(*ops);
    RegisterMatmulMxOps(*ops);
    return ops;
  }();
  return *registry;
}

}  // namespace mxtile::ir
