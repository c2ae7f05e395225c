#include "tools/quantize/error_bound.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int kRows = 64, kCols = 64;

struct Matrix {
  host::QuantizedLayout layout;
  std::vector<float> values, dequantised;
  std::vector<uint8_t> scales;
};

// Quantised by the kernels.
Matrix Quantized(ElementFormat format, GroupAxis axis, ScaleRule rule,
                 std::vector<float> values) {
  host::QuantizedForm form;
  form.format = format;
  form.axis = axis;
  form.scale_order =
      axis == GroupAxis::kAxis1 ? ScaleOrder::kND : ScaleOrder::kDN;
  Matrix m = {*host::QuantizedLayout::Create(kRows, kCols, form),
              values,
              std::vector<float>(values.size()),
              {}};
  std::vector<uint8_t> data(m.layout.data_size_bytes());
  m.scales.resize(m.layout.scale_size_bytes());
  MX_EXPECT_OK(host::QuantizeRows(
      m.layout, rule,
      {ElementFormat::kF32,
       absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                           values.size() * sizeof(float))},
      {0, kRows}, {absl::MakeSpan(data), absl::MakeSpan(m.scales)}));
  MX_EXPECT_OK(host::DequantizeRows(m.layout, {data, m.scales}, {0, kRows},
                                    absl::MakeSpan(m.dequantised)));
  return m;
}

absl::Status Check(const Matrix& m, ScaleRule rule) {
  return CheckBounds(m.layout, rule, m.scales, m.values, m.dequantised, 1000);
}

// Floats of all exponents, special ones in two groups.
std::vector<float> Values() {
  std::vector<float> values(kRows * kCols);
  uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state) - 2147483648.0f;
  }
  values[0] = kNan;
  values[40 * kCols + 40] = -kInf;
  values[33] = std::numeric_limits<float>::max();
  for (int i = 0; i < kCols; ++i) values[63 * kCols + i] = 1e-42f;
  return values;
}

TEST(ErrorBoundTest, WhatTheKernelsDoIsWithin) {
  for (const ElementFormat format :
       {ElementFormat::kF8E4M3FN, ElementFormat::kF8E5M2,
        ElementFormat::kF4E2M1FN}) {
    for (const GroupAxis axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
      for (const ScaleRule rule : {ScaleRule::kOcp, ScaleRule::kNv}) {
        MX_EXPECT_OK(Check(Quantized(format, axis, rule, Values()), rule));
      }
    }
  }
}

TEST(ErrorBoundTest, WhatIsNot) {
  const Matrix good = Quantized(ElementFormat::kF4E2M1FN, GroupAxis::kAxis1,
                                ScaleRule::kOcp, Values());
  const int at = 5 * kCols + 7;
  const auto expect_refused = [](const Matrix& m, const std::string& text) {
    EXPECT_THAT(Check(m, ScaleRule::kOcp),
                StatusIs(absl::StatusCode::kInternal, HasSubstr(text)));
  };
  Matrix bad = good;
  bad.dequantised[at] = -bad.dequantised[at] + bad.values[at] * 3;
  expect_refused(bad, "--verify: element (1005, 7) is ");
  bad = good;
  bad.dequantised[at] = kNan;
  expect_refused(bad, "(1005, 7)");
  bad = good;  // a scale of NaN without one
  bad.scales[bad.layout.ScaleOffset(5, 0)] = 255;
  for (int i = 0; i < 32; ++i) bad.dequantised[5 * kCols + i] = kNan;
  expect_refused(bad, "(1005, 0)");
  bad = good;  // a NaN that became a number
  bad.dequantised[0] = 1;
  expect_refused(bad, "(1000, 0)");
  bad = good;  // an Inf with another sign
  bad.dequantised[40 * kCols + 40] *= -1;
  expect_refused(bad, "(1040, 40)");
}

}  // namespace
}  // namespace mxtile
