// Code for other processors than this one: random programs, compiled as users'
// kernels are. Where the host has all that the processor has, which on a
// machine with AVX-512 is true of those with AVX2, the code runs and is
// compared with the strict interpreter; elsewhere it is only generated, which
// is where LLVM gives up when it does.

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/testing/candidate_generator.h"
#include "exec/simd/testing/kernel_comparison.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

// One of each width of registers, and of each set of instructions that LLVM
// treats on its own: SSE2, AVX, AVX2 twice, AVX-512, with FP16 and BF16.
constexpr const char* kProcessors[] = {
    "x86-64", "sandybridge",    "haswell",
    "znver3", "skylake-avx512", "sapphirerapids",
};

// Not the programs of random_kernels_test.
uint64_t seed = 20261301;
// For each processor.
#ifdef MX_FEWER_PROGRAMS
int num_programs = 10;
#else
int num_programs = 40;
#endif

class RandomTargetsTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!absl::StartsWith(HostTarget().triple, "x86_64")) {
      GTEST_SKIP() << "the processors are x86-64's";
    }
    MX_ASSERT_OK_AND_ASSIGN(target_, NamedTarget(kProcessors[GetParam()]));
  }

  absl::Status Generate(const TileProgram& program,
                        const Candidate& candidate) const {
    JitOptions options;
    options.target = target_;
    absl::StatusOr<EmittedKernel> kernel =
        EmitKernel(program, candidate, target_);
    if (!kernel.ok()) return kernel.status();
    return CompileObject(std::move(kernel->module), options).status();
  }

  SimdTarget target_;
};

TEST_P(RandomTargetsTest, CompileAndEqualTheInterpreter) {
  const bool runs = CheckRunsOnHost(target_).ok();
  for (int i = 0; i < num_programs; ++i) {
    const uint64_t own_seed = seed +
                              static_cast<uint64_t>(GetParam()) * 1'000'000 +
                              static_cast<uint64_t>(i);
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram generated,
                            GenerateProgram(own_seed));
    RandomSource random(own_seed);
    const Candidate candidate = GenerateCandidate(generated.program, random);
    std::string difference;
    if (runs) {
      MX_ASSERT_OK_AND_ASSIGN(
          const Memory expected,
          InterpretedMemory(generated.program, generated.memory));
      ComparisonOptions options;
      options.target = target_;
      options.level = JitOptions().level;
      difference = KernelDifference(generated.program, generated.memory,
                                    expected, candidate, options);
    } else {
      const absl::Status status = Generate(generated.program, candidate);
      if (!status.ok()) difference = status.ToString();
    }
    ASSERT_EQ(difference, "")
        << target_.cpu << (runs ? ", executed" : ", only compiled")
        << ", --seed=" << seed + static_cast<uint64_t>(i)
        << " --programs=1: " << ToString(candidate) << "\n"
        << ToText(generated.program);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Processors, RandomTargetsTest,
    ::testing::Range(0, static_cast<int>(std::size(kProcessors))));

}  // namespace
}  // namespace mxtile::exec::simd

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv,
                                "--programs=", &mxtile::exec::simd::seed,
                                &mxtile::exec::simd::num_programs);
}
