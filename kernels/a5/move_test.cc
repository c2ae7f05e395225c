#include "kernels/a5/move.h"

#include <cstdint>
#include <random>
#include <vector>

#include "a5_model/cube/provenance_test_util.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/int_math.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

constexpr ElementFormat kData = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kPacked = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kScale = ElementFormat::kF8E8M0FNU;

struct Shape {
  int64_t rows, cols, valid_rows, valid_cols;
};

Tile MakeTile(MemorySpace space, const Shape& shape, TileLayout layout,
              ElementFormat format = kData) {
  return {
      space,  0,     shape.rows, shape.cols, shape.valid_rows, shape.valid_cols,
      format, layout};
}

TEST(TMovTest, LeftKeepsNzAtThePitchOfTheValidRows) {
  for (const int64_t valid_rows : {1, 16, 17, 40, 64}) {
    for (const int64_t valid_cols : {64, 128}) {
      const Shape shape = {64, 128, valid_rows, valid_cols};
      const std::vector<int64_t> from = TraceMat(
          64 * 128, MemorySpace::kLeft, 64 * 128, [&](Machine& machine) {
            return TMovToLeft(
                machine, MakeTile(MemorySpace::kMat, shape, TileLayout::kNz),
                MakeTile(MemorySpace::kLeft, shape, TileLayout::kNz));
          });
      for (int64_t m = 0; m < valid_rows; ++m) {
        for (int64_t k = 0; k < valid_cols; ++k) {
          ASSERT_EQ(
              from[k / 32 * RoundUp(valid_rows, 16) * 32 + m * 32 + k % 32],
              k / 32 * 64 * 32 + m * 32 + k % 32)
              << m << ", " << k << " of " << valid_rows;
        }
      }
    }
  }
}

// From NZ, by transposing 32 x 32 squares, for every number of valid columns:
// half squares spill, and the next row of squares repairs it.
TEST(TMovTest, RightTransposesNz) {
  for (int64_t valid_cols = 1; valid_cols <= 96; ++valid_cols) {
    const Shape shape = {128, 96, 128, valid_cols};
    const std::vector<int64_t> from = TraceMat(
        128 * 96, MemorySpace::kRight, 128 * 96, [&](Machine& machine) {
          return TMovToRight(
              machine, MakeTile(MemorySpace::kMat, shape, TileLayout::kNz),
              MakeTile(MemorySpace::kRight, shape, TileLayout::kZn));
        });
    const int64_t pitch = RoundUp(valid_cols, 16) * 32;
    for (int64_t k = 0; k < 128; ++k) {
      for (int64_t n = 0; n < valid_cols; ++n) {
        ASSERT_EQ(from[k / 32 * pitch + n / 16 * 512 + n % 16 * 32 + k % 32],
                  n / 32 * 128 * 32 + k * 32 + n % 32)
            << k << ", " << n << " of " << valid_cols;
      }
    }
  }
}

TEST(TMovTest, RightCopiesZn) {
  for (const int64_t valid_cols : {5, 16, 50, 96}) {
    const Shape shape = {128, 96, 64, valid_cols};
    const std::vector<int64_t> from = TraceMat(
        128 * 96, MemorySpace::kRight, 128 * 96, [&](Machine& machine) {
          return TMovToRight(
              machine, MakeTile(MemorySpace::kMat, shape, TileLayout::kZn),
              MakeTile(MemorySpace::kRight, shape, TileLayout::kZn));
        });
    for (int64_t k = 0; k < 64; ++k) {
      for (int64_t n = 0; n < valid_cols; ++n) {
        ASSERT_EQ(from[k / 32 * RoundUp(valid_cols, 16) * 32 + n * 32 + k % 32],
                  k / 32 * 96 * 32 + n * 32 + k % 32);
      }
    }
  }
}

// Around each multiple of 16, where squares begin to spill less.
constexpr int64_t kLines[] = {1,  15, 16, 17, 31, 32, 33, 47,
                              48, 49, 63, 64, 65, 80, 81, 96};

