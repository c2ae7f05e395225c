#include "exec/simd/jit/fatal_error.h"

#include "gtest/gtest.h"

#ifndef MX_WITHOUT_LLVM
#include "llvm/Support/ErrorHandling.h"
#endif

namespace mxtile::exec::simd {
namespace {

#ifndef MX_WITHOUT_LLVM

TEST(FatalErrorDeathTest, TheLastWordsNameTheInnermost) {
  const NamedCompilation outer("module 'outer'");
  {
    const NamedCompilation inner("module 'inner'");
    EXPECT_DEATH(llvm::report_fatal_error("no such size"),
                 "LLVM gave up on module 'inner': no such size; .*report");
  }
  EXPECT_DEATH(llvm::report_fatal_error("no such size"),
               "LLVM gave up on module 'outer': no such size");
}

TEST(FatalErrorDeathTest, OutsideThereIsNoName) {
  { const NamedCompilation named("module 'done'"); }
  EXPECT_DEATH(llvm::report_fatal_error("no such size"),
               "work that has no name: no such size");
}

#else

TEST(FatalErrorDeathTest, WithoutLlvm) {
  GTEST_SKIP() << "this build has no LLVM";
}

#endif  // MX_WITHOUT_LLVM

}  // namespace
}  // namespace mxtile::exec::simd
