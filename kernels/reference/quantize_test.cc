#include "kernels/reference/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kFormats[] = {kE4M3, kE5M2, kE2M1};
constexpr ScaleRule kRules[] = {ScaleRule::kOcp, ScaleRule::kNv};
constexpr uint64_t kSeed = 20260830;

using Codes = std::vector<uint8_t>;

QuantizedMatrix QuantizeOrDie(absl::Span<const float> values, int64_t rows,
                              int64_t cols, GroupAxis axis,
                              ElementFormat format, ScaleRule rule) {
  return Quantize(values, rows, cols, axis, format, rule).value();
}

// The one group [1, 32] of `head` and its repetitions.
QuantizedMatrix QuantizeGroupOf(const std::vector<float>& head,
                                ElementFormat format, ScaleRule rule) {
  std::vector<float> values;
  for (int i = 0; i < 32; ++i) values.push_back(head[i % head.size()]);
  return QuantizeOrDie(values, 1, 32, GroupAxis::kAxis1, format, rule);
}

// Groups that start with `head`.
std::vector<float> FloatsThenZeros(std::vector<float> head) {
  head.resize(32, 0.0f);
  return head;
}

Codes CodesThenZeros(Codes head) {
  head.resize(32, 0);
  return head;
}

// Values of every sign whose exponents lie in [low, high], zeros among them.
std::vector<float> RandomValues(int64_t size, int low, int high) {
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<float> significand(1, 2);
  std::uniform_int_distribution<int> exponent(low, high);
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) {
    const float magnitude = std::ldexp(significand(random), exponent(random));
    const uint64_t bits = random();
    const float value = bits % 16 == 0 ? 0.0f : magnitude;
    values.push_back(bits & 16 ? -value : value);
  }
  return values;
}

template <typename T>
std::vector<T> Transposed(const std::vector<T>& matrix, int64_t rows,
                          int64_t cols) {
  std::vector<T> result;
  for (int64_t col = 0; col < cols; ++col) {
    for (int64_t row = 0; row < rows; ++row) {
      result.push_back(matrix[row * cols + col]);
    }
  }
  return result;
}

std::vector<float> ToFloats(const std::vector<double>& values) {
  return std::vector<float>(values.begin(), values.end());
}

// ---- Groups computed by hand

TEST(QuantizeTest, E4M3WithScaleOne) {
  // 448 = 1.75 * 2^8 gives s = 127 by both rules. Ties: 17 lies between 16
  // (even) and 18, 19 between 18 and 20 (even). 2^-10 is half of the smallest
  // code.
  const std::vector<float> values =
      FloatsThenZeros({448, -448, 1, -2.5f, 17, 19, std::ldexp(1.0f, -10),
                       std::ldexp(-1.5f, -10), -0.0f});
  const Codes expected =
      CodesThenZeros({0x7E, 0xFE, 0x38, 0xC2, 0x58, 0x5A, 0x00, 0x81, 0x80});
  for (const ScaleRule rule : kRules) {
    const QuantizedMatrix q = QuantizeGroupOf(values, kE4M3, rule);
    EXPECT_EQ(q.scales, Codes{127});
    EXPECT_EQ(q.codes, expected);
  }
}

TEST(QuantizeTest, E4M3RulesDifferAbove448) {
  // OCP: s = 127, 500 saturates, 3 = 1.5 * 2. NV: s = 128, elements are halved:
  // 250 lies between 240 and 256 and is nearer to 256, 3 becomes 1.5.
  const std::vector<float> values = FloatsThenZeros({500, 3});
  const QuantizedMatrix ocp = QuantizeGroupOf(values, kE4M3, ScaleRule::kOcp);
  EXPECT_EQ(ocp.scales, Codes{127});
  EXPECT_EQ(ocp.codes, CodesThenZeros({0x7E, 0x44}));
  const QuantizedMatrix nv = QuantizeGroupOf(values, kE4M3, ScaleRule::kNv);
  EXPECT_EQ(nv.scales, Codes{128});
  EXPECT_EQ(nv.codes, CodesThenZeros({0x78, 0x3C}));
}

