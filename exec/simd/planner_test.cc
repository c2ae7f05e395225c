// The planner's two modes, by the metadata of what was realised; nothing runs.

#include "exec/simd/planner.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/testing/emitted_ir.h"
#include "exec/simd/testing/mma_program.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

uint64_t seed = 20261201;
int num_programs = 100;

const SimdTarget& Target() {
  static const SimdTarget* const target =
      new SimdTarget(*NamedTarget("x86-64-v3"));
  return *target;
}

TileProgram SmallMma() { return *BuildMma({MmaForm::kPlain, 2, 35, 17}); }

PlannerOptions Compat(int block, bool full_packet) {
  PlannerOptions options;
  options.mode = PlanMode::kCompat;
  options.mma_output_block = block;
  options.full_packet = full_packet;
  return options;
}

// The bounds of its loop, or its condition, differ between instances.
TileProgram Irregular(bool loop) {
  TileProgramBuilder b("irregular", 16);
  const DimId n = b.AddDim("n", 9);
  const ViewId x = b.AddView({"x", ElementType::kF32, {16, 9}, 0});
  const ValueId p = b.ProgramIndex();
  const Window own = {{p, b.Index(0)}, {kNoDim, n}};
  const auto add = [&](ValueId to) {
    return std::vector<ValueId>{b.Binary(BinaryKind::kAdd, to, b.Constant(1))};
  };
  const ValueId loaded = b.Load(x, own);
  b.Store(x, own,
          loop ? b.For(b.Index(0), p, b.Index(1), {loaded},
                       [&](ValueId, std::vector<ValueId> carried) {
                         return add(carried[0]);
                       })[0]
               : b.If(
                     b.Binary(BinaryKind::kLt, p, b.Index(3)),
                     [&] { return add(loaded); },
                     [&] { return std::vector<ValueId>{loaded}; })[0]);
  return *std::move(b).Finish();
}

// ---- what is refused

TEST(PlannerErrorTest, BlocksOtherThanOneTwoAndFour) {
  const TileProgram program = SmallMma();
  for (const PlanMode mode : {PlanMode::kCompat, PlanMode::kJoint}) {
    for (const int block : {0, 3, 8, -1}) {
      PlannerOptions options = Compat(block, false);
      options.mode = mode;
      EXPECT_THAT(Plan(program, options, Target()).status(),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           HasSubstr("it must be 1, 2 or 4")));
    }
  }
  MX_EXPECT_OK(Plan(program, Compat(4, true), Target()).status());
}

TEST(PlannerErrorTest, AccumulatorsOfBF16AreRefusedAndInputsAreNot) {
  const auto build = [](ElementType operand, ElementType accumulator) {
    TileProgramBuilder b("bf16", 16);
    const DimId n = b.AddDim("n", 9), k = b.AddDim("k", 5);
    const auto zero = [&](ElementType type, const Space& space) {
      const ValueId x = b.Constant(0);
      return b.Broadcast(type == ElementType::kF32 ? x : b.Cast(x, type),
                         space);
    };
    b.SetPlace("gemm.py:7:3");
    b.Contract(zero(operand, {k}), zero(operand, {k, n}),
               zero(accumulator, {n}));
    return std::move(b).Finish();
  };
  EXPECT_THAT(build(ElementType::kF32, ElementType::kBF16).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "gemm.py:7:3: contract: BF16 MMA accumulation: an "
                       "accumulator is f32; cast the seed to f32"));
  for (const ElementType operand : {ElementType::kBF16, ElementType::kF16}) {
    MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                            build(operand, ElementType::kF32));
    for (const int block : {1, 4}) {
      MX_EXPECT_OK(Plan(program, Compat(block, false), Target()).status());
    }
  }
}

TEST(PlannerErrorTest, ProgramsThatNoPacketRuns) {
  for (const bool loop : {true, false}) {
    const TileProgram program = Irregular(loop);
    const char* const reason =
        loop ? "the bounds of a loop differ" : "a condition differs";
    EXPECT_THAT(
        Plan(program, Compat(1, false), Target()).status(),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(reason)));
    // Lanes along an axis, one instance at a time.
    MX_ASSERT_OK_AND_ASSIGN(const PlanningResult joint,
                            Plan(program, PlannerOptions(), Target()));
    EXPECT_EQ(joint.selected.candidate().lanes, LaneMode::kAxis);
    EXPECT_EQ(joint.selected.candidate().group, 1);
    ASSERT_FALSE(joint.rejected.empty());
    EXPECT_TRUE(joint.rejected[0].is_incumbent);
    EXPECT_THAT(joint.rejected[0].rejection, HasSubstr(reason));
  }
}

