#ifndef EXEC_SIMD_JIT_EMIT_OBJECT_H_
#define EXEC_SIMD_JIT_EMIT_OBJECT_H_

// LLVM's code generator, for exec/simd/jit only.

#ifndef MX_WITHOUT_LLVM

#include <string>

#include "absl/status/statusor.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace mxtile::exec::simd {

// The bytes of the relocatable object. What the module asks for and the target
// can't is left to the context's handler of diagnostics. The module is changed.
absl::StatusOr<std::string> EmitObject(llvm::Module* module,
                                       llvm::TargetMachine* machine);

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_JIT_EMIT_OBJECT_H_
