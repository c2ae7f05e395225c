// Arithmetic against formulas of single lanes: integers by 64-bit arithmetic,
// floats by doubles, which round once to whatever format.
//
//   arithmetic_test --seed=7 --rounds=100

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_test_util.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"

namespace mxtile {
namespace a5 {

uint64_t seed = 20261201;
int rounds = 8;

namespace {

using ::testing::HasSubstr;

template <typename T>
constexpr bool kIsFloat = !std::is_integral_v<T>;

template <typename T>
uint32_t BitsOf(T lane) {
  uint32_t bits = 0;
  std::memcpy(&bits, &lane, sizeof(T));
  return bits;
}

template <typename T>
T LaneOf(uint32_t bits) {
  T lane;
  std::memcpy(&lane, &bits, sizeof(T));
  return lane;
}

// A format of floats: digits behind the point, exponents of normal numbers.
struct Format {
  int mantissa_bits;
  int min_exponent;
  int max_exponent;
};

template <typename T>
constexpr Format FormatOf() {
  if (std::is_same_v<T, Half>) return {10, -14, 15};
  if (std::is_same_v<T, BFloat>) return {7, -126, 127};
  return {23, -126, 127};
}

template <typename T>
double ValueOf(T lane) {
  constexpr Format kFormat = FormatOf<T>();
  constexpr int kExponentBits =
      8 * static_cast<int>(sizeof(T)) - 1 - kFormat.mantissa_bits;
  const uint32_t bits = BitsOf(lane);
  const int sign = bits >> (8 * sizeof(T) - 1) & 1;
  const int field = bits >> kFormat.mantissa_bits & ((1 << kExponentBits) - 1);
  const uint32_t mantissa = bits & ((1u << kFormat.mantissa_bits) - 1);
  double magnitude;
  if (field == (1 << kExponentBits) - 1) {
    magnitude = mantissa == 0 ? HUGE_VAL : std::nan("");
  } else if (field == 0) {
    magnitude =
        std::ldexp(mantissa, kFormat.min_exponent - kFormat.mantissa_bits);
  } else {
    magnitude =
        std::ldexp(mantissa + std::ldexp(1, kFormat.mantissa_bits),
                   field - 1 + kFormat.min_exponent - kFormat.mantissa_bits);
  }
  return sign ? -magnitude : magnitude;
}

// The bits of the nearest T, ties to even; of the one NaN.
template <typename T>
uint32_t Nearest(double value) {
  constexpr Format kFormat = FormatOf<T>();
  constexpr uint32_t kSign = 1u << (8 * sizeof(T) - 1);
  constexpr uint32_t kInfinity =
      static_cast<uint32_t>(kFormat.max_exponent - kFormat.min_exponent + 2)
      << kFormat.mantissa_bits;
  if (std::isnan(value)) {
    return kInfinity | 1u << (kFormat.mantissa_bits - 1);
  }
  const uint32_t sign = std::signbit(value) ? kSign : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | kInfinity;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), kFormat.min_exponent);
  const double steps =
      std::nearbyint(std::ldexp(magnitude, kFormat.mantissa_bits - exponent));
  // Steps may carry into the next exponent; fields do that by themselves.
  const uint32_t bits = static_cast<uint32_t>(steps) +
                        (static_cast<uint32_t>(exponent - kFormat.min_exponent)
                         << kFormat.mantissa_bits);
  return sign | std::min(bits, kInfinity);
}

// What lane-wise instructions compute, as bits of T.
template <typename T>
using Formula = std::function<uint32_t(T, T)>;

template <typename T>
uint32_t Sum(T x, T y) {
  if constexpr (kIsFloat<T>) {
    return Nearest<T>(ValueOf(x) + ValueOf(y));
  } else {
    return BitsOf(static_cast<T>(int64_t{x} + int64_t{y}));
  }
}

template <typename T>
uint32_t Difference(T x, T y) {
  if constexpr (kIsFloat<T>) {
    return Nearest<T>(ValueOf(x) - ValueOf(y));
  } else {
    return BitsOf(static_cast<T>(int64_t{x} - int64_t{y}));
  }
}

template <typename T>
uint32_t Product(T x, T y) {
  if constexpr (kIsFloat<T>) {
    return Nearest<T>(ValueOf(x) * ValueOf(y));
  } else {
    return BitsOf(static_cast<T>(static_cast<uint64_t>(int64_t{x}) *
                                 static_cast<uint64_t>(int64_t{y})));
  }
}

// -1, 0 or 1: whether x is below y in the order of maxima.
template <typename T>
int Order(T x, T y) {
  if constexpr (kIsFloat<T>) {
    constexpr uint32_t kMagnitude = (1u << (8 * sizeof(T) - 1)) - 1;
    const uint32_t a = BitsOf(x);
    const uint32_t b = BitsOf(y);
    const bool a_nan = std::isnan(ValueOf(x));
    const bool b_nan = std::isnan(ValueOf(y));
    if (a_nan != b_nan) return a_nan ? 1 : -1;
    if (a_nan && (a & kMagnitude) != (b & kMagnitude)) {
      return (a & kMagnitude) > (b & kMagnitude) ? 1 : -1;
    }
    if (!a_nan && ValueOf(x) != ValueOf(y)) {
      return ValueOf(x) > ValueOf(y) ? 1 : -1;
    }
    if (a == b) return 0;
    return a > b ? -1 : 1;  // one has a sign
  } else {
    return x < y ? -1 : x > y ? 1 : 0;
  }
}

template <typename T>
uint32_t Larger(T x, T y) {
  return BitsOf(Order(x, y) < 0 ? y : x);
}

template <typename T>
uint32_t Smaller(T x, T y) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(ValueOf(x)) || std::isnan(ValueOf(y))) return Larger(x, y);
  }
  return BitsOf(Order(x, y) < 0 ? x : y);
}

