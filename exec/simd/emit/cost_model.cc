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

// Cycles of a unit for one operation on a register.
constexpr double kAdd = 0.5;
constexpr double kMultiply = 0.5;
constexpr double kDivide = 5;
constexpr double kLoad = 0.5;
constexpr double kStore = 1;
constexpr double kShuffle = 0.6;
constexpr double kMaskedLane = 3;  // of a gather or scatter: a branch each
constexpr double kDispatched = 6;  // operations a cycle
// Address arithmetic mostly disappears into what uses it.
constexpr double kAddressOperations = 0.2;
// Code that the instruction cache does not hold is fetched each time: of a body
// with more instructions, each further kLargeBody add this to all costs.
constexpr double kLargeBody = 6'000;
constexpr double kFetch = 0.25;
// Loads and stores where a team's arrays do not fit the first cache, or half of
// the second; the other half is for what the views read.
constexpr double kFromL2 = 1.3;
constexpr double kFromL3 = 5;
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

// A load into all lanes: one instruction, no shuffle.
bool IsLoadedSplat(const llvm::Instruction& shuffle) {
  const auto* insert =
      llvm::dyn_cast<llvm::InsertElementInst>(shuffle.getOperand(0));
  return insert != nullptr && llvm::isa<llvm::LoadInst>(insert->getOperand(1));
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
  // A term takes half a cycle an accumulator, if enough chains hide the
  // latency.
  const double wait = std::max(0.0, kAddLatency / chains - kAdd);
  stalls_ += frequency * wait * static_cast<double>(terms * accumulators);
}

void CostModel::AddSlowLoad(double frequency, double factor) {
  stalls_ += frequency * kLoad * (factor - 1);
}

void CostModel::CountCall(const llvm::Instruction& call,
                          Pressure* pressure) const {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  const llvm::Intrinsic::ID id = intrinsic == nullptr
                                     ? llvm::Intrinsic::not_intrinsic
                                     : intrinsic->getIntrinsicID();
  switch (id) {
    case llvm::Intrinsic::masked_gather:
      pressure->serial +=
          kMaskedLane * static_cast<double>(Lanes(call.getType()));
      return;
    case llvm::Intrinsic::masked_scatter:
      pressure->serial +=
          kMaskedLane *
          static_cast<double>(Lanes(call.getOperand(0)->getType()));
      return;
    case llvm::Intrinsic::masked_load:
      pressure->load += 2 * kLoad;
      return;
    case llvm::Intrinsic::masked_store:
      pressure->store += 2 * kStore;
      return;
    case llvm::Intrinsic::sqrt:
      pressure->serial += kDivide * Parts(call.getType());
      return;
    default:
      pressure->add += kAdd * Parts(call.getType());
  }
}

void CostModel::Count(const llvm::Instruction& instruction,
                      Pressure* pressure) const {
  if (llvm::isa<llvm::PHINode>(instruction) ||
      llvm::isa<llvm::AllocaInst>(instruction)) {
    return;
  }
  const bool is_load = llvm::isa<llvm::LoadInst>(instruction);
  if (!is_load && IsAddressArithmetic(instruction)) {
    pressure->operations += kAddressOperations;
    return;
  }
  const double parts = Parts(instruction.getType());
  pressure->operations += parts;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Load:
      pressure->load += kLoad * parts;
      return;
    case llvm::Instruction::Store:
      pressure->store += kStore * Parts(instruction.getOperand(0)->getType());
      return;
    case llvm::Instruction::FMul:
      pressure->multiply += kMultiply * parts;
      return;
    case llvm::Instruction::FDiv:
      pressure->serial += kDivide * parts;
      return;
    case llvm::Instruction::ShuffleVector:
      if (!IsLoadedSplat(instruction)) pressure->shuffle += kShuffle * parts;
      return;
    case llvm::Instruction::InsertElement:
      // Into nothing: half of a splat.
      if (!llvm::isa<llvm::PoisonValue>(instruction.getOperand(0))) {
        pressure->shuffle += kShuffle;
      }
      return;
    case llvm::Instruction::ExtractElement:
      pressure->shuffle += kShuffle;
      return;
    case llvm::Instruction::Call:
      CountCall(instruction, pressure);
      return;
    default:
      pressure->add += kAdd * parts;
  }
}

double CostModel::Cycles(const llvm::Function& function,
                         int64_t array_bytes) const {
  const double memory = array_bytes <= target_.l1_bytes       ? 1
                        : array_bytes <= target_.l2_bytes / 2 ? kFromL2
                                                              : kFromL3;
  double cycles = stalls_;
  for (const llvm::BasicBlock& block : function) {
    const auto it = frequencies_.find(&block);
    const double frequency = it == frequencies_.end() ? 1 : it->second;
    Pressure pressure;
    for (const llvm::Instruction& instruction : block) {
      Count(instruction, &pressure);
    }
    const double once =
        pressure.serial +
        std::max({pressure.add, pressure.multiply, memory * pressure.load,
                  memory * pressure.store, pressure.shuffle,
                  pressure.operations / kDispatched});
    cycles += frequency * once;
  }
  const double instructions =
      static_cast<double>(function.getInstructionCount());
  return cycles * (1 + kFetch * std::max(0.0, instructions / kLargeBody - 1));
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
