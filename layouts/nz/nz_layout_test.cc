#include "layouts/nz/nz_layout.h"

#include <cstdint>
#include <tuple>
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

// Logical (row, col, byte of the element) of each byte in storage order.
using Byte = std::tuple<int64_t, int64_t, int64_t>;
using Bytes = std::vector<Byte>;

Byte Padding() { return {-1, -1, -1}; }

// The storage order once more, as nested loops from the slowest index to the
// fastest: strips of boxes, boxes, 16 lines of a box, elements of a line,
// bytes.
Bytes StripBytes(int64_t lines, int64_t across, int64_t element_bytes,
                 int64_t elements_a_line, bool spare_line) {
  Bytes bytes;
  for (int64_t strip = 0; strip < across; strip += elements_a_line) {
    for (int64_t box = 0; box < lines; box += 16) {
      for (int64_t line = box; line < box + 16; ++line) {
        for (int64_t i = strip; i < strip + elements_a_line; ++i) {
          for (int64_t byte = 0; byte < element_bytes; ++byte) {
            const bool inside = line < lines && i < across;
            bytes.push_back(inside ? Byte{line, i, byte} : Padding());
          }
        }
      }
    }
    if (spare_line) bytes.resize(bytes.size() + 32, Padding());
  }
  return bytes;
}

Bytes Transposed(Bytes bytes) {
  for (auto& [row, col, byte] : bytes) std::swap(row, col);
  return bytes;
}

// What the layout says: a byte that no element claims is padding, one that two
// elements claim fails.
Bytes LayoutBytes(const NzLayout& layout) {
  Bytes bytes(layout.size_bytes(), Padding());
  for (int64_t row = 0; row < layout.rows(); ++row) {
    for (int64_t col = 0; col < layout.cols(); ++col) {
      for (int64_t byte = 0; byte < layout.element_bytes(); ++byte) {
        Byte& place = bytes.at(layout.Offset(row, col) + byte);
        EXPECT_EQ(place, Padding()) << "(" << row << ", " << col << ")";
        place = {row, col, byte};
      }
    }
  }
  return bytes;
}

constexpr int64_t kExtents[] = {1, 15, 16, 17, 32, 33, 65};

TEST(NzLayoutTest, EveryByteOfNZAndZN) {
  for (const int64_t element_bytes : {1, 2, 4}) {
    for (const int64_t rows : kExtents) {
      for (const int64_t cols : kExtents) {
        MX_ASSERT_OK_AND_ASSIGN(
            const NzLayout nz,
            NzLayout::Create(NzOrder::kNZ, rows, cols, element_bytes));
        EXPECT_EQ(LayoutBytes(nz), StripBytes(rows, cols, element_bytes,
                                              32 / element_bytes, false));
        MX_ASSERT_OK_AND_ASSIGN(
            const NzLayout zn,
            NzLayout::Create(NzOrder::kZN, rows, cols, element_bytes));
        EXPECT_EQ(LayoutBytes(zn),
                  Transposed(StripBytes(cols, rows, element_bytes,
                                        32 / element_bytes, false)));
      }
    }
  }
}

TEST(NzLayoutTest, EveryByteOfL0CAndOfNZWithASpareRow) {
  for (const int64_t rows : kExtents) {
    for (const int64_t cols : kExtents) {
      MX_ASSERT_OK_AND_ASSIGN(const NzLayout l0c,
                              NzLayout::Create(NzOrder::kL0C, rows, cols, 4));
      EXPECT_EQ(LayoutBytes(l0c), StripBytes(rows, cols, 4, 16, false));
      MX_ASSERT_OK_AND_ASSIGN(
          const NzLayout spare,
          NzLayout::Create(NzOrder::kNZ, rows, cols, 1, NzRows::kRowPlusOne));
      EXPECT_EQ(LayoutBytes(spare), StripBytes(rows, cols, 1, 32, true));
    }
  }
}

struct Example {
  int64_t offset, row, col;
};

void ExpectOffsets(const NzLayout& layout,
                   const std::vector<Example>& examples) {
  for (const Example& example : examples) {
    EXPECT_EQ(layout.Offset(example.row, example.col), example.offset)
        << "(" << example.row << ", " << example.col << ")";
  }
}

// Examples from the project's notes on PTO-ISA's layouts.
TEST(NzLayoutTest, NZExample) {
  MX_ASSERT_OK_AND_ASSIGN(const NzLayout layout,
                          NzLayout::Create(NzOrder::kNZ, 32, 64, 1));
  EXPECT_EQ(layout.size_bytes(), 2048);
  ExpectOffsets(layout, {{0, 0, 0},
                         {31, 0, 31},
                         {32, 1, 0},
                         {511, 15, 31},
                         {512, 16, 0},
                         {1023, 31, 31},
                         {1024, 0, 32},
                         {1056, 1, 32},
                         {2047, 31, 63}});
}

