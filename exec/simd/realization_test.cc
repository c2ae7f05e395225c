// Where values live: the rules of realization.h one by one, the public numbers
// of attention, and predictions against emitted instructions.

#include "exec/simd/realization.h"

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/lane_analysis.h"
#include "exec/simd/planner.h"
#include "exec/simd/testing/candidate_generator.h"
#include "exec/simd/testing/emitted_ir.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "exec/simd/workloads/attention.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

constexpr uint64_t kSeed = 20261201;

Candidate Programs() {
  Candidate candidate;
  candidate.width = 8;
  return candidate;
}

Candidate Axis() {
  Candidate candidate = Programs();
  candidate.lanes = LaneMode::kAxis;
  candidate.max_unrolled_elements = 4;
  return candidate;
}

// A program over views that have a buffer each; Plan() ends building it.
class RealizationTest : public ::testing::Test {
 protected:
  RealizationTest() : b_("realization", 16) {}

  ViewId View(const Space& space, ElementType type = ElementType::kF32) {
    std::vector<int64_t> shape = {16};
    for (const DimId dim : space) shape.push_back(b_.program().Extent(dim));
    return b_.AddView({"v", type, shape, buffers_++});
  }
  Window Own(const Space& space) {
    Window window = {{b_.ProgramIndex()}, {kNoDim}};
    for (const DimId dim : space) {
      window.origins.push_back(b_.Index(0));
      window.axes.push_back(dim);
    }
    return window;
  }
  // A tile that differs between instances.
  ValueId Load(const Space& space, ElementType type = ElementType::kF32) {
    return b_.Load(View(space, type), Own(space));
  }
  void Store(ValueId x) {
    const Space space = b_.program().values[x].space;
    b_.Store(View(space, b_.program().values[x].type), Own(space), x);
  }
  ValueId Negate(ValueId x) { return b_.Unary(UnaryKind::kNeg, x); }

  Realization& Plan(const Candidate& candidate = Programs()) {
    if (program_.ops.empty()) program_ = *std::move(b_).Finish();
    candidate_ = candidate;
    lanes_ = std::make_unique<LaneAnalysis>(program_, candidate_.team());
    plan_ = std::make_unique<Realization>(program_, candidate_, *lanes_);
    return *plan_;
  }
  Form FormOf(ValueId value) const { return plan_->of(value).form; }
  bool HasArray(ValueId value) const {
    return plan_->of(value).array != kNoArray;
  }
  const ArrayPlan& ArrayOf(ValueId value) const {
    return plan_->arrays()[plan_->of(value).array];
  }

  TileProgramBuilder b_;
  TileProgram program_;
  int buffers_ = 0;
  Candidate candidate_;
  std::unique_ptr<LaneAnalysis> lanes_;
  std::unique_ptr<Realization> plan_;
};

// ---- registers and arrays

TEST_F(RealizationTest, SixtyFourElementsAreRegistersAndMoreAnArray) {
  const ValueId small = Load({b_.AddDim("n", 64)});
  const ValueId large = Load({b_.AddDim("m", 65)});
  Store(small);
  Store(large);
  Plan();
  EXPECT_EQ(FormOf(small), Form::kRegisters);
  EXPECT_FALSE(HasArray(small));
  EXPECT_EQ(FormOf(large), Form::kArray);
  EXPECT_EQ(ArrayOf(large).slots, 65);
  EXPECT_EQ(plan_->resources().bytes, 65 * 4);
  EXPECT_EQ(plan_->resources().allocations, 1);
  // The limit is the candidate's.
  Candidate candidate = Programs();
  candidate.max_unrolled_elements = 63;
  EXPECT_EQ(Plan(candidate).resources().bytes, (64 + 65) * 4);
  candidate.max_unrolled_elements = 65;
  EXPECT_EQ(Plan(candidate).resources().bytes, 0);
}

