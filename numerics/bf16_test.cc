#include "numerics/bf16.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/encode_test_util.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

constexpr int kInfinity = 0x7F80;

double Magnitude(int code) {
  const int exponent = code >> 7;
  const int mantissa = code & 0x7F;
  return exponent == 0 ? std::ldexp(mantissa, -133)
                       : std::ldexp(128 + mantissa, exponent - 134);
}

TEST(BF16Test, DecodesEveryFiniteCode) {
  for (int code = 0; code < kInfinity; ++code) {
    ASSERT_EQ(DecodeBF16(code), Magnitude(code)) << code;
    ASSERT_EQ(DecodeBF16(0x8000 | code), -Magnitude(code)) << code;
    ASSERT_TRUE(std::signbit(DecodeBF16(0x8000 | code))) << code;
  }
}

TEST(BF16Test, DecodesInfinityAndNan) {
  EXPECT_EQ(DecodeBF16(kInfinity), HUGE_VALF);
  EXPECT_EQ(DecodeBF16(0x8000 | kInfinity), -HUGE_VALF);
  for (int code = kInfinity + 1; code < 0x8000; ++code) {
    EXPECT_TRUE(std::isnan(DecodeBF16(code))) << code;
    EXPECT_TRUE(std::isnan(DecodeBF16(0x8000 | code))) << code;
  }
}

TEST(BF16Test, EncodesToTheNearestCode) {
  std::vector<double> values;
  for (int code = 0; code < kInfinity; ++code) {
    values.push_back(DecodeBF16(code));
  }
  values.push_back(std::ldexp(1, 128));  // where the next step would be: Inf
  for (const float probe : EncodeProbes()) {
    if (std::isnan(probe)) continue;
    const uint32_t sign = std::signbit(probe) ? 0x8000 : 0;
    const uint32_t nearest = NearestCode(values, std::fabs(probe));
    ASSERT_EQ(EncodeBF16(probe), sign | nearest) << std::hexfloat << probe;
    ASSERT_EQ(EncodeBF16(probe, Overflow::kSaturate),
              sign | std::min<uint32_t>(nearest, kInfinity - 1))
        << std::hexfloat << probe;
  }
}

TEST(BF16Test, NanBecomesQuietAndKeepsSignAndUpperPayload) {
  EXPECT_EQ(EncodeBF16(absl::bit_cast<float>(0x7F800001u)), 0x7FC0);
  EXPECT_EQ(EncodeBF16(absl::bit_cast<float>(0xFF800001u)), 0xFFC0);
  EXPECT_EQ(EncodeBF16(absl::bit_cast<float>(0x7FA3FFFFu)), 0x7FE3);
  EXPECT_EQ(EncodeBF16(absl::bit_cast<float>(0xFFFFFFFFu)), 0xFFFF);
  EXPECT_EQ(EncodeBF16(absl::bit_cast<float>(0xFFFFFFFFu), Overflow::kSaturate),
            0xFFFF);
}

// Toward zero: the largest code whose magnitude is not above.
TEST(BF16Test, TruncatesTowardZero) {
  for (const float probe : EncodeProbes()) {
    if (std::isnan(probe)) continue;
    const uint16_t code = TruncateToBF16(probe);
    ASSERT_EQ(std::signbit(DecodeBF16(code)), std::signbit(probe))
        << std::hexfloat << probe;
    const uint16_t magnitude = code & 0x7FFF;
    ASSERT_LE(DecodeBF16(magnitude), std::fabs(probe))
        << std::hexfloat << probe;
    if (magnitude < kInfinity) {
      ASSERT_GT(DecodeBF16(magnitude + 1), std::fabs(probe))
          << std::hexfloat << probe;
    }
  }
}

TEST(BF16Test, TruncationOfInfinityAndNan) {
  EXPECT_EQ(TruncateToBF16(-HUGE_VALF), 0xFF80);
  EXPECT_EQ(TruncateToBF16(-HUGE_VALF, Overflow::kSaturate), 0xFF7F);
  EXPECT_EQ(TruncateToBF16(absl::bit_cast<float>(0x7F7FFFFFu)), 0x7F7F);
  EXPECT_EQ(TruncateToBF16(absl::bit_cast<float>(0x7F800001u)), 0x7FC0);
  EXPECT_EQ(TruncateToBF16(absl::bit_cast<float>(0xFFA3FFFFu)), 0xFFE3);
  EXPECT_EQ(
      TruncateToBF16(absl::bit_cast<float>(0xFFFFFFFFu), Overflow::kSaturate),
      0xFFFF);
}

}  // namespace
}  // namespace mxtile
