#include "base/status_macros.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

using ::testing::Eq;
using ::testing::Pointee;

absl::StatusOr<std::unique_ptr<int>> Positive(int value) {
  if (value <= 0) {
    return absl::InvalidArgumentError("not positive");
  }
  return std::make_unique<int>(value);
}

absl::StatusOr<std::unique_ptr<int>> Twice(int value) {
  MX_ASSIGN_OR_RETURN(std::unique_ptr<int> number, Positive(value));
  *number *= 2;
  return number;
}

absl::Status Check(int value, int* reached) {
  MX_RETURN_IF_ERROR(Positive(value).status());
  *reached = value;
  return absl::OkStatus();
}

TEST(StatusMacrosTest, AssignsMoveOnlyValues) {
  EXPECT_THAT(Twice(3), IsOkAndHolds(Pointee(6)));
}

TEST(StatusMacrosTest, ReturnsTheErrorUnchanged) {
  EXPECT_THAT(Twice(0),
              StatusIs(absl::StatusCode::kInvalidArgument, Eq("not positive")));
}

TEST(StatusMacrosTest, ReturnIfErrorStopsOnlyOnErrors) {
  int reached = 0;
  EXPECT_THAT(Check(-1, &reached),
              StatusIs(absl::StatusCode::kInvalidArgument, Eq("not positive")));
  EXPECT_EQ(reached, 0);
  MX_EXPECT_OK(Check(7, &reached));
  EXPECT_EQ(reached, 7);
}

}  // namespace
}  // namespace mxtile
