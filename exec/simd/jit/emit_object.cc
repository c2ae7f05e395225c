#include "exec/simd/jit/emit_object.h"

#ifndef MX_WITHOUT_LLVM

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace mxtile::exec::simd {

absl::StatusOr<std::string> EmitObject(llvm::Module* module,
                                       llvm::TargetMachine* machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                   llvm::CodeGenFileType::ObjectFile)) {
    return absl::UnimplementedError("the target can't write an object");
  }
  passes.run(*module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
