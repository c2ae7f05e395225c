// Conversions against numerics: all halves and bfloats, floats with every upper
// half; parts, masks and missing values against formulas of single bytes.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_test_util.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"
#include "numerics/f4e2m1fn.h"
#include "numerics/f8e4m3fn.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 4;

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

constexpr HalfPart kHalfParts[] = {HalfPart::kEven, HalfPart::kOdd};
constexpr BytePart kByteParts[] = {BytePart::kP0, BytePart::kP1, BytePart::kP2,
                                   BytePart::kP3};

TEST(VectorConvertTest, EveryHalfAndBFloatToF32) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  const Mask all = Mask::All<uint16_t>();
  for (int base = 0; base < 0x10000; base += 128) {
    const Reg codes = Reg::Of<uint16_t>([&](int i) { return base + i; });
    for (int odd = 0; odd < 2; ++odd) {
      const Reg half = unit.VcvtToF32<Half>(codes, all, kHalfParts[odd]);
      const Reg bfloat = unit.VcvtToF32<BFloat>(codes, all, kHalfParts[odd]);
      for (int i = 0; i < 64; ++i) {
        const uint16_t code = static_cast<uint16_t>(base + 2 * i + odd);
        ASSERT_EQ(half.lane<uint32_t>(i), BitsOf(DecodeF16(code))) << code;
        ASSERT_EQ(bfloat.lane<uint32_t>(i), BitsOf(DecodeBF16(code))) << code;
      }
    }
  }
  MX_EXPECT_OK(unit.status());
}

TEST(VectorConvertTest, EveryHalfToBFloat) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  const Mask all = Mask::All<uint16_t>();
  for (int base = 0; base < 0x10000; base += 128) {
    const Reg codes = Reg::Of<uint16_t>([&](int i) { return base + i; });
    const Reg nearest = unit.VcvtHalfToBFloat(codes, all, Round::kR);
    const Reg toward_zero = unit.VcvtHalfToBFloat(codes, all, Round::kZ);
    for (int i = 0; i < 128; ++i) {
      const float value = DecodeF16(static_cast<uint16_t>(base + i));
      ASSERT_EQ(nearest.lane<uint16_t>(i), EncodeBF16(value)) << base + i;
      // Truncated bits; all halves are normal bfloats.
      ASSERT_EQ(toward_zero.lane<uint16_t>(i), BitsOf(value) >> 16) << base + i;
    }
  }
  MX_EXPECT_OK(unit.status());
}

// Two to a byte, the even one low.
TEST(VectorConvertTest, EveryBFloatToE2M1) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  const Mask all = Mask::All<uint16_t>();
  for (int base = 0; base < 0x10000; base += 64) {
    // Each code once low and once high.
    const Reg codes = Reg::Of<uint16_t>(
        [&](int i) { return base + (i % 2 == 0 ? i / 2 : 63 - i / 2); });
    const Reg packed = unit.VcvtBFloatToE2M1x2(codes, all, BytePart::kP0);
    for (int i = 0; i < 64; ++i) {
      const uint8_t low =
          EncodeF4E2M1FN(DecodeBF16(static_cast<uint16_t>(base + i)));
      const uint8_t high =
          EncodeF4E2M1FN(DecodeBF16(static_cast<uint16_t>(base + 63 - i)));
      ASSERT_EQ(packed.lane<uint32_t>(i), low | high << 4) << base + i;
    }
  }
  MX_EXPECT_OK(unit.status());
}

// Floats with every upper half, and lower halves around the ties of bf16 and of
// shorter formats.
TEST(VectorConvertTest, FloatsToNarrowFormats) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  const Mask all = Mask::All<float>();
  for (const uint32_t low :
       {0x0000u, 0x0001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
    for (uint32_t base = 0; base < 0x10000; base += 64) {
      const Reg x = Reg::Of<uint32_t>(
          [&](int i) { return (base + static_cast<uint32_t>(i)) << 16 | low; });
      const Reg e4m3 =
          unit.VcvtF32ToE4M3(x, all, Saturate::kEnable, BytePart::kP0);
      const Reg e4m3_special =
          unit.VcvtF32ToE4M3(x, all, Saturate::kDisable, BytePart::kP0);
      const Reg half = unit.VcvtFromF32<Half>(
          x, all, Round::kR, Saturate::kDisable, HalfPart::kEven);
      const Reg half_saturated = unit.VcvtFromF32<Half>(
          x, all, Round::kR, Saturate::kEnable, HalfPart::kEven);
      const Reg bfloat = unit.VcvtFromF32<BFloat>(
          x, all, Round::kR, Saturate::kDisable, HalfPart::kEven);
      const Reg bfloat_saturated = unit.VcvtFromF32<BFloat>(
          x, all, Round::kR, Saturate::kEnable, HalfPart::kEven);
      const Reg truncated = unit.VcvtFromF32<BFloat>(
          x, all, Round::kZ, Saturate::kDisable, HalfPart::kEven);
      for (int i = 0; i < 64; ++i) {
        const float value = x.lane<float>(i);
        SCOPED_TRACE(testing::Message() << std::hex << BitsOf(value));
        ASSERT_EQ(e4m3.lane<uint32_t>(i),
                  EncodeF8E4M3FN(value, Overflow::kSaturate));
        ASSERT_EQ(e4m3_special.lane<uint32_t>(i),
                  EncodeF8E4M3FN(value, Overflow::kSpecial));
        ASSERT_EQ(half.lane<uint32_t>(i), EncodeF16(value));
        ASSERT_EQ(half_saturated.lane<uint32_t>(i),
                  EncodeF16(value, Overflow::kSaturate));
        ASSERT_EQ(bfloat.lane<uint32_t>(i), EncodeBF16(value));
        ASSERT_EQ(bfloat_saturated.lane<uint32_t>(i),
                  EncodeBF16(value, Overflow::kSaturate));
        ASSERT_EQ(truncated.lane<uint32_t>(i), TruncateToBF16(value));
      }
    }
  }
  MX_EXPECT_OK(unit.status());
}

