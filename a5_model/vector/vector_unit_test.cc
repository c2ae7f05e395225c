#include "a5_model/vector/vector_unit.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_test_util.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void WriteFloats(Machine& machine, uint64_t address,
                 const std::vector<float>& values) {
  const int64_t size = static_cast<int64_t>(values.size() * sizeof(float));
  MX_ASSERT_OK_AND_ASSIGN(absl::Span<uint8_t> bytes,
                          machine.memory(MemorySpace::kVec)
                              .Write(machine.Begin("host"), address, size));
  std::memcpy(bytes.data(), values.data(), size);
}

std::vector<float> ReadFloats(Machine& machine, uint64_t address, int count) {
  const std::vector<uint8_t> bytes =
      machine.memory(MemorySpace::kVec).Peek(address, 4 * count);
  std::vector<float> values(count);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// The example of the header.
TEST(VectorUnitTest, HalvesAHundredFloats) {
  Machine machine;
  std::vector<float> source;
  std::vector<float> expected;
  for (int i = 0; i < 128; ++i) {
    source.push_back(i);
    expected.push_back(i * 0.5f);
  }
  expected.resize(100);
  WriteFloats(machine, 0, source);
  VectorUnit unit(machine);
  unit.BeginStage("scale");
  uint32_t count = 100;
  for (int i = 0; i < 2; ++i) {
    const Mask mask = unit.Plt<float>(&count);
    const Reg x = unit.Vlds(UbPtr<float>{0}, 64 * i);
    const Reg y = unit.Vmuls<float>(x, 0.5f, mask);
    unit.Vsts(y, UbPtr<float>{0x400}, 64 * i, StoreDist::kNorm, mask);
  }
  MX_ASSERT_OK(unit.Finish());
  EXPECT_EQ(count, 0);
  EXPECT_EQ(ReadFloats(machine, 0x400, 100), expected);
  EXPECT_FALSE(machine.memory(MemorySpace::kVec).HasValue(0x400 + 400, 1));
  ASSERT_EQ(unit.stages().size(), 1);
  EXPECT_EQ(unit.stages()[0].Count("vlds"), 2);
  EXPECT_EQ(unit.stages()[0].Count("vmuls"), 2);
  EXPECT_EQ(unit.stages()[0].Count("vsts"), 2);
  EXPECT_EQ(unit.stages()[0].Count("plt"), 2);
  EXPECT_EQ(unit.stages()[0].total(), 6);
  // 256 bytes a load, and 256 and 144 stored.
  EXPECT_EQ(unit.stages()[0].bytes, 512 + 400);
}

TEST(VectorUnitTest, TheFirstErrorStays) {
  Machine machine;
  WriteFloats(machine, 0, std::vector<float>(64, 1.0f));
  VectorUnit unit(machine);
  const Reg x = unit.Vlds(UbPtr<float>{0}, 0);
  EXPECT_EQ(unit.Vlds(UbPtr<float>{0}, 1), Reg());
  EXPECT_THAT(unit.status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "vlds NORM (instruction 3): reads [0x4, 0x104) of Vec: "
                       "the address is no multiple of 32 bytes (A5-MEM-2)"));
  // Nothing after it happens, or counts.
  EXPECT_EQ(unit.Vadd<float>(x, x, Mask::All<float>()), Reg());
  unit.Vsts(x, UbPtr<float>{0x400}, 0, StoreDist::kNorm, Mask::All<float>());
  EXPECT_EQ(unit.Pset<float>(Pattern::kAll), Mask());
  EXPECT_THAT(unit.Finish(), StatusIs(absl::StatusCode::kInvalidArgument,
                                      HasSubstr("instruction 3")));
  EXPECT_FALSE(machine.memory(MemorySpace::kVec).HasValue(0x400, 1));
  ASSERT_EQ(unit.stages().size(), 1);
  EXPECT_EQ(unit.stages()[0].total(), 2);
}

// ---- planted faults: each is named by its instruction

// A scaling kernel of two stages through UB, right but for one fault.
struct Fault {
  bool missing_barrier = false;
  int64_t misalignment = 0;  // elements
  bool overlapping = false;  // of the declared buffers
  uint32_t count = 64;       // of the store
};

