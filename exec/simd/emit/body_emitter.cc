#include "exec/simd/emit/body_emitter.h"

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <utility>

#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

BodyEmitter::BodyEmitter(const TileProgram& program, const Candidate& candidate,
                         const SimdTarget& target, const LaneAnalysis& lanes,
                         const Realization& plan, llvm::IRBuilder<>& builder,
                         llvm::Function* function, BodyArgs args)
    : program_(program),
      candidate_(candidate),
      lanes_(lanes),
      plan_(plan),
      builder_(builder),
      function_(function),
      args_(std::move(args)),
      scalar_ops_(&builder, target, 1),
      vector_ops_(&builder, target, candidate.width),
      registers_(program.values.size()),
      storage_(program.values.size()),
      vector_bytes_(target.vector_bytes),
      cost_(target) {}

void BodyEmitter::Emit() {
  AllocateArrays();
  if (programs() && args_.active != nullptr) {
    llvm::Value* lane =
        builder_.CreateStepVector(VectorOf(builder_.getInt64Ty()));
    active_mask_ = builder_.CreateICmpULT(lane, Splat(args_.active));
  }
  EmitBlock(program_.body);
}

// ---- types and small instructions

llvm::Type* BodyEmitter::ScalarType(ElementType type) const {
  switch (type) {
    case ElementType::kBool:
      return builder_.getInt1Ty();
    case ElementType::kIndex:
      return builder_.getInt64Ty();
    case ElementType::kF32:
      return builder_.getFloatTy();
    case ElementType::kBF16:
    case ElementType::kF16:
      return builder_.getInt16Ty();
    default:
      return builder_.getInt8Ty();
  }
}

llvm::Type* BodyEmitter::SlotType(ElementType type) const {
  return type == ElementType::kBool ? builder_.getInt8Ty() : ScalarType(type);
}

llvm::Type* BodyEmitter::VectorOf(llvm::Type* scalar) const {
  return llvm::FixedVectorType::get(scalar, width());
}

llvm::Value* BodyEmitter::I64(int64_t value) const {
  return builder_.getInt64(static_cast<uint64_t>(value));
}

llvm::Value* BodyEmitter::Splat(llvm::Value* value) {
  if (value->getType()->isVectorTy()) return value;
  return builder_.CreateVectorSplat(width(), value);
}

void BodyEmitter::Unify(llvm::Value** a, llvm::Value** b) {
  if ((*a)->getType()->isVectorTy() || (*b)->getType()->isVectorTy()) {
    *a = Splat(*a);
    *b = Splat(*b);
  }
}

llvm::Value* BodyEmitter::FromSlot(llvm::Value* slot, ElementType type) {
  if (type != ElementType::kBool) return slot;
  return builder_.CreateICmpNE(slot,
                               llvm::Constant::getNullValue(slot->getType()));
}

llvm::Value* BodyEmitter::ToSlot(llvm::Value* value, ElementType type) {
  if (type != ElementType::kBool) return value;
  llvm::Type* i8 = builder_.getInt8Ty();
  return builder_.CreateZExt(
      value, value->getType()->isVectorTy() ? VectorOf(i8) : i8);
}

llvm::Value* BodyEmitter::CoordValue(const Coord& coord) const {
  return coord.is_constant() ? I64(coord.constant) : coord.value;
}

Coord BodyEmitter::Add(const Coord& a, const Coord& b) {
  if (a.is_constant() && b.is_constant()) {
    return Coord::Constant(a.constant + b.constant);
  }
  if (a.is_constant() && a.constant == 0) return b;
  if (b.is_constant() && b.constant == 0) return a;
  llvm::Value* x = CoordValue(a);
  llvm::Value* y = CoordValue(b);
  Unify(&x, &y);
  return Coord::Of(builder_.CreateAdd(x, y));
}

Coord BodyEmitter::Multiply(const Coord& a, const Coord& b) {
  if (a.is_constant() && b.is_constant()) {
    return Coord::Constant(a.constant * b.constant);
  }
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    if (!x.is_constant()) continue;
    if (x.constant == 0) return x;
    if (x.constant == 1) return y;
  }
  llvm::Value* x = CoordValue(a);
  llvm::Value* y = CoordValue(b);
  Unify(&x, &y);
  return Coord::Of(builder_.CreateMul(x, y));
}

// ---- blocks

void BodyEmitter::EmitBlock(BlockId block) {
  for (const OpId op : program_.blocks[block].ops) EmitOp(op);
}

void BodyEmitter::EmitOp(OpId id) {
  const Op& op = program_.ops[id];
  switch (op.kind) {
    case OpKind::kStore:
      EmitStore(op);
      return;
    case OpKind::kFor:
      EmitFor(op);
      return;
    case OpKind::kIf:
      EmitIf(op);
      return;
    default:
      break;
  }
  const Form form = plan_.of(op.results[0]).form;
  if (form != Form::kRegisters && form != Form::kArray) return;
  switch (op.kind) {
    case OpKind::kLoad:
      EmitLoad(op);
      return;
    case OpKind::kReduce:
      EmitReduce(op);
      return;
    case OpKind::kContract:
    case OpKind::kMxContract:
      EmitContraction(id);
      return;
    default:
      Define(op.results[0],
             [&](const Place& place) { return Compute(op, place); });
  }
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
