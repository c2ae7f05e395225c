// What emitted kernels consist of, without running them.

#include "exec/simd/emit/kernel_emitter.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/testing/candidate_generator.h"
#include "exec/simd/testing/emitted_ir.h"
#include "exec/simd/testing/mma_program.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kSeed = 20261201;

const SimdTarget& Target() {
  static const SimdTarget* const target =
      new SimdTarget(*NamedTarget("x86-64-v3"));
  return *target;
}

// The seed's realisation: a row of R columns, masks, nothing shared.
Candidate Compat(int block) {
  Candidate candidate;
  candidate.width = 8;
  candidate.block_cols = block;
  candidate.masked_lanes = true;
  candidate.share_uniform = false;
  return candidate;
}

EmittedKernel Emit(const TileProgram& program, const Candidate& candidate) {
  absl::StatusOr<EmittedKernel> kernel =
      EmitKernel(program, candidate, Target());
  EXPECT_THAT(kernel, IsOk());
  return *std::move(kernel);
}

// ---- register blocks

class MmaEmissionTest : public ::testing::TestWithParam<MmaCase> {};

TEST_P(MmaEmissionTest, OnlyAnAdmittedBlockChangesTheCode) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildMma(GetParam()));
  EmittedKernel reference = Emit(program, Compat(1));
  EXPECT_EQ(reference.blocked_mmas, 0);
  const std::string reference_text = TextOf(reference);
  for (const int block : {1, 2, 4}) {
    SCOPED_TRACE(block);
    EmittedKernel kernel = Emit(program, Compat(block));
    const bool blocked = block > 1 && GetParam().form != MmaForm::kTransposed;
    EXPECT_EQ(kernel.blocked_mmas, blocked ? 1 : 0);
    // A register block is registers: no array more or less.
    EXPECT_EQ(kernel.resources, reference.resources);
    if (blocked) {
      EXPECT_NE(TextOf(kernel), reference_text);
    } else {
      EXPECT_EQ(TextOf(kernel), reference_text);
    }
  }
}

TEST_P(MmaEmissionTest, EachContributionIsAProductAndASum) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildMma(GetParam()));
  const MmaCase& mma = GetParam();
  const bool unrolled_outputs = mma.m * mma.n <= 64;
  const int64_t terms = mma.k > 64 ? 1 : mma.k;
  for (const int block : {1, 2, 4}) {
    SCOPED_TRACE(block);
    EmittedKernel kernel = Emit(program, Compat(block));
    const EmittedArithmetic body = ArithmeticOf(kernel, "body");
    EXPECT_EQ(body.multiplies, body.adds);
    EXPECT_EQ(body.fast, 0);
    EXPECT_THAT(TextOf(kernel), Not(HasSubstr("fma")));
    // In code: all outputs, or a loop over groups and its tail, in each row.
    const bool blocked = kernel.blocked_mmas > 0;
    const int64_t cols = blocked ? block : 1;
    const int64_t outputs = unrolled_outputs ? mma.n : cols + mma.n % cols;
    EXPECT_EQ(body.multiplies, mma.m * outputs * terms);
  }
}

std::vector<MmaCase> MmaCases() {
  std::vector<MmaCase> cases;
  for (const MmaForm form : kMmaForms) {
    cases.push_back({form, 2, 5, 3});
    cases.push_back({form, 2, 35, 17});
    cases.push_back({form, 1, 7, 65});
  }
  return cases;
}

std::string NameOf(const ::testing::TestParamInfo<MmaCase>& info) {
  std::string name = ToString(info.param);
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Forms, MmaEmissionTest,
                         ::testing::ValuesIn(MmaCases()), NameOf);

// Five outputs of 65 contributions: a loop each, two and one, four and one.
TEST(KernelEmitterTest, GroupsOfOutputsShareALoop) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 1, 5, 65}));
  const int64_t loops[] = {5, 3, 2};
  const int blocks[] = {1, 2, 4};
  for (int i = 0; i < 3; ++i) {
    EmittedKernel kernel = Emit(program, Compat(blocks[i]));
    const EmittedArithmetic body = ArithmeticOf(kernel, "body");
    EXPECT_EQ(body.loops, loops[i]) << blocks[i];
    EXPECT_EQ(body.carried, 5);
  }
}

