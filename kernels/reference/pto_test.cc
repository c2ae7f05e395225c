// The names of PTO-ISA reach the run-time functions with the arguments that
// they stand for. What those compute has tests of its own.

#include "kernels/reference/pto.h"

#include <cstdint>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;

constexpr ElementFormat kBF16 = ElementFormat::kBF16;
constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kF32 = ElementFormat::kF32;

static_assert(static_cast<int>(MxQuantAlg::NvMxFp4E2M1) == 3);
static_assert(AlgOf(QuantType::MXFP8, QuantScaleAlg::OCP) ==
              MxQuantAlg::OcpMxFp8E4M3);
static_assert(AlgOf(QuantType::MXFP8, QuantScaleAlg::NV) ==
              MxQuantAlg::NvMxFp8E4M3);
static_assert(AlgOf(QuantType::MXFP4_E2M1, QuantScaleAlg::OCP) ==
              MxQuantAlg::OcpMxFp4E2M1);
static_assert(AlgOf(QuantType::MXFP4_E2M1, QuantScaleAlg::NV) ==
              MxQuantAlg::NvMxFp4E2M1);

TestTile Source() {
  std::mt19937 random(17);
  std::vector<float> values;
  for (int i = 0; i < 64 * 64; ++i) {
    values.push_back(static_cast<float>(random() % 1000) / 7);
  }
  return TestTile::OfValues(FullTile(kBF16, 64, 64), values);
}

struct Outputs {
  Outputs(ElementFormat format, int64_t rows, int64_t cols)
      : dst(FullTile(format, 64, 64)),
        exp(FullTile(kE8M0, rows, cols)),
        max(FullTile(kBF16, rows, cols)),
        scaling(FullTile(kBF16, rows, cols)) {}

  bool operator==(const Outputs& other) const {
    return dst.bytes() == other.dst.bytes() &&
           exp.bytes() == other.exp.bytes() &&
           max.bytes() == other.max.bytes() &&
           scaling.bytes() == other.scaling.bytes();
  }

  TestTile dst, exp, max, scaling;
};

template <int grp_axis, MxQuantAlg alg>
void ExpectAlgorithm() {
  const TestTile src = Source();
  const int64_t rows = grp_axis == 1 ? 64 : 2;
  Outputs ours(FormatOf(alg), rows, 128 / rows);
  Outputs expected(FormatOf(alg), rows, 128 / rows);
  const TileView exp = ours.exp.view();
  const TileView max = ours.max.view();
  const TileView scaling = ours.scaling.view();
  MX_ASSERT_OK((TQUANT<grp_axis, alg>(ours.dst.view(), src.const_view(), &exp,
                                      &max, &scaling)));
  MX_ASSERT_OK(
      TQuant({grp_axis == 1 ? GroupAxis::kAxis1 : GroupAxis::kAxis0,
              RuleOf(alg), FormatOf(alg)},
             {expected.dst.view(), src.const_view(), expected.exp.view(),
              expected.max.view(), expected.scaling.view()}));
  EXPECT_TRUE(ours == expected);
}

TEST(PtoTest, TQuantHasFourAlgorithmsAlongTwoAxes) {
  ExpectAlgorithm<0, MxQuantAlg::OcpMxFp8E4M3>();
  ExpectAlgorithm<0, MxQuantAlg::NvMxFp8E4M3>();
  ExpectAlgorithm<0, MxQuantAlg::OcpMxFp4E2M1>();
  ExpectAlgorithm<0, MxQuantAlg::NvMxFp4E2M1>();
  ExpectAlgorithm<1, MxQuantAlg::OcpMxFp8E4M3>();
  ExpectAlgorithm<1, MxQuantAlg::NvMxFp8E4M3>();
  ExpectAlgorithm<1, MxQuantAlg::OcpMxFp4E2M1>();
  ExpectAlgorithm<1, MxQuantAlg::NvMxFp4E2M1>();
}

