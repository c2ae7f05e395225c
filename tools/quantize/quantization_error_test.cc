#include "tools/quantize/quantization_error.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Two lines of 33 elements: groups of 32 and of 1 each. Scales 2^0.
QuantizationError ErrorOf(GroupAxis axis, const std::vector<float>& x,
                          const std::vector<float>& y) {
  host::QuantizedForm form;
  form.format = ElementFormat::kF4E2M1FN;
  form.axis = axis;
  form.scale_order =
      axis == GroupAxis::kAxis1 ? ScaleOrder::kND : ScaleOrder::kDN;
  const bool axis1 = axis == GroupAxis::kAxis1;
  const auto layout =
      host::QuantizedLayout::Create(axis1 ? 2 : 33, axis1 ? 33 : 2, form);
  const std::vector<uint8_t> scales(layout->scale_size_bytes(), 127);
  std::vector<float> values(66), dequantised(66);
  for (int line = 0; line < 2; ++line) {
    for (int i = 0; i < 33; ++i) {
      const int at = axis1 ? line * 33 + i : i * 2 + line;
      values[at] = x[line * 33 + i];
      dequantised[at] = y[line * 33 + i];
    }
  }
  QuantizationError error;
  AddPanelError(*layout, scales, values, dequantised, &error);
  return error;
}

TEST(QuantizationErrorTest, EachFigureByHand) {
  for (const GroupAxis axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
    std::vector<float> x(66, 2.0f), y(66, 2.0f);
    x[0] = -7, y[0] = -6;     // saturated, off by 1
    x[1] = 0.125f, y[1] = 0;  // underflowed
    x[2] = -0.0f, y[2] = 0;   // neither
    x[3] = 6, y[3] = 6;
    x[32] = 3.5f, y[32] = 4;     // a group of its own
    x[33] = kInf, y[33] = 6;     // line 1: an Inf
    x[65] = kNan, y[65] = kNan;  // and a NaN
    const QuantizationError error = ErrorOf(axis, x, y);
    EXPECT_EQ(error.elements, 66);
    EXPECT_EQ(error.groups, 4);
    EXPECT_EQ(error.saturated, 1);
    EXPECT_EQ(error.underflowed, 1);
    EXPECT_EQ(error.nan_groups, 1);
    EXPECT_EQ(error.inf_groups, 1);
    EXPECT_EQ(error.max_abs_error, 1);
    EXPECT_EQ(error.sum_squared_errors, 1 + 0.015625 + 0.25);
    // 28 twos, 7, 6, 0.125, 3.5.
    EXPECT_EQ(error.sum_squares, 28 * 4 + 49 + 36 + 0.015625 + 12.25);
  }
}

// FLT_MAX may become 2^128, which as a float is Inf.
TEST(QuantizationErrorTest, TheLargestFloats) {
  std::vector<float> x(66, 0.0f), y(66, 0.0f);
  x[0] = -std::numeric_limits<float>::max(), y[0] = -kInf;
  const QuantizationError error = ErrorOf(GroupAxis::kAxis1, x, y);
  EXPECT_EQ(error.max_abs_error, 0x1p104);
  EXPECT_EQ(error.inf_groups, 0);
}

TEST(QuantizationErrorTest, RatiosAndSums) {
  QuantizationError a;
  EXPECT_EQ(a.RelativeFrobenius(), 0);
  EXPECT_EQ(a.SqnrDb(), kInf);
  a.sum_squares = 100;
  a.sum_squared_errors = 1;
  a.max_abs_error = 0.5;
  a.elements = 3;
  EXPECT_DOUBLE_EQ(a.RelativeFrobenius(), 0.1);
  EXPECT_DOUBLE_EQ(a.SqnrDb(), 20);
  QuantizationError b = a;
  b.max_abs_error = 0.25;
  b.Add(a);
  EXPECT_EQ(b.sum_squares, 200);
  EXPECT_EQ(b.max_abs_error, 0.5);
  EXPECT_EQ(b.elements, 6);
}

}  // namespace
}  // namespace mxtile