TEST_F(RealizationTest, ComputedIndicesNeedAnArrayBesideTheRegisters) {
  const DimId n = b_.AddDim("n", 8);
  const DimId m = b_.AddDim("m", 9);
  const ValueId at_constant = Load({n});
  const ValueId at_computed = Load({n});
  const ValueId reduced = Load({n});
  const ValueId of_large = Load({n});
  const ValueId scalar = b_.Extract(Load({n}), {n}, {b_.Index(2)});
  Store(b_.Extract(at_constant, {n}, {b_.Index(3)}));
  Store(b_.Extract(
      at_computed, {n},
      {b_.Binary(BinaryKind::kMod, b_.ProgramIndex(), b_.Index(8))}));
  Store(b_.Reduce(ReduceKind::kSum, reduced, n));
  Store(b_.Binary(BinaryKind::kAdd, of_large, Load({n, m})));
  Store(b_.Binary(BinaryKind::kAdd, scalar, Load({n, m})));
  Plan();
  for (const ValueId value : {at_constant, at_computed, reduced, of_large}) {
    EXPECT_EQ(FormOf(value), Form::kRegisters);
  }
  EXPECT_FALSE(HasArray(at_constant));
  EXPECT_TRUE(HasArray(at_computed));
  EXPECT_TRUE(HasArray(reduced));
  EXPECT_TRUE(HasArray(of_large));
  // Of one element there is no index.
  EXPECT_FALSE(HasArray(scalar));
}

TEST_F(RealizationTest, ContractionsReadOperandsByComputedIndices) {
  const DimId m = b_.AddDim("m", 2), n = b_.AddDim("n", 3),
              k = b_.AddDim("k", 8), many = b_.AddDim("many", 65),
              wide = b_.AddDim("wide", 40);
  // Unrolled: constants.
  const ValueId lhs = Load({m, k}), rhs = Load({k, n}), seed = Load({m, n});
  Store(b_.Contract(lhs, rhs, seed));
  // A loop over 65 contributions: the operands only.
  const ValueId row = Load({many}), column = Load({many}), start = Load({});
  Store(b_.Contract(row, column, start));
  // A loop over 80 outputs: the seed, too.
  const ValueId left = Load({m, k}), right = Load({k, wide}),
                large_seed = Load({m, wide});
  const ValueId large = b_.Contract(left, right, large_seed);
  Store(large);
  Plan();
  for (const ValueId value : {lhs, rhs, seed, start}) {
    EXPECT_FALSE(HasArray(value));
  }
  for (const ValueId value : {left, right, large_seed, large}) {
    EXPECT_TRUE(HasArray(value));
  }
}

TEST_F(RealizationTest, SlotsAreAsWideAsTheirElements) {
  const DimId n = b_.AddDim("n", 100);
  std::vector<ValueId> tiles;
  for (const ElementType type :
       {ElementType::kF32, ElementType::kBF16, ElementType::kF16,
        ElementType::kIndex, ElementType::kBool, ElementType::kF8E4M3FN,
        ElementType::kF4E2M1FN}) {
    tiles.push_back(Load({n}, type));
    // 4-bit elements cannot be stored.
    Store(type == ElementType::kF4E2M1FN
              ? b_.Cast(tiles.back(), ElementType::kF32)
              : tiles.back());
  }
  Plan();
  std::vector<int> bytes;
  for (const ValueId tile : tiles) bytes.push_back(ArrayOf(tile).bytes);
  EXPECT_THAT(bytes, ElementsAre(4, 2, 2, 8, 1, 1, 1));
}

// ---- no storage

