#include "proof/call_cycles.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace mxtile::proof {
namespace {

using Edges = std::vector<std::vector<int>>;

TEST(CallCyclesTest, NothingHasNoCycle) { EXPECT_TRUE(OnCycle({}).empty()); }

TEST(CallCyclesTest, SelfCall) {
  EXPECT_EQ(OnCycle({{0}, {0}}), (std::vector<bool>{true, false}));
}

TEST(CallCyclesTest, MutualRecursionAndItsSurroundings) {
  // 0 -> 1 <-> 2 -> 3: neither the caller nor the callee is recursive.
  EXPECT_EQ(OnCycle({{1}, {2}, {1, 3}, {}}),
            (std::vector<bool>{false, true, true, false}));
}

TEST(CallCyclesTest, BetweenTwoCyclesIsNotOnOne) {
  EXPECT_EQ(OnCycle({{0, 1}, {2}, {2}}),
            (std::vector<bool>{true, false, true}));
}

TEST(CallCyclesTest, LongChainDoesNotRecurse) {
  constexpr int kCount = 200000;
  Edges edges(kCount);
  for (int i = 0; i + 1 < kCount; ++i) edges[i] = {i + 1};
  EXPECT_EQ(OnCycle(edges), std::vector<bool>(kCount, false));
  edges.back() = {0};
  EXPECT_EQ(OnCycle(edges), std::vector<bool>(kCount, true));
}

TEST(CallCyclesTest, AgreesWithTransitiveClosure) {
  std::mt19937 random(1);  // NOLINT: a fixed seed is the point.
  for (int round = 0; round < 500; ++round) {
    const int count = 1 + random() % 8;
    Edges edges(count);
    std::vector<std::vector<bool>> reach(count, std::vector<bool>(count));
    for (int e = random() % (2 * count); e > 0; --e) {
      const int from = random() % count, to = random() % count;
      edges[from].push_back(to);
      reach[from][to] = true;
    }
    for (int k = 0; k < count; ++k) {
      for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
          if (reach[i][k] && reach[k][j]) reach[i][j] = true;
        }
      }
    }
    const std::vector<bool> on_cycle = OnCycle(edges);
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(on_cycle[i], reach[i][i]) << "round " << round << " node " << i;
    }
  }
}

}  // namespace
}  // namespace mxtile::proof
