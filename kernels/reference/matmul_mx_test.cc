#include "kernels/reference/matmul_mx.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/reference/tmov.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/f8e8m0fnu.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint32_t kSeed = 9001;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kE1M2 = ElementFormat::kF4E1M2;
constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;
constexpr ElementFormat kF32 = ElementFormat::kF32;

std::vector<uint32_t> Filled(int64_t count, uint32_t code) {
  return std::vector<uint32_t>(count, code);
}

// A product of which everything is 0 with scales of 1, to be changed.
struct Product {
  Product(int64_t m, int64_t k, int64_t n, ElementFormat left = kE4M3,
          ElementFormat right = kE4M3)
      : a(TestTile::OfCodes(FullTile(left, m, k), Filled(m * k, 0))),
        a_scale(TestTile::OfCodes(FullTile(kE8M0, m, k / 32),
                                  Filled(m * k / 32, 127))),
        b(TestTile::OfCodes(FullTile(right, k, n), Filled(k * n, 0))),
        b_scale(TestTile::OfCodes(FullTile(kE8M0, k / 32, n),
                                  Filled(k / 32 * n, 127))),
        c(FullTile(kF32, m, n)) {}

  MatmulMxTiles Tiles() {
    return {c.view(),
            a.const_view(),
            a_scale.const_view(),
            b.const_view(),
            b_scale.const_view(),
            {},
            {}};
  }

  TestTile a;
  TestTile a_scale;
  TestTile b;
  TestTile b_scale;
  TestTile c;
};

Product RandomProduct(std::mt19937& random, int64_t m, int64_t k, int64_t n,
                      ElementFormat left, ElementFormat right) {
  Product product(m, k, n, left, right);
  const auto fill = [&random](TestTile& tile, int low, int high) {
    std::vector<uint32_t> codes;
    for (int64_t i = 0; i < tile.type().rows * tile.type().cols; ++i) {
      codes.push_back(low + random() % (high - low + 1));
    }
    tile = TestTile::OfCodes(tile.type(), codes);
  };
  fill(product.a, 0, static_cast<int>(LargestFiniteCode(left)));
  fill(product.b, 0, static_cast<int>(LargestFiniteCode(right)));
  fill(product.a_scale, 110, 140);
  fill(product.b_scale, 110, 140);
  return product;
}

// ---- What is computed

// scales n0: (1, 2), n1: (4, 8), all elements 1: 32*1 + 32*2 and 32*4 + 32*8.
TEST(MatmulMxTest, ScalesOfBAreGroupsByColumns) {
  Product p(1, 64, 2);
  p.a = TestTile::OfValues(p.a.type(), std::vector<float>(64, 1.0f));
  p.b = TestTile::OfValues(p.b.type(), std::vector<float>(128, 1.0f));
  p.b_scale = TestTile::OfCodes(p.b_scale.type(), {127, 129, 128, 130});
  MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
  EXPECT_EQ(p.c.Values(), (std::vector<float>{96, 384}));
}

TEST(MatmulMxTest, ScalesOfAAreGroupsByRows) {
  Product p(2, 64, 1);
  p.a = TestTile::OfValues(p.a.type(), std::vector<float>(128, 1.0f));
  p.b = TestTile::OfValues(p.b.type(), std::vector<float>(64, 1.0f));
  p.a_scale = TestTile::OfCodes(p.a_scale.type(), {127, 128, 129, 130});
  MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
  EXPECT_EQ(p.c.Values(), (std::vector<float>{96, 384}));
}

// 2^24 + 1 - 2^24: the order of the steps shows.
TEST(MatmulMxTest, StepsRoundInTheOrderOfK) {
  Product p(1, 64, 1, kE5M2, kE5M2);
  p.a.SetCode(0, 0, 0x6C);  // 2^12
  p.b.SetCode(0, 0, 0x6C);
  p.a.SetCode(0, 1, 0x3C);  // 1
  p.b.SetCode(1, 0, 0x3C);
  p.a.SetCode(0, 2, 0xEC);  // -2^12
  p.b.SetCode(2, 0, 0x6C);
  MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
  EXPECT_EQ(p.c.Values(), std::vector<float>{0});  // 2^24 + 1 is 2^24
  // The other way round it is exact.
  p.a.SetCode(0, 1, 0xEC);
  p.b.SetCode(1, 0, 0x6C);
  p.a.SetCode(0, 2, 0x3C);
  p.b.SetCode(2, 0, 0x3C);
  MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
  EXPECT_EQ(p.c.Values(), std::vector<float>{1});
}