// Under every mask, into every part: the active lanes' codes in their part,
// zeros elsewhere; and bytes of the part without a value where lanes have none.
TEST(VectorConvertTest, NarrowingToParts) {
  VectorDraw draw(kSeed);
  UbBench bench;
  VectorUnit& unit = bench.unit();
  for (const Mask& mask : draw.Masks<float>()) {
    Reg x = draw.Lanes<float>();
    ByteBits undefined;
    undefined.Set(4 * 3 + 2);
    undefined.Set(4 * 63);
    x.set_undefined(undefined);
    for (int part = 0; part < 4; ++part) {
      const Reg actual =
          unit.VcvtF32ToE4M3(x, mask, Saturate::kEnable, kByteParts[part]);
      for (int i = 0; i < 64; ++i) {
        const uint32_t code =
            mask.active<float>(i)
                ? EncodeF8E4M3FN(x.lane<float>(i), Overflow::kSaturate)
                : 0;
        ASSERT_EQ(actual.lane<uint32_t>(i), code << 8 * part);
        for (int b = 0; b < 4; ++b) {
          ASSERT_EQ(actual.undefined().Test(4 * i + b),
                    mask.active<float>(i) && b == part && (i == 3 || i == 63));
        }
      }
    }
    for (int odd = 0; odd < 2; ++odd) {
      const Reg half = unit.VcvtFromF32<Half>(
          x, mask, Round::kR, Saturate::kDisable, kHalfParts[odd]);
      const Reg bfloat = unit.VcvtFromF32<BFloat>(
          x, mask, Round::kR, Saturate::kDisable, kHalfParts[odd]);
      for (int i = 0; i < 64; ++i) {
        const bool active = mask.active<float>(i);
        const uint32_t f16 = active ? EncodeF16(x.lane<float>(i)) : 0;
        const uint32_t bf16 = active ? EncodeBF16(x.lane<float>(i)) : 0;
        ASSERT_EQ(half.lane<uint32_t>(i), f16 << 16 * odd);
        ASSERT_EQ(bfloat.lane<uint32_t>(i), bf16 << 16 * odd);
        for (int b = 0; b < 4; ++b) {
          ASSERT_EQ(half.undefined().Test(4 * i + b),
                    active && b / 2 == odd && (i == 3 || i == 63));
        }
      }
    }
  }
  MX_EXPECT_OK(unit.status());
}

// Lane i of the result depends on lane 2i or 2i + 1, its bit and its value.
TEST(VectorConvertTest, WideningOfParts) {
  VectorDraw draw(kSeed);
  UbBench bench;
  VectorUnit& unit = bench.unit();
  for (const Mask& mask : draw.Masks<uint16_t>()) {
    Reg x = draw.Lanes<BFloat>();
    ByteBits undefined;
    undefined.Set(2 * 6);
    undefined.Set(2 * 9 + 1);
    x.set_undefined(undefined);
    for (int odd = 0; odd < 2; ++odd) {
      const Reg actual = unit.VcvtToF32<BFloat>(x, mask, kHalfParts[odd]);
      const Reg halves = unit.VcvtToF32<Half>(x, mask, kHalfParts[odd]);
      for (int i = 0; i < 64; ++i) {
        const int lane = 2 * i + odd;
        const bool active = mask.active<uint16_t>(lane);
        const uint16_t code = x.lane<uint16_t>(lane);
        ASSERT_EQ(actual.lane<uint32_t>(i),
                  active ? BitsOf(DecodeBF16(code)) : 0);
        ASSERT_EQ(halves.lane<uint32_t>(i),
                  active ? BitsOf(DecodeF16(code)) : 0);
        for (int b = 0; b < 4; ++b) {
          ASSERT_EQ(actual.undefined().Test(4 * i + b),
                    active && (lane == 6 || lane == 9));
        }
      }
    }
  }
  MX_EXPECT_OK(unit.status());
}

TEST(VectorConvertTest, E2M1PartsAndMasks) {
  VectorDraw draw(kSeed);
  UbBench bench;
  VectorUnit& unit = bench.unit();
  for (const Mask& mask : draw.Masks<uint16_t>()) {
    Reg x = draw.Lanes<BFloat>();
    ByteBits undefined;
    undefined.Set(2 * 7 + 1);
    x.set_undefined(undefined);
    for (int part = 0; part < 4; ++part) {
      const Reg actual = unit.VcvtBFloatToE2M1x2(x, mask, kByteParts[part]);
      const auto code = [&](int lane) -> uint32_t {
        if (!mask.active<uint16_t>(lane)) return 0;
        return EncodeF4E2M1FN(DecodeBF16(x.lane<uint16_t>(lane)));
      };
      for (int i = 0; i < 64; ++i) {
        ASSERT_EQ(actual.lane<uint32_t>(i), (code(2 * i) | code(2 * i + 1) << 4)
                                                << 8 * part);
        for (int b = 0; b < 4; ++b) {
          ASSERT_EQ(actual.undefined().Test(4 * i + b),
                    i == 3 && b == part && mask.active<uint16_t>(7));
        }
      }
    }
  }
  MX_EXPECT_OK(unit.status());
}

TEST(VectorConvertTest, F32ToHalfTowardZeroIsNotModelled_A5_FIELD_1) {
  UbBench bench;
  bench.unit().VcvtFromF32<Half>(Reg(), Mask(), Round::kZ, Saturate::kEnable,
                                 HalfPart::kEven);
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("vcvt (instruction 1): ")));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
