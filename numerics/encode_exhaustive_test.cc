// Every encoder over every float: while the magnitude grows, the nearest code
// steps up whenever the magnitude passes the middle of two neighbours.

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"
#include "numerics/f4e2m1fn.h"
#include "numerics/f8e4m3fn.h"
#include "numerics/f8e5m2.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

struct Case {
  std::string name;
  uint32_t (*encode)(float);
  float (*decode)(uint32_t);
  uint32_t largest;   // code of the largest finite value
  double beyond;      // where the next value would be
  uint32_t overflow;  // code of what rounds beyond
  uint32_t sign;      // mask of the sign
};

class EncodeExhaustiveTest : public ::testing::TestWithParam<Case> {};

TEST_P(EncodeExhaustiveTest, NearestCodeOfEveryFloat) {
  const Case& format = GetParam();
  const auto value = [&format](uint32_t code) -> double {
    return code > format.largest ? format.beyond : format.decode(code);
  };
  uint32_t nearest = 0;
  double middle = value(1) / 2;
  for (uint32_t bits = 0; bits <= 0x7F800000; ++bits) {
    const float magnitude = absl::bit_cast<float>(bits);
    while (nearest <= format.largest &&
           (magnitude > middle || (magnitude == middle && nearest % 2 == 1))) {
      ++nearest;
      middle = (value(nearest) + value(nearest + 1)) / 2;
    }
    const uint32_t code = nearest > format.largest ? format.overflow : nearest;
    if (format.encode(magnitude) != code ||
        format.encode(-magnitude) != (code | format.sign)) {
      FAIL() << std::hex << bits << ": expected " << code;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, EncodeExhaustiveTest,
    ::testing::Values(
        Case{"F8E4M3FNSaturate",
             [](float x) -> uint32_t {
               return EncodeF8E4M3FN(x, Overflow::kSaturate);
             },
             [](uint32_t c) { return DecodeF8E4M3FN(c); }, 0x7E, 480, 0x7E,
             0x80},
        Case{"F8E4M3FNSpecial",
             [](float x) -> uint32_t {
               return EncodeF8E4M3FN(x, Overflow::kSpecial);
             },
             [](uint32_t c) { return DecodeF8E4M3FN(c); }, 0x7E, 480, 0x7F,
             0x80},
        Case{"F8E5M2Saturate",
             [](float x) -> uint32_t {
               return EncodeF8E5M2(x, Overflow::kSaturate);
             },
             [](uint32_t c) { return DecodeF8E5M2(c); }, 0x7B, 65536, 0x7B,
             0x80},
        Case{"F8E5M2Special",
             [](float x) -> uint32_t {
               return EncodeF8E5M2(x, Overflow::kSpecial);
             },
             [](uint32_t c) { return DecodeF8E5M2(c); }, 0x7B, 65536, 0x7C,
             0x80},
        Case{"F4E2M1FN", [](float x) -> uint32_t { return EncodeF4E2M1FN(x); },
             [](uint32_t c) { return DecodeF4E2M1FN(c); }, 7, 8, 7, 8},
        Case{"F16", [](float x) -> uint32_t { return EncodeF16(x); },
             [](uint32_t c) { return DecodeF16(c); }, 0x7BFF, 65536, 0x7C00,
             0x8000},
        Case{"BF16", [](float x) -> uint32_t { return EncodeBF16(x); },
             [](uint32_t c) { return DecodeBF16(c); }, 0x7F7F,
             std::ldexp(1.0, 128), 0x7F80, 0x8000}),
    [](const ::testing::TestParamInfo<Case>& info) { return info.param.name; });

}  // namespace
}  // namespace mxtile