absl::Status RunScaling(UbBench& bench, const Fault& fault) {
  bench.Write(0, std::vector<uint8_t>(256, 0x3F));
  VectorUnit& unit = bench.unit();
  const UbPtr<float> source{0};
  const UbPtr<float> scratch{fault.overlapping ? 224u : 256u};
  const UbPtr<float> result{512};
  unit.DeclareBuffer("source", source.address, 256);
  unit.DeclareBuffer("scratch", scratch.address, 256);
  unit.DeclareBuffer("result", result.address, 128);
  const Mask all = unit.Pset<float>(Pattern::kAll);
  unit.BeginStage("first");
  const Reg x = unit.Vlds(source, fault.misalignment);
  unit.Vsts(unit.Vmuls<float>(x, 2.0f, all), scratch, 0, StoreDist::kNorm, all);
  if (!fault.missing_barrier) unit.MemBar(Barrier::kVstVld);
  unit.BeginStage("second");
  const Reg y = unit.Vlds(scratch, 0);
  uint32_t count = fault.count;
  const Mask mask = unit.Plt<float>(&count);
  unit.Vsts(unit.Vadds<float>(y, 1.0f, all), result, 0, StoreDist::kNorm, mask);
  return unit.Finish();
}

TEST(VectorUnitTest, WithoutAFault) {
  UbBench bench;
  Fault none;
  none.count = 32;
  MX_EXPECT_OK(RunScaling(bench, none));
  EXPECT_THAT(bench.unit().warnings(), IsEmpty());
}

TEST(VectorUnitTest, MissingBarrier_A5_VEC_1) {
  UbBench bench;
  Fault fault;
  fault.missing_barrier = true;
  EXPECT_THAT(
      RunScaling(bench, fault),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "vlds NORM (instruction 6): reads [0x100, 0x200) of Vec: byte "
               "0x100 was written by vsts NORM (instruction 5), with no "
               "mem_bar(VST_VLD) between (A5-VEC-1)"));
}

TEST(VectorUnitTest, MisalignedAddress_A5_MEM_2) {
  UbBench bench;
  Fault fault;
  fault.misalignment = 4;
  EXPECT_THAT(RunScaling(bench, fault),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "vlds NORM (instruction 3): reads [0x10, 0x110) of Vec: "
                       "the address is no multiple of 32 bytes (A5-MEM-2)"));
}

// Read too far: a warning; what is made of it has no value, and using that is
// an error at last.
TEST(VectorUnitTest, OverRead_A5_VEC_3) {
  UbBench bench;
  Fault fault;
  fault.misalignment = 8;
  fault.count = 32;
  MX_EXPECT_OK(RunScaling(bench, fault));
  EXPECT_THAT(bench.unit().warnings(),
              ElementsAre("vlds NORM (instruction 3): reads [0x20, 0x120) of "
                          "Vec, 32 bytes beyond buffer 'source' [0x0, 0x100) "
                          "(A5-VEC-3)"));
  EXPECT_EQ(bench.Values(256, 256),
            std::string(224, '1') + std::string(32, '.'));
}

TEST(VectorUnitTest, StoreTooFar_A5_VEC_2) {
  UbBench bench;
  Fault fault;
  fault.count = 33;
  EXPECT_THAT(
      RunScaling(bench, fault),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("vsts NORM (instruction 10): writes [0x200, 0x284) of "
                         "Vec, 4 bytes beyond buffer 'result'")));
}

TEST(VectorUnitTest, OverlappingBuffers_A5_VEC_4) {
  UbBench bench;
  Fault fault;
  fault.overlapping = true;
  EXPECT_THAT(
      RunScaling(bench, fault),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          "vsts NORM (instruction 5): writes [0xe0, 0x1e0) of Vec, which "
          "is part of buffer 'scratch' [0xe0, 0x1e0) and of buffer "
          "'source' [0x0, 0x100); give them bytes of their own, or declare "
          "that one may overlap (A5-VEC-4)"));
  UbBench allowed;
  allowed.unit().DeclareBuffer("max", 0, 64);
  allowed.unit().DeclareBuffer("scaling", 32, 64, BufferOverlap::kAllowed);
  allowed.unit().Vsts(Reg(), UbPtr<float>{32}, 0, StoreDist::kNorm,
                      Mask::FirstLanes<float>(8));
  MX_EXPECT_OK(allowed.unit().status());
  allowed.unit().DeclareBuffer("beyond", 253952 - 32, 64);
  EXPECT_THAT(allowed.unit().status(),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "buffer 'beyond' [0x3dfe0, 0x3e020) is not inside "
                       "[0x0, 0x3e000) of Vec (A5-MEM-1)"));
}