template <typename T>
Reg Expected(const Reg& a, const Reg& b, const Mask& mask,
             const Formula<T>& formula) {
  Reg expected;
  for (int i = 0; i < kLanes<T>; ++i) {
    if (!mask.active<T>(i)) continue;
    expected.set_lane<T>(i, LaneOf<T>(formula(a.lane<T>(i), b.lane<T>(i))));
  }
  return expected;
}

template <typename T>
void ExpectSame(const Reg& actual, const Reg& expected, const Reg& a,
                const Reg& b, const char* what) {
  if (actual == expected) return;
  for (int i = 0; i < kLanes<T>; ++i) {
    EXPECT_EQ(BitsOf(actual.lane<T>(i)), BitsOf(expected.lane<T>(i)))
        << what << " lane " << i << std::hex << " of 0x" << BitsOf(a.lane<T>(i))
        << " and 0x" << BitsOf(b.lane<T>(i));
  }
  EXPECT_EQ(actual.undefined(), expected.undefined());
}

template <typename T>
class ArithmeticTest : public ::testing::Test {
 protected:
  // Each mask with new registers, `rounds` times; `check(a, b, mask)`.
  template <typename Check>
  void ForAll(Check check) {
    RecordProperty("seed", std::to_string(seed));
    VectorDraw draw(seed);
    for (int round = 0; round < rounds; ++round) {
      SCOPED_TRACE(testing::Message()
                   << "--seed=" << seed << " round " << round);
      for (const Mask& mask : draw.Masks<T>()) {
        check(draw.Lanes<T>(), draw.Lanes<T>(), mask);
        if (this->HasFailure()) return;
      }
    }
    MX_EXPECT_OK(bench_.unit().Finish());
  }
  VectorUnit& unit() { return bench_.unit(); }

 private:
  UbBench bench_;
};

using LaneTypes = ::testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t,
                                   uint32_t, float, Half, BFloat>;
TYPED_TEST_SUITE(ArithmeticTest, LaneTypes);

TYPED_TEST(ArithmeticTest, AddSubMul) {
  using T = TypeParam;
  this->ForAll([&](const Reg& a, const Reg& b, const Mask& mask) {
    VectorUnit& unit = this->unit();
    ExpectSame<T>(unit.Vadd<T>(a, b, mask), Expected<T>(a, b, mask, Sum<T>), a,
                  b, "vadd");
    ExpectSame<T>(unit.Vsub<T>(a, b, mask),
                  Expected<T>(a, b, mask, Difference<T>), a, b, "vsub");
    ExpectSame<T>(unit.Vmul<T>(a, b, mask), Expected<T>(a, b, mask, Product<T>),
                  a, b, "vmul");
  });
}

