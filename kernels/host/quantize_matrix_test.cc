#include "kernels/host/quantize_matrix.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantize_test_util.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

using ::testing::HasSubstr;

QuantizedForm FormOf(GroupAxis axis, DataOrder data, ScaleOrder scales) {
  QuantizedForm form;
  form.format = ElementFormat::kF4E2M1FN;
  form.axis = axis;
  form.data_order = data;
  form.scale_order = scales;
  return form;
}

Quantized QuantizeOn(int num_threads, const QuantizedLayout& layout,
                     const SourceMatrix& source) {
  Quantized result = {std::vector<uint8_t>(layout.data_size_bytes(), 0xA5),
                      std::vector<uint8_t>(layout.scale_size_bytes(), 0xA5)};
  MX_EXPECT_OK(QuantizeMatrix(
      layout, ScaleRule::kNv, {source.format, source.bytes}, num_threads,
      {absl::MakeSpan(result.data), absl::MakeSpan(result.scales)}));
  return result;
}

TEST(QuantizeMatrixTest, BytesDoNotDependOnThreads) {
  std::mt19937_64 random(7);
  for (const int64_t rows : {1, 64, 65, 300}) {
    const SourceMatrix source =
        RandomSource(ElementFormat::kBF16, rows, 200, random);
    for (const QuantizedForm& form :
         {FormOf(GroupAxis::kAxis1, DataOrder::kNZ, ScaleOrder::kZZ),
          FormOf(GroupAxis::kAxis0, DataOrder::kND, ScaleOrder::kDN),
          FormOf(GroupAxis::kAxis0, DataOrder::kNZ, ScaleOrder::kNN)}) {
      const QuantizedLayout layout =
          QuantizedLayout::Create(rows, 200, form).value();
      const Quantized expected = QuantizeOn(1, layout, source);
      std::vector<float> expected_values(rows * 200);
      MX_EXPECT_OK(DequantizeMatrix(layout, {expected.data, expected.scales}, 1,
                                    absl::MakeSpan(expected_values)));
      for (const int num_threads : {-1, 2, 3, 16}) {
        const Quantized result = QuantizeOn(num_threads, layout, source);
        EXPECT_EQ(result.data, expected.data);
        EXPECT_EQ(result.scales, expected.scales);
        std::vector<float> values(rows * 200);
        MX_EXPECT_OK(DequantizeMatrix(layout, {result.data, result.scales},
                                      num_threads, absl::MakeSpan(values)));
        // NaN differs from itself, its bytes do not.
        EXPECT_EQ(std::memcmp(values.data(), expected_values.data(),
                              values.size() * sizeof(float)),
                  0);
      }
    }
  }
}

TEST(QuantizeMatrixTest, Sizes_MX_HOST_6) {
  const QuantizedLayout layout = QuantizedLayout::Create(256, 64, {}).value();
  std::vector<uint8_t> source(100);
  std::vector<uint8_t> data(layout.data_size_bytes());
  std::vector<uint8_t> scales(layout.scale_size_bytes());
  EXPECT_THAT(
      QuantizeMatrix(layout, ScaleRule::kOcp, {ElementFormat::kF32, source}, 2,
                     {absl::MakeSpan(data), absl::MakeSpan(scales)}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("source of 100 bytes: it must have 65536 "
                         "(MX-HOST-6)")));
  std::vector<float> values(5);
  EXPECT_THAT(
      DequantizeMatrix(layout, {data, scales}, 2, absl::MakeSpan(values)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("values of 20 bytes")));
}

}  // namespace
}  // namespace mxtile::host
