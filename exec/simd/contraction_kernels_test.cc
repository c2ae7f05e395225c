// Compiled contractions, bit for bit: in all spellings and register blocks,
// over overwritten memory, with sizes that leave tails of every kind.

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/candidate.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/kernel_comparison.h"
#include "exec/simd/testing/mma_program.h"
#include "exec/simd/testing/test_program.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

// Before and behind each buffer.
constexpr size_t kGuards = 17;
constexpr float kGuard = -731.25f;

Candidate Programs(int rows, int cols) {
  Candidate candidate;
  candidate.block_rows = rows;
  candidate.block_cols = cols;
  return candidate;
}

Candidate Axis(int rows, int cols) {
  Candidate candidate = Programs(rows, cols);
  candidate.lanes = LaneMode::kAxis;
  candidate.group = 2;
  candidate.k_unroll = 3;
  candidate.max_unrolled_elements = 4;
  candidate.vector_copies = true;
  candidate.forward = true;
  return candidate;
}

// The seed's: nothing shared, all accesses masked.
Candidate Compat(int cols) {
  Candidate candidate = Programs(1, cols);
  candidate.masked_lanes = true;
  candidate.share_uniform = false;
  return candidate;
}

// ---- the seed's data

std::vector<uint32_t> Bits(const std::vector<float>& floats) {
  std::vector<uint32_t> bits(floats.size());
  if (!bits.empty()) std::memcpy(bits.data(), floats.data(), 4 * bits.size());
  return bits;
}

// Runs the kernel on memory between guards; all of it is compared.
void ExpectOracle(const MmaCase& mma, const Candidate& candidate) {
  SCOPED_TRACE(absl::StrCat(ToString(mma), " by ", ToString(candidate)));
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildMma(mma));
  MX_ASSERT_OK_AND_ASSIGN(
      const std::unique_ptr<CompiledKernel> kernel,
      CompiledKernel::Create(program, candidate, JitOptions()));
  const auto guarded = [](const std::vector<float>& inside) {
    std::vector<float> all(kGuards, kGuard);
    all.insert(all.end(), inside.begin(), inside.end());
    all.resize(all.size() + kGuards, kGuard);
    return all;
  };
  std::vector<std::vector<float>> memory;
  std::vector<BufferSpan> spans;
  for (const std::vector<float>& content : MmaMemory(mma)) {
    memory.push_back(guarded(content));
  }
  for (std::vector<float>& all : memory) {
    spans.push_back({all.data() + kGuards,
                     static_cast<int64_t>(4 * (all.size() - 2 * kGuards))});
  }
  MX_ASSERT_OK(kernel->Run(spans));
  const std::vector<std::vector<float>> expected = MmaOracle(mma);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Bits(memory[i]), Bits(guarded(expected[i]))) << "buffer " << i;
  }
}

TEST(MmaOracleTest, TellsTwoRoundingsFromOne) {
  const MmaCase mma = {MmaForm::kSwapped, 2, 5, 3};
  EXPECT_EQ(MmaOracle(mma)[2][0], 0);
  EXPECT_NE(MmaOracle(mma)[2], MmaMemory(mma)[2]);
}

class MmaKernelTest : public ::testing::TestWithParam<MmaForm> {};

TEST_P(MmaKernelTest, EqualsTheOracle) {
  for (const MmaCase& mma :
       {MmaCase{GetParam(), 2, 5, 3}, MmaCase{GetParam(), 2, 35, 17},
        MmaCase{GetParam(), 1, 7, 65}}) {
    for (const int block : {1, 2, 4}) {
      // That its code is the reference's is known without running it.
      if (block > 1 && mma.form == MmaForm::kTransposed) continue;
      ExpectOracle(mma, Compat(block));
    }
    ExpectOracle(mma, Axis(4, 2));
  }
  Candidate clone = Programs(2, 2);
  clone.full_packet = true;
  clone.vector_copies = true;
  ExpectOracle({GetParam(), 2, 5, 3}, clone);
}

INSTANTIATE_TEST_SUITE_P(Forms, MmaKernelTest, ::testing::ValuesIn(kMmaForms),
                         [](const auto& info) {
                           std::string name = ToString(MmaCase{info.param});
                           return name.substr(0, name.find(' '));
                         });

TEST(MmaKernelSizesTest, NoneOneAndOddTails) {
  std::vector<std::pair<int64_t, int64_t>> sizes;  // n, k
  for (const int64_t k : {0, 1, 8, 9, 16, 64, 65}) sizes.push_back({5, k});
  for (const int64_t n : {0, 1}) {
    for (const int64_t k : {0, 9, 65}) sizes.push_back({n, k});
  }
  for (const auto& [n, k] : sizes) {
    const MmaCase mma = {MmaForm::kPlain, 2, n, k, 9};
    ExpectOracle(mma, Compat(4));
    ExpectOracle(mma, Axis(2, 2));
  }
}

