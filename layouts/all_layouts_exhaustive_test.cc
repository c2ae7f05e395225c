// Every layout of every legal shape up to 512 x 512, every element of it,
// against the storage order as nested loops; and the theorem that DN becomes ZZ
// by a transposition, for every shape that it speaks of.

#include <cstdint>
#include <iostream>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "layouts/index_map.h"
#include "layouts/layout_test_util.h"
#include "layouts/mx/scale_layout.h"

namespace mxtile {
namespace {

constexpr int64_t kMaxExtent = 512;

// The two summands of an offset, of each row and of each column: an offset is
// their sum (IndexMap, and ExpectSums below).
struct Parts {
  std::vector<int64_t> rows, cols;
};

Parts PartsOf(const IndexMap& map) {
  Parts parts;
  for (int64_t i = 0; i < map.rows(); ++i)
    parts.rows.push_back(map.RowOffset(i));
  for (int64_t i = 0; i < map.cols(); ++i)
    parts.cols.push_back(map.ColOffset(i));
  return parts;
}

// Offsets and their inverses on the borders and one diagonal of the matrix,
// through the interface; inside are only sums of these.
bool BordersAgree(const IndexMap& map, const Parts& parts) {
  const auto agrees = [&](int64_t row, int64_t col) {
    const int64_t offset = parts.rows[row] + parts.cols[col];
    const std::optional<IndexMap::Index> index = map.IndexAt(offset);
    return map.Offset(row, col) == offset && index.has_value() &&
           index->row == row && index->col == col;
  };
  const int64_t rows = map.rows(), cols = map.cols();
  bool agree = true;
  for (int64_t row = 0; row < rows; ++row) {
    agree &= agrees(row, cols - 1) && agrees(row, (row * 37 + 11) % cols);
  }
  for (int64_t col = 0; col < cols; ++col) agree &= agrees(rows - 1, col);
  return agree;
}

struct Counts {
  int64_t shapes = 0;
  int64_t elements = 0;
  int64_t padding = 0;
};

// The n-th place of the storage holds the element of offset n, or padding. So
// offsets differ, all of them are below the size, and what no element has is
// padding.
bool WalkAgrees(const LayoutCase& layout, int64_t rows, int64_t cols,
                Counts* counts) {
  const IndexMap map = layout.Map(rows, cols);
  const Parts parts = PartsOf(map);
  const int64_t* line_parts =
      (layout.lines_are_cols ? parts.cols : parts.rows).data();
  const int64_t* across_parts =
      (layout.lines_are_cols ? parts.rows : parts.cols).data();
  const int64_t lines = layout.lines_are_cols ? cols : rows;
  const int64_t across = layout.lines_are_cols ? rows : cols;
  int64_t offset = 0, elements = 0, wrong = 0;
  WalkLines(layout, lines, across, [&](int64_t line, int64_t i) {
    if (line < lines && i < across) {
      ++elements;
      wrong += line_parts[line] + across_parts[i] != offset;
    }
    ++offset;
  });
  ++counts->shapes;
  counts->elements += elements;
  counts->padding += offset - elements;
  return wrong == 0 && elements == rows * cols && offset == map.size() &&
         BordersAgree(map, parts);
}

class AllLayoutsExhaustiveTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(AllLayoutsExhaustiveTest, EveryLegalShape) {
  const LayoutCase& layout = GetParam();
  Counts counts;
  for (int64_t rows = 1; rows <= kMaxExtent; ++rows) {
    for (int64_t cols = 1; cols <= kMaxExtent; ++cols) {
      if (!layout.IsLegal(rows, cols)) continue;
      ASSERT_TRUE(WalkAgrees(layout, rows, cols, &counts))
          << layout.name << " [" << rows << ", " << cols << "]";
    }
  }
  std::cout << layout.name << ": " << counts.shapes << " shapes, "
            << counts.elements << " elements, " << counts.padding
            << " places of padding\n";
  EXPECT_EQ(counts.shapes,
            kMaxExtent * kMaxExtent / (layout.needs_pairs ? 2 : 1));
}

INSTANTIATE_TEST_SUITE_P(Layouts, AllLayoutsExhaustiveTest,
                         ::testing::ValuesIn(AllLayouts()),
                         [](const auto& info) { return info.param.name; });

// E_ZZ[cb, p, q, d] == E_DN[2p + d][16 cb + q], at source byte
// (2p + d) N + 16 cb + q; E_ZZ is the scale matrix of [N, H].
bool TheoremHolds(int64_t groups, int64_t lines) {
  const ScaleLayout dn =
      ScaleLayout::Create(ScaleOrder::kDN, groups, lines).value();
  const ScaleLayout zz =
      ScaleLayout::Create(ScaleOrder::kZZ, lines, groups).value();
  const Parts dn_parts = PartsOf(dn.map()), zz_parts = PartsOf(zz.map());
  bool holds = zz.size_bytes() == groups * lines;
  int64_t destination = 0;
  for (int64_t cb = 0; cb < lines / 16; ++cb) {
    for (int64_t p = 0; p < groups / 2; ++p) {
      for (int64_t q = 0; q < 16; ++q) {
        for (int64_t d = 0; d < 2; ++d) {
          const int64_t line = 16 * cb + q, group = 2 * p + d;
          holds &= zz_parts.rows[line] + zz_parts.cols[group] == destination;
          holds &= dn_parts.rows[group] + dn_parts.cols[line] ==
                   (2 * p + d) * lines + 16 * cb + q;
          ++destination;
        }
      }
    }
  }
  return holds && destination == zz.size_bytes();
}

TEST(DnToZzExhaustiveTest, TheoremForEveryLegalShape) {
  int64_t shapes = 0;
  for (int64_t groups = 2; groups <= kMaxExtent; groups += 2) {
    for (int64_t lines = 16; lines <= kMaxExtent; lines += 16) {
      ASSERT_TRUE(TheoremHolds(groups, lines)) << groups << ", " << lines;
      ++shapes;
    }
  }
  EXPECT_EQ(shapes, 256 * 32);
}

}  // namespace
}  // namespace mxtile
