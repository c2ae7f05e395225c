#include "numerics/scaled_element.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/encode_test_util.h"
#include "numerics/exact_element_test_util.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kE1M2 = ElementFormat::kF4E1M2;
constexpr ElementFormat kDataFormats[] = {kE4M3, kE5M2, kE2M1, kE1M2};
constexpr ElementFormat kQuantisedFormats[] = {kE4M3, kE5M2, kE2M1};

// What the other tests compare with has the codes' values.
TEST(ExactElementTest, MagnitudesAreThoseOfTheCodes) {
  for (const ElementFormat format : kDataFormats) {
    const ExactElement exact(format);
    ASSERT_EQ(exact.magnitudes().size(), LargestFiniteCode(format) + 1);
    for (uint32_t code = 0; code <= LargestFiniteCode(format); ++code) {
      EXPECT_EQ(std::ldexp(exact.magnitudes()[code], exact.unit_exponent()),
                Decode(format, code))
          << Name(format) << " " << code;
    }
  }
}

// And finds the nearest of them, as the search of the decoded codes does.
TEST(ExactElementTest, NearestCodeIsThatOfTheSearch) {
  for (const ElementFormat format : kDataFormats) {
    const ExactElement exact(format);
    std::vector<double> values;
    for (uint32_t code = 0; code <= LargestFiniteCode(format); ++code) {
      values.push_back(Decode(format, code));
    }
    for (const float probe : EncodeProbes()) {
      if (std::isnan(probe)) continue;
      const uint32_t sign = std::signbit(probe) ? SignMask(format) : 0;
      ASSERT_EQ(exact.ScaledCode(SplitF32(probe), 127),
                sign | NearestCode(values, std::fabs(probe)))
          << Name(format) << " " << std::hexfloat << probe;
    }
  }
}

// As in the headers and in README.md.
TEST(EncodeScaledTest, Examples) {
  EXPECT_EQ(EncodeScaled(kE4M3, 3.0f, 120), 0x7C);
  EXPECT_EQ(DecodeScaled(kE4M3, 0x7C, 120), 3.0);
  EXPECT_EQ(ExactElement(kE4M3).ScaledCode(SplitF32(-3.0f), 120), 0xFC);
  const float max_abs = MaxAbs({1.0f, -448.5f});
  const uint8_t s = SharedExponent(ScaleRule::kNv, kE4M3, max_abs);
  EXPECT_EQ(s, 128);
  EXPECT_EQ(EncodeScaled(kE4M3, max_abs, s), 0x76);
  EXPECT_EQ(DecodeScaled(kE4M3, 0x76, s), 448.0);
}

void ExpectExact(ElementFormat format, const ExactElement& exact, float value,
                 int s) {
  ASSERT_EQ(EncodeScaled(format, value, s),
            exact.ScaledCode(SplitF32(value), s))
      << Name(format) << " " << std::hexfloat << value << " s " << s;
}

TEST(EncodeScaledTest, EveryExponentUnderItsOwnScale) {
  for (const ElementFormat format : kQuantisedFormats) {
    const ExactElement exact(format);
    for (const float probe : EncodeProbes()) {
      for (const ScaleRule rule : {ScaleRule::kOcp, ScaleRule::kNv}) {
        const int s = SharedExponent(rule, format, probe);
        ASSERT_NO_FATAL_FAILURE(ExpectExact(format, exact, probe, s));
      }
    }
  }
}

// The middle between two codes and its neighbours, wherever a float can be one:
// under each scale that makes it one, the scales beside it, and its own two.
TEST(EncodeScaledTest, EveryTieUnderEveryScale) {
  for (const ElementFormat format : kDataFormats) {
    const ExactElement exact(format);
    int64_t num_checks = 0;
    for (size_t code = 1; code < exact.magnitudes().size(); ++code) {
      const double middle =
          std::ldexp(exact.magnitudes()[code - 1] + exact.magnitudes()[code],
                     exact.unit_exponent() - 1);
      for (int s = 0; s <= 254; ++s) {
        const auto tie = static_cast<float>(std::ldexp(middle, s - 127));
        for (const float value :
             {std::nextafter(tie, 0.0f), tie, std::nextafter(tie, kInfinity)}) {
          for (const int near : {s - 1, s, s + 1}) {
            if (near < 0) continue;
            ASSERT_NO_FATAL_FAILURE(ExpectExact(format, exact, value, near));
            ASSERT_NO_FATAL_FAILURE(ExpectExact(format, exact, -value, near));
            ++num_checks;
          }
        }
      }
    }
    EXPECT_EQ(num_checks, LargestFiniteCode(format) * (255 * 9 - 3));
  }
}

