#include "numerics/element_format.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/encode_test_util.h"
#include "numerics/f16.h"
#include "numerics/f4e1m2.h"
#include "numerics/f4e2m1fn.h"
#include "numerics/f8e4m3fn.h"
#include "numerics/f8e5m2.h"
#include "numerics/f8e8m0fnu.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

uint32_t Bits(float value) { return absl::bit_cast<uint32_t>(value); }

TEST(ElementFormatTest, NamesInTheOrderOfTheEnum) {
  std::vector<std::string> names;
  for (const ElementFormat format : kElementFormats) {
    names.emplace_back(Name(format));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"f8E4M3FN", "f8E5M2", "f4E2M1FN",
                                             "f4E1M2", "f8E8M0FNU", "bf16",
                                             "f16", "f32"}));
}

TEST(ElementFormatTest, LargestFiniteValues) {
  std::vector<double> values;
  for (const ElementFormat format : kElementFormats) {
    values.push_back(MaxFinite(format));
  }
  EXPECT_EQ(values,
            (std::vector<double>{448, 57344, 6, 1.75, std::ldexp(1, 127),
                                 std::ldexp(0xFF, 120), 65504,
                                 std::ldexp(0xFFFFFF, 104)}));
}

// A walk over every code: the properties follow from the values.
TEST(ElementFormatTest, PropertiesAreThoseOfTheCodes) {
  for (const ElementFormat format : kElementFormats) {
    if (format == ElementFormat::kF32) continue;  // too many codes
    float largest = 0;
    for (uint32_t code = 0; code >> BitWidth(format) == 0; ++code) {
      const float value = Decode(format, code);
      if (std::isfinite(value)) largest = std::fmax(largest, value);
    }
    EXPECT_EQ(MaxFinite(format), largest) << Name(format);
    EXPECT_EQ(MaxExponent(format), std::ilogb(largest)) << Name(format);
  }
  EXPECT_EQ(MaxExponent(ElementFormat::kF32),
            std::ilogb(MaxFinite(ElementFormat::kF32)));
  EXPECT_EQ(BitWidth(ElementFormat::kF32), 32);
}

TEST(ElementFormatTest, DecodeIsTheFormatsOwn) {
  for (uint32_t code = 0; code < 256; ++code) {
    EXPECT_EQ(Bits(Decode(ElementFormat::kF8E4M3FN, code)),
              Bits(DecodeF8E4M3FN(code)));
    EXPECT_EQ(Bits(Decode(ElementFormat::kF8E5M2, code)),
              Bits(DecodeF8E5M2(code)));
    EXPECT_EQ(Bits(Decode(ElementFormat::kF8E8M0FNU, code)),
              Bits(DecodeF8E8M0FNU(code)));
    EXPECT_EQ(Bits(Decode(ElementFormat::kF4E2M1FN, code)),
              Bits(DecodeF4E2M1FN(code)));
    EXPECT_EQ(Bits(Decode(ElementFormat::kF4E1M2, code)),
              Bits(DecodeF4E1M2(code)));
  }
  for (uint32_t code = 0; code < 0x10000; ++code) {
    ASSERT_EQ(Bits(Decode(ElementFormat::kBF16, code)), Bits(DecodeBF16(code)));
    ASSERT_EQ(Bits(Decode(ElementFormat::kF16, code)), Bits(DecodeF16(code)));
    ASSERT_EQ(Bits(Decode(ElementFormat::kF32, code << 16)), code << 16);
  }
}

TEST(ElementFormatTest, HigherBitsAreIgnored) {
  EXPECT_EQ(Decode(ElementFormat::kF4E2M1FN, 0xF3), 1.5f);
  EXPECT_EQ(Decode(ElementFormat::kF8E4M3FN, 0xF7E), 448.0f);
  EXPECT_EQ(Decode(ElementFormat::kBF16, 0x13FC0), 1.5f);
}

// Codes that are walked; those of f32 in steps.
std::vector<uint32_t> SomeCodes(ElementFormat format) {
  const uint64_t step = format == ElementFormat::kF32 ? 0x7FFF : 1;
  std::vector<uint32_t> codes;
  for (uint64_t code = 0; code < CodeCount(format); code += step) {
    codes.push_back(static_cast<uint32_t>(code));
  }
  return codes;
}

TEST(ElementFormatTest, CodesAreTwoToTheWidth) {
  EXPECT_EQ(CodeCount(ElementFormat::kF4E1M2), 16);
  EXPECT_EQ(CodeCount(ElementFormat::kF8E8M0FNU), 256);
  EXPECT_EQ(CodeCount(ElementFormat::kF16), 65536);
  EXPECT_EQ(CodeCount(ElementFormat::kF32), uint64_t{1} << 32);
}

