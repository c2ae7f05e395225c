#include "a5_model/vector/lanewise.h"

#include <cstdint>
#include <cstring>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_test_util.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr uint64_t kSeed = 6;

TEST(LanewiseTest, BytesByBits) {
  VectorDraw draw(kSeed);
  for (int round = 0; round < 100; ++round) {
    const ByteBits bits = round == 0   ? ByteBits()
                          : round == 1 ? ByteBits::All()
                                       : draw.Bits();
    const Reg a = draw.Bytes();
    const Reg b = draw.Bytes();
    Reg blended;
    BlendBytes(bits, a.bytes(), b.bytes(), blended.bytes());
    Reg kept = a;
    KeepBytes(bits, kept.bytes());
    const ByteMask mask(bits);
    uint8_t ones[kVectorBytes];
    std::memcpy(ones, mask.words, kVectorBytes);
    for (int i = 0; i < kVectorBytes; ++i) {
      ASSERT_EQ(blended.bytes()[i], bits.Test(i) ? a.bytes()[i] : b.bytes()[i]);
      ASSERT_EQ(kept.bytes()[i], bits.Test(i) ? a.bytes()[i] : 0);
      ASSERT_EQ(ones[i], bits.Test(i) ? 0xFF : 0);
    }
  }
}

// A lane is computed from its own lanes, has a value when they have, and is 0
// when it is not active.
TEST(LanewiseTest, MapsLanes) {
  VectorDraw draw(kSeed);
  for (const Mask& mask : draw.Masks<uint16_t>()) {
    Reg a = draw.Bytes();
    Reg b = draw.Bytes();
    a.set_undefined(draw.Bits() & draw.Bits() & draw.Bits());
    b.set_undefined(draw.Bits() & draw.Bits() & draw.Bits());
    const Reg sum = MapLanes<uint16_t>(
        a, b, mask, [](uint16_t x, uint16_t y) -> uint16_t { return x - y; });
    const Reg twice = MapLanes<uint16_t>(
        a, mask, [](uint16_t x) -> uint16_t { return 2 * x; });
    const Reg bits = MapBits<uint16_t>(
        a, b, mask, [](uint64_t x, uint64_t y) { return x ^ y; });
    for (int i = 0; i < kVectorBytes; ++i) {
      const int lane = i / 2;
      const auto missing = [&](const Reg& reg) {
        return reg.undefined().Test(2 * lane) ||
               reg.undefined().Test(2 * lane + 1);
      };
      const bool active = mask.active<uint16_t>(lane);
      const uint16_t x = a.lane<uint16_t>(lane);
      const uint16_t y = b.lane<uint16_t>(lane);
      ASSERT_EQ(sum.lane<uint16_t>(lane),
                active ? static_cast<uint16_t>(x - y) : 0);
      ASSERT_EQ(twice.lane<uint16_t>(lane),
                active ? static_cast<uint16_t>(2 * x) : 0);
      ASSERT_EQ(bits.lane<uint16_t>(lane), active ? x ^ y : 0);
      ASSERT_EQ(sum.undefined().Test(i), active && (missing(a) || missing(b)));
      ASSERT_EQ(twice.undefined().Test(i), active && missing(a));
      ASSERT_EQ(bits.undefined().Test(i),
                active && (a.undefined().Test(i) || b.undefined().Test(i)));
    }
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
