#include "ir/ops/standard_ops.h"

#include "ir/ops/cross_core_ops.h"
#include "ir/ops/elementwise_ops.h"
#include "ir/ops/fill_ops.h"
#include "ir/ops/gather_ops.h"
#include "ir/ops/gemv_ops.h"
#include "ir/ops/matmul_mx_ops.h"
#include "ir/ops/matmul_ops.h"
#include "ir/ops/quant_ops.h"
#include "ir/ops/reduce_ops.h"
#include "ir/ops/system_ops.h"
#include "ir/ops/tensor_ops.h"
#include "ir/ops/tile_ops.h"
#include "ir/ops/view_ops.h"

namespace mxtile::ir {

const OpRegistry& StandardOps() {
  static const OpRegistry* const registry = [] {
    auto* ops = new OpRegistry();
    RegisterTensorOps(*ops);
    RegisterTileOps(*ops);
    RegisterMatmulOps(*ops);
    RegisterMatmulMxOps(*ops);
    RegisterGemvOps(*ops);
    RegisterElementwiseOps(*ops);
    RegisterReduceOps(*ops);
    RegisterQuantOps(*ops);
    RegisterFillOps(*ops);
    RegisterViewOps(*ops);
    RegisterGatherOps(*ops);
    RegisterCrossCoreOps(*ops);
    RegisterSystemOps(*ops);
    return ops;
  }();
  return *registry;
}

}  // namespace mxtile::ir