// 2^24 as the start and two products of 1: first, it takes each of them away;
// last, it takes their sum.
TEST(MatmulMxTest, StartIsFirstOrLast) {
  Product p(1, 64, 1);
  for (const int k : {0, 1}) {
    p.a.SetCode(0, k, 0x38);
    p.b.SetCode(k, 0, 0x38);
  }
  const TestTile start = TestTile::OfValues(FullTile(kF32, 1, 1), {0x1p24f});
  MatmulMxOptions last;
  last.order = AccumulateOrder::kAddLast;
  for (const bool bias : {false, true}) {
    MatmulMxTiles tiles = p.Tiles();
    (bias ? tiles.bias : tiles.c_in) = start.const_view();
    MX_ASSERT_OK(MatmulMx(tiles, {}));
    EXPECT_EQ(p.c.Values(), std::vector<float>{0x1p24f});
    MX_ASSERT_OK(MatmulMx(tiles, last));
    EXPECT_EQ(p.c.Values(), std::vector<float>{0x1p24f + 2});
  }
}

TEST(MatmulMxTest, AccumulatesInPlace) {
  Product p(2, 64, 2);
  p.c = TestTile::OfValues(p.c.type(), {1, 2, 3, 4});
  p.a.SetCode(1, 3, 0x38);
  p.b.SetCode(3, 0, 0x38);
  MatmulMxTiles tiles = p.Tiles();
  tiles.c_in = p.c.const_view();
  MX_ASSERT_OK(MatmulMx(tiles, {}));
  EXPECT_EQ(p.c.Values(), (std::vector<float>{1, 2, 4, 4}));
}

TEST(MatmulMxTest, BiasIsOfAColumn) {
  Product p(2, 64, 3);
  const TestTile bias = TestTile::OfValues(FullTile(kF32, 1, 3), {1, 2, 3});
  MatmulMxTiles tiles = p.Tiles();
  tiles.bias = bias.const_view();
  MX_ASSERT_OK(MatmulMx(tiles, {}));
  EXPECT_EQ(p.c.Values(), (std::vector<float>{1, 2, 3, 1, 2, 3}));
}

TEST(MatmulMxTest, EveryPairOfScales) {
  for (int sa = 0; sa < 256; ++sa) {
    Product p(1, 64, 256);
    p.a.SetCode(0, 40, 0x38);
    std::vector<uint32_t> scales = Filled(512, 127);
    for (int sb = 0; sb < 256; ++sb) {
      p.b.SetCode(40, sb, 0x38);
      scales[256 + sb] = sb;
    }
    p.b_scale = TestTile::OfCodes(p.b_scale.type(), scales);
    p.a_scale.SetCode(0, 1, sa);
    MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
    const std::vector<uint32_t> bits = p.c.Codes();
    const std::vector<float> values = p.c.Values();
    for (int sb = 0; sb < 256; ++sb) {
      if (sa == 255 || sb == 255) {
        ASSERT_EQ(bits[sb], 0x7FC00000) << sa << " " << sb;
      } else {
        ASSERT_EQ(values[sb],
                  static_cast<float>(std::ldexp(1.0, sa + sb - 254)))
            << sa << " " << sb;
      }
    }
  }
}

