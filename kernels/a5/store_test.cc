#include "kernels/a5/store.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

// 20 valid rows of 48: the pitch in Acc is 32 rows.
const Tile kAcc = {MemorySpace::kAcc,   0x400,          48, 64, 20, 40,
                   ElementFormat::kF32, TileLayout::kNz};

void PokeWord(Machine& machine, uint64_t address, uint32_t word) {
  std::vector<uint8_t> bytes(4);
  std::memcpy(bytes.data(), &word, 4);
  machine.memory(MemorySpace::kAcc).Poke(address, bytes);
}

TEST(TStoreAccTest, WritesTheWindowOnly) {
  Machine machine;
  for (uint32_t m = 0; m < 20; ++m) {
    for (uint32_t n = 0; n < 40; ++n) {
      PokeWord(machine, 0x400 + n / 16 * 32 * 64 + m * 64 + n % 16 * 4,
               m * 1000 + n);
    }
  }
  const uint64_t gm = machine.AllocateGm("c", 30 * 50 * 4);
  MX_ASSERT_OK(machine.WriteGm(gm, std::vector<uint8_t>(30 * 50 * 4, 0xFF)));
  MX_ASSERT_OK(TStoreAcc(machine, kAcc,
                         {gm, ElementFormat::kF32, {30, 50}, {50, 1}},
                         {{5, 7}, {20, 40}}));
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<uint8_t> bytes,
                          machine.ReadGm(gm, 30 * 50 * 4));
  for (uint32_t r = 0; r < 30; ++r) {
    for (uint32_t c = 0; c < 50; ++c) {
      uint32_t word;
      std::memcpy(&word, &bytes[(r * 50 + c) * 4], 4);
      const bool inside = r >= 5 && r < 25 && c >= 7 && c < 47;
      EXPECT_EQ(word, inside ? (r - 5) * 1000 + c - 7 : 0xFFFFFFFF);
    }
  }
}

TEST(TStoreAccTest, Refuses) {
  Machine machine;
  const uint64_t gm = machine.AllocateGm("c", 20 * 40 * 4);
  const GmTensor c = {gm, ElementFormat::kF32, {20, 40}, {40, 1}};
  EXPECT_THAT(TStoreAcc(machine, kAcc, c, {{0, 0}, {20, 41}}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("A5-TILE-2")));
  EXPECT_THAT(
      TStoreAcc(machine, kAcc, c, {{0, 0}, {20, 39}}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-TILE-3")));
  EXPECT_THAT(
      TStoreAcc(machine, kAcc, c, {{0, 0}, {20, 40}}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-MEM-3")));
  Tile left = kAcc;
  left.space = MemorySpace::kLeft;
  EXPECT_THAT(
      TStoreAcc(machine, left, c, {{0, 0}, {20, 40}}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-TILE-1")));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
