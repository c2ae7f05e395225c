#include "numerics/f8e5m2.h"

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

// The format's definition for codes up to 0x7B.
double Magnitude(int code) {
  const int exponent = code >> 2;
  const int mantissa = code & 3;
  return exponent == 0 ? std::ldexp(mantissa, -16)
                       : std::ldexp(4 + mantissa, exponent - 17);
}

std::vector<double> EncodableMagnitudes() {
  std::vector<double> values;
  for (int code = 0; code <= 0x7B; ++code) {
    values.push_back(DecodeF8E5M2(code));
  }
  values.push_back(65536);  // where the next step would be
  return values;
}

TEST(F8E5M2Test, DecodesEveryFiniteCode) {
  for (int code = 0; code <= 0x7B; ++code) {
    EXPECT_EQ(DecodeF8E5M2(code), Magnitude(code)) << code;
    EXPECT_EQ(DecodeF8E5M2(0x80 | code), -Magnitude(code)) << code;
    EXPECT_FALSE(std::signbit(DecodeF8E5M2(code))) << code;
    EXPECT_TRUE(std::signbit(DecodeF8E5M2(0x80 | code))) << code;
  }
}

TEST(F8E5M2Test, DecodesInfinityAndNan) {
  EXPECT_EQ(DecodeF8E5M2(0x7C), kInfinity);
  EXPECT_EQ(DecodeF8E5M2(0xFC), -kInfinity);
  for (const int code : {0x7D, 0x7E, 0x7F}) {
    EXPECT_EQ(absl::bit_cast<uint32_t>(DecodeF8E5M2(code)), 0x7FC00000);
    EXPECT_EQ(absl::bit_cast<uint32_t>(DecodeF8E5M2(0x80 | code)), 0xFFC00000);
  }
}

TEST(F8E5M2Test, EncodesToTheNearestCode) {
  const std::vector<double> values = EncodableMagnitudes();
  for (const float probe : EncodeProbes()) {
    if (std::isnan(probe)) continue;
    const uint32_t sign = std::signbit(probe) ? 0x80 : 0;
    const uint32_t nearest = NearestCode(values, std::fabs(probe));
    ASSERT_EQ(EncodeF8E5M2(probe, Overflow::kSaturate),
              sign | std::min<uint32_t>(nearest, 0x7B))
        << std::hexfloat << probe;
    // The code after the largest one is the special one.
    ASSERT_EQ(EncodeF8E5M2(probe, Overflow::kSpecial), sign | nearest)
        << std::hexfloat << probe;
  }
}

TEST(F8E5M2Test, NanKeepsItsSign) {
  for (const Overflow overflow : {Overflow::kSaturate, Overflow::kSpecial}) {
    for (const uint32_t nan : {0x7F800001, 0x7FC00000, 0x7FFFFFFF}) {
      const uint32_t negative = nan | 0x80000000;
      EXPECT_EQ(EncodeF8E5M2(absl::bit_cast<float>(nan), overflow), 0x7F);
      EXPECT_EQ(EncodeF8E5M2(absl::bit_cast<float>(negative), overflow), 0xFF);
    }
  }
}

TEST(F8E5M2Test, OverflowsFromTheTieOn) {
  const float below = std::nextafter(61440.0f, 0.0f);
  EXPECT_EQ(EncodeF8E5M2(below, Overflow::kSpecial), 0x7B);
  EXPECT_EQ(EncodeF8E5M2(61440.0f, Overflow::kSpecial), 0x7C);
  EXPECT_EQ(EncodeF8E5M2(-61440.0f, Overflow::kSpecial), 0xFC);
  EXPECT_EQ(EncodeF8E5M2(61440.0f, Overflow::kSaturate), 0x7B);
  EXPECT_EQ(EncodeF8E5M2(-kInfinity, Overflow::kSpecial), 0xFC);
  EXPECT_EQ(EncodeF8E5M2(-kInfinity, Overflow::kSaturate), 0xFB);
}

}  // namespace
}  // namespace mxtile
