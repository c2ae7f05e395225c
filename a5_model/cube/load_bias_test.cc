#include "a5_model/cube/load_bias.h"

#include <cstdint>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

TEST(LoadBiasTest, CopiesTheValues) {
  Machine machine;
  std::vector<uint8_t> bytes(40);
  for (int i = 0; i < 40; ++i) bytes[i] = i + 1;
  machine.memory(MemorySpace::kMat).Poke(64, bytes);
  MX_ASSERT_OK(LoadBias(machine, {64, 128, 10}));
  EXPECT_EQ(machine.memory(MemorySpace::kBias).Peek(128, 40), bytes);
  EXPECT_FALSE(machine.memory(MemorySpace::kBias).HasValue(168, 1));
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte1).bytes, 40);
}

TEST(LoadBiasTest, Traps) {
  Machine machine;
  EXPECT_THAT(LoadBias(machine, {0, 32, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("no multiple of 64 bytes (A5-MEM-2)")));
  EXPECT_THAT(LoadBias(machine, {0, 64, 1024}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("of Bias")));
  EXPECT_THAT(LoadBias(machine, {0, 0, 1025}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("count is 1025, not in [1, 1024]")));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
