#ifndef EXEC_SIMD_JIT_JIT_H_
#define EXEC_SIMD_JIT_JIT_H_

// From a module of LLVM to code that runs.
//
//   JitOptions options;
//   options.max_instructions = 100'000;
//   MX_ASSIGN_OR_RETURN(std::unique_ptr<JitCode> code,
//                       Compile(std::move(emitted), options));
//   reinterpret_cast<void (*)(float*)>(code->Find("kernel"))(data);
//   code->object().instructions;   // as the emitter wrote them
//
// A module is verified, measured, optimised, made an object and linked. All
// functions are compiled for the options' target and do not unwind. Arithmetic
// is IEEE's, operation by operation: nothing is contracted, and a module with a
// fast-math flag is refused.
//
// Errors, after which the process can go on compiling:
//   InvalidArgument     the module breaks LLVM's rules (with the verifier's
//                       words); has fast-math flags, assembly or intrinsics of
//                       a processor that float_ops.h does not make; has a
//                       masked load wider than a vector register; calls a
//                       function that it does not define, other than memcpy,
//                       memmove and memset; the target's names or the level are
//                       unknown
//   ResourceExhausted   more instructions than max_instructions
//   FailedPrecondition  the host can't run code for the target (Compile only)
//   Internal            the code generator gave up, with its words
//   Unimplemented       this build has no LLVM
// What LLVM itself takes for a bug of the emitter and its verifier does not
// find still ends the process; the last words on stderr name the module, the
// processor and the level.
//
// Masked loads: of one wider than a register LLVM makes several. Where a part's
// lanes are all off in a constant that is combined with a mask of equal lanes,
// LLVM 22.1.8 loads this part without a mask, so reads memory that nobody may
// touch, or ends the process over the access ("Cannot implicitly convert a
// scalable size"). Seen for AVX2; masked stores were right.
// LLVM 22.1 also merges select(mask, load(p, mask, a), b) into load(p, mask,
// b), and loads where the select was, behind stores to p in between
// (llvm/llvm-project issue 215453; fixed in 23). Nothing here finds that: an
// emitter freezes what it loads by a mask from memory that it also stores to.
//
// Masked stores: one of a single, known lane becomes a scalar store after
// optimising. With AVX-512, from level 1 on, LLVM 22.1.8 stores such a lane at
// the width that its value had before it was narrowed: four bytes for two.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "exec/simd/jit/linked_object.h"
#include "exec/simd/jit/target.h"

namespace mxtile::exec::simd {

class EmittedModule;  // llvm_module.h
class ObjectCache;    // object_cache.h

struct JitOptions {
  SimdTarget target = HostTarget();
  // Of the pipeline (-O) and of code generation; 0 to 3.
  int level = 2;
  // The most IR instructions that a module may have before it is optimised; 0
  // for no limit.
  int64_t max_instructions = 0;
  // Fills in CompiledObject::ir_before and ir_after; no object is then taken
  // from the cache.
  bool keep_ir = false;
  // Asked before optimising, filled afterwards; may be null. Not owned.
  ObjectCache* cache = nullptr;
};

struct CompiledObject {
  struct FunctionSize {
    std::string name;
    int64_t instructions;
  };

  std::string bytes;   // a relocatable object, for LinkObject
  std::string sha256;  // of `bytes`, in hexadecimal

  // IR instructions before optimising: in all and by function with a body, in
  // the module's order.
  int64_t instructions = 0;
  std::vector<FunctionSize> functions;

  bool from_cache = false;
  // In all after optimising; unknown when the object is from the cache.
  std::optional<int64_t> instructions_after;
  std::string ir_before;
  std::string ir_after;

  // Wall time of the phases, in ms; 0 for those that were not needed. `prepare`
  // is verifying, measuring and hashing.
  double prepare_ms = 0;
  double optimize_ms = 0;
  double codegen_ms = 0;
};

class JitCode {
 public:
  JitCode(CompiledObject object, std::unique_ptr<LinkedObject> linked,
          double link_ms)
      : object_(std::move(object)),
        linked_(std::move(linked)),
        link_ms_(link_ms) {}

  // The address of an external function; null when there is none of that name.
  void* Find(absl::string_view name) const { return linked_->Find(name); }

  const CompiledObject& object() const { return object_; }
  double link_ms() const { return link_ms_; }

 private:
  CompiledObject object_;
  std::unique_ptr<LinkedObject> linked_;
  double link_ms_;
};

absl::StatusOr<std::unique_ptr<JitCode>> Compile(EmittedModule module,
                                                 const JitOptions& options);

// Without linking: for any target that LLVM knows. Undefined symbols are found
// by LinkObject.
absl::StatusOr<CompiledObject> CompileObject(EmittedModule module,
                                             const JitOptions& options);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_JIT_JIT_H_
