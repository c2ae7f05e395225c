#include "kernels/reference/tmov.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;

// 1, 2, 3 ... row by row, in the bits of the format.
TestTile Numbered(const TileType& type) {
  std::vector<uint32_t> codes(type.valid_rows * type.valid_cols);
  std::iota(codes.begin(), codes.end(), 1);
  for (uint32_t& code : codes)
    code &= (uint64_t{1} << BitWidth(type.format)) - 1;
  return TestTile::OfCodes(type, codes);
}

// ---- Where elements go

// A ZZ box of 16 x 2, by hand: 5 x 2 exponents, the other rows not touched.
TEST(TMovTest, PaddingIsLeftAloneOrZeroAsTheDestinationSays) {
  const TestTile src = Numbered({kE8M0, 8, 4, 5, 2});
  const uint8_t u = TestTile::kUnset;
  TestTile untouched({kE8M0, 16, 2, 5, 2, TileLayout::kZz});
  MX_ASSERT_OK(TMov(untouched.view(), src.const_view()));
  EXPECT_EQ(
      untouched.bytes(),
      (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, u, u, u, u, u, u,
                            u, u, u, u, u, u, u, u, u, u,  u, u, u, u, u, u}));
  TestTile zeroed(FullTile(kE8M0, 16, 2, TileLayout::kZz));
  MX_ASSERT_OK(TMov(zeroed.view(), src.const_view()));
  EXPECT_EQ(
      zeroed.bytes(),
      (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 0, 0, 0,
                            0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0}));
}

// The example 4 x 32 of the project's notes on PTO-ISA's layouts.
TEST(TMovTest, DNToZZExample) {
  const TestTile dn = Numbered(FullTile(kE8M0, 4, 32));
  TestTile zz(FullTile(kE8M0, 32, 4, TileLayout::kZz));
  MX_ASSERT_OK(TMovTransposed(zz.view(), dn.const_view()));
  const auto numbered = [](int64_t row, int64_t col) {
    return static_cast<uint8_t>(row * 32 + col + 1);
  };
  EXPECT_EQ(zz.bytes()[0], numbered(0, 0));
  EXPECT_EQ(zz.bytes()[1], numbered(1, 0));
  EXPECT_EQ(zz.bytes()[2], numbered(0, 1));
  EXPECT_EQ(zz.bytes()[31], numbered(1, 15));
  EXPECT_EQ(zz.bytes()[32], numbered(2, 0));
  EXPECT_EQ(zz.bytes()[33], numbered(3, 0));
  EXPECT_EQ(zz.bytes()[63], numbered(3, 15));
  EXPECT_EQ(zz.bytes()[64], numbered(0, 16));
  EXPECT_EQ(zz.bytes()[96], numbered(2, 16));
  EXPECT_EQ(zz.bytes()[127], numbered(3, 31));
}

// A DN tile as the scales of a right operand: NN, and the same bytes.
TEST(TMovTest, DNToZZIsTheNNOfTheSameTile) {
  const TestTile dn = Numbered(FullTile(kE8M0, 6, 48));
  TestTile zz(FullTile(kE8M0, 48, 6, TileLayout::kZz));
  TestTile nn(FullTile(kE8M0, 6, 48, TileLayout::kNn));
  MX_ASSERT_OK(TMovTransposed(zz.view(), dn.const_view()));
  MX_ASSERT_OK(TMov(nn.view(), dn.const_view()));
  EXPECT_EQ(zz.bytes(), nn.bytes());
}

// FP4 to NZ is FP8 to NZ of the packed bytes.
TEST(TMovTest, F4ToNZMovesItsBytes) {
  const TestTile f4 = Numbered(FullTile(kE2M1, 20, 128));
  const TileType bytes = FullTile(kE4M3, 20, 64);
  TestTile f4_nz(FullTile(kE2M1, 20, 128, TileLayout::kNz));
  TestTile bytes_nz(FullTile(kE4M3, 20, 64, TileLayout::kNz));
  MX_ASSERT_OK(TMov(f4_nz.view(), f4.const_view()));
  MX_ASSERT_OK(
      TMov(bytes_nz.view(), ConstTileView{bytes, f4.const_view().bytes}));
  EXPECT_EQ(f4_nz.bytes(), bytes_nz.bytes());
}

