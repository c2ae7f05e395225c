#include "numerics/exp.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/encode_test_util.h"
#include "numerics/exp_steps.h"
#include "numerics/exp_test_util.h"

namespace mxtile {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

uint32_t Bits(float value) { return absl::bit_cast<uint32_t>(value); }

// Floats around the places where Exp changes its course: every multiple and
// half multiple of ln 2, the ends, and the thresholds of Inf, subnormals and 0.
std::vector<float> Places() {
  std::vector<float> places = {0.0f, -104.0f, 89.0f};
  for (int halves = -302; halves <= 258; ++halves) {
    places.push_back(static_cast<float>(halves * 0.34657359027997264));
  }
  return places;
}

std::vector<float> Probes() {
  std::vector<float> probes = EncodeProbes();
  for (const float place : Places()) {
    const uint32_t bits = Bits(place);
    for (uint32_t i = 0; i < 32; ++i) {
      probes.push_back(absl::bit_cast<float>(bits + i));
      if (bits >= i) probes.push_back(absl::bit_cast<float>(bits - i));
    }
  }
  return probes;
}

TEST(ExpTest, IsWithinItsErrorOfTheExactResult) {
  using Range = ExpErrorResult::Range;
  int num_in[4] = {};
  for (const float x : Probes()) {
    if (std::isnan(x)) continue;
    const ExpErrorResult error = ExpError(x, Exp(x));
    ASSERT_TRUE(error.references_agree) << std::hexfloat << x;
    ASSERT_LT(error.ulps, error.range == Range::kSubnormal ? 0.78 : 0.71)
        << std::hexfloat << x;
    ++num_in[static_cast<int>(error.range)];
  }
  for (const int num : num_in) EXPECT_GT(num, 1000);
}

TEST(ExpTest, SpecialValues) {
  EXPECT_EQ(Bits(Exp(0.0f)), Bits(1.0f));
  EXPECT_EQ(Bits(Exp(-0.0f)), Bits(1.0f));
  EXPECT_EQ(Exp(kInfinity), kInfinity);
  EXPECT_EQ(Bits(Exp(-kInfinity)), 0);
  EXPECT_EQ(Exp(std::numeric_limits<float>::max()), kInfinity);
  EXPECT_EQ(Bits(Exp(std::numeric_limits<float>::lowest())), 0);
  for (const uint32_t nan : {0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu, 0xFF800001u,
                             0xFFC00000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(Bits(Exp(absl::bit_cast<float>(nan))), 0x7FC00000);
  }
}

// e to 20 digits rounds to 0x402DF854; the ends of the range: ln(2^128 -
// 2^103) = 88.7228390818..., ln(2^-150) = -103.9720770839...
TEST(ExpTest, Thresholds) {
  EXPECT_EQ(Bits(Exp(1.0f)), 0x402DF854);
  constexpr float kLargestFinite = 0x1.62e42ep+6f;   // 88.72283172...
  constexpr float kSmallestAbove = -0x1.9fe368p+6f;  // -103.97207641...
  EXPECT_TRUE(std::isfinite(Exp(kLargestFinite)));
  EXPECT_EQ(Exp(std::nextafter(kLargestFinite, kInfinity)), kInfinity);
  EXPECT_EQ(Bits(Exp(kSmallestAbove)), 1);
  EXPECT_EQ(Bits(Exp(std::nextafter(kSmallestAbove, -kInfinity))), 0);
}

TEST(ExpTest, NeverFallsWhereItChangesItsCourse) {
  for (const float place : Places()) {
    float x = place;
    for (int i = 0; i < 64; ++i) x = std::nextafter(x, -kInfinity);
    for (int i = 0; i < 128; ++i) {
      const float next = std::nextafter(x, kInfinity);
      ASSERT_LE(Exp(x), Exp(next)) << std::hexfloat << x;
      x = next;
    }
  }
}

// The steps with every operation in double, rounded to float afterwards, which
// is the same for sums and products of floats (53 >= 2 * 24 + 2 bits). Results
// go through memory: a compiler may narrow the operations to float again, but
// can't contract two of them.
struct DoubleOps {
  using Float = float;
  using Int = int32_t;

  float FloatConstant(float value) { return value; }
  int32_t IntConstant(int32_t value) { return value; }
  float Add(float a, float b) { return Round(double{a} + double{b}); }
  float Subtract(float a, float b) { return Round(double{a} - double{b}); }
  float Multiply(float a, float b) { return Round(double{a} * double{b}); }
  int32_t AddInt(int32_t a, int32_t b) { return Wrap(int64_t{a} + b); }
  int32_t SubtractInt(int32_t a, int32_t b) { return Wrap(int64_t{a} - b); }
  int32_t ShiftLeft(int32_t a, int count) {
    return Wrap(int64_t{a} * (int64_t{1} << count));
  }
  int32_t ShiftRightArithmetic(int32_t a, int count) {
    return static_cast<int32_t>(std::floor(std::ldexp(a, -count)));
  }
  int32_t BitsOf(float a) { return absl::bit_cast<int32_t>(a); }
  float FromBits(int32_t a) { return absl::bit_cast<float>(a); }
  float SelectLess(float a, float b, float then, float otherwise) {
    return std::isless(a, b) ? then : otherwise;
  }
  float SelectNan(float a, float then, float otherwise) {
    return a == a ? otherwise : then;
  }

  float Round(double value) {
    ++num_rounded;
    volatile float rounded = static_cast<float>(value);
    return rounded;
  }
  static int32_t Wrap(int64_t value) { return static_cast<int32_t>(value); }

  int num_rounded = 0;
};

TEST(ExpTest, EveryStepIsRoundedByItself) {
  DoubleOps ops;
  for (const float x : Probes()) {
    ASSERT_EQ(Bits(ExpSteps(ops, x)), Bits(Exp(x))) << std::hexfloat << x;
  }
  ops.num_rounded = 0;
  ExpSteps(ops, 1.0f);
  EXPECT_EQ(ops.num_rounded, 27);
}

}  // namespace
}  // namespace mxtile
