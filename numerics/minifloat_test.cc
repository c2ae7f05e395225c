#include "numerics/minifloat.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "numerics/float_bits.h"

namespace mxtile {
namespace {

// Narrowest and widest of what the template allows.
using E1M1 = Minifloat</*kMantissaBits=*/1, /*kBias=*/1>;
using E5M10 = Minifloat</*kMantissaBits=*/10, /*kBias=*/15>;

TEST(MinifloatTest, ValuesOfTheNarrowestFormat) {
  EXPECT_EQ(E1M1::Value(0), 0.0f);
  EXPECT_EQ(E1M1::Value(1), 0.5f);
  EXPECT_EQ(E1M1::Value(2), 1.0f);
  EXPECT_EQ(E1M1::Value(3), 1.5f);
}

TEST(MinifloatTest, EveryValueHasItsOwnCode) {
  for (uint32_t code = 0; code < 0x10; ++code) {
    EXPECT_EQ(E1M1::NearestCode(MagnitudeBits(E1M1::Value(code))), code);
  }
  for (uint32_t code = 0; code < 0x10000; ++code) {
    ASSERT_EQ(E5M10::NearestCode(MagnitudeBits(E5M10::Value(code))), code);
  }
}

TEST(MinifloatTest, MiddlesGoToTheEvenCodeAndNeighboursToTheNearest) {
  for (uint32_t code = 0; code < 0x7C00; ++code) {
    const float middle = (E5M10::Value(code) + E5M10::Value(code + 1)) / 2;
    const uint32_t bits = MagnitudeBits(middle);
    ASSERT_EQ(E5M10::NearestCode(bits - 1), code);
    ASSERT_EQ(E5M10::NearestCode(bits), code + code % 2);
    ASSERT_EQ(E5M10::NearestCode(bits + 1), code + 1);
  }
}

TEST(MinifloatTest, SubnormalFloatsAreZeroAndInfinityIsBeyondAll) {
  EXPECT_EQ(E5M10::NearestCode(0x007FFFFF), 0);
  EXPECT_GT(E5M10::NearestCode(kFloatInfinityBits), 0x7C00);
  EXPECT_GT(E1M1::NearestCode(kFloatInfinityBits),
            E1M1::NearestCode(kFloatInfinityBits - 0x01000000));
}

}  // namespace
}  // namespace mxtile
