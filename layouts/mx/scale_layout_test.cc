#include "layouts/mx/scale_layout.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "layouts/index_map.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// layouts:all_layouts_test walks every byte of the dense layouts.

ScaleLayout Layout(ScaleOrder order, int64_t rows, int64_t cols) {
  return ScaleLayout::Create(order, rows, cols).value();
}

struct Example {
  int64_t offset, row, col;
};

void ExpectOffsets(const ScaleLayout& layout,
                   const std::vector<Example>& examples) {
  for (const Example& example : examples) {
    EXPECT_EQ(layout.Offset(example.row, example.col), example.offset)
        << "(" << example.row << ", " << example.col << ")";
  }
}

// Examples from the project's notes on PTO-ISA's layouts.
TEST(ScaleLayoutTest, ZZExample) {
  const ScaleLayout layout = Layout(ScaleOrder::kZZ, 32, 4);
  EXPECT_EQ(layout.size_bytes(), 128);
  ExpectOffsets(layout, {{0, 0, 0},
                         {1, 0, 1},
                         {2, 1, 0},
                         {3, 1, 1},
                         {30, 15, 0},
                         {31, 15, 1},
                         {32, 0, 2},
                         {33, 0, 3},
                         {64, 16, 0},
                         {95, 31, 1},
                         {96, 16, 2},
                         {127, 31, 3}});
}

TEST(ScaleLayoutTest, NNExampleIsThatOfDNToZZ) {
  ExpectOffsets(Layout(ScaleOrder::kNN, 4, 32), {{0, 0, 0},
                                                 {1, 1, 0},
                                                 {2, 0, 1},
                                                 {31, 1, 15},
                                                 {32, 2, 0},
                                                 {33, 3, 0},
                                                 {63, 3, 15},
                                                 {64, 0, 16},
                                                 {96, 2, 16},
                                                 {127, 3, 31}});
}

TEST(ScaleLayoutTest, InterleavedExamples) {
  ExpectOffsets(Layout(ScaleOrder::kMxADN, 16, 4),
                {{0, 0, 0}, {1, 0, 1}, {2, 1, 0}, {31, 15, 1}, {32, 0, 2}});
  ExpectOffsets(Layout(ScaleOrder::kMxBND, 2, 32), {{10, 0, 5}, {11, 1, 5}});
}

TEST(ScaleLayoutTest, LinesArePaddedToABox) {
  EXPECT_EQ(Layout(ScaleOrder::kZZ, 17, 4).size_bytes(), 32 * 4);
  EXPECT_EQ(Layout(ScaleOrder::kNN, 4, 1).size_bytes(), 4 * 16);
  EXPECT_EQ(Layout(ScaleOrder::kMxADN, 17, 4).size_bytes(), 17 * 4);
}

// A pitch moves the storage rows apart, and nothing inside them.
TEST(ScaleLayoutTest, PitchesMoveWholeStorageRows) {
  for (const ScaleOrder order : kScaleOrders) {
    for (const auto& [rows, cols] :
         std::vector<std::pair<int64_t, int64_t>>{{34, 6}, {6, 34}, {2, 2}}) {
      const ScaleLayout dense = Layout(order, rows, cols);
      const int64_t dense_pitch = dense.pitch_bytes();
      const int64_t storage_rows = dense.size_bytes() / dense_pitch;
      const int64_t pitch = dense_pitch + 32;
      MX_ASSERT_OK_AND_ASSIGN(const ScaleLayout layout,
                              ScaleLayout::Create(order, rows, cols, pitch));
      EXPECT_EQ(layout.pitch_bytes(), pitch);
      EXPECT_EQ(layout.size_bytes(), storage_rows * pitch) << Name(order);
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t col = 0; col < cols; ++col) {
          const int64_t offset = dense.Offset(row, col);
          ASSERT_EQ(layout.Offset(row, col),
                    offset / dense_pitch * pitch + offset % dense_pitch)
              << Name(order) << " (" << row << ", " << col << ")";
        }
      }
    }
  }
}