// A = Q^T: Q is NZ [K, M], which as A is ZN.
TEST(TMovTest, LeftTransposesZn) {
  for (const int64_t valid_rows : kLines) {
    const Shape shape = {96, 128, valid_rows, 128};
    const std::vector<int64_t> from =
        TraceMat(128 * 96, MemorySpace::kLeft, 128 * 96, [&](Machine& machine) {
          return TMovToLeft(
              machine, MakeTile(MemorySpace::kMat, shape, TileLayout::kZn),
              MakeTile(MemorySpace::kLeft, shape, TileLayout::kNz));
        });
    const int64_t pitch = RoundUp(valid_rows, 16) * 32;
    for (int64_t m = 0; m < valid_rows; ++m) {
      for (int64_t k = 0; k < 128; ++k) {
        ASSERT_EQ(from[k / 32 * pitch + m * 32 + k % 32],
                  m / 32 * 128 * 32 + k * 32 + m % 32)
            << m << ", " << k << " of " << valid_rows;
      }
    }
  }
}

// The same of 4-bit elements on both sides, where up to three fractals of a
// square spill.
TEST(TMovTest, FourBitTransposes) {
  std::vector<uint8_t> source(128 * 128 / 2);
  std::mt19937 random(9);
  for (uint8_t& byte : source) byte = random();
  const auto nibble = [](const std::vector<uint8_t>& bytes, int64_t index) {
    return bytes[index / 2] >> index % 2 * 4 & 0xF;
  };
  for (const int64_t lines : kLines) {
    for (const bool left : {false, true}) {
      const Shape shape =
          left ? Shape{128, 128, lines, 128} : Shape{128, 128, 128, lines};
      const MemorySpace to = left ? MemorySpace::kLeft : MemorySpace::kRight;
      Machine machine;
      machine.memory(MemorySpace::kMat).Poke(0, source);
      MX_ASSERT_OK((left ? TMovToLeft : TMovToRight)(
          machine,
          MakeTile(MemorySpace::kMat, shape,
                   left ? TileLayout::kZn : TileLayout::kNz, kPacked),
          MakeTile(to, shape, left ? TileLayout::kNz : TileLayout::kZn,
                   kPacked)));
      const std::vector<uint8_t> moved =
          machine.memory(to).Peek(0, source.size());
      for (int64_t line = 0; line < lines; ++line) {
        for (int64_t k = 0; k < 128; ++k) {
          ASSERT_EQ(nibble(moved, k / 64 * RoundUp(lines, 16) * 64 + line * 64 +
                                      k % 64),
                    nibble(source, line / 64 * 128 * 64 + k * 64 + line % 64))
              << line << ", " << k << " of " << lines;
        }
      }
    }
  }
}

TEST(TMovTest, FourBitCopies) {
  const Shape a = {64, 192, 40, 192};
  const Shape b = {192, 64, 192, 40};
  const std::vector<int64_t> left =
      TraceMat(64 * 96, MemorySpace::kLeft, 48 * 96, [&](Machine& machine) {
        return TMovToLeft(
            machine, MakeTile(MemorySpace::kMat, a, TileLayout::kNz, kPacked),
            MakeTile(MemorySpace::kLeft, a, TileLayout::kNz, kPacked));
      });
  const std::vector<int64_t> right =
      TraceMat(64 * 96, MemorySpace::kRight, 48 * 96, [&](Machine& machine) {
        return TMovToRight(
            machine, MakeTile(MemorySpace::kMat, b, TileLayout::kZn, kPacked),
            MakeTile(MemorySpace::kRight, b, TileLayout::kZn, kPacked));
      });
  for (int64_t i = 0; i < 48 * 96; ++i) {
    ASSERT_EQ(left[i], i / (48 * 32) * 64 * 32 + i % (48 * 32));
  }
  EXPECT_EQ(right, left);
}