// FP4 to ZN packs along the rows: [64, 2] becomes one line of 32 bytes a
// column.
TEST(TMovTest, F4ToZNPacksAlongK) {
  TestTile f4(FullTile(kE2M1, 64, 2));
  for (int64_t k = 0; k < 64; ++k) {
    f4.SetCode(k, 0, k % 16);
    f4.SetCode(k, 1, 15 - k % 16);
  }
  TestTile zn(FullTile(kE2M1, 64, 2, TileLayout::kZn));
  MX_ASSERT_OK(TMov(zn.view(), f4.const_view()));
  for (int64_t byte = 0; byte < 32; ++byte) {
    const int64_t k = 2 * byte;
    EXPECT_EQ(zn.bytes()[byte], k % 16 | (k + 1) % 16 << 4) << byte;
    EXPECT_EQ(zn.bytes()[32 + byte], (15 - k % 16) | (15 - (k + 1) % 16) << 4)
        << byte;
  }
}

// From each layout to each other of the same kind, in formats of each width, in
// full and ragged tiles and with pitches: the valid region is the same.
TEST(TMovTest, EveryPairOfLayouts) {
  int moves = 0;
  const auto expect_same = [&moves](TileType from, TileType to) {
    const TestTile src = Numbered(from);
    TestTile dst(to);
    MX_ASSERT_OK(TMov(dst.view(), src.const_view()));
    EXPECT_EQ(dst.Codes(), src.Codes())
        << ToString(from) << " to " << ToString(to);
    EXPECT_EQ(dst.bytes(), TestTile::OfCodes(to, src.Codes()).bytes());
    ++moves;
  };
  const auto types = [](ElementFormat format) {
    std::vector<TileType> types;
    for (const TileLayout layout :
         {TileLayout::kNd, TileLayout::kNz, TileLayout::kZn, TileLayout::kZz,
          TileLayout::kNn}) {
      const bool scales =
          layout == TileLayout::kZz || layout == TileLayout::kNn;
      if (layout != TileLayout::kNd &&
          scales != (format == ElementFormat::kF8E8M0FNU)) {
        continue;
      }
      types.push_back(FullTile(format, 40, 50, layout));
      types.push_back({format, 40, 50, 33, 49, layout});
      TileType pitched = FullTile(format, 40, 50, layout);
      pitched.pitch = scales ? 1024 : 64;
      types.push_back(pitched);
    }
    return types;
  };
  for (const ElementFormat format :
       {kE8M0, kE4M3, kE2M1, ElementFormat::kBF16, ElementFormat::kF32}) {
    for (const TileType& from : types(format)) {
      for (const TileType& to : types(format)) {
        if (from.valid_cols == to.valid_cols) expect_same(from, to);
      }
    }
  }
  EXPECT_EQ(moves, 5 * (6 * 6 + 3 * 3));
}

TEST(TMovTest, SingleRowOfGroupsIsCopied) {
  const TestTile src = Numbered(FullTile(kE8M0, 1, 64));
  TestTile dst(FullTile(kE8M0, 1, 64));
  MX_ASSERT_OK(TMov(dst.view(), src.const_view()));
  EXPECT_EQ(dst.bytes(), src.bytes());
}

TEST(PadToEvenGroupsTest, AddsAZeroGroupToOddNumbers) {
  const TestTile nd = Numbered(FullTile(kE8M0, 2, 3));
  TestTile nd_even(FullTile(kE8M0, 2, 4));
  MX_ASSERT_OK(
      PadToEvenGroups(GroupAxis::kAxis1, nd_even.view(), nd.const_view()));
  EXPECT_EQ(nd_even.bytes(), (std::vector<uint8_t>{1, 2, 3, 0, 4, 5, 6, 0}));
  const TestTile dn = Numbered(FullTile(kE8M0, 3, 2));
  TestTile dn_even(FullTile(kE8M0, 4, 2));
  MX_ASSERT_OK(
      PadToEvenGroups(GroupAxis::kAxis0, dn_even.view(), dn.const_view()));
  EXPECT_EQ(dn_even.bytes(), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 0, 0}));
  TestTile even(FullTile(kE8M0, 4, 2));
  MX_ASSERT_OK(
      PadToEvenGroups(GroupAxis::kAxis0, even.view(), dn_even.const_view()));
  EXPECT_EQ(even.bytes(), dn_even.bytes());
}