// Against the text of the formula, over values read by the test.
TEST(MatmulMxTest, EveryPairOfFormatsInEveryLayout) {
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (const auto& [left, right] :
       std::vector<std::pair<ElementFormat, ElementFormat>>{{kE4M3, kE4M3},
                                                            {kE4M3, kE5M2},
                                                            {kE5M2, kE4M3},
                                                            {kE5M2, kE5M2},
                                                            {kE2M1, kE2M1},
                                                            {kE2M1, kE1M2},
                                                            {kE1M2, kE2M1},
                                                            {kE1M2, kE1M2}}) {
    constexpr int64_t kM = 19, kK = 128, kN = 34;
    Product p = RandomProduct(random, kM, kK, kN, left, right);
    const std::vector<float> a = p.a.Values(), b = p.b.Values();
    const std::vector<float> sa = p.a_scale.Values(), sb = p.b_scale.Values();
    std::vector<float> expected;
    for (int64_t m = 0; m < kM; ++m) {
      for (int64_t n = 0; n < kN; ++n) {
        float acc = 0;
        for (int64_t k = 0; k < kK; ++k) {
          const double scale =
              double{sa[m * 4 + k / 32]} * double{sb[k / 32 * kN + n]};
          acc = static_cast<float>(acc + double{a[m * kK + k]} * b[k * kN + n] *
                                             scale);
        }
        expected.push_back(acc);
      }
    }
    MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
    EXPECT_EQ(p.c.Values(), expected) << Name(left) << " " << Name(right);
    // The same in the layouts of L0.
    const auto moved = [](const TestTile& tile, TileLayout layout) {
      TileType type = tile.type();
      type.layout = layout;
      TestTile to(type);
      EXPECT_THAT(TMov(to.view(), tile.const_view()), IsOk());
      return to;
    };
    p.a = moved(p.a, TileLayout::kNz);
    p.b = moved(p.b, TileLayout::kZn);
    p.a_scale = moved(p.a_scale, TileLayout::kZz);
    p.b_scale = moved(p.b_scale, TileLayout::kNn);
    MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
    EXPECT_EQ(p.c.Values(), expected) << Name(left) << " " << Name(right);
  }
}

// Rows and columns beyond the valid ones are neither read nor written.
TEST(MatmulMxTest, OnlyTheValidRegionCounts) {
  Product p(2, 64, 3);
  p.a.SetCode(1, 0, 0x38);
  p.b.SetCode(0, 2, 0x40);
  const auto widened = [](const TestTile& tile, int64_t pitch) {
    TileType type = tile.type();
    type.rows += 1;
    type.cols += 1;
    type.pitch = pitch;
    return TestTile::OfCodes(type, tile.Codes());
  };
  MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
  const std::vector<uint32_t> expected = p.c.Codes();
  EXPECT_EQ(p.c.Values(), (std::vector<float>{0, 0, 0, 0, 0, 2}));
  p.a = widened(p.a, 80);
  p.b = widened(p.b, 4);
  p.a_scale = widened(p.a_scale, 8);
  p.b_scale = widened(p.b_scale, 4);
  p.c = TestTile({kF32, 3, 4, 2, 3, TileLayout::kNd, 5});
  MX_ASSERT_OK(MatmulMx(p.Tiles(), {}));
  EXPECT_EQ(p.c.bytes(), TestTile::OfCodes(p.c.type(), expected).bytes());
}

// ---- Special values

// One product of the given codes (a scale of 1 each).
float OneProduct(ElementFormat left, uint32_t a, ElementFormat right,
                 uint32_t b, bool saturate) {
  Product p(1, 64, 1, left, right);
  p.a.SetCode(0, 0, a);
  p.b.SetCode(0, 0, b);
  MatmulMxOptions options;
  options.saturate = saturate;
  EXPECT_THAT(MatmulMx(p.Tiles(), options), IsOk());
  return p.c.Values()[0];
}

TEST(MatmulMxTest, SpecialCodesAreWhatTheFormatsSay) {
  EXPECT_TRUE(std::isnan(OneProduct(kE4M3, 0x7F, kE4M3, 0x38, false)));
  EXPECT_TRUE(std::isnan(OneProduct(kE4M3, 0xFF, kE4M3, 0x00, false)));
  EXPECT_TRUE(std::isnan(OneProduct(kE5M2, 0x3C, kE5M2, 0x7D, false)));
  EXPECT_EQ(OneProduct(kE5M2, 0x7C, kE5M2, 0xBC, false), -kInf);
  EXPECT_TRUE(std::isnan(OneProduct(kE5M2, 0x7C, kE5M2, 0x00, false)));
}

