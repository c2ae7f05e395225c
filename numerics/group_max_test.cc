#include "numerics/group_max.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/element_format.h"
#include "numerics/f16.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr ScaleRule kRules[] = {ScaleRule::kOcp, ScaleRule::kNv};
constexpr ElementFormat kFormats[] = {
    ElementFormat::kF8E4M3FN, ElementFormat::kF8E5M2, ElementFormat::kF4E2M1FN};

uint32_t Bits(float value) { return absl::bit_cast<uint32_t>(value); }

// The scale from the tile is that of the float, for groups of one value.
template <typename MaxOf>
void ExpectScalesOf(ElementFormat source, ScaleRule rule, MaxOf max_of) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const uint16_t group[] = {static_cast<uint16_t>(code)};
    const GroupMax max = max_of(group);
    const float expected = MaxAbs({Decode(source, code)});
    for (const ElementFormat format : kFormats) {
      ASSERT_EQ(SharedExponent(rule, format, max.value),
                SharedExponent(rule, format, expected))
          << Name(source) << " " << code << " " << Name(format);
    }
    ASSERT_EQ(std::isnan(max.value), std::isnan(expected));
  }
}

TEST(GroupMaxTest, EveryHalfAndBfloatHasTheScaleOfItsValue) {
  for (const ScaleRule rule : kRules) {
    ExpectScalesOf(ElementFormat::kBF16, rule,
                   [](auto& group) { return BF16GroupMax(group); });
    ExpectScalesOf(ElementFormat::kF16, rule,
                   [rule](auto& group) { return F16GroupMax(group, rule); });
  }
}

TEST(GroupMaxTest, BF16HoldsTheMagnitudeOfEveryCode) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const uint16_t group[] = {static_cast<uint16_t>(code)};
    const GroupMax max = BF16GroupMax(group);
    ASSERT_EQ(max.tile_bits, code & 0x7FFF);
    ASSERT_EQ(Bits(max.value), (code & 0x7FFF) << 16);
  }
}

TEST(GroupMaxTest, F16NvHoldsTheMagnitudeOfEveryCode) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const uint16_t group[] = {static_cast<uint16_t>(code)};
    const GroupMax max = F16GroupMax(group, ScaleRule::kNv);
    ASSERT_EQ(max.tile_bits, code & 0x7FFF);
    ASSERT_EQ(Bits(max.value), Bits(DecodeF16(code & 0x7FFF)));
  }
}

// The largest bf16 code whose value is not above that of the half.
TEST(GroupMaxTest, F16OcpHoldsTheBfloatBelowEveryHalf) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const uint16_t group[] = {static_cast<uint16_t>(code)};
    const GroupMax max = F16GroupMax(group, ScaleRule::kOcp);
    const float magnitude = std::fabs(DecodeF16(code));
    if (std::isnan(magnitude)) {
      ASSERT_EQ(max.tile_bits, 0x7FC0);
      continue;
    }
    ASSERT_LE(DecodeBF16(max.tile_bits), magnitude) << code;
    if (std::isinf(magnitude)) {
      ASSERT_EQ(max.tile_bits, 0x7F80);
    } else {
      ASSERT_GT(DecodeBF16(max.tile_bits + 1), magnitude) << code;
    }
    ASSERT_EQ(Bits(max.value), max.tile_bits << 16);
  }
}

// The maximum of a pair is the maximum of the two, wherever it stands.
TEST(GroupMaxTest, TheLargestBitsWin) {
  const std::vector<uint16_t> codes = {0x0000, 0x8000, 0x0001, 0x8400, 0x3C00,
                                       0xBC01, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
                                       0x7C01, 0xFE00, 0x7F80, 0xFF80, 0x7FFF};
  for (const uint16_t a : codes) {
    for (const uint16_t b : codes) {
      const uint16_t pair[] = {a, 0x8000, b};
      EXPECT_EQ(
          BF16GroupMax(pair).tile_bits,
          std::max(BF16GroupMax({a}).tile_bits, BF16GroupMax({b}).tile_bits));
      for (const ScaleRule rule : kRules) {
        EXPECT_EQ(F16GroupMax(pair, rule).tile_bits,
                  std::max(F16GroupMax({a}, rule).tile_bits,
                           F16GroupMax({b}, rule).tile_bits));
      }
    }
  }
}

TEST(GroupMaxTest, F32HoldsMaxAbs) {
  const std::vector<float> group = {1.0f, -3.0f, 0.5f};
  EXPECT_EQ(F32GroupMax(group).tile_bits, Bits(3.0f));
  EXPECT_EQ(F32GroupMax(group).value, 3.0f);
  EXPECT_EQ(F32GroupMax({-kInfinity, 1.0f}).tile_bits, 0x7F800000);
  EXPECT_EQ(F32GroupMax({-kNan, kInfinity}).tile_bits, 0x7FC00000);
  EXPECT_TRUE(std::isnan(F32GroupMax({-kNan, kInfinity}).value));
}

TEST(GroupMaxTest, AnEmptyGroupIsZero) {
  EXPECT_EQ(F32GroupMax({}).tile_bits, 0);
  EXPECT_EQ(BF16GroupMax({}).tile_bits, 0);
  EXPECT_EQ(F16GroupMax({}, ScaleRule::kOcp).tile_bits, 0);
  EXPECT_EQ(F16GroupMax({}, ScaleRule::kNv).value, 0.0f);
}

// The device's second step on 16 bits (pto_numerics, 3): the exponent field is
// clamped from below and subtracted from, in place, and the reciprocal has the
// field that is left.
TEST(GroupMaxTest, OcpScaleFromTheBitsOfTheTile) {
  for (const ElementFormat format :
       {ElementFormat::kF8E4M3FN, ElementFormat::kF4E2M1FN}) {
    const uint32_t least = format == ElementFormat::kF8E4M3FN ? 0x0400 : 0x0100;
    for (uint32_t bits = 0; bits <= 0x7F80; ++bits) {
      const uint32_t difference = std::max(bits & 0x7F80, least) - least;
      const int s = SharedExponent(ScaleRule::kOcp, format, DecodeBF16(bits));
      ASSERT_EQ(s, difference >> 7) << bits;
      ASSERT_EQ(ReciprocalScaleBF16(format, s), 0x7F00 - difference) << bits;
    }
  }
}

}  // namespace
}  // namespace mxtile