// ---- What is refused

void ExpectRefused(const absl::Status& status, const std::string& rule,
                   const std::string& words, const TestTile& dst) {
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                               AllOf(HasSubstr(words), HasSubstr(rule))));
  EXPECT_EQ(dst.bytes(), TestTile(dst.type()).bytes());
}

TEST(TMovErrorTest, OtherFormat_KERNEL_MOVE_1) {
  TestTile src(FullTile(kE4M3, 16, 32));
  TestTile dst(FullTile(ElementFormat::kF8E5M2, 16, 32, TileLayout::kNz));
  ExpectRefused(TMov(dst.view(), src.const_view()), "KERNEL-MOVE-1",
                "from f8E4M3FN ND [16, 32] to f8E5M2 NZ [16, 32]", dst);
}

TEST(TMovErrorTest, SmallDestination_KERNEL_MOVE_2) {
  TestTile src(FullTile(kE4M3, 16, 32));
  for (const auto& [rows, cols] :
       std::vector<std::pair<int64_t, int64_t>>{{15, 32}, {16, 31}}) {
    TestTile dst({kE4M3, 16, 32, rows, cols, TileLayout::kNz});
    ExpectRefused(TMov(dst.view(), src.const_view()), "KERNEL-MOVE-2",
                  "must be [16, 32] or more", dst);
  }
  TestTile dst(FullTile(kE4M3, 16, 32));
  ExpectRefused(TMovTransposed(dst.view(), src.const_view()), "KERNEL-MOVE-2",
                "must be [32, 16] or more", dst);
}

TEST(TMovErrorTest, OddGroups_MX_SCALE_2) {
  TestTile src(FullTile(kE8M0, 3, 32));
  std::vector<uint8_t> bytes(256, TestTile::kUnset);
  const TileView zz = {FullTile(kE8M0, 32, 3, TileLayout::kZz),
                       absl::MakeSpan(bytes)};
  EXPECT_THAT(TMovTransposed(zz, src.const_view()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("3 groups"), HasSubstr("MX-SCALE-2"))));
  EXPECT_EQ(bytes, std::vector<uint8_t>(256, TestTile::kUnset));
}

TEST(TMovErrorTest, InPlace_TILE_VIEW_5) {
  TestTile tile(FullTile(kE4M3, 16, 32));
  ExpectRefused(TMov(tile.view(), tile.const_view()), "TILE-VIEW-5",
                "TMOV: the tiles 'dst' and 'src' share bytes", tile);
}

TEST(PadToEvenGroupsErrorTest, OtherShapes_KERNEL_MOVE_3) {
  TestTile src(FullTile(kE8M0, 3, 2));
  TestTile dst(FullTile(kE8M0, 3, 2));
  ExpectRefused(
      PadToEvenGroups(GroupAxis::kAxis0, dst.view(), src.const_view()),
      "KERNEL-MOVE-3", "must be [4, 2]", dst);
  TestTile wide(FullTile(kE8M0, 6, 2));
  ExpectRefused(
      PadToEvenGroups(GroupAxis::kAxis0, wide.view(), src.const_view()),
      "KERNEL-MOVE-3", "must be [4, 2]", wide);
  TestTile data(FullTile(kE4M3, 3, 2));
  TestTile data_dst(FullTile(kE4M3, 4, 2));
  ExpectRefused(
      PadToEvenGroups(GroupAxis::kAxis0, data_dst.view(), data.const_view()),
      "KERNEL-MOVE-3", "exponents are f8E8M0FNU", data_dst);
}

}  // namespace
}  // namespace mxtile