// The A of a gemv: whole 512 bytes of K, and its scales, byte by byte.
TEST(TMovTest, VectorsKeepTheirOrder) {
  for (const ElementFormat format : {kData, kPacked}) {
    const int64_t unit = format == kData ? 512 : 1024;
    for (const int64_t k : {64, 512, 640, 1536}) {
      const Shape shape = {1, 2 * unit, 1, k};
      if (k > shape.cols) continue;
      const std::vector<int64_t> data =
          TraceMat(1024, MemorySpace::kLeft, 1024, [&](Machine& machine) {
            return TMovToLeft(
                machine,
                MakeTile(MemorySpace::kMat, shape, TileLayout::kNd, format),
                MakeTile(MemorySpace::kLeft, shape, TileLayout::kNd, format));
          });
      for (int64_t i = 0; i < 1024; ++i) {
        EXPECT_EQ(data[i], i < (k + unit - 1) / unit * 512 ? i : kNoValue);
      }
    }
  }
  const Shape shape = {1, 48, 1, 40};
  const std::vector<int64_t> scales =
      TraceMat(128, MemorySpace::kLeftScale, 128, [&](Machine& machine) {
        return TMovToLeftScale(
            machine,
            MakeTile(MemorySpace::kMat, shape, TileLayout::kNd, kScale),
            MakeTile(MemorySpace::kLeftScale, shape, TileLayout::kNd, kScale));
      });
  for (int64_t i = 0; i < 128; ++i) {
    EXPECT_EQ(scales[i], i < 64 ? i : kNoValue);
  }
}

TEST(TMovTest, ScalesAtThePitchOfTheValidGroups) {
  for (const int64_t lines : {1, 16, 33, 64}) {
    for (const int64_t groups : {2, 4, 8}) {
      SCOPED_TRACE(absl::StrCat(lines, " lines, ", groups, " groups"));
      const Shape shape = {64, 8, lines, groups};
      const Shape turned = {8, 64, groups, lines};
      const std::vector<int64_t> left =
          TraceMat(512, MemorySpace::kLeftScale, 512, [&](Machine& machine) {
            return TMovToLeftScale(
                machine,
                MakeTile(MemorySpace::kMat, shape, TileLayout::kZz, kScale),
                MakeTile(MemorySpace::kLeftScale, shape, TileLayout::kZz,
                         kScale));
          });
      const std::vector<int64_t> right =
          TraceMat(512, MemorySpace::kRightScale, 512, [&](Machine& machine) {
            return TMovToRightScale(
                machine,
                MakeTile(MemorySpace::kMat, turned, TileLayout::kNn, kScale),
                MakeTile(MemorySpace::kRightScale, turned, TileLayout::kNn,
                         kScale));
          });
      for (int64_t line = 0; line < lines; ++line) {
        for (int64_t g = 0; g < groups; ++g) {
          ASSERT_EQ(left[(line / 16 * (groups / 2) + g / 2) * 32 +
                         line % 16 * 2 + g % 2],
                    (line / 16 * 4 + g / 2) * 32 + line % 16 * 2 + g % 2);
        }
      }
      EXPECT_EQ(right, left);
    }
  }
}

TEST(TMovTest, ScaleMoveIsAFillOfTheDestination) {
  Machine machine;
  const Shape shape = {32, 4, 32, 4};
  Tile scale =
      MakeTile(MemorySpace::kLeftScale, shape, TileLayout::kZz, kScale);
  scale.address = 0x800;
  scale.id = 5;
  MX_ASSERT_OK(TMovToLeftScale(
      machine, MakeTile(MemorySpace::kMat, shape, TileLayout::kZz, kScale),
      scale));
  MX_ASSERT_OK_AND_ASSIGN(
      const ScaleFill fill,
      machine.FindScaleFill(MemorySpace::kLeftScale, 0x800, 128));
  EXPECT_EQ(fill.fill_id, 5);
}