// ---- barriers

constexpr uint64_t kA = 0;
constexpr uint64_t kB = 256;

void StoreOnes(VectorUnit& unit, uint64_t address) {
  unit.Vsts(unit.Vbr<uint8_t>(1), UbPtr<uint8_t>{address}, 0, StoreDist::kNorm,
            Mask::All<uint8_t>());
}

TEST(VectorUnitTest, WhichBarriersOrderALoad_A5_VEC_1) {
  for (const Barrier barrier :
       {Barrier::kVstVld, Barrier::kVstVst, Barrier::kVldVst, Barrier::kAll}) {
    UbBench bench;
    StoreOnes(bench.unit(), kA);
    bench.unit().MemBar(barrier);
    bench.unit().Vlds(UbPtr<uint8_t>{kA}, 0);
    const bool ordered =
        barrier == Barrier::kVstVld || barrier == Barrier::kAll;
    EXPECT_EQ(bench.unit().status().ok(), ordered) << static_cast<int>(barrier);
  }
}

// Bytes, not blocks; and not what other pipes wrote, before or after.
TEST(VectorUnitTest, OnlyDependentLoadsNeedABarrier) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  bench.Write(kA, std::vector<uint8_t>(1024, 3));
  const Mask one = Mask::FirstLanes<float>(1);
  unit.Vsts(Reg(), UbPtr<float>{kA + 4}, 0, StoreDist::kOneptB32, one);
  unit.Vlds(UbPtr<float>{kA}, 0, LoadDist::kBrcB32);
  unit.Vlds(UbPtr<float>{kA + 8}, 0, LoadDist::kBrcB32);
  unit.Vlds(UbPtr<float>{kB}, 0);
  bench.Write(kA, std::vector<uint8_t>(4, 3));
  unit.Vlds(UbPtr<float>{kA}, 0, LoadDist::kBrcB32);
  bench.Write(kA + 4, std::vector<uint8_t>(2, 3));
  MX_EXPECT_OK(unit.status());
  // Two of the four bytes are still the store's.
  unit.Vlds(UbPtr<float>{kA + 4}, 0, LoadDist::kBrcB32);
  EXPECT_THAT(unit.status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("byte 0x6 was written by vsts ONEPT_B32 "
                                 "(instruction 2)")));
}

TEST(VectorUnitTest, GatherNeedsABarrierToo_A5_VEC_1) {
  UbBench bench;
  StoreOnes(bench.unit(), kA);
  bench.unit().Vgather2(UbPtr<uint16_t>{kA}, Reg(),
                        Mask::FirstLanes<uint16_t>(1));
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("vgather2 (instruction 3)")));
}

TEST(VectorUnitTest, StoreOverStore_A5_VEC_6) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  StoreOnes(unit, kA);
  StoreOnes(unit, kB);
  unit.MemBar(Barrier::kVstVst);
  StoreOnes(unit, kA);
  MX_EXPECT_OK(unit.status());
  EXPECT_THAT(unit.warnings(), IsEmpty());
  StoreOnes(unit, kA);
  MX_EXPECT_OK(unit.status());
  EXPECT_THAT(
      unit.warnings(),
      ElementsAre("vsts NORM (instruction 9): writes [0x0, 0x100) of Vec: byte "
                  "0x0 was written by vsts NORM (instruction 7), with no "
                  "mem_bar(VST_VST) between (A5-VEC-6)"));
  // The loads' barrier is the stores' too.
  UbBench other;
  StoreOnes(other.unit(), kA);
  other.unit().MemBar(Barrier::kVstVld);
  StoreOnes(other.unit(), kA);
  EXPECT_THAT(other.unit().warnings(), IsEmpty());
}

