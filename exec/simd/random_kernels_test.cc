// Compiled candidates against the strict interpreter: random programs, each by
// candidates drawn for it. All elements of all buffers are compared; buffers
// touch pages that nobody may access.
//
// The time is LLVM's. The first candidate of each program is compiled as users'
// kernels are, the others at level 0, three times as fast: what the emitter
// wrote is executed either way. Sanitizers look at the emitter and not at the
// code that it makes, and are given a fifth of the programs.

#include <cstdint>

#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/testing/candidate_generator.h"
#include "exec/simd/testing/kernel_comparison.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

constexpr int kShards = 20;
constexpr int kCandidates = 3;

uint64_t seed = 20261201;
#ifdef MX_FEWER_PROGRAMS
int num_programs = 200;
#else
int num_programs = 1000;
#endif

class RandomKernelsTest : public ::testing::TestWithParam<int> {};

TEST_P(RandomKernelsTest, EqualTheInterpreter) {
  for (int i = GetParam(); i < num_programs; i += kShards) {
    const uint64_t own_seed = seed + static_cast<uint64_t>(i);
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram generated,
                            GenerateProgram(own_seed));
    MX_ASSERT_OK_AND_ASSIGN(
        const Memory expected,
        InterpretedMemory(generated.program, generated.memory));
    RandomSource random(own_seed);
    ComparisonOptions options;
    for (int c = 0; c < kCandidates; ++c) {
      options.level = c == 0 ? JitOptions().level : 0;
      const Candidate candidate = GenerateCandidate(generated.program, random);
      ASSERT_EQ(KernelDifference(generated.program, generated.memory, expected,
                                 candidate, options),
                "")
          << "--seed=" << own_seed << " --programs=1, candidate " << c
          << " at level " << options.level << ": " << ToString(candidate)
          << "\n"
          << ToText(generated.program);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, RandomKernelsTest,
                         ::testing::Range(0, kShards));

}  // namespace
}  // namespace mxtile::exec::simd

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv,
                                "--programs=", &mxtile::exec::simd::seed,
                                &mxtile::exec::simd::num_programs);
}
