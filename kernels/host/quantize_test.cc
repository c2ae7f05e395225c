// The host kernels against kernels/reference, byte for byte, on each
// instruction set of this processor.

#include "kernels/host/quantize.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantize_test_util.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile::host {

uint64_t seed = 20261201;
int num_matrices = 40;

namespace {

using ::testing::HasSubstr;

constexpr ElementFormat kSources[] = {ElementFormat::kF32, ElementFormat::kBF16,
                                      ElementFormat::kF16};
constexpr ElementFormat kFormats[] = {
    ElementFormat::kF8E4M3FN, ElementFormat::kF8E5M2, ElementFormat::kF4E2M1FN};
constexpr ScaleRule kRules[] = {ScaleRule::kOcp, ScaleRule::kNv};
constexpr GroupAxis kAxes[] = {GroupAxis::kAxis0, GroupAxis::kAxis1};

// Neither zero nor a code of padding.
constexpr uint8_t kPoison = 0xA5;

std::string Describe(const QuantizedForm& form, const SourceMatrix& source,
                     ScaleRule rule) {
  return absl::StrCat(
      "[", source.rows, ", ", source.cols, "] ", Name(source.format), " to ",
      Name(form.format), rule == ScaleRule::kOcp ? " OCP" : " NV", " axis ",
      form.axis == GroupAxis::kAxis0 ? 0 : 1, " data ", Name(form.data_order),
      " scales ", Name(form.scale_order));
}

// In panels of `panel_rows` rows.
Quantized QuantizeInPanels(const QuantizedLayout& layout, ScaleRule rule,
                           const SourceMatrix& source, int64_t panel_rows) {
  Quantized result = {std::vector<uint8_t>(layout.data_size_bytes(), kPoison),
                      std::vector<uint8_t>(layout.scale_size_bytes(), kPoison)};
  const int64_t row_bytes = source.cols * BitWidth(source.format) / 8;
  for (int64_t row = 0; row < source.rows; row += panel_rows) {
    const int64_t last = std::min(row + panel_rows, source.rows);
    const absl::Status status = QuantizeRows(
        layout, rule,
        {source.format,
         absl::MakeConstSpan(source.bytes)
             .subspan(row * row_bytes, (last - row) * row_bytes)},
        {row, last},
        {absl::MakeSpan(result.data), absl::MakeSpan(result.scales)});
    MX_EXPECT_OK(status);
  }
  return result;
}

std::vector<float> DequantizeAll(const QuantizedLayout& layout,
                                 const Quantized& quantized) {
  std::vector<float> values(layout.rows() * layout.cols(), -1.0f);
  MX_EXPECT_OK(DequantizeRows(layout, {quantized.data, quantized.scales},
                              {0, layout.rows()}, absl::MakeSpan(values)));
  return values;
}

std::vector<uint32_t> BitsOf(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) {
    bits.push_back(absl::bit_cast<uint32_t>(value));
  }
  return bits;
}

// The rows and columns of the source; every NaN as the host kernel has it.
std::vector<uint32_t> ExpectedBits(const QuantizedMatrix& matrix,
                                   const QuantizedLayout& layout) {
  const std::vector<double> padded = Dequantize(matrix);
  std::vector<uint32_t> bits;
  for (int64_t row = 0; row < layout.rows(); ++row) {
    for (int64_t col = 0; col < layout.cols(); ++col) {
      const double value = padded[row * matrix.cols + col];
      bits.push_back(value != value
                         ? 0x7FC00000
                         : absl::bit_cast<uint32_t>(static_cast<float>(value)));
    }
  }
  return bits;
}

