#include "passes/allocate_addresses/memory_plan.h"

#include "gtest/gtest.h"

namespace mxtile {
namespace {

TEST(MemoryPlanTest, StacksAtAlignedAddresses) {
  MemoryPlan plan(128);
  EXPECT_EQ(plan.end(), 0);
  EXPECT_EQ(plan.Place(100), 0);
  EXPECT_EQ(plan.Place(128), 128);
  EXPECT_EQ(plan.Place(1), 256);
  EXPECT_EQ(plan.end(), 257) << "the last buffer needs no padding";
}

TEST(MemoryPlanTest, FillsGapsThatAreLargeEnough) {
  MemoryPlan plan(32);
  EXPECT_TRUE(plan.Reserve(64, 32));
  EXPECT_TRUE(plan.Reserve(128, 32));
  EXPECT_EQ(plan.Place(96), 160);
  EXPECT_EQ(plan.Place(64), 0);
  EXPECT_EQ(plan.Place(10), 96);
  EXPECT_EQ(plan.Place(1), 256) << "no gap is left";
}

TEST(MemoryPlanTest, ReserveRefusesOverlaps) {
  MemoryPlan plan(32);
  EXPECT_TRUE(plan.Reserve(64, 64));
  EXPECT_FALSE(plan.Reserve(96, 32));
  EXPECT_FALSE(plan.Reserve(32, 64));
  EXPECT_FALSE(plan.Reserve(0, 256));
  EXPECT_TRUE(plan.Reserve(32, 32));
  EXPECT_TRUE(plan.Reserve(128, 32));
  EXPECT_TRUE(plan.Reserve(0, 32));
  EXPECT_EQ(plan.Place(32), 160);
}

}  // namespace
}  // namespace mxtile