TYPED_TEST(ArithmeticTest, MaxMin) {
  using T = TypeParam;
  this->ForAll([&](const Reg& a, const Reg& b, const Mask& mask) {
    VectorUnit& unit = this->unit();
    ExpectSame<T>(unit.Vmax<T>(a, b, mask), Expected<T>(a, b, mask, Larger<T>),
                  a, b, "vmax");
    ExpectSame<T>(unit.Vmin<T>(a, b, mask), Expected<T>(a, b, mask, Smaller<T>),
                  a, b, "vmin");
    EXPECT_EQ(unit.Vmax<T>(a, b, mask), unit.Vmax<T>(b, a, mask));
    EXPECT_EQ(unit.Vmin<T>(a, b, mask), unit.Vmin<T>(b, a, mask));
  });
}

TYPED_TEST(ArithmeticTest, WithAScalar) {
  using T = TypeParam;
  this->ForAll([&](const Reg& a, const Reg& b, const Mask& mask) {
    VectorUnit& unit = this->unit();
    const T scalar = b.lane<T>(0);
    const Reg all = Reg::Of<T>([&](int) { return scalar; });
    ExpectSame<T>(unit.Vadds<T>(a, scalar, mask),
                  Expected<T>(a, all, mask, Sum<T>), a, all, "vadds");
    ExpectSame<T>(unit.Vmuls<T>(a, scalar, mask),
                  Expected<T>(a, all, mask, Product<T>), a, all, "vmuls");
    ExpectSame<T>(unit.Vmaxs<T>(a, scalar, mask),
                  Expected<T>(a, all, mask, Larger<T>), a, all, "vmaxs");
    ExpectSame<T>(unit.Vmins<T>(a, scalar, mask),
                  Expected<T>(a, all, mask, Smaller<T>), a, all, "vmins");
  });
}

TYPED_TEST(ArithmeticTest, Bits) {
  using T = TypeParam;
  this->ForAll([&](const Reg& a, const Reg& b, const Mask& mask) {
    VectorUnit& unit = this->unit();
    const auto expected =
        [&](const std::function<uint32_t(uint32_t, uint32_t)>& of_bits) {
          return Expected<T>(a, b, mask, [&](T x, T y) {
            return of_bits(BitsOf(x), BitsOf(y));
          });
        };
    EXPECT_EQ(unit.Vand<T>(a, b, mask),
              expected([](uint32_t x, uint32_t y) { return x & y; }));
    EXPECT_EQ(unit.Vor<T>(a, b, mask),
              expected([](uint32_t x, uint32_t y) { return x | y; }));
    EXPECT_EQ(unit.Vxor<T>(a, b, mask),
              expected([](uint32_t x, uint32_t y) { return x ^ y; }));
    EXPECT_EQ(unit.Vnot<T>(a, mask),
              expected([](uint32_t x, uint32_t) { return ~x; }));
  });
}

TYPED_TEST(ArithmeticTest, Abs) {
  using T = TypeParam;
  if constexpr (std::is_unsigned_v<T>) {
    return;
  } else {
    this->ForAll([&](const Reg& a, const Reg&, const Mask& mask) {
      ExpectSame<T>(
          this->unit().template Vabs<T>(a, mask),
          Expected<T>(a, a, mask,
                      [](T x, T) -> uint32_t {
                        if constexpr (kIsFloat<T>) {
                          return BitsOf(x) & ((1u << (8 * sizeof(T) - 1)) - 1);
                        } else {
                          return BitsOf(
                              static_cast<T>(x < 0 ? -int64_t{x} : int64_t{x}));
                        }
                      }),
          a, a, "vabs");
    });
  }
}

// Shifted one bit at a time.
template <typename T>
uint32_t Shifted(T x, uint32_t count, bool left) {
  int64_t value = x;
  for (uint32_t i = 0; i < std::min<uint32_t>(count, 64); ++i) {
    if (left) {
      value = static_cast<int64_t>(static_cast<uint64_t>(value) * 2);
    } else {
      value = value >= 0 ? value / 2 : -((1 - value) / 2);
    }
  }
  return BitsOf(static_cast<T>(value));
}

