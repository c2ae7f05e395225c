#include "ir/text/number_literal.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::ir::text {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kOutOfRange = absl::StatusCode::kOutOfRange;

TEST(DecodeIntTest, Values) {
  for (const auto& [text, value] :
       std::initializer_list<std::pair<const char*, uint64_t>>{
           {"0", 0},
           {"00", 0},
           {"0_0", 0},
           {"7", 7},
           {"1_000_000", 1'000'000},
           {"0xfF", 255},
           {"0X_ff_00", 0xff00},
           {"0o17", 15},
           {"0b1010", 10},
           {"9223372036854775807", 9223372036854775807u},
           {"0x000000000000000000001", 1},
       }) {
    EXPECT_THAT(DecodeInt(text), IsOkAndHolds(Eq(value))) << text;
  }
}

TEST(DecodeIntTest, Malformed) {
  for (const char* text : {"", "_1", "1_", "1__0", "0x", "0x_", "0xg", "0b2",
                           "0o8", "12a", "1j"}) {
    EXPECT_THAT(DecodeInt(text), StatusIs(kInvalid, HasSubstr("not a number")))
        << text;
  }
  EXPECT_THAT(DecodeInt("017"), StatusIs(kInvalid, HasSubstr("0o17")));
}

TEST(DecodeIntTest, TooLarge) {
  for (const char* text :
       {"9223372036854775808", "18446744073709551616", "0x10000000000000000",
        "100000000000000000000000000000000000000000000000000000000"}) {
    EXPECT_THAT(DecodeInt(text), StatusIs(kOutOfRange, HasSubstr("2^63")))
        << text;
  }
}

TEST(DecodeIntTest, OtherMaximum) {
  constexpr uint64_t kTwoTo63 = uint64_t{1} << 63;
  EXPECT_THAT(DecodeInt("9223372036854775808", kTwoTo63),
              IsOkAndHolds(Eq(kTwoTo63)));
  EXPECT_THAT(DecodeInt("9223372036854775809", kTwoTo63),
              StatusIs(kOutOfRange, HasSubstr("2^63")));
}

TEST(DecodeIntTest, MessageStaysSmall) {
  EXPECT_LT(DecodeInt(std::string(1 << 20, '9')).status().message().size(),
            100);
}

TEST(DecodeFloatTest, Values) {
  for (const auto& [text, value] :
       std::initializer_list<std::pair<const char*, double>>{
           {"0.0", 0},
           {"1.", 1},
           {".5", 0.5},
           {"1e3", 1000},
           {"1_0.2_5E+0_1", 102.5},
           {"00.5", 0.5},
           {"0.10000000000000001", 0.1},
           {"1.7976931348623157e308", std::numeric_limits<double>::max()},
           {"5e-324", std::numeric_limits<double>::denorm_min()},
           {"1e-400", 0},
       }) {
    EXPECT_THAT(DecodeFloat(text), IsOkAndHolds(Eq(value))) << text;
  }
}

TEST(DecodeFloatTest, Errors) {
  for (const char* text :
       {"", ".", "1.5.2", "1e", "1e+", "1_.5", "1._5", "1.5_", "1.5e_1", "inf",
        "nan", "-1.0", "1.5f", "1.5j", "e5"}) {
    EXPECT_THAT(DecodeFloat(text),
                StatusIs(kInvalid, HasSubstr("not a number")))
        << text;
  }
  EXPECT_THAT(DecodeFloat("1e309"),
              StatusIs(kOutOfRange, HasSubstr("largest double")));
}

}  // namespace
}  // namespace mxtile::ir::text
