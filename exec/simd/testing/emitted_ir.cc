#include "exec/simd/testing/emitted_ir.h"

#include <cstdint>
#include <string>

#include "base/check.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/jit/llvm_module.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"

namespace mxtile::exec::simd {
namespace {

llvm::Function* Find(EmittedKernel& kernel, const std::string& body) {
  return kernel.module.module().getFunction(kernel.entry + "." + body);
}

llvm::Function& Body(EmittedKernel& kernel, const std::string& body) {
  llvm::Function* function = Find(kernel, body);
  MX_CHECK(function != nullptr) << "no " << body;
  return *function;
}

}  // namespace

bool HasBody(EmittedKernel& kernel, const std::string& body) {
  return Find(kernel, body) != nullptr;
}

EmittedMemory MemoryOf(EmittedKernel& kernel, const std::string& body) {
  llvm::Function& function = Body(kernel, body);
  const llvm::DataLayout& layout = kernel.module.module().getDataLayout();
  const llvm::Value* workspace = function.getArg(function.arg_size() - 2);
  EmittedMemory memory;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      ++memory.allocas;
      memory.alloca_bytes += static_cast<int64_t>(
          alloca->getAllocationSize(layout)->getFixedValue());
    }
    const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    if (gep != nullptr && gep->getPointerOperand() == workspace) {
      memory.workspace_offsets.push_back(
          llvm::cast<llvm::ConstantInt>(gep->getOperand(1))->getSExtValue());
    }
  }
  return memory;
}

EmittedArithmetic ArithmeticOf(EmittedKernel& kernel, const std::string& body) {
  llvm::Function& function = Body(kernel, body);
  EmittedArithmetic counts;
  for (const llvm::BasicBlock& block : function) {
    int64_t floats = 0;
    bool is_loop = false;
    for (const llvm::PHINode& phi : block.phis()) {
      if (phi.getName().starts_with("i")) is_loop = true;
      if (phi.getType()->isFPOrFPVectorTy()) ++floats;
    }
    if (is_loop && floats > 0) {
      ++counts.loops;
      counts.carried += floats;
    }
    for (const llvm::Instruction& instruction : block) {
      ++counts.instructions;
      if (instruction.getOpcode() == llvm::Instruction::FMul) {
        ++counts.multiplies;
      }
      if (instruction.getOpcode() == llvm::Instruction::FAdd) ++counts.adds;
      if (llvm::isa<llvm::CallInst>(instruction)) ++counts.calls;
      const auto* math = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
      if (math != nullptr && math->getFastMathFlags().any()) {
        ++counts.fast;
      }
    }
  }
  return counts;
}

int64_t CallsOf(EmittedKernel& kernel, const std::string& body) {
  const llvm::Function* callee = Find(kernel, body);
  int64_t calls = 0;
  for (const llvm::Instruction& instruction :
       llvm::instructions(*kernel.module.module().getFunction(kernel.entry))) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && callee != nullptr &&
        call->getCalledFunction() == callee) {
      ++calls;
    }
  }
  return calls;
}

std::string TextOf(EmittedKernel& kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel.module.module().print(stream, nullptr);
  return text;
}

}  // namespace mxtile::exec::simd