TEST_F(RealizationTest, WhatHasNoStorage) {
  const DimId n = b_.AddDim("n", 100), m = b_.AddDim("m", 100);
  const ValueId constant = b_.Constant(3);
  const ValueId splat = b_.Broadcast(constant, {n});
  const ValueId iota = b_.Cast(b_.Iota(n), ElementType::kF32);
  const ValueId x = Load({n});
  const ValueId relabelled = b_.Relabel(x, {m});
  const ValueId dead = Negate(x);
  Store(b_.Binary(BinaryKind::kAdd, splat, iota));
  Store(relabelled);
  Plan();
  EXPECT_EQ(FormOf(constant), Form::kLazy);
  EXPECT_EQ(FormOf(splat), Form::kLazy);
  EXPECT_EQ(FormOf(iota), Form::kLazy);
  EXPECT_EQ(FormOf(relabelled), Form::kAlias);
  EXPECT_EQ(plan_->Storage(relabelled), x);
  EXPECT_EQ(FormOf(dead), Form::kDead);
  EXPECT_EQ(plan_->resources().allocations, 1);
}

// ---- deferred

TEST_F(RealizationTest, OneConsumerInTheBlockComputesALargeElementwiseResult) {
  const DimId n = b_.AddDim("n", 100);
  const ValueId x = Load({n});
  const ValueId once = Negate(x);
  const ValueId chained = b_.Unary(UnaryKind::kAbs, once);
  const ValueId twice = b_.Unary(UnaryKind::kExp, x);
  Store(chained);
  Store(b_.Binary(BinaryKind::kAdd, twice, twice));
  const ValueId reduced = b_.Unary(UnaryKind::kSqrt, x);
  const ValueId sum = b_.Reduce(ReduceKind::kSum, reduced, n);
  Store(sum);
  const ValueId inside = b_.Unary(UnaryKind::kRecip, x);
  const ValueId yielded = b_.Unary(UnaryKind::kRelu, x);
  ValueId own;
  Store(b_.For(b_.Index(0), b_.Index(3), b_.Index(1), {yielded},
               [&](ValueId, std::vector<ValueId> carried) {
                 own = b_.Binary(BinaryKind::kAdd, carried[0], inside);
                 return std::vector<ValueId>{own};
               })[0]);
  Plan();
  EXPECT_EQ(FormOf(once), Form::kLazy);
  EXPECT_EQ(FormOf(chained), Form::kLazy);
  EXPECT_EQ(FormOf(twice), Form::kArray);
  EXPECT_EQ(FormOf(reduced), Form::kArray);
  EXPECT_EQ(FormOf(inside), Form::kArray);   // used in another block
  EXPECT_EQ(FormOf(yielded), Form::kArray);  // a loop starts with it
  EXPECT_EQ(FormOf(own), Form::kArray);      // a loop goes on with it
}

TEST_F(RealizationTest, SeedsAreDeferredAndOperandsAreNot) {
  const DimId m = b_.AddDim("m", 10), n = b_.AddDim("n", 10),
              k = b_.AddDim("k", 10);
  const ValueId lhs = Negate(Load({m, k}));
  const ValueId rhs = Negate(Load({k, n}));
  const ValueId seed = Negate(Load({m, n}));
  Store(b_.Contract(lhs, rhs, seed));
  Plan();
  EXPECT_EQ(FormOf(lhs), Form::kArray);
  EXPECT_EQ(FormOf(rhs), Form::kArray);
  EXPECT_EQ(FormOf(seed), Form::kLazy);
}

// Deferring must not multiply work: a consumer over more dimensions asks for
// each element many times.
TEST_F(RealizationTest, WhatIsReadManyTimesIsComputedOnce) {
  const DimId m = b_.AddDim("m", 100), n = b_.AddDim("n", 100);
  const ValueId added = b_.Unary(UnaryKind::kExp, Load({m}));
  const ValueId spread = b_.Unary(UnaryKind::kExp, Load({m}));
  Store(b_.Binary(BinaryKind::kAdd, added, Load({m, n})));
  Store(b_.Broadcast(spread, {m, n}));
  Plan();
  EXPECT_EQ(FormOf(added), Form::kArray);
  EXPECT_EQ(FormOf(spread), Form::kArray);
}

// ---- loops

