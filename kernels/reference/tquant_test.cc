#include "kernels/reference/tquant.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/casts.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/quantize.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint32_t kSeed = 5005;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr ElementFormat kF32 = ElementFormat::kF32;
constexpr ElementFormat kBF16 = ElementFormat::kBF16;
constexpr ElementFormat kF16 = ElementFormat::kF16;
constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;

// The tiles of a call, 2-D ones of groups.
struct Tiles {
  Tiles(const TQuantOptions& options, const TileType& source,
        ElementFormat scratch = kF32)
      : dst({options.format, source.rows, source.cols, source.valid_rows,
             source.valid_cols}),
        exp(GroupType(options.axis, source, kE8M0)),
        max(GroupType(options.axis, source, scratch)),
        scaling(GroupType(options.axis, source, scratch)) {}

  static TileType GroupType(GroupAxis axis, const TileType& source,
                            ElementFormat format) {
    const GroupShape shape = ShapeOfGroups(axis, source);
    return FullTile(format, shape.rows, shape.cols);
  }

  absl::Status Run(const TQuantOptions& options, const TestTile& src) {
    return TQuant(options, {dst.view(), src.const_view(), exp.view(),
                            max.view(), scaling.view()});
  }

  TestTile dst;
  TestTile exp;
  TestTile max;
  TestTile scaling;
};

// Values of a few binades, of both signs, with specials now and then.
std::vector<float> RandomValues(std::mt19937& random, int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    const int kind = static_cast<int>(random() % 512);
    const float value = std::ldexp(
        static_cast<float>(static_cast<int>(random() % 4096) - 2048) / 1024,
        static_cast<int>(random() % 9) - 4);
    values.push_back(kind == 0 ? kNan : kind == 1 ? -kInf : value);
  }
  return values;
}

std::vector<uint32_t> Widened(const std::vector<uint8_t>& codes) {
  return std::vector<uint32_t>(codes.begin(), codes.end());
}

TQuantOptions Extended(GroupAxis axis, ScaleRule rule, ElementFormat format) {
  return {axis, rule, format, /*extensions=*/true};
}

// ---- What is computed

TEST(TQuantTest, AgreesWithQuantizeOnWholeTiles) {
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (const ElementFormat source : {kF32, kBF16, kF16}) {
    for (const ElementFormat format : {kE4M3, ElementFormat::kF8E5M2, kE2M1}) {
      for (const ScaleRule rule : {ScaleRule::kOcp, ScaleRule::kNv}) {
        for (const GroupAxis axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
          const TestTile src = TestTile::OfValues(
              FullTile(source, 64, 96), RandomValues(random, 64 * 96));
          const TQuantOptions options = Extended(axis, rule, format);
          Tiles tiles(options, src.type());
          MX_ASSERT_OK(tiles.Run(options, src));
          MX_ASSERT_OK_AND_ASSIGN(
              const QuantizedMatrix matrix,
              Quantize(src.Values(), 64, 96, axis, format, rule));
          EXPECT_EQ(tiles.dst.Codes(), Widened(matrix.codes));
          EXPECT_EQ(tiles.exp.Codes(), Widened(matrix.scales));
        }
      }
    }
  }
}

// One group each: the largest magnitude 1.01 is 0x3F8147AE as a float, 0x3F81
// as a bfloat, 0x3C0A (1.009765625, 0x3F814000) as a half. With E4M3 the scale
// is 119 and its reciprocal 2^8 = 0x43800000.
struct ScratchCase {
  ElementFormat source;
  ScaleRule rule;
  ElementFormat scratch;
  uint32_t max;
  uint32_t scaling;
};

