#include "numerics/float_bits.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace mxtile {
namespace {

TEST(FloatBitsTest, SplitsSignAndMagnitude) {
  EXPECT_EQ(MagnitudeBits(-1.5f), 0x3FC00000);
  EXPECT_EQ(SignBit(-1.5f), 1);
  EXPECT_EQ(MagnitudeBits(-0.0f), 0);
  EXPECT_EQ(SignBit(-0.0f), 1);
  EXPECT_EQ(SignBit(0.0f), 0);
}

TEST(FloatBitsTest, InfinityIsTheLastMagnitudeThatIsNotNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(MagnitudeBits(-infinity), kFloatInfinityBits);
  EXPECT_FALSE(IsNanMagnitude(MagnitudeBits(-infinity)));
  EXPECT_TRUE(IsNanMagnitude(kFloatInfinityBits + 1));
  EXPECT_TRUE(IsNanMagnitude(MagnitudeBits(std::nanf(""))));
}

// std::nearbyint rounds ties to even in the default mode.
TEST(FloatBitsTest, ShiftsToTheNearestEvenInteger) {
  for (uint32_t value = 0; value < 1024; ++value) {
    for (int shift = 1; shift <= 12; ++shift) {
      ASSERT_EQ(ShiftRightNearestEven(value, shift),
                std::nearbyint(std::ldexp(value, -shift)))
          << value << " >> " << shift;
    }
  }
}

}  // namespace
}  // namespace mxtile