TEST(PlannerErrorTest, MoreLocalBytesThanAllowed) {
  const TileProgram program = SmallMma();  // 2x17 + 17x35 + 2x35 + 2x35
  PlannerOptions options = Compat(2, false);
  const int64_t bytes =
      Plan(program, options, Target())->selected.facts.resources.bytes;
  EXPECT_EQ(bytes, 4 * (34 + 595 + 70 + 70));
  options.max_local_bytes = bytes;
  MX_EXPECT_OK(Plan(program, options, Target()).status());
  options.max_local_bytes = bytes - 1;
  EXPECT_THAT(Plan(program, options, Target()).status(),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("above the limit of")));
  options = PlannerOptions();
  options.max_local_bytes = 1;
  EXPECT_THAT(Plan(program, options, Target()).status(),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("above the limit of 1")));
  // One of many candidates is left.
  options.max_local_bytes = bytes - 1;
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult result,
                          Plan(program, options, Target()));
  for (const CandidateFacts& facts : result.admitted) {
    EXPECT_LT(facts.resources.bytes, bytes);
  }
}

// ---- compat

class CompatTest : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(CompatTest, ValuesAreForcedAndRealisedOnesReported) {
  const auto [block, full_packet] = GetParam();
  MX_ASSERT_OK_AND_ASSIGN(
      const PlanningResult result,
      Plan(SmallMma(), Compat(block, full_packet), Target()));
  EXPECT_EQ(result.selected.mode, PlanMode::kCompat);
  EXPECT_EQ(result.selected.requested_block, block);
  EXPECT_EQ(result.selected.requested_clone, full_packet);
  const Candidate& candidate = result.selected.candidate();
  EXPECT_EQ(candidate.lanes, LaneMode::kPrograms);
  EXPECT_EQ(candidate.width, 8);
  EXPECT_EQ(candidate.block_rows, 1);
  EXPECT_EQ(candidate.block_cols, block);
  EXPECT_EQ(candidate.full_packet, full_packet);
  EXPECT_TRUE(candidate.masked_lanes);
  EXPECT_EQ(candidate.max_unrolled_elements, 64);
  EXPECT_EQ(result.selected.facts.blocked_mmas, block == 1 ? 0 : 1);
  EXPECT_EQ(result.selected.facts.has_clone(), full_packet);
  EXPECT_THAT(result.admitted, SizeIs(1));
  EXPECT_THAT(result.rejected, IsEmpty());
}

// What is requested is said, whatever became of it.
// Half of a wide register would be masked for as long as the kernel runs.
TEST(PacketWidthTest, ALaunchIsNotNarrowerThanItsPackets) {
  MX_ASSERT_OK_AND_ASSIGN(const SimdTarget wide, NamedTarget("x86-64-v4"));
  ASSERT_EQ(wide.f32_lanes, 16);
  const auto width = [&](int64_t programs) {
    TileProgramBuilder b("copy", programs);
    const DimId n = b.AddDim("n", 3);
    const ViewId x = b.AddView({"x", ElementType::kF32, {programs, 3}, 0});
    const ViewId y = b.AddView({"y", ElementType::kF32, {programs, 3}, 1});
    const Window own = {{b.ProgramIndex(), b.Index(0)}, {kNoDim, n}};
    b.Store(y, own, b.Load(x, own));
    const auto planned = Plan(*std::move(b).Finish(), Compat(1, true), wide);
    return planned.ok() ? planned->selected.candidate().width : -1;
  };
  EXPECT_EQ(width(1), 4);
  EXPECT_EQ(width(4), 4);
  EXPECT_EQ(width(5), 8);
  EXPECT_EQ(width(8), 8);
  EXPECT_EQ(width(9), 16);
  EXPECT_EQ(width(100), 16);
}

TEST_P(CompatTest, AFallbackIsReported) {
  const auto [block, full_packet] = GetParam();
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kTransposed, 2, 35, 17}));
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult result,
                          Plan(program, Compat(block, full_packet), Target()));
  EXPECT_EQ(result.selected.requested_block, block);
  EXPECT_EQ(result.selected.facts.blocked_mmas, 0);
}

// A clone over budget leaves the code that nobody asked a clone of.
TEST_P(CompatTest, ALostCloneLeavesTheCodeWithoutTheRequest) {
  const int block = std::get<0>(GetParam());
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 2, 5, 3}));
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult off,
                          Plan(program, Compat(block, false), Target()));
  PlannerOptions options = Compat(block, true);
  options.clone_budget = off.selected.facts.body_instructions;
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult kept,
                          Plan(program, options, Target()));
  EXPECT_TRUE(kept.selected.facts.has_clone());
  --options.clone_budget;
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult lost,
                          Plan(program, options, Target()));
  EXPECT_TRUE(lost.selected.requested_clone);
  EXPECT_FALSE(lost.selected.facts.has_clone());
  ASSERT_THAT(lost.rejected, SizeIs(1));
  EXPECT_THAT(lost.rejected[0].rejection, HasSubstr("above the clone budget"));
  const auto emit = [&](const PlanningResult& result) {
    return *EmitKernel(program, result.selected.candidate(), Target());
  };
  EmittedKernel with = emit(lost);
  EmittedKernel without = emit(off);
  EXPECT_EQ(TextOf(with), TextOf(without));
  JitOptions jit;
  jit.target = Target();
  EXPECT_EQ(CompileObject(std::move(with.module), jit)->bytes,
            CompileObject(std::move(without.module), jit)->bytes);
}

