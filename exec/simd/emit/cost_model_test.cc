// What a model may promise: more work costs more, in the order that
// measurements on Zen 3 have.

#include "exec/simd/emit/cost_model.h"

#include <cstdint>
#include <utility>

#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/kernel_emitter.h"
#include "exec/simd/jit/llvm_module.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "exec/simd/workloads/gemm.h"
#include "gtest/gtest.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {
namespace {

const SimdTarget& Target() {
  static const SimdTarget* const target =
      new SimdTarget(*NamedTarget("x86-64-v3"));
  return *target;
}

// A function of two blocks: one addition of 8 floats each.
class CostModelTest : public ::testing::Test {
 protected:
  CostModelTest() : emitted_("cost"), builder_(emitted_.context()) {
    llvm::Type* vector = llvm::FixedVectorType::get(builder_.getFloatTy(), 8);
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(vector, {vector}, false),
        llvm::Function::ExternalLinkage, "f", emitted_.module());
    entry_ = llvm::BasicBlock::Create(emitted_.context(), "entry", function_);
    inner_ = llvm::BasicBlock::Create(emitted_.context(), "inner", function_);
    builder_.SetInsertPoint(entry_);
    sum_ = builder_.CreateFAdd(function_->getArg(0), function_->getArg(0));
    builder_.CreateBr(inner_);
    builder_.SetInsertPoint(inner_);
    builder_.CreateRet(builder_.CreateFAdd(sum_, sum_));
  }

  double Cycles(double frequency) {
    CostModel cost(Target());
    cost.SetFrequency(inner_, frequency);
    return cost.Cycles(*function_, 0);
  }

  EmittedModule emitted_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_;
  llvm::BasicBlock* entry_;
  llvm::BasicBlock* inner_;
  llvm::Value* sum_;
};

TEST_F(CostModelTest, ABlockCostsAsOftenAsItRuns) {
  const double both = CostModel(Target()).Cycles(*function_, 0);
  EXPECT_DOUBLE_EQ(Cycles(1), both);
  const double inner = both - Cycles(0);
  EXPECT_GT(inner, 0);
  EXPECT_DOUBLE_EQ(Cycles(100), Cycles(0) + 100 * inner);
}

TEST_F(CostModelTest, WiderThanARegisterIsTwoOfThem) {
  const double eight = Cycles(1);
  CostModel narrow(*NamedTarget("x86-64-v2"));
  EXPECT_GT(narrow.Cycles(*function_, 0), eight);
}

double Stalls(double frequency, int64_t terms, int64_t accumulators) {
  EmittedModule emitted("empty");
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(emitted.context()), false),
      llvm::Function::ExternalLinkage, "f", emitted.module());
  CostModel cost(Target());
  cost.AddChain(frequency, terms, accumulators);
  return cost.Cycles(*function, 0);
}

TEST(CostModelChainTest, OneAccumulatorWaitsForItsSumsAndEightDoNot) {
  EXPECT_EQ(Stalls(1, 1000, 8), 0);
  EXPECT_GT(Stalls(1, 1000, 1), Stalls(1, 1000, 2));
  EXPECT_GE(Stalls(1, 1000, 2), Stalls(1, 1000, 4));
  EXPECT_DOUBLE_EQ(Stalls(3, 1000, 1), 3 * Stalls(1, 1000, 1));
  EXPECT_DOUBLE_EQ(Stalls(1, 2000, 1), 2 * Stalls(1, 1000, 1));
  // Short chains overlap with the next ones.
  EXPECT_EQ(Stalls(1, 4, 1), 0);
}

// ---- whole kernels

double KernelCycles(const TileProgram& program, const Candidate& candidate) {
  absl::StatusOr<EmittedKernel> kernel =
      EmitKernel(program, candidate, Target());
  EXPECT_THAT(kernel, IsOk());
  return kernel->cycles;
}

// x = x + 1, `outer` times `inner` times.
double NestedLoops(int64_t outer, int64_t inner, int64_t step = 1) {
  TileProgramBuilder b("loops", 8);
  const DimId n = b.AddDim("n", 8);
  const ViewId x = b.AddView({"x", ElementType::kF32, {8, 8}, 0});
  const Window own = {{b.ProgramIndex(), b.Index(0)}, {kNoDim, n}};
  const auto loop = [&](int64_t trips, ValueId start, const auto& body) {
    return b.For(b.Index(0), b.Index(trips), b.Index(step), {start},
                 [&](ValueId, std::vector<ValueId> carried) {
                   return std::vector<ValueId>{body(carried[0])};
                 })[0];
  };
  b.Store(x, own, loop(outer, b.Load(x, own), [&](ValueId start) {
            return loop(inner, start, [&](ValueId at) {
              return b.Binary(BinaryKind::kAdd, at, b.Constant(1));
            });
          }));
  return KernelCycles(*std::move(b).Finish(), Candidate());
}

TEST(KernelCyclesTest, TripsMultiply) {
  EXPECT_LT(NestedLoops(10, 1), NestedLoops(20, 1));
  EXPECT_LT(NestedLoops(10, 10), NestedLoops(10, 20));
  EXPECT_LT(NestedLoops(10, 10), NestedLoops(20, 10));
  // Of a nest, once the rest no longer counts.
  const double rounds =
      (NestedLoops(100, 400) - NestedLoops(100, 200)) / (100 * 200);
  EXPECT_NEAR((NestedLoops(200, 400) - NestedLoops(200, 200)) / (200 * 200),
              rounds, 1e-6 * rounds);
}

// 0, 16, 32 below 33 are three trips.
TEST(KernelCyclesTest, ABegunTripCounts) {
  EXPECT_GT(NestedLoops(33, 1, 16), NestedLoops(32, 1, 16));
  EXPECT_DOUBLE_EQ(NestedLoops(33, 1, 16), NestedLoops(48, 1, 16));
}

TEST(KernelCyclesTest, InstancesAddUp) {
  const auto gemm = [](int64_t m) {
    Candidate candidate;
    candidate.lanes = LaneMode::kAxis;
    return KernelCycles(*BuildGemm({m, 32, 64, 8, 32, 64}), candidate);
  };
  EXPECT_DOUBLE_EQ(gemm(64), 2 * gemm(32));
}

// Measured at 13.6, 46 and 72 GFLOP/s.
TEST(KernelCyclesTest, WiderBlocksOfAProductInCacheAreFaster) {
  for (const LaneMode lanes : {LaneMode::kPrograms, LaneMode::kAxis}) {
    const auto cycles = [&](int rows, int cols) {
      Candidate candidate;
      candidate.lanes = lanes;
      candidate.block_rows = rows;
      candidate.block_cols = cols;
      candidate.k_unroll = 4;
      return KernelCycles(*BuildGemm({64, 64, 128, 8, 32, 128}), candidate);
    };
    const double one = cycles(1, 1);
    const double four = cycles(1, 4);
    const double eight = cycles(2, 4);
    EXPECT_GT(one, 1.2 * four) << static_cast<int>(lanes);
    EXPECT_GT(four, eight) << static_cast<int>(lanes);
  }
}

}  // namespace
}  // namespace mxtile::exec::simd