TEST(TQuantTest, MaximaAndScalingsInEachFormat) {
  const std::vector<ScratchCase> cases = {
      {kF32, ScaleRule::kOcp, kF32, 0x3F8147AE, 0x43800000},
      {kF32, ScaleRule::kNv, kF32, 0x3F8147AE, 0x43800000},
      {kBF16, ScaleRule::kOcp, kF32, 0x3F810000, 0x43800000},
      {kBF16, ScaleRule::kOcp, kBF16, 0x3F81, 0x4380},
      {kBF16, ScaleRule::kNv, kBF16, 0x3F81, 0x4380},
      // By kOcp a half's maximum is truncated to a bfloat.
      {kF16, ScaleRule::kOcp, kF32, 0x3F810000, 0x43800000},
      {kF16, ScaleRule::kOcp, kF16, 0x3F81, 0x4380},
      {kF16, ScaleRule::kNv, kF32, 0x3F814000, 0x43800000},
      {kF16, ScaleRule::kNv, kF16, 0x3C0A, 0x4380},
  };
  for (const ScratchCase& c : cases) {
    SCOPED_TRACE(testing::Message()
                 << Name(c.source) << " to " << Name(c.scratch));
    std::vector<float> values(32, 0.5f);
    values[17] = -1.01f;
    const TestTile src = TestTile::OfValues(FullTile(c.source, 1, 32), values);
    const TQuantOptions options = {GroupAxis::kAxis1, c.rule, kE4M3};
    Tiles tiles(options, src.type(), c.scratch);
    MX_ASSERT_OK(tiles.Run(options, src));
    EXPECT_EQ(tiles.exp.Codes(), std::vector<uint32_t>{119});
    EXPECT_EQ(tiles.max.Codes(), std::vector<uint32_t>{c.max});
    EXPECT_EQ(tiles.scaling.Codes(), std::vector<uint32_t>{c.scaling});
  }
}

TEST(TQuantTest, ScalingsOfNanGroups) {
  for (const auto& [format, bf16_nan] :
       {std::pair(kE4M3, 0x7F81), std::pair(kE2M1, 0x7FC0)}) {
    for (const ElementFormat scratch : {kF32, kBF16}) {
      const TestTile src = TestTile::OfValues(FullTile(kBF16, 1, 32),
                                              std::vector<float>(32, kNan));
      const TQuantOptions options = {GroupAxis::kAxis1, ScaleRule::kOcp,
                                     format};
      Tiles tiles(options, src.type(), scratch);
      MX_ASSERT_OK(tiles.Run(options, src));
      EXPECT_EQ(tiles.exp.Codes(), std::vector<uint32_t>{255});
      EXPECT_EQ(tiles.scaling.Codes(),
                std::vector<uint32_t>{scratch == kF32 ? 0x7FC00000u
                                                      : uint32_t(bf16_nan)});
    }
  }
}

// ---- Ragged tiles and pitches

// A source whose invalid elements are NaN, in rows of a wide pitch, gives what
// the valid elements give among zeros; nothing else is written.
TEST(TQuantTest, OnlyTheValidRegionCounts) {
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (const GroupAxis axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
    for (const auto& [rows, cols] : std::vector<std::pair<int64_t, int64_t>>{
             {40, 50}, {33, 65}, {1, 1}, {64, 96}, {32, 64}}) {
      for (const MxQuantAlg alg : kMxQuantAlgs) {
        SCOPED_TRACE(testing::Message() << rows << " x " << cols);
        const TileType type = {kBF16, 64, 96, rows, cols, TileLayout::kNd, 104};
        const std::vector<float> values = RandomValues(random, rows * cols);
        TestTile src = TestTile::OfValues(FullTile(kBF16, 64, 104),
                                          std::vector<float>(64 * 104, kNan));
        TestTile zeros = TestTile::OfValues(FullTile(kBF16, 64, 96),
                                            std::vector<float>(64 * 96));
        const std::vector<uint32_t> codes =
            TestTile::OfValues(FullTile(kBF16, rows, cols), values).Codes();
        const ElementWriter to_src = *ElementWriter::Create(src.view());
        const ElementWriter to_zeros = *ElementWriter::Create(zeros.view());
        for (int64_t i = 0; i < rows * cols; ++i) {
          to_src.SetCode(i / cols, i % cols, codes[i]);
          to_zeros.SetCode(i / cols, i % cols, codes[i]);
        }
        const TQuantOptions options = {axis, RuleOf(alg), FormatOf(alg)};
        Tiles ragged(options, type);
        Tiles whole(options, zeros.type());
        MX_ASSERT_OK(TQuant(options, {ragged.dst.view(),
                                      {type, src.const_view().bytes},
                                      ragged.exp.view(),
                                      ragged.max.view(),
                                      ragged.scaling.view()}));
        MX_ASSERT_OK(whole.Run(options, zeros));
        // The valid part of the whole result, in tiles that nobody has touched.
        const auto expect_part = [](const TestTile& part,
                                    const TestTile& of_whole) {
          const ElementReader reader =
              *ElementReader::Create(of_whole.const_view());
          std::vector<uint32_t> codes;
          for (int64_t row = 0; row < part.type().valid_rows; ++row) {
            for (int64_t col = 0; col < part.type().valid_cols; ++col) {
              codes.push_back(reader.Code(row, col));
            }
          }
          EXPECT_EQ(part.bytes(),
                    TestTile::OfCodes(part.type(), codes).bytes());
        };
        expect_part(ragged.dst, whole.dst);
        expect_part(ragged.exp, whole.exp);
        expect_part(ragged.max, whole.max);
        expect_part(ragged.scaling, whole.scaling);
      }
    }
  }
}

