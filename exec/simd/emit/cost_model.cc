#include "exec/simd/emit/cost_model.h"

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "exec/simd/jit/target.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace mxtile::exec::simd {
namespace {

constexpr double kFloatOp = 0.5;
constexpr double kDivide = 5;
constexpr double kConversion = 1;
constexpr double kLoad = 0.5;
constexpr double kStore = 1;
constexpr double kShuffle = 0.7;
constexpr double kLaneMove = 1;      // insert, extract
constexpr double kMaskedMove = 1.5;  // of a vector
constexpr double kMaskedLane = 3;    // of a gather or scatter: a branch each
constexpr double kAddress = 0.1;     // mostly folded into what uses it
constexpr double kBranch = 0.3;
constexpr double kAddLatency = 3;
// Operations that are in flight at once: a short chain overlaps with the next.
constexpr double kWindow = 200;
constexpr double kOpsOfTerm = 3;

int64_t Lanes(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

bool IsAddressArithmetic(const llvm::Instruction& instruction) {
  const llvm::Type* type = instruction.getType();
  return llvm::isa<llvm::GetElementPtrInst>(instruction) ||
         (!type->isVectorTy() && type->isIntegerTy());
}

}  // namespace

double CostModel::Parts(const llvm::Type* type) const {
  const double bits = static_cast<double>(
      Lanes(type) * std::max(8u, type->getScalarSizeInBits()));
  return std::max(1.0, std::ceil(bits / (8 * target_.vector_bytes)));
}

void CostModel::AddChain(double frequency, int64_t terms,
                         int64_t accumulators) {
  const double overlapping = std::max(
      1.0, kWindow / (kOpsOfTerm * static_cast<double>(terms * accumulators)));
  const double chains = static_cast<double>(accumulators) * overlapping;
  // Each term of the block takes a cycle an accumulator, if enough chains hide
  // the latency.
  const double wait = std::max(0.0, kAddLatency / chains - 1);
  stalls_ += frequency * wait * static_cast<double>(terms * accumulators);
}

double CostModel::CallCost(const llvm::Instruction& call) const {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (intrinsic == nullptr) return kConversion;
  switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::masked_gather:
      return kMaskedLane * static_cast<double>(Lanes(call.getType()));
    case llvm::Intrinsic::masked_scatter:
      return kMaskedLane *
             static_cast<double>(Lanes(call.getOperand(0)->getType()));
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_store:
      return kMaskedMove;
    case llvm::Intrinsic::sqrt:
      return kDivide * Parts(call.getType());
    default:
      return kFloatOp * Parts(call.getType());
  }
}

double CostModel::CostOf(const llvm::Instruction& instruction) const {
  if (llvm::isa<llvm::PHINode>(instruction) ||
      llvm::isa<llvm::AllocaInst>(instruction)) {
    return 0;
  }
  if (IsAddressArithmetic(instruction) &&
      !llvm::isa<llvm::LoadInst>(instruction)) {
    return kAddress;
  }
  const double parts = Parts(instruction.getType());
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Load:
      return kLoad * parts;
    case llvm::Instruction::Store:
      return kStore * Parts(instruction.getOperand(0)->getType());
    case llvm::Instruction::FDiv:
      return kDivide * parts;
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::SIToFP:
      return kConversion * parts;
    case llvm::Instruction::ShuffleVector:
      return kShuffle * parts;
    case llvm::Instruction::InsertElement:
      // Into nothing: half of a splat, which a load does on the way.
      return llvm::isa<llvm::PoisonValue>(instruction.getOperand(0))
                 ? 0
                 : kLaneMove;
    case llvm::Instruction::ExtractElement:
      return kLaneMove;
    case llvm::Instruction::Br:
    case llvm::Instruction::Ret:
      return kBranch;
    case llvm::Instruction::Call:
      return CallCost(instruction);
    default:
      return kFloatOp * parts;
  }
}

double CostModel::Cycles(const llvm::Function& function) const {
  double cycles = stalls_;
  for (const llvm::BasicBlock& block : function) {
    const auto it = frequencies_.find(&block);
    const double frequency = it == frequencies_.end() ? 1 : it->second;
    double once = 0;
    for (const llvm::Instruction& instruction : block) {
      once += CostOf(instruction);
    }
    cycles += frequency * once;
  }
  return cycles;
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
