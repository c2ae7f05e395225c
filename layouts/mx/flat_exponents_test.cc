#include "layouts/mx/flat_exponents.h"

#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "layouts/mx/scale_layout.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A flat tile and a 2-D one are not passed for each other.
static_assert(!std::is_convertible_v<FlatExponents, ScaleLayout>);
static_assert(!std::is_convertible_v<ScaleLayout, FlatExponents>);
static_assert(!std::is_constructible_v<FlatExponents, ScaleLayout>);
static_assert(!std::is_constructible_v<ScaleLayout, FlatExponents>);

TEST(FlatExponentsTest, ExampleOfTheHeader) {
  MX_ASSERT_OK_AND_ASSIGN(const FlatExponents exponents,
                          FlatExponents::Create(16, 96, 128));
  EXPECT_EQ(exponents.rows(), 16);
  EXPECT_EQ(exponents.groups(), 3);
  EXPECT_EQ(exponents.row_stride_bytes(), 4);
  EXPECT_EQ(exponents.Offset(1, 0), 4);
  EXPECT_EQ(exponents.Offset(15, 2), 62);
  EXPECT_EQ(exponents.size_bytes(), 64);
  EXPECT_EQ(exponents.map().size(), 64);
  EXPECT_FALSE(exponents.map().IndexAt(63).has_value());
}

// What depends on the valid columns is how many groups a row has, never where
// they lie.
TEST(FlatExponentsTest, TheTilesColumnsDecideWhereARowStarts) {
  for (int64_t tile_cols = 32; tile_cols <= 256; tile_cols += 32) {
    for (int64_t valid_cols = 1; valid_cols <= tile_cols; ++valid_cols) {
      MX_ASSERT_OK_AND_ASSIGN(const FlatExponents exponents,
                              FlatExponents::Create(5, valid_cols, tile_cols));
      EXPECT_EQ(exponents.size_bytes(), 5 * tile_cols / 32);
      for (int64_t row = 0; row < 5; ++row) {
        int64_t groups = 0;
        for (int64_t col = 0; col < valid_cols; col += 32) {
          EXPECT_EQ(exponents.Offset(row, groups++),
                    (row * tile_cols + col) / 32);
        }
        EXPECT_EQ(exponents.groups(), groups);
      }
    }
  }
}

// The same scales in a 2-D tile, whose rows are 32 bytes, lie elsewhere.
TEST(FlatExponentsTest, IsNotTheTwoDimensionalTile) {
  MX_ASSERT_OK_AND_ASSIGN(const FlatExponents flat,
                          FlatExponents::Create(16, 64, 128));
  MX_ASSERT_OK_AND_ASSIGN(const ScaleLayout two_dimensional,
                          ScaleLayout::Create(ScaleOrder::kND, 16, 2, 32));
  EXPECT_EQ(flat.Offset(3, 1), 13);
  EXPECT_EQ(two_dimensional.Offset(3, 1), 97);
}

TEST(FlatExponentsTest, ExtentsOutOfRangeAreRefused_MX_FLAT_1) {
  constexpr int64_t kMax = FlatExponents::kMaxExtent;
  const int64_t bad[][3] = {{0, 32, 32},        {1, 0, 32},        {1, 32, 0},
                            {-1, 32, 32},       {1, -1, 32},       {1, 32, -32},
                            {kMax + 1, 32, 32}, {1, 32, kMax + 32}};
  for (const auto& [rows, cols, tile_cols] : bad) {
    EXPECT_THAT(
        FlatExponents::Create(rows, cols, tile_cols),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-FLAT-1")))
        << rows << ", " << cols << ", " << tile_cols;
  }
  MX_ASSERT_OK_AND_ASSIGN(const FlatExponents largest,
                          FlatExponents::Create(kMax, kMax, kMax));
  EXPECT_EQ(largest.Offset(kMax - 1, kMax / 32 - 1), kMax * kMax / 32 - 1);
}

TEST(FlatExponentsTest, ValidColumnsAreNoTileColumns_MX_FLAT_2) {
  EXPECT_THAT(FlatExponents::Create(16, 96, 64),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("flat exponents of [16, 96]"),
                             HasSubstr("64 columns"), HasSubstr("MX-FLAT-2"))));
  EXPECT_THAT(
      FlatExponents::Create(16, 40, 40),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-FLAT-2")));
}

TEST(FlatExponentsDeathTest, OffsetOutsideIsABug) {
  MX_ASSERT_OK_AND_ASSIGN(const FlatExponents exponents,
                          FlatExponents::Create(16, 96, 128));
  EXPECT_DEATH(exponents.Offset(0, 3), "outside of flat exponents \\[16, 3\\]");
  EXPECT_DEATH(exponents.Offset(16, 0), "outside of flat exponents");
}

}  // namespace
}  // namespace mxtile
