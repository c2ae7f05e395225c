// Stores of scales with BlockMxOptions::kCompleteBoxes: U3, U4 and U12 of
// pypto_passes 5.7, versions 2 and 3, with the orientation checked.

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/text/text_program_test_util.h"
#include "passes/block_mx_scale_tensor_views/block_mx_test_util.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

// A tile of scales; `view` is what its TileView says.
std::string ScaleTile(absl::string_view dims, absl::string_view view,
                      absl::string_view dtype = "FP8E8M0") {
  return absl::StrCat("pl.Tile[", dims, ", pl.", dtype,
                      ", pl.Mem.Vec, pl.TileView(", view, ")]");
}
constexpr char kRows[] = "slayout=pl.TileLayout.row_major, fractal=32";
constexpr char kColumns[] =
    "blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major, "
    "fractal=32";

struct StoreCase {
  std::string name;
  std::string layout;  // Of the tensor: A [64, 8] or B [8, 64].
  std::string tile;    // Its type.
  std::string args;    // Behind the tile: $out stands for the tensor.
  // The arguments behind the pass, or the rule and what the error says behind
  // "tile.store of MX tensor 'out': ".
  std::string want;
  std::string message = {};
};
std::ostream& operator<<(std::ostream& os, const StoreCase& c) {
  return os << c.tile << " " << c.args;
}

std::string StoreProgram(const StoreCase& c, bool blocked) {
  const bool is_a = c.layout == "MX_A_ZZ";
  const std::string type = blocked ? (is_a ? BlockedA64x8() : BlockedB8x64())
                                   : (is_a ? ScaleA64x8() : ScaleB8x64());
  const std::string body =
      absl::StrCat("b = pl.tile.get_block_idx()\n", "q: ", c.tile,
                   " = pl.some.scales()\n", "r: ", type, " = pl.tile.store(q, ",
                   blocked ? c.want : c.args, ")\n", "return r");
  return ProgramText(
      {FunctionText("InCore", "cell", absl::StrCat("out: pl.Out[", type, "]"),
                    blocked ? Stamped(body) : body, type)});
}

class StoreTest : public TestWithParam<StoreCase> {};

TEST_P(StoreTest, WithCompleteBoxes) {
  const StoreCase& c = GetParam();
  const TextProgram input(StoreProgram(c, false), UncheckedOps());
  const PassOutcome outcome = RunBlockMx(input, CompleteBoxes());
  if (!absl::StartsWith(c.want, "MX-")) {
    return ExpectProgram(outcome, StoreProgram(c, true), UncheckedOps());
  }
  ExpectRefused(
      outcome,
      {absl::StrCat(c.want, " tile.store of MX tensor 'out': ", c.message)});
}

// All of them are refused without the option.
TEST_P(StoreTest, ByDefault) {
  const TextProgram input(StoreProgram(GetParam(), false), UncheckedOps());
  ExpectRefused(
      RunBlockMx(input),
      {"MX-BLOCK-6 tile.store cannot take MX tensor 'out' as argument 2; an MX "
       "tensor is read-only and only tile.load and tensor.view take one, as "
       "their source"});
}

