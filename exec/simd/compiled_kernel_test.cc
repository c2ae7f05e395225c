// Kernels as they run: tails, memory that ends, windows that leave their view,
// threads, loops; and that a refusal spoils nothing.

#include "exec/simd/compiled_kernel.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/jit/block_pool.h"
#include "exec/simd/testing/guarded_memory.h"
#include "exec/simd/testing/kernel_comparison.h"
#include "exec/simd/testing/mma_program.h"
#include "exec/simd/testing/program_generator.h"
#include "exec/simd/testing/test_program.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::HasSubstr;

Candidate Packet(bool full_packet, bool masked) {
  Candidate candidate;
  candidate.full_packet = full_packet;
  candidate.masked_lanes = masked;
  candidate.vector_copies = !masked;
  return candidate;
}

Candidate Group(int group) {
  Candidate candidate;
  candidate.lanes = LaneMode::kAxis;
  candidate.group = group;
  candidate.max_unrolled_elements = 2;
  candidate.forward = true;
  candidate.vector_copies = true;
  return candidate;
}

std::vector<Candidate> Candidates() {
  return {Packet(false, true), Packet(true, false), Packet(true, true),
          Group(1), Group(4)};
}

std::vector<uint8_t> Floats(int64_t count) {
  std::vector<uint8_t> bytes(4 * count);
  for (int64_t i = 0; i < count; ++i) {
    const float x = static_cast<float>(i % 251) / 4 - 30;
    std::memcpy(&bytes[4 * i], &x, 4);
  }
  return bytes;
}

// ---- tails

// One element an instance: lanes are neighbours in memory.
TileProgram Elements(int64_t programs) {
  TileProgramBuilder b("elements", programs);
  const ViewId x = b.AddView({"x", ElementType::kF32, {programs}, 0});
  const ViewId y = b.AddView({"y", ElementType::kF32, {programs}, 1});
  const Window own = {{b.ProgramIndex()}, {kNoDim}};
  b.Store(y, own, b.Unary(UnaryKind::kExp, b.Load(x, own)));
  return *std::move(b).Finish();
}

// A row an instance, of an odd length; and one that all share.
TileProgram Rows(int64_t programs) {
  TileProgramBuilder b("rows", programs);
  const DimId n = b.AddDim("n", 19);
  const ViewId x = b.AddView({"x", ElementType::kF32, {programs, 19}, 0});
  const ViewId y = b.AddView({"y", ElementType::kF32, {programs, 19}, 1});
  const ViewId shared = b.AddView({"shared", ElementType::kF32, {19}, 2});
  const Window own = {{b.ProgramIndex(), b.Index(0)}, {kNoDim, n}};
  const ValueId sum = b.Binary(BinaryKind::kAdd, b.Load(x, own),
                               b.Load(shared, {{b.Index(0)}, {n}}));
  b.Store(y, own,
          b.Binary(BinaryKind::kMul, sum, b.Reduce(ReduceKind::kMax, sum, n)));
  return *std::move(b).Finish();
}

class TailsTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(TailsTest, TouchNothingBeyondTheLastInstance) {
  const int64_t programs = GetParam();
  const Memory of_elements = {Floats(programs), Floats(programs)};
  const Memory of_rows = {Floats(19 * programs), Floats(19 * programs),
                          Floats(19)};
  for (const auto& [program, memory] :
       {std::pair(Elements(programs), of_elements),
        std::pair(Rows(programs), of_rows)}) {
    MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
                            InterpretedMemory(program, memory));
    for (const Candidate& candidate :
         {Packet(false, true), Packet(true, false), Group(4)}) {
      EXPECT_EQ(KernelDifference(program, memory, expected, candidate), "")
          << ToString(candidate);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, TailsTest,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 13));

// ---- windows

// Loads and stores 4 elements from an origin that memory says.
class WindowsTest : public ::testing::Test {
 protected:
  static constexpr int64_t kPrograms = 11;
  static constexpr int64_t kSize = 24;

