#ifndef EXEC_SIMD_JIT_OPTIMIZE_H_
#define EXEC_SIMD_JIT_OPTIMIZE_H_

// LLVM's standard pipeline, in a file of its own: its header takes seconds to
// compile. For exec/simd/jit only.

#ifndef MX_WITHOUT_LLVM

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace mxtile::exec::simd {

// `level` 0 to 3 is that of -O. The module has been verified.
void Optimize(llvm::Module* module, llvm::TargetMachine* machine, int level);

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_JIT_OPTIMIZE_H_