TEST(QuantizeTest, E2M1RulesDifferAboveSix) {
  // OCP: s = 127. NV: s = 128, elements are halved: 3.5 ties to 4 (even code
  // 6), 2.5 to 2 (even code 4).
  const std::vector<float> values = FloatsThenZeros({7, -5, 2, 0.5f});
  const QuantizedMatrix ocp = QuantizeGroupOf(values, kE2M1, ScaleRule::kOcp);
  EXPECT_EQ(ocp.scales, Codes{127});
  EXPECT_EQ(ocp.codes, CodesThenZeros({7, 8 | 6, 4, 1}));
  const QuantizedMatrix nv = QuantizeGroupOf(values, kE2M1, ScaleRule::kNv);
  EXPECT_EQ(nv.scales, Codes{128});
  EXPECT_EQ(nv.codes, CodesThenZeros({6, 8 | 4, 2, 0}));
}

TEST(QuantizeTest, E5M2WithEmax15) {
  // 65000 = 1.98 * 2^15: OCP s = 127, saturated to 57344. NV s = 128: 32500 is
  // nearest to 32768 = 2^15 (field 30), 2 becomes 1 (field 15).
  const std::vector<float> values = FloatsThenZeros({65000, 2});
  const QuantizedMatrix ocp = QuantizeGroupOf(values, kE5M2, ScaleRule::kOcp);
  EXPECT_EQ(ocp.scales, Codes{127});
  EXPECT_EQ(ocp.codes, CodesThenZeros({0x7B, 0x40}));
  const QuantizedMatrix nv = QuantizeGroupOf(values, kE5M2, ScaleRule::kNv);
  EXPECT_EQ(nv.scales, Codes{128});
  EXPECT_EQ(nv.codes, CodesThenZeros({0x78, 0x3C}));
}

TEST(QuantizeTest, EachGroupHasItsScale) {
  // [2, 64]: groups with maxima 448, 224, 1 and 0.
  std::vector<float> values(128, 0.0f);
  values[31] = 448;
  values[32] = 224;
  values[64] = -1;
  const QuantizedMatrix q =
      QuantizeOrDie(values, 2, 64, GroupAxis::kAxis1, kE4M3, ScaleRule::kOcp);
  Codes expected(128, 0);
  expected[31] = 0x7E;
  expected[32] = 0x7E;  // 224 / 2^-1
  expected[64] = 0xF8;  // -1 / 2^-8 = -256
  EXPECT_EQ(q.codes, expected);
  EXPECT_EQ(q.scale_rows, 2);
  EXPECT_EQ(q.scale_cols, 2);
  EXPECT_EQ(q.scales, (Codes{127, 126, 119, 0}));
}

TEST(QuantizeTest, Axis0GroupsAreColumns) {
  // [32, 2]: column 0 has maximum 448, column 1 has 1.
  std::vector<float> values(64, 0.0f);
  values[0] = 448;
  values[63] = 1;
  const QuantizedMatrix q =
      QuantizeOrDie(values, 32, 2, GroupAxis::kAxis0, kE4M3, ScaleRule::kOcp);
  Codes expected(64, 0);
  expected[0] = 0x7E;
  expected[63] = 0x78;
  EXPECT_EQ(q.codes, expected);
  EXPECT_EQ(q.scale_rows, 1);
  EXPECT_EQ(q.scale_cols, 2);
  EXPECT_EQ(q.scales, (Codes{127, 119}));
}

// ---- Special values
//
// From the project's notes on what PTO-ISA's golden generators give, with our
// decisions on NaN groups and signed zeros.

struct SpecialCase {
  std::string name;
  std::vector<float> head;  // repeated over the group
  // {scale, codes of head} for OCP FP8, NV FP8, OCP FP4, NV FP4.
  Codes ocp_fp8, nv_fp8, ocp_fp4, nv_fp4;
};

class QuantizeSpecialTest : public ::testing::TestWithParam<SpecialCase> {};

void ExpectGroup(const SpecialCase& special, ElementFormat format,
                 ScaleRule rule, const Codes& scale_and_codes) {
  const QuantizedMatrix q = QuantizeGroupOf(special.head, format, rule);
  EXPECT_EQ(q.scales, Codes{scale_and_codes[0]});
  Codes expected;
  for (int i = 0; i < 32; ++i) {
    expected.push_back(scale_and_codes[1 + i % special.head.size()]);
  }
  EXPECT_EQ(q.codes, expected);
}