  // Views: at [programs] (origins), x [24], y [programs, 24].
  TileProgram Build(bool checked_load) {
    TileProgramBuilder b("windows", kPrograms);
    const DimId n = b.AddDim("n", 4);
    const ViewId at = b.AddView({"at", ElementType::kIndex, {kPrograms}, 0});
    const ViewId x = b.AddView({"x", ElementType::kF32, {kSize}, 1});
    const ViewId y = b.AddView({"y", ElementType::kF32, {kPrograms, kSize}, 2});
    const ValueId p = b.ProgramIndex();
    const ValueId origin = b.Load(at, {{p}, {kNoDim}});
    Window source = {{checked_load ? origin : b.Index(0)}, {n}};
    source.checked = checked_load;
    source.fill = 5;
    Window target = {{p, checked_load ? b.Index(0) : origin}, {kNoDim, n}};
    target.checked = !checked_load;
    b.SetPlace("load.py:3:1");
    const ValueId tile = b.Load(x, source);
    b.SetPlace("store.py:4:1");
    b.Store(y, target, tile);
    return *std::move(b).Finish();
  }

  static std::vector<uint8_t> Origins(std::vector<int64_t> origins) {
    origins.resize(kPrograms, 0);
    std::vector<uint8_t> bytes(8 * kPrograms);
    std::memcpy(bytes.data(), origins.data(), bytes.size());
    return bytes;
  }

  // Runs the kernel on guarded memory; what y is afterwards.
  static absl::Status Run(const CompiledKernel& kernel, const Memory& memory,
                          std::vector<uint8_t>* y) {
    std::vector<std::unique_ptr<GuardedMemory>> guarded;
    std::vector<BufferSpan> spans;
    for (const std::vector<uint8_t>& content : memory) {
      guarded.push_back(
          std::make_unique<GuardedMemory>(content, GuardedMemory::Side::kEnd));
      spans.push_back({guarded.back()->data(), guarded.back()->bytes()});
    }
    const absl::Status status = kernel.Run(spans);
    for (const auto& buffer : guarded) EXPECT_TRUE(buffer->IsIntact());
    *y = guarded[2]->content();
    return status;
  }

  // Of a kernel whose fifth and last instance begin at `origin`.
  static void ExpectReport(const CompiledKernel& kernel, bool checked_load,
                           int64_t origin) {
    const Memory memory = {Origins({0, 1, 2, 3, origin, 5, 6, 7, 8, 9, origin}),
                           Floats(kSize), Floats(kPrograms * kSize)};
    std::vector<uint8_t> y;
    EXPECT_THAT(
        Run(kernel, memory, &y),
        StatusIs(
            absl::StatusCode::kOutOfRange,
            HasSubstr(
                checked_load
                    ? "load.py:3:1: load of view x: a window leaves the view"
                    : "store.py:4:1: store of view y: a window leaves the "
                      "view")));
    // Elsewhere it did what it had to.
    Memory inside = memory;
    inside[0] = Origins({0, 1, 2, 3, 0, 5, 6, 7, 8, 9, 0});
    MX_ASSERT_OK_AND_ASSIGN(Memory expected,
                            InterpretedMemory(kernel.program(), inside));
    const int64_t row = 4 * kSize;
    for (const int64_t p : {4, 10}) {
      std::memcpy(&expected[2][p * row], &memory[2][p * row], row);
      // What was not read is the fill.
      const float fill[] = {5, 5, 5, 5};
      if (checked_load) {
        std::memcpy(&expected[2][p * row], fill, sizeof fill);
      }
    }
    EXPECT_EQ(y, expected[2]);
  }
};

TEST_F(WindowsTest, InsideIsAsTheInterpreterHasIt) {
  for (const bool checked_load : {true, false}) {
    const TileProgram program = Build(checked_load);
    const Memory memory = {Origins({0, 1, 20, 7, 3, 20, 0, 19}), Floats(kSize),
                           Floats(kPrograms * kSize)};
    MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
                            InterpretedMemory(program, memory));
    for (const Candidate& candidate : Candidates()) {
      EXPECT_EQ(KernelDifference(program, memory, expected, candidate), "");
    }
  }
}