TEST(EncodeScaledTest, SpecialCases) {
  EXPECT_EQ(EncodeScaled(kE4M3, kInfinity, 247), 0x7E);
  EXPECT_EQ(EncodeScaled(kE4M3, -kInfinity, 254), 0xFE);
  EXPECT_EQ(EncodeScaled(kE5M2, kInfinity, 240), 0x7B);
  EXPECT_EQ(EncodeScaled(kE2M1, -kInfinity, 253), 0xF);
  EXPECT_EQ(EncodeScaled(kE4M3, -0.0f, 0), 0x80);
  EXPECT_EQ(EncodeScaled(kE2M1, -0.0f, 0), 0x8);
  EXPECT_EQ(EncodeScaled(kE4M3, -1e-9f, 119), 0x80);
  for (const float value : {0.0f, -0.0f, -1.0f, kInfinity, kNan, -kNan}) {
    EXPECT_EQ(EncodeScaled(kE4M3, value, 255), 0x7F);
    EXPECT_EQ(EncodeScaled(kE5M2, value, 255), 0x7F);
    EXPECT_EQ(EncodeScaled(kE2M1, value, 255), 7);
    EXPECT_EQ(EncodeScaled(kE1M2, value, 255), 7);
  }
  for (int s = 0; s < 255; ++s) {
    EXPECT_EQ(EncodeScaled(kE4M3, kNan, s), 0x7F);
    EXPECT_EQ(EncodeScaled(kE4M3, -kNan, s), 0xFF);
    EXPECT_EQ(EncodeScaled(kE2M1, -kNan, s), 7);
  }
}

// Rows of the project's table of adversarial groups: groups of one value.
TEST(EncodeScaledTest, GroupsOfOneValue) {
  const auto code = [](ScaleRule rule, ElementFormat format, float value) {
    return EncodeScaled(format, value, SharedExponent(rule, format, value));
  };
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(code(ScaleRule::kOcp, kE4M3, kLargest), 0x7E);
  EXPECT_EQ(code(ScaleRule::kNv, kE4M3, kLargest), 0x78);
  EXPECT_EQ(code(ScaleRule::kOcp, kE2M1, -kLargest), 0xF);
  EXPECT_EQ(code(ScaleRule::kNv, kE2M1, -kLargest), 0xE);
  for (const ScaleRule rule : {ScaleRule::kOcp, ScaleRule::kNv}) {
    EXPECT_EQ(code(rule, kE4M3, kSmallest), 0);
    EXPECT_EQ(code(rule, kE4M3, 0x1p-133f), 0x08);
    EXPECT_EQ(code(rule, kE4M3, 0x1p-126f), 0x40);
    EXPECT_EQ(code(rule, kE2M1, 0x1p-133f), 0);
    EXPECT_EQ(code(rule, kE2M1, 0x1p-126f), 4);
    EXPECT_EQ(code(rule, kE4M3, 0x1p-24f), 0x78);
    EXPECT_EQ(code(rule, kE2M1, 0x1p-24f), 6);
  }
}

TEST(DecodeScaledTest, EveryCodeUnderEveryScale) {
  for (const ElementFormat format : kDataFormats) {
    const ExactElement exact(format);
    for (uint32_t code = 0; code <= LargestFiniteCode(format); ++code) {
      for (int s = 0; s < 255; ++s) {
        const double value = std::ldexp(exact.magnitudes()[code],
                                        exact.unit_exponent() + s - 127);
        const uint32_t negative = code | SignMask(format);
        ASSERT_EQ(DecodeScaled(format, code, s), value);
        ASSERT_EQ(DecodeScaled(format, negative, s), -value);
        ASSERT_TRUE(std::signbit(DecodeScaled(format, negative, s)));
      }
    }
  }
}

TEST(DecodeScaledTest, NanAndInfinity) {
  for (const ElementFormat format : kDataFormats) {
    for (uint32_t code = 0; code < CodeCount(format); ++code) {
      EXPECT_TRUE(std::isnan(DecodeScaled(format, code, 255)));
    }
  }
  for (int s = 0; s < 255; ++s) {
    EXPECT_TRUE(std::isnan(DecodeScaled(kE4M3, 0x7F, s)));
    EXPECT_TRUE(std::isnan(DecodeScaled(kE5M2, 0x7D, s)));
    EXPECT_EQ(DecodeScaled(kE5M2, 0xFC, s), -HUGE_VAL);
  }
}

// Quantising what was dequantised, under the same scale, changes nothing.
TEST(DecodeScaledTest, FiniteValuesHaveTheirCode) {
  for (const ElementFormat format : kDataFormats) {
    for (uint32_t code = 0; code < CodeCount(format); ++code) {
      if (KindOf(format, code) != CodeKind::kFinite) continue;
      for (int s = 0; s < 255; ++s) {
        const double value = DecodeScaled(format, code, s);
        if (static_cast<float>(value) != value) continue;
        ASSERT_EQ(EncodeScaled(format, static_cast<float>(value), s), code)
            << Name(format) << " s " << s;
      }
    }
  }
}

}  // namespace
}  // namespace mxtile
