#include "kernels/a5/load.h"

#include <cstdint>
#include <vector>

#include "a5_model/cube/provenance_test_util.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

constexpr ElementFormat kData = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kScale = ElementFormat::kF8E8M0FNU;

Tile MatTile(int64_t rows, int64_t cols, int64_t valid_rows, int64_t valid_cols,
             TileLayout layout, ElementFormat format = kData) {
  return {MemorySpace::kMat, 0,          rows,   cols,
          valid_rows,        valid_cols, format, layout};
}

// Offsets in the source by tile offset, through TLoad.
std::vector<int64_t> Trace(int64_t source_bytes, const GmTensor& tensor,
                           const GmWindow& window, const Tile& tile) {
  return TraceGm(source_bytes, TileBytes(tile),
                 [&](Machine& machine, uint64_t gm) {
                   GmTensor placed = tensor;
                   placed.address = gm;
                   return TLoad(machine, placed, window, tile);
                 });
}

TEST(TLoadTest, RowMajorWindowToNz) {
  const Tile tile = MatTile(48, 64, 35, 60, TileLayout::kNz);
  const std::vector<int64_t> from = Trace(
      80 * 100, {0, kData, {80, 100}, {100, 1}}, {{7, 32}, {35, 60}}, tile);
  for (int64_t r = 0; r < 48; ++r) {
    for (int64_t c = 0; c < 64; ++c) {
      int64_t expected = (7 + r) * 100 + 32 + c;
      if (c >= 60) expected = kZeroByte;
      if (r >= 35) expected = kNoValue;
      ASSERT_EQ(from[c / 32 * 48 * 32 + r * 32 + c % 32], expected)
          << r << ", " << c;
    }
  }
}

TEST(TLoadTest, ColumnMajorWindowToZn) {
  const Tile tile = MatTile(64, 48, 64, 35, TileLayout::kZn);
  const std::vector<int64_t> from = Trace(
      100 * 80, {0, kData, {100, 80}, {1, 100}}, {{32, 7}, {64, 35}}, tile);
  for (int64_t k = 0; k < 64; ++k) {
    for (int64_t n = 0; n < 48; ++n) {
      ASSERT_EQ(from[k / 32 * 48 * 32 + n / 16 * 512 + n % 16 * 32 + k % 32],
                n < 35 ? (7 + n) * 100 + 32 + k : kNoValue);
    }
  }
}

// GM holds the fractals of a [64, 96] matrix; rows 16..47, columns 32..95.
TEST(TLoadTest, NzWindowToNz) {
  const Tile tile = MatTile(32, 64, 32, 64, TileLayout::kNz);
  const GmTensor tensor = {
      0, kData, {1, 3, 4, 16, 32}, {3 * 64 * 32, 64 * 32, 512, 32, 1}};
  const std::vector<int64_t> from =
      Trace(64 * 96, tensor, {{0, 1, 1, 0, 0}, {1, 2, 2, 16, 32}}, tile);
  for (int64_t r = 0; r < 32; ++r) {
    for (int64_t c = 0; c < 64; ++c) {
      ASSERT_EQ(from[c / 32 * 32 * 32 + r * 32 + c % 32],
                (c + 32) / 32 * 64 * 32 + (r + 16) * 32 + (c + 32) % 32);
    }
  }
}

// Scales of 64 lines and 8 groups in GM; every window of boxes, as ZZ or NN.
TEST(TLoadTest, EveryScaleWindow) {
  const GmTensor tensor = {0, kScale, {1, 4, 4, 16, 2}, {512, 128, 32, 2, 1}};
  const auto source = [](int64_t line, int64_t group) {
    return line / 16 * 128 + group / 2 * 32 + line % 16 * 2 + group % 2;
  };
  for (int64_t b = 0; b < 4; ++b) {
    for (int64_t p = 0; p < 4; ++p) {
      for (int64_t nb = 1; b + nb <= 4; ++nb) {
        for (int64_t np = 1; p + np <= 4; ++np) {
          const GmWindow window = {{0, b, p, 0, 0}, {1, nb, np, 16, 2}};
          const Tile zz = MatTile(16 * nb, 2 * np, 16 * nb, 2 * np,
                                  TileLayout::kZz, kScale);
          const Tile nn = MatTile(2 * np, 16 * nb, 2 * np, 16 * nb,
                                  TileLayout::kNn, kScale);
          // The bytes are the same: NN is the ZZ of the transposed matrix.
          const Tile& tile = (b + p + nb + np) % 2 == 0 ? zz : nn;
          const std::vector<int64_t> from = Trace(512, tensor, window, tile);
          for (int64_t line = 0; line < 16 * nb; ++line) {
            for (int64_t g = 0; g < 2 * np; ++g) {
              ASSERT_EQ(
                  from[(line / 16 * np + g / 2) * 32 + line % 16 * 2 + g % 2],
                  source(16 * b + line, 2 * p + g));
            }
          }
        }
      }
    }
  }
}