TEST(KernelEmitterTest, FewerOutputsThanColumnsAreOneGroup) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 2, 3, 65}));
  EmittedKernel kernel = Emit(program, Compat(4));
  EXPECT_EQ(kernel.blocked_mmas, 1);
  EXPECT_EQ(ArithmeticOf(kernel, "body").loops, 2);
  EXPECT_EQ(ArithmeticOf(kernel, "body").carried, 6);
}

// 4 * 128 * 8 nodes are within the budget of 4096, 4 * 129 * 8 are not.
TEST(KernelEmitterTest, ABlockOverBudgetLeavesTheReferencesCode) {
  for (const int64_t k : {128, 129}) {
    MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                            BuildMma({MmaForm::kPlain, 1, 8, k}));
    Candidate one = Compat(1);
    one.max_unrolled_elements = 2000;
    Candidate four = Compat(4);
    four.max_unrolled_elements = 2000;
    EmittedKernel reference = Emit(program, one);
    EmittedKernel kernel = Emit(program, four);
    EXPECT_EQ(kernel.blocked_mmas, k == 128 ? 1 : 0);
    EXPECT_EQ(TextOf(kernel) == TextOf(reference), k == 129);
  }
}

TEST(KernelEmitterTest, NothingIsExpandedAtALimitOfNone) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 2, 5, 3}));
  Candidate candidate = Compat(4);
  candidate.max_unrolled_elements = 0;
  EmittedKernel kernel = Emit(program, candidate);
  EXPECT_EQ(kernel.blocked_mmas, 0);
  EXPECT_EQ(ArithmeticOf(kernel, "body").multiplies, 2);  // rows are listed
}

// ---- bodies

TEST(KernelEmitterTest, BodiesThatAreNeeded) {
  struct Case {
    int64_t programs;
    bool full_packet;
    bool masked;
    bool body;
    bool team;
    int64_t body_calls;
  };
  const Case cases[] = {
      // Without a clone the body has whole packets and the rest.
      {16, false, false, true, false, 2},
      {11, false, true, true, false, 2},
      // With it the body has the rest, and is there if it is the original.
      {11, true, false, true, true, 1},
      {11, true, true, true, true, 1},
      {16, true, false, false, true, 0},
      {16, true, true, true, true, 1},
      // Fewer than a packet.
      {3, true, false, true, false, 2},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message()
                 << c.programs << c.full_packet << c.masked);
    MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                            BuildMma({MmaForm::kPlain, 1, 2, 3, c.programs}));
    Candidate candidate = Compat(1);
    candidate.full_packet = c.full_packet;
    candidate.masked_lanes = c.masked;
    EmittedKernel kernel = Emit(program, candidate);
    EXPECT_EQ(HasBody(kernel, "body"), c.body);
    EXPECT_EQ(HasBody(kernel, "team"), c.team);
    EXPECT_EQ(kernel.body_instructions > 0, c.body);
    EXPECT_EQ(kernel.team_instructions > 0, c.team);
    EXPECT_EQ(CallsOf(kernel, "body"), c.body_calls);
    EXPECT_EQ(CallsOf(kernel, "team"), c.team ? 1 : 0);
  }
}

TEST(KernelEmitterTest, GroupsHaveABodyForTheRest) {
  for (const int64_t programs : {12, 11, 3}) {
    MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                            BuildMma({MmaForm::kPlain, 1, 9, 3, programs}));
    Candidate candidate;
    candidate.lanes = LaneMode::kAxis;
    candidate.group = 4;
    EmittedKernel kernel = Emit(program, candidate);
    EXPECT_EQ(HasBody(kernel, "body"), programs % 4 != 0);
    EXPECT_EQ(HasBody(kernel, "team"), programs >= 4);
    candidate.group = 1;
    EmittedKernel single = Emit(program, candidate);
    EXPECT_TRUE(HasBody(single, "body"));
    EXPECT_FALSE(HasBody(single, "team"));
  }
}

