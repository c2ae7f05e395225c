#include "kernels/tile_view.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/tile_layout.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;

ElementWriter Writer(const TileType& type, Bytes& bytes) {
  return *ElementWriter::Create({type, absl::MakeSpan(bytes)});
}

ElementReader Reader(const TileType& type, const Bytes& bytes) {
  return *ElementReader::Create({type, bytes});
}

// ---- Where elements are

TEST(TileViewTest, ElementsAreLittleEndianInRowsOfThePitch) {
  Bytes bytes(2 * 3 * 4, 0xEE);
  const TileType f32 = {ElementFormat::kF32, 2, 2, 2, 2, TileLayout::kNd, 3};
  Writer(f32, bytes).SetCode(1, 0, 0x3FC00000);
  Bytes expected(2 * 3 * 4, 0xEE);
  expected[12] = expected[13] = 0;
  expected[14] = 0xC0;
  expected[15] = 0x3F;
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(Reader(f32, bytes).Code(1, 0), 0x3FC00000);
  EXPECT_EQ(Reader(f32, bytes).Value(1, 0), 1.5f);

  Bytes halves(4, 0xEE);
  const TileType bf16 = FullTile(ElementFormat::kBF16, 1, 2);
  Writer(bf16, halves).SetCode(0, 1, 0x3FC0);
  EXPECT_EQ(halves, (Bytes{0xEE, 0xEE, 0xC0, 0x3F}));
  EXPECT_EQ(Reader(bf16, halves).Value(0, 1), 1.5f);
}

TEST(TileViewTest, NibblesShareAByteTheEvenOneLow) {
  Bytes bytes(4, 0xEE);
  const TileType type = {kE2M1, 2, 3, 2, 3, TileLayout::kNd, 4};
  const ElementWriter writer = Writer(type, bytes);
  writer.SetCode(0, 0, 0x3);
  EXPECT_EQ(bytes, (Bytes{0xE3, 0xEE, 0xEE, 0xEE}));
  writer.SetCode(1, 1, 0xA);
  EXPECT_EQ(bytes, (Bytes{0xE3, 0xEE, 0xAE, 0xEE}));
  writer.SetCode(0, 2, 0xF5);  // the upper bits are not the element's
  EXPECT_EQ(bytes, (Bytes{0xE3, 0xE5, 0xAE, 0xEE}));
  EXPECT_EQ(Reader(type, bytes).Code(1, 1), 0xA);
  EXPECT_EQ(Reader(type, bytes).Value(0, 0), 1.5f);
}

struct Place {
  TileType type;
  int64_t row, col, byte;
};

// One element that tells each layout from the others; offsets by the worked
// examples of the project's notes on PTO-ISA's layouts.
TEST(TileViewTest, EveryLayoutHasItsPlaces) {
  const std::vector<Place> places = {
      {FullTile(kE4M3, 32, 64), 1, 2, 66},
      {FullTile(kE4M3, 32, 64, TileLayout::kNz), 1, 32, 1056},
      {{kE4M3, 16, 64, 16, 64, TileLayout::kNz, 17}, 0, 32, 544},
      {FullTile(kE4M3, 64, 32, TileLayout::kZn), 32, 1, 1056},
      {FullTile(kE8M0, 32, 4, TileLayout::kZz), 31, 1, 95},
      {FullTile(kE8M0, 4, 32, TileLayout::kNn), 2, 16, 96},
      // Eight groups are allocated to a row of boxes of which four are meant.
      {{kE8M0, 32, 4, 32, 4, TileLayout::kZz, 128}, 16, 0, 128},
      // FP4: boxes of 16 x 64.
      {FullTile(kE2M1, 32, 128, TileLayout::kNz), 1, 64, (1024 * 2 + 64) / 2},
  };
  for (const Place& place : places) {
    SCOPED_TRACE(ToString(place.type));
    MX_ASSERT_OK_AND_ASSIGN(const int64_t size, TileBytes(place.type));
    Bytes bytes(size);
    Writer(place.type, bytes).SetCode(place.row, place.col, 0xF);
    Bytes expected(size);
    expected.at(place.byte) = 0xF;
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(Reader(place.type, bytes).Code(place.row, place.col), 0xF);
  }
}

TEST(TileViewTest, SizesCountWholePitches) {
  EXPECT_EQ(*TileBytes({kE4M3, 3, 5, 1, 1, TileLayout::kNd, 8}), 24);
  EXPECT_EQ(*TileBytes(FullTile(kE2M1, 3, 6)), 9);
  EXPECT_EQ(*TileBytes(FullTile(ElementFormat::kF32, 3, 5)), 60);
  EXPECT_EQ(*TileBytes(FullTile(kE4M3, 17, 33, TileLayout::kNz)), 2 * 32 * 32);
  EXPECT_EQ(*TileBytes({kE4M3, 16, 64, 16, 64, TileLayout::kNz, 17}), 17 * 64);
  EXPECT_EQ(*TileBytes(FullTile(kE8M0, 17, 4, TileLayout::kZz)), 2 * 64);
}

TEST(TileViewTest, ToStringNamesWhatDiffersFromAFullTile) {
  EXPECT_EQ(ToString(FullTile(kE4M3, 32, 64)), "f8E4M3FN ND [32, 64]");
  EXPECT_EQ(ToString({kE8M0, 32, 4, 30, 4, TileLayout::kZz, 128}),
            "f8E8M0FNU ZZ [32, 4] valid [30, 4] pitch 128");
}

