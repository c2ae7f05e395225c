// The vectors of mx_presets, 1 and 2: what the named systems were seen to give.

#include "kernels/host/preset.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;

float PowerOfTwo(int exponent) { return std::ldexp(1.0f, exponent); }

// Values, then zeros.
std::vector<float> GroupOf(std::vector<float> head) {
  head.resize(32, 0.0f);
  return head;
}

PresetGroup Quantized(Preset preset, ElementFormat format,
                      const std::vector<float>& head,
                      Fp4Rounding rounding = Fp4Rounding::kNearestEven) {
  PresetOptions options;
  options.format = format;
  options.fp4_rounding = rounding;
  return QuantizeGroup(preset, options, GroupOf(head)).value();
}

// `codes` are the first ones; the others are `rest`.
void ExpectGroup(const PresetGroup& group, int scale,
                 const std::vector<uint8_t>& codes, uint8_t rest = 0) {
  std::vector<uint8_t> all = codes;
  all.resize(32, rest);
  EXPECT_EQ(group.scale, scale);
  EXPECT_EQ(std::vector<uint8_t>(group.codes.begin(), group.codes.end()), all);
}

// A row of the tables: one value, its scale and its code.
struct Vector {
  Preset preset;
  ElementFormat format;
  float value;
  int scale;
  uint8_t code;
};

TEST(PresetTest, OneValue) {
  const float below_16 = std::nextafter(16.0f, 0.0f);
  const float above_448 = std::nextafter(448.0f, 1000.0f);
  const Vector vectors[] = {
      // torchao's own contract.
      {Preset::kTorchaoFloor, kE4M3, kLargest, 246, 0x7E},
      {Preset::kTorchaoRceil, kE4M3, kLargest, 247, 0x78},
      {Preset::kTorchaoFloor, kE4M3, PowerOfTwo(-126), 0, 0x40},
      {Preset::kTorchaoRceil, kE4M3, PowerOfTwo(-126), 0, 0x40},
      {Preset::kTorchaoFloor, kE4M3, 480, 127, 0x7E},
      {Preset::kTorchaoRceil, kE4M3, 480, 128, 0x77},
      {Preset::kTorchaoFloor, kE4M3, PowerOfTwo(-149), 0, 0x00},
      {Preset::kTorchaoRceil, kE4M3, PowerOfTwo(-149), 0, 0x00},
      {Preset::kTorchaoFloor, kE4M3, PowerOfTwo(-133), 0, 0x08},
      {Preset::kTorchaoRceil, kE4M3, PowerOfTwo(-133), 0, 0x08},
      // golden.py, algorithms 0 and 1.
      {Preset::kCannAlg0, kE4M3, kLargest, 246, 0x7E},
      {Preset::kCannAlg1, kE4M3, kLargest, 247, 0x78},
      {Preset::kCannAlg0, kE2M1, below_16, 128, 0x07},
      {Preset::kCannAlg0, kE4M3, below_16, 122, 0x7E},
      {Preset::kCannAlg1, kE4M3, below_16, 123, 0x78},
      {Preset::kCannAlg0, kE4M3, PowerOfTwo(-126), 0, 0x40},
      {Preset::kCannAlg1, kE4M3, PowerOfTwo(-126), 0, 0x40},
      {Preset::kCannAlg0, kE4M3, PowerOfTwo(-127), 0, 0x38},
      {Preset::kCannAlg0, kE4M3, 957, 128, 0x7E},
      {Preset::kCannAlg1, kE4M3, 957, 129, 0x77},
      {Preset::kCannAlg0, kE4M3, above_448, 127, 0x7E},
      {Preset::kCannAlg1, kE4M3, above_448, 128, 0x76},
      {Preset::kCannAlg0, kE4M3, -0.0f, 0, 0x80},
      // ggml: wraps, and one too many just below a power of two.
      // At the top 4 * 2^126 is Inf in float, so that 3 is nearest.
      {Preset::kGgml, kE2M1, kLargest, 253, 0x05},
      {Preset::kGgml, kE2M1, below_16, 129, 0x06},
      {Preset::kGgml, kE2M1, PowerOfTwo(-126), 255, 0},
      {Preset::kGgml, kE2M1, PowerOfTwo(-127), 254, 0},
      {Preset::kGgml, kE2M1, PowerOfTwo(-140), 241, 0},
      {Preset::kGgml, kE2M1, -0.0f, 0, 0},
      // The exact rules.
      {Preset::kOcpFloor, kE4M3, kLargest, 246, 0x7E},
      {Preset::kOcpFloor, kE2M1, below_16, 128, 0x07},
      {Preset::kOcpFloor, kE4M3, PowerOfTwo(-126), 0, 0x40},
      {Preset::kOcpFloor, kE4M3, PowerOfTwo(-127), 0, 0x38},
      {Preset::kOcpFloor, kE4M3, PowerOfTwo(-140), 0, 0},
      {Preset::kOcpFloor, kE4M3, -0.0f, 0, 0x80},
      {Preset::kOcpFloor, kE4M3, 957, 128, 0x7E},
      {Preset::kOcpFloor, kE4M3, above_448, 127, 0x7E},
      {Preset::kOcpFloor, kE4M3, kInf, 247, 0x7E},
      {Preset::kOcpFloor, kE2M1, kInf, 253, 0x07},
      {Preset::kNvCeil, kE4M3, 957, 129, 0x77},
      {Preset::kNvCeil, kE4M3, above_448, 128, 0x76},
      {Preset::kNvCeil, kE4M3, kInf, 254, 0x7E},
      {Preset::kNvCeil, kE2M1, 7, 128, 0x06},
  };
  for (const Vector& vector : vectors) {
    SCOPED_TRACE(std::string(Name(vector.preset)) + " " +
                 std::to_string(vector.value));
    ExpectGroup(Quantized(vector.preset, vector.format, {vector.value}),
                vector.scale, {vector.code});
  }
}