TEST(TQuantTest, FlatGroupsOfPaddingColumnsAreZeroGroups) {
  // [2, 96] of which 40 columns are valid: the third group of a row is padding.
  TileType type = FullTile(kF32, 2, 96);
  type.valid_cols = 40;
  std::vector<float> values(80, 448.0f);
  values[32] = values[72] = -896.0f;
  const TestTile src = TestTile::OfValues(type, values);
  const TQuantOptions options = {GroupAxis::kAxis1, ScaleRule::kOcp, kE4M3};
  TestTile dst({kE4M3, 2, 96, 2, 40});
  TestTile exp(FullTile(kE8M0, 1, 6));
  TestTile max(FullTile(kF32, 1, 6));
  TestTile scaling(FullTile(kF32, 1, 6));
  MX_ASSERT_OK(TQuant(
      options, {dst.view(), src.const_view(), FlatGroupTile{exp.view()},
                FlatGroupTile{max.view()}, FlatGroupTile{scaling.view()}}));
  EXPECT_EQ(exp.Codes(), (std::vector<uint32_t>{127, 128, 0, 127, 128, 0}));
  EXPECT_EQ(max.Values(), (std::vector<float>{448, 896, 0, 448, 896, 0}));
  EXPECT_EQ(scaling.Values(),
            (std::vector<float>{1, 0.5f, 0x1p127f, 1, 0.5f, 0x1p127f}));
}

TEST(TQuantTest, FlatAndTwoDimensionalTilesCanBeMixed) {
  std::mt19937 random(kSeed);
  TileType type = FullTile(kF32, 3, 96);
  type.valid_cols = 40;
  const TestTile src = TestTile::OfValues(type, RandomValues(random, 120));
  const TQuantOptions options = {GroupAxis::kAxis1, ScaleRule::kNv, kE4M3};
  Tiles two(options, type);
  MX_ASSERT_OK(two.Run(options, src));
  Tiles mixed(options, type);
  TestTile flat(FullTile(kE8M0, 1, 9));
  MX_ASSERT_OK(TQuant(
      options, {mixed.dst.view(), src.const_view(), FlatGroupTile{flat.view()},
                mixed.max.view(), mixed.scaling.view()}));
  EXPECT_EQ(mixed.dst.bytes(), two.dst.bytes());
  EXPECT_EQ(mixed.max.bytes(), two.max.bytes());
  EXPECT_EQ(mixed.scaling.bytes(), two.scaling.bytes());
  const std::vector<uint32_t> e = two.exp.Codes();
  EXPECT_EQ(flat.Codes(), (std::vector<uint32_t>{e[0], e[1], 0, e[2], e[3], 0,
                                                 e[4], e[5], 0}));
}

