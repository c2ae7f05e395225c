// Every layout against its storage order as nested loops. All shapes up to
// 512 x 512 are walked by all_layouts_exhaustive_test.

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "layouts/index_map.h"
#include "layouts/layout_test_util.h"

namespace mxtile {
namespace {

// One place after the other: the element there has this offset, the offset
// leads to it, padding is padding, and every element is met.
void ExpectStorageOrder(const LayoutCase& layout, int64_t rows, int64_t cols) {
  SCOPED_TRACE(::testing::Message()
               << layout.name << " [" << rows << ", " << cols << "]");
  const IndexMap map = layout.Map(rows, cols);
  ASSERT_EQ(map.rows(), rows);
  ASSERT_EQ(map.cols(), cols);
  int64_t offset = 0, elements = 0, wrong = 0;
  WalkStorage(layout, rows, cols, [&](int64_t row, int64_t col) {
    const std::optional<IndexMap::Index> index = map.IndexAt(offset);
    if (row >= rows || col >= cols) {
      wrong += index.has_value();
    } else {
      ++elements;
      wrong += map.Offset(row, col) != offset || !index.has_value() ||
               index->row != row || index->col != col;
    }
    ++offset;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(elements, rows * cols);
  EXPECT_EQ(map.size(), offset);
}

class AllLayoutsTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(AllLayoutsTest, SmallShapes) {
  for (int64_t rows = 1; rows <= 36; ++rows) {
    for (int64_t cols = 1; cols <= 36; ++cols) {
      if (GetParam().IsLegal(rows, cols)) {
        ExpectStorageOrder(GetParam(), rows, cols);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(AllLayoutsTest, ShapesAroundBoxes) {
  for (const int64_t rows : {1, 2, 16, 17, 48, 64, 66, 129, 256}) {
    for (const int64_t cols : {1, 2, 16, 18, 32, 63, 64, 130, 256}) {
      if (GetParam().IsLegal(rows, cols)) {
        ExpectStorageOrder(GetParam(), rows, cols);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(AllLayoutsTest, LegalShapesAreThoseOfWholePairs) {
  for (int64_t rows = 1; rows <= 9; ++rows) {
    for (int64_t cols = 1; cols <= 9; ++cols) {
      EXPECT_EQ(GetParam().create(rows, cols).ok(),
                GetParam().IsLegal(rows, cols))
          << rows << ", " << cols;
    }
  }
}

// What lies in a box lies there whatever the matrix does not fill: the offsets
// of a shape are those of the shape padded to whole boxes.
TEST_P(AllLayoutsTest, PaddingMovesNothing) {
  for (int64_t rows = 1; rows <= 512; rows += 7) {
    for (int64_t cols = 2; cols <= 512; cols += 6) {
      if (!GetParam().IsLegal(rows, cols)) continue;
      const IndexMap map = GetParam().Map(rows, cols);
      int64_t padded_rows = 1, padded_cols = 1;
      for (const auto& digit : map.row_digits()) padded_rows *= digit.extent;
      for (const auto& digit : map.col_digits()) padded_cols *= digit.extent;
      const bool spare =
          GetParam().storage == LayoutCase::Storage::kSpacedStrips;
      const IndexMap padded =
          GetParam().Map(padded_rows - (spare ? 1 : 0), padded_cols);
      EXPECT_EQ(padded.size(), map.size());
      for (const int64_t row : {int64_t{0}, rows / 2, rows - 1}) {
        for (const int64_t col : {int64_t{0}, cols / 2, cols - 1}) {
          ASSERT_EQ(padded.Offset(row, col), map.Offset(row, col))
              << rows << ", " << cols;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, AllLayoutsTest,
                         ::testing::ValuesIn(AllLayouts()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mxtile