TEST_F(WindowsTest, OutsideIsReportedAndLeftAlone) {
  for (const bool checked_load : {true, false}) {
    const TileProgram program = Build(checked_load);
    for (const Candidate& candidate : Candidates()) {
      SCOPED_TRACE(ToString(candidate));
      MX_ASSERT_OK_AND_ASSIGN(
          const std::unique_ptr<CompiledKernel> kernel,
          CompiledKernel::Create(program, candidate, JitOptions()));
      for (const int64_t origin :
           {int64_t{-1}, int64_t{21}, int64_t{24}, int64_t{1} << 40, INT64_MIN,
            INT64_MAX, INT64_MAX - 3, int64_t{1} << 61, int64_t{1} << 62}) {
        SCOPED_TRACE(origin);
        ExpectReport(*kernel, checked_load, origin);
      }
    }
  }
}

TEST(CompiledKernelTest, SmallBuffersAreRefused) {
  const TileProgram program = Rows(5);
  MX_ASSERT_OK_AND_ASSIGN(
      const std::unique_ptr<CompiledKernel> kernel,
      CompiledKernel::Create(program, Candidate(), JitOptions()));
  Memory memory = {Floats(5 * 19), Floats(5 * 19), Floats(18)};
  EXPECT_THAT(kernel->Run(Spans(memory)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("")));
  memory.pop_back();
  EXPECT_THAT(kernel->Run(Spans(memory)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("")));
}

// ---- loops

// Trips none, one and several; values that change places; large and small.
TEST(CompiledKernelTest, LoopsWithoutTripsAndValuesThatChangePlaces) {
  for (const int64_t extent : {3, 70}) {
    TestProgram t(11);
    const DimId n = t.b.AddDim("n", extent);
    const ValueId p = t.b.ProgramIndex();
    const ViewId view = t.AddView(ElementType::kF32, {3, extent, 11},
                                  std::vector<float>(11 * 3 * extent, 1));
    const auto own = [&](int64_t row) {
      return Window{{t.b.Index(row), t.b.Index(0), p}, {kNoDim, n, kNoDim}};
    };
    std::vector<float> numbers(extent);
    for (int64_t i = 0; i < extent; ++i) numbers[i] = static_cast<float>(i);
    const ValueId x = t.Input(ElementType::kF32, {n}, numbers);
    const ValueId y =
        t.b.Binary(BinaryKind::kMul, x, t.b.Cast(p, ElementType::kF32));
    const ValueId z = t.b.Load(view, own(2));
    for (const auto& [start, stop, step] :
         {std::tuple(0, 0, 1), std::tuple(0, 5, 2), std::tuple(4, -3, -2)}) {
      const std::vector<ValueId> results =
          t.b.For(t.b.Index(start), t.b.Index(stop), t.b.Index(step), {x, y, z},
                  [&](ValueId i, std::vector<ValueId> carried) {
                    return std::vector<ValueId>{
                        carried[1], carried[0],
                        t.b.Binary(BinaryKind::kAdd, carried[2],
                                   t.b.Cast(i, ElementType::kF32))};
                  });
      for (const ValueId result : results) {
        t.b.Store(view, own(0),
                  t.b.Binary(BinaryKind::kSub, t.b.Load(view, own(0)), result));
        t.b.Store(view, own(1), result);
      }
    }
    // A trip count from memory.
    const ValueId trips =
        t.b.Load(t.AddView(ElementType::kIndex, {1}, std::vector<int64_t>{3}),
                 {{t.b.Index(0)}, {kNoDim}});
    t.b.Store(view, own(2),
              t.b.For(t.b.Index(0), trips, t.b.Index(1), {x, y},
                      [](ValueId, std::vector<ValueId> carried) {
                        return std::vector<ValueId>{carried[1], carried[0]};
                      })[0]);
    MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, std::move(t.b).Finish());
    MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
                            InterpretedMemory(program, t.buffers()));
    for (const Candidate& candidate : Candidates()) {
      EXPECT_EQ(KernelDifference(program, t.buffers(), expected, candidate), "")
          << ToString(candidate);
    }
  }
}