// Each layout of the axis, on each instruction set, whole and in panels, there
// and back.
void ExpectAllLayouts(const SourceMatrix& source, QuantizedForm form,
                      ScaleRule rule) {
  for (const ScaleOrder scale_order : kScaleOrders) {
    if (!IsScaleOrderOf(form.axis, scale_order)) continue;
    for (const DataOrder data_order : kDataOrders) {
      form.scale_order = scale_order;
      form.data_order = data_order;
      SCOPED_TRACE(Describe(form, source, rule));
      const QuantizedLayout layout =
          QuantizedLayout::Create(source.rows, source.cols, form).value();
      const QuantizedMatrix matrix =
          ReferenceOf(source, layout.padded_rows(), layout.padded_cols(),
                      form.axis, form.format, rule);
      const Quantized expected = Placed(matrix, layout);
      const std::vector<uint32_t> expected_bits = ExpectedBits(matrix, layout);
      for (const int64_t target : VectorTargets()) {
        const ScopedTarget scoped(target);
        for (const int64_t panel_rows : {source.rows, int64_t{32}}) {
          const Quantized result =
              QuantizeInPanels(layout, rule, source, panel_rows);
          ASSERT_EQ(result.data, expected.data) << TargetName(target);
          ASSERT_EQ(result.scales, expected.scales) << TargetName(target);
        }
        ASSERT_EQ(BitsOf(DequantizeAll(layout, expected)), expected_bits)
            << TargetName(target);
      }
    }
  }
}

TEST(QuantizeTest, RunsOnEveryInstructionSet) {
  EXPECT_GE(VectorTargets().size(), 2);
  for (const int64_t target : VectorTargets()) {
    const ScopedTarget scoped(target);
    EXPECT_EQ(InstructionSet(), TargetName(target));
    std::cout << InstructionSet() << "\n";
  }
}

class ShapeTest : public ::testing::TestWithParam<Extents> {};

