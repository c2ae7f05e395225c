// Exp over all 2^32 floats: its error, and that it never falls.

#include <cmath>
#include <cstdint>
#include <iostream>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/exp.h"
#include "numerics/exp_test_util.h"

namespace mxtile {
namespace {

constexpr uint32_t kInfinityBits = 0x7F800000;
constexpr int kParts = 16;

// Floats as integers in the order of their values: 0 is -Inf.
constexpr uint32_t kLast = 2 * kInfinityBits + 1;
float FloatAt(uint32_t place) {
  return absl::bit_cast<float>(place <= kInfinityBits
                                   ? 0x80000000 | (kInfinityBits - place)
                                   : place - kInfinityBits - 1);
}

// exp(x) where no reference is needed, otherwise NaN: it differs from 1 by less
// than a hundredth of an ulp, is below 2^-150 or above 2^128.
float Obvious(float x) {
  if (std::fabs(x) < 0x1p-31f) return 1;
  if (x < -104) return 0;
  return x > 89 ? HUGE_VALF : std::nanf("");
}

struct Worst {
  double ulps = 0;
  float x = 0;
};

// From -Inf through -0 and +0 to +Inf in parts.
class ExpExhaustiveTest : public ::testing::TestWithParam<int> {};

TEST_P(ExpExhaustiveTest, ErrorAndOrder) {
  using Range = ExpErrorResult::Range;
  const uint32_t part = GetParam();
  // Parts share their ends, so that no step between two floats is left out.
  const uint32_t first = kLast / kParts * part;
  const uint32_t last =
      part + 1 == kParts ? kLast : kLast / kParts * (part + 1);
  Worst worst[4];
  int64_t num_checked = 0;
  int64_t num_not_nearest = 0;
  float previous = Exp(FloatAt(first));
  for (uint32_t place = first;; ++place) {
    const float x = FloatAt(place);
    const float result = Exp(x);
    if (!(result >= previous)) FAIL() << std::hexfloat << x << " falls";
    previous = result;
    const float obvious = Obvious(x);
    if (!std::isnan(obvious)) {
      if (result != obvious) FAIL() << std::hexfloat << x << " is " << result;
    } else {
      const ExpErrorResult error = ExpError(x, result);
      if (!error.references_agree) FAIL() << std::hexfloat << x;
      Worst& range_worst = worst[static_cast<int>(error.range)];
      if (error.ulps > range_worst.ulps) range_worst = {error.ulps, x};
      num_not_nearest += error.is_nearest ? 0 : 1;
      ++num_checked;
    }
    if (place == last) break;
  }
  const Worst& subnormal = worst[static_cast<int>(Range::kSubnormal)];
  const Worst& normal = worst[static_cast<int>(Range::kNormal)];
  EXPECT_LT(subnormal.ulps, 0.78) << std::hexfloat << subnormal.x;
  EXPECT_LT(normal.ulps, 0.71) << std::hexfloat << normal.x;
  EXPECT_EQ(worst[static_cast<int>(Range::kZero)].ulps, 0);
  EXPECT_EQ(worst[static_cast<int>(Range::kInfinity)].ulps, 0);
  std::cout << num_checked << " against the reference, " << num_not_nearest
            << " not nearest; largest error in normals " << normal.ulps
            << " ulp at " << std::hexfloat << normal.x << ", in subnormals "
            << std::defaultfloat << subnormal.ulps << " ulp at "
            << std::hexfloat << subnormal.x << "\n";
}

INSTANTIATE_TEST_SUITE_P(Parts, ExpExhaustiveTest, ::testing::Range(0, kParts));

// Every NaN.
TEST(ExpExhaustiveNanTest, IsOneNan) {
  for (uint32_t magnitude = kInfinityBits + 1; magnitude < 0x80000000;
       ++magnitude) {
    for (const uint32_t nan : {magnitude, 0x80000000 | magnitude}) {
      if (absl::bit_cast<uint32_t>(Exp(absl::bit_cast<float>(nan))) !=
          0x7FC00000) {
        FAIL() << std::hex << nan;
      }
    }
  }
}

}  // namespace
}  // namespace mxtile
