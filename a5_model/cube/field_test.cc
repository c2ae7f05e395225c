#include "a5_model/cube/field.h"

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

TEST(FieldTest, AcceptsExactlyTheRange_A5_FIELD_1) {
  for (int value = -3; value < 8; ++value) {
    EXPECT_EQ(CheckField({"X", 1}, "f", value, 1, 4).ok(),
              value >= 1 && value <= 4);
  }
  EXPECT_THAT(CheckField({"LOAD_2D", 7}, "mStep", 256, 1, 255),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "LOAD_2D (instruction 7): mStep is 256, not in [1, 255] "
                       "(A5-FIELD-1)"));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
