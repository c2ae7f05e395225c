// Each byte of each panel against QuantizedLayout's own offsets, for all axes,
// formats and layouts.

#include "kernels/host/panel_pieces.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// From a byte of the panel to the byte of the whole matrix.
std::vector<int64_t> Places(const Pieces& pieces) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < pieces.count; ++i) {
    for (int64_t byte = 0; byte < pieces.size_bytes; ++byte) {
      places.push_back(pieces.first + i * pieces.stride_bytes + byte);
    }
  }
  return places;
}

void Count(const std::vector<int64_t>& places, std::vector<int>* counts) {
  for (const int64_t place : places) {
    ASSERT_GE(place, 0);
    ASSERT_LT(place, static_cast<int64_t>(counts->size()));
    ++(*counts)[place];
  }
}

void CheckPanel(const QuantizedLayout& whole, const Panel& panel,
                int64_t first_row) {
  const std::vector<int64_t> data = Places(panel.data);
  const std::vector<int64_t> scales = Places(panel.scales);
  ASSERT_EQ(static_cast<int64_t>(data.size()), panel.layout.data_size_bytes());
  ASSERT_EQ(static_cast<int64_t>(scales.size()),
            panel.layout.scale_size_bytes());
  for (int64_t row = 0; row < panel.layout.padded_rows(); ++row) {
    for (int64_t col = 0; col < panel.layout.padded_cols(); ++col) {
      ASSERT_EQ(data[panel.layout.DataOffset(row, col)],
                whole.DataOffset(first_row + row, col));
    }
  }
  const bool axis1 = whole.axis() == GroupAxis::kAxis1;
  for (int64_t line = 0; line < panel.layout.lines(); ++line) {
    for (int64_t group = 0; group < panel.layout.groups(); ++group) {
      ASSERT_EQ(
          scales[panel.layout.ScaleOffset(line, group)],
          axis1 ? whole.ScaleOffset(first_row + line, group)
                : whole.ScaleOffset(line, first_row / kScaleGroupSize + group));
    }
  }
}

void CheckMatrix(Extents extents, const QuantizedForm& form,
                 int64_t panel_rows) {
  MX_ASSERT_OK_AND_ASSIGN(
      const QuantizedLayout whole,
      QuantizedLayout::Create(extents.rows, extents.cols, form));
  std::vector<int> data(whole.data_size_bytes());
  std::vector<int> scales(whole.scale_size_bytes());
  for (int64_t row = 0; row < extents.rows; row += panel_rows) {
    MX_ASSERT_OK_AND_ASSIGN(
        const Panel panel,
        PanelOf(whole, {row, std::min(row + panel_rows, extents.rows)}));
    CheckPanel(whole, panel, row);
    Count(Places(panel.data), &data);
    Count(Places(panel.scales), &scales);
  }
  EXPECT_THAT(data, Each(1));
  EXPECT_THAT(scales, Each(1));
}

TEST(PanelPiecesTest, PanelsCoverTheMatrix) {
  for (const GroupAxis axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
    for (const ElementFormat format :
         {ElementFormat::kF8E4M3FN, ElementFormat::kF4E2M1FN}) {
      for (const DataOrder data_order : kDataOrders) {
        for (const ScaleOrder scale_order : kScaleOrders) {
          if (!IsScaleOrderOf(axis, scale_order)) continue;
          for (const Extents extents : {Extents{129, 37}, Extents{192, 64},
                                        Extents{70, 130}, Extents{1, 1}}) {
            QuantizedForm form;
            form.axis = axis;
            form.format = format;
            form.data_order = data_order;
            form.scale_order = scale_order;
            for (const int64_t panel_rows : {64, 128, 192}) {
              CheckMatrix(extents, form, panel_rows);
            }
            form.padded = PaddedForCube(CubeOperand::kB, axis, format, extents);
            CheckMatrix(extents, form, 64);
          }
        }
      }
    }
  }
}

TEST(PanelPiecesTest, RefusedPanels) {
  MX_ASSERT_OK_AND_ASSIGN(const QuantizedLayout whole,
                          QuantizedLayout::Create(130, 32, {}));
  for (const RowRange rows :
       {RowRange{-64, 0}, RowRange{64, 64}, RowRange{32, 130}, RowRange{0, 32},
        RowRange{128, 131}}) {
    EXPECT_THAT(
        PanelOf(whole, rows).status(),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-HOST-7")));
  }
  MX_EXPECT_OK(PanelOf(whole, {128, 130}).status());
}

}  // namespace
}  // namespace mxtile::host
