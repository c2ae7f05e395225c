// Predicates, comparisons and selection against formulas of single lanes.
//
//   predicate_test --seed=7 --rounds=100

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_test_util.h"
#include "a5_model/vector/vector_unit.h"
#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"

namespace mxtile {
namespace a5 {

uint64_t seed = 20261202;
int rounds = 8;

namespace {

template <typename T>
double ValueOf(T lane) {
  if constexpr (std::is_same_v<T, Half>) {
    return DecodeF16(lane.bits);
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return DecodeBF16(lane.bits);
  } else {
    return lane;
  }
}

// Of two values that are not NaN.
bool Holds(Compare relation, double x, double y) {
  switch (relation) {
    case Compare::kEq:
      return x == y;
    case Compare::kNe:
      return x != y;
    case Compare::kLt:
      return x < y;
    case Compare::kLe:
      return !(y < x);
    case Compare::kGt:
      return y < x;
    case Compare::kGe:
      return !(x < y);
  }
  return false;
}

constexpr Compare kRelations[] = {Compare::kEq, Compare::kNe, Compare::kLt,
                                  Compare::kLe, Compare::kGt, Compare::kGe};

template <typename T>
class PredicateTest : public ::testing::Test {
 protected:
  template <typename Check>
  void ForAll(Check check) {
    VectorDraw draw(seed);
    for (int round = 0; round < rounds; ++round) {
      SCOPED_TRACE(testing::Message()
                   << "--seed=" << seed << " round " << round);
      for (const Mask& mask : draw.Masks<T>()) {
        check(draw, mask);
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
TYPED_TEST_SUITE(PredicateTest, LaneTypes);

template <typename T>
Mask Expected(Compare relation, const Reg& a, const Reg& b, const Mask& mask) {
  ByteBits bits;
  for (int i = 0; i < kLanes<T>; ++i) {
    if (!mask.active<T>(i)) continue;
    const double x = ValueOf(a.lane<T>(i));
    const double y = ValueOf(b.lane<T>(i));
    if (std::isnan(x) || std::isnan(y)) continue;
    if (Holds(relation, x, y)) bits.Set(i * static_cast<int>(sizeof(T)));
  }
  return Mask(bits);
}

TYPED_TEST(PredicateTest, Compares) {
  using T = TypeParam;
  this->ForAll([&](VectorDraw& draw, const Mask& mask) {
    const Reg a = draw.Lanes<T>();
    Reg b = draw.Lanes<T>();
    for (int i = 0; i < kLanes<T>; i += 3) b.set_lane(i, a.lane<T>(i));
    const T scalar = b.lane<T>(draw.Below(kLanes<T>));
    const Reg all = Reg::Of<T>([&](int) { return scalar; });
    for (const Compare relation : kRelations) {
      EXPECT_EQ(this->unit().template Vcmp<T>(relation, a, b, mask),
                Expected<T>(relation, a, b, mask))
          << static_cast<int>(relation);
      EXPECT_EQ(this->unit().template Vcmps<T>(relation, a, scalar, mask),
                Expected<T>(relation, a, all, mask))
          << static_cast<int>(relation);
    }
  });
}

TYPED_TEST(PredicateTest, Selects) {
  using T = TypeParam;
  this->ForAll([&](VectorDraw& draw, const Mask& mask) {
    Reg a = draw.Bytes();
    Reg b = draw.Bytes();
    a.set_undefined(draw.Bits());
    b.set_undefined(draw.Bits());
    Reg expected;
    ByteBits undefined;
    for (int i = 0; i < kVectorBytes; ++i) {
      const Reg& source =
          mask.active<T>(i / static_cast<int>(sizeof(T))) ? a : b;
      expected.bytes()[i] = source.bytes()[i];
      if (source.undefined().Test(i)) undefined.Set(i);
    }
    expected.set_undefined(undefined);
    EXPECT_EQ(this->unit().template Vsel<T>(a, b, mask), expected);
  });
}

// Every count around the sizes of registers: lanes, and what is left.
TYPED_TEST(PredicateTest, PltCountsDown) {
  using T = TypeParam;
  UbBench bench;
  for (uint32_t start = 0; start <= 600; ++start) {
    uint32_t count = start;
    uint32_t left = start;
    for (int step = 0; step < 3; ++step) {
      const Mask mask = step == 1 ? bench.unit().CreatePredicate<T>(&count)
                                  : bench.unit().template Plt<T>(&count);
      for (int i = 0; i < kVectorBytes; ++i) {
        const bool is_lane = i % sizeof(T) == 0;
        ASSERT_EQ(mask.bits().Test(i), is_lane && i / sizeof(T) < left)
            << start << " step " << step << " bit " << i;
      }
      left = left > kLanes<T> ? left - kLanes<T> : 0;
      ASSERT_EQ(count, left) << start << " step " << step;
    }
  }
}

TYPED_TEST(PredicateTest, Psets) {
  using T = TypeParam;
  UbBench bench;
  const std::vector<std::pair<Pattern, int>> patterns = {
      {Pattern::kAll, 256}, {Pattern::kAllF, 0},   {Pattern::kVl1, 1},
      {Pattern::kVl2, 2},   {Pattern::kVl3, 3},    {Pattern::kVl4, 4},
      {Pattern::kVl8, 8},   {Pattern::kVl16, 16},  {Pattern::kVl32, 32},
      {Pattern::kVl64, 64}, {Pattern::kVl128, 128}};
  for (const auto& [pattern, lanes] : patterns) {
    const Mask mask = bench.unit().template Pset<T>(pattern);
    for (int i = 0; i < kVectorBytes; ++i) {
      ASSERT_EQ(mask.bits().Test(i),
                i % sizeof(T) == 0 && i / static_cast<int>(sizeof(T)) < lanes)
          << lanes << " bit " << i;
    }
  }
}

TEST(VectorPredicateTest, LogicOfBits) {
  VectorDraw draw(seed);
  UbBench bench;
  VectorUnit& unit = bench.unit();
  for (int round = 0; round < 20 * rounds; ++round) {
    const Mask a(draw.Bits());
    const Mask b(draw.Bits());
    const Mask keep(draw.Bits());
    const Mask both = unit.Pand(a, b, keep);
    const Mask either = unit.Por(a, b, keep);
    const Mask one = unit.Pxor(a, b, keep);
    const Mask inverse = unit.Pnot(a, keep);
    for (int i = 0; i < kVectorBytes; ++i) {
      const bool x = a.bits().Test(i);
      const bool y = b.bits().Test(i);
      const bool kept = keep.bits().Test(i);
      ASSERT_EQ(both.bits().Test(i), kept && x && y) << i;
      ASSERT_EQ(either.bits().Test(i), kept && (x || y)) << i;
      ASSERT_EQ(one.bits().Test(i), kept && x != y) << i;
      ASSERT_EQ(inverse.bits().Test(i), kept && !x) << i;
    }
  }
}

// A relation with a byte that has no value has none; so has what follows.
TEST(VectorPredicateTest, MissingValuesMakeMissingBits) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  Reg a;
  ByteBits undefined;
  undefined.Set(9);  // lane 2 of b32
  a.set_undefined(undefined);
  ByteBits lane2;
  lane2.Set(8);
  const Mask all = Mask::All<float>();
  const Mask equal = unit.Vcmps<float>(Compare::kEq, a, 0, all);
  EXPECT_EQ(equal.undefined(), lane2);
  // Not where the lane is not active.
  EXPECT_EQ(unit.Vcmps<float>(Compare::kEq, a, 0, Mask::FirstLanes<float>(2))
                .undefined(),
            ByteBits());
  // Through logic, where it is kept.
  EXPECT_EQ(unit.Pand(all, equal, all).undefined(), lane2);
  EXPECT_EQ(unit.Por(equal, all, all).undefined(), lane2);
  EXPECT_EQ(unit.Pxor(equal, all, all).undefined(), lane2);
  EXPECT_EQ(unit.Pnot(equal, all).undefined(), lane2);
  EXPECT_EQ(unit.Pnot(equal, Mask::FirstLanes<float>(2)).undefined(),
            ByteBits());
  // As a governing predicate: of comparisons, logic, arithmetic, selection.
  EXPECT_EQ(unit.Vcmps<float>(Compare::kEq, Reg(), 0, equal).undefined(),
            lane2);
  EXPECT_EQ(unit.Pand(all, all, equal).undefined(), lane2);
  const ByteBits bytes_of_lane2 = lane2.Spread<float>();
  EXPECT_EQ(unit.Vadd<float>(Reg(), Reg(), equal).undefined(), bytes_of_lane2);
  EXPECT_EQ(unit.Vor<float>(Reg(), Reg(), equal).undefined(), bytes_of_lane2);
  EXPECT_EQ(unit.Vsel<float>(Reg(), Reg(), equal).undefined(), bytes_of_lane2);
  EXPECT_EQ(unit.Vdup<float>(1, equal).undefined(), bytes_of_lane2);
  MX_EXPECT_OK(unit.status());
}

}  // namespace
}  // namespace a5
}  // namespace mxtile

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv, "--rounds=", &mxtile::a5::seed,
                                &mxtile::a5::rounds);
}
