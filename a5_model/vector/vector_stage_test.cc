#include "a5_model/vector/vector_stage.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "a5_model/soc/soc.h"
#include "a5_model/soc/vector_costs.h"
#include "a5_model/vector/vector_op.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

VectorStage StageOf(const std::map<VectorOp, int64_t>& counts) {
  VectorStage stage;
  for (const auto& [op, count] : counts) {
    stage.counts[static_cast<int>(op)] = count;
  }
  return stage;
}

// One iteration, 256 elements, of the maxima of fp32: the public count is 2
// loads, 1 store, 4 vabs, 3 vmax, vdintlv, vcgmax; 12 in all.
VectorStage MaxOfF32() {
  return StageOf({{VectorOp::kPlt, 4},
                  {VectorOp::kVldsDintlv, 2},
                  {VectorOp::kVabs, 4},
                  {VectorOp::kVmax, 3},
                  {VectorOp::kVdintlv, 1},
                  {VectorOp::kVcgmax, 1},
                  {VectorOp::kVstus, 1}});
}

TEST(VectorStageTest, CountsByNameAndClass) {
  VectorStage stage = MaxOfF32();
  stage.counts[static_cast<int>(VectorOp::kVlds)] = 5;
  stage.counts[static_cast<int>(VectorOp::kMemBar)] = 1;
  EXPECT_EQ(stage.Count("vlds"), 7);
  EXPECT_EQ(stage.Count("vabs"), 4);
  EXPECT_EQ(stage.Count("vsub"), 0);
  EXPECT_EQ(stage.Count(VectorOp::kVldsDintlv), 2);
  EXPECT_EQ(stage.Count(VectorOpClass::kLoad), 7);
  EXPECT_EQ(stage.Count(VectorOpClass::kStore), 1);
  EXPECT_EQ(stage.Count(VectorOpClass::kAlu), 9);
  EXPECT_EQ(stage.Count(VectorOpClass::kConvert), 0);
  EXPECT_EQ(stage.Count(VectorOpClass::kPredicate), 4);
  EXPECT_EQ(stage.Count(VectorOpClass::kBarrier), 1);
  EXPECT_EQ(stage.total(), 17);
  EXPECT_EQ(MaxOfF32().total(), 12);
}

TEST(VectorStageTest, CyclesOfTheBusiestResource) {
  const VectorStageCycles c = CyclesOf(VectorCosts(), MaxOfF32());
  EXPECT_EQ(c.issue, 16 / 2.0);
  EXPECT_EQ(c.load, 2);  // DINTLV takes both ports
  EXPECT_EQ(c.store, 1);
  // vabs, vdintlv, vcgmax one a cycle, vmax two.
  EXPECT_EQ(c.alu, 4 + 1.5 + 1 + 1);
  EXPECT_EQ(c.exu0, 1);
  EXPECT_EQ(c.barrier, 0);
  EXPECT_EQ(c.serial_cycles, 2 * 9 + 4 * 5 + 3 * 6 + 5 + 13 + 9 + 4 * 2);
  EXPECT_EQ(c.bound_by, "issue");
  EXPECT_EQ(c.cycles, 8);
}

TEST(VectorStageTest, EachResourceCanBound) {
  const VectorCosts costs;
  const auto bound = [&](const std::map<VectorOp, int64_t>& counts) {
    const VectorStageCycles c = CyclesOf(costs, StageOf(counts));
    return std::string(c.bound_by) + " " + std::to_string(c.cycles);
  };
  EXPECT_EQ(bound({{VectorOp::kPlt, 10}}), "issue 5");
  EXPECT_EQ(bound({{VectorOp::kVgather2, 3}}), "load 24");
  EXPECT_EQ(bound({{VectorOp::kVsts, 3}, {VectorOp::kVlds, 2}}), "store 3");
  EXPECT_EQ(bound({{VectorOp::kVstsIntlv, 3}}), "store 6");
  EXPECT_EQ(bound({{VectorOp::kVcvt, 3}, {VectorOp::kVmul, 1}}), "alu 4");
  // Nothing but what the first unit has: it is as busy as both.
  EXPECT_EQ(bound({{VectorOp::kVcgmax, 3}}), "alu 3");
  EXPECT_EQ(bound({{VectorOp::kMemBar, 2}, {VectorOp::kVabs, 1}}), "alu 41");
}

TEST(VectorOpTest, EveryOpHasANameAndACost) {
  std::set<std::string> names;
  for (int i = 0; i < kNumVectorOps; ++i) {
    const VectorOp op = static_cast<VectorOp>(i);
    names.insert(std::string(Mnemonic(op)));
    if (ClassOf(op) == VectorOpClass::kBarrier) continue;
    const VectorOpCost cost = CostOf(Ascend950().cost.vector, op);
    EXPECT_GT(cost.latency_cycles, 0) << Mnemonic(op);
    EXPECT_GT(cost.per_cycle, 0) << Mnemonic(op);
  }
  // Two forms of vlds and of vsts share theirs.
  EXPECT_EQ(names.size(), kNumVectorOps - 2);
}

// The figures of the public tables that kernels depend on most.
TEST(VectorOpTest, Costs) {
  const VectorCosts& costs = Ascend950().cost.vector;
  EXPECT_EQ(costs.startup_cycles, 23);
  EXPECT_EQ(costs.drain_cycles, 12);
  EXPECT_EQ(CostOf(costs, VectorOp::kVmul).latency_cycles, 8);
  EXPECT_EQ(CostOf(costs, VectorOp::kVmul).per_cycle, 2);
  EXPECT_EQ(CostOf(costs, VectorOp::kVmuls).per_cycle, 1);
  EXPECT_EQ(CostOf(costs, VectorOp::kVcmax).latency_cycles, 16);
  EXPECT_EQ(CostOf(costs, VectorOp::kVcgmax).latency_cycles, 13);
  EXPECT_EQ(CostOf(costs, VectorOp::kVcvt).latency_cycles, 7);
  EXPECT_TRUE(IsExu0Only(VectorOp::kVcgmax));
  EXPECT_FALSE(IsExu0Only(VectorOp::kVmax));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
