// TQUANT on the vector unit, on the vectors of the public simulator and on all
// halves and bfloats: the outputs are the reference's, which its own tests hold
// against the vectors and against exact integers.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "kernels/a5/tquant_test_util.h"
#include "kernels/golden_vectors_test_util.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {
namespace {

TEST(TQuantGoldenTest, EveryCase) {
  int compared = 0;
  for (const char* operation : {"TQUANT_ND", "TQUANT_DN"}) {
    for (const GoldenCase& golden : LoadGoldenCases(operation)) {
      SCOPED_TRACE(golden.name());
      const MxQuantAlg alg = AlgOf(golden);
      TestTile src(FullTile(SourceFormatOf(golden), golden.Extents("shape")[0],
                            golden.Extents("shape")[1]));
      const absl::Span<const uint8_t> bytes = golden.Bytes("src");
      std::copy(bytes.begin(), bytes.end(), src.view().bytes.begin());
      const TQuantOptions options = {
          static_cast<GroupAxis>(golden.Number("grp_axis")), RuleOf(alg),
          FormatOf(alg), /*extensions=*/true};
      ExpectModelEqualsReference(WholeTileCase(options, src.type()), src);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 144);
}

// Each of 2^16 values is once the first of its group, and its own maximum but
// for a smaller value beside it; 32 tiles of [64, 1024] have them all.
TEST(TQuantHalvesTest, EveryHalfAndBFloat) {
  constexpr int64_t kRows = 64;
  constexpr int64_t kCols = 1024;
  for (const ElementFormat source :
       {ElementFormat::kBF16, ElementFormat::kF16}) {
    for (const GroupAxis axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
      const int64_t groups = kRows * kCols / 32;
      for (int64_t first = 0; first < 65536; first += groups) {
        std::vector<uint32_t> codes(kRows * kCols, 0);
        for (int64_t group = 0; group < groups; ++group) {
          const bool along_rows = axis == GroupAxis::kAxis1;
          const int64_t at = along_rows
                                 ? group * 32
                                 : group / kCols * 32 * kCols + group % kCols;
          const int64_t step = along_rows ? 1 : kCols;
          codes[at] = first + group;
          // A power of two below: the value's exponent minus 3, at least 0.
          codes[at + 7 * step] = (first + group) & 0x7C00;
          codes[at + 31 * step] = ((first + group) ^ 0x8000) & 0xFF80;
        }
        const TestTile src =
            TestTile::OfCodes(FullTile(source, kRows, kCols), codes);
        for (const MxQuantAlg alg : kMxQuantAlgs) {
          SCOPED_TRACE(absl::StrCat(Name(source), " axis ",
                                    static_cast<int>(axis), " from ", first,
                                    " algorithm ", static_cast<int>(alg)));
          const TQuantOptions options = {axis, RuleOf(alg), FormatOf(alg)};
          ExpectModelEqualsReference(WholeTileCase(options, src.type()), src);
        }
        if (HasFailure()) return;
      }
    }
  }
}

// ---- faults of the public kernel that must not be ours; the numbers are those
// of the project's cases around PTO-ISA

TestTile Ordinary(const TileType& type) {
  std::vector<float> values;
  for (int64_t i = 0; i < type.valid_rows * type.valid_cols; ++i) {
    values.push_back(static_cast<float>(i % 251 - 125) / 32 *
                     static_cast<float>(1 << (i / 32 % 7)));
  }
  return TestTile::OfValues(type, values);
}

void ExpectOrdinary(MxQuantAlg alg, GroupAxis axis, const TileType& src,
                    GroupForm form = GroupForm::k2d) {
  const TQuantOptions options = {axis, RuleOf(alg), FormatOf(alg)};
  ExpectModelEqualsReference(WholeTileCase(options, src, form), Ordinary(src));
}

constexpr GroupAxis kAxis0 = GroupAxis::kAxis0;
constexpr GroupAxis kAxis1 = GroupAxis::kAxis1;
constexpr ElementFormat kF32 = ElementFormat::kF32;
constexpr ElementFormat kBF16 = ElementFormat::kBF16;
constexpr ElementFormat kF16 = ElementFormat::kF16;

// Fault 8: NV with a flat exponent tile took the OCP exponent: 7 has 128, not
// 127.
TEST(TQuantPublicFaultsTest, B1_FlatNvIsNv) {
  for (const ElementFormat source : {kBF16, kF16}) {
    const TileType type = FullTile(source, 2, 32);
    const TestTile src = TestTile::OfValues(type, std::vector<float>(64, 7.0f));
    const MxQuantAlg alg = MxQuantAlg::NvMxFp4E2M1;
    ExpectModelEqualsReference(
        WholeTileCase({kAxis1, RuleOf(alg), FormatOf(alg)}, type,
                      GroupForm::kFlat),
        src);
  }
}

// Fault 9: a mask that was not set, in tiles of whole 4096 elements.
TEST(TQuantPublicFaultsTest, B2_B16TilesOf4096) {
  for (const ElementFormat source : {kBF16, kF16}) {
    for (const MxQuantAlg alg : kMxQuantAlgs) {
      ExpectOrdinary(alg, kAxis1, FullTile(source, 64, 64), GroupForm::kFlat);
      ExpectOrdinary(alg, kAxis1, FullTile(source, 32, 256), GroupForm::kFlat);
    }
  }
}

// Fault 10: 78 groups, and the last step stored 128.
TEST(TQuantPublicFaultsTest, B3_LastStepStoresWhatIsLeft) {
  ExpectOrdinary(MxQuantAlg::OcpMxFp8E4M3, kAxis1, FullTile(kF32, 13, 192),
                 GroupForm::kFlat);
}

// Fault 11: the scaling tile held each scale twice. Ours is of M * N / 32
// floats, and the guard behind it is untouched.
TEST(TQuantPublicFaultsTest, B4_ScalesAreStoredOnce) {
  ExpectOrdinary(MxQuantAlg::OcpMxFp8E4M3, kAxis1, FullTile(kF32, 64, 64),
                 GroupForm::kFlat);
}

// Fault 12: what lay beside the valid columns of floats was in the last group.
TEST(TQuantPublicFaultsTest, PaddingOfFloatsDoesNotCount) {
  for (const GroupForm form : {GroupForm::k2d, GroupForm::kFlat}) {
    TileType type = FullTile(kF32, 4, 96);
    type.valid_cols = 50;
    TestTile src = Ordinary(type);
    for (int64_t row = 0; row < 4; ++row) {
      src.SetCode(row, 50, 0x7F7FFFFF);  // the largest float
    }
    ExpectModelEqualsReference(
        WholeTileCase({kAxis1, ScaleRule::kOcp, ElementFormat::kF8E4M3FN}, type,
                      form),
        src);
  }
}

// Rows of FP4 that begin at half a block, without scratch behind the tile.
TEST(TQuantPublicFaultsTest, B19_F4RowsAtHalfABlock) {
  ExpectOrdinary(MxQuantAlg::OcpMxFp4E2M1, kAxis0, FullTile(kF16, 64, 480));
}

// Fewer than 8 groups: the bytes beside the exponents are no scratch.
TEST(TQuantPublicFaultsTest, B20_BytesBesideExponentsStay) {
  const MxQuantAlg alg = MxQuantAlg::OcpMxFp8E4M3;
  QuantCase c = WholeTileCase({kAxis1, RuleOf(alg), FormatOf(alg)},
                              FullTile(kBF16, 2, 64));
  c.exp.cols = 32;
  ExpectModelEqualsReference(c, Ordinary(c.src));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
