#include "numerics/scale_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule_test_util.h"

namespace mxtile {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargestFloat = std::numeric_limits<float>::max();
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kFormats[] = {kE4M3, kE5M2, kE2M1};

int Ocp(ElementFormat format, float max_abs) {
  return SharedExponent(ScaleRule::kOcp, format, max_abs);
}

int Nv(ElementFormat format, float max_abs) {
  return SharedExponent(ScaleRule::kNv, format, max_abs);
}

// Every exponent with mantissas near the powers of two, near 1.5 and 1.75 times
// them (where MaxFinite of some format lies) and some in between.
std::vector<float> PositiveFinite() {
  std::vector<uint32_t> mantissas;
  for (uint32_t step = 0; step < 32; ++step) {
    const uint32_t middle = step << 18;
    for (const uint32_t offset : {0x7FFFFEu, 0x7FFFFFu, 0u, 1u, 2u}) {
      mantissas.push_back((middle + offset) & 0x7FFFFF);
    }
  }
  std::vector<float> values;
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (const uint32_t mantissa : mantissas) {
      const float value = absl::bit_cast<float>(exponent << 23 | mantissa);
      if (value > 0) values.push_back(value);
    }
  }
  return values;
}

TEST(MaxAbsTest, TakesTheLargestMagnitude) {
  EXPECT_EQ(MaxAbs({}), 0.0f);
  EXPECT_FALSE(std::signbit(MaxAbs({-0.0f})));
  EXPECT_EQ(MaxAbs({1.0f, -3.0f, 2.0f}), 3.0f);
  EXPECT_EQ(MaxAbs({1.0f, -kInfinity, kLargestFloat}), kInfinity);
}

TEST(MaxAbsTest, NanWins) {
  EXPECT_TRUE(std::isnan(MaxAbs({kNan, 1.0f})));
  EXPECT_TRUE(std::isnan(MaxAbs({kInfinity, -kNan})));
}

TEST(SharedExponentTest, OcpIsTheFloor) {
  for (const ElementFormat format : kFormats) {
    for (const float value : PositiveFinite()) {
      ASSERT_EQ(Ocp(format, value), FloorExponent(format, value))
          << Name(format) << " " << std::hexfloat << value;
    }
  }
}

// The one float a format where the rule's product rounds down to 2^-127 exactly
// and the exact ceiling is 1: the one above MaxFinite * 2^-127. 57344 is 448 *
// 2^7, so that the one of f8E5M2 is the one of f8E4M3FN times 2^7.
uint32_t NvException(ElementFormat format) {
  switch (format) {
    case kE4M3:
      return 0x04600001;
    case kE5M2:
      return 0x07E00001;
    default:
      return 0x01400001;
  }
}

TEST(SharedExponentTest, NvIsTheExactCeilingButForOneFloat) {
  for (const ElementFormat format : kFormats) {
    int exceptions = 0;
    for (const float value : PositiveFinite()) {
      const int exact = ExactCeilingExponent(format, value);
      if (absl::bit_cast<uint32_t>(value) == NvException(format)) {
        ++exceptions;
        EXPECT_EQ(Nv(format, value), 0) << Name(format);
        EXPECT_EQ(exact, 1) << Name(format);
        continue;
      }
      ASSERT_EQ(Nv(format, value), exact)
          << Name(format) << " " << std::hexfloat << value;
    }
    EXPECT_EQ(exceptions, 1) << Name(format);
  }
}

// Where the scale steps up: kNv above MaxFinite times a power of two, kOcp at
// powers of two; one float to each side.
TEST(SharedExponentTest, EveryThreshold) {
  for (const ElementFormat format : kFormats) {
    const int emax = MaxExponent(format);
    for (int s = 0; s <= 254 - emax; ++s) {
      const auto largest =
          static_cast<float>(std::ldexp(MaxFinite(format), s - 127));
      EXPECT_EQ(Nv(format, std::nextafter(largest, 0.0f)), s);
      EXPECT_EQ(Nv(format, largest), s);
      const float above = std::nextafter(largest, kInfinity);
      EXPECT_EQ(Nv(format, above), s == 0 ? 0 : s + 1)
          << Name(format) << " " << s;
      EXPECT_EQ(absl::bit_cast<uint32_t>(above) == NvException(format), s == 0);
      const auto power = static_cast<float>(std::ldexp(1.0, s + emax - 127));
      EXPECT_EQ(Ocp(format, std::nextafter(power, 0.0f)), std::max(0, s - 1));
      EXPECT_EQ(Ocp(format, power), s);
      EXPECT_EQ(Ocp(format, std::nextafter(power, kInfinity)), s);
    }
  }
}

