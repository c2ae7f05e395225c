#include "numerics/f4e1m2.h"

#include <cmath>

#include "gtest/gtest.h"

namespace mxtile {
namespace {

TEST(F4E1M2Test, DecodesEveryByteByItsLowNibble) {
  for (int byte = 0; byte < 256; ++byte) {
    const float value = DecodeF4E1M2(byte);
    EXPECT_EQ(std::fabs(value), 0.25f * (byte & 7)) << byte;
    EXPECT_EQ(std::signbit(value), (byte & 8) != 0) << byte;
  }
}

}  // namespace
}  // namespace mxtile
