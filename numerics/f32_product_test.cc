#include "numerics/f32_product.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/f8e8m0fnu.h"

namespace mxtile {
namespace {

constexpr uint32_t kSeed = 20260;

struct Pair {
  ElementFormat left;
  ElementFormat right;
  // By hand, from the exponents of the least and the largest magnitudes:
  // -9 and 8, -16 and 15, -1 and 2, -2 and 0.
  F32ProductRange range;
};

std::vector<Pair> Pairs() {
  const ElementFormat e4m3 = ElementFormat::kF8E4M3FN;
  const ElementFormat e5m2 = ElementFormat::kF8E5M2;
  const ElementFormat e2m1 = ElementFormat::kF4E2M1FN;
  const ElementFormat e1m2 = ElementFormat::kF4E1M2;
  return {
      // 448 * 448 = 1.53 * 2^17
      {e4m3, e4m3, {246, 246, 123, 364}},
      // 448 * 57344 = 1.53 * 2^24
      {e4m3, e5m2, {246, 239, 130, 357}},
      {e5m2, e4m3, {239, 246, 130, 357}},
      // 57344^2 = 1.53 * 2^31
      {e5m2, e5m2, {239, 239, 137, 350}},
      // 6 * 6 = 1.1 * 2^5
      {e2m1, e2m1, {252, 252, 107, 376}},
      // 6 * 1.75 = 1.3 * 2^3
      {e2m1, e1m2, {252, 254, 108, 378}},
      {e1m2, e2m1, {254, 252, 108, 378}},
      // 1.75^2 = 1.5 * 2^1
      {e1m2, e1m2, {254, 254, 109, 380}},
  };
}

std::string PairName(const ::testing::TestParamInfo<Pair>& info) {
  return std::string(Name(info.param.left)) + "_" +
         std::string(Name(info.param.right));
}

struct Operands {
  float a, b;
  int sa, sb;
};

float F32Form(float acc, const Operands& o) {
  const float left = o.a * DecodeF8E8M0FNU(o.sa);
  const float right = o.b * DecodeF8E8M0FNU(o.sb);
  return acc + left * right;
}

float DoubleForm(float acc, const Operands& o) {
  return static_cast<float>(double{acc} + double{o.a} * double{o.b} *
                                              ScaleProduct(o.sa, o.sb));
}

// The same bits; any NaN is the same as any other, since MMAD_MX has one.
bool Same(float x, float y) {
  return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
}

std::vector<float> Values(ElementFormat format) {
  std::vector<float> values;
  for (uint64_t code = 0; code < CodeCount(format); ++code) {
    values.push_back(Decode(format, code));
  }
  return values;
}

class F32ProductTest : public ::testing::TestWithParam<Pair> {
 protected:
  // Scales of a sum within the range of each.
  static std::vector<Operands> ScalesOf(const F32ProductRange& range, int sum) {
    std::vector<Operands> scales;
    for (int sa = 0; sa <= range.max_left; ++sa) {
      const int sb = sum - sa;
      if (sb >= 0 && sb <= range.max_right) scales.push_back({0, 0, sa, sb});
    }
    return scales;
  }
};

TEST_P(F32ProductTest, RangeByHand) {
  const F32ProductRange range =
      ExactF32Products(GetParam().left, GetParam().right);
  EXPECT_EQ(range.max_left, GetParam().range.max_left);
  EXPECT_EQ(range.max_right, GetParam().range.max_right);
  EXPECT_EQ(range.min_sum, GetParam().range.min_sum);
  EXPECT_EQ(range.max_sum, GetParam().range.max_sum);
}

TEST_P(F32ProductTest, HoldsIsTheRange) {
  const F32ProductRange& range = GetParam().range;
  for (int sa = 0; sa < 256; ++sa) {
    for (int sb = 0; sb < 256; ++sb) {
      ASSERT_EQ(range.Holds(sa, sb),
                sa <= range.max_left && sb <= range.max_right &&
                    sa + sb >= range.min_sum && sa + sb <= range.max_sum);
    }
  }
}

// The product of factors is the double's for each pair of codes: at both ends
// of the sum with the most uneven scales and with the most even ones, and for
// each pair of scales with the extreme codes.
TEST_P(F32ProductTest, ProductsAreExactWithinTheRange) {
  const Pair& pair = GetParam();
  const F32ProductRange range = ExactF32Products(pair.left, pair.right);
  int64_t products = 0;
  const auto expect_exact = [&products](const Operands& o) {
    const float left = o.a * DecodeF8E8M0FNU(o.sa);
    const float right = o.b * DecodeF8E8M0FNU(o.sb);
    const double exact = double{o.a} * double{o.b} * ScaleProduct(o.sa, o.sb);
    const float product = left * right;
    ++products;
    ASSERT_TRUE(product == exact || (std::isnan(product) && std::isnan(exact)))
        << o.a << " " << o.b << " " << o.sa << " " << o.sb;
  };
  for (const int sum : {range.min_sum, range.max_sum}) {
    const std::vector<Operands> scales = ScalesOf(range, sum);
    for (const Operands& s :
         {scales.front(), scales[scales.size() / 2], scales.back()}) {
      for (const float a : Values(pair.left)) {
        for (const float b : Values(pair.right)) {
          expect_exact({a, b, s.sa, s.sb});
        }
      }
    }
  }
  for (int sa = 0; sa < 255; ++sa) {
    for (int sb = 0; sb < 255; ++sb) {
      if (!range.Holds(sa, sb)) continue;
      for (const float a : {Decode(pair.left, 1), MaxFinite(pair.left)}) {
        for (const float b : {Decode(pair.right, 1), MaxFinite(pair.right)}) {
          expect_exact({a, -b, sa, sb});
        }
      }
    }
  }
  EXPECT_GT(products, 100000);
}

// Random accumulators of every exponent, and those on which double rounding
// would show: a tie of the sum, and its neighbours.
TEST_P(F32ProductTest, SumsAreTheSameBits) {
  SCOPED_TRACE(kSeed);
  const Pair& pair = GetParam();
  const F32ProductRange range = ExactF32Products(pair.left, pair.right);
  const std::vector<float> left = Values(pair.left);
  const std::vector<float> right = Values(pair.right);
  std::mt19937 random(kSeed);
  const auto below = [&random](int64_t limit) { return random() % limit; };
  for (int i = 0; i < 300000; ++i) {
    Operands o = {left[below(left.size())], right[below(right.size())],
                  static_cast<int>(below(range.max_left + 1)), 0};
    const std::vector<int> ends = {range.min_sum, range.max_sum};
    const int sum =
        i % 4 < 2
            ? ends[i % 4]
            : range.min_sum +
                  static_cast<int>(below(range.max_sum - range.min_sum + 1));
    o.sb = sum - o.sa;
    if (!range.Holds(o.sa, o.sb) || o.sb < 0) continue;
    const float product = F32Form(0, o);
    uint32_t bits = random();
    float acc;
    std::memcpy(&acc, &bits, sizeof acc);
    ASSERT_TRUE(Same(F32Form(acc, o), DoubleForm(acc, o)))
        << o.a << " " << o.b << " " << o.sa << " " << o.sb << " " << acc;
    // 2^23 to 2^30 times the product: it is half a unit of the sum, or less.
    acc = std::ldexp(product, 23 + i % 8) * (i % 3 == 0 ? 1 : -1);
    acc = std::nextafter(acc, i % 2 == 0 ? 0.0f : acc);
    ASSERT_TRUE(Same(F32Form(acc, o), DoubleForm(acc, o)))
        << o.a << " " << o.b << " " << o.sa << " " << o.sb << " " << acc;
  }
}

TEST_P(F32ProductTest, ScaleOf255IsNanInBoth) {
  for (const Operands& o : {Operands{1, 1, 255, 127}, Operands{1, 1, 127, 255},
                            Operands{0, 1, 255, 255}}) {
    EXPECT_TRUE(std::isnan(F32Form(1, o)));
    EXPECT_TRUE(std::isnan(DoubleForm(1, o)));
  }
}

// A step beyond each end the two differ.
TEST_P(F32ProductTest, RangeIsTheWidest) {
  const Pair& pair = GetParam();
  const F32ProductRange range = ExactF32Products(pair.left, pair.right);
  const float least_left = Decode(pair.left, 1);
  const float least_right = Decode(pair.right, 1);
  const float largest_left = MaxFinite(pair.left);
  const float largest_right = MaxFinite(pair.right);
  // The product is 2^-150: as a float it is lost, but it breaks a tie.
  const Operands low = ScalesOf(range, range.min_sum - 1)[0];
  const Operands below = {least_left, least_right, low.sa, low.sb};
  const float odd = std::numeric_limits<float>::denorm_min();
  EXPECT_FALSE(Same(F32Form(odd, below), DoubleForm(odd, below)));
  // The product is 2^128 or more: as a float it is Inf, but the sum is none.
  const Operands high = ScalesOf(range, range.max_sum + 1)[0];
  const Operands above = {largest_left, largest_right, high.sa, high.sb};
  const float most = -std::numeric_limits<float>::max();
  EXPECT_FALSE(Same(F32Form(most, above), DoubleForm(most, above)));
  // A factor is Inf, but the product is a float.
  if (range.max_left < 254) {
    const Operands left = {largest_left, 1, range.max_left + 1, 100};
    EXPECT_FALSE(Same(F32Form(0, left), DoubleForm(0, left)));
  }
  if (range.max_right < 254) {
    const Operands right = {1, largest_right, 100, range.max_right + 1};
    EXPECT_FALSE(Same(F32Form(0, right), DoubleForm(0, right)));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, F32ProductTest, ::testing::ValuesIn(Pairs()),
                         PairName);

TEST(F32ProductDeathTest, OtherFormatsAreABug) {
  EXPECT_DEATH(ExactF32Products(ElementFormat::kF8E4M3FN, ElementFormat::kBF16),
               "f8E4M3FN times bf16");
}

}  // namespace
}  // namespace mxtile