INSTANTIATE_TEST_SUITE_P(BlocksAndClones, CompatTest,
                         ::testing::Combine(::testing::Values(1, 2, 4),
                                            ::testing::Bool()));

// The seed's loss: 3343 instructions with R1, 4560 with R4, and a budget
// between.
TEST(CompatCloneTest, AWiderBlockLosesTheCloneThatANarrowOneHas) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram decode, BuildAttention(kDecode));
  const auto body = [&](int block) {
    return Plan(decode, Compat(block, false), Target())
        ->selected.facts.body_instructions;
  };
  const int64_t one = body(1);
  const int64_t four = body(4);
  ASSERT_LT(one + 1, four);
  for (const int block : {1, 4}) {
    PlannerOptions options = Compat(block, true);
    options.clone_budget = (one + four) / 2;
    MX_ASSERT_OK_AND_ASSIGN(const PlanningResult result,
                            Plan(decode, options, Target()));
    EXPECT_TRUE(result.selected.requested_clone);
    EXPECT_EQ(result.selected.facts.has_clone(), block == 1);
    EXPECT_EQ(result.selected.facts.blocked_mmas, block == 1 ? 0 : 1);
    // A loss of the mask, of no array.
    EXPECT_EQ(result.selected.facts.resources.bytes, 12864);
  }
}

// ---- joint

// The rules that every joint plan keeps.
void ExpectJointRules(const TileProgram& program,
                      const PlannerOptions& options) {
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult result,
                          Plan(program, options, Target()));
  const CandidateFacts& selected = result.selected.facts;
  const CandidateFacts* incumbent = nullptr;
  bool selected_is_admitted = false;
  for (const auto* list : {&result.admitted, &result.rejected}) {
    for (const CandidateFacts& facts : *list) {
      EXPECT_EQ(facts.rejection.empty(), list == &result.admitted);
      if (!facts.is_incumbent) continue;
      EXPECT_EQ(incumbent, nullptr);
      incumbent = &facts;
    }
  }
  ASSERT_NE(incumbent, nullptr);
  EXPECT_EQ(incumbent->candidate.lanes, LaneMode::kPrograms);
  EXPECT_EQ(incumbent->candidate.block_rows, 1);
  EXPECT_EQ(incumbent->candidate.block_cols, 1);
  EXPECT_TRUE(incumbent->candidate.full_packet);
  for (const CandidateFacts& facts : result.admitted) {
    EXPECT_LE(selected.cycles, facts.cycles) << ToString(facts.candidate);
    selected_is_admitted |=
        ToString(facts.candidate) == ToString(selected.candidate);
    // A wider block never drops the clone that the incumbent had.
    if (incumbent->has_clone() &&
        facts.candidate.lanes == LaneMode::kPrograms) {
      EXPECT_TRUE(facts.has_clone()) << ToString(facts.candidate);
    }
  }
  EXPECT_TRUE(selected_is_admitted);
}

TEST(JointTest, AttentionKeepsTheRules) {
  for (const NamedAttentionShape& named : kAttentionShapes) {
    SCOPED_TRACE(named.name);
    MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                            BuildAttention(named.shape));
    ExpectJointRules(program, PlannerOptions());
  }
}

TEST(JointTest, GemmsKeepTheRules) {
  for (const GemmShape& shape :
       {GemmShape{64, 64, 64, 8, 32, 16}, GemmShape{33, 17, 65, 6, 16, 64},
        GemmShape{512, 512, 512, 12, 32, 64}, GemmShape{8, 8, 0, 4, 8, 1}}) {
    MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildGemm(shape));
    ExpectJointRules(program, PlannerOptions());
  }
}

// Lanes of programs would read contributions a page apart.
TEST(JointTest, ATileOfPagesBecomesLanesOfItsColumns) {
  MX_ASSERT_OK_AND_ASSIGN(SimdTarget target, NamedTarget("x86-64-v4"));
  target.l1_bytes = 32 << 10;
  target.l2_bytes = 1 << 20;
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildGemm({256, 256, 256, 64, 64, 64}));
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult planned,
                          Plan(program, PlannerOptions(), target));
  EXPECT_EQ(planned.selected.candidate().lanes, LaneMode::kAxis)
      << ToString(planned.selected.candidate());
}

