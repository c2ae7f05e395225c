#include "exec/simd/jit/fatal_error.h"

#ifndef MX_WITHOUT_LLVM

#include <string>
#include <utility>

#include "base/check.h"
#include "llvm/Support/ErrorHandling.h"

namespace mxtile::exec::simd {
namespace {

thread_local const NamedCompilation* current = nullptr;

// LLVM calls it on the thread that failed.
void Die(void* /*user_data*/, const char* reason, bool /*gen_crash_diag*/) {
  MX_CHECK(false) << "LLVM gave up on "
                  << (current == nullptr ? "work that has no name"
                                         : current->what())
                  << ": " << reason
                  << "; a fault of mxtile or LLVM: please report it with the "
                     "program";
}

}  // namespace

NamedCompilation::NamedCompilation(std::string what)
    : what_(std::move(what)), outer_(current) {
  static const bool installed = [] {
    llvm::install_fatal_error_handler(&Die);
    return true;
  }();
  (void)installed;
  current = this;
}

NamedCompilation::~NamedCompilation() { current = outer_; }

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
