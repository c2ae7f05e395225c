#ifndef IR_TYPE_WALK_H_
#define IR_TYPE_WALK_H_

// Walks over what types hold.
//
//   ForEachDim(*type, [&](const Expr* dim) { ... });
//   ForEachLeafType(*type, [&](const Type& leaf) { ... });   // into tuples

#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile::ir {

// Calls fn(type) for the type itself, or for each element inside a tuple.
template <typename Fn>
void ForEachLeafType(const Type& type, Fn&& fn) {
  const TupleType* tuple = DynCast<TupleType>(&type);
  if (tuple == nullptr) return fn(type);
  for (const Type* element : tuple->elements) ForEachLeafType(*element, fn);
}

// Calls fn(expr) for each expression that the type holds: dims, strides, valid
// shapes, offsets, and the base variable of a memref.
template <typename Fn>
void ForEachDim(const Type& type, Fn&& fn) {
  const auto each = [&fn](Dims dims) {
    for (const Expr* dim : dims) fn(dim);
  };
  const auto memref = [&fn](const MemRef* ref) {
    if (ref == nullptr) return;
    fn(static_cast<const Expr*>(ref->base));
    if (ref->byte_offset != nullptr) fn(ref->byte_offset);
    if (ref->slot_index != nullptr) fn(ref->slot_index);
  };
  ForEachLeafType(type, [&](const Type& leaf) {
    if (const TensorType* tensor = DynCast<TensorType>(&leaf)) {
      each(tensor->shape);
      memref(tensor->memref);
      if (tensor->view == nullptr) return;
      each(tensor->view->stride);
      each(tensor->view->valid_shape);
    } else if (const TileType* tile = DynCast<TileType>(&leaf)) {
      each(tile->shape);
      memref(tile->memref);
      if (tile->view == nullptr) return;
      each(tile->view->valid_shape);
      each(tile->view->stride);
      if (tile->view->start_offset != nullptr) fn(tile->view->start_offset);
    }
  });
}

}  // namespace mxtile::ir

#endif  // IR_TYPE_WALK_H_