TEST(TLoadTest, ScaleWindowIntoAWiderTile) {
  const GmTensor tensor = {0, kScale, {1, 2, 2, 16, 2}, {128, 64, 32, 2, 1}};
  const Tile tile = MatTile(48, 6, 20, 4, TileLayout::kZz, kScale);
  const std::vector<int64_t> from =
      Trace(128, tensor, {{0, 0, 0, 0, 0}, {1, 2, 2, 16, 2}}, tile);
  for (int64_t i = 0; i < 48 * 6; ++i) {
    const int64_t box = i / 32;
    const bool loaded = box % 3 < 2 && box / 3 < 2;
    EXPECT_EQ(from[i],
              loaded ? (box / 3 * 2 + box % 3) * 32 + i % 32 : kNoValue);
  }
}

// MX_A_DN (as ZZ) and MX_B_ND (as NN): [G/2, lines, 2] in GM with a pitch;
// lines that are no multiple of 16, windows of both axes.
TEST(TLoadTest, InterleavedScaleWindow) {
  const GmTensor tensor = {0, kScale, {1, 1, 4, 50, 2}, {480, 480, 120, 2, 1}};
  for (const int64_t lines : {1, 16, 17, 43}) {
    for (int64_t pairs = 1; pairs <= 3; ++pairs) {
      const GmWindow window = {{0, 0, 1, 7, 0}, {1, 1, pairs, lines, 2}};
      const Tile zz = MatTile(48, 8, lines, 2 * pairs, TileLayout::kZz, kScale);
      const Tile nn = MatTile(8, 48, 2 * pairs, lines, TileLayout::kNn, kScale);
      for (const Tile& tile : {zz, nn}) {
        const std::vector<int64_t> from = Trace(480, tensor, window, tile);
        for (int64_t line = 0; line < 48; ++line) {
          for (int64_t g = 0; g < 8; ++g) {
            int64_t expected = (1 + g / 2) * 120 + (7 + line) * 2 + g % 2;
            if (line >= lines) expected = kZeroByte;
            if (g >= 2 * pairs || line >= (lines + 15) / 16 * 16) {
              expected = kNoValue;
            }
            ASSERT_EQ(
                from[(line / 16 * 4 + g / 2) * 32 + line % 16 * 2 + g % 2],
                expected)
                << line << ", " << g << " of " << lines << ", " << pairs;
          }
        }
      }
    }
  }
}

// Two elements a byte: byte (r, c / 2) is what a matrix of bytes would have.
TEST(TLoadTest, FourBitWindows) {
  constexpr ElementFormat kFp4 = ElementFormat::kF4E2M1FN;
  const std::vector<int64_t> nz =
      Trace(80 * 50, {0, kFp4, {80, 100}, {100, 1}}, {{7, 32}, {35, 61}},
            MatTile(48, 64, 35, 61, TileLayout::kNz, kFp4));
  const std::vector<int64_t> zn =
      Trace(80 * 50, {0, kFp4, {100, 80}, {1, 100}}, {{32, 7}, {61, 35}},
            MatTile(64, 48, 61, 35, TileLayout::kZn, kFp4));
  for (int64_t r = 0; r < 48; ++r) {
    for (int64_t byte = 0; byte < 32; ++byte) {
      int64_t expected = (7 + r) * 50 + 16 + byte;
      if (byte >= 31) expected = kZeroByte;
      if (r >= 35) expected = kNoValue;
      ASSERT_EQ(nz[r * 32 + byte], expected) << r << ", " << byte;
    }
  }
  EXPECT_EQ(zn, nz);
  const std::vector<int64_t> row =
      Trace(50, {0, kFp4, {1, 100}, {100, 1}}, {{0, 2}, {1, 96}},
            MatTile(1, 128, 1, 96, TileLayout::kNd, kFp4));
  for (int64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(row[i], i < 48 ? 1 + i : kNoValue);
  }
  Machine machine;
  const uint64_t gm = machine.AllocateGm("x", 4096);
  const auto load = [&](int64_t column, int64_t stride) {
    return TLoad(machine, {gm, kFp4, {16, 66}, {stride, 1}},
                 {{0, column}, {16, 64}},
                 MatTile(16, 64, 16, 64, TileLayout::kNz, kFp4));
  };
  EXPECT_THAT(load(1, 66),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("starts in the middle of a byte")));
  EXPECT_THAT(load(0, 67),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("ends in the middle of a byte (A5-TILE-3)")));
}