TEST(MatmulMxTest, SaturatingTakesSpecialsForNumbers) {
  EXPECT_EQ(OneProduct(kE4M3, 0x7F, kE4M3, 0x38, true), 0);
  EXPECT_EQ(OneProduct(kE5M2, 0x7C, kE5M2, 0xBC, true), -57344);
  EXPECT_EQ(OneProduct(kE5M2, 0x7C, kE5M2, 0x00, true), 0);
  // 57344 * 57344
  EXPECT_EQ(OneProduct(kE5M2, 0x7C, kE5M2, 0x7C, true), 57344.0f * 57344.0f);
}

TEST(MatmulMxTest, SumsOverflowOrSaturate) {
  Product p(1, 64, 1);
  for (const int k : {0, 1}) {
    p.a.SetCode(0, k, 0x7E);
    p.b.SetCode(k, 0, 0x7E);
  }
  p.a.SetCode(0, 2, 0xFE);
  p.b.SetCode(2, 0, 0x7E);
  p.a_scale.SetCode(0, 0, 254);
  MatmulMxTiles tiles = p.Tiles();
  MX_ASSERT_OK(MatmulMx(tiles, {}));
  EXPECT_EQ(p.c.Values(), std::vector<float>{kInf});
  MatmulMxOptions saturate;
  saturate.saturate = true;
  MX_ASSERT_OK(MatmulMx(tiles, saturate));
  // The largest float after two steps; the third overflows to the other side.
  EXPECT_EQ(p.c.Values(), std::vector<float>{-kMax});
  // A start that is no number is one when saturating.
  const TestTile start =
      TestTile::OfValues(FullTile(kF32, 1, 1), {std::nanf("")});
  Product zero(1, 64, 1);
  tiles = zero.Tiles();
  tiles.c_in = start.const_view();
  MX_ASSERT_OK(MatmulMx(tiles, {}));
  EXPECT_EQ(zero.c.Codes(), std::vector<uint32_t>{0x7FC00000});
  MX_ASSERT_OK(MatmulMx(tiles, saturate));
  EXPECT_EQ(zero.c.Values(), std::vector<float>{0});
}

// ---- What is refused

class MatmulMxErrorTest : public ::testing::Test {
 protected:
  void ExpectRefused(const MatmulMxTiles& tiles, const std::string& rule,
                     const std::string& words,
                     const MatmulMxOptions& options = {}) {
    EXPECT_THAT(MatmulMx(tiles, options),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("MMAD_MX"), HasSubstr(words),
                               HasSubstr(rule))));
    EXPECT_EQ(p_.c.bytes(), TestTile(p_.c.type()).bytes());
  }

  Product p_ = Product(2, 64, 3);
};

TEST_F(MatmulMxErrorTest, Formats_KERNEL_MATMUL_1) {
  const auto with = [this](auto change) {
    MatmulMxTiles tiles = p_.Tiles();
    change(tiles);
    return tiles;
  };
  constexpr const char* kRule = "KERNEL-MATMUL-1";
  ExpectRefused(with([](auto& t) { t.a.type.format = kE8M0; }), kRule, "'a'");
  ExpectRefused(with([](auto& t) { t.b.type.format = kE2M1; }), kRule,
                "since 'a' has 8 bits");
  ExpectRefused(with([](auto& t) { t.a.type.format = kE2M1; }), kRule,
                "since 'a' has 4 bits");
  ExpectRefused(with([](auto& t) { t.a_scale.type.format = kE4M3; }), kRule,
                "'a_scale'");
  ExpectRefused(with([](auto& t) { t.b_scale.type.format = kE4M3; }), kRule,
                "'b_scale'");
  ExpectRefused(with([](auto& t) { t.c.type.format = ElementFormat::kBF16; }),
                kRule, "'c'");
  ExpectRefused(with([](auto& t) { t.c.type.layout = TileLayout::kNz; }), kRule,
                "row-major f32");
  ExpectRefused(with([](auto& t) { t.c_in = t.a; }), kRule, "'c_in'");
  ExpectRefused(with([](auto& t) { t.bias = t.a; }), kRule, "'bias'");
}

