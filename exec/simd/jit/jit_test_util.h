#ifndef EXEC_SIMD_JIT_JIT_TEST_UTIL_H_
#define EXEC_SIMD_JIT_JIT_TEST_UTIL_H_

// A small good module, for tests of what happens to modules.
//
//   MX_ASSERT_OK_AND_ASSIGN(std::unique_ptr<JitCode> code,
//                           Compile(AddModule(), options));
//   ExpectAdds(*code);

#ifndef MX_WITHOUT_LLVM

#include <string>

#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/llvm_module.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

using Kernel = void (*)(const float* a, const float* b, float* out);

// The function `name` of type Kernel, with the builder at its entry.
llvm::Function* AddKernel(EmittedModule* emitted, const std::string& name,
                          llvm::IRBuilder<>* builder);

// Module "add_module" with out[i] = a[i] + b[i] for i < 8, as one kernel of 5
// instructions.
EmittedModule AddModule(const std::string& name = "add");

// Runs that kernel.
void ExpectAdds(const JitCode& code);

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_JIT_JIT_TEST_UTIL_H_
