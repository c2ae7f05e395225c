#ifndef PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_OPERATORS_H_
#define PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_OPERATORS_H_

// The operators that take NZ tensors, and where their arguments stand.
//
//   const NzOperators ops(context.registry());
//   if (call.callee->def == ops.load) ... call.args[kNzLoadOffsets]

#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/type.h"

namespace mxtile {

struct NzOperators {
  explicit NzOperators(const ir::OpRegistry& registry)
      : load(registry.Find("tile.load")),
        store(registry.Find("tile.store")),
        slice(registry.Find("tensor.slice")) {}
  const ir::OpDef* load;
  const ir::OpDef* store;
  const ir::OpDef* slice;
};

inline constexpr int kNzTensor = 0;        // Of tile.load and tensor.slice.
inline constexpr int kNzLoadOffsets = 1;   // Of tile.load.
inline constexpr int kNzLoadShapes = 2;    // Of tile.load.
inline constexpr int kNzLoadValid = 3;     // Of tile.load.
inline constexpr int kNzSliceShapes = 1;   // Of tensor.slice.
inline constexpr int kNzSliceOffsets = 2;  // Of tensor.slice.
inline constexpr int kNzSliceValid = 3;    // Of tensor.slice.
inline constexpr int kNzSliceDrop = 4;     // Of tensor.slice.
inline constexpr int kNzStoreOutput = 2;   // Of tile.store.

// The type when it is that of a tensor in layout NZ, else null.
inline const ir::TensorType* AsNzTensor(const ir::Type* type) {
  const auto* tensor = ir::DynCast<ir::TensorType>(type);
  return tensor != nullptr && tensor->layout() == ir::TensorLayout::kNZ
             ? tensor
             : nullptr;
}

}  // namespace mxtile

#endif  // PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_OPERATORS_H_
