#include "a5_model/cost.h"

#include "a5_model/soc/soc.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

TEST(CostTest, MmadOfPublishedTile) {
  EXPECT_EQ(MmadCycles(Ascend950(), 128, 128, 256, 1), 25 + 8 * 4 * 16);
  EXPECT_EQ(MmadCycles(Ascend950(), 128, 128, 256, 2), 25 + 8 * 8 * 16);
}

TEST(CostTest, MmadRoundsEachExtentUp) {
  EXPECT_EQ(MmadCycles(Ascend950(), 1, 64, 1, 1), 25 + 2);
  EXPECT_EQ(MmadCycles(Ascend950(), 17, 64, 33, 1), 25 + 2 * 2 * 3);
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