// Whether a code is finite, Inf or NaN, by its place.
TEST(ElementFormatTest, FiniteCodesComeFirstAndAscend) {
  for (const ElementFormat format : kElementFormats) {
    const uint32_t sign = SignMask(format);
    float previous = -1;
    for (const uint32_t code : SomeCodes(format)) {
      const float value = Decode(format, code);
      const bool is_finite = (code & ~sign) <= LargestFiniteCode(format);
      ASSERT_EQ(KindOf(format, code) == CodeKind::kFinite, is_finite)
          << Name(format) << " " << code;
      ASSERT_EQ(is_finite, std::isfinite(value));
      ASSERT_EQ(KindOf(format, code) == CodeKind::kNan, std::isnan(value));
      ASSERT_EQ(std::signbit(value), (code & sign) != 0);
      if (is_finite && (code & sign) == 0) {
        ASSERT_GT(value, previous);
        previous = value;
      }
    }
    EXPECT_EQ(KindOf(format, LargestFiniteCode(format)), CodeKind::kFinite);
    EXPECT_EQ(Decode(format, LargestFiniteCode(format)), MaxFinite(format));
  }
}

TEST(ElementFormatTest, HowManyCodesAreNotFinite) {
  std::vector<std::vector<int>> infinities_and_nans;
  for (const ElementFormat format : kElementFormats) {
    if (format == ElementFormat::kF32) continue;
    int infinities = 0;
    int nans = 0;
    for (const uint32_t code : SomeCodes(format)) {
      infinities += KindOf(format, code) == CodeKind::kInfinity ? 1 : 0;
      nans += KindOf(format, code) == CodeKind::kNan ? 1 : 0;
    }
    infinities_and_nans.push_back({infinities, nans});
  }
  EXPECT_EQ(infinities_and_nans,
            (std::vector<std::vector<int>>{
                {0, 2}, {2, 6}, {0, 0}, {0, 0}, {0, 1}, {2, 254}, {2, 2046}}));
}

TEST(ElementFormatTest, EveryFiniteCodeSurvivesDecodingAndEncoding) {
  for (const ElementFormat format : kElementFormats) {
    for (const Overflow overflow : {Overflow::kSaturate, Overflow::kSpecial}) {
      for (const uint32_t code : SomeCodes(format)) {
        if (KindOf(format, code) != CodeKind::kFinite) continue;
        ASSERT_EQ(Encode(format, Decode(format, code), overflow), code)
            << Name(format) << " " << code;
      }
    }
  }
}

// Beside encode_test_util's search, which the formats' own tests use.
TEST(ElementFormatTest, EncodeIsTheFormatsOwn) {
  for (const float probe : EncodeProbes()) {
    for (const Overflow overflow : {Overflow::kSaturate, Overflow::kSpecial}) {
      ASSERT_EQ(Encode(ElementFormat::kF8E4M3FN, probe, overflow),
                EncodeF8E4M3FN(probe, overflow));
      ASSERT_EQ(Encode(ElementFormat::kF8E5M2, probe, overflow),
                EncodeF8E5M2(probe, overflow));
      ASSERT_EQ(Encode(ElementFormat::kF4E2M1FN, probe, overflow),
                EncodeF4E2M1FN(probe));
      ASSERT_EQ(Encode(ElementFormat::kF4E1M2, probe, overflow),
                EncodeF4E1M2(probe));
      ASSERT_EQ(Encode(ElementFormat::kF8E8M0FNU, probe, overflow),
                EncodeF8E8M0FNU(probe, overflow));
      ASSERT_EQ(Encode(ElementFormat::kBF16, probe, overflow),
                EncodeBF16(probe, overflow));
      ASSERT_EQ(Encode(ElementFormat::kF16, probe, overflow),
                EncodeF16(probe, overflow));
      if (std::isinf(probe)) continue;
      ASSERT_EQ(Encode(ElementFormat::kF32, probe, overflow), Bits(probe));
    }
  }
}

// Inf: the largest finite code, or the special one with the sign.
TEST(ElementFormatTest, Infinity) {
  for (const ElementFormat format : kElementFormats) {
    const uint32_t sign = SignMask(format);
    const auto encode = [format](float value, Overflow overflow) {
      return Encode(format, value, overflow);
    };
    EXPECT_EQ(encode(HUGE_VALF, Overflow::kSaturate),
              LargestFiniteCode(format));
    if (sign != 0) {
      EXPECT_EQ(encode(-HUGE_VALF, Overflow::kSaturate),
                sign | LargestFiniteCode(format));
    }
    const bool saturates_always = BitWidth(format) == 4;
    EXPECT_EQ(encode(HUGE_VALF, Overflow::kSpecial),
              LargestFiniteCode(format) + (saturates_always ? 0 : 1));
    EXPECT_EQ(KindOf(format, encode(HUGE_VALF, Overflow::kSpecial)) ==
                  CodeKind::kFinite,
              saturates_always);
  }
}

TEST(ElementFormatTest, NanCodeIsWhatNanEncodesTo) {
  const float nan = absl::bit_cast<float>(0x7FC00000u);
  for (const ElementFormat format : kElementFormats) {
    for (const Overflow overflow : {Overflow::kSaturate, Overflow::kSpecial}) {
      EXPECT_EQ(Encode(format, nan, overflow), NanCode(format)) << Name(format);
    }
    EXPECT_EQ(KindOf(format, NanCode(format)),
              BitWidth(format) == 4 ? CodeKind::kFinite : CodeKind::kNan)
        << Name(format);
  }
  EXPECT_EQ(NanCode(ElementFormat::kF8E4M3FN), 0x7F);
  EXPECT_EQ(NanCode(ElementFormat::kF8E5M2), 0x7F);
  EXPECT_EQ(NanCode(ElementFormat::kF4E2M1FN), 7);
}

}  // namespace
}  // namespace mxtile
