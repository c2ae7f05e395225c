#include "numerics/f4e2m1fn.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/encode_test_util.h"

namespace mxtile {
namespace {

// OCP MX v1.0, table 5; the last one is where the next step would be.
constexpr double kMagnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, 8};

TEST(F4E2M1FNTest, DecodesEveryByteByItsLowNibble) {
  for (int byte = 0; byte < 256; ++byte) {
    const float value = DecodeF4E2M1FN(byte);
    EXPECT_EQ(std::fabs(value), kMagnitudes[byte & 7]) << byte;
    EXPECT_EQ(std::signbit(value), (byte & 8) != 0) << byte;
  }
}

TEST(F4E2M1FNTest, EncodesToTheNearestCode) {
  for (const float probe : EncodeProbes()) {
    if (std::isnan(probe)) continue;
    const uint32_t sign = std::signbit(probe) ? 8 : 0;
    const uint32_t nearest = NearestCode(kMagnitudes, std::fabs(probe));
    ASSERT_EQ(EncodeF4E2M1FN(probe), sign | std::min<uint32_t>(nearest, 7))
        << std::hexfloat << probe;
  }
}

TEST(F4E2M1FNTest, TiesGoToTheEvenCode) {
  EXPECT_EQ(EncodeF4E2M1FN(0.25f), 0);
  EXPECT_EQ(EncodeF4E2M1FN(-0.25f), 8);
  EXPECT_EQ(EncodeF4E2M1FN(0.75f), 2);
  EXPECT_EQ(EncodeF4E2M1FN(1.25f), 2);
  EXPECT_EQ(EncodeF4E2M1FN(1.75f), 4);
  EXPECT_EQ(EncodeF4E2M1FN(2.5f), 4);
  EXPECT_EQ(EncodeF4E2M1FN(3.5f), 6);
  EXPECT_EQ(EncodeF4E2M1FN(5.0f), 6);
}

TEST(F4E2M1FNTest, NanOfEitherSignIsSeven) {
  for (const uint32_t nan :
       {0x7F800001u, 0x7FC00000u, 0xFF800001u, 0xFFFFFFFFu})
    EXPECT_EQ(EncodeF4E2M1FN(absl::bit_cast<float>(nan)), 7);
}

}  // namespace
}  // namespace mxtile