TEST(TQuantTest, InterleavedExponentsAreThePairsOfDN) {
  std::mt19937 random(kSeed);
  const TestTile src = TestTile::OfValues(FullTile(kBF16, 128, 32),
                                          RandomValues(random, 128 * 32));
  const TQuantOptions options = {GroupAxis::kAxis0, ScaleRule::kNv, kE2M1};
  Tiles plain(options, src.type());
  MX_ASSERT_OK(plain.Run(options, src));
  Tiles interleaved(options, src.type());
  TestTile pairs({kE8M0, 2, 96, 2, 64});
  MX_ASSERT_OK(
      TQuant(options, {interleaved.dst.view(), src.const_view(),
                       InterleavedGroupTile{pairs.view()},
                       interleaved.max.view(), interleaved.scaling.view()}));
  EXPECT_EQ(interleaved.dst.bytes(), plain.dst.bytes());
  TestTile expected(pairs.type());
  const std::vector<uint32_t> dn = plain.exp.Codes();
  for (int64_t h = 0; h < 4; ++h) {
    for (int64_t n = 0; n < 32; ++n) {
      expected.SetCode(h / 2, 2 * n + h % 2, dn[h * 32 + n]);
    }
  }
  EXPECT_EQ(pairs.bytes(), expected.bytes());
}

// ---- The way back

TEST(TDequantTest, CodeTimesScaleOfItsGroup) {
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (const GroupAxis axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
    for (const MxQuantAlg alg : kMxQuantAlgs) {
      const TileType type = {kBF16, 64, 64, 40, 50};
      const TestTile src =
          TestTile::OfValues(type, RandomValues(random, 40 * 50));
      const TQuantOptions options = {axis, RuleOf(alg), FormatOf(alg)};
      Tiles tiles(options, type);
      MX_ASSERT_OK(tiles.Run(options, src));
      TestTile back({kF32, 64, 64, 40, 50});
      MX_ASSERT_OK(TDequant(axis, back.view(), tiles.dst.const_view(),
                            tiles.exp.const_view()));
      const std::vector<float> codes = tiles.dst.Values();
      const std::vector<float> scales = tiles.exp.Values();
      const std::vector<uint32_t> found = back.Codes();
      std::vector<uint32_t> expected;
      for (int64_t i = 0; i < 40 * 50; ++i) {
        const float scale = axis == GroupAxis::kAxis1
                                ? scales[i / 50 * 2 + i % 50 / 32]
                                : scales[i / 50 / 32 * 50 + i % 50];
        const float value = static_cast<float>(double{codes[i]} * scale);
        // NaN * NaN has the sign of either; of a quiet NaN nothing else counts.
        expected.push_back(std::isnan(value) ? found[i] | 0x7FC00000
                                             : absl::bit_cast<uint32_t>(value));
      }
      EXPECT_EQ(back.bytes(), TestTile::OfCodes(back.type(), expected).bytes());
    }
  }
}

TEST(TDequantTest, BeyondTheLargestFloatIsInf) {
  const TestTile data = TestTile::OfCodes(FullTile(kE4M3, 1, 32),
                                          std::vector<uint32_t>(32, 0xFE));
  const TestTile exp = TestTile::OfCodes(FullTile(kE8M0, 1, 1), {254});
  TestTile back(FullTile(kF32, 1, 32));
  MX_ASSERT_OK(TDequant(GroupAxis::kAxis1, back.view(), data.const_view(),
                        exp.const_view()));
  EXPECT_EQ(back.Values(), std::vector<float>(32, -kInf));
}

// ---- What is refused

class TQuantErrorTest : public ::testing::Test {
 protected:
  TQuantErrorTest()
      : src_(TestTile::OfValues(FullTile(kBF16, 64, 64),
                                std::vector<float>(64 * 64, 1.0f))),
        tiles_(options_, src_.type()) {}