TEST_P(QuantizeSpecialTest, ScaleAndCodes) {
  const SpecialCase& special = GetParam();
  ExpectGroup(special, kE4M3, ScaleRule::kOcp, special.ocp_fp8);
  ExpectGroup(special, kE4M3, ScaleRule::kNv, special.nv_fp8);
  ExpectGroup(special, kE2M1, ScaleRule::kOcp, special.ocp_fp4);
  ExpectGroup(special, kE2M1, ScaleRule::kNv, special.nv_fp4);
}

std::vector<SpecialCase> SpecialCases() {
  const float min_subnormal = std::ldexp(1.0f, -149);
  const float bf16_min_subnormal = std::ldexp(1.0f, -133);
  const float max_subnormal = std::nextafter(std::ldexp(1.0f, -126), 0.0f);
  const float min_normal = std::ldexp(1.0f, -126);
  const float f16_min_subnormal = std::ldexp(1.0f, -24);
  return {
      {"Zeros", {0.0f}, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
      {"NegativeZeros", {-0.0f}, {0, 0x80}, {0, 0x80}, {0, 8}, {0, 8}},
      {"OneNan",
       {kNan, 1, -2, 0},
       {255, 0x7F, 0x7F, 0x7F, 0x7F},
       {255, 0x7F, 0x7F, 0x7F, 0x7F},
       {255, 7, 7, 7, 7},
       {255, 7, 7, 7, 7}},
      {"NegativeNans", {-kNan}, {255, 0x7F}, {255, 0x7F}, {255, 7}, {255, 7}},
      {"NanAndInf",
       {kInf, -kInf, 1, kNan},
       {255, 0x7F, 0x7F, 0x7F, 0x7F},
       {255, 0x7F, 0x7F, 0x7F, 0x7F},
       {255, 7, 7, 7, 7},
       {255, 7, 7, 7, 7}},
      {"OneInf",
       {kInf, 1, -1, 0},
       {247, 0x7E, 0x00, 0x80, 0x00},
       {254, 0x7E, 0x00, 0x80, 0x00},
       {253, 7, 0, 8, 0},
       {254, 7, 0, 8, 0}},
      {"Infs",
       {kInf, -kInf},
       {247, 0x7E, 0xFE},
       {254, 0x7E, 0xFE},
       {253, 7, 0xF},
       {254, 7, 0xF}},
      {"LargestFloats",
       {kLargest, -kLargest},
       {246, 0x7E, 0xFE},
       {247, 0x78, 0xF8},
       {252, 7, 0xF},
       {253, 6, 0xE}},
      {"MinSubnormals",
       {min_subnormal, -min_subnormal},
       {0, 0x00, 0x80},
       {0, 0x00, 0x80},
       {0, 0, 8},
       {0, 0, 8}},
      {"BF16MinSubnormals",
       {bf16_min_subnormal, -bf16_min_subnormal},
       {0, 0x08, 0x88},
       {0, 0x08, 0x88},
       {0, 0, 8},
       {0, 0, 8}},
      {"MaxSubnormals",
       {max_subnormal, -max_subnormal},
       {0, 0x40, 0xC0},
       {0, 0x40, 0xC0},
       {0, 4, 0xC},
       {0, 4, 0xC}},
      {"MinNormals",
       {min_normal, -min_normal},
       {0, 0x40, 0xC0},
       {0, 0x40, 0xC0},
       {0, 4, 0xC},
       {0, 4, 0xC}},
      {"F16MinSubnormals",
       {f16_min_subnormal, -f16_min_subnormal},
       {95, 0x78, 0xF8},
       {95, 0x78, 0xF8},
       {101, 6, 0xE},
       {101, 6, 0xE}},
  };
}

INSTANTIATE_TEST_SUITE_P(Groups, QuantizeSpecialTest,
                         ::testing::ValuesIn(SpecialCases()),
                         [](const ::testing::TestParamInfo<SpecialCase>& info) {
                           return info.param.name;
                         });

TEST(QuantizeTest, E5M2SpecialGroups) {
  const QuantizedMatrix nan =
      QuantizeGroupOf({-kNan, 1}, kE5M2, ScaleRule::kNv);
  EXPECT_EQ(nan.scales, Codes{255});
  EXPECT_EQ(nan.codes, Codes(32, 0x7F));
  // Inf saturates: it is no Inf code.
  const QuantizedMatrix inf = QuantizeGroupOf({kInf}, kE5M2, ScaleRule::kOcp);
  EXPECT_EQ(inf.scales, Codes{240});
  EXPECT_EQ(inf.codes, Codes(32, 0x7B));
}

// ---- Relations

TEST(QuantizeTest, Axis0IsAxis1OfTheTranspose) {
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  constexpr int64_t kRows = 64, kCols = 96;
  std::vector<float> values = RandomValues(kRows * kCols, -12, 12);
  values[5] = kNan;
  values[1000] = kInf;
  const std::vector<float> transposed = Transposed(values, kRows, kCols);
  for (const ElementFormat format : kFormats) {
    for (const ScaleRule rule : kRules) {
      const QuantizedMatrix dn =
          QuantizeOrDie(values, kRows, kCols, GroupAxis::kAxis0, format, rule);
      const QuantizedMatrix nd = QuantizeOrDie(transposed, kCols, kRows,
                                               GroupAxis::kAxis1, format, rule);
      EXPECT_EQ(dn.codes, Transposed(nd.codes, kCols, kRows));
      EXPECT_EQ(dn.scales, Transposed(nd.scales, kCols, kRows / 32));
    }
  }
}

// The largest code of an OCP group has the exponent that gave the scale.
TEST(QuantizeTest, OcpOfTheDequantisedIsTheSameBytes) {
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  for (const auto& [low, high] :
       {std::pair(-8, 8), std::pair(-149, -120), std::pair(120, 127)}) {
    const std::vector<float> values = RandomValues(32 * 256, low, high);
    for (const ElementFormat format : kFormats) {
      const QuantizedMatrix q = QuantizeOrDie(
          values, 32, 256, GroupAxis::kAxis1, format, ScaleRule::kOcp);
      const QuantizedMatrix again =
          QuantizeOrDie(ToFloats(Dequantize(q)), 32, 256, GroupAxis::kAxis1,
                        format, ScaleRule::kOcp);
      EXPECT_EQ(again.codes, q.codes) << Name(format) << " from 2^" << low;
      EXPECT_EQ(again.scales, q.scales) << Name(format) << " from 2^" << low;
    }
  }
}

// NV may find a smaller scale for the rounded values, but they stay exact.
TEST(QuantizeTest, NvOfTheDequantisedIsTheSameValues) {
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  const std::vector<float> values = RandomValues(32 * 256, -8, 8);
  for (const ElementFormat format : kFormats) {
    const std::vector<double> once = Dequantize(QuantizeOrDie(
        values, 32, 256, GroupAxis::kAxis1, format, ScaleRule::kNv));
    const std::vector<double> twice = Dequantize(QuantizeOrDie(
        ToFloats(once), 32, 256, GroupAxis::kAxis1, format, ScaleRule::kNv));
    EXPECT_EQ(twice, once) << Name(format);
  }
}

TEST(QuantizeTest, PowerOfTwoMovesIntoTheScale) {
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  const std::vector<float> values = RandomValues(32 * 64, -10, 10);
  for (const int power : {-60, -1, 1, 7, 60}) {
    std::vector<float> scaled = values;
    for (float& value : scaled) value = std::ldexp(value, power);
    for (const ElementFormat format : kFormats) {
      for (const ScaleRule rule : kRules) {
        const QuantizedMatrix q =
            QuantizeOrDie(values, 32, 64, GroupAxis::kAxis1, format, rule);
        const QuantizedMatrix s =
            QuantizeOrDie(scaled, 32, 64, GroupAxis::kAxis1, format, rule);
        EXPECT_EQ(s.codes, q.codes) << Name(format) << " 2^" << power;
        for (size_t i = 0; i < q.scales.size(); ++i) {
          ASSERT_EQ(s.scales[i], q.scales[i] + power) << Name(format);
        }
      }
    }
  }
}

TEST(QuantizeTest, NegationFlipsTheSignBits) {
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  const std::vector<float> values = RandomValues(32 * 64, -10, 10);
  std::vector<float> negated = values;
  for (float& value : negated) value = -value;
  for (const ElementFormat format : kFormats) {
    for (const ScaleRule rule : kRules) {
      const QuantizedMatrix q =
          QuantizeOrDie(values, 32, 64, GroupAxis::kAxis1, format, rule);
      Codes flipped = q.codes;
      for (uint8_t& code : flipped) code ^= 1 << (BitWidth(format) - 1);
      const QuantizedMatrix n =
          QuantizeOrDie(negated, 32, 64, GroupAxis::kAxis1, format, rule);
      EXPECT_EQ(n.codes, flipped) << Name(format);
      EXPECT_EQ(n.scales, q.scales) << Name(format);
    }
  }
}

// An element is off by half a step at most, unless OCP saturated it.
TEST(QuantizeTest, NvErrorIsAtMostHalfAStep) {
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  const std::vector<float> values = RandomValues(32 * 256, -3, 3);
  const std::vector<double> back = Dequantize(
      QuantizeOrDie(values, 32, 256, GroupAxis::kAxis1, kE4M3, ScaleRule::kNv));
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_LE(std::fabs(back[i] - values[i]), std::fabs(values[i]) / 16)
        << values[i];
  }
}