TEST(TLoadTest, BiasRow) {
  Tile tile = MatTile(1, 16, 1, 10, TileLayout::kNd, ElementFormat::kF32);
  const std::vector<int64_t> from =
      Trace(4 * 20, {0, ElementFormat::kF32, {1, 20}, {20, 1}},
            {{0, 3}, {1, 10}}, tile);
  for (int64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(from[i], i < 40 ? 12 + i : kNoValue);
  }
}

TEST(TLoadTest, Refuses) {
  Machine machine;
  const uint64_t gm = machine.AllocateGm("x", 4096);
  const auto refuses = [&](const GmTensor& tensor, const GmWindow& window,
                           const Tile& tile, absl::StatusCode code,
                           const char* why) {
    EXPECT_THAT(TLoad(machine, tensor, window, tile),
                StatusIs(code, HasSubstr(why)));
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  const GmTensor data = {gm, kData, {32, 64}, {64, 1}};
  const GmTensor scale = {gm, kScale, {1, 2, 2, 16, 2}, {128, 64, 32, 2, 1}};
  const Tile nz = MatTile(32, 64, 32, 64, TileLayout::kNz);
  const Tile zz = MatTile(32, 4, 32, 4, TileLayout::kZz, kScale);
  refuses(data, {{0, 0}, {32, 32}}, nz, kInvalid,
          "the tile takes a window [32, 64] (A5-TILE-3)");
  refuses(data, {{1, 0}, {32, 64}}, nz, absl::StatusCode::kOutOfRange,
          "dimension 0 leaves the tensor (A5-TILE-2)");
  refuses({gm, kData, {32, 64}, {1, 32}}, {{0, 0}, {32, 64}}, nz, kInvalid,
          "columns are not adjacent");
  refuses(data, {{0, 0}, {32, 64}}, MatTile(32, 64, 32, 64, TileLayout::kZn),
          kInvalid, "rows are not adjacent");
  refuses({gm, ElementFormat::kF32, {8, 64}, {64, 1}}, {{0, 0}, {8, 64}}, nz,
          kInvalid, "the elements differ in width");
  refuses(data, {{0, 0}, {32, 64}}, zz, kInvalid, "scales are f8E8M0FNU");
  refuses({gm, kScale, {32, 4}, {4, 1}}, {{0, 0}, {32, 4}}, zz, kInvalid,
          "from a tensor [1, blocks, pairs, 16, 2] or");
  refuses(scale, {{0, 0, 0, 0, 0}, {1, 1, 2, 16, 2}}, zz, kInvalid,
          "takes a window [1, 2, 2, 16, 2]");
  refuses({gm, kScale, {1, 2, 2, 16, 2}, {128, 64, 2, 4, 1}},
          {{0, 0, 0, 0, 0}, {1, 2, 2, 16, 2}}, zz, kInvalid,
          "the inner strides have to be [32, 2, 1]");
  refuses(scale, {{0, 0, 0, 0, 0}, {1, 2, 2, 16, 2}},
          MatTile(32, 4, 32, 3, TileLayout::kZz, kScale), kInvalid,
          "an odd number of groups: pad to an even one");
  Tile left = nz;
  left.space = MemorySpace::kLeft;
  refuses(data, {{0, 0}, {32, 64}}, left, kInvalid, "has to be in Mat");
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
