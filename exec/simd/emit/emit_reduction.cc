#ifndef MX_WITHOUT_LLVM

#include <cstdint>

#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

void BodyEmitter::EmitReduce(const Op& op) {
  Define(op.results[0],
         [&](const Place& place) { return ReduceAt(op, place); });
}

llvm::Value* BodyEmitter::Combine(ReduceKind kind, llvm::Value* a,
                                  llvm::Value* b) {
  switch (kind) {
    case ReduceKind::kSum:
      return ComputeBinary(BinaryKind::kAdd, a, b);
    case ReduceKind::kMax:
      return ComputeBinary(BinaryKind::kMax, a, b);
    case ReduceKind::kMin:
      return ComputeBinary(BinaryKind::kMin, a, b);
  }
  return nullptr;
}

// Folds left from the first element, which takes part whatever the limit is.
llvm::Value* BodyEmitter::ReduceAt(const Op& op, const Place& place) {
  const DimId dim = op.dims[0];
  const int64_t extent = program_.Extent(dim);
  const ValueId x = op.operands[0];
  llvm::Value* limit =
      op.limit == kNoValue ? nullptr : ReadScalar(op.limit, place.member);
  const auto at = [&](Coord i) {
    Place element = place;
    element.Set(dim, i);
    return Read(x, element);
  };
  const auto step = [&](Coord i, llvm::Value* acc) {
    llvm::Value* next = Combine(op.reduce, acc, at(i));
    if (limit == nullptr) return next;
    llvm::Value* index = CoordValue(i);
    llvm::Value* bound = limit;
    Unify(&index, &bound);
    llvm::Value* inside = builder_.CreateICmpSLT(index, bound);
    Unify(&next, &acc);
    if (inside->getType()->isVectorTy()) {
      next = Splat(next);
      acc = Splat(acc);
    }
    return builder_.CreateSelect(inside, next, acc);
  };
  llvm::Value* acc = at(Coord::Constant(0));
  // What is read at constant places is read from registers; with
  // complete-program lanes a fold is a loop, as its array was planned for.
  if (!programs() && extent <= candidate_.max_unrolled_elements) {
    for (int64_t i = 1; i < extent; ++i) acc = step(Coord::Constant(i), acc);
    return acc;
  }
  if (programs() && plan_.of(op.results[0]).varies) acc = Splat(acc);
  return Loop(Coord::Constant(1), Coord::Constant(extent), 1, {acc},
              [&](Coord i, Values carried) {
                llvm::Value* next = step(i, carried[0]);
                if (carried[0]->getType()->isVectorTy()) next = Splat(next);
                return Values{next};
              })[0];
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
