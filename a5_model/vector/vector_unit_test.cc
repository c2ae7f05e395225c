#include "a5_model/vector/vector_unit.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace a5
}  // namespace mxtile