TEST_F(RealizationTest, LargeCarriedValuesHaveACurrentAndANextArray) {
  const DimId n = b_.AddDim("n", 100);
  const ValueId x = Load({n});
  ValueId param, next;
  const ValueId result = b_.For(b_.Index(0), b_.Index(3), b_.Index(1), {x},
                                [&](ValueId, std::vector<ValueId> carried) {
                                  param = carried[0];
                                  next = Negate(carried[0]);
                                  return std::vector<ValueId>{next};
                                })[0];
  Store(result);
  Plan();
  EXPECT_EQ(FormOf(param), Form::kArray);
  EXPECT_NE(plan_->of(param).next_array, kNoArray);
  EXPECT_NE(plan_->of(param).next_array, plan_->of(param).array);
  EXPECT_EQ(plan_->of(result).array, plan_->of(param).array);
  // Written where the next round's is.
  EXPECT_EQ(plan_->of(next).next_of, param);
  EXPECT_FALSE(HasArray(next));
  EXPECT_EQ(plan_->resources().allocations, 3);
  // With storage of its own where nothing is shared.
  Candidate candidate = Programs();
  candidate.share_uniform = false;
  Plan(candidate);
  EXPECT_EQ(plan_->of(next).next_of, kNoValue);
  EXPECT_TRUE(HasArray(next));
  EXPECT_EQ(plan_->resources().allocations, 4);
}

TEST_F(RealizationTest, ACarriedValueThatIsUsedTwiceIsCopied) {
  const DimId n = b_.AddDim("n", 100);
  ValueId both;
  for (const ValueId result :
       b_.For(b_.Index(0), b_.Index(3), b_.Index(1), {Load({n}), Load({n})},
              [&](ValueId, std::vector<ValueId> carried) {
                both = Negate(carried[0]);
                return std::vector<ValueId>{both, both};
              })) {
    Store(result);
  }
  Plan();
  EXPECT_EQ(plan_->of(both).next_of, kNoValue);
  EXPECT_TRUE(HasArray(both));
}

TEST_F(RealizationTest, SmallCarriedValuesAreRegisters) {
  const DimId n = b_.AddDim("n", 8);
  ValueId param;
  Store(b_.For(b_.Index(0), b_.Index(3), b_.Index(1), {Load({n})},
               [&](ValueId, std::vector<ValueId> carried) {
                 param = carried[0];
                 return std::vector<ValueId>{Negate(param)};
               })[0]);
  Plan();
  EXPECT_EQ(FormOf(param), Form::kRegisters);
  EXPECT_EQ(plan_->resources().allocations, 0);
}

// ---- teams

TEST_F(RealizationTest, UniformValuesExistOnce) {
  const DimId n = b_.AddDim("n", 1000);
  const ViewId shared_view = b_.AddView({"s", ElementType::kF32, {1000}, 9});
  const ValueId shared = b_.Load(shared_view, {{b_.Index(0)}, {n}});
  const ValueId own = Load({n});
  Store(b_.Binary(BinaryKind::kAdd, shared, own));
  Plan();
  EXPECT_FALSE(ArrayOf(shared).varies);
  EXPECT_TRUE(ArrayOf(own).varies);
  EXPECT_EQ(plan_->resources().bytes, 8000);
  // 36,000 bytes fit the stack; 64,000 do, 65,536 would just.
  EXPECT_EQ(plan_->resources().workspace, 0);
  Candidate candidate = Programs();
  candidate.share_uniform = false;
  Plan(candidate);
  EXPECT_TRUE(ArrayOf(shared).varies);
  EXPECT_EQ(plan_->resources().workspace, 0);
  candidate.width = 16;
  EXPECT_EQ(Plan(candidate).resources().workspace, 2 * 4000 * 16);
}

