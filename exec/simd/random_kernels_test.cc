// Compiled candidates against the strict interpreter: random programs, each by
// candidates drawn for it. All elements of all buffers are compared; buffers
// touch pages that nobody may access.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/candidate.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/testing/candidate_generator.h"
#include "exec/simd/testing/guarded_memory.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/testing/random_data.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

constexpr int kShards = 20;
constexpr int kCandidates = 3;

uint64_t seed = 20261201;
int num_programs = 1000;

// Empty when the candidate does what the interpreter did.
std::string Compare(const GeneratedProgram& generated,
                    const std::vector<std::vector<uint8_t>>& expected,
                    const Candidate& candidate, GuardedMemory::Side side) {
  absl::StatusOr<std::unique_ptr<CompiledKernel>> kernel =
      CompiledKernel::Create(generated.program, candidate, JitOptions());
  if (!kernel.ok()) return kernel.status().ToString();
  std::vector<std::unique_ptr<GuardedMemory>> memory;
  std::vector<BufferSpan> spans;
  for (const std::vector<uint8_t>& content : generated.memory) {
    memory.push_back(std::make_unique<GuardedMemory>(content, side));
    spans.push_back({memory.back()->data(), memory.back()->bytes()});
  }
  const absl::Status status = (*kernel)->Run(spans);
  if (!status.ok()) return status.ToString();
  for (size_t i = 0; i < memory.size(); ++i) {
    if (!memory[i]->IsIntact()) return absl::StrCat("wrote beyond buffer ", i);
    const std::string difference =
        FirstDifference(generated.types[i], memory[i]->content(), expected[i]);
    if (!difference.empty())
      return absl::StrCat("buffer ", i, ": ", difference);
  }
  return "";
}

class RandomKernelsTest : public ::testing::TestWithParam<int> {};

TEST_P(RandomKernelsTest, EqualTheInterpreter) {
  for (int i = GetParam(); i < num_programs; i += kShards) {
    const uint64_t own_seed = seed + static_cast<uint64_t>(i);
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram generated,
                            GenerateProgram(own_seed));
    std::vector<std::vector<uint8_t>> expected = generated.memory;
    MX_ASSERT_OK(Interpret(generated.program, Spans(expected),
                           AllOf(generated.program)));
    RandomSource random(own_seed);
    for (int c = 0; c < kCandidates; ++c) {
      const Candidate candidate = GenerateCandidate(generated.program, random);
      ASSERT_EQ(Compare(generated, expected, candidate,
                        c % 2 == 0 ? GuardedMemory::Side::kEnd
                                   : GuardedMemory::Side::kBegin),
                "")
          << "--seed=" << own_seed << " --programs=1, candidate " << c << ": "
          << ToString(candidate) << "\n"
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
