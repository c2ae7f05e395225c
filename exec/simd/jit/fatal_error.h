#ifndef EXEC_SIMD_JIT_FATAL_ERROR_H_
#define EXEC_SIMD_JIT_FATAL_ERROR_H_

// What LLVM takes for a bug of itself or of the emitter ends the process, in
// the middle of its passes. The last words then say what was compiled, instead
// of only what LLVM stumbled over. For exec/simd/jit only.
//
//   const NamedCompilation named("module 'attention' for haswell at level 2");
//   ... passes ...
//
// LLVM has one handler of fatal errors in a process; the first NamedCompilation
// sets it, for good.

#ifndef MX_WITHOUT_LLVM

#include <string>

namespace mxtile::exec::simd {

// What the thread compiles while this lives. They nest.
class NamedCompilation {
 public:
  explicit NamedCompilation(std::string what);
  ~NamedCompilation();
  NamedCompilation(const NamedCompilation&) = delete;
  NamedCompilation& operator=(const NamedCompilation&) = delete;

  const std::string& what() const { return what_; }

 private:
  std::string what_;
  const NamedCompilation* outer_;
};

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_JIT_FATAL_ERROR_H_
