#ifndef PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OPERATORS_H_
#define PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OPERATORS_H_

// The operators that take MX tensors, and where their arguments stand.
//
//   const MxOperators ops(context.registry());
//   if (call.callee->def == ops.load) offsets = ListArg(call, kOffsetsArg);

#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/type.h"

namespace mxtile {

struct MxOperators {
  explicit MxOperators(const ir::OpRegistry& registry)
      : load(registry.Find("tile.load")),
        store(registry.Find("tile.store")),
        view(registry.Find("tensor.view")) {}
  const ir::OpDef* load;
  const ir::OpDef* store;
  const ir::OpDef* view;
};

inline constexpr int kTensorArg = 0;       // Of tile.load and tensor.view.
inline constexpr int kOffsetsArg = 1;      // Of tile.load and tile.store.
inline constexpr int kLoadShapesArg = 2;   // Of tile.load.
inline constexpr int kValidShapeArg = 3;   // Of tile.load.
inline constexpr int kTileArg = 0;         // Of tile.store.
inline constexpr int kOutputArg = 2;       // Of tile.store.
inline constexpr int kStoreShapesArg = 3;  // Of tile.store.
inline constexpr int kViewShapeArg = 1;    // Of tensor.view.

// The type when it is that of a tensor with an MX layout, else null.
inline const ir::TensorType* AsMxTensor(const ir::Type* type) {
  const auto* tensor = ir::DynCast<ir::TensorType>(type);
  return tensor != nullptr && ir::IsMx(tensor->layout()) ? tensor : nullptr;
}

}  // namespace mxtile

#endif  // PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OPERATORS_H_