TEST(JointTest, RandomProgramsKeepTheRules) {
  for (int i = 0; i < num_programs; ++i) {
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram generated,
                            GenerateProgram(seed + i));
    ExpectJointRules(generated.program, PlannerOptions());
    ASSERT_FALSE(::testing::Test::HasFailure()) << "--seed=" << seed + i;
  }
}

TEST(JointTest, TwoPlansAreEqual) {
  const TileProgram program = SmallMma();
  const auto facts = [&] {
    const PlanningResult result = *Plan(program, PlannerOptions(), Target());
    std::vector<std::tuple<std::string, int64_t, int64_t, double, std::string>>
        all;
    for (const auto* list : {&result.admitted, &result.rejected}) {
      for (const CandidateFacts& f : *list) {
        all.emplace_back(ToString(f.candidate), f.body_instructions,
                         f.team_instructions, f.cycles, f.rejection);
      }
    }
    all.emplace_back(ToString(result.selected.candidate()), 0, 0, 0, "");
    return all;
  };
  EXPECT_EQ(facts(), facts());
}

TEST(JointTest, AJitBudgetFallsBackToASmallerCandidateAndNeverFails) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildGemm({64, 64, 64, 8, 32, 16}));
  const auto size = [](const CandidateFacts& facts) {
    return facts.body_instructions + facts.team_instructions;
  };
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult all,
                          Plan(program, PlannerOptions(), Target()));
  int64_t smallest = INT64_MAX;
  for (const CandidateFacts& facts : all.admitted) {
    smallest = std::min(smallest, size(facts));
  }
  ASSERT_LT(smallest, size(all.selected.facts));
  PlannerOptions options;
  options.jit_budget = 1;
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult least,
                          Plan(program, options, Target()));
  EXPECT_EQ(size(least.selected.facts), smallest);
  EXPECT_THAT(least.admitted, SizeIs(1));
  for (const CandidateFacts& facts : least.rejected) {
    EXPECT_THAT(facts.rejection, HasSubstr("above the JIT budget of 1"));
  }
  options.jit_budget = size(all.selected.facts) - 1;
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult smaller,
                          Plan(program, options, Target()));
  for (const CandidateFacts& facts : smaller.admitted) {
    EXPECT_LE(size(facts), options.jit_budget);
  }
  options.jit_budget = size(all.selected.facts);
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult same,
                          Plan(program, options, Target()));
  EXPECT_EQ(ToString(same.selected.candidate()),
            ToString(all.selected.candidate()));
}

TEST(JointTest, TheFormOfMxContractionsIsPassedOn) {
  PlannerOptions options;
  options.mx_f32 = true;
  MX_ASSERT_OK_AND_ASSIGN(const PlanningResult result,
                          Plan(SmallMma(), options, Target()));
  for (const CandidateFacts& facts : result.admitted) {
    EXPECT_TRUE(facts.candidate.mx_f32);
  }
}

// ---- targets

class TargetsTest
    : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(TargetsTest, PlansAndCompilesForItsWidth) {
  const auto [name, width] = GetParam();
  MX_ASSERT_OK_AND_ASSIGN(const SimdTarget target, NamedTarget(name));
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 2, 5, 3}));
  for (PlannerOptions options : {Compat(4, true), PlannerOptions()}) {
    MX_ASSERT_OK_AND_ASSIGN(const PlanningResult result,
                            Plan(program, options, target));
    EXPECT_EQ(result.selected.candidate().width, width);
    for (const CandidateFacts& facts : result.admitted) {
      EXPECT_EQ(facts.candidate.width, width);
    }
    MX_ASSERT_OK_AND_ASSIGN(
        EmittedKernel kernel,
        EmitKernel(program, result.selected.candidate(), target));
    JitOptions jit;
    jit.target = target;
    MX_ASSERT_OK_AND_ASSIGN(const CompiledObject object,
                            CompileObject(std::move(kernel.module), jit));
    EXPECT_FALSE(object.bytes.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, TargetsTest,
                         ::testing::Values(std::pair("x86-64-v2", 4),
                                           std::pair("x86-64-v3", 8),
                                           std::pair("x86-64-v4", 16)));

TEST(PlanModeTest, Names) {
  EXPECT_EQ(Name(PlanMode::kCompat), "compat");
  EXPECT_EQ(Name(PlanMode::kJoint), "joint");
}

}  // namespace
}  // namespace mxtile::exec::simd

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv,
                                "--programs=", &mxtile::exec::simd::seed,
                                &mxtile::exec::simd::num_programs);
}