// ---- What is refused

void ExpectRefused(const TileType& type, const std::string& rule,
                   const std::string& words) {
  EXPECT_THAT(TileMap(type), StatusIs(absl::StatusCode::kInvalidArgument,
                                      AllOf(HasSubstr(ToString(type)),
                                            HasSubstr(words), HasSubstr(rule))))
      << ToString(type);
}

TEST(TileViewErrorTest, Shape_TILE_VIEW_1) {
  constexpr int64_t kHuge = (int64_t{1} << 29) + 1;
  const std::vector<TileType> bad = {
      {kE4M3, 0, 8, 0, 8},  {kE4M3, 8, 0, 8, 0},     {kE4M3, 8, 8, 9, 8},
      {kE4M3, 8, 8, 8, 9},  {kE4M3, 8, 8, 0, 8},     {kE4M3, 8, 8, 8, 0},
      {kE4M3, -1, 8, 1, 8}, {kE4M3, kHuge, 1, 1, 1}, {kE4M3, 1, kHuge, 1, 1}};
  for (const TileType& type : bad) {
    ExpectRefused(type, "TILE-VIEW-1", "valid region");
  }
}

TEST(TileViewErrorTest, Pitch_TILE_VIEW_2) {
  const auto with = [](TileType type, int64_t pitch) {
    type.pitch = pitch;
    return type;
  };
  ExpectRefused(with(FullTile(kE4M3, 4, 8), 7), "TILE-VIEW-2", "pitch of 7");
  ExpectRefused(with(FullTile(kE4M3, 4, 8), -8), "TILE-VIEW-2", "pitch of -8");
  ExpectRefused(with(FullTile(kE2M1, 4, 8), 9), "TILE-VIEW-2", "even");
  ExpectRefused(FullTile(kE2M1, 4, 7), "TILE-VIEW-2", "even");
  ExpectRefused(with(FullTile(kE4M3, 17, 64, TileLayout::kNz), 16),
                "TILE-VIEW-2", "pitch of 16 lines");
  ExpectRefused(with(FullTile(kE4M3, 17, 64, TileLayout::kNz), 34),
                "TILE-VIEW-2", "pitch of 34 lines");
  ExpectRefused(with(FullTile(kE4M3, 64, 16, TileLayout::kZn), 17),
                "TILE-VIEW-2", "pitch of 17 lines");
  ExpectRefused(with(FullTile(kE8M0, 32, 4, TileLayout::kZz), 63),
                "TILE-VIEW-2", "pitch of 63 bytes");
}

TEST(TileViewErrorTest, Format_TILE_VIEW_3) {
  ExpectRefused(FullTile(kE4M3, 32, 4, TileLayout::kZz), "TILE-VIEW-3", "ZZ");
  ExpectRefused(FullTile(kE2M1, 4, 32, TileLayout::kNn), "TILE-VIEW-3", "NN");
  ExpectRefused(FullTile(kE8M0, 32, 64, TileLayout::kNz), "TILE-VIEW-3", "NZ");
  ExpectRefused(FullTile(kE8M0, 32, 64, TileLayout::kZn), "TILE-VIEW-3", "ZN");
}

TEST(TileViewErrorTest, OddGroupsHaveNoBoxes_MX_SCALE_2) {
  EXPECT_THAT(TileMap(FullTile(kE8M0, 32, 3, TileLayout::kZz)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("3 groups"), HasSubstr("pad it"),
                             HasSubstr("MX-SCALE-2"))));
  EXPECT_THAT(
      TileMap(FullTile(kE8M0, 3, 32, TileLayout::kNn)),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-SCALE-2")));
}

TEST(TileViewErrorTest, TooFewBytes_TILE_VIEW_4) {
  const TileType type = FullTile(kE2M1, 3, 6);
  Bytes bytes(8);
  const auto refused =
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("takes 9 bytes, but its view has 8"),
                     HasSubstr("TILE-VIEW-4")));
  EXPECT_THAT(ElementReader::Create({type, bytes}), refused);
  EXPECT_THAT(ElementWriter::Create({type, absl::MakeSpan(bytes)}), refused);
  bytes.resize(9);
  EXPECT_THAT(ElementReader::Create({type, bytes}), IsOk());
}

TEST(TileViewErrorTest, SharedBytes_TILE_VIEW_5) {
  const Bytes bytes(16);
  const TileType type = FullTile(kE4M3, 2, 4);
  const auto at = [&](int64_t offset, int64_t size) {
    return ConstTileView{type,
                         absl::MakeConstSpan(bytes).subspan(offset, size)};
  };
  EXPECT_THAT(CheckDisjoint("K", {{"a", at(0, 8)}, {"b", at(8, 8)}}), IsOk());
  EXPECT_THAT(CheckDisjoint("K", {{"a", at(8, 8)}, {"b", at(0, 8)}}), IsOk());
  for (const int64_t offset : {0, 1, 7}) {
    EXPECT_THAT(
        CheckDisjoint("K",
                      {{"x", at(8, 8)}, {"a", at(0, 8)}, {"b", at(offset, 8)}}),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("TILE-VIEW-5")))
        << offset;
  }
  EXPECT_THAT(CheckDisjoint("K", {{"a", at(0, 8)}, {"b", at(7, 1)}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("K: the tiles 'a' and 'b' share bytes")));
}

}  // namespace
}  // namespace mxtile
