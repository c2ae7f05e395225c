#include "numerics/f16.h"

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

constexpr int kInfinity = 0x7C00;

double Magnitude(int code) {
  const int exponent = code >> 10;
  const int mantissa = code & 0x3FF;
  return exponent == 0 ? std::ldexp(mantissa, -24)
                       : std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(F16Test, DecodesEveryFiniteCode) {
  for (int code = 0; code < kInfinity; ++code) {
    ASSERT_EQ(DecodeF16(code), Magnitude(code)) << code;
    ASSERT_EQ(DecodeF16(0x8000 | code), -Magnitude(code)) << code;
    ASSERT_TRUE(std::signbit(DecodeF16(0x8000 | code))) << code;
  }
}

TEST(F16Test, DecodesInfinity) {
  EXPECT_EQ(DecodeF16(kInfinity), HUGE_VALF);
  EXPECT_EQ(DecodeF16(0x8000 | kInfinity), -HUGE_VALF);
}

// Exponent field all ones, quiet bit set, payload at the upper end.
TEST(F16Test, DecodesEveryNanToAQuietOne) {
  for (uint32_t code = kInfinity + 1; code < 0x8000; ++code) {
    const uint32_t expected = 0x7FC00000 | (code & 0x3FF) << 13;
    EXPECT_EQ(absl::bit_cast<uint32_t>(DecodeF16(code)), expected) << code;
    EXPECT_EQ(absl::bit_cast<uint32_t>(DecodeF16(0x8000 | code)),
              0x80000000 | expected)
        << code;
  }
}

TEST(F16Test, EncodesToTheNearestCode) {
  std::vector<double> values;
  for (int code = 0; code < kInfinity; ++code) {
    values.push_back(DecodeF16(code));
  }
  values.push_back(65536);  // where the next step would be: Inf
  for (const float probe : EncodeProbes()) {
    if (std::isnan(probe)) continue;
    const uint32_t sign = std::signbit(probe) ? 0x8000 : 0;
    const uint32_t nearest = NearestCode(values, std::fabs(probe));
    ASSERT_EQ(EncodeF16(probe), sign | nearest) << std::hexfloat << probe;
    ASSERT_EQ(EncodeF16(probe, Overflow::kSaturate),
              sign | std::min<uint32_t>(nearest, kInfinity - 1))
        << std::hexfloat << probe;
  }
}

TEST(F16Test, NanBecomesQuietAndKeepsSignAndUpperPayload) {
  EXPECT_EQ(EncodeF16(absl::bit_cast<float>(0x7F800001u)), 0x7E00);
  EXPECT_EQ(EncodeF16(absl::bit_cast<float>(0xFF800001u)), 0xFE00);
  EXPECT_EQ(EncodeF16(absl::bit_cast<float>(0x7F802000u)), 0x7E01);
  EXPECT_EQ(EncodeF16(absl::bit_cast<float>(0xFFFFFFFFu)), 0xFFFF);
  EXPECT_EQ(EncodeF16(absl::bit_cast<float>(0xFFFFFFFFu), Overflow::kSaturate),
            0xFFFF);
}

}  // namespace
}  // namespace mxtile
