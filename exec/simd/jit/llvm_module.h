#ifndef EXEC_SIMD_JIT_LLVM_MODULE_H_
#define EXEC_SIMD_JIT_LLVM_MODULE_H_

// What an emitter hands to the compiler (jit.h): a module of LLVM with the
// context that it lives in. Private to exec/simd; empty in a build without
// LLVM.
//
//   EmittedModule emitted("attention");
//   llvm::IRBuilder<> builder(emitted.context());
//   ... functions in emitted.module() ...
//   MX_ASSIGN_OR_RETURN(std::unique_ptr<JitCode> code,
//                       Compile(std::move(emitted), options));

#include <string>
#include <utility>

#ifndef MX_WITHOUT_LLVM
#include <memory>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#endif

namespace mxtile::exec::simd {

#ifndef MX_WITHOUT_LLVM

class EmittedModule {
 public:
  // `name` stands in messages.
  explicit EmittedModule(const std::string& name)
      : context_(std::make_unique<llvm::LLVMContext>()),
        module_(std::make_unique<llvm::Module>(name, *context_)) {}
  EmittedModule(EmittedModule&&) = default;
  // By exchange: a module must not outlive its context.
  EmittedModule& operator=(EmittedModule&& other) {
    std::swap(context_, other.context_);
    std::swap(module_, other.module_);
    return *this;
  }

  llvm::LLVMContext& context() { return *context_; }
  llvm::Module& module() { return *module_; }

 private:
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
};

#else

class EmittedModule {};

#endif  // MX_WITHOUT_LLVM

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_JIT_LLVM_MODULE_H_