TEST(RealizationWorkspaceTest, BeginsAboveSixtyFourKibibytes) {
  const auto workspace = [](int64_t elements) {
    TileProgramBuilder b("workspace", 8);
    const DimId n = b.AddDim("n", elements);
    const ViewId x = b.AddView({"x", ElementType::kF32, {8, elements}, 0});
    const Window own = {{b.ProgramIndex(), b.Index(0)}, {kNoDim, n}};
    b.Store(x, own, b.Load(x, own));
    const TileProgram program = *std::move(b).Finish();
    const LaneAnalysis lanes(program, 8);
    return Realization(program, Programs(), lanes).resources().workspace;
  };
  EXPECT_EQ(workspace(2048), 0);  // 8 * 4 * 2048 is 65,536
  EXPECT_EQ(workspace(2049), 8 * 4 * 2049);
}

// ---- lanes along an axis

TEST_F(RealizationTest, AxisCountsVectorsAndPadsArrays) {
  const DimId m = b_.AddDim("m", 5), n = b_.AddDim("n", 17),
              one = b_.AddDim("one", 1);
  const ValueId small = Load({n, one});
  const ValueId large = Load({m, n});
  Store(small);
  Store(large);
  Plan(Axis());
  EXPECT_EQ(plan_->of(small).vector_dim, n);
  EXPECT_EQ(plan_->of(small).registers, 3);
  EXPECT_EQ(FormOf(small), Form::kRegisters);
  EXPECT_EQ(plan_->of(large).registers, 15);
  EXPECT_EQ(FormOf(large), Form::kArray);
  EXPECT_EQ(ArrayOf(large).slots, 5 * 24);
  EXPECT_THAT(plan_->Strides(large), ElementsAre(24, 1));
}

TEST_F(RealizationTest, AxisPutsAColumnInnermost) {
  const DimId m = b_.AddDim("m", 5), key = b_.AddDim("key", 17),
              d = b_.AddDim("d", 9), other = b_.AddDim("other", 17);
  const ValueId keys = Load({other, d});
  Store(b_.Contract(Load({m, d}), b_.Relabel(keys, {key, d}), Load({m, key})));
  Plan(Axis());
  EXPECT_THAT(plan_->of(keys).order, ElementsAre(d, other));
  EXPECT_EQ(plan_->of(keys).vector_dim, other);
  EXPECT_EQ(ArrayOf(keys).slots, 9 * 24);
}

TEST_F(RealizationTest, ForwardedLoadsHaveAnArrayOnlyWhereTheyMayBeCut) {
  const DimId m = b_.AddDim("m", 8), n = b_.AddDim("n", 16),
              odd = b_.AddDim("odd", 17);
  const auto load = [&](Window window) {
    Space space;
    for (const DimId dim : window.axes) {
      if (dim != kNoDim) space.push_back(dim);
    }
    const ValueId x = b_.Load(View(space), std::move(window));
    Store(x);
    return x;
  };
  const ValueId whole = load(Own({m, n}));
  Window limited = Own({m, n});
  limited.limits = {kNoValue, b_.ProgramIndex(), kNoValue};
  const ValueId cut = load(limited);
  Window checked = Own({m, n});
  checked.checked = true;
  const ValueId guarded = load(checked);
  const ValueId ragged = load(Own({m, odd}));
  const ViewId mutable_view = View({m, n});
  const ValueId overwritten = b_.Load(mutable_view, Own({m, n}));
  b_.Store(mutable_view, Own({m, n}), overwritten);
  const ValueId small = load(Own({n}));
  Candidate candidate = Axis();
  candidate.forward = true;
  Plan(candidate);
  EXPECT_TRUE(plan_->of(whole).forwarded);
  EXPECT_FALSE(HasArray(whole));
  EXPECT_TRUE(plan_->of(cut).forwarded);
  EXPECT_TRUE(HasArray(cut));
  EXPECT_TRUE(plan_->of(guarded).forwarded);
  EXPECT_TRUE(HasArray(guarded));
  // Not a whole number of vectors; memory that changes; registers.
  for (const ValueId value : {ragged, overwritten, small}) {
    EXPECT_FALSE(plan_->of(value).forwarded);
  }
  candidate.forward = false;
  Plan(candidate);
  EXPECT_FALSE(plan_->of(whole).forwarded);
  EXPECT_TRUE(HasArray(whole));
}

