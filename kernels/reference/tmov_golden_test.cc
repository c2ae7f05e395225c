// TMov against the vectors of the public CPU simulator, byte for byte: every
// move, and the operands and scales of every matmul in the boxes of L0.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "kernels/golden_vectors_test_util.h"
#include "kernels/reference/tmov.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "layouts/conversion.h"
#include "layouts/index_map.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

using Bytes = std::vector<uint8_t>;

// Bytes of data of any FP8 format move alike.
constexpr ElementFormat kData = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kScale = ElementFormat::kF8E8M0FNU;

// The bytes of `type` after a move into zeros.
Bytes Moved(const TileType& type, const ConstTileView& source,
            bool transposed = false) {
  Bytes bytes(*TileBytes(type));
  const TileView destination = {type, absl::MakeSpan(bytes)};
  EXPECT_THAT(transposed ? TMovTransposed(destination, source)
                         : TMov(destination, source),
              IsOk());
  return bytes;
}

Bytes ToBytes(absl::Span<const uint8_t> span) {
  return Bytes(span.begin(), span.end());
}

// The simulator keeps typed FP4 in boxes of 16 x 32 nibbles, half of the
// device's: what the packed matrix is there. `lines` are the rows of NZ and the
// columns of ZN.
IndexMap SimulatorF4Map(int64_t lines, int64_t across, int64_t pitch_lines) {
  return IndexMap(lines, across, {{pitch_lines, 32}},
                  {{32, 1}, {across / 32, pitch_lines * 32}});
}

void ExpectSimulatorF4(const IndexMap& row_major, const IndexMap& boxes,
                       absl::Span<const uint8_t> source,
                       absl::Span<const uint8_t> expected) {
  Bytes bytes(expected.size());
  EXPECT_THAT(Conversion::Create(row_major, boxes)
                  ->Apply(/*element_bits=*/4, source, absl::MakeSpan(bytes)),
              IsOk());
  EXPECT_EQ(bytes, ToBytes(expected));
}

IndexMap RowMajor(int64_t rows, int64_t cols) {
  return IndexMap(rows, cols, {{rows, cols}}, {{cols, 1}});
}

TEST(TMovGoldenTest, NDToNZ) {
  int rows_plus_one = 0;
  int f4 = 0;
  const std::vector<GoldenCase> cases = LoadGoldenCases("TMOV_ND2NZ");
  EXPECT_EQ(cases.size(), 10);
  for (const GoldenCase& golden : cases) {
    SCOPED_TRACE(golden.name());
    const int64_t rows = golden.Extents("shape")[0];
    const int64_t cols = golden.Extents("shape")[1];
    if (golden.Text("dtype") == "fp4x2") {
      ExpectSimulatorF4(RowMajor(rows, cols), SimulatorF4Map(rows, cols, rows),
                        golden.Bytes("src"), golden.Bytes("dst"));
      ++f4;
      continue;
    }
    TileType type = FullTile(kData, rows, cols, TileLayout::kNz);
    type.pitch = golden.Number("dst_rows");
    if (type.pitch % 16 == 1) ++rows_plus_one;
    const ConstTileView source = {FullTile(kData, rows, cols),
                                  golden.Bytes("src")};
    const Bytes nz = Moved(type, source);
    EXPECT_EQ(nz, ToBytes(golden.Bytes("dst")));
    EXPECT_EQ(Moved(source.type, {type, nz}), ToBytes(source.bytes));
  }
  EXPECT_EQ(rows_plus_one, 2);
  EXPECT_EQ(f4, 2);
}

