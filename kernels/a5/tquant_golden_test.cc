// TQUANT on the vector unit, on the vectors of the public simulator and on all
// halves and bfloats: the outputs are the reference's, which its own tests hold
// against the vectors and against exact integers.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/tquant.h"
#include "kernels/a5/ub_test_util.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/golden_vectors_test_util.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/reference/tquant.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;

// 2-D tiles of groups; along axis 0 their rows are whole blocks.
TileType GroupType(GroupAxis axis, ElementFormat format,
                   const GroupShape& groups) {
  TileType type = FullTile(format, groups.rows, groups.cols);
  if (axis == GroupAxis::kAxis0) type.pitch = (groups.cols + 31) / 32 * 32;
  return type;
}

void ExpectModelEqualsReference(const TQuantOptions& options,
                                const TestTile& src) {
  const GroupShape groups = ShapeOfGroups(options.axis, src.type());
  TileType dst_type = src.type();
  dst_type.format = options.format;
  const TileType exp_type = GroupType(options.axis, kE8M0, groups);
  const TileType scratch_type =
      GroupType(options.axis, src.type().format, groups);
  TestTile dst(dst_type), exp(exp_type), max(scratch_type),
      scaling(scratch_type);
  ASSERT_THAT(mxtile::TQuant(options, {dst.view(), src.const_view(), exp.view(),
                                       max.view(), scaling.view()}),
              IsOk());
  Machine machine;
  VectorUnit unit(machine);
  UbArena arena(machine, unit);
  const UbTile ub_src = arena.Place("src", src.const_view());
  const UbTile ub_dst = arena.Place("dst", dst_type);
  const UbTile ub_exp = arena.Place("exp", exp_type);
  const UbTile ub_max = arena.Place("max", scratch_type);
  const UbTile ub_scaling = arena.Place("scaling", scratch_type);
  ASSERT_THAT(
      TQuant(unit, options, {ub_dst, ub_src, {ub_exp}, {ub_max}, {ub_scaling}}),
      IsOk());
  ASSERT_THAT(unit.Finish(), IsOk());
  EXPECT_EQ(arena.Bytes(ub_dst), dst.bytes());
  EXPECT_EQ(arena.Bytes(ub_exp), exp.bytes());
  EXPECT_EQ(arena.Bytes(ub_max), max.bytes());
  EXPECT_EQ(arena.Bytes(ub_scaling), scaling.bytes());
  arena.ExpectGuardsUntouched();
}

ElementFormat SourceFormatOf(const std::string& name) {
  if (name == "fp32") return ElementFormat::kF32;
  return name == "bf16" ? ElementFormat::kBF16 : ElementFormat::kF16;
}

MxQuantAlg AlgOf(const std::string& name) {
  if (name == "OcpMxFp8E4M3") return MxQuantAlg::OcpMxFp8E4M3;
  if (name == "NvMxFp8E4M3") return MxQuantAlg::NvMxFp8E4M3;
  return name == "OcpMxFp4E2M1" ? MxQuantAlg::OcpMxFp4E2M1
                                : MxQuantAlg::NvMxFp4E2M1;
}

TEST(TQuantGoldenTest, EveryCase) {
  int compared = 0;
  for (const char* operation : {"TQUANT_ND", "TQUANT_DN"}) {
    for (const GoldenCase& golden : LoadGoldenCases(operation)) {
      SCOPED_TRACE(golden.name());
      const MxQuantAlg alg = AlgOf(golden.Text("alg"));
      TestTile src(FullTile(SourceFormatOf(golden.Text("src_dtype")),
                            golden.Extents("shape")[0],
                            golden.Extents("shape")[1]));
      const absl::Span<const uint8_t> bytes = golden.Bytes("src");
      std::copy(bytes.begin(), bytes.end(), src.view().bytes.begin());
      ExpectModelEqualsReference(
          {static_cast<GroupAxis>(golden.Number("grp_axis")), RuleOf(alg),
           FormatOf(alg), /*extensions=*/true},
          src);
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
          ExpectModelEqualsReference({axis, RuleOf(alg), FormatOf(alg)}, src);
        }
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