TEST(NzLayoutTest, RowPlusOneExample) {
  MX_ASSERT_OK_AND_ASSIGN(
      const NzLayout layout,
      NzLayout::Create(NzOrder::kNZ, 16, 64, 1, NzRows::kRowPlusOne));
  EXPECT_EQ(layout.size_bytes(), 17 * 64);
  ExpectOffsets(layout,
                {{0, 0, 0}, {511, 15, 31}, {544, 0, 32}, {1055, 15, 63}});
}

// The formulas of the header with their numbers put in.
TEST(NzLayoutTest, L0BAndL0CFormulas) {
  MX_ASSERT_OK_AND_ASSIGN(const NzLayout l0b,
                          NzLayout::Create(NzOrder::kZN, 64, 40, 1));
  for (int64_t k = 0; k < 64; ++k) {
    for (int64_t n = 0; n < 40; ++n) {
      ASSERT_EQ(l0b.Offset(k, n),
                (k / 32) * 48 * 32 + (n / 16) * 512 + (n % 16) * 32 + k % 32);
    }
  }
  MX_ASSERT_OK_AND_ASSIGN(const NzLayout l0c,
                          NzLayout::Create(NzOrder::kL0C, 24, 40, 4));
  for (int64_t m = 0; m < 24; ++m) {
    for (int64_t n = 0; n < 40; ++n) {
      ASSERT_EQ(l0c.Offset(m, n), (n / 16) * 32 * 64 + m * 64 + (n % 16) * 4);
    }
  }
}

TEST(NzLayoutTest, LargestMatrixStaysWithinInt64) {
  constexpr int64_t kMax = NzLayout::kMaxExtent;
  for (const NzOrder order : {NzOrder::kNZ, NzOrder::kZN, NzOrder::kL0C}) {
    MX_ASSERT_OK_AND_ASSIGN(const NzLayout layout,
                            NzLayout::Create(order, kMax, kMax, 4));
    EXPECT_EQ(layout.size_bytes(), kMax * kMax * 4);
    EXPECT_EQ(layout.Offset(kMax - 1, kMax - 1), (kMax * kMax - 1) * 4);
  }
}

TEST(NzLayoutTest, ExtentsOutOfRangeAreRefused_NZ_LAYOUT_1) {
  constexpr int64_t kMax = NzLayout::kMaxExtent;
  const std::vector<std::pair<int64_t, int64_t>> bad = {
      {0, 1}, {1, 0}, {-1, 1}, {1, -1}, {kMax + 1, 1}, {1, kMax + 1}};
  for (const auto& [rows, cols] : bad) {
    EXPECT_THAT(NzLayout::Create(NzOrder::kNZ, rows, cols, 1),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("NZ"), HasSubstr("NZ-LAYOUT-1"))))
        << rows << ", " << cols;
  }
}

TEST(NzLayoutTest, ElementSizesAreChecked_NZ_LAYOUT_2) {
  for (const int64_t element_bytes : {-1, 0, 3, 8}) {
    for (const NzOrder order : {NzOrder::kNZ, NzOrder::kZN, NzOrder::kL0C}) {
      EXPECT_THAT(NzLayout::Create(order, 16, 16, element_bytes),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           HasSubstr("NZ-LAYOUT-2")));
    }
  }
  EXPECT_THAT(NzLayout::Create(NzOrder::kL0C, 16, 16, 2),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("4-byte elements, not elements of 2 bytes")));
}

TEST(NzLayoutTest, SpareRowIsForNZOnly_NZ_LAYOUT_3) {
  EXPECT_THAT(NzLayout::Create(NzOrder::kZN, 16, 16, 1, NzRows::kRowPlusOne),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("ZN"), HasSubstr("NZ-LAYOUT-3"))));
}

TEST(NzLayoutDeathTest, OffsetOutsideTheMatrixIsABug) {
  MX_ASSERT_OK_AND_ASSIGN(const NzLayout layout,
                          NzLayout::Create(NzOrder::kNZ, 17, 4, 1));
  EXPECT_DEATH(layout.Offset(17, 0), "outside of NZ \\[17, 4\\]");
  EXPECT_DEATH(layout.Offset(0, -1), "outside of NZ \\[17, 4\\]");
}

}  // namespace
}  // namespace mxtile