TEST_F(RealizationTest, MxOperandsHaveArraysForTheirProducts) {
  const DimId m = b_.AddDim("m", 2), n = b_.AddDim("n", 3),
              k = b_.AddDim("k", 64), g = b_.AddDim("g", 2);
  b_.MxContract(Load({m, k}, ElementType::kF8E4M3FN),
                Load({m, g}, ElementType::kF8E8M0FNU),
                Load({k, n}, ElementType::kF8E4M3FN),
                Load({g, n}, ElementType::kF8E8M0FNU), Load({m, n}));
  Plan();
  const OpId mma = static_cast<OpId>(program_.ops.size()) - 1;
  const auto scaled = [&](int side) {
    const ArrayPlan& array = plan_->arrays()[plan_->scaled_array(mma, side)];
    return std::vector<int64_t>{array.slots, array.bytes};
  };
  EXPECT_THAT(scaled(0), ElementsAre(2 * 64, 8));
  EXPECT_THAT(scaled(1), ElementsAre(64 * 3, 8));
  Candidate candidate = Programs();
  candidate.mx_f32 = true;
  Plan(candidate);
  EXPECT_THAT(scaled(0), ElementsAre(2 * 64, 4));
}

// ---- the public numbers

class PublicNumbersTest
    : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  // As the seed's: values forced, eight lanes.
  PlanningResult Compat(const TileProgram& program) {
    PlannerOptions options;
    options.mode = PlanMode::kCompat;
    options.mma_output_block = std::get<0>(GetParam());
    options.full_packet = std::get<1>(GetParam());
    return *simd::Plan(program, options, *NamedTarget("x86-64-v3"));
  }

  // "load q 80": what is in each array, and how many elements.
  static std::vector<std::string> Arrays(const TileProgram& program,
                                         const Candidate& candidate) {
    const LaneAnalysis lanes(program, candidate.team());
    const Realization plan(program, candidate, lanes);
    std::vector<std::string> arrays;
    for (const ArrayPlan& array : plan.arrays()) {
      const OpId id = program.values[array.value].op;
      std::string name = "carried";
      if (id >= 0) {
        const Op& op = program.ops[id];
        name = std::string(op.kind == OpKind::kUnary ? Name(op.unary)
                                                     : Name(op.kind));
        if (op.kind == OpKind::kLoad) {
          absl::StrAppend(&name, " ", program.views[op.view].name);
        }
      }
      arrays.push_back(absl::StrCat(name, " ", array.slots));
    }
    return arrays;
  }
};

TEST_P(PublicNumbersTest, Decode) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildAttention(kDecode));
  const PlanningResult result = Compat(program);
  const CandidateFacts& facts = result.selected.facts;
  EXPECT_EQ(facts.resources.bytes, 12864);
  EXPECT_EQ(facts.resources.allocations, 8);
  EXPECT_EQ(facts.resources.workspace, 102912);
  EXPECT_EQ(facts.blocked_mmas, std::get<0>(GetParam()) == 1 ? 0 : 1);
  EXPECT_THAT(Arrays(program, facts.candidate),
              UnorderedElementsAre("load q 80", "load k 1280", "load v 1536",
                                   "carried 96", "carried 96", "contract 96",
                                   "select 16", "select 16"));
}

TEST_P(PublicNumbersTest, Prefill) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildAttention(kPrefill));
  const PlanningResult result = Compat(program);
  const CandidateFacts& facts = result.selected.facts;
  EXPECT_EQ(facts.resources.bytes, 6688);
  EXPECT_EQ(facts.resources.allocations, 10);
  EXPECT_EQ(facts.resources.workspace, 0);
  EXPECT_EQ(facts.blocked_mmas, std::get<0>(GetParam()) == 1 ? 0 : 1);
  EXPECT_THAT(Arrays(program, facts.candidate),
              UnorderedElementsAre("load q 128", "load k 512", "load v 512",
                                   "carried 128", "carried 128", "contract 128",
                                   "select 64", "select 64", "exp 4", "for 4"));
}

