#include "layouts/nd/nd_layout.h"

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

// layouts:all_layouts_test walks the dense layouts.

TEST(NdLayoutTest, ExampleOfTheHeader) {
  MX_ASSERT_OK_AND_ASSIGN(const NdLayout tile, NdLayout::Create(16, 40, 8, 64));
  EXPECT_EQ(tile.Offset(1, 0), 64);
  EXPECT_EQ(tile.Offset(15, 39), 15 * 64 + 39);
  EXPECT_EQ(tile.size_bytes(), 16 * 64);
  EXPECT_EQ(tile.map().size(), 16 * 64);
}

// Byte r*C/2 + c/2, low nibble when c is even.
TEST(NdLayoutTest, NibblesOfFourBitElements) {
  MX_ASSERT_OK_AND_ASSIGN(const NdLayout tile, NdLayout::Create(4, 64, 4));
  EXPECT_EQ(tile.pitch_bytes(), 32);
  EXPECT_EQ(tile.size_bytes(), 4 * 32);
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t col = 0; col < 64; ++col) {
      EXPECT_EQ(tile.Offset(row, col) / 2, row * 64 / 2 + col / 2);
      EXPECT_EQ(tile.Offset(row, col) % 2, col % 2);
    }
  }
}

TEST(NdLayoutTest, RowsOfFourBitElementsStartAtAByte) {
  MX_ASSERT_OK_AND_ASSIGN(const NdLayout tile, NdLayout::Create(3, 5, 4));
  EXPECT_EQ(tile.pitch_bytes(), 3);
  EXPECT_EQ(tile.size_bytes(), 9);
  EXPECT_EQ(tile.Offset(1, 0), 6);
  EXPECT_FALSE(tile.map().IndexAt(5).has_value());
}

// The pitch in elements of each size, and that it changes nothing in a row.
TEST(NdLayoutTest, PitchesMoveWholeRows) {
  for (const int bits : {4, 8, 16, 32}) {
    MX_ASSERT_OK_AND_ASSIGN(const NdLayout tile,
                            NdLayout::Create(7, 9, bits, 96));
    EXPECT_EQ(tile.pitch_bytes(), 96);
    EXPECT_EQ(tile.element_bits(), bits);
    EXPECT_EQ(tile.size_bytes(), 7 * 96);
    for (int64_t row = 0; row < 7; ++row) {
      for (int64_t col = 0; col < 9; ++col) {
        EXPECT_EQ(tile.Offset(row, col) * bits, row * 96 * 8 + col * bits);
      }
    }
  }
}

TEST(NdLayoutTest, LargestMatrixStaysWithinInt64) {
  constexpr int64_t kMax = NdLayout::kMaxExtent;
  for (const int bits : {4, 32}) {
    MX_ASSERT_OK_AND_ASSIGN(const NdLayout tile,
                            NdLayout::Create(kMax, kMax, bits, 4 * kMax));
    EXPECT_EQ(tile.size_bytes(), kMax * kMax * 4);
    EXPECT_EQ(tile.Offset(kMax - 1, kMax - 1),
              (kMax - 1) * (4 * kMax * 8 / bits) + kMax - 1);
  }
}

TEST(NdLayoutTest, ExtentsOutOfRangeAreRefused_MX_ND_1) {
  constexpr int64_t kMax = NdLayout::kMaxExtent;
  const std::vector<std::pair<int64_t, int64_t>> bad = {
      {0, 1}, {1, 0}, {-1, 1}, {1, -1}, {kMax + 1, 1}, {1, kMax + 1}};
  for (const auto& [rows, cols] : bad) {
    EXPECT_THAT(NdLayout::Create(rows, cols, 8),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("ND"), HasSubstr("MX-ND-1"))))
        << rows << ", " << cols;
  }
}

TEST(NdLayoutTest, ElementSizesAreChecked_MX_ND_2) {
  for (const int bits : {-8, 0, 1, 24, 64}) {
    EXPECT_THAT(
        NdLayout::Create(1, 1, bits),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-ND-2")));
    EXPECT_THAT(
        NdLayout::Create(1, 1, bits, 64),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-ND-2")));
  }
}

TEST(NdLayoutTest, PitchesAreChecked_MX_ND_3) {
  EXPECT_THAT(NdLayout::Create(2, 5, 16, 10), IsOk());
  EXPECT_THAT(NdLayout::Create(2, 5, 4, 3), IsOk());
  const std::vector<std::pair<int, int64_t>> bad = {
      {8, 4}, {16, 9}, {16, 11}, {32, 22},
      {4, 2}, {8, 0},  {8, -5},  {8, 4 * NdLayout::kMaxExtent + 1}};
  for (const auto& [bits, pitch] : bad) {
    EXPECT_THAT(
        NdLayout::Create(2, 5, bits, pitch),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("ND layout of [2, 5]"), HasSubstr("MX-ND-3"))))
        << bits << ", " << pitch;
  }
}

TEST(NdLayoutDeathTest, OffsetOutsideTheMatrixIsABug) {
  MX_ASSERT_OK_AND_ASSIGN(const NdLayout tile, NdLayout::Create(16, 40, 8, 64));
  EXPECT_DEATH(tile.Offset(0, 40), "outside of ND \\[16, 40\\]");
  EXPECT_DEATH(tile.Offset(-1, 0), "outside of ND \\[16, 40\\]");
}

}  // namespace
}  // namespace mxtile
