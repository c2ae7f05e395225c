#include "exec/simd/jit/jit_test_util.h"

#ifndef MX_WITHOUT_LLVM

#include <string>
#include <vector>

#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/llvm_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

llvm::Function* AddKernel(EmittedModule* emitted, const std::string& name,
                          llvm::IRBuilder<>* builder) {
  llvm::Type* const pointer = builder->getPtrTy();
  llvm::Function* const function = llvm::Function::Create(
      llvm::FunctionType::get(builder->getVoidTy(), {pointer, pointer, pointer},
                              /*isVarArg=*/false),
      llvm::Function::ExternalLinkage, name, &emitted->module());
  builder->SetInsertPoint(
      llvm::BasicBlock::Create(emitted->context(), "entry", function));
  return function;
}

EmittedModule AddModule(const std::string& name) {
  EmittedModule emitted("add_module");
  llvm::IRBuilder<> builder(emitted.context());
  llvm::Function* const function = AddKernel(&emitted, name, &builder);
  llvm::Type* const vector =
      llvm::FixedVectorType::get(builder.getFloatTy(), 8);
  const llvm::Align align(4);
  llvm::Value* const a =
      builder.CreateAlignedLoad(vector, function->getArg(0), align);
  llvm::Value* const b =
      builder.CreateAlignedLoad(vector, function->getArg(1), align);
  builder.CreateAlignedStore(builder.CreateFAdd(a, b), function->getArg(2),
                             align);
  builder.CreateRetVoid();
  return emitted;
}

void ExpectAdds(const JitCode& code) {
  const auto add = reinterpret_cast<Kernel>(code.Find("add"));
  ASSERT_NE(add, nullptr);
  const std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<float> b = {10, 20, 30, 40, 50, 60, 70, 80};
  std::vector<float> out(10, -1);
  add(a.data(), b.data(), out.data());
  EXPECT_THAT(out,
              ::testing::ElementsAre(11, 22, 33, 44, 55, 66, 77, 88, -1, -1));
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