INSTANTIATE_TEST_SUITE_P(BlocksAndClones, PublicNumbersTest,
                         ::testing::Combine(::testing::Values(1, 2, 4),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           return absl::StrCat(
                               "R", std::get<0>(info.param),
                               std::get<1>(info.param) ? "Clone" : "");
                         });

// ---- predictions

// That the instructions of a body are about the arrays of its plan.
void ExpectAsPlanned(const TileProgram& program, const Candidate& candidate,
                     EmittedKernel& kernel, const std::string& body) {
  if (!HasBody(kernel, body)) return;
  const LaneAnalysis lanes(program, candidate.team());
  const Realization plan(program, candidate, lanes);
  int64_t bytes = 0;
  int64_t instance_bytes = 0;
  std::vector<int64_t> offsets;
  for (const ArrayPlan& array : plan.arrays()) {
    offsets.push_back(bytes);
    instance_bytes += array.slots * array.bytes;
    bytes += array.slots * array.bytes * (array.varies ? candidate.team() : 1);
  }
  EXPECT_EQ(plan.resources().bytes, instance_bytes);
  EXPECT_EQ(plan.resources().allocations, offsets.size());
  EXPECT_EQ(plan.resources().workspace, bytes > 65536 ? bytes : 0);
  const EmittedMemory memory = MemoryOf(kernel, body);
  if (bytes > 65536) {
    EXPECT_EQ(memory.allocas, 0);
    EXPECT_EQ(memory.workspace_offsets, offsets);
    EXPECT_GE(kernel.resources.workspace, bytes);
  } else {
    EXPECT_EQ(memory.allocas, offsets.size());
    EXPECT_EQ(memory.alloca_bytes, bytes);
    EXPECT_THAT(memory.workspace_offsets, ElementsAre());
  }
}

void ExpectAsPlanned(const TileProgram& program, const Candidate& candidate) {
  MX_ASSERT_OK_AND_ASSIGN(
      EmittedKernel kernel,
      EmitKernel(program, candidate, *NamedTarget("x86-64-v3")));
  Candidate single = candidate;
  single.group = 1;
  ExpectAsPlanned(program, single, kernel, "body");
  ExpectAsPlanned(program, candidate, kernel, "team");
}

TEST(RealizationPredictionTest, HoldsForRandomPrograms) {
  int workspaces = 0;
  for (uint64_t seed = kSeed; seed < kSeed + 300; ++seed) {
    MX_ASSERT_OK_AND_ASSIGN(const GeneratedProgram generated,
                            GenerateProgram(seed));
    RandomSource random(seed);
    for (int i = 0; i < 2; ++i) {
      const Candidate candidate = GenerateCandidate(generated.program, random);
      ExpectAsPlanned(generated.program, candidate);
      const LaneAnalysis lanes(generated.program, candidate.team());
      const Realization plan(generated.program, candidate, lanes);
      if (plan.resources().workspace > 0) ++workspaces;
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "program " << seed << ", " << ToString(candidate) << "\n"
          << ToText(generated.program);
    }
  }
  EXPECT_GT(workspaces, 3);
}

TEST(RealizationPredictionTest, HoldsForAttention) {
  for (const NamedAttentionShape& named : kAttentionShapes) {
    SCOPED_TRACE(named.name);
    MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                            BuildAttention(named.shape));
    Candidate programs = Programs();
    programs.full_packet = true;
    programs.masked_lanes = true;
    programs.block_cols = 4;
    ExpectAsPlanned(program, programs);
    Candidate axis = Axis();
    axis.group = 4;
    axis.block_rows = 4;
    axis.block_cols = 2;
    axis.forward = true;
    ExpectAsPlanned(program, axis);
  }
}

}  // namespace
}  // namespace mxtile::exec::simd
