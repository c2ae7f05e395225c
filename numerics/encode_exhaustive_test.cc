// Every encoder over all 2^32 floats: while the magnitude grows, the nearest
// code steps up whenever the magnitude passes the middle of two neighbours.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

constexpr uint32_t kInfinityBits = 0x7F800000;

struct Case {
  ElementFormat format;
  Overflow overflow;
};

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  return std::string(Name(info.param.format)) +
         (info.param.overflow == Overflow::kSaturate ? "Saturate" : "Special");
}

// The values of the finite codes, ascending, and where the next would be.
std::vector<double> Values(ElementFormat format) {
  std::vector<double> values;
  const uint32_t largest = LargestFiniteCode(format);
  for (uint32_t code = 0; code <= largest; ++code) {
    values.push_back(Decode(format, code));
  }
  // The last two finite values have the same exponent, but for f8E8M0FNU.
  values.push_back(format == ElementFormat::kF8E8M0FNU
                       ? 2 * values[largest]
                       : 2 * values[largest] - values[largest - 1]);
  return values;
}

uint32_t OverflowCode(const Case& c) {
  return LargestFiniteCode(c.format) +
         (c.overflow == Overflow::kSaturate ? 0 : 1);
}

class EncodeExhaustiveTest : public ::testing::TestWithParam<Case> {};

TEST_P(EncodeExhaustiveTest, NearestCodeOfEveryFloat) {
  const auto [format, overflow] = GetParam();
  const std::vector<double> values = Values(format);
  const uint32_t largest = LargestFiniteCode(format);
  const uint32_t overflow_code = OverflowCode(GetParam());
  const uint32_t sign = SignMask(format);
  uint32_t nearest = 0;
  double middle = values[1] / 2;
  for (uint32_t bits = 0; bits <= kInfinityBits; ++bits) {
    const float magnitude = absl::bit_cast<float>(bits);
    while (nearest <= largest &&
           (magnitude > middle || (magnitude == middle && nearest % 2 == 1))) {
      ++nearest;
      if (nearest <= largest) {
        middle = (values[nearest] + values[nearest + 1]) / 2;
      }
    }
    const uint32_t code = nearest > largest ? overflow_code : nearest;
    if (Encode(format, magnitude, overflow) != code ||
        Encode(format, -magnitude, overflow) != (code | sign)) {
      FAIL() << std::hex << bits << ": expected " << code;
    }
  }
}

// 8 bits: one code; 4 bits: 7 without a sign; halves: the upper payload bits,
// quiet.
TEST_P(EncodeExhaustiveTest, EveryNan) {
  const auto [format, overflow] = GetParam();
  const int width = BitWidth(format);
  const int payload_shift = format == ElementFormat::kF16 ? 13 : 16;
  for (uint32_t bits = kInfinityBits + 1; bits < 0x80000000; ++bits) {
    uint32_t code = NanCode(format);
    if (width == 16) code |= (bits & 0x7FFFFF) >> payload_shift;
    const uint32_t negative = width == 4 ? code : code | SignMask(format);
    const auto encode = [format = format, overflow = overflow](uint32_t nan) {
      return Encode(format, absl::bit_cast<float>(nan), overflow);
    };
    if (encode(bits) != code || encode(0x80000000 | bits) != negative) {
      FAIL() << std::hex << bits << ": expected " << code;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, EncodeExhaustiveTest,
    ::testing::Values(Case{ElementFormat::kF8E4M3FN, Overflow::kSaturate},
                      Case{ElementFormat::kF8E4M3FN, Overflow::kSpecial},
                      Case{ElementFormat::kF8E5M2, Overflow::kSaturate},
                      Case{ElementFormat::kF8E5M2, Overflow::kSpecial},
                      Case{ElementFormat::kF4E2M1FN, Overflow::kSaturate},
                      Case{ElementFormat::kF4E1M2, Overflow::kSaturate},
                      Case{ElementFormat::kF16, Overflow::kSaturate},
                      Case{ElementFormat::kF16, Overflow::kSpecial},
                      Case{ElementFormat::kBF16, Overflow::kSaturate},
                      Case{ElementFormat::kBF16, Overflow::kSpecial}),
    CaseName);

// Ties go up, and there is no sign.
class EncodeScaleExhaustiveTest : public ::testing::TestWithParam<Case> {};

TEST_P(EncodeScaleExhaustiveTest, NearestCodeOfEveryFloat) {
  const auto [format, overflow] = GetParam();
  const std::vector<double> values = Values(format);
  const uint32_t largest = LargestFiniteCode(format);
  const bool saturates = overflow == Overflow::kSaturate;
  const auto encode = [format = format, overflow = overflow](uint32_t bits) {
    return Encode(format, absl::bit_cast<float>(bits), overflow);
  };
  EXPECT_EQ(encode(0), saturates ? 0 : 255);
  uint32_t nearest = 0;
  for (uint32_t bits = 0; bits <= kInfinityBits; ++bits) {
    const float magnitude = absl::bit_cast<float>(bits);
    while (nearest <= largest &&
           magnitude >= (values[nearest] + values[nearest + 1]) / 2) {
      ++nearest;
    }
    const uint32_t code =
        nearest > largest ? OverflowCode(GetParam()) : nearest;
    if ((bits != 0 && encode(bits) != code) ||
        encode(0x80000000 | bits) != (saturates ? 0 : 255)) {
      FAIL() << std::hex << bits << ": expected " << code;
    }
  }
  for (uint32_t bits = kInfinityBits + 1; bits < 0x80000000; ++bits) {
    if (encode(bits) != 255 || encode(0x80000000 | bits) != 255) {
      FAIL() << std::hex << bits << ": expected 255";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    F8E8M0FNU, EncodeScaleExhaustiveTest,
    ::testing::Values(Case{ElementFormat::kF8E8M0FNU, Overflow::kSaturate},
                      Case{ElementFormat::kF8E8M0FNU, Overflow::kSpecial}),
    CaseName);

}  // namespace
}  // namespace mxtile
