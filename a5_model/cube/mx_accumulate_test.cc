// The float form, the double form and plain loops in double give the same bits.

#include "a5_model/cube/mx_accumulate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/f32_product.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr ElementFormat k8Bit[] = {ElementFormat::kF8E4M3FN,
                                   ElementFormat::kF8E5M2};
constexpr ElementFormat k4Bit[] = {ElementFormat::kF4E2M1FN,
                                   ElementFormat::kF4E1M2};

struct Operand {
  Operand(ElementFormat format, int64_t lines, int64_t groups)
      : format(format),
        lines(lines),
        codes(groups * lines * 32),
        scales(groups * lines, 127) {}

  MxFactor factor() const { return {format, lines, codes, scales}; }
  double Value(int64_t line, int64_t k, bool saturate) const {
    const int64_t index = k / 32 * lines + line;
    double element = Decode(format, codes[index * 32 + k % 32]);
    const bool nan_scale = scales[index] == 255;
    if (saturate) {
      if (nan_scale || std::isnan(element)) return 0;
      if (std::isinf(element)) {
        element = std::copysign(MaxFinite(format), element);
      }
    }
    return nan_scale ? std::nan("") : std::ldexp(element, scales[index] - 127);
  }

  ElementFormat format;
  int64_t lines;
  std::vector<uint8_t> codes;
  std::vector<uint8_t> scales;
};

void FillRandomly(Operand& operand, std::mt19937& random, bool specials) {
  for (uint8_t& code : operand.codes) {
    do {
      code = random() % CodeCount(operand.format);
    } while (!specials && KindOf(operand.format, code) != CodeKind::kFinite);
  }
}

