#include "tools/bench/strict_json.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {
namespace {

using ::testing::HasSubstr;

TEST(StrictJsonTest, KeepsValuesAndOrder) {
  MX_ASSERT_OK_AND_ASSIGN(
      const nlohmann::ordered_json json,
      ParseStrictJson(R"({"b": [1, {"x": 2}, {"x": 3}], "a": {"b": 0.1}})"));
  EXPECT_EQ(json.dump(), R"({"b":[1,{"x":2},{"x":3}],"a":{"b":0.1}})");
}

TEST(StrictJsonTest, RefusesAKeyThatStandsTwice) {
  for (const char* const text :
       {R"({"a": 1, "a": 1})", R"([{"b": {"a": 1, "c": {}, "a": 2}}])"}) {
    EXPECT_THAT(ParseStrictJson(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("key \"a\" stands twice")));
  }
}

TEST(StrictJsonTest, RefusesWhatIsNoNumberAndWhatFollows) {
  for (const char* const text : {"[NaN]", "[Infinity]", "[-Infinity]",
                                 "[1e999]", "{} {}", "{\"a\": 1", ""}) {
    EXPECT_THAT(
        ParseStrictJson(text),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("[json")))
        << text;
  }
}

}  // namespace
}  // namespace mxtile::bench
