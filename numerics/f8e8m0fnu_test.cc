#include "numerics/f8e8m0fnu.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/encode_test_util.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

int Special(float value) { return EncodeF8E8M0FNU(value, Overflow::kSpecial); }

int Saturate(float value) {
  return EncodeF8E8M0FNU(value, Overflow::kSaturate);
}

TEST(F8E8M0FNUTest, DecodesEveryNumber) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(DecodeF8E8M0FNU(code), std::ldexp(1.0, code - 127)) << code;
  }
}

TEST(F8E8M0FNUTest, TheLastCodeIsNan) {
  EXPECT_EQ(absl::bit_cast<uint32_t>(DecodeF8E8M0FNU(255)), 0x7FC00000);
}

TEST(F8E8M0FNUTest, EveryNumberHasItsOwnCode) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(Special(DecodeF8E8M0FNU(code)), code);
    EXPECT_EQ(Saturate(DecodeF8E8M0FNU(code)), code);
  }
}

// The nearest of the decoded codes, the later one of two at the same distance.
int NearestPowerOfTwo(float value) {
  int nearest = 0;
  double distance = HUGE_VAL;
  for (int code = 0; code <= 255; ++code) {
    // 255 stands for the power of two that would come next.
    const double next = std::fabs(std::ldexp(1.0, code - 127) - value);
    if (next <= distance) {
      nearest = code;
      distance = next;
    }
  }
  return nearest;
}

TEST(F8E8M0FNUTest, EncodesPositiveNumbersToTheNearestCode) {
  int num_probes = 0;
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (uint32_t step = 0; step < 16; ++step) {
      for (const int offset : {-1, 0, 1}) {
        const uint32_t bits = (exponent << 23) + (step << 19) + offset;
        if (bits == 0 || bits >= 0x7F800000) continue;
        const float value = absl::bit_cast<float>(bits);
        const int nearest = NearestPowerOfTwo(value);
        ASSERT_EQ(Special(value), nearest) << std::hexfloat << value;
        ASSERT_EQ(Saturate(value), std::min(nearest, 254))
            << std::hexfloat << value;
        ++num_probes;
      }
    }
  }
  EXPECT_EQ(num_probes, 255 * 16 * 3 - 2);
}

// The first four are the examples of jax-ml/ml_dtypes#298.
TEST(F8E8M0FNUTest, TableOfTheHeader) {
  for (int (*encode)(float) : {Special, Saturate}) {
    EXPECT_EQ(encode(1.25f), 127);
    EXPECT_EQ(encode(1.5f), 128);
    EXPECT_EQ(encode(1.75f), 128);
    EXPECT_EQ(encode(3.0f), 129);
    EXPECT_EQ(encode(kNan), 255);
    EXPECT_EQ(encode(-kNan), 255);
    EXPECT_EQ(encode(std::numeric_limits<float>::denorm_min()), 0);
    EXPECT_EQ(encode(std::nextafter(0x1.8p-127f, 0.0f)), 0);
    EXPECT_EQ(encode(0x1.8p-127f), 1);
    EXPECT_EQ(encode(std::nextafter(0x1.8p127f, 0.0f)), 254);
  }
  for (const float above : {0x1.8p127f, 3.4e38f, kInfinity}) {
    EXPECT_EQ(Special(above), 255);
    EXPECT_EQ(Saturate(above), 254);
  }
  for (const float below : {0.0f, -0.0f, -1e-45f, -2.0f, -kInfinity}) {
    EXPECT_EQ(Special(below), 255);
    EXPECT_EQ(Saturate(below), 0);
  }
}

TEST(F8E8M0FNUTest, ProbesWithASignAreOneCode) {
  for (const float probe : EncodeProbes()) {
    if (std::isnan(probe) || !std::signbit(probe)) continue;
    ASSERT_EQ(Special(probe), 255);
    ASSERT_EQ(Saturate(probe), 0);
  }
}

TEST(ScaleProductTest, EveryPairIsTheProductOfItsScales) {
  for (int a = 0; a < 255; ++a) {
    for (int b = 0; b < 255; ++b) {
      ASSERT_EQ(ScaleProduct(a, b), std::ldexp(1.0, a + b - 254))
          << a << " " << b;
      ASSERT_EQ(ScaleProduct(a, b),
                double{DecodeF8E8M0FNU(a)} * double{DecodeF8E8M0FNU(b)})
          << a << " " << b;
    }
  }
}

TEST(ScaleProductTest, NanWhenEitherIs) {
  for (int other = 0; other < 256; ++other) {
    EXPECT_TRUE(std::isnan(ScaleProduct(255, other)));
    EXPECT_TRUE(std::isnan(ScaleProduct(other, 255)));
  }
}

}  // namespace
}  // namespace mxtile