// ---- Dequantize

TEST(DequantizeTest, CodeTimesScaleOfItsGroup) {
  QuantizedMatrix q;
  q.rows = 32;
  q.cols = 2;
  q.codes.assign(64, 0);
  q.codes[0] = 0x38;   // row 0, column 0
  q.codes[63] = 0xFE;  // row 31, column 1
  q.scale_rows = 1;
  q.scale_cols = 2;
  q.scales = {0, 254};
  q.axis = GroupAxis::kAxis0;
  q.format = kE4M3;
  std::vector<double> expected(64, 0);
  expected[0] = std::ldexp(1.0, -127);
  expected[63] = -std::ldexp(448.0, 127);
  EXPECT_EQ(Dequantize(q), expected);
}

TEST(DequantizeTest, NanScaleMakesTheGroupNan) {
  const QuantizedMatrix q = QuantizeGroupOf({kNan, 1}, kE2M1, ScaleRule::kOcp);
  for (const double value : Dequantize(q)) EXPECT_TRUE(std::isnan(value));
}

// ---- Errors

TEST(QuantizeErrorTest, OtherFormats_MX_QUANT_1) {
  const std::vector<float> values(32);
  for (const ElementFormat format : kElementFormats) {
    if (std::count(std::begin(kFormats), std::end(kFormats), format)) continue;
    EXPECT_THAT(
        Quantize(values, 1, 32, GroupAxis::kAxis1, format, ScaleRule::kOcp),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr(std::string(Name(format))),
                       HasSubstr("MX-QUANT-1"))));
  }
}

