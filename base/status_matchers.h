#ifndef BASE_STATUS_MATCHERS_H_
#define BASE_STATUS_MATCHERS_H_

// GoogleTest matchers over absl::Status and absl::StatusOr.
//
//   EXPECT_THAT(Load("x"), IsOk());
//   EXPECT_THAT(Load("x"), IsOkAndHolds(Eq(3)));
//   EXPECT_THAT(Load(""), StatusIs(absl::StatusCode::kInvalidArgument,
//   HasSubstr("empty")));

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

MATCHER_P2(StatusIs, code, message_matcher, "") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code &&
         ::testing::Matches(message_matcher)(
             std::string(StatusOf(arg).message()));
}

MATCHER_P(IsOkAndHolds, value_matcher, "") {
  if (!arg.ok()) {
    *result_listener << arg.status().ToString();
    return false;
  }
  return ::testing::ExplainMatchResult(value_matcher, *arg, result_listener);
}

}  // namespace mxtile

#define MX_ASSERT_OK(expr) ASSERT_THAT((expr), ::mxtile::IsOk())
#define MX_EXPECT_OK(expr) EXPECT_THAT((expr), ::mxtile::IsOk())

// In a test body: ends the test when `expr` is an error.
#define MX_ASSERT_OK_AND_ASSIGN(lhs, expr)                                    \
  MX_ASSERT_OK_AND_ASSIGN_IMPL_(MX_TEST_CONCAT_(mx_test_statusor_, __LINE__), \
                                lhs, expr)
#define MX_TEST_CONCAT_INNER_(a, b) a##b
#define MX_TEST_CONCAT_(a, b) MX_TEST_CONCAT_INNER_(a, b)
#define MX_ASSERT_OK_AND_ASSIGN_IMPL_(statusor, lhs, expr)    \
  auto statusor = (expr);                                     \
  ASSERT_TRUE(statusor.ok()) << statusor.status().ToString(); \
  lhs = *std::move(statusor)

#endif  // BASE_STATUS_MATCHERS_H_