TEST(PresetTest, SpecialGroups) {
  for (const float special : {kNan, -kNan, kInf, -kInf}) {
    const std::vector<float> head = {special, 1};
    for (const Preset preset : {Preset::kCannAlg0, Preset::kCannAlg1}) {
      ExpectGroup(Quantized(preset, kE4M3, head), 255, {});
    }
    for (const Preset preset :
         {Preset::kCannAlg0, Preset::kCannAlg2Max6, Preset::kCannAlg2Max7}) {
      ExpectGroup(Quantized(preset, kE2M1, head), 255, {});
    }
    for (const Preset preset : {Preset::kTorchaoFloor, Preset::kTorchaoRceil}) {
      ExpectGroup(Quantized(preset, kE4M3, head), 255, {}, 0x7F);
    }
  }
  for (const Preset preset :
       {Preset::kPtoA5, Preset::kOcpFloor, Preset::kNvCeil}) {
    ExpectGroup(Quantized(preset, kE4M3, {kNan, 1}), 255, {}, 0x7F);
    ExpectGroup(Quantized(preset, kE2M1, {kNan, 1}), 255, {}, 7);
  }
  // A NaN lane is 0 under the scale of the others, Inf makes all of them 0.
  ExpectGroup(Quantized(Preset::kGgml, kE2M1, {kNan, 1}), 125, {0, 6});
  ExpectGroup(Quantized(Preset::kGgml, kE2M1, {kInf, 1}), 0, {});
}

TEST(PresetTest, ZeroGroups) {
  for (const Preset preset : kPresets) {
    for (const ElementFormat format : {kE4M3, kE2M1}) {
      if (!IsFormatOf(preset, format)) continue;
      ExpectGroup(Quantized(preset, format, {}), 0, {});
    }
  }
}

// {7, 5} and the ties of E2M1.
TEST(PresetTest, Fp4Elements) {
  for (const Preset preset : {Preset::kOcpFloor, Preset::kCannAlg0}) {
    ExpectGroup(Quantized(preset, kE2M1, {7, 5}), 127, {7, 6});
    ExpectGroup(Quantized(preset, kE2M1,
                          {4, 0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5}),
                127, {6, 0, 2, 2, 4, 4, 6, 6});
  }
  ExpectGroup(Quantized(Preset::kGgml, kE2M1, {7, 5}), 127, {7, 6});
  // The first of two nearest has the smaller magnitude.
  ExpectGroup(Quantized(Preset::kGgml, kE2M1,
                        {4, 0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5, -1.25f}),
              127, {6, 0, 1, 2, 3, 4, 5, 6, 8 | 2});
}

TEST(PresetTest, CannRoundings) {
  const std::vector<float> head = {4, 0.25f, 1.25f, 1.4f, 5, -0.3f, -1.25f, -7};
  ExpectGroup(Quantized(Preset::kCannAlg0, kE2M1, head, Fp4Rounding::kHalfAway),
              127, {6, 1, 3, 3, 7, 8 | 1, 8 | 3, 8 | 7});
  ExpectGroup(Quantized(Preset::kCannAlg0, kE2M1, head, Fp4Rounding::kFloor),
              127, {6, 0, 2, 2, 6, 8 | 1, 8 | 3, 8 | 7});
}

// Strictly above 6 * 2^k, or 7 * 2^k, in bf16.
TEST(PresetTest, CannAlg2RoundsTheExponentUp) {
  const auto scale_of = [](Preset preset, float value) {
    return Quantized(preset, kE2M1, {value}).scale;
  };
  const float above_6 = absl::bit_cast<float>(0x40C10000);
  const float above_7 = absl::bit_cast<float>(0x40E10000);
  EXPECT_EQ(scale_of(Preset::kCannAlg2Max6, 6), 127);
  EXPECT_EQ(scale_of(Preset::kCannAlg2Max6, above_6), 128);
  EXPECT_EQ(scale_of(Preset::kCannAlg2Max7, above_6), 127);
  EXPECT_EQ(scale_of(Preset::kCannAlg2Max7, 7), 127);
  EXPECT_EQ(scale_of(Preset::kCannAlg2Max7, above_7), 128);
}