TEST(ScaleLayoutTest, PitchesAreChecked_MX_SCALE_3) {
  EXPECT_THAT(ScaleLayout::Create(ScaleOrder::kND, 4, 6, 6), IsOk());
  EXPECT_THAT(ScaleLayout::Create(ScaleOrder::kZZ, 4, 6, 128), IsOk());
  struct Bad {
    ScaleOrder order;
    int64_t pitch;
  };
  for (const Bad& bad : {Bad{ScaleOrder::kND, 5},
                         {ScaleOrder::kDN, 0},
                         {ScaleOrder::kMxADN, 7},
                         {ScaleOrder::kMxBND, 11},
                         {ScaleOrder::kMxBDN, -4},
                         {ScaleOrder::kZZ, 64},
                         {ScaleOrder::kZZ, 100},
                         {ScaleOrder::kNN, 65},
                         {ScaleOrder::kND, 4 * ScaleLayout::kMaxExtent + 1}}) {
    EXPECT_THAT(ScaleLayout::Create(bad.order, 4, 6, bad.pitch),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("[4, 6]"), HasSubstr("MX-SCALE-3"))))
        << Name(bad.order) << " " << bad.pitch;
  }
}

// Lines and groups of one matrix in all orders.
TEST(ScaleLayoutTest, LineMapsAreOfLinesAndGroups) {
  for (const ScaleOrder order : kScaleOrders) {
    const bool groups_are_rows = GroupsAreRows(order);
    const ScaleLayout layout =
        groups_are_rows ? Layout(order, 6, 20) : Layout(order, 20, 6);
    const IndexMap map = layout.LineMap();
    ASSERT_EQ(map.rows(), 20) << Name(order);
    ASSERT_EQ(map.cols(), 6) << Name(order);
    for (int64_t line = 0; line < 20; ++line) {
      for (int64_t group = 0; group < 6; ++group) {
        EXPECT_EQ(map.Offset(line, group), groups_are_rows
                                               ? layout.Offset(group, line)
                                               : layout.Offset(line, group));
      }
    }
  }
}

TEST(ScaleLayoutTest, OddGroupsAreRefused_MX_SCALE_2) {
  for (const ScaleOrder order :
       {ScaleOrder::kZZ, ScaleOrder::kMxAND, ScaleOrder::kMxADN}) {
    EXPECT_THAT(ScaleLayout::Create(order, 32, 3),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(std::string(Name(order))),
                               HasSubstr("[32, 3]: 3 groups"),
                               HasSubstr("MX-SCALE-2"))));
    EXPECT_THAT(ScaleLayout::Create(order, 3, 32), IsOk());
  }
  for (const ScaleOrder order :
       {ScaleOrder::kNN, ScaleOrder::kMxBND, ScaleOrder::kMxBDN}) {
    EXPECT_THAT(ScaleLayout::Create(order, 3, 32),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(std::string(Name(order))),
                               HasSubstr("[3, 32]: 3 groups"),
                               HasSubstr("MX-SCALE-2"))));
    EXPECT_THAT(ScaleLayout::Create(order, 32, 3), IsOk());
  }
  EXPECT_THAT(ScaleLayout::Create(ScaleOrder::kND, 3, 3), IsOk());
  EXPECT_THAT(ScaleLayout::Create(ScaleOrder::kDN, 3, 3), IsOk());
}

TEST(ScaleLayoutTest, ExtentsOutOfRangeAreRefused_MX_SCALE_1) {
  constexpr int64_t kMax = ScaleLayout::kMaxExtent;
  const std::vector<std::pair<int64_t, int64_t>> bad = {
      {0, 2}, {2, 0}, {-2, 2}, {2, -2}, {kMax + 2, 2}, {2, kMax + 2}};
  for (const ScaleOrder order : kScaleOrders) {
    for (const auto& [rows, cols] : bad) {
      EXPECT_THAT(
          ScaleLayout::Create(order, rows, cols),
          StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-SCALE-1")))
          << rows << ", " << cols;
    }
  }
}

TEST(ScaleLayoutTest, LargestMatrixStaysWithinInt64) {
  constexpr int64_t kMax = ScaleLayout::kMaxExtent;
  for (const ScaleOrder order : kScaleOrders) {
    const ScaleLayout layout = Layout(order, kMax, kMax);
    EXPECT_EQ(layout.size_bytes(), kMax * kMax);
    EXPECT_EQ(layout.Offset(kMax - 1, kMax - 1), kMax * kMax - 1);
  }
}

TEST(ScaleLayoutDeathTest, OffsetOutsideTheMatrixIsABug) {
  const ScaleLayout layout = Layout(ScaleOrder::kZZ, 17, 4);
  EXPECT_DEATH(layout.Offset(17, 0), "outside of ZZ \\[17, 4\\]");
  EXPECT_DEATH(layout.Offset(0, -1), "outside of ZZ \\[17, 4\\]");
}

}  // namespace
}  // namespace mxtile
