#include "a5_model/machine.h"

#include <cstdint>
#include <vector>

#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MachineTest, GmBuffersAreAlignedAndApart) {
  Machine machine;
  const uint64_t a = machine.AllocateGm("a", 513);
  const uint64_t b = machine.AllocateGm("b", 0);
  const uint64_t c = machine.AllocateGm("c", 512);
  EXPECT_EQ(a % 512, 0);
  EXPECT_EQ(b % 512, 0);
  EXPECT_EQ(c % 512, 0);
  EXPECT_GE(b, a + 513 + 512);
  EXPECT_GE(c, b + 512);
}

TEST(MachineTest, GmRoundTrip) {
  Machine machine;
  const uint64_t a = machine.AllocateGm("a", 8);
  MX_ASSERT_OK(machine.WriteGm(a + 2, {1, 2, 3}));
  EXPECT_THAT(machine.ReadGm(a + 2, 3), IsOkAndHolds(ElementsAre(1, 2, 3)));
  EXPECT_THAT(machine.ReadGm(a + 1, 3),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("GM buffer 'a': byte 0x10000001 was never "
                                 "written (A5-MEM-3)")));
}

TEST(MachineTest, GmOutsideAnyBufferTraps_A5_MEM_1) {
  Machine machine;
  EXPECT_THAT(machine.ReadGm(0x1000, 1),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("0x1000 is below all GM buffers")));
  const uint64_t a = machine.AllocateGm("a", 8);
  machine.AllocateGm("b", 8);
  EXPECT_THAT(machine.WriteGm(a + 8, {0}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("0x10000008 is in no GM buffer; the nearest "
                                 "below is [0x10000000, 0x10000008) of GM "
                                 "buffer 'a' (A5-MEM-1)")));
  EXPECT_THAT(
      machine.WriteGm(a + 7, {0, 0}),
      StatusIs(absl::StatusCode::kOutOfRange,
               HasSubstr("writes 2 bytes at 0x10000007, outside [0x10000000, "
                         "0x10000008) of GM buffer 'a' (A5-MEM-1)")));
}

TEST(MachineTest, OnChipMemoriesHaveTheLimitsOfTheTable) {
  Machine machine;
  for (const MemoryInfo& info : machine.soc().memories) {
    if (info.space == MemorySpace::kGm) continue;
    EXPECT_EQ(machine.memory(info.space).size(), info.limit_bytes);
    EXPECT_EQ(machine.memory(info.space).name(), Name(info.space));
  }
}

// Writes as LOAD_MX does.
uint32_t Fill(Machine& machine, uint64_t address, int64_t size, int64_t id) {
  const Access access = machine.Begin("FILL");
  EXPECT_TRUE(machine.memory(MemorySpace::kLeftScale)
                  .Write(access, address, size)
                  .ok());
  machine.RecordScaleFill(
      {MemorySpace::kLeftScale, address, size, id, access.id});
  return access.id;
}

TEST(MachineTest, FindsTheFillThatWroteAllBytes) {
  Machine machine;
  const uint32_t first = Fill(machine, 0x40, 64, 7);
  const uint32_t second = Fill(machine, 0x80, 32, 8);
  for (uint64_t address = 0x20; address < 0xC0; address += 32) {
    const absl::StatusOr<ScaleFill> fill =
        machine.FindScaleFill(MemorySpace::kLeftScale, address, 32);
    if (address == 0x20 || address == 0xA0) {
      EXPECT_FALSE(fill.ok()) << address;
    } else {
      MX_ASSERT_OK(fill);
      EXPECT_EQ(fill->instruction, address < 0x80 ? first : second);
      EXPECT_EQ(fill->fill_id, address < 0x80 ? 7 : 8);
    }
  }
  EXPECT_THAT(machine.FindScaleFill(MemorySpace::kRightScale, 0x40, 32),
              StatusIs(absl::StatusCode::kNotFound,
                       "no LOAD_MX has filled any byte of [0x40, 0x60) of "
                       "RightScale"));
  EXPECT_THAT(
      machine.FindScaleFill(MemorySpace::kLeftScale, 0x40, 96),
      StatusIs(absl::StatusCode::kNotFound,
               "no single LOAD_MX wrote all of [0x40, 0xa0) of LeftScale "
               "last: instruction 1 filled [0x40, 0x80) of LeftScale for tile "
               "7, instruction 2 filled [0x80, 0xa0) of LeftScale for tile "
               "8"));
}

TEST(MachineTest, AFillIsNotWholeAfterALaterFillOrStore) {
  Machine machine;
  Fill(machine, 0, 64, 1);
  Fill(machine, 32, 64, 2);
  EXPECT_FALSE(machine.FindScaleFill(MemorySpace::kLeftScale, 0, 64).ok());
  EXPECT_EQ(machine.FindScaleFill(MemorySpace::kLeftScale, 0, 32)->fill_id, 1);
  EXPECT_EQ(machine.FindScaleFill(MemorySpace::kLeftScale, 32, 64)->fill_id, 2);
  MX_ASSERT_OK(machine.memory(MemorySpace::kLeftScale)
                   .Write(machine.Begin("STORE"), 64, 1));
  EXPECT_FALSE(machine.FindScaleFill(MemorySpace::kLeftScale, 32, 64).ok());
}

TEST(MachineTest, RefillIsANewFill) {
  Machine machine;
  Fill(machine, 0, 64, 1);
  const uint32_t second = Fill(machine, 0, 64, 1);
  MX_ASSERT_OK_AND_ASSIGN(
      const ScaleFill fill,
      machine.FindScaleFill(MemorySpace::kLeftScale, 0, 64));
  EXPECT_EQ(fill.instruction, second);
}

TEST(MachineTest, InstructionsAreNumberedFromOne) {
  Machine machine;
  EXPECT_EQ(machine.Begin("A").id, 1);
  EXPECT_EQ(machine.Begin("B").id, 2);
  machine.Retire(Pipe::kM, "B 1x1", 30, 0);
  EXPECT_EQ(machine.timeline().stats(Pipe::kM).cycles, 30);
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