TEST(VectorUnitTest, ChecksCanBeSwitchedOff) {
  VectorOptions options;
  options.checks.barriers = false;
  options.checks.buffers = false;
  UbBench bench(options);
  VectorUnit& unit = bench.unit();
  unit.DeclareBuffer("a", kA, 32);
  unit.DeclareBuffer("b", kA, 64);
  StoreOnes(unit, kA);
  StoreOnes(unit, kA);
  EXPECT_EQ(unit.Vlds(UbPtr<uint8_t>{kA}, 0), unit.Vbr<uint8_t>(1));
  MX_EXPECT_OK(unit.Finish());
  EXPECT_THAT(unit.warnings(), IsEmpty());
}

// ---- bytes without a value

// Through arithmetic, lane by lane; through bits, byte by byte; not through
// lanes that are left out.
TEST(VectorUnitTest, MissingValuesSpreadOverLanes) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  Reg a;
  ByteBits undefined;
  undefined.Set(5);   // lane 1 of b32
  undefined.Set(40);  // lane 10
  a.set_undefined(undefined);
  const Mask first8 = Mask::FirstLanes<float>(8);
  ByteBits byte5;
  byte5.Set(5);
  const ByteBits lane1 = byte5.Widen<float>();
  EXPECT_EQ(unit.Vadd<float>(a, Reg(), first8).undefined(), lane1);
  EXPECT_EQ(unit.Vadd<float>(Reg(), a, first8).undefined(), lane1);
  EXPECT_EQ(unit.Vmax<float>(Reg(), a, first8).undefined(), lane1);
  EXPECT_EQ(unit.Vabs<float>(a, first8).undefined(), lane1);
  EXPECT_EQ(unit.Vshls<uint32_t>(a, 1, first8).undefined(), lane1);
  EXPECT_EQ(unit.Vor<float>(Reg(), a, first8).undefined(), byte5);
  EXPECT_EQ(unit.Vnot<float>(a, first8).undefined(), byte5);
  // A maximum has none when one of its lanes has none.
  EXPECT_EQ(unit.Vcmax<float>(a, first8).undefined(), ByteBits::First(4));
  EXPECT_EQ(unit.Vcmax<float>(a, Mask::FirstLanes<float>(1)).undefined(),
            ByteBits());
  EXPECT_EQ(unit.Vcgmax<float>(a, Mask::All<float>()).undefined(),
            ByteBits::First(8));
  MX_EXPECT_OK(unit.status());
}

// ---- accounts

TEST(VectorUnitTest, AStageIsAnEventOfPipeV) {
  Machine machine;
  {
    VectorUnit unit(machine);
    const Mask all = Mask::All<float>();
    unit.Vbr<float>(1);  // outside of any stage
    unit.BeginStage("max");
    for (int i = 0; i < 4; ++i) unit.Vabs<float>(Reg(), all);
    unit.MemBar(Barrier::kVstVld);
    unit.EndStage();
    unit.EndStage();
    unit.BeginStage("empty");
    unit.BeginStage("open");
    unit.Vmul<float>(Reg(), Reg(), all);
    MX_EXPECT_OK(unit.Finish());
    MX_EXPECT_OK(unit.Finish());
    ASSERT_EQ(unit.stages().size(), 4);
    EXPECT_EQ(unit.stages()[0].name, "");
    EXPECT_EQ(unit.stages()[0].Count("vbr"), 1);
    EXPECT_EQ(unit.stages()[1].name, "max");
    EXPECT_EQ(unit.stages()[1].Count("vabs"), 4);
    EXPECT_EQ(unit.stages()[1].Count("mem_bar"), 1);
    EXPECT_EQ(unit.stages()[1].total(), 4);
    EXPECT_EQ(unit.stages()[2].name, "empty");
    EXPECT_EQ(unit.stages()[3].Count("vmul"), 1);
    // Cycles: vbr 1; four vabs at one a cycle and 20 for the barrier; vmul at
    // two a cycle; 23 to start and 12 to drain.
    std::vector<std::string> events;
    for (const TraceEvent& event : machine.timeline().events()) {
      EXPECT_EQ(event.pipe, Pipe::kV);
      events.push_back(absl::StrCat(event.name, " ", event.duration_cycles));
    }
    EXPECT_THAT(events, ElementsAre("vector 1", "max 24", "empty 0", "open 1",
                                    "vector start and drain 35"));
  }
  EXPECT_EQ(machine.timeline().stats(Pipe::kV).instructions, 5);
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
