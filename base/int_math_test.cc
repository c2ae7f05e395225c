#include "base/int_math.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace mxtile {
namespace {

TEST(IntMathTest, SmallValuesByCounting) {
  for (int64_t divisor = 1; divisor <= 20; ++divisor) {
    int64_t quotient = 0;
    for (int64_t value = 0; value <= 100; ++value) {
      while (quotient * divisor < value) ++quotient;
      EXPECT_EQ(CeilDivide(value, divisor), quotient);
      EXPECT_EQ(RoundUp(value, divisor), quotient * divisor);
    }
  }
}

TEST(IntMathTest, LargestValueDoesNotOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(CeilDivide(kMax, 1), kMax);
  EXPECT_EQ(CeilDivide(kMax, 2), kMax / 2 + 1);
  EXPECT_EQ(CeilDivide(kMax, kMax), 1);
}

}  // namespace
}  // namespace mxtile
