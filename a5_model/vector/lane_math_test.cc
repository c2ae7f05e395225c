// Orders of maxima over all 16-bit codes; sums and products are tested lane by
// lane in arithmetic_test.cc.

#include "a5_model/vector/lane_math.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "a5_model/vector/lane_type.h"
#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/group_max.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {
namespace {

// Codes in the order that the header states, by construction: negative numbers
// falling, positive ones rising, then NaNs by magnitude, of one magnitude the
// negative first.
std::vector<uint16_t> InOrder(uint16_t infinity) {
  std::vector<uint16_t> codes;
  for (int m = infinity; m >= 0; --m) codes.push_back(0x8000 | m);
  for (int m = 0; m <= infinity; ++m) codes.push_back(m);
  for (int m = infinity + 1; m < 0x8000; ++m) {
    codes.push_back(0x8000 | m);
    codes.push_back(m);
  }
  return codes;
}

template <typename T>
void CheckOrder(uint16_t infinity) {
  const std::vector<uint16_t> codes = InOrder(infinity);
  ASSERT_EQ(codes.size(), 0x10000);
  const size_t first_nan = 2 * (infinity + 1);
  // Neighbours, and far apart.
  for (const size_t step : {size_t{1}, size_t{2}, size_t{777}, size_t{40000}}) {
    for (size_t i = 0; i + step < codes.size(); ++i) {
      const T low = {codes[i]};
      const T high = {codes[i + step]};
      ASSERT_EQ(LaneMath<T>::Max(low, high).bits, high.bits) << i;
      ASSERT_EQ(LaneMath<T>::Max(high, low).bits, high.bits) << i;
      const bool nan = i + step >= first_nan;
      ASSERT_EQ(LaneMath<T>::Min(low, high).bits, nan ? high.bits : low.bits)
          << i;
      ASSERT_EQ(LaneMath<T>::Min(high, low).bits, nan ? high.bits : low.bits)
          << i;
    }
  }
  EXPECT_EQ(LaneMath<T>::kLowest.bits, codes[0]);
}

TEST(LaneMathTest, MaximaOfAllHalves) { CheckOrder<Half>(0x7C00); }
TEST(LaneMathTest, MaximaOfAllBFloats) { CheckOrder<BFloat>(0x7F80); }

// Of magnitudes it is the maximum of numerics/group_max.h, bit for bit.
TEST(LaneMathTest, MaximumOfMagnitudesIsThatOfGroups) {
  const std::vector<uint32_t> bits = {0,          0x80000001, 0x3F800000,
                                      0xBF800001, 0x7F7FFFFF, 0xFF800000,
                                      0x7F800001, 0xFFC00000, 0x7FFFFFFF};
  std::vector<float> group;
  float max = 0;
  for (const uint32_t b : bits) {
    group.push_back(absl::bit_cast<float>(b));
    max = LaneMath<float>::Max(max, LaneMath<float>::Abs(group.back()));
    EXPECT_EQ(absl::bit_cast<uint32_t>(max), F32GroupMax(group).tile_bits)
        << group.size();
  }
}

TEST(LaneMathTest, FlushesSubnormalsOnly) {
  for (const uint32_t sign : {0u, 0x80000000u}) {
    for (const uint32_t m : {1u, 0x007FFFFFu}) {
      EXPECT_EQ(absl::bit_cast<uint32_t>(
                    FlushSubnormal(absl::bit_cast<float>(sign | m))),
                sign);
    }
    for (const uint32_t m :
         {0u, 0x00800000u, 0x3F800000u, 0x7F800000u, 0x7FC00000u}) {
      EXPECT_EQ(absl::bit_cast<uint32_t>(
                    FlushSubnormal(absl::bit_cast<float>(sign | m))),
                sign | m);
    }
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
