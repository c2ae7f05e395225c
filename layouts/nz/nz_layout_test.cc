#include "layouts/nz/nz_layout.h"

#include <cstdint>
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

// layouts:all_layouts_test walks every element of the dense layouts.

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
                          NzLayout::Create(NzOrder::kNZ, 32, 64, 8));
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
  MX_ASSERT_OK_AND_ASSIGN(const NzLayout layout,
                          NzLayout::CreateRowPlusOne(16, 64, 8));
  EXPECT_EQ(layout.size_bytes(), 17 * 64);
  ExpectOffsets(layout,
                {{0, 0, 0}, {511, 15, 31}, {544, 0, 32}, {1055, 15, 63}});
}

// The formulas of the header with their numbers put in.
TEST(NzLayoutTest, L0BAndL0CFormulas) {
  MX_ASSERT_OK_AND_ASSIGN(const NzLayout l0b,
                          NzLayout::Create(NzOrder::kZN, 64, 40, 8));
  for (int64_t k = 0; k < 64; ++k) {
    for (int64_t n = 0; n < 40; ++n) {
      ASSERT_EQ(l0b.Offset(k, n),
                (k / 32) * 48 * 32 + (n / 16) * 512 + (n % 16) * 32 + k % 32);
    }
  }
  MX_ASSERT_OK_AND_ASSIGN(const NzLayout l0c,
                          NzLayout::Create(NzOrder::kL0C, 24, 40, 32));
  for (int64_t m = 0; m < 24; ++m) {
    for (int64_t n = 0; n < 40; ++n) {
      ASSERT_EQ(l0c.Offset(m, n), (n / 16) * 32 * 16 + m * 16 + n % 16);
    }
  }
}

// A pitch moves the strips of boxes apart, and nothing inside them.
TEST(NzLayoutTest, PitchesMoveWholeStrips) {
  for (const NzOrder order : {NzOrder::kNZ, NzOrder::kZN, NzOrder::kL0C}) {
    for (const int64_t pitch : {64, 80, order == NzOrder::kNZ ? 65 : 96}) {
      MX_ASSERT_OK_AND_ASSIGN(const NzLayout dense,
                              NzLayout::Create(order, 50, 60, 32));
      MX_ASSERT_OK_AND_ASSIGN(const NzLayout layout,
                              NzLayout::Create(order, 50, 60, 32, pitch));
      EXPECT_EQ(dense.pitch_lines(), 64);
      EXPECT_EQ(layout.pitch_lines(), pitch);
      const int64_t line = order == NzOrder::kL0C ? 16 : 8;
      EXPECT_EQ(layout.size_bytes(), dense.size_bytes() / 64 * pitch);
      for (int64_t row = 0; row < 50; ++row) {
        for (int64_t col = 0; col < 60; ++col) {
          const int64_t offset = dense.Offset(row, col);
          ASSERT_EQ(layout.Offset(row, col),
                    offset / (64 * line) * pitch * line + offset % (64 * line))
              << Name(order) << " (" << row << ", " << col << ")";
        }
      }
    }
  }
}

TEST(NzLayoutTest, LargestMatrixStaysWithinInt64) {
  constexpr int64_t kMax = NzLayout::kMaxExtent;
  for (const NzOrder order : {NzOrder::kNZ, NzOrder::kZN, NzOrder::kL0C}) {
    MX_ASSERT_OK_AND_ASSIGN(const NzLayout layout,
                            NzLayout::Create(order, kMax, kMax, 32));
    EXPECT_EQ(layout.size_bytes(), kMax * kMax * 4);
    EXPECT_EQ(layout.Offset(kMax - 1, kMax - 1), kMax * kMax - 1);
  }
}

TEST(NzLayoutTest, ExtentsOutOfRangeAreRefused_NZ_LAYOUT_1) {
  constexpr int64_t kMax = NzLayout::kMaxExtent;
  const std::vector<std::pair<int64_t, int64_t>> bad = {
      {0, 1}, {1, 0}, {-1, 1}, {1, -1}, {kMax + 1, 1}, {1, kMax + 1}};
  for (const auto& [rows, cols] : bad) {
    EXPECT_THAT(NzLayout::Create(NzOrder::kNZ, rows, cols, 8),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("NZ"), HasSubstr("NZ-LAYOUT-1"))))
        << rows << ", " << cols;
  }
}

TEST(NzLayoutTest, ElementSizesAreChecked_NZ_LAYOUT_2) {
  for (const int bits : {-8, 0, 1, 24, 64}) {
    for (const NzOrder order : {NzOrder::kNZ, NzOrder::kZN, NzOrder::kL0C}) {
      EXPECT_THAT(NzLayout::Create(order, 16, 16, bits),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           HasSubstr("NZ-LAYOUT-2")));
    }
  }
  EXPECT_THAT(NzLayout::Create(NzOrder::kL0C, 16, 16, 16),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("elements of 32 bits, not of 16")));
}

TEST(NzLayoutTest, PitchesAreChecked_NZ_LAYOUT_3) {
  for (const int64_t pitch : {32, 33, 48, 49}) {
    EXPECT_THAT(NzLayout::Create(NzOrder::kNZ, 17, 16, 8, pitch), IsOk());
  }
  for (const int64_t pitch : {0, 16, 17, 34, 47}) {
    EXPECT_THAT(NzLayout::Create(NzOrder::kNZ, 17, 16, 8, pitch),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("NZ layout of [17, 16]"),
                               HasSubstr("NZ-LAYOUT-3"))));
  }
  EXPECT_THAT(NzLayout::Create(NzOrder::kZN, 16, 17, 8, 32), IsOk());
  EXPECT_THAT(NzLayout::Create(NzOrder::kZN, 16, 17, 8, 33),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("ZN"), HasSubstr("NZ-LAYOUT-3"))));
}

TEST(NzLayoutDeathTest, OffsetOutsideTheMatrixIsABug) {
  MX_ASSERT_OK_AND_ASSIGN(const NzLayout layout,
                          NzLayout::Create(NzOrder::kNZ, 17, 4, 8));
  EXPECT_DEATH(layout.Offset(17, 0), "outside of NZ \\[17, 4\\]");
  EXPECT_DEATH(layout.Offset(0, -1), "outside of NZ \\[17, 4\\]");
}

}  // namespace
}  // namespace mxtile