// ---- threads and refusals

TEST(CompiledKernelTest, ThreadsLeaveTheSameBytes) {
  BlockPool pool(3);
  for (const int64_t programs : {1, 7, 100}) {
    const TileProgram program = Rows(programs);
    const Memory memory = {Floats(19 * programs), Floats(19 * programs),
                           Floats(19)};
    MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
                            InterpretedMemory(program, memory));
    ComparisonOptions options;
    options.pool = &pool;
    for (const Candidate& candidate : {Packet(true, false), Group(4)}) {
      EXPECT_EQ(KernelDifference(program, memory, expected, candidate, options),
                "")
          << ToString(candidate);
    }
  }
}

// Each piece of a launch has a workspace of its own.
TEST(CompiledKernelTest, ThreadsHaveWorkspacesOfTheirOwn) {
  TileProgramBuilder b("workspace", 100);
  const DimId n = b.AddDim("n", 3000);
  const ViewId x = b.AddView({"x", ElementType::kF32, {100, 3000}, 0});
  const Window own = {{b.ProgramIndex(), b.Index(0)}, {kNoDim, n}};
  const ValueId loaded = b.Load(x, own);
  b.Store(x, own, b.Broadcast(b.Constant(0), {n}));
  b.Store(x, own, b.Unary(UnaryKind::kNeg, loaded));
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, std::move(b).Finish());
  const Memory memory = {Floats(100 * 3000)};
  MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
                          InterpretedMemory(program, memory));
  MX_ASSERT_OK_AND_ASSIGN(
      const std::unique_ptr<CompiledKernel> kernel,
      CompiledKernel::Create(program, Packet(true, false), JitOptions()));
  EXPECT_EQ(kernel->facts().resources.workspace, 8 * 4 * 3000);
  BlockPool pool(3);
  Memory actual = memory;
  MX_ASSERT_OK(kernel->Run(Spans(actual), &pool));
  EXPECT_EQ(actual, expected);
}

TEST(CompiledKernelTest, AfterARefusalAGoodKernelCompiles) {
  const MmaCase mma = {MmaForm::kPlain, 2, 5, 3};
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildMma(mma));
  const auto good = [&] {
    MX_ASSERT_OK_AND_ASSIGN(
        const std::unique_ptr<CompiledKernel> kernel,
        CompiledKernel::Create(program, Candidate(), JitOptions()));
    std::vector<std::vector<float>> memory = MmaMemory(mma);
    std::vector<BufferSpan> spans;
    for (std::vector<float>& m : memory) {
      spans.push_back({m.data(), static_cast<int64_t>(4 * m.size())});
    }
    MX_ASSERT_OK(kernel->Run(spans));
    EXPECT_EQ(memory, MmaOracle(mma));
  };
  for (const int width : {0, 3, 64}) {
    Candidate bad;
    bad.width = width;
    EXPECT_THAT(CompiledKernel::Create(program, bad, JitOptions()).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("x")));
    good();
  }
  JitOptions options;
  options.max_instructions = 10;
  EXPECT_THAT(CompiledKernel::Create(program, Candidate(), options).status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("")));
  good();
}

TEST(CompiledKernelTest, FactsAreThoseOfTheKernel) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildMma({MmaForm::kPlain, 2, 35, 17}));
  Candidate candidate = Packet(true, true);
  candidate.block_cols = 4;
  MX_ASSERT_OK_AND_ASSIGN(
      const std::unique_ptr<CompiledKernel> kernel,
      CompiledKernel::Create(program, candidate, JitOptions()));
  const KernelFacts& facts = kernel->facts();
  EXPECT_EQ(facts.blocked_mmas, 1);
  EXPECT_GT(facts.body_instructions, 0);
  EXPECT_GT(facts.team_instructions, 0);
  EXPECT_GT(facts.instructions,
            facts.body_instructions + facts.team_instructions);
  EXPECT_EQ(ToString(kernel->candidate()), ToString(candidate));
  EXPECT_NE(kernel->entry(), nullptr);
}

}  // namespace
}  // namespace mxtile::exec::simd
