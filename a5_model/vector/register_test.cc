// The values that instructions take and give: registers, masks, pointers.

#include "a5_model/vector/register.h"

#include <cstdint>
#include <type_traits>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/unsigned_lane.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

TEST(RegisterTest, ReadsTheSameBytesAsAnyType) {
  Reg reg = Reg::Of<float>([](int lane) { return 0.5f * lane; });
  EXPECT_EQ(reg.lane<float>(3), 1.5f);
  EXPECT_EQ(reg.lane<uint32_t>(3), 0x3FC00000);
  EXPECT_EQ(reg.lane<uint16_t>(7), 0x3FC0);
  EXPECT_EQ(reg.lane<BFloat>(7).bits, 0x3FC0);
  EXPECT_EQ(reg.lane<uint8_t>(14), 0xC0);
  EXPECT_EQ(reg.bytes()[15], 0x3F);
  EXPECT_EQ(reg.lanes<float>()[63], 31.5f);
  reg.set_lane<int8_t>(255, -1);
  EXPECT_EQ(reg.lane<uint32_t>(63) >> 24, 0xFF);
}

TEST(RegisterTest, EqualityIsOfBytesAndOfMissingValues) {
  Reg a;
  Reg b;
  EXPECT_EQ(a, b);
  b.set_lane<uint8_t>(255, 1);
  EXPECT_NE(a, b);
  b = a;
  b.set_undefined(ByteBits::First(1));
  EXPECT_NE(a, b);
}

TEST(LaneTypeTest, LanesFillARegister) {
  EXPECT_EQ(kLanes<uint8_t>, 256);
  EXPECT_EQ(kLanes<Half>, 128);
  EXPECT_EQ(kLanes<BFloat>, 128);
  EXPECT_EQ(kLanes<float>, 64);
  EXPECT_EQ(kVectorBlocks, 8);
  static_assert(std::is_same_v<UnsignedLane<sizeof(int8_t)>, uint8_t>);
  static_assert(std::is_same_v<UnsignedLane<sizeof(Half)>, uint16_t>);
  static_assert(std::is_same_v<UnsignedLane<sizeof(float)>, uint32_t>);
}

TEST(MaskTest, ALaneIsActiveByTheBitOfItsFirstByte) {
  const Mask mask = Mask::FirstLanes<float>(40);
  EXPECT_TRUE(mask.active<float>(39));
  EXPECT_FALSE(mask.active<float>(40));
  EXPECT_TRUE(mask.active<uint8_t>(156));
  EXPECT_FALSE(mask.active<uint8_t>(157));
  EXPECT_TRUE(mask.active<Half>(78));
  EXPECT_FALSE(mask.active<Half>(79));
  EXPECT_EQ(Mask::All<uint8_t>(), Mask(ByteBits::All()));
  EXPECT_NE(Mask::All<uint8_t>(), Mask::All<uint16_t>());
  EXPECT_EQ(Mask(), Mask::FirstLanes<float>(0));
  EXPECT_NE(Mask(), Mask(ByteBits(), ByteBits::First(1)));
}

TEST(UbPtrTest, CountsElements) {
  const UbPtr<float> max{0x400};
  EXPECT_EQ((max + 8).address, 0x420);
  EXPECT_EQ((max - 1).address, 0x3FC);
  EXPECT_EQ(max.As<uint16_t>() + 8, UbPtr<uint16_t>{0x410});
  UbPtr<uint8_t> moving{16};
  moving += 5;
  moving -= 6;
  EXPECT_EQ(moving, UbPtr<uint8_t>{15});
  EXPECT_NE(moving, UbPtr<uint8_t>{16});
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