template <MxQuantAlg alg, QuantType type, QuantScaleAlg... scale>
void ExpectLegacy() {
  const TestTile src = Source();
  Outputs legacy(FormatOf(alg), 64, 2);
  Outputs expected(FormatOf(alg), 64, 2);
  const auto call = [&src](Outputs& to, auto quantize) {
    const TileView exp = to.exp.view();
    const TileView max = to.max.view();
    const TileView scaling = to.scaling.view();
    MX_EXPECT_OK(
        quantize(to.dst.view(), src.const_view(), &exp, &max, &scaling));
  };
  call(legacy, [](auto... args) { return TQUANT<type, scale...>(args...); });
  call(expected, [](auto... args) { return TQUANT<1, alg>(args...); });
  EXPECT_TRUE(legacy == expected);
}

TEST(PtoTest, LegacyTQuantIsAlongAxis1) {
  ExpectLegacy<MxQuantAlg::OcpMxFp8E4M3, QuantType::MXFP8>();
  ExpectLegacy<MxQuantAlg::OcpMxFp8E4M3, QuantType::MXFP8,
               QuantScaleAlg::OCP>();
  ExpectLegacy<MxQuantAlg::NvMxFp8E4M3, QuantType::MXFP8, QuantScaleAlg::NV>();
  ExpectLegacy<MxQuantAlg::OcpMxFp4E2M1, QuantType::MXFP4_E2M1>();
  ExpectLegacy<MxQuantAlg::NvMxFp4E2M1, QuantType::MXFP4_E2M1,
               QuantScaleAlg::NV>();
}

TEST(PtoTest, FormsOfExponentsAreTypes) {
  const TestTile src = Source();
  Outputs nd(kE4M3, 64, 2);
  Outputs dn(kE4M3, 2, 64);
  TestTile flat(FullTile(kE8M0, 1, 128));
  TestTile pairs(FullTile(kE8M0, 1, 128));
  TestTile pairs_by_flag(FullTile(kE8M0, 1, 128));
  const TileView nd_max = nd.max.view(), nd_scaling = nd.scaling.view();
  const TileView dn_max = dn.max.view(), dn_scaling = dn.scaling.view();
  const FlatGroupTile flat_exp = {flat.view()};
  MX_ASSERT_OK((TQUANT<1, MxQuantAlg::OcpMxFp8E4M3>(
      nd.dst.view(), src.const_view(), &flat_exp, &nd_max, &nd_scaling)));
  const InterleavedGroupTile pair_exp = {pairs.view()};
  MX_ASSERT_OK((TQUANT<0, MxQuantAlg::OcpMxFp8E4M3>(
      dn.dst.view(), src.const_view(), &pair_exp, &dn_max, &dn_scaling)));
  const TileView flag_exp = pairs_by_flag.view();
  MX_ASSERT_OK((TQUANT<0, MxQuantAlg::OcpMxFp8E4M3, true>(
      dn.dst.view(), src.const_view(), &flag_exp, &dn_max, &dn_scaling)));
  EXPECT_EQ(pairs.bytes(), pairs_by_flag.bytes());
  EXPECT_NE(pairs.bytes(), TestTile(pairs.type()).bytes());
  EXPECT_NE(flat.bytes(), TestTile(flat.type()).bytes());
}

