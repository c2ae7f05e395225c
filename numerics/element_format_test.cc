#include "numerics/element_format.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"
#include "numerics/f4e1m2.h"
#include "numerics/f4e2m1fn.h"
#include "numerics/f8e4m3fn.h"
#include "numerics/f8e5m2.h"
#include "numerics/f8e8m0fnu.h"

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

}  // namespace
}  // namespace mxtile
