#include "proof/refusal.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace mxtile::proof {
namespace {

TEST(RefusalReasonTest, NamesDiffer) {
  std::set<std::string> names;
  const int last = static_cast<int>(RefusalReason::kBudget);
  for (int reason = 0; reason <= last; ++reason) {
    names.emplace(RefusalReasonName(static_cast<RefusalReason>(reason)));
  }
  EXPECT_EQ(names.size(), last + 1);
  EXPECT_EQ(names.count(""), 0);
  EXPECT_EQ(RefusalReasonName(RefusalReason::kLoopViolates), "loop_violates");
}

}  // namespace
}  // namespace mxtile::proof
