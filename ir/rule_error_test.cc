#include "ir/rule_error.h"

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

using ::testing::Eq;

TEST(RuleErrorTest, CarriesTheRuleBesideTheMessage) {
  const absl::Status status = RuleError("MX-MATMUL-3", "M is 8");
  EXPECT_THAT(status,
              StatusIs(absl::StatusCode::kInvalidArgument, Eq("M is 8")));
  EXPECT_EQ(RuleOf(status), "MX-MATMUL-3");
}

TEST(RuleErrorTest, OtherStatusesHaveNoRule) {
  EXPECT_EQ(RuleOf(absl::InvalidArgumentError("M is 8")), "");
  EXPECT_EQ(RuleOf(absl::OkStatus()), "");
}

}  // namespace
}  // namespace mxtile::ir
