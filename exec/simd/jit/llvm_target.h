#ifndef EXEC_SIMD_JIT_LLVM_TARGET_H_
#define EXEC_SIMD_JIT_LLVM_TARGET_H_

// What LLVM says of a processor and what it needs to generate code for it, for
// exec/simd/jit only. `triple`, `cpu` and `features` are those of a SimdTarget
// (target.h).
//
// Errors: InvalidArgument for a processor or feature that LLVM does not know,
// Unimplemented for an architecture that it generates no code for.

#include <memory>
#include <string>

#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#ifndef MX_WITHOUT_LLVM

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace mxtile::exec::simd {

// All that code for the processor may use, by LLVM's names: "avx2", "f16c", and
// what LLVM only tunes for.
absl::StatusOr<absl::btree_set<std::string>> EnabledFeatures(
    const std::string& triple, const std::string& cpu,
    const std::string& features);

// Position-independent code, multiplication and addition never contracted.
// `level` 0 to 3 is that of code generation.
absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
    const std::string& triple, const std::string& cpu,
    const std::string& features, int level);

// Makes the host's code generator known to LLVM; the other functions do so
// themselves. Unimplemented when this LLVM has none.
absl::Status InitializeHostTarget();

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_JIT_LLVM_TARGET_H_
