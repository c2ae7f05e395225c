#include "a5_model/ub_copy.h"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<uint8_t> Numbered(int64_t size) {
  std::vector<uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), 0);
  return bytes;
}

TEST(UbCopyTest, BurstsThroughUbAndBack) {
  Machine machine;
  const uint64_t from = machine.AllocateGm("from", 200);
  const uint64_t to = machine.AllocateGm("to", 200);
  MX_ASSERT_OK(machine.WriteGm(from, Numbered(200)));
  MX_ASSERT_OK(machine.WriteGm(to, std::vector<uint8_t>(200, 0xEE)));
  // Three bursts of 40 bytes, 60 apart, to blocks of 64.
  MX_ASSERT_OK(CopyGmToUb(machine, {from + 5, 0x400, 3, 40, 60, 64}));
  const Memory& ub = machine.memory(MemorySpace::kVec);
  for (int burst = 0; burst < 3; ++burst) {
    const std::vector<uint8_t> bytes = ub.Peek(0x400 + 64 * burst, 40);
    for (int i = 0; i < 40; ++i) EXPECT_EQ(bytes[i], 5 + 60 * burst + i);
    EXPECT_FALSE(ub.HasValue(0x400 + 64 * burst + 40, 1));
  }
  MX_ASSERT_OK(CopyUbToGm(machine, {0x400, to + 10, 3, 40, 64, 50}));
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<uint8_t> back,
                          machine.ReadGm(to, 200));
  for (int i = 0; i < 200; ++i) {
    const int burst = (i - 10) / 50;
    const int place = (i - 10) % 50;
    const bool copied = i >= 10 && burst < 3 && place < 40;
    EXPECT_EQ(back[i], copied ? 5 + 60 * burst + place : 0xEE) << i;
  }
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte2).bytes, 120);
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte3).bytes, 120);
}

TEST(UbCopyTest, ToMatCarriesNoValueAlong) {
  Machine machine;
  Memory& ub = machine.memory(MemorySpace::kVec);
  ub.Poke(64, {1, 2, 3, 4});
  MX_ASSERT_OK(CopyUbToMat(machine, {64, 0x1000, 2, 32, 32, 64}));
  const Memory& mat = machine.memory(MemorySpace::kMat);
  EXPECT_EQ(mat.Peek(0x1000, 4), (std::vector<uint8_t>{1, 2, 3, 4}));
  EXPECT_TRUE(mat.HasValue(0x1000, 4));
  EXPECT_FALSE(mat.HasValue(0x1004, 1));
  EXPECT_EQ(mat.WriterOf(0x1040, 32), mat.WriterOf(0x1000, 32));
  EXPECT_EQ(mat.WriterOf(0x1020, 32), 0);
  // 64 bytes at 128 a cycle.
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte3).cycles, 1);
}

TEST(UbCopyTest, Traps) {
  Machine machine;
  const uint64_t gm = machine.AllocateGm("gm", 64);
  const auto refused = [](absl::StatusCode code, const std::string& name,
                          const std::string& rule) {
    return StatusIs(code, AllOf(HasSubstr(name), HasSubstr(rule)));
  };
  const absl::StatusCode invalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(CopyGmToUb(machine, {gm, 0, 1, 64, 0, 0}),
              refused(invalid, "COPY_GM_TO_UB", "A5-MEM-3"));
  MX_ASSERT_OK(machine.WriteGm(gm, Numbered(64)));
  EXPECT_THAT(CopyGmToUb(machine, {gm, 8, 1, 64, 0, 0}),
              refused(invalid, "COPY_GM_TO_UB", "A5-MEM-2"));
  EXPECT_THAT(
      CopyGmToUb(machine, {gm, 0, 2, 64, 32, 64}),
      refused(absl::StatusCode::kOutOfRange, "COPY_GM_TO_UB", "A5-MEM-1"));
  EXPECT_THAT(CopyGmToUb(machine, {gm, 0, 0, 64, 0, 0}),
              refused(invalid, "burst_count", "A5-FIELD-1"));
  EXPECT_THAT(CopyUbToGm(machine, {0x100, gm, 1, 32, 0, 0}),
              refused(invalid, "COPY_UB_TO_GM", "A5-MEM-3"));
  EXPECT_THAT(CopyUbToMat(machine, {0, 0, 2, 64, 64, 32}),
              refused(invalid, "COPY_UB_TO_L1", "A5-MEM-4"));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