TEST(MmaKernelSizesTest, LimitsOfExpansion) {
  const MmaCase mma = {MmaForm::kExtracted, 2, 9, 9};
  for (const int64_t unrolled : {0, 1, 8, 64, 128}) {
    for (Candidate candidate : {Programs(1, 4), Axis(2, 2)}) {
      candidate.max_unrolled_elements = unrolled;
      ExpectOracle(mma, candidate);
    }
  }
}

// ---- against the interpreter

std::vector<Candidate> Candidates() {
  Candidate clone = Programs(2, 2);
  clone.full_packet = true;
  clone.vector_copies = true;
  clone.max_unrolled_elements = 8;
  return {Compat(4), clone, Axis(4, 2)};
}

// Of the program that `t` has built, by all candidates.
void ExpectInterpreted(TestProgram& t) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, std::move(t.b).Finish());
  MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
                          InterpretedMemory(program, t.buffers()));
  for (const Candidate& candidate : Candidates()) {
    EXPECT_EQ(KernelDifference(program, t.buffers(), expected, candidate), "")
        << ToString(candidate) << "\n"
        << ToText(program);
  }
}

std::vector<float> Numbers(int64_t count) {
  std::vector<float> numbers(count);
  for (int64_t i = 0; i < count; ++i) {
    numbers[i] = static_cast<float>((i * 7 + 3) % 19 - 9) / 8;
  }
  return numbers;
}

// A program whose tiles differ between instances.
class InterpretedMmaTest : public ::testing::Test {
 protected:
  static constexpr int64_t kInstances = 11;

  InterpretedMmaTest() : t_(kInstances) {}

  // Instances are the last axis of views: packets read and write vectors,
  // which is little code.
  ViewId View(const Space& space, const std::vector<float>& content) {
    std::vector<int64_t> shape = t_.Extents(space);
    shape.push_back(kInstances);
    return t_.AddView(ElementType::kF32, shape, content);
  }
  Window Own(const Space& space) {
    Window window = {std::vector<ValueId>(space.size(), t_.b.Index(0)), space};
    window.origins.push_back(t_.b.ProgramIndex());
    window.axes.push_back(kNoDim);
    return window;
  }
  ValueId Load(const Space& space) {
    const int64_t count = kInstances * t_.b.program().Volume(space);
    return t_.b.Load(View(space, Numbers(count)), Own(space));
  }
  void Store(ValueId x) {
    const Space space = t_.b.program().values[x].space;
    const int64_t count = kInstances * t_.b.program().Volume(space);
    t_.b.Store(View(space, std::vector<float>(count, 1)), Own(space), x);
  }
  ValueId Zero(const Space& space) {
    return t_.b.Broadcast(t_.b.Constant(0), space);
  }

  TestProgram t_;
};

TEST_F(InterpretedMmaTest, TrailingUnitDimensions) {
  const DimId m = t_.b.AddDim("m", 3), n = t_.b.AddDim("n", 9),
              k = t_.b.AddDim("k", 5), one = t_.b.AddDim("one", 1),
              unit = t_.b.AddDim("unit", 1);
  Store(t_.b.Contract(Load({m, k}), Load({k, n, one}), Load({m, n, one})));
  Store(t_.b.Contract(Load({m, unit, k}), Load({k, n}), Zero({m, n, one})));
  Store(t_.b.Contract(Load({k}), Load({k}), Load({one})));
  ExpectInterpreted(t_);
}

TEST_F(InterpretedMmaTest, SeveralContractedAndBatchDimensions) {
  const DimId m = t_.b.AddDim("m", 3), n = t_.b.AddDim("n", 9),
              k = t_.b.AddDim("k", 5), j = t_.b.AddDim("j", 14);
  Store(t_.b.Contract(Load({m, j, k}), Load({k, n, j}), Load({m, n})));
  Store(t_.b.Contract(Load({k, m, j}), Load({k, n, j}), Load({m, n, j})));
  ExpectInterpreted(t_);
}

TEST_F(InterpretedMmaTest, SmallResultReadAtComputedIndices) {
  const DimId m = t_.b.AddDim("m", 2), n = t_.b.AddDim("n", 5),
              k = t_.b.AddDim("k", 3);
  const ValueId result =
      t_.b.Contract(Load({m, k}), Load({k, n}), Load({m, n}));
  const ValueId at =
      t_.b.Binary(BinaryKind::kMod, t_.b.ProgramIndex(), t_.b.Index(5));
  // Beyond the last it is the last.
  const ValueId beyond =
      t_.b.Binary(BinaryKind::kSub, t_.b.ProgramIndex(), t_.b.Index(4));
  Store(t_.b.Extract(result, {n}, {at}));
  Store(t_.b.Extract(result, {n, m}, {at, beyond}));
  ExpectInterpreted(t_);
}

