#include "layouts/index_map.h"

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace mxtile {
namespace {

using Digit = IndexMap::Digit;
using Digits = std::vector<Digit>;

// The example of the header: ZZ of [32, 4].
IndexMap ZZ() { return IndexMap(32, 4, {{16, 2}, {2, 64}}, {{2, 1}, {2, 32}}); }

TEST(IndexMapTest, OffsetsOfTheHeadersExample) {
  const IndexMap zz = ZZ();
  EXPECT_EQ(zz.size(), 128);
  EXPECT_EQ(zz.Offset(15, 1), 31);
  EXPECT_EQ(zz.Offset(0, 2), 32);
  EXPECT_EQ(zz.Offset(16, 0), 64);
  EXPECT_EQ(zz.RowOffset(17), 66);
  EXPECT_EQ(zz.ColOffset(3), 33);
  EXPECT_EQ(zz.Offset(17, 3), 99);
  const std::optional<IndexMap::Index> index = zz.IndexAt(99);
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ(index->row, 17);
  EXPECT_EQ(index->col, 3);
}

TEST(IndexMapTest, RowsBeyondTheMatrixAndGapsBetweenStridesArePadding) {
  // 3 of 4 rows of 2 columns, a row 5 elements from the next.
  const IndexMap map(3, 2, {{4, 5}}, {{2, 1}});
  EXPECT_EQ(map.size(), 20);
  for (int64_t offset = 0; offset < 20; ++offset) {
    const bool element = offset % 5 < 2 && offset < 15;
    EXPECT_EQ(map.IndexAt(offset).has_value(), element) << offset;
  }
}

TEST(IndexMapTest, TransposedKeepsEveryElementInItsPlace) {
  const IndexMap zz = ZZ(), transposed = ZZ().Transposed();
  EXPECT_EQ(transposed.rows(), 4);
  EXPECT_EQ(transposed.cols(), 32);
  EXPECT_EQ(transposed.size(), zz.size());
  for (int64_t row = 0; row < 32; ++row) {
    for (int64_t col = 0; col < 4; ++col) {
      EXPECT_EQ(transposed.Offset(col, row), zz.Offset(row, col));
    }
  }
}

// No two values of the digits share an offset, found by trying all.
bool AreOneToOne(const Digits& digits) {
  std::bitset<256> seen;
  std::vector<int64_t> values(digits.size(), 0);
  while (true) {
    int64_t offset = 0;
    for (size_t i = 0; i < digits.size(); ++i) {
      offset += values[i] * digits[i].stride;
    }
    if (seen[offset]) return false;
    seen[offset] = true;
    size_t i = 0;
    while (i < digits.size() && ++values[i] == digits[i].extent) {
      values[i++] = 0;
    }
    if (i == digits.size()) return true;
  }
}

// Every offset is padding or leads to the element that it is the offset of, and
// there are as many elements as the matrix has.
void ExpectInverse(const IndexMap& map) {
  int64_t elements = 0;
  for (int64_t offset = 0; offset < map.size(); ++offset) {
    const std::optional<IndexMap::Index> index = map.IndexAt(offset);
    if (!index.has_value()) continue;
    ++elements;
    ASSERT_EQ(map.Offset(index->row, index->col), offset);
  }
  ASSERT_EQ(elements, map.rows() * map.cols());
}

// All maps of digits as these, the first of which are those of rows: of all the
// values, and of one row and column less.
void ExpectInverses(const Digits& digits) {
  for (size_t of_row = 0; of_row <= digits.size(); ++of_row) {
    const Digits row_digits(digits.begin(), digits.begin() + of_row);
    const Digits col_digits(digits.begin() + of_row, digits.end());
    int64_t rows = 1, cols = 1;
    for (const Digit& digit : row_digits) rows *= digit.extent;
    for (const Digit& digit : col_digits) cols *= digit.extent;
    ExpectInverse(IndexMap(rows, cols, row_digits, col_digits));
    if (rows > 1 && cols > 1) {
      ExpectInverse(IndexMap(rows - 1, cols - 1, row_digits, col_digits));
    }
  }
}

// All systems of three digits with extents to 4 and strides to 9.
TEST(IndexMapTest, NestedDigitsAreOneToOne) {
  int nested = 0, colliding = 0, distinct_by_chance = 0;
  Digits all;
  for (int64_t extent = 1; extent <= 4; ++extent) {
    for (int64_t stride = 1; stride <= 9; ++stride) {
      all.push_back({extent, stride});
    }
  }
  for (const Digit& a : all) {
    for (const Digit& b : all) {
      for (const Digit& c : all) {
        const bool one_to_one = AreOneToOne({a, b, c});
        if (IndexMap::AreNested({a, b, c})) {
          ASSERT_TRUE(one_to_one)
              << a.extent << ":" << a.stride << " " << b.extent << ":"
              << b.stride << " " << c.extent << ":" << c.stride;
          ExpectInverses({a, b, c});
          if (HasFatalFailure()) return;
          ++nested;
        } else {
          ++(one_to_one ? distinct_by_chance : colliding);
        }
      }
    }
  }
  EXPECT_GT(nested, 1000);
  EXPECT_GT(colliding, 1000);
  EXPECT_GT(distinct_by_chance, 1000);
}

TEST(IndexMapDeathTest, DigitsThatMakeNoMapAreABug) {
  EXPECT_DEATH(IndexMap(2, 2, {{2, 1}}, {{2, 1}}), "AreNested.*\\[2, 2\\]");
  EXPECT_DEATH(IndexMap(3, 2, {{3, 2}}, {{2, 3}}), "AreNested");
  EXPECT_DEATH(IndexMap(4, 1, {{2, 1}, {2, 1}}, {}), "AreNested");
  EXPECT_DEATH(IndexMap(3, 1, {{2, 1}}, {}), "Product\\(row_digits_\\)");
  EXPECT_DEATH(IndexMap(1, 2, {{1, 1}}, {}), "Product\\(col_digits_\\)");
  EXPECT_DEATH(IndexMap(0, 1, {{1, 1}}, {}), "rows >= 1");
  EXPECT_DEATH(IndexMap(1, 1, {{1, 0}}, {}), "stride >= 1");
  EXPECT_DEATH(IndexMap(2, 1, {{2, -1}}, {}), "stride >= 1");
}

TEST(IndexMapDeathTest, PlacesOutsideAreABug) {
  const IndexMap zz = ZZ();
  EXPECT_DEATH(zz.Offset(32, 0), "\\(32, 0\\) is outside of \\[32, 4\\]");
  EXPECT_DEATH(zz.Offset(0, -1), "\\(0, -1\\) is outside of \\[32, 4\\]");
  EXPECT_DEATH(zz.RowOffset(32), "32 of 32 rows");
  EXPECT_DEATH(zz.ColOffset(-1), "-1 of 4 columns");
  EXPECT_DEATH(zz.IndexAt(128), "offset < size\\(\\)");
  EXPECT_DEATH(zz.IndexAt(-1), "offset >= 0");
}

}  // namespace
}  // namespace mxtile