TEST(TMovGoldenTest, NDToZZ) {
  const std::vector<GoldenCase> cases = LoadGoldenCases("TMOV_ND2ZZ");
  EXPECT_EQ(cases.size(), 6);
  for (const GoldenCase& golden : cases) {
    SCOPED_TRACE(golden.name());
    const int64_t rows = golden.Extents("shape")[0];
    const int64_t cols = golden.Extents("shape")[1];
    const ConstTileView source = {FullTile(kScale, rows, cols),
                                  golden.Bytes("src")};
    const TileType type =
        FullTile(kScale, golden.Number("dst_rows"), cols, TileLayout::kZz);
    const Bytes zz = Moved(type, source);
    EXPECT_EQ(zz, ToBytes(golden.Bytes("dst")));
    TileType valid = type;
    valid.valid_rows = rows;
    EXPECT_EQ(Moved(source.type, {valid, zz}), ToBytes(source.bytes));
  }
}

TEST(TMovGoldenTest, DNToZZ) {
  const std::vector<GoldenCase> cases = LoadGoldenCases("TMOV_DN2ZZ");
  EXPECT_EQ(cases.size(), 7);
  for (const GoldenCase& golden : cases) {
    SCOPED_TRACE(golden.name());
    const int64_t groups = golden.Extents("shape")[0];
    const int64_t cols = golden.Extents("shape")[1];
    const ConstTileView source = {FullTile(kScale, groups, cols),
                                  golden.Bytes("src")};
    const TileType type = FullTile(kScale, cols, groups, TileLayout::kZz);
    const Bytes zz = Moved(type, source, /*transposed=*/true);
    EXPECT_EQ(zz, ToBytes(golden.Bytes("dst")));
    EXPECT_EQ(Moved(source.type, {type, zz}, /*transposed=*/true),
              ToBytes(source.bytes));
  }
}

TEST(TMovGoldenTest, ScalesOfEveryMatmul) {
  const std::vector<GoldenCase> cases = LoadGoldenCases("TMATMUL_MX");
  EXPECT_EQ(cases.size(), 43);
  for (const GoldenCase& golden : cases) {
    SCOPED_TRACE(golden.name());
    const int64_t m = golden.Number("m");
    const int64_t n = golden.Number("n");
    const int64_t groups = golden.Number("k") / 32;
    EXPECT_EQ(Moved(FullTile(kScale, RoundUp(m, 16), groups, TileLayout::kZz),
                    {FullTile(kScale, m, groups), golden.Bytes("sa")}),
              ToBytes(golden.Bytes("sa_zz")));
    EXPECT_EQ(Moved(FullTile(kScale, groups, golden.Number("l0_cols"),
                             TileLayout::kNn),
                    {FullTile(kScale, groups, n), golden.Bytes("sb")}),
              ToBytes(golden.Bytes("sb_nn")));
  }
}

TEST(TMovGoldenTest, OperandsOfEveryMatmul) {
  int f4 = 0;
  for (const GoldenCase& golden : LoadGoldenCases("TMATMUL_MX")) {
    SCOPED_TRACE(golden.name());
    const int64_t m = golden.Number("m");
    const int64_t k = golden.Number("k");
    const int64_t n = golden.Number("n");
    const int64_t l0_rows = golden.Number("l0_rows");
    const int64_t l0_cols = golden.Number("l0_cols");
    if (absl::StartsWith(golden.Text("a_dtype"), "e2m1")) {
      ExpectSimulatorF4(RowMajor(m, k), SimulatorF4Map(m, k, l0_rows),
                        golden.Bytes("a"), golden.Bytes("l0a_nz"));
      ExpectSimulatorF4(RowMajor(k, n),
                        SimulatorF4Map(n, k, l0_cols).Transposed(),
                        golden.Bytes("b"), golden.Bytes("l0b_zn"));
      ++f4;
      continue;
    }
    EXPECT_EQ(Moved(FullTile(kData, l0_rows, k, TileLayout::kNz),
                    {FullTile(kData, m, k), golden.Bytes("a")}),
              ToBytes(golden.Bytes("l0a_nz")));
    EXPECT_EQ(Moved(FullTile(kData, k, l0_cols, TileLayout::kZn),
                    {FullTile(kData, k, n), golden.Bytes("b")}),
              ToBytes(golden.Bytes("l0b_zn")));
  }
  EXPECT_EQ(f4, 14);
}

}  // namespace
}  // namespace mxtile