  // Runs with a changed call; all outputs have to be as before.
  void ExpectRefused(const TQuantOptions& options, const TQuantTiles& tiles,
                     const std::string& rule, const std::string& words) {
    EXPECT_THAT(TQuant(options, tiles),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(words), HasSubstr(rule))));
    const Tiles untouched(options_, src_.type());
    EXPECT_EQ(tiles_.dst.bytes(), untouched.dst.bytes());
    EXPECT_EQ(tiles_.exp.bytes(), untouched.exp.bytes());
    EXPECT_EQ(tiles_.max.bytes(), untouched.max.bytes());
    EXPECT_EQ(tiles_.scaling.bytes(), untouched.scaling.bytes());
  }

  TQuantTiles Call() {
    return {tiles_.dst.view(), src_.const_view(), tiles_.exp.view(),
            tiles_.max.view(), tiles_.scaling.view()};
  }

  const TQuantOptions options_ = {GroupAxis::kAxis1, ScaleRule::kOcp, kE4M3};
  TestTile src_;
  Tiles tiles_;
};

TEST_F(TQuantErrorTest, TheCallThatTheOthersChangeIsLegal) {
  MX_EXPECT_OK(TQuant(options_, Call()));
}

TEST_F(TQuantErrorTest, OtherFormats_MX_QUANT_1) {
  for (const ElementFormat format :
       {ElementFormat::kF4E1M2, kE8M0, kBF16, kF16, kF32}) {
    ExpectRefused({GroupAxis::kAxis1, ScaleRule::kOcp, format}, Call(),
                  "MX-QUANT-1", std::string(Name(format)));
  }
}

TEST_F(TQuantErrorTest, PartialGroups_MX_QUANT_3) {
  const auto refuse = [this](GroupAxis axis, int64_t rows, int64_t cols,
                             const std::string& words) {
    TQuantTiles tiles = Call();
    tiles.src.type = FullTile(kBF16, rows, cols);
    ExpectRefused({axis, ScaleRule::kOcp, kE4M3}, tiles, "MX-QUANT-3", words);
  };
  refuse(GroupAxis::kAxis1, 64, 48, "columns of the source bf16 ND [64, 48]");
  refuse(GroupAxis::kAxis0, 48, 64, "rows of the source bf16 ND [48, 64]");
  refuse(GroupAxis::kAxis0, 64, 48, "columns of the source bf16 ND [64, 48]");
}

TEST_F(TQuantErrorTest, Sources_MX_QUANT_4) {
  TQuantTiles tiles = Call();
  tiles.src.type.format = kE4M3;
  ExpectRefused(options_, tiles, "MX-QUANT-4", "f8E4M3FN ND [64, 64]");
  tiles = Call();
  tiles.src.type.layout = TileLayout::kNz;
  ExpectRefused(options_, tiles, "MX-QUANT-4", "row-major");
}

TEST_F(TQuantErrorTest, ExtensionsAreAskedFor_MX_QUANT_4) {
  ExpectRefused({GroupAxis::kAxis1, ScaleRule::kOcp, ElementFormat::kF8E5M2},
                Call(), "MX-QUANT-4", "f8E5M2 from bf16");
  TestTile floats(FullTile(kF32, 64, 64));
  TQuantTiles tiles = Call();
  tiles.src = floats.const_view();
  ExpectRefused({GroupAxis::kAxis1, ScaleRule::kOcp, kE2M1}, tiles,
                "MX-QUANT-4", "f4E2M1FN from f32");
}

TEST_F(TQuantErrorTest, Destinations_MX_QUANT_5) {
  for (const TileType& type :
       {FullTile(kE2M1, 64, 64), FullTile(kE4M3, 64, 32),
        FullTile(kE4M3, 32, 64), TileType{kE4M3, 64, 64, 63, 64},
        TileType{kE4M3, 64, 64, 64, 63},
        FullTile(kE4M3, 64, 64, TileLayout::kNz)}) {
    TQuantTiles tiles = Call();
    tiles.dst.type = type;
    ExpectRefused(
        options_, tiles, "MX-QUANT-5",
        "destination " + ToString(type) + " must be row-major f8E4M3FN");
  }
}