TYPED_TEST(ArithmeticTest, Shifts) {
  using T = TypeParam;
  if constexpr (kIsFloat<T>) {
    return;
  } else {
    this->ForAll([&](const Reg& a, const Reg& b, const Mask& mask) {
      using Unsigned = std::make_unsigned_t<T>;
      VectorUnit& unit = this->unit();
      ExpectSame<T>(unit.Vshl<T>(a, b, mask),
                    Expected<T>(a, b, mask,
                                [](T x, T y) {
                                  return Shifted(x, static_cast<Unsigned>(y),
                                                 true);
                                }),
                    a, b, "vshl");
      ExpectSame<T>(unit.Vshr<T>(a, b, mask),
                    Expected<T>(a, b, mask,
                                [](T x, T y) {
                                  return Shifted(x, static_cast<Unsigned>(y),
                                                 false);
                                }),
                    a, b, "vshr");
      for (const int count : {0, 1, 7, 8, 15, 16, 23, 31, 32, 33, 65535}) {
        ExpectSame<T>(
            unit.Vshls<T>(a, count, mask),
            Expected<T>(a, a, mask,
                        [&](T x, T) { return Shifted(x, count, true); }),
            a, a, "vshls");
        ExpectSame<T>(
            unit.Vshrs<T>(a, count, mask),
            Expected<T>(a, a, mask,
                        [&](T x, T) { return Shifted(x, count, false); }),
            a, a, "vshrs");
      }
    });
  }
}

// Folded from the left, in the order of the lanes.
template <typename T>
T MaximumOf(const Reg& a, const Mask& mask, int begin, int end) {
  T max;
  if constexpr (kIsFloat<T>) {
    max = LaneOf<T>(Nearest<T>(-HUGE_VAL));
  } else {
    max = std::numeric_limits<T>::min();
  }
  for (int i = begin; i < end; ++i) {
    if (mask.active<T>(i)) max = LaneOf<T>(Larger(max, a.lane<T>(i)));
  }
  return max;
}

TYPED_TEST(ArithmeticTest, MaximaAcrossLanes) {
  using T = TypeParam;
  this->ForAll([&](const Reg& a, const Reg&, const Mask& mask) {
    Reg expected;
    expected.set_lane<T>(0, MaximumOf<T>(a, mask, 0, kLanes<T>));
    ExpectSame<T>(this->unit().template Vcmax<T>(a, mask), expected, a, a,
                  "vcmax");
    expected = Reg();
    constexpr int kOfBlock = kLanes<T> / 8;
    for (int block = 0; block < 8; ++block) {
      expected.set_lane<T>(block, MaximumOf<T>(a, mask, block * kOfBlock,
                                               (block + 1) * kOfBlock));
    }
    ExpectSame<T>(this->unit().template Vcgmax<T>(a, mask), expected, a, a,
                  "vcgmax");
  });
}

// Off by default: subnormals are values. On, operands and results are flushed.
TEST(VectorArithmeticTest, FlushToZero) {
  const float subnormal = std::ldexp(1.0f, -130);
  const float min_normal = std::ldexp(1.0f, -126);
  const Mask all = Mask::All<float>();
  for (const bool flush : {false, true}) {
    VectorOptions options;
    options.flush_subnormals = flush;
    UbBench bench(options);
    VectorUnit& unit = bench.unit();
    const Reg tiny = unit.Vbr<float>(-subnormal);
    const Reg least = unit.Vbr<float>(min_normal);
    // A subnormal result of a product, a subnormal operand of one, a subnormal
    // difference of normal numbers.
    EXPECT_EQ(unit.Vmuls<float>(least, 0.25f, all).lane<float>(5),
              flush ? 0.0f : min_normal / 4);
    const Reg grown = unit.Vmuls<float>(tiny, 1024.0f, all);
    EXPECT_EQ(grown.lane<float>(5), flush ? 0.0f : -subnormal * 1024);
    EXPECT_TRUE(std::signbit(grown.lane<float>(5)));
    EXPECT_EQ(unit.Vsub<float>(unit.Vmuls<float>(least, 1.5f, all), least, all)
                  .lane<float>(5),
              flush ? 0.0f : min_normal / 2);
    EXPECT_EQ(unit.Vadds<float>(tiny, 0.0f, all).lane<float>(5),
              flush ? 0.0f : -subnormal);
    // What only moves or compares bits does not flush.
    EXPECT_EQ(unit.Vabs<float>(tiny, all).lane<float>(5), subnormal);
    EXPECT_EQ(unit.Vmax<float>(tiny, tiny, all).lane<float>(5), -subnormal);
  }
}

TEST(VectorArithmeticTest, ShiftCountsHaveAField_A5_FIELD_1) {
  UbBench bench;
  bench.unit().Vshls<uint32_t>(Reg(), -1, Mask());
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("vshls (instruction 1): shift count is -1, "
                                 "not in [0, 65535] (A5-FIELD-1)")));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv, "--rounds=", &mxtile::a5::seed,
                                &mxtile::a5::rounds);
}
