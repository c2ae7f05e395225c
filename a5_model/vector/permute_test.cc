// Moving lanes, against formulas of single bytes, with what has no value.
//
//   permute_test --seed=7 --rounds=100

#include <cstdint>

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

namespace mxtile {
namespace a5 {

uint64_t seed = 20261203;
int rounds = 20;

namespace {

Reg DrawReg(VectorDraw& draw, bool with_undefined) {
  Reg reg = draw.Bytes();
  if (with_undefined) reg.set_undefined(draw.Bits() & draw.Bits());
  return reg;
}

template <typename T>
class PermuteTest : public ::testing::Test {};
using LaneTypes = ::testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t,
                                   uint32_t, float, Half, BFloat>;
TYPED_TEST_SUITE(PermuteTest, LaneTypes);

TYPED_TEST(PermuteTest, ZipAndUnzip) {
  using T = TypeParam;
  constexpr int kWidth = sizeof(T);
  VectorDraw draw(seed);
  UbBench bench;
  VectorUnit& unit = bench.unit();
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(testing::Message() << "--seed=" << seed << " round " << round);
    const Reg a = DrawReg(draw, round % 2 == 1);
    const Reg b = DrawReg(draw, round % 2 == 1);
    const RegPair zipped = unit.Vintlv<T>(a, b);
    for (int i = 0; i < 2 * kVectorBytes; ++i) {
      const Reg& to = i < kVectorBytes ? zipped.first : zipped.second;
      const Reg& from = i / kWidth % 2 == 0 ? a : b;
      const int byte = i / (2 * kWidth) * kWidth + i % kWidth;
      ASSERT_EQ(to.bytes()[i % kVectorBytes], from.bytes()[byte]) << i;
      ASSERT_EQ(to.undefined().Test(i % kVectorBytes),
                from.undefined().Test(byte))
          << i;
    }
    const RegPair unzipped = unit.Vdintlv<T>(a, b);
    for (int i = 0; i < 2 * kVectorBytes; ++i) {
      const Reg& from = i < kVectorBytes ? a : b;
      const Reg& to = i / kWidth % 2 == 0 ? unzipped.first : unzipped.second;
      const int byte = i / (2 * kWidth) * kWidth + i % kWidth;
      ASSERT_EQ(to.bytes()[byte], from.bytes()[i % kVectorBytes]) << i;
      ASSERT_EQ(to.undefined().Test(byte),
                from.undefined().Test(i % kVectorBytes))
          << i;
    }
    const RegPair back = unit.Vdintlv<T>(zipped.first, zipped.second);
    ASSERT_EQ(back.first, a);
    ASSERT_EQ(back.second, b);
  }
  MX_EXPECT_OK(unit.status());
}

TYPED_TEST(PermuteTest, Broadcasts) {
  using T = TypeParam;
  VectorDraw draw(seed);
  UbBench bench;
  VectorUnit& unit = bench.unit();
  for (const Mask& mask : draw.Masks<T>()) {
    const T scalar = draw.Bytes().lane<T>(0);
    const Reg everywhere = unit.Vbr<T>(scalar);
    const Reg active = unit.Vdup<T>(scalar, mask);
    Reg expected;
    for (int i = 0; i < kLanes<T>; ++i) expected.set_lane<T>(i, scalar);
    EXPECT_EQ(everywhere, expected);
    expected = Reg();
    for (int i = 0; i < kLanes<T>; ++i) {
      if (mask.active<T>(i)) expected.set_lane<T>(i, scalar);
    }
    EXPECT_EQ(active, expected);
  }
  MX_EXPECT_OK(unit.status());
}

template <typename T>
void CheckSelr() {
  constexpr int kWidth = sizeof(T);
  VectorDraw draw(seed);
  UbBench bench;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(testing::Message() << "--seed=" << seed << " round " << round);
    const Reg a = DrawReg(draw, round % 2 == 1);
    const Reg index = DrawReg(draw, round % 4 == 3);
    const Reg actual = bench.unit().Vselr<T>(a, index);
    for (int lane = 0; lane < kLanes<T>; ++lane) {
      const int from = static_cast<int>(index.lane<T>(lane) % kLanes<T>);
      bool unknown = false;
      for (int b = 0; b < kWidth; ++b) {
        unknown = unknown || index.undefined().Test(lane * kWidth + b);
      }
      for (int b = 0; b < kWidth; ++b) {
        ASSERT_EQ(actual.bytes()[lane * kWidth + b],
                  a.bytes()[from * kWidth + b]);
        ASSERT_EQ(actual.undefined().Test(lane * kWidth + b),
                  unknown || a.undefined().Test(from * kWidth + b));
      }
    }
  }
  MX_EXPECT_OK(bench.unit().status());
}

TEST(VectorPermuteTest, SelectsByIndex) {
  CheckSelr<uint8_t>();
  CheckSelr<uint16_t>();
  CheckSelr<uint32_t>();
}

template <typename T>
void CheckIndex(T first) {
  UbBench bench;
  const Reg actual = bench.unit().Vci<T>(first);
  int64_t value = first;
  for (int i = 0; i < kLanes<T>; ++i, ++value) {
    ASSERT_EQ(actual.lane<T>(i), static_cast<T>(value)) << i;
  }
}

TEST(VectorPermuteTest, CountsLanesAndWraps) {
  CheckIndex<int8_t>(0);
  CheckIndex<uint8_t>(200);
  CheckIndex<int16_t>(32767);
  CheckIndex<uint16_t>(65500);
  CheckIndex<int32_t>(-3);
  CheckIndex<uint32_t>(0xFFFFFFF0);
}

}  // namespace
}  // namespace a5
}  // namespace mxtile

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv, "--rounds=", &mxtile::a5::seed,
                                &mxtile::a5::rounds);
}
