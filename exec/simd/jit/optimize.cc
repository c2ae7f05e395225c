#include "exec/simd/jit/optimize.h"

#ifndef MX_WITHOUT_LLVM

#include <cstdint>

#include "base/check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace mxtile::exec::simd {
namespace {

// The only lane that a masked store stores; -1 when there are others or when
// they are not known.
int OnlyLane(const llvm::IntrinsicInst& store) {
  const auto* const mask =
      llvm::dyn_cast<llvm::Constant>(store.getArgOperand(2));
  if (mask == nullptr) return -1;
  const auto* const type =
      llvm::cast<llvm::FixedVectorType>(store.getArgOperand(0)->getType());
  int only = -1;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const llvm::Constant* const bit = mask->getAggregateElement(lane);
    if (bit != nullptr && bit->isNullValue()) continue;
    if (only >= 0 || bit == nullptr || !bit->isOneValue()) return -1;
    only = static_cast<int>(lane);
  }
  return only;
}

// Where the value is a narrowed one, LLVM 22.1.8 with AVX-512 makes of such a
// masked store one of the wide element: four bytes for a lane of two.
void StoreOnlyLanesAsScalars(llvm::Module* module) {
  for (llvm::Function& function : *module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (store == nullptr ||
          store->getIntrinsicID() != llvm::Intrinsic::masked_store) {
        continue;
      }
      const int lane = OnlyLane(*store);
      if (lane < 0) continue;
      llvm::IRBuilder<> builder(store);
      llvm::Value* const element = builder.CreateExtractElement(
          store->getArgOperand(0), static_cast<uint64_t>(lane));
      const uint64_t bytes =
          element->getType()->getPrimitiveSizeInBits().getFixedValue() / 8;
      builder.CreateAlignedStore(
          element,
          builder.CreateConstGEP1_64(element->getType(),
                                     store->getArgOperand(1), lane),
          llvm::commonAlignment(store->getParamAlign(1).valueOrOne(),
                                lane * bytes));
      store->eraseFromParent();
    }
  }
}

}  // namespace

void Optimize(llvm::Module* module, llvm::TargetMachine* machine, int level) {
  MX_CHECK(level >= 0 && level <= 3);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager pipeline =
      level == 0 ? builder.buildO0DefaultPipeline(levels[0])
                 : builder.buildPerModuleDefaultPipeline(levels[level]);
  pipeline.run(*module, modules);
  // Unrolling makes masks constant, so not before.
  StoreOnlyLanesAsScalars(module);
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
