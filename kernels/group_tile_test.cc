#include "kernels/group_tile.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;
constexpr ElementFormat kBF16 = ElementFormat::kBF16;

// Writes group (row, col) as 16 * row + col + 1 into zeros, and finds it there
// again.
template <template <typename> class Form>
Bytes Numbered(const TileType& type, GroupAxis axis, const TileType& source) {
  Bytes bytes(*TileBytes(type));
  const ElementWriter writer = *CreateGroupWriter(
      "exp", Form<TileView>{{type, absl::MakeSpan(bytes)}}, axis, source);
  const ElementReader reader = *CreateGroupReader(
      "exp", Form<ConstTileView>{{type, bytes}}, axis, source);
  for (int64_t row = 0; row < writer.map().rows(); ++row) {
    for (int64_t col = 0; col < writer.map().cols(); ++col) {
      const uint32_t code = 16 * row + col + 1;
      writer.SetCode(row, col, code);
      EXPECT_EQ(reader.Code(row, col), code);
    }
  }
  return bytes;
}

template <typename View>
struct TwoDimensional {
  operator GroupTile() const { return view; }
  operator ConstGroupTile() const { return view; }
  View view;
};

TEST(GroupTileTest, TwoDimensionalTilesKeepTheirPitch) {
  // [3, 64] of which [2, 40] are valid: groups [2, 2], rows of 5 bytes.
  const TileType source = {kBF16, 3, 64, 2, 40};
  const TileType type = {kE8M0, 3, 4, 2, 2, TileLayout::kNd, 5};
  EXPECT_EQ((Numbered<TwoDimensional>(type, GroupAxis::kAxis1, source)),
            (Bytes{1, 2, 0, 0, 0, 17, 18, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(GroupTileTest, TwoDimensionalTilesOfAxis0AreRowMajorToo) {
  // [64, 3] of which [40, 3] are valid: groups [2, 3].
  const TileType source = {kBF16, 64, 3, 40, 3};
  EXPECT_EQ((Numbered<TwoDimensional>(FullTile(kE8M0, 2, 3), GroupAxis::kAxis0,
                                      source)),
            (Bytes{1, 2, 3, 17, 18, 19}));
}

TEST(GroupTileTest, FlatTilesCountTheAllocatedColumns) {
  // [3, 96] of which [2, 40] are valid: three groups a row, two of them valid.
  const TileType source = {kBF16, 3, 96, 2, 40};
  const TileType type = {kE8M0, 1, 8, 1, 6};
  EXPECT_EQ((Numbered<BasicFlatGroupTile>(type, GroupAxis::kAxis1, source)),
            (Bytes{1, 2, 3, 17, 18, 19, 0, 0}));
}

TEST(GroupTileTest, InterleavedTilesPairTheRowsOfGroups) {
  // [128, 3]: groups [4, 3] in [2, 6], rows of 32 bytes.
  const TileType source = FullTile(kBF16, 128, 3);
  const TileType type = {kE8M0, 2, 32, 2, 6};
  Bytes expected(64);
  const Bytes first = {1, 17, 2, 18, 3, 19};
  const Bytes second = {33, 49, 34, 50, 35, 51};
  std::copy(first.begin(), first.end(), expected.begin());
  std::copy(second.begin(), second.end(), expected.begin() + 32);
  EXPECT_EQ(
      (Numbered<BasicInterleavedGroupTile>(type, GroupAxis::kAxis0, source)),
      expected);
}

TEST(GroupTileTest, TileOfIsTheTileOfEachForm) {
  Bytes bytes(1);
  const TileView view = {FullTile(kE8M0, 1, 1), absl::MakeSpan(bytes)};
  for (const GroupTile& groups :
       {GroupTile(view), GroupTile(FlatGroupTile{view}),
        GroupTile(InterleavedGroupTile{view})}) {
    EXPECT_EQ(TileOf(groups).bytes.data(), bytes.data());
  }
}

// ---- What is refused

void ExpectRefused(const GroupTile& groups, GroupAxis axis,
                   const TileType& source, const std::string& rule,
                   const std::string& words) {
  EXPECT_THAT(CreateGroupWriter("exp", groups, axis, source),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("tile 'exp'"), HasSubstr(words),
                             HasSubstr(rule))));
}

TEST(GroupTileErrorTest, OtherValidRegions_MX_GROUP_1) {
  Bytes bytes(1024);
  const auto view = [&bytes](const TileType& type) {
    return TileView{type, absl::MakeSpan(bytes)};
  };
  const TileType source = FullTile(kBF16, 64, 64);
  for (const auto& [rows, cols] :
       std::vector<std::pair<int64_t, int64_t>>{{64, 1}, {63, 2}, {2, 64}}) {
    ExpectRefused(view(FullTile(kE8M0, rows, cols)), GroupAxis::kAxis1, source,
                  "MX-GROUP-1", "valid region [64, 2]");
  }
  ExpectRefused(view(FullTile(kE8M0, 64, 2)), GroupAxis::kAxis0, source,
                "MX-GROUP-1", "valid region [2, 64]");
  ExpectRefused(view(FullTile(kE8M0, 64, 2, TileLayout::kZz)),
                GroupAxis::kAxis1, source, "MX-GROUP-1", "row-major");
  ExpectRefused(FlatGroupTile{view(FullTile(kE8M0, 64, 2))}, GroupAxis::kAxis1,
                source, "MX-GROUP-1", "valid region [1, 128]");
  ExpectRefused(InterleavedGroupTile{view(FullTile(kE8M0, 2, 64))},
                GroupAxis::kAxis0, source, "MX-GROUP-1",
                "valid region [1, 128]");
}

TEST(GroupTileErrorTest, FormsOfTheOtherAxis_MX_GROUP_2) {
  Bytes bytes(128);
  const TileView view = {FullTile(kE8M0, 1, 128), absl::MakeSpan(bytes)};
  const TileType source = FullTile(kBF16, 64, 64);
  ExpectRefused(FlatGroupTile{view}, GroupAxis::kAxis0, source, "MX-GROUP-2",
                "along axis 1, but they lie along axis 0");
  ExpectRefused(InterleavedGroupTile{view}, GroupAxis::kAxis1, source,
                "MX-GROUP-2", "along axis 0, but they lie along axis 1");
}

TEST(GroupTileErrorTest, RowsThatDoNotPair_MX_GROUP_3) {
  Bytes bytes(256);
  const TileView view = {FullTile(kE8M0, 2, 128), absl::MakeSpan(bytes)};
  for (const TileType& source :
       {FullTile(kBF16, 96, 64), TileType{kBF16, 128, 64, 96, 64},
        TileType{kBF16, 128, 64, 100, 64}}) {
    ExpectRefused(InterleavedGroupTile{view}, GroupAxis::kAxis0, source,
                  "MX-GROUP-3", "no multiple of 64");
  }
}

}  // namespace
}  // namespace mxtile