// Cases A4 and A5: rules differ for maxima from 6 to 8.
TEST(PresetTest, A4_A5_MaximaFromSixToEight) {
  EXPECT_EQ(Quantized(Preset::kOcpFloor, kE2M1, {6.5f}).scale, 127);
  EXPECT_EQ(Quantized(Preset::kNvCeil, kE2M1, {6.5f}).scale, 128);
  EXPECT_EQ(Quantized(Preset::kCannAlg2Max7, kE2M1, {6.5f}).scale, 127);
  EXPECT_EQ(Quantized(Preset::kCannAlg2Max6, kE2M1, {6.5f}).scale, 128);
  EXPECT_EQ(Quantized(Preset::kCannAlg2Max7, kE2M1, {7.5f}).scale, 128);
}

// nv-ceil and pto-a5 NV differ in one float for each format.
TEST(PresetTest, NvCeilIsExact) {
  const struct {
    ElementFormat format;
    uint32_t bits;
  } kDifferent[] = {{kE4M3, 0x04600001},
                    {ElementFormat::kF8E5M2, 0x07E00001},
                    {kE2M1, 0x01400001}};
  for (const auto& different : kDifferent) {
    PresetOptions options;
    options.format = different.format;
    options.rule = ScaleRule::kNv;
    for (int step = -2; step <= 2; ++step) {
      const std::vector<float> values =
          GroupOf({absl::bit_cast<float>(different.bits + step)});
      EXPECT_EQ(QuantizeGroup(Preset::kNvCeil, options, values)->scale,
                step >= 0 ? 1 : 0);
      EXPECT_EQ(QuantizeGroup(Preset::kPtoA5, options, values)->scale,
                step > 0 ? 1 : 0);
    }
  }
}

// Least scale under which the maximum is in range, for each bf16 maximum.
TEST(PresetTest, NvCeilIsTheLeastScaleInRange) {
  for (const ElementFormat format : {kE4M3, ElementFormat::kF8E5M2, kE2M1}) {
    for (uint32_t code = 1; code < 0x7F80; ++code) {
      const float value = Decode(ElementFormat::kBF16, code);
      const int scale = Quantized(Preset::kNvCeil, format, {value}).scale;
      const auto in_range = [&](int s) {
        return value <= std::ldexp(double{MaxFinite(format)}, s - 127);
      };
      ASSERT_TRUE(in_range(scale)) << Name(format) << " " << value;
      ASSERT_TRUE(scale == 0 || !in_range(scale - 1)) << value;
    }
  }
}

TEST(PresetTest, HostRules) {
  PresetOptions options;
  options.rule = ScaleRule::kNv;
  EXPECT_EQ(HostRuleOf(Preset::kPtoA5, options), ScaleRule::kNv);
  EXPECT_EQ(HostRuleOf(Preset::kOcpFloor, options), ScaleRule::kOcp);
  EXPECT_EQ(HostRuleOf(Preset::kNvCeil, options), absl::nullopt);
}

TEST(PresetTest, E48_GgmlBlock) {
  std::vector<float> values(32, 0.0f);
  values[0] = 1;
  values[1] = 0.5f;
  values[16] = 2;
  values[31] = 4;
  PresetOptions options;
  options.format = kE2M1;
  const auto block =
      GgmlBlock(QuantizeGroup(Preset::kGgml, options, values).value());
  std::array<uint8_t, 17> expected = {127, 0x42, 0x01};
  expected[16] = 0x60;
  EXPECT_EQ(block, expected);
}

// ---- Names and refusals

TEST(PresetTest, Names_MX_PRESET_1) {
  for (const Preset preset : kPresets) {
    EXPECT_EQ(PresetByName(Name(preset)).value(), preset);
  }
  EXPECT_THAT(PresetByName("ocp"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("preset 'ocp': it must be one of pto-a5, "
                                 "ocp-floor, nv-ceil, ")));
}

TEST(PresetTest, Formats_MX_PRESET_2) {
  PresetOptions options;
  options.format = kE2M1;
  EXPECT_THAT(
      QuantizeGroup(Preset::kCannAlg1, options, GroupOf({})),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("cann-alg1 to f4E2M1FN: the format must be one of "
                         "f8E4M3FN, f8E5M2 (MX-PRESET-2)")));
}

TEST(PresetTest, Size_MX_PRESET_3) {
  EXPECT_THAT(QuantizeGroup(Preset::kPtoA5, {}, std::vector<float>(31)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("a group of 31 values: it must have 32 "
                                 "(MX-PRESET-3)")));
}

}  // namespace
}  // namespace mxtile::host