TEST_F(InterpretedMmaTest, OneTileAsBothOperands) {
  const DimId m = t_.b.AddDim("m", 6), n = t_.b.AddDim("n", 6),
              k = t_.b.AddDim("k", 9);
  const ValueId x = Load({m, k});
  Store(t_.b.Contract(x, t_.b.Relabel(x, {n, k}), Zero({m, n})));
  const ValueId y = Load({k});
  Store(t_.b.Contract(y, y, t_.b.Constant(1)));
  // And as the seed.
  const DimId j = t_.b.AddDim("j", 6);
  const ValueId square = Load({m, n});
  Store(t_.b.Contract(t_.b.Relabel(square, {m, j}),
                      t_.b.Relabel(square, {j, n}), square));
  ExpectInterpreted(t_);
}

TEST_F(InterpretedMmaTest, OperandsWithoutStorage) {
  const DimId m = t_.b.AddDim("m", 3), n = t_.b.AddDim("n", 10),
              k = t_.b.AddDim("k", 70);
  const ValueId ramp =
      t_.b.Broadcast(t_.b.Cast(t_.b.Iota(k), ElementType::kF32), {k, n});
  Store(t_.b.Contract(Load({m, k}), ramp, Zero({m, n})));
  Store(t_.b.Contract(t_.b.Broadcast(t_.b.Constant(0.1f), {m, k}), Load({k, n}),
                      Load({m, n})));
  Store(t_.b.Contract(t_.b.Unary(UnaryKind::kExp, Load({m, k})),
                      t_.b.Unary(UnaryKind::kNeg, Load({k, n})),
                      t_.b.Unary(UnaryKind::kAbs, Load({m, n}))));
  ExpectInterpreted(t_);
}

TEST_F(InterpretedMmaTest, OperandsAndSeedsThatLoopsCarry) {
  const DimId m = t_.b.AddDim("m", 2), n = t_.b.AddDim("n", 9),
              k = t_.b.AddDim("k", 3);
  for (const int64_t trips : {0, 3}) {
    const std::vector<ValueId> results =
        t_.b.For(t_.b.Index(0), t_.b.Index(trips), t_.b.Index(1),
                 {Load({m, k}), Load({m, n}), Load({m, n})},
                 [&](ValueId, std::vector<ValueId> carried) {
                   const ValueId half = t_.b.Constant(0.5f);
                   const ValueId next =
                       t_.b.Contract(carried[0], Load({k, n}), carried[1]);
                   // The accumulators change places.
                   return std::vector<ValueId>{
                       t_.b.Binary(BinaryKind::kMul, carried[0], half),
                       carried[2], next};
                 });
    for (const ValueId result : results) Store(result);
  }
  ExpectInterpreted(t_);
}

// Limits below, within and beyond the extent; the same for all or one each.
TEST_F(InterpretedMmaTest, Limits) {
  const DimId m = t_.b.AddDim("m", 1), n = t_.b.AddDim("n", 9);
  const ValueId p = t_.b.ProgramIndex();
  for (const int64_t extent : {0, 1, 5}) {
    const DimId k = t_.b.AddDim("k", extent);
    const ValueId lhs = Load({m, k});
    const ValueId rhs = Load({k, n});
    const ValueId seed = Load({m, n});
    for (const int64_t limit : {-1, 3, 10}) {
      Store(t_.b.Contract(lhs, rhs, seed, t_.b.Index(limit)));
    }
    Store(t_.b.Contract(lhs, rhs, seed,
                        t_.b.Binary(BinaryKind::kSub, p, t_.b.Index(1))));
    Store(t_.b.Contract(lhs, rhs, seed,
                        t_.b.Binary(BinaryKind::kFloorDiv, p, t_.b.Index(8))));
  }
  ExpectInterpreted(t_);
}

TEST_F(InterpretedMmaTest, SignedZerosAndNumbersThatAreNone) {
  const DimId m = t_.b.AddDim("m", 4), n = t_.b.AddDim("n", 9),
              k = t_.b.AddDim("k", 3), none = t_.b.AddDim("none", 0);
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto constants = [&](const Space& space, std::vector<float> cycle) {
    std::vector<float> values(t_.b.program().Volume(space));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = cycle[i % cycle.size()];
    }
    return t_.Input<float>(ElementType::kF32, space, values);
  };
  // No contribution: -0 stays.
  Store(t_.b.Contract(constants({m, none}, {1}), constants({none, n}, {1}),
                      constants({m, n}, {-0.0f, 0.0f, nan, -inf})));
  // -0 + 1 * -0 is -0, -0 + 1 * 0 is 0.
  Store(t_.b.Contract(constants({m, k}, {1}),
                      constants({k, n}, {-0.0f, -0.0f, -0.0f, 0.0f}),
                      constants({m, n}, {-0.0f})));
  Store(
      t_.b.Contract(constants({m, k}, {1, -2, inf, 0, 1e38f}),
                    constants({k, n}, {1, inf, -0.0f, nan, 4, -1e38f, 1e-40f}),
                    constants({m, n}, {-0.0f, inf, 1})));
  ExpectInterpreted(t_);
}

}  // namespace
}  // namespace mxtile::exec::simd
