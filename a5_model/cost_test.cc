#include "a5_model/cost.h"

#include "a5_model/soc/soc.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

TEST(CostTest, MmadOfPublishedTile) {
  EXPECT_EQ(MmadCycles(Ascend950(), 128, 128, 256, 8), 25 + 8 * 4 * 16);
  EXPECT_EQ(MmadCycles(Ascend950(), 128, 128, 256, 16), 25 + 8 * 8 * 16);
  EXPECT_EQ(MmadCycles(Ascend950(), 128, 128, 256, 4), 25 + 8 * 2 * 16);
}

TEST(CostTest, MmadRoundsEachExtentUp) {
  EXPECT_EQ(MmadCycles(Ascend950(), 1, 64, 1, 8), 25 + 2);
  EXPECT_EQ(MmadCycles(Ascend950(), 17, 64, 33, 8), 25 + 2 * 2 * 3);
}

// The public measurement of 6144^3: 32 cores, tiles of C of 128 x 256, K in
// steps of 128. 48 * 24 * 48 MMADs of 537 cycles, a 32th of them on each core.
TEST(CostTest, MmadsOfThePublishedMatmul) {
  const int64_t mmads = (6144 / 128) * (6144 / 256) * (6144 / 128) / 32;
  EXPECT_EQ(mmads, 1728);
  const int64_t cycles = mmads * MmadCycles(Ascend950(), 128, 128, 256, 8);
  EXPECT_EQ(cycles, 927936);
  const double milliseconds = cycles / (Ascend950().clock_mhz * 1e3);
  EXPECT_NEAR(milliseconds, 0.562, 0.0005);
  EXPECT_NEAR(milliseconds / 0.602, 0.93, 0.005);
}

TEST(CostTest, GmLoadTakesTheDdrShare) {
  EXPECT_EQ(GmLoadCycles(Ascend950(), 2700), 100);
  EXPECT_EQ(GmLoadCycles(Ascend950(), 1), 1);
}

TEST(CostTest, MovesFromMat) {
  EXPECT_EQ(MatMoveCycles(Ascend950(), MemorySpace::kLeft, 2063), 10);
  EXPECT_EQ(MatMoveCycles(Ascend950(), MemorySpace::kRight, 2238), 10);
  EXPECT_EQ(MatMoveCycles(Ascend950(), MemorySpace::kLeftScale, 2063), 26);
  EXPECT_EQ(MatMoveCycles(Ascend950(), MemorySpace::kRightScale, 2238), 26);
  EXPECT_EQ(MatMoveCycles(Ascend950(), MemorySpace::kBias, 256), 20);
}

// 64 columns: 256 bytes a row, 8.5333 cycles, 4 blocks of 16 with odd part 1.
// 48 columns: 192 bytes, 6.4 cycles, 3 blocks: 0.26 * 2 more a row.
TEST(CostTest, AccDrain) {
  EXPECT_EQ(AccDrainCycles(Ascend950(), 32, 64), 617);  // 343.4 + 273.07
  EXPECT_EQ(AccDrainCycles(Ascend950(), 10, 48), 413);  // 343.4 + 69.2
  EXPECT_EQ(AccDrainCycles(Ascend950(), 10, 16), 390);  // 343.4 + 45.9
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
