#include "kernels/a5/tile.h"

#include <string>

#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

const Tile kLeft = {MemorySpace::kLeft,       0x8000,         32, 128, 30, 128,
                    ElementFormat::kF8E4M3FN, TileLayout::kNz};

absl::Status CheckLeft(const Tile& tile) {
  return CheckTile("OP", "left", tile, MemorySpace::kLeft, TileLayout::kNz);
}

TEST(TileTest, TextAndBytes) {
  EXPECT_EQ(ToString(kLeft),
            "Left 0x8000 f8E4M3FN NZ [32, 128] valid [30, 128] id 0");
  EXPECT_EQ(TileBytes(kLeft), 4096);
  EXPECT_EQ(ElementBytes(ElementFormat::kF32, 3), 12);
  EXPECT_EQ(ElementBytes(ElementFormat::kBF16, 3), 6);
  EXPECT_EQ(ElementBytes(ElementFormat::kF8E5M2, 3), 3);
  EXPECT_EQ(ElementBytes(ElementFormat::kF4E2M1FN, 4), 2);
  EXPECT_EQ(ElementBytes(ElementFormat::kF4E1M2, 5), 3);
  EXPECT_EQ(FractalColumns(ElementFormat::kF32), 8);
  EXPECT_EQ(FractalColumns(ElementFormat::kF8E4M3FN), 32);
  EXPECT_EQ(FractalColumns(ElementFormat::kF4E2M1FN), 64);
  Tile packed = kLeft;
  packed.format = ElementFormat::kF4E2M1FN;
  EXPECT_EQ(TileBytes(packed), 2048);
  MX_EXPECT_OK(CheckLeft(packed));
}

TEST(TileTest, Accepts) { MX_EXPECT_OK(CheckLeft(kLeft)); }

TEST(TileTest, Refuses_A5_TILE_1) {
  const auto refuses = [](void (*change)(Tile&), const std::string& why) {
    Tile tile = kLeft;
    change(tile);
    EXPECT_THAT(CheckLeft(tile), StatusIs(absl::StatusCode::kInvalidArgument,
                                          "OP: left tile " + ToString(tile) +
                                              ": " + why + " (A5-TILE-1)"));
  };
  refuses([](Tile& t) { t.space = MemorySpace::kRight; },
          "has to be in Left as NZ");
  refuses([](Tile& t) { t.layout = TileLayout::kZn; },
          "has to be in Left as NZ");
  const char kValid[] =
      "the valid region has to be inside the tile and not "
      "empty";
  refuses([](Tile& t) { t.valid_rows = 0; }, kValid);
  refuses([](Tile& t) { t.valid_cols = 129; }, kValid);
  refuses([](Tile& t) { t.rows = 31; },
          "the shape has to be a multiple of [16, 32]");
  refuses([](Tile& t) { t.cols = 144; },
          "the shape has to be a multiple of [16, 32]");
  refuses([](Tile& t) { t.address = 65536 - 2048; },
          "its 4096 bytes end beyond the 65536 of Left");
  refuses([](Tile& t) { t.address = 0xFFFFFFFFFFFFF000; },
          "its 4096 bytes end beyond the 65536 of Left");
}

// The unit of each layout: one element less than a multiple is refused.
TEST(TileTest, UnitsOfEachLayout_A5_TILE_1) {
  struct Case {
    MemorySpace space;
    TileLayout layout;
    ElementFormat format;
    int64_t rows;
    int64_t cols;
  };
  for (const Case& c :
       {Case{MemorySpace::kMat, TileLayout::kNz, ElementFormat::kF8E5M2, 16,
             32},
        Case{MemorySpace::kMat, TileLayout::kNz, ElementFormat::kBF16, 16, 16},
        Case{MemorySpace::kLeft, TileLayout::kNz, ElementFormat::kF4E2M1FN, 16,
             64},
        Case{MemorySpace::kMat, TileLayout::kNd, ElementFormat::kF4E1M2, 1, 2},
        Case{MemorySpace::kRight, TileLayout::kZn, ElementFormat::kF4E1M2, 64,
             16},
        Case{MemorySpace::kLeft, TileLayout::kNd, ElementFormat::kF8E5M2, 1,
             512},
        Case{MemorySpace::kLeft, TileLayout::kNd, ElementFormat::kF4E2M1FN, 1,
             1024},
        Case{MemorySpace::kRight, TileLayout::kZn, ElementFormat::kF8E5M2, 32,
             16},
        Case{MemorySpace::kLeftScale, TileLayout::kZz,
             ElementFormat::kF8E8M0FNU, 16, 2},
        Case{MemorySpace::kRightScale, TileLayout::kNn,
             ElementFormat::kF8E8M0FNU, 2, 16},
        Case{MemorySpace::kAcc, TileLayout::kNz, ElementFormat::kF32, 16, 16},
        Case{MemorySpace::kBias, TileLayout::kNd, ElementFormat::kF32, 1, 1}}) {
    for (int64_t rows = 1; rows <= 64; ++rows) {
      for (const int64_t cols : {1, 2, 3, 4, 8, 16, 32, 64, 512, 1024}) {
        const Tile tile = {c.space, 0, rows, cols, 1, 1, c.format, c.layout};
        const bool fits =
            TileBytes(tile) <= Ascend950().memory(c.space).limit_bytes;
        EXPECT_EQ(CheckTile("OP", "t", tile, c.space, c.layout).ok(),
                  fits && rows % c.rows == 0 && cols % c.cols == 0)
            << ToString(tile);
      }
    }
  }
}

TEST(TileTest, OddGroupsGetTheAdvice) {
  const Tile scale = {
      MemorySpace::kMat, 0, 16, 3, 16, 3, ElementFormat::kF8E8M0FNU,
      TileLayout::kZz};
  EXPECT_THAT(
      CheckTile("OP", "scale", scale, MemorySpace::kMat, TileLayout::kZz),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("pad to an even number of groups")));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