// Examples from the project's notes on PTO-ISA's TQUANT: at MaxFinite and
// above, at powers of two, at the largest float.
TEST(SharedExponentTest, WorkedExamples) {
  const float above_448 = std::nextafter(448.0f, 449.0f);
  EXPECT_EQ(Ocp(kE4M3, 448), 127);
  EXPECT_EQ(Nv(kE4M3, 448), 127);
  EXPECT_EQ(Ocp(kE4M3, above_448), 127);
  EXPECT_EQ(Nv(kE4M3, above_448), 128);
  EXPECT_EQ(Ocp(kE4M3, 896), 128);
  EXPECT_EQ(Nv(kE4M3, 896), 128);
  EXPECT_EQ(Ocp(kE4M3, 1), 119);
  EXPECT_EQ(Nv(kE4M3, 1), 119);
  EXPECT_EQ(Ocp(kE2M1, 6), 127);
  EXPECT_EQ(Nv(kE2M1, 6), 127);
  EXPECT_EQ(Ocp(kE2M1, 7), 127);
  EXPECT_EQ(Nv(kE2M1, 7), 128);
  EXPECT_EQ(Ocp(kE2M1, 1), 125);
  EXPECT_EQ(Nv(kE2M1, 1), 125);
  EXPECT_EQ(Ocp(kE4M3, kLargestFloat), 246);
  EXPECT_EQ(Nv(kE4M3, kLargestFloat), 247);
  EXPECT_EQ(Ocp(kE2M1, kLargestFloat), 252);
  EXPECT_EQ(Nv(kE2M1, kLargestFloat), 253);
}

TEST(SharedExponentTest, ZeroInfinityAndNan) {
  for (const ElementFormat format : kFormats) {
    EXPECT_EQ(Ocp(format, 0.0f), 0);
    EXPECT_EQ(Nv(format, 0.0f), 0);
    EXPECT_EQ(Nv(format, kInfinity), 254);
    EXPECT_EQ(Ocp(format, kNan), 255);
    EXPECT_EQ(Nv(format, kNan), 255);
  }
  EXPECT_EQ(Ocp(kE4M3, kInfinity), 247);
  EXPECT_EQ(Ocp(kE5M2, kInfinity), 240);
  EXPECT_EQ(Ocp(kE2M1, kInfinity), 253);
}

TEST(SharedExponentTest, SignIsIgnored) {
  EXPECT_EQ(Ocp(kE4M3, -448), 127);
  EXPECT_EQ(Nv(kE4M3, -448), 127);
  EXPECT_EQ(Ocp(kE4M3, -kNan), 255);
  EXPECT_EQ(Nv(kE4M3, -kInfinity), 254);
}

TEST(ReciprocalScaleTest, TimesTheScaleIsOne) {
  for (int s = 0; s < 255; ++s) {
    EXPECT_EQ(ReciprocalScale(s), std::ldexp(1.0, 127 - s)) << s;
  }
  EXPECT_EQ(absl::bit_cast<uint32_t>(ReciprocalScale(254)), 0x00400000);
  EXPECT_EQ(absl::bit_cast<uint32_t>(ReciprocalScale(255)), 0x7FC00000);
}

TEST(ReciprocalScaleTest, AsBF16) {
  for (const ElementFormat format : kFormats) {
    for (int s = 0; s < 254; ++s) {
      EXPECT_EQ(ReciprocalScaleBF16(format, s), (254 - s) << 7) << s;
    }
    EXPECT_EQ(ReciprocalScaleBF16(format, 254), 0x0040);
    for (int s = 0; s < 255; ++s) {
      EXPECT_EQ(DecodeBF16(ReciprocalScaleBF16(format, s)), ReciprocalScale(s));
    }
    EXPECT_TRUE(std::isnan(DecodeBF16(ReciprocalScaleBF16(format, 255))));
  }
  EXPECT_EQ(ReciprocalScaleBF16(kE4M3, 255), 0x7F81);
  EXPECT_EQ(ReciprocalScaleBF16(kE5M2, 255), 0x7F81);
  EXPECT_EQ(ReciprocalScaleBF16(kE2M1, 255), 0x7FC0);
}

}  // namespace
}  // namespace mxtile