TEST_F(MatmulMxErrorTest, Shapes_KERNEL_MATMUL_2) {
  constexpr const char* kRule = "KERNEL-MATMUL-2";
  Product other(3, 128, 4);
  const auto with = [this](auto change) {
    MatmulMxTiles tiles = p_.Tiles();
    change(tiles);
    return tiles;
  };
  ExpectRefused(with([&](auto& t) { t.b = other.b.const_view(); }), kRule,
                "'b'");
  ExpectRefused(with([&](auto& t) { t.a_scale = other.a_scale.const_view(); }),
                kRule, "'a_scale'");
  ExpectRefused(with([&](auto& t) { t.b_scale = other.b_scale.const_view(); }),
                kRule, "'b_scale', f8E8M0FNU ND [4, 4], must be [2, 3]");
  ExpectRefused(with([&](auto& t) { t.c = other.c.view(); }), kRule, "'c'");
  ExpectRefused(with([&](auto& t) { t.c_in = other.c.const_view(); }), kRule,
                "'c_in'");
  ExpectRefused(with([&](auto& t) { t.bias = other.c.const_view(); }), kRule,
                "'bias', f32 ND [3, 4], must be [1, 3]");
}

TEST_F(MatmulMxErrorTest, Extents_KERNEL_MATMUL_3) {
  for (const auto& [m, k, n] :
       std::vector<std::tuple<int, int, int>>{{1, 32, 1},
                                              {1, 96, 1},
                                              {4096, 64, 1},
                                              {1, 64, 4096},
                                              {1, 4096, 1}}) {
    Product large(m, k, n);
    ExpectRefused(large.Tiles(), "KERNEL-MATMUL-3",
                  "in 1 .. 4095 and K a multiple of 64");
  }
  Product widest(1, 64, 4095);
  MX_EXPECT_OK(MatmulMx(widest.Tiles(), {}));
}

TEST_F(MatmulMxErrorTest, TwoStarts_KERNEL_MATMUL_4) {
  const TestTile bias(FullTile(kF32, 1, 3));
  const TestTile c_in(FullTile(kF32, 2, 3));
  MatmulMxTiles tiles = p_.Tiles();
  tiles.bias = bias.const_view();
  tiles.c_in = c_in.const_view();
  ExpectRefused(tiles, "KERNEL-MATMUL-4", "'c_in' and 'bias'");
}

TEST_F(MatmulMxErrorTest, GemvOfTwoRows_KERNEL_MATMUL_5) {
  MatmulMxOptions gemv;
  gemv.gemv = true;
  ExpectRefused(p_.Tiles(), "KERNEL-MATMUL-5", "has 2 valid rows", gemv);
}

TEST_F(MatmulMxErrorTest, SharedBytes_TILE_VIEW_5) {
  std::vector<uint8_t> bytes(1024, TestTile::kUnset);
  MatmulMxTiles tiles = p_.Tiles();
  tiles.c.bytes = absl::MakeSpan(bytes);
  tiles.a.bytes = bytes;
  ExpectRefused(tiles, "TILE-VIEW-5", "'c' and 'a' share bytes");
  // In place means the same tile, not one that is shifted.
  tiles = p_.Tiles();
  tiles.c.bytes = absl::MakeSpan(bytes);
  tiles.c_in =
      ConstTileView{p_.c.type(), absl::MakeConstSpan(bytes).subspan(4)};
  ExpectRefused(tiles, "TILE-VIEW-5", "'c' and 'c_in' share bytes");
  EXPECT_EQ(bytes, std::vector<uint8_t>(1024, TestTile::kUnset));
}

}  // namespace
}  // namespace mxtile