TEST_P(ShapeTest, EqualsTheReferenceInEveryLayout) {
  std::mt19937_64 random(seed);
  for (const ElementFormat source_format : kSources) {
    const SourceMatrix source =
        RandomSource(source_format, GetParam().rows, GetParam().cols, random);
    for (const ElementFormat format : kFormats) {
      for (const ScaleRule rule : kRules) {
        for (const GroupAxis axis : kAxes) {
          QuantizedForm form;
          form.format = format;
          form.axis = axis;
          ExpectAllLayouts(source, form, rule);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ShapeTest,
    ::testing::Values(Extents{1, 1}, Extents{1, 32}, Extents{3, 5},
                      Extents{32, 128}, Extents{33, 31}, Extents{17, 300},
                      Extents{70, 97}, Extents{64, 256}, Extents{95, 129}),
    [](const auto& info) {
      return absl::StrCat(info.param.rows, "x", info.param.cols);
    });

TEST(QuantizeTest, EqualsTheReferenceOnRandomShapes) {
  std::mt19937_64 random(seed);
  const auto pick = [&](const auto& all) {
    return all[random() % std::size(all)];
  };
  for (int i = 0; i < num_matrices; ++i) {
    const SourceMatrix source = RandomSource(pick(kSources), 1 + random() % 100,
                                             1 + random() % 1300, random);
    QuantizedForm form;
    form.format = pick(kFormats);
    form.axis = pick(kAxes);
    form.padded = {static_cast<int64_t>(random() % 120),
                   static_cast<int64_t>(random() % 1400)};
    ExpectAllLayouts(source, form, pick(kRules));
    if (HasFatalFailure()) return;
  }
}

// No byte outside of source, output and values is touched.
TEST(QuantizeTest, StaysWithinItsBuffers) {
  std::mt19937_64 random(seed);
  for (const Extents extents : {Extents{1, 1}, Extents{5, 31}, Extents{33, 129},
                                Extents{64, 128}, Extents{40, 1100}}) {
    for (const ElementFormat source_format : kSources) {
      const SourceMatrix source =
          RandomSource(source_format, extents.rows, extents.cols, random);
      for (const ElementFormat format : kFormats) {
        for (const GroupAxis axis : kAxes) {
          for (const DataOrder data_order : kDataOrders) {
            QuantizedForm form;
            form.format = format;
            form.axis = axis;
            form.data_order = data_order;
            form.scale_order =
                axis == GroupAxis::kAxis0 ? ScaleOrder::kDN : ScaleOrder::kND;
            const QuantizedLayout layout =
                QuantizedLayout::Create(extents.rows, extents.cols, form)
                    .value();
            for (const bool at_start : {false, true}) {
              const GuardedBytes bytes(source.bytes.size(), at_start);
              const GuardedBytes data(layout.data_size_bytes(), at_start);
              const GuardedBytes scales(layout.scale_size_bytes(), at_start);
              const GuardedBytes values(4 * extents.rows * extents.cols,
                                        at_start);
              std::copy(source.bytes.begin(), source.bytes.end(),
                        bytes.span().begin());
              for (const int64_t target : VectorTargets()) {
                const ScopedTarget scoped(target);
                MX_ASSERT_OK(QuantizeRows(
                    layout, ScaleRule::kOcp, {source_format, bytes.span()},
                    {0, extents.rows}, {data.span(), scales.span()}));
                MX_ASSERT_OK(DequantizeRows(
                    layout, {data.span(), scales.span()}, {0, extents.rows},
                    absl::MakeSpan(
                        reinterpret_cast<float*>(values.span().data()),
                        extents.rows * extents.cols)));
              }
            }
          }
        }
      }
    }
  }
}

// Each code of a half format, alone in a group of zeros and at each place.
class HalfTest : public ::testing::TestWithParam<ElementFormat> {};

TEST_P(HalfTest, EveryCodeAlone) {
  constexpr int64_t kRows = 256;
  constexpr int64_t kCols = 65536 / kRows * 32;
  std::vector<uint32_t> codes(kRows * kCols, 0);
  for (uint32_t code = 0; code < 65536; ++code) {
    codes[code * 32 + code % 32] = code;
  }
  const SourceMatrix source = SourceOfCodes(GetParam(), kRows, kCols, codes);
  for (const ElementFormat format : kFormats) {
    for (const ScaleRule rule : kRules) {
      QuantizedForm form;
      form.format = format;
      const QuantizedLayout layout =
          QuantizedLayout::Create(kRows, kCols, form).value();
      Quantized expected = {std::vector<uint8_t>(layout.data_size_bytes()), {}};
      const int bits = BitWidth(format);
      for (uint32_t code = 0; code < 65536; ++code) {
        const uint8_t scale =
            SharedExponent(rule, format, Decode(GetParam(), code));
        expected.scales.push_back(scale);
        for (uint32_t i = 0; i < 32; ++i) {
          const int64_t bit = (code * 32 + i) * bits;
          expected.data[bit / 8] |=
              EncodeScaled(format, source.values[code * 32 + i], scale)
              << bit % 8;
        }
      }
      for (const int64_t target : VectorTargets()) {
        const ScopedTarget scoped(target);
        const Quantized result = QuantizeInPanels(layout, rule, source, kRows);
        ASSERT_EQ(result.scales, expected.scales) << TargetName(target);
        ASSERT_TRUE(result.data == expected.data) << TargetName(target);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, HalfTest,
                         ::testing::Values(ElementFormat::kBF16,
                                           ElementFormat::kF16),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

// Every code under every scale.
TEST(DequantizeTest, EveryCodeUnderEveryScale) {
  for (const ElementFormat format :
       {ElementFormat::kF8E4M3FN, ElementFormat::kF8E5M2,
        ElementFormat::kF4E2M1FN, ElementFormat::kF4E1M2}) {
    const int bits = BitWidth(format);
    QuantizedForm form;
    form.format = format;
    // A row has all codes under one scale.
    const QuantizedLayout layout =
        QuantizedLayout::Create(256, 256, form).value();
    Quantized quantized;
    std::vector<uint32_t> expected;
    for (int scale = 0; scale < 256; ++scale) {
      quantized.scales.insert(quantized.scales.end(), 8, scale);
      for (int element = 0; element < 256; ++element) {
        const uint8_t code = element % (1 << bits);
        if (bits == 8) {
          quantized.data.push_back(code);
        } else if (element % 2 == 1) {
          quantized.data.push_back(code << 4 | (code - 1));
        }
        const double value =
            DecodeScaled(format, code, static_cast<uint8_t>(scale));
        expected.push_back(value != value ? 0x7FC00000
                                          : absl::bit_cast<uint32_t>(
                                                static_cast<float>(value)));
      }
    }
    for (const int64_t target : VectorTargets()) {
      const ScopedTarget scoped(target);
      EXPECT_EQ(BitsOf(DequantizeAll(layout, quantized)), expected)
          << Name(format) << " " << TargetName(target);
    }
  }
}

// ---- Refusals

class RefusalTest : public ::testing::Test {
 protected:
  RefusalTest()
      : layout_(QuantizedLayout::Create(64, 64, {}).value()),
        source_(64 * 64 * 4),
        data_(64 * 64),
        scales_(64 * 2) {}

  absl::Status Run(RowRange rows, ElementFormat format = ElementFormat::kF32) {
    return QuantizeRows(layout_, ScaleRule::kOcp, {format, source_}, rows,
                        {absl::MakeSpan(data_), absl::MakeSpan(scales_)});
  }

  QuantizedLayout layout_;
  std::vector<uint8_t> source_;
  std::vector<uint8_t> data_;
  std::vector<uint8_t> scales_;
};

TEST_F(RefusalTest, Format_MX_QUANT_1) {
  QuantizedForm form;
  form.format = ElementFormat::kF4E1M2;
  layout_ = QuantizedLayout::Create(64, 64, form).value();
  EXPECT_THAT(Run({0, 64}), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("(MX-QUANT-1)")));
}

TEST_F(RefusalTest, Source_MX_HOST_4) {
  EXPECT_THAT(Run({0, 64}, ElementFormat::kF8E4M3FN),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("from f8E4M3FN: the source must be f32, bf16 "
                                 "or f16 (MX-HOST-4)")));
}

TEST_F(RefusalTest, Rows_MX_HOST_5) {
  for (const RowRange rows :
       {RowRange{0, 65}, RowRange{-1, 64}, RowRange{5, 5}, RowRange{64, 64}}) {
    EXPECT_THAT(Run(rows), StatusIs(absl::StatusCode::kInvalidArgument,
                                    HasSubstr("(MX-HOST-5)")));
  }
  QuantizedForm form;
  form.axis = GroupAxis::kAxis0;
  form.scale_order = ScaleOrder::kDN;
  layout_ = QuantizedLayout::Create(64, 64, form).value();
  for (const RowRange rows : {RowRange{0, 33}, RowRange{16, 64}}) {
    EXPECT_THAT(Run(rows),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("whole groups of 32 rows (MX-HOST-5)")));
  }
}

TEST_F(RefusalTest, Sizes_MX_HOST_6) {
  EXPECT_THAT(Run({0, 32}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("source of 16384 bytes: it must have 8192 "
                                 "(MX-HOST-6)")));
  data_.resize(100);
  EXPECT_THAT(Run({0, 64}), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("data of 100 bytes")));
  data_.resize(64 * 64);
  scales_.resize(1);
  EXPECT_THAT(Run({0, 64}), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("scales of 1 bytes")));
  scales_.resize(64 * 2);
  std::vector<float> values(10);
  EXPECT_THAT(DequantizeRows(layout_, {data_, scales_}, {0, 64},
                             absl::MakeSpan(values)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("values of 40 bytes")));
}

}  // namespace
}  // namespace mxtile::host

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv, "--matrices=", &mxtile::host::seed,
                                &mxtile::host::num_matrices);
}
