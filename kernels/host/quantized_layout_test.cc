#include "kernels/host/quantized_layout.h"

#include <cstdint>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/nd/nd_layout.h"
#include "layouts/nz/nz_layout.h"
#include "numerics/element_format.h"

namespace mxtile::host {
namespace {

using ::testing::HasSubstr;

constexpr ElementFormat kFormats[] = {ElementFormat::kF8E4M3FN,
                                      ElementFormat::kF4E2M1FN};
constexpr GroupAxis kAxes[] = {GroupAxis::kAxis0, GroupAxis::kAxis1};

// All places of both parts are those of the layouts of these extents.
void ExpectPlaces(const QuantizedLayout& layout) {
  const int bits = BitWidth(layout.format());
  const auto expect_data = [&](const auto& data) {
    EXPECT_EQ(layout.data_size_bytes(), data.size_bytes());
    for (int64_t row = 0; row < layout.padded_rows(); ++row) {
      for (int64_t col = 0; col < layout.padded_cols(); ++col) {
        ASSERT_EQ(layout.DataOffset(row, col), data.Offset(row, col) * bits / 8)
            << row << ", " << col;
      }
    }
  };
  if (layout.form().data_order == DataOrder::kND) {
    expect_data(
        NdLayout::Create(layout.padded_rows(), layout.padded_cols(), bits)
            .value());
  } else {
    expect_data(NzLayout::Create(NzOrder::kNZ, layout.padded_rows(),
                                 layout.padded_cols(), bits)
                    .value());
  }
  const ScaleOrder order = layout.form().scale_order;
  const bool turned = GroupsAreRows(order);
  const ScaleLayout scales =
      ScaleLayout::Create(order, turned ? layout.groups() : layout.lines(),
                          turned ? layout.lines() : layout.groups())
          .value();
  EXPECT_EQ(layout.scale_size_bytes(), scales.size_bytes());
  for (int64_t line = 0; line < layout.lines(); ++line) {
    for (int64_t group = 0; group < layout.groups(); ++group) {
      ASSERT_EQ(
          layout.ScaleOffset(line, group),
          turned ? scales.Offset(group, line) : scales.Offset(line, group))
          << Name(order) << " line " << line << " group " << group;
    }
  }
}

TEST(QuantizedLayoutTest, PlacesAreThoseOfTheLayouts) {
  for (const Extents extents :
       {Extents{1, 1}, Extents{17, 33}, Extents{40, 130}, Extents{64, 64},
        Extents{97, 31}}) {
    for (const ElementFormat format : kFormats) {
      for (const GroupAxis axis : kAxes) {
        for (const DataOrder data_order : kDataOrders) {
          for (const ScaleOrder scale_order : kScaleOrders) {
            if (!IsScaleOrderOf(axis, scale_order)) continue;
            QuantizedForm form;
            form.format = format;
            form.axis = axis;
            form.data_order = data_order;
            form.scale_order = scale_order;
            MX_ASSERT_OK_AND_ASSIGN(
                const QuantizedLayout layout,
                QuantizedLayout::Create(extents.rows, extents.cols, form));
            ExpectPlaces(layout);
          }
        }
      }
    }
  }
}

QuantizedLayout LayoutOf(int64_t rows, int64_t cols, GroupAxis axis,
                         DataOrder data_order, ScaleOrder scale_order,
                         ElementFormat format = ElementFormat::kF8E4M3FN) {
  QuantizedForm form;
  form.format = format;
  form.axis = axis;
  form.data_order = data_order;
  form.scale_order = scale_order;
  return QuantizedLayout::Create(rows, cols, form).value();
}

void ExpectPadded(const QuantizedLayout& layout, int64_t rows, int64_t cols) {
  EXPECT_EQ(layout.padded_rows(), rows);
  EXPECT_EQ(layout.padded_cols(), cols);
}

TEST(QuantizedLayoutTest, PadsNoMoreThanTheLayoutsAsk) {
  constexpr GroupAxis k0 = GroupAxis::kAxis0;
  constexpr GroupAxis k1 = GroupAxis::kAxis1;
  constexpr DataOrder kNd = DataOrder::kND;
  constexpr DataOrder kNz = DataOrder::kNZ;
  ExpectPadded(LayoutOf(5, 33, k1, kNd, ScaleOrder::kND), 5, 64);
  ExpectPadded(LayoutOf(5, 65, k1, kNd, ScaleOrder::kND), 5, 96);
  ExpectPadded(LayoutOf(5, 65, k1, kNd, ScaleOrder::kMxADN), 5, 128);
  ExpectPadded(LayoutOf(5, 65, k1, kNd, ScaleOrder::kZZ), 16, 128);
  ExpectPadded(LayoutOf(5, 65, k1, kNz, ScaleOrder::kND), 16, 96);
  ExpectPadded(LayoutOf(5, 33, k0, kNd, ScaleOrder::kDN), 32, 33);
  ExpectPadded(LayoutOf(5, 33, k0, kNd, ScaleOrder::kMxBND), 64, 33);
  ExpectPadded(LayoutOf(5, 33, k0, kNd, ScaleOrder::kNN), 64, 48);
  ExpectPadded(LayoutOf(5, 33, k0, kNz, ScaleOrder::kDN), 32, 64);
  constexpr ElementFormat kFp4 = ElementFormat::kF4E2M1FN;
  ExpectPadded(LayoutOf(5, 33, k0, kNd, ScaleOrder::kDN, kFp4), 32, 34);
  ExpectPadded(LayoutOf(5, 65, k0, kNz, ScaleOrder::kDN, kFp4), 32, 128);
  ExpectPadded(LayoutOf(5, 65, k1, kNz, ScaleOrder::kND, kFp4), 16, 128);
}

TEST(QuantizedLayoutTest, PadsAsAsked) {
  QuantizedForm form;
  form.padded = {20, 70};
  ExpectPadded(QuantizedLayout::Create(5, 33, form).value(), 20, 96);
  ExpectPadded(QuantizedLayout::Create(30, 100, form).value(), 30, 128);
}

// A [M, K], A^T [K, M], B [K, N] and B^T [N, K].
TEST(QuantizedLayoutTest, PaddedForCube) {
  const auto expect = [](CubeOperand operand, GroupAxis axis,
                         ElementFormat format, Extents expected) {
    const Extents padded = PaddedForCube(operand, axis, format, {65, 97});
    EXPECT_EQ(padded.rows, expected.rows);
    EXPECT_EQ(padded.cols, expected.cols);
  };
  const ElementFormat fp8 = ElementFormat::kF8E4M3FN;
  const ElementFormat fp4 = ElementFormat::kF4E2M1FN;
  expect(CubeOperand::kA, GroupAxis::kAxis1, fp8, {80, 128});
  expect(CubeOperand::kA, GroupAxis::kAxis0, fp8, {128, 112});
  expect(CubeOperand::kB, GroupAxis::kAxis0, fp8, {128, 128});
  expect(CubeOperand::kB, GroupAxis::kAxis1, fp8, {96, 128});
  expect(CubeOperand::kB, GroupAxis::kAxis1, fp4, {128, 128});
  expect(CubeOperand::kB, GroupAxis::kAxis0, fp4, {128, 128});
}

// ---- Refusals

TEST(QuantizedLayoutTest, Format_MX_HOST_1) {
  QuantizedForm form;
  form.format = ElementFormat::kBF16;
  EXPECT_THAT(QuantizedLayout::Create(1, 1, form),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("format bf16: the format must be f8E4M3FN, "
                                 "f8E5M2, f4E2M1FN or f4E1M2 (MX-HOST-1)")));
}

TEST(QuantizedLayoutTest, Extents_MX_HOST_2) {
  constexpr int64_t kMax = QuantizedLayout::kMaxExtent;
  MX_EXPECT_OK(QuantizedLayout::Create(kMax, kMax, {}));
  for (const Extents extents :
       {Extents{0, 1}, Extents{1, 0}, Extents{kMax + 1, 1},
        Extents{1, kMax + 1}, Extents{-1, 1}}) {
    EXPECT_THAT(
        QuantizedLayout::Create(extents.rows, extents.cols, {}),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("(MX-HOST-2)")));
  }
  for (const Extents padded : {Extents{-1, 0}, Extents{0, kMax + 1}}) {
    QuantizedForm form;
    form.padded = padded;
    EXPECT_THAT(
        QuantizedLayout::Create(1, 1, form),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("(MX-HOST-2)")));
  }
}

TEST(QuantizedLayoutTest, ScaleOrderOfTheAxis_MX_HOST_3) {
  for (const GroupAxis axis : kAxes) {
    for (const ScaleOrder order : kScaleOrders) {
      QuantizedForm form;
      form.axis = axis;
      form.scale_order = order;
      const bool wrong =
          (axis == GroupAxis::kAxis0 && order == ScaleOrder::kND) ||
          (axis == GroupAxis::kAxis1 && order == ScaleOrder::kDN);
      EXPECT_EQ(QuantizedLayout::Create(32, 32, form).ok(), !wrong);
    }
  }
  QuantizedForm form;
  form.scale_order = ScaleOrder::kDN;
  EXPECT_THAT(
      QuantizedLayout::Create(32, 32, form),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("along axis 1 in DN: the order must be ND, ZZ, "
                         "NN, MX_A_ND, MX_A_DN, MX_B_ND or MX_B_DN "
                         "(MX-HOST-3)")));
}

}  // namespace
}  // namespace mxtile::host
