#ifndef MX_WITHOUT_LLVM

#include <cstdint>

#include "base/check.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

FloatOps& BodyEmitter::OpsFor(llvm::Value* value) {
  return value->getType()->isVectorTy() ? vector_ops_ : scalar_ops_;
}

llvm::Value* BodyEmitter::Constant(ElementType type, double value) {
  if (type == ElementType::kF32) {
    return llvm::ConstantFP::get(builder_.getFloatTy(), value);
  }
  return llvm::ConstantInt::get(ScalarType(type), static_cast<uint64_t>(value),
                                true);
}

llvm::Value* BodyEmitter::Compute(const Op& op, const Place& place) {
  const auto read = [&](int i) { return Read(op.operands[i], place); };
  switch (op.kind) {
    case OpKind::kConstant: {
      const ElementType type = program_.values[op.results[0]].type;
      if (type == ElementType::kF32) return Constant(type, op.constant);
      return llvm::ConstantInt::get(ScalarType(type),
                                    static_cast<uint64_t>(op.integer), true);
    }
    case OpKind::kProgramIndex:
      return ProgramIndex(place.member);
    case OpKind::kIota: {
      llvm::Value* index = CoordValue(program_.Extent(op.dims[0]) == 1
                                          ? Coord::Constant(0)
                                          : *place.Find(op.dims[0]));
      if (place.vector != op.dims[0]) return index;
      return builder_.CreateAdd(
          Splat(index),
          builder_.CreateStepVector(VectorOf(builder_.getInt64Ty())));
    }
    case OpKind::kBroadcast:
      return read(0);
    case OpKind::kUnary:
      return ComputeUnary(op.unary, read(0));
    case OpKind::kBinary:
      return ComputeBinary(op.binary, read(0), read(1));
    case OpKind::kSelect: {
      llvm::Value* condition = read(0);
      llvm::Value* then = read(1);
      llvm::Value* otherwise = read(2);
      Unify(&then, &otherwise);
      if (condition->getType()->isVectorTy()) {
        then = Splat(then);
        otherwise = Splat(otherwise);
      }
      return builder_.CreateSelect(condition, then, otherwise);
    }
    case OpKind::kCast:
      return Convert(read(0), program_.values[op.operands[0]].type,
                     program_.values[op.results[0]].type);
    case OpKind::kExtract:
      return ComputeExtract(op, place);
    default:
      break;
  }
  MX_CHECK(false) << "operation is not elementwise";
  return nullptr;
}

llvm::Value* BodyEmitter::ProgramIndex(int member) {
  if (!programs()) {
    return builder_.CreateAdd(args_.first, I64(member));
  }
  llvm::Value* lane =
      builder_.CreateStepVector(VectorOf(builder_.getInt64Ty()));
  if (args_.active != nullptr) {
    // Inactive lanes repeat the last active one: whatever they compute has no
    // surprises.
    llvm::Value* last = Splat(builder_.CreateSub(args_.active, I64(1)));
    lane =
        builder_.CreateSelect(builder_.CreateICmpSLT(lane, last), lane, last);
  }
  return builder_.CreateAdd(Splat(args_.first), lane);
}

llvm::Value* BodyEmitter::ComputeUnary(UnaryKind kind, llvm::Value* x) {
  FloatOps& ops = OpsFor(x);
  switch (kind) {
    case UnaryKind::kNeg:
      return ops.Negate(x);
    case UnaryKind::kAbs:
      return ops.Abs(x);
    case UnaryKind::kExp:
      return ops.Exp(x);
    case UnaryKind::kSqrt:
      return ops.Sqrt(x);
    case UnaryKind::kRsqrt:
      return ops.Divide(ops.FloatConstant(1), ops.Sqrt(x));
    case UnaryKind::kRecip:
      return ops.Divide(ops.FloatConstant(1), x);
    case UnaryKind::kRelu: {
      llvm::Value* zero = ops.FloatConstant(0);
      return ops.SelectLess(x, zero, zero, x);
    }
    case UnaryKind::kNot:
      return builder_.CreateNot(x);
  }
  return nullptr;
}