TEST_F(TQuantErrorTest, FormatsOfGroups_MX_QUANT_6) {
  TestTile other(FullTile(kF16, 64, 2));
  TQuantTiles tiles = Call();
  tiles.exp = other.view();
  ExpectRefused(options_, tiles, "MX-QUANT-6", "'exp'");
  tiles = Call();
  tiles.max = other.view();
  ExpectRefused(options_, tiles, "MX-QUANT-6", "f32 or, as its source, bf16");
  tiles = Call();
  tiles.scaling = other.view();
  ExpectRefused(options_, tiles, "MX-QUANT-6", "'scaling'");
}

TEST_F(TQuantErrorTest, InterleavedMaxima_MX_QUANT_6) {
  TestTile pairs(FullTile(kF32, 1, 128));
  TQuantTiles tiles = Call();
  tiles.max = InterleavedGroupTile{pairs.view()};
  ExpectRefused({GroupAxis::kAxis0, ScaleRule::kOcp, kE4M3}, tiles,
                "MX-QUANT-6", "not interleaved");
}

TEST_F(TQuantErrorTest, GroupShapes_MX_GROUP_1) {
  ExpectRefused({GroupAxis::kAxis0, ScaleRule::kOcp, kE4M3}, Call(),
                "MX-GROUP-1", "tile 'exp'");
}

TEST_F(TQuantErrorTest, SharedBytes_TILE_VIEW_5) {
  TQuantTiles tiles = Call();
  tiles.scaling = tiles_.max.view();
  ExpectRefused(options_, tiles, "TILE-VIEW-5", "'max' and 'scaling'");
  tiles = Call();
  TestTile bytes(FullTile(kBF16, 64, 64));
  tiles.src = bytes.const_view();
  tiles.dst.bytes = bytes.view().bytes;
  ExpectRefused(options_, tiles, "TILE-VIEW-5", "'dst' and 'src'");
}

TEST_F(TQuantErrorTest, TooFewBytes_TILE_VIEW_4) {
  for (int i = 0; i < 5; ++i) {
    TQuantTiles tiles = Call();
    TileView exp = tiles_.exp.view();
    TileView max = tiles_.max.view();
    TileView scaling = tiles_.scaling.view();
    if (i == 0) tiles.dst.bytes.remove_suffix(1);
    if (i == 1) tiles.src.bytes.remove_suffix(1);
    if (i == 2) exp.bytes.remove_suffix(1);
    if (i == 3) max.bytes.remove_suffix(1);
    if (i == 4) scaling.bytes.remove_suffix(1);
    tiles.exp = exp;
    tiles.max = max;
    tiles.scaling = scaling;
    ExpectRefused(options_, tiles, "TILE-VIEW-4", "bytes");
  }
}

TEST(TDequantErrorTest, ShapesAndFormats) {
  TestTile data(FullTile(kE4M3, 32, 64));
  TestTile exp(FullTile(kE8M0, 32, 2));
  TestTile back(FullTile(kF32, 32, 64));
  const auto refused = [](const std::string& rule) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(rule));
  };
  const GroupAxis axis = GroupAxis::kAxis1;
  MX_EXPECT_OK(
      TDequant(axis, back.view(), data.const_view(), exp.const_view()));
  TestTile half(FullTile(kF16, 32, 64));
  EXPECT_THAT(TDequant(axis, half.view(), data.const_view(), exp.const_view()),
              refused("MX-QUANT-5"));
  EXPECT_THAT(TDequant(axis, back.view(), half.const_view(), exp.const_view()),
              refused("MX-QUANT-1"));
  EXPECT_THAT(TDequant(axis, back.view(), data.const_view(), half.const_view()),
              refused("MX-QUANT-6"));
  EXPECT_THAT(TDequant(GroupAxis::kAxis0, back.view(), data.const_view(),
                       exp.const_view()),
              refused("MX-GROUP-1"));
  EXPECT_THAT(TDequant(axis, back.view(), data.const_view(),
                       ConstTileView{exp.type(), back.const_view().bytes}),
              refused("TILE-VIEW-5"));
}

}  // namespace
}  // namespace mxtile
