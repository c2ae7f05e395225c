#include "numerics/f8e4m3fn.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/encode_test_util.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The format's definition for codes up to 0x7E.
double Magnitude(int code) {
  const int exponent = code >> 3;
  const int mantissa = code & 7;
  return exponent == 0 ? std::ldexp(mantissa, -9)
                       : std::ldexp(8 + mantissa, exponent - 10);
}

std::vector<double> EncodableMagnitudes() {
  std::vector<double> values;
  for (int code = 0; code <= 0x7E; ++code) {
    values.push_back(DecodeF8E4M3FN(code));
  }
  values.push_back(480);  // where the next step would be
  return values;
}

TEST(F8E4M3FNTest, DecodesEveryFiniteCode) {
  for (int code = 0; code <= 0x7E; ++code) {
    EXPECT_EQ(DecodeF8E4M3FN(code), Magnitude(code)) << code;
    EXPECT_EQ(DecodeF8E4M3FN(0x80 | code), -Magnitude(code)) << code;
    EXPECT_FALSE(std::signbit(DecodeF8E4M3FN(code))) << code;
    EXPECT_TRUE(std::signbit(DecodeF8E4M3FN(0x80 | code))) << code;
  }
}

TEST(F8E4M3FNTest, NanCodesAreQuietNansWithTheirSign) {
  EXPECT_EQ(absl::bit_cast<uint32_t>(DecodeF8E4M3FN(0x7F)), 0x7FC00000);
  EXPECT_EQ(absl::bit_cast<uint32_t>(DecodeF8E4M3FN(0xFF)), 0xFFC00000);
}

TEST(F8E4M3FNTest, EncodesToTheNearestCode) {
  const std::vector<double> values = EncodableMagnitudes();
  for (const float probe : EncodeProbes()) {
    if (std::isnan(probe)) continue;
    const uint32_t sign = std::signbit(probe) ? 0x80 : 0;
    const uint32_t nearest = NearestCode(values, std::fabs(probe));
    ASSERT_EQ(EncodeF8E4M3FN(probe, Overflow::kSaturate),
              sign | std::min<uint32_t>(nearest, 0x7E))
        << std::hexfloat << probe;
    // The code after the largest one is the special one.
    ASSERT_EQ(EncodeF8E4M3FN(probe, Overflow::kSpecial), sign | nearest)
        << std::hexfloat << probe;
  }
}

TEST(F8E4M3FNTest, NanKeepsItsSign) {
  for (const Overflow overflow : {Overflow::kSaturate, Overflow::kSpecial}) {
    for (const uint32_t nan : {0x7F800001, 0x7FC00000, 0x7FFFFFFF}) {
      const uint32_t negative = nan | 0x80000000;
      EXPECT_EQ(EncodeF8E4M3FN(absl::bit_cast<float>(nan), overflow), 0x7F);
      EXPECT_EQ(EncodeF8E4M3FN(absl::bit_cast<float>(negative), overflow),
                0xFF);
    }
  }
}

TEST(F8E4M3FNTest, OverflowsAboveTheTieOnly) {
  const float above = std::nextafter(464.0f, 465.0f);
  EXPECT_EQ(EncodeF8E4M3FN(464.0f, Overflow::kSpecial), 0x7E);
  EXPECT_EQ(EncodeF8E4M3FN(above, Overflow::kSpecial), 0x7F);
  EXPECT_EQ(EncodeF8E4M3FN(-above, Overflow::kSpecial), 0xFF);
  EXPECT_EQ(EncodeF8E4M3FN(above, Overflow::kSaturate), 0x7E);
  EXPECT_EQ(EncodeF8E4M3FN(-kInfinity, Overflow::kSpecial), 0xFF);
  EXPECT_EQ(EncodeF8E4M3FN(-kInfinity, Overflow::kSaturate), 0xFE);
}

}  // namespace
}  // namespace mxtile