llvm::Value* BodyEmitter::ComputeBinary(BinaryKind kind, llvm::Value* a,
                                        llvm::Value* b) {
  Unify(&a, &b);
  const bool is_float = a->getType()->isFPOrFPVectorTy();
  using Predicate = llvm::CmpInst::Predicate;
  const auto compare = [&](Predicate of_floats, Predicate of_integers) {
    return is_float ? builder_.CreateFCmp(of_floats, a, b)
                    : builder_.CreateICmp(of_integers, a, b);
  };
  switch (kind) {
    case BinaryKind::kAdd:
      return is_float ? builder_.CreateFAdd(a, b) : builder_.CreateAdd(a, b);
    case BinaryKind::kSub:
      return is_float ? builder_.CreateFSub(a, b) : builder_.CreateSub(a, b);
    case BinaryKind::kMul:
      return is_float ? builder_.CreateFMul(a, b) : builder_.CreateMul(a, b);
    case BinaryKind::kMax:
      if (is_float) return OpsFor(a).Max(a, b);
      return builder_.CreateSelect(builder_.CreateICmpSGE(a, b), a, b);
    case BinaryKind::kMin:
      if (is_float) return OpsFor(a).Min(a, b);
      return builder_.CreateSelect(builder_.CreateICmpSLE(a, b), a, b);
    case BinaryKind::kDiv:
      return builder_.CreateFDiv(a, b);
    case BinaryKind::kFloorDiv:
      return FloorDivide(a, b, /*remainder=*/false);
    case BinaryKind::kMod:
      return FloorDivide(a, b, /*remainder=*/true);
    case BinaryKind::kLt:
      return compare(Predicate::FCMP_OLT, Predicate::ICMP_SLT);
    case BinaryKind::kLe:
      return compare(Predicate::FCMP_OLE, Predicate::ICMP_SLE);
    case BinaryKind::kGt:
      return compare(Predicate::FCMP_OGT, Predicate::ICMP_SGT);
    case BinaryKind::kGe:
      return compare(Predicate::FCMP_OGE, Predicate::ICMP_SGE);
    case BinaryKind::kEq:
      return compare(Predicate::FCMP_OEQ, Predicate::ICMP_EQ);
    case BinaryKind::kNe:
      return compare(Predicate::FCMP_UNE, Predicate::ICMP_NE);
    case BinaryKind::kAnd:
      return builder_.CreateAnd(a, b);
    case BinaryKind::kOr:
      return builder_.CreateOr(a, b);
  }
  return nullptr;
}

// b is above 0.
llvm::Value* BodyEmitter::FloorDivide(llvm::Value* a, llvm::Value* b,
                                      bool remainder) {
  llvm::Value* rest = builder_.CreateSRem(a, b);
  llvm::Value* zero = llvm::Constant::getNullValue(a->getType());
  llvm::Value* below = builder_.CreateICmpSLT(rest, zero);
  if (remainder) {
    return builder_.CreateSelect(below, builder_.CreateAdd(rest, b), rest);
  }
  llvm::Value* quotient = builder_.CreateSDiv(a, b);
  llvm::Value* one = llvm::ConstantInt::get(a->getType(), 1);
  return builder_.CreateSelect(below, builder_.CreateSub(quotient, one),
                               quotient);
}

llvm::Value* BodyEmitter::Convert(llvm::Value* x, ElementType from,
                                  ElementType to) {
  if (from == to) return x;
  FloatOps& ops = OpsFor(x);
  if (to == ElementType::kF32) {
    if (from == ElementType::kIndex) {
      return builder_.CreateSIToFP(x, ops.float_type());
    }
    return ops.Decode(*FormatOf(from), x);
  }
  return to == ElementType::kBF16 ? ops.EncodeBF16(x) : ops.EncodeF16(x);
}

llvm::Value* BodyEmitter::ComputeExtract(const Op& op, const Place& place) {
  Place source = place;
  for (size_t i = 0; i < op.dims.size(); ++i) {
    llvm::Value* index = ReadScalar(op.operands[1 + i], place.member);
    llvm::Value* last = I64(program_.Extent(op.dims[i]) - 1);
    llvm::Value* zero = I64(0);
    if (index->getType()->isVectorTy()) {
      last = Splat(last);
      zero = Splat(zero);
    }
    index =
        builder_.CreateSelect(builder_.CreateICmpSGT(index, last), last, index);
    index =
        builder_.CreateSelect(builder_.CreateICmpSLT(index, zero), zero, index);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index);
    source.Set(op.dims[i], constant != nullptr
                               ? Coord::Constant(constant->getSExtValue())
                               : Coord::Of(index));
  }
  return Read(op.operands[0], source);
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