// The clone is the body without the mask of active lanes.
TEST(KernelEmitterTest, TheCloneHasNoMask) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 2, 5, 3}));
  Candidate candidate = Compat(4);
  candidate.full_packet = true;
  EmittedKernel kernel = Emit(program, candidate);
  EXPECT_GT(ArithmeticOf(kernel, "body").calls, 0);
  EXPECT_EQ(ArithmeticOf(kernel, "team").calls, 0);
  EXPECT_EQ(ArithmeticOf(kernel, "team").multiplies,
            ArithmeticOf(kernel, "body").multiplies);
}

TEST(KernelEmitterTest, InstructionsAreThoseOfTheBodies) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 2, 35, 17}));
  Candidate candidate = Compat(2);
  candidate.full_packet = true;
  EmittedKernel kernel = Emit(program, candidate);
  EXPECT_EQ(kernel.body_instructions,
            ArithmeticOf(kernel, "body").instructions);
  EXPECT_EQ(kernel.team_instructions,
            ArithmeticOf(kernel, "team").instructions);
}

TEST(KernelEmitterTest, RandomProgramsHaveNoFastOperations) {
  for (uint64_t seed = kSeed; seed < kSeed + 25; ++seed) {
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram generated,
                            GenerateProgram(seed));
    RandomSource random(seed);
    const Candidate candidate = GenerateCandidate(generated.program, random);
    EmittedKernel kernel = Emit(generated.program, candidate);
    EmittedKernel again = Emit(generated.program, candidate);
    for (const char* body : {"body", "team"}) {
      if (!HasBody(kernel, body)) continue;
      EXPECT_EQ(ArithmeticOf(kernel, body).fast, 0) << seed;
    }
    EXPECT_EQ(TextOf(kernel), TextOf(again)) << seed;
  }
}

// ---- what is refused

TEST(CheckCandidateTest, RefusesWidthsAndCounts) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 2, 5, 3}));
  const auto refused = [&](const std::function<void(Candidate&)>& change) {
    Candidate candidate;
    change(candidate);
    EXPECT_THAT(CheckCandidate(program, candidate),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("the width is 1, 2, 4, 8 or 16")));
    EXPECT_THAT(EmitKernel(program, candidate, Target()).status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("counts are above 0")));
  };
  for (const int width : {-8, 0, 3, 12, 32}) {
    refused([&](Candidate& candidate) { candidate.width = width; });
  }
  refused([](Candidate& candidate) { candidate.group = 0; });
  refused([](Candidate& candidate) { candidate.block_rows = 0; });
  refused([](Candidate& candidate) { candidate.block_cols = -1; });
  MX_EXPECT_OK(CheckCandidate(program, Candidate()));
}

TEST(CheckCandidateTest, RefusesLoopsAndConditionsThatDiffer) {
  const auto build = [](bool loop) {
    TileProgramBuilder b("control", 16);
    const ValueId p = b.ProgramIndex();
    const auto nothing = [] { return std::vector<ValueId>(); };
    if (loop) {
      b.For(b.Index(0), p, b.Index(1), {}, [](ValueId, std::vector<ValueId>) {
        return std::vector<ValueId>();
      });
    } else {
      b.If(b.Binary(BinaryKind::kLt, p, b.Index(3)), nothing, nothing);
    }
    return *std::move(b).Finish();
  };
  Candidate single;
  single.lanes = LaneMode::kAxis;
  Candidate pair = single;
  pair.group = 2;
  for (const bool loop : {true, false}) {
    const TileProgram program = build(loop);
    const char* const reason =
        loop ? "the bounds of a loop differ between" : "a condition differs";
    EXPECT_THAT(
        CheckCandidate(program, Candidate()),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(reason)));
    EXPECT_THAT(CheckCandidate(program, pair),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("between 2 neighbouring instances")));
    MX_EXPECT_OK(CheckCandidate(program, single));
    MX_EXPECT_OK(EmitKernel(program, single, Target()).status());
  }
}

}  // namespace
}  // namespace mxtile::exec::simd
