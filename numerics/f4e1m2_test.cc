#include "numerics/f4e1m2.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/encode_test_util.h"

namespace mxtile {
namespace {

// The last one is where the next step would be.
constexpr double kMagnitudes[] = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2};

TEST(F4E1M2Test, DecodesEveryByteByItsLowNibble) {
  for (int byte = 0; byte < 256; ++byte) {
    const float value = DecodeF4E1M2(byte);
    EXPECT_EQ(std::fabs(value), kMagnitudes[byte & 7]) << byte;
    EXPECT_EQ(std::signbit(value), (byte & 8) != 0) << byte;
  }
}

TEST(F4E1M2Test, EncodesToTheNearestCode) {
  for (const float probe : EncodeProbes()) {
    if (std::isnan(probe)) continue;
    const uint32_t sign = std::signbit(probe) ? 8 : 0;
    const uint32_t nearest = NearestCode(kMagnitudes, std::fabs(probe));
    ASSERT_EQ(EncodeF4E1M2(probe), sign | std::min<uint32_t>(nearest, 7))
        << std::hexfloat << probe;
  }
}

TEST(F4E1M2Test, TiesGoToTheEvenCode) {
  EXPECT_EQ(EncodeF4E1M2(0.125f), 0);
  EXPECT_EQ(EncodeF4E1M2(-0.125f), 8);
  EXPECT_EQ(EncodeF4E1M2(0.375f), 2);
  EXPECT_EQ(EncodeF4E1M2(0.625f), 2);
  EXPECT_EQ(EncodeF4E1M2(1.125f), 4);
  EXPECT_EQ(EncodeF4E1M2(1.625f), 6);
  EXPECT_EQ(EncodeF4E1M2(1.875f), 7);
}

TEST(F4E1M2Test, NanOfEitherSignIsSeven) {
  for (const uint32_t nan :
       {0x7F800001u, 0x7FC00000u, 0xFF800001u, 0xFFFFFFFFu}) {
    EXPECT_EQ(EncodeF4E1M2(absl::bit_cast<float>(nan)), 7);
  }
}

}  // namespace
}  // namespace mxtile
