#include "layouts/mx/scale_layout.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kPadding = -1;

// Logical (row, col) of each byte in storage order.
using Bytes = std::vector<std::pair<int64_t, int64_t>>;

std::pair<int64_t, int64_t> Padding() { return {kPadding, kPadding}; }

// The storage orders once more, as nested loops from the slowest index to the
// fastest; `lines` are the rows of A or the columns of B.
Bytes BoxedBytes(int64_t lines, int64_t groups) {
  Bytes bytes;
  for (int64_t first_line = 0; first_line < lines; first_line += 16) {
    for (int64_t first_group = 0; first_group < groups; first_group += 2) {
      for (int64_t line = first_line; line < first_line + 16; ++line) {
        for (int64_t group = first_group; group < first_group + 2; ++group) {
          bytes.push_back(line < lines ? std::make_pair(line, group)
                                       : Padding());
        }
      }
    }
  }
  return bytes;
}

Bytes InterleavedBytes(int64_t lines, int64_t groups) {
  Bytes bytes;
  for (int64_t first_group = 0; first_group < groups; first_group += 2) {
    for (int64_t line = 0; line < lines; ++line) {
      bytes.emplace_back(line, first_group);
      bytes.emplace_back(line, first_group + 1);
    }
  }
  return bytes;
}

Bytes PlainBytes(int64_t rows, int64_t cols) {
  Bytes bytes;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t col = 0; col < cols; ++col) bytes.emplace_back(row, col);
  }
  return bytes;
}

Bytes Transposed(Bytes bytes) {
  for (auto& [row, col] : bytes) std::swap(row, col);
  return bytes;
}

Bytes ExpectedBytes(ScaleOrder order, int64_t rows, int64_t cols) {
  switch (order) {
    case ScaleOrder::kND:
    case ScaleOrder::kDN:
    case ScaleOrder::kMxAND:
      return PlainBytes(rows, cols);
    case ScaleOrder::kMxBDN:
      return Transposed(PlainBytes(cols, rows));
    case ScaleOrder::kZZ:
      return BoxedBytes(rows, cols);
    case ScaleOrder::kNN:
      return Transposed(BoxedBytes(cols, rows));
    case ScaleOrder::kMxADN:
      return InterleavedBytes(rows, cols);
    case ScaleOrder::kMxBND:
      return Transposed(InterleavedBytes(cols, rows));
  }
  return {};
}

// What the layout says: a byte that no element claims is padding, one that two
// elements claim fails.
Bytes LayoutBytes(const ScaleLayout& layout) {
  Bytes bytes(layout.size_bytes(), Padding());
  for (int64_t row = 0; row < layout.rows(); ++row) {
    for (int64_t col = 0; col < layout.cols(); ++col) {
      auto& byte = bytes.at(layout.Offset(row, col));
      EXPECT_EQ(byte, Padding()) << "(" << row << ", " << col << ")";
      byte = {row, col};
    }
  }
  return bytes;
}

ScaleLayout Layout(ScaleOrder order, int64_t rows, int64_t cols) {
  return ScaleLayout::Create(order, rows, cols).value();
}

TEST(ScaleLayoutTest, EveryByteOfEveryOrder) {
  for (const ScaleOrder order : kScaleOrders) {
    for (const int64_t rows : {1, 2, 4, 6, 15, 16, 17, 32, 33, 48, 64}) {
      for (const int64_t cols : {1, 2, 4, 6, 15, 16, 17, 32, 33, 48, 64}) {
        const auto layout = ScaleLayout::Create(order, rows, cols);
        if (!layout.ok()) continue;  // odd groups: OddGroupsAreRefused
        EXPECT_EQ(LayoutBytes(*layout), ExpectedBytes(order, rows, cols))
            << Name(order) << " [" << rows << ", " << cols << "]";
      }
    }
  }
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