INSTANTIATE_TEST_SUITE_P(
    Cases, StoreTest,
    ValuesIn(std::vector<StoreCase>{
        {"U3_A", "MX_A_ZZ", ScaleTile("[32, 4]", kRows), "[16, 2], out",
         "[0, 1, 1, 0, 0], out"},
        {"U3_B", "MX_B_NN", ScaleTile("[4, 32]", kColumns), "[2, 16], out",
         "[0, 1, 1, 0, 0], out"},
        {"U3_Symbolic", "MX_A_ZZ", ScaleTile("[16, 8]", kRows),
         "[b * 16, 0], out", "[0, b * 16 // 16, 0, 0, 0], out"},
        {"U3_WithShapes", "MX_A_ZZ", ScaleTile("[32, 4]", kRows),
         "[16, 2], out, [32, 4]", "[0, 1, 1, 0, 0], out, [1, 2, 2, 16, 2]"},
        {"U3_ValidBoxes", "MX_A_ZZ",
         ScaleTile("[32, 4]", absl::StrCat("valid_shape=[16, 4], ", kRows)),
         "[16, 2], out", "[0, 1, 1, 0, 0], out"},
        {"U3_UnprovenOffset", "MX_A_ZZ", ScaleTile("[16, 2]", kRows),
         "[b, 0], out", "MX-OFFSET-3",
         "the block offset (argument 1, axis 0) 'b' cannot be proven a "
         "multiple of 16"},
        {"U3_UnalignedOffset", "MX_A_ZZ", ScaleTile("[16, 2]", kRows),
         "[8, 0], out", "MX-OFFSET-2",
         "the block offset (argument 1, axis 0) must be a non-negative "
         "multiple of 16, got 8"},
        {"U3_RankOfOffsets", "MX_A_ZZ", ScaleTile("[16, 2]", kRows),
         "[0, 0, 0], out", "MX-OFFSET-1",
         "the offsets (argument 1) must be a list of rank 2, written in place; "
         "this one has rank 3"},
        {"U3_BehindTheEnd", "MX_A_ZZ", ScaleTile("[32, 2]", kRows),
         "[48, 0], out", "MX-OFFSET-5",
         "the block offset (argument 1, axis 0) is 48, and a window of 32 from "
         "there ends behind the tensor's 64"},
        {"U3_IncompleteBlock", "MX_A_ZZ", ScaleTile("[8, 2]", kRows),
         "[0, 0], out", "MX-BLOCK-3",
         "the tile (argument 0): block dim (axis 0) must be a positive "
         "multiple of 16, got 8"},
        {"U3_IncompleteGroup", "MX_B_NN", ScaleTile("[1, 16]", kColumns),
         "[0, 0], out", "MX-BLOCK-3",
         "the tile (argument 0): group dim (axis 0) must be a positive "
         "multiple of 2, got 1"},
        {"U3_PartlyValidBox", "MX_A_ZZ",
         ScaleTile("[16, 2]", absl::StrCat("valid_shape=[16, 1], ", kRows)),
         "[0, 0], out", "MX-BLOCK-3",
         "the valid shape of the tile (argument 0): group dim (axis 1) must be "
         "a positive multiple of 2, got 1"},
        {"U3_OtherShapes", "MX_A_ZZ", ScaleTile("[32, 4]", kRows),
         "[0, 0], out, [64, 2]", "MX-BLOCK-9",
         "shapes (argument 3) [64, 2] must be those of the tile, written in "
         "place"},
        {"U4_ElementType", "MX_A_ZZ", ScaleTile("[16, 2]", kRows, "UINT8"),
         "[0, 0], out", "MX-BLOCK-9",
         "the tile (argument 0) must be FP8E8M0 row_major/row_major/32 for "
         "MX_A_ZZ, got UINT8 row_major/row_major/32"},
        {"U4_Fractal", "MX_A_ZZ",
         ScaleTile("[16, 2]", "slayout=pl.TileLayout.row_major"), "[0, 0], out",
         "MX-BLOCK-9",
         "the tile (argument 0) must be FP8E8M0 row_major/row_major/32 for "
         "MX_A_ZZ, got FP8E8M0 row_major/row_major/512"},
        {"U4_NotInBoxes", "MX_A_ZZ", "pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Vec]",
         "[0, 0], out", "MX-BLOCK-9",
         "the tile (argument 0) must be FP8E8M0 row_major/row_major/32 for "
         "MX_A_ZZ, got FP8E8M0 row_major/none_box/512"},
        // Both fit by shape; each element would land in another's place.
        {"U12_RowsIntoB", "MX_B_NN", ScaleTile("[16, 16]", kRows),
         "[0, 0], out", "MX-BLOCK-9",
         "the tile (argument 0) must be FP8E8M0 col_major/col_major/32 for "
         "MX_B_NN, got FP8E8M0 row_major/row_major/32"},
        {"U12_ColumnsIntoA", "MX_A_ZZ", ScaleTile("[16, 16]", kColumns),
         "[0, 0], out", "MX-BLOCK-9",
         "the tile (argument 0) must be FP8E8M0 row_major/row_major/32 for "
         "MX_A_ZZ, got FP8E8M0 col_major/col_major/32"},
    }),
    [](const TestParamInfo<StoreCase>& info) { return info.param.name; });

// The option is for tile.store's destination alone.
TEST(BlockMxStoreTest, OtherUsesStayRefused) {
  const TextProgram input(
      ProgramText({FunctionText(
          "InCore", "cell", absl::StrCat("s: ", ScaleA64x8()),
          "r: pl.Tensor[[512], pl.FP8E8M0] = pl.tensor.reshape(s, [512])\n"
          "u: pl.Tensor[[64, 8], pl.FP8E8M0] = pl.tile.store(s, [0, 0], s)")}),
      UncheckedOps());
  const PassOutcome outcome = RunBlockMx(input, CompleteBoxes());
  const std::string why =
      "; an MX tensor is read-only and only tile.load and tensor.view take "
      "one, as their source";
  ExpectRefused(
      outcome,
      {absl::StrCat(
           "MX-BLOCK-6 tensor.reshape cannot take MX tensor 's' as argument 0",
           why),
       absl::StrCat(
           "MX-BLOCK-6 tile.store cannot take MX tensor 's' as argument 0",
           why)});
}

}  // namespace
}  // namespace mxtile