TEST(QuantizeErrorTest, Extents_MX_QUANT_2) {
  const std::vector<float> values(64);
  constexpr int64_t kHuge = int64_t{1} << 62;
  for (const auto& [rows, cols] :
       std::vector<std::pair<int64_t, int64_t>>{{0, 64},
                                                {64, 0},
                                                {-1, -64},
                                                {1, 32},
                                                {3, 32},
                                                {kHuge, 32},
                                                {32, kHuge}}) {
    EXPECT_THAT(
        Quantize(values, rows, cols, GroupAxis::kAxis1, kE4M3, ScaleRule::kOcp),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr(
                           absl::StrCat("[", rows, ", ", cols, "]: 64 values")),
                       HasSubstr("MX-QUANT-2"))));
  }
}

TEST(QuantizeErrorTest, Axis_MX_QUANT_3) {
  const std::vector<float> values(48 * 32);
  EXPECT_THAT(
      Quantize(values, 48, 32, GroupAxis::kAxis0, kE4M3, ScaleRule::kOcp),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("[48, 32] along axis 0: 48 is not a multiple"),
                     HasSubstr("MX-QUANT-3"))));
  EXPECT_THAT(
      Quantize(values, 32, 48, GroupAxis::kAxis1, kE4M3, ScaleRule::kOcp),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("[32, 48] along axis 1: 48 is not a multiple")));
}

}  // namespace
}  // namespace mxtile