// The flow of the seed: DN data and exponents into the boxes of the cube.
TEST(PtoTest, TMovOfDataAndExponents) {
  std::vector<uint32_t> codes;
  for (uint32_t i = 0; i < 128; ++i) codes.push_back(i);
  const TestTile exp = TestTile::OfCodes(FullTile(kE8M0, 4, 32), codes);
  TestTile tmp(FullTile(kE8M0, 1, 1));
  TestTile dn_zz(FullTile(kE8M0, 32, 4, TileLayout::kZz));
  MX_ASSERT_OK(TMOV<0>(dn_zz.view(), exp.const_view(), tmp.view()));
  EXPECT_EQ(dn_zz.bytes()[1], 32);  // (1, 0)
  TestTile nd_zz(FullTile(kE8M0, 16, 32, TileLayout::kZz));
  MX_ASSERT_OK(TMOV(nd_zz.view(), exp.const_view(), tmp.view()));
  EXPECT_EQ(nd_zz.bytes()[1], 1);  // (0, 1)
  TestTile single(FullTile(kE8M0, 1, 32));
  const TestTile row = TestTile::OfCodes(
      FullTile(kE8M0, 1, 32), absl::MakeConstSpan(codes).subspan(0, 32));
  MX_ASSERT_OK(TMOV<0>(single.view(), row.const_view(), tmp.view()));
  EXPECT_EQ(single.bytes(), row.bytes());
  const TestTile data = TestTile::OfCodes(FullTile(kE4M3, 2, 64), codes);
  TestTile nz(FullTile(kE4M3, 16, 64, TileLayout::kNz));
  MX_ASSERT_OK(TMOV(nz.view(), data.const_view()));
  EXPECT_EQ(nz.bytes()[32], 64);  // (1, 0)
}

TEST(PtoTest, ProductsStartFromTheirOperand) {
  const TestTile a =
      TestTile::OfValues(FullTile(kE4M3, 1, 64), std::vector<float>(64, 1.0f));
  const TestTile b =
      TestTile::OfValues(FullTile(kE4M3, 64, 1), std::vector<float>(64, 1.0f));
  const TestTile sa = TestTile::OfCodes(FullTile(kE8M0, 1, 2), {127, 127});
  const TestTile sb = TestTile::OfCodes(FullTile(kE8M0, 2, 1), {127, 128});
  const TestTile start = TestTile::OfValues(FullTile(kF32, 1, 1), {0.5f});
  TestTile c(FullTile(kF32, 1, 1));
  const auto av = a.const_view(), bv = b.const_view();
  const auto sav = sa.const_view(), sbv = sb.const_view();
  const auto value = [&c] { return c.Values()[0]; };
  MX_EXPECT_OK(TMATMUL_MX(c.view(), av, sav, bv, sbv));
  EXPECT_EQ(value(), 96);
  MX_EXPECT_OK(TMATMUL_MX_ACC(c.view(), start.const_view(), av, sav, bv, sbv));
  EXPECT_EQ(value(), 96.5f);
  MX_EXPECT_OK(TGEMV_MX(c.view(), av, sav, bv, sbv));
  EXPECT_EQ(value(), 96);
  MX_EXPECT_OK(TMATMUL_MX_BIAS(c.view(), av, sav, bv, sbv, start.const_view()));
  EXPECT_EQ(value(), 96.5f);
  MX_EXPECT_OK(TGEMV_MX(c.view(), av, sav, bv, sbv));
  MX_EXPECT_OK(TGEMV_MX_ACC(c.view(), start.const_view(), av, sav, bv, sbv));
  EXPECT_EQ(value(), 96.5f);
  MX_EXPECT_OK(TGEMV_MX(c.view(), av, sav, bv, sbv));
  MX_EXPECT_OK(TGEMV_MX_BIAS(c.view(), av, sav, bv, sbv, start.const_view()));
  EXPECT_EQ(value(), 96.5f);
}

TEST(PtoTest, GemvHasOneRow) {
  const TestTile a(FullTile(kE2M1, 2, 64));
  const TestTile b(FullTile(kE2M1, 64, 2));
  const TestTile sa(FullTile(kE8M0, 2, 2)), sb(FullTile(kE8M0, 2, 2));
  TestTile c(FullTile(kF32, 2, 2));
  EXPECT_THAT(TGEMV_MX(c.view(), a.const_view(), sa.const_view(),
                       b.const_view(), sb.const_view()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("KERNEL-MATMUL-5")));
  MX_EXPECT_OK(TMATMUL_MX(c.view(), a.const_view(), sa.const_view(),
                          b.const_view(), sb.const_view()));
}

}  // namespace
}  // namespace mxtile