uint32_t BitsOf(float value) {
  if (std::isnan(value)) return 0x7FC00000;
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

// Compares all of [a.lines, b.lines] with the definition.
MxForms ExpectEqualsTheDefinition(const Operand& a, const Operand& b,
                                  int64_t groups, bool saturate,
                                  std::vector<float> acc) {
  const int64_t pitch = MxPitch(b.lines);
  const std::vector<float> start = acc;
  const MxForms forms = AccumulateMx(a.factor(), b.factor(), groups, saturate,
                                     absl::MakeSpan(acc));
  EXPECT_EQ(forms.float_groups + forms.double_groups, groups);
  constexpr double kLargest = std::numeric_limits<float>::max();
  for (int64_t m = 0; m < a.lines; ++m) {
    for (int64_t n = 0; n < b.lines; ++n) {
      float sum = start[m * pitch + n];
      for (int64_t k = 0; k < groups * 32; ++k) {
        sum = static_cast<float>(double{sum} + a.Value(m, k, saturate) *
                                                   b.Value(n, k, saturate));
        if (saturate && std::isinf(sum)) sum = std::copysign(kLargest, sum);
      }
      EXPECT_EQ(BitsOf(acc[m * pitch + n]), BitsOf(sum)) << m << ", " << n;
    }
  }
  return forms;
}

std::vector<float> RandomStart(std::mt19937& random, int64_t m, int64_t n,
                               bool finite) {
  std::vector<float> start(m * MxPitch(n));
  for (float& value : start) {
    do {
      const uint32_t bits = random();
      std::memcpy(&value, &bits, 4);
    } while (finite && !std::isfinite(value));
  }
  return start;
}

TEST(MxAccumulateTest, EveryFormatPairInBothForms) {
  const uint32_t seed = 11;
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  for (const auto& formats : {k8Bit, k4Bit}) {
    for (int i = 0; i < 64; ++i) {
      SCOPED_TRACE(i);
      constexpr int64_t kGroups = 3;
      Operand a(formats[i % 2], 1 + random() % 20, kGroups);
      Operand b(formats[i / 2 % 2], 1 + random() % 40, kGroups);
      const bool saturate = i / 4 % 2 == 1;
      const bool wide = i / 8 % 2 == 1;
      const bool specials = i / 16 % 2 == 1;
      FillRandomly(a, random, specials);
      FillRandomly(b, random, specials);
      for (Operand* operand : {&a, &b}) {
        for (uint8_t& scale : operand->scales) {
          scale = wide ? random() % 256 : 112 + random() % 30;
        }
      }
      const MxForms forms = ExpectEqualsTheDefinition(
          a, b, kGroups, saturate,
          RandomStart(random, a.lines, b.lines, saturate));
      EXPECT_TRUE(wide || forms.float_groups == kGroups);
    }
  }
}

// Both sides of both ends of the range of sums: the last scale pair that floats
// may take, and the first that they may not, on the codes where it shows.
TEST(MxAccumulateTest, ChangesTheFormAtTheEndsOfTheRange) {
  for (const auto& formats : {k8Bit, k4Bit}) {
    for (const ElementFormat left : {formats[0], formats[1]}) {
      for (const ElementFormat right : {formats[0], formats[1]}) {
        const F32ProductRange range = ExactF32Products(left, right);
        for (const int sum : {range.min_sum - 1, range.min_sum, range.max_sum,
                              range.max_sum + 1}) {
          SCOPED_TRACE(absl::StrCat(Name(left), " ", Name(right), " ", sum));
          Operand a(left, 4, 1);
          Operand b(right, 4, 1);
          for (int64_t i = 0; i < 128; ++i) {
            // Smallest and largest, both signs.
            const uint8_t code = i % 2 == 0 ? 1 : LargestFiniteCode(left);
            a.codes[i] = code | (i / 2 % 2 ? SignMask(left) : 0);
            b.codes[i] = i / 4 % 2 == 0 ? 1 : LargestFiniteCode(right);
          }
          a.scales.assign(4, sum / 2);
          b.scales.assign(4, sum - sum / 2);
          const MxForms forms = ExpectEqualsTheDefinition(
              a, b, 1, /*saturate=*/false, std::vector<float>(4 * 16, 0.0f));
          EXPECT_EQ(forms.float_groups,
                    sum >= range.min_sum && sum <= range.max_sum);
        }
      }
    }
  }
}

// One side alone can leave the range of floats.
TEST(MxAccumulateTest, AFactorThatOverflowsTakesDoubles) {
  Operand a(ElementFormat::kF8E4M3FN, 1, 1);
  Operand b(ElementFormat::kF8E4M3FN, 1, 1);
  a.codes.assign(32, 0x7E);
  b.codes.assign(32, 0x38);
  for (const int scale : {246, 247}) {
    a.scales[0] = scale;
    b.scales[0] = 60;
    EXPECT_EQ(
        ExpectEqualsTheDefinition(a, b, 1, false, std::vector<float>(16, 0.0f))
            .float_groups,
        scale == 246);
  }
}

// A quantiser gives groups of zeros the scale 0, and a NaN group 255.
TEST(MxAccumulateTest, ZerosAndNanScalesDoNotLeaveTheRange) {
  std::mt19937 random(1);
  Operand a(ElementFormat::kF8E5M2, 3, 2);
  Operand b(ElementFormat::kF8E5M2, 20, 2);
  FillRandomly(a, random, /*specials=*/false);
  FillRandomly(b, random, /*specials=*/false);
  for (int64_t i = 0; i < 32; ++i) a.codes[32 + i] = i % 2 ? 0x80 : 0;
  a.scales[1] = 0;
  b.scales[7] = 255;
  for (int64_t i = 0; i < 32; ++i) b.codes[9 * 32 + i] = 0;
  b.scales[9] = 254;
  const std::vector<float> start(3 * 32, -0.0f);
  EXPECT_EQ(ExpectEqualsTheDefinition(a, b, 2, false, start).float_groups, 2);
  EXPECT_EQ(ExpectEqualsTheDefinition(a, b, 2, true, start).float_groups, 2);
  // Against a scale of 254 an element that is no zero leaves it.
  b.codes[9 * 32] = 0x3C;
  EXPECT_EQ(ExpectEqualsTheDefinition(a, b, 2, false, start).double_groups, 1);
}

// Overflow has to be undone at each step, not at the end of a group.
TEST(MxAccumulateTest, SaturationIsAtEachStep) {
  Operand a(ElementFormat::kF8E4M3FN, 1, 1);
  Operand b(ElementFormat::kF8E4M3FN, 1, 1);
  b.codes.assign(32, 0x38);
  a.codes.assign(32, 0xFE);  // -448
  a.codes[0] = a.codes[1] = a.codes[2] = 0x7E;
  b.scales[0] = 110;
  for (const int scale : {246, 250}) {
    a.scales[0] = scale;
    std::vector<float> start(16, std::numeric_limits<float>::max());
    const MxForms forms = ExpectEqualsTheDefinition(a, b, 1, true, start);
    EXPECT_EQ(forms.float_groups, scale == 246);
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