TEST(TMovTest, Bias) {
  const Shape shape = {1, 32, 1, 20};
  const std::vector<int64_t> from =
      TraceMat(128, MemorySpace::kBias, 128, [&](Machine& machine) {
        return TMovToBias(machine,
                          MakeTile(MemorySpace::kMat, shape, TileLayout::kNd,
                                   ElementFormat::kF32),
                          MakeTile(MemorySpace::kBias, shape, TileLayout::kNd,
                                   ElementFormat::kF32));
      });
  for (int64_t i = 0; i < 128; ++i) EXPECT_EQ(from[i], i < 80 ? i : kNoValue);
}

TEST(TMovTest, Refuses) {
  Machine machine;
  const auto invalid = [](const char* why) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why));
  };
  const Shape shape = {64, 64, 64, 64};
  const Tile mat = MakeTile(MemorySpace::kMat, shape, TileLayout::kNz);
  const Tile left = MakeTile(MemorySpace::kLeft, shape, TileLayout::kNz);
  EXPECT_THAT(TMovToLeft(machine, left, left), invalid("has to be in Mat"));
  EXPECT_THAT(TMovToLeft(machine, mat, mat), invalid("has to be in Left"));
  Tile other = left;
  other.valid_rows = 63;
  EXPECT_THAT(TMovToLeft(machine, mat, other),
              invalid("the valid regions differ (A5-TILE-3)"));
  other = left;
  other.format = ElementFormat::kF8E5M2;
  EXPECT_THAT(TMovToLeft(machine, mat, other), invalid("the formats differ"));
  other = left;
  other.address = 64;
  EXPECT_THAT(TMovToLeft(machine, mat, other),
              invalid("no multiple of 512 bytes (A5-MEM-2)"));
  const Shape narrow = {64, 48, 64, 48};
  EXPECT_THAT(
      TMovToRight(
          machine,
          MakeTile(MemorySpace::kMat, {64, 64, 64, 48}, TileLayout::kNz),
          MakeTile(MemorySpace::kRight, narrow, TileLayout::kZn)),
      invalid("a transposing load writes 32 columns at a time: the destination "
              "has too few (A5-TILE-3)"));
  EXPECT_THAT(
      TMovToLeft(
          machine,
          MakeTile(MemorySpace::kMat, {64, 64, 48, 64}, TileLayout::kZn),
          MakeTile(MemorySpace::kLeft, {48, 64, 48, 64}, TileLayout::kNz)),
      invalid("a transposing load writes 32 rows at a time"));
  EXPECT_THAT(
      TMovToLeft(
          machine,
          MakeTile(MemorySpace::kMat, {64, 48, 64, 48}, TileLayout::kZn),
          MakeTile(MemorySpace::kLeft, {64, 64, 64, 48}, TileLayout::kNz)),
      invalid("a transposing load reads 32 of K at a time: the source has no "
              "multiple of that"));
  const Shape two_rows = {2, 512, 2, 512};
  EXPECT_THAT(
      TMovToLeft(machine,
                 MakeTile(MemorySpace::kMat, two_rows, TileLayout::kNd),
                 MakeTile(MemorySpace::kLeft, two_rows, TileLayout::kNd)),
      invalid("the A of a gemv is one row"));
  EXPECT_THAT(TMovToLeft(machine,
                         MakeTile(MemorySpace::kMat, shape, TileLayout::kNz,
                                  ElementFormat::kBF16),
                         MakeTile(MemorySpace::kLeft, shape, TileLayout::kNz,
                                  ElementFormat::kBF16)),
              invalid("the elements have neither 8 nor 4 bits"));
  const Shape odd = {16, 4, 16, 3};
  EXPECT_THAT(
      TMovToLeftScale(
          machine, MakeTile(MemorySpace::kMat, odd, TileLayout::kZz, kScale),
          MakeTile(MemorySpace::kLeftScale, odd, TileLayout::kZz, kScale)),
      invalid("LOAD_MX moves pairs of groups: pad to an even number"));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
