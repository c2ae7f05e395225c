#include "passes/flatten_tile_nd_to_2d/flatten_tile_nd_to_2d.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;

constexpr char kParams[] =
    "x: pl.Tensor[[2, 16, 32], pl.FP32], "
    "w: pl.Tensor[[2, 32, 64], pl.FP16], "
    "v: pl.Tensor[[2, 16, 32], pl.FP16], "
    "n: pl.Scalar[pl.INDEX], "
    "out: pl.Out[pl.Tensor[[2, 16, 32], pl.FP32]], "
    "prod: pl.Out[pl.Tensor[[2, 16, 64], pl.FP32]]";

std::string Text(const std::string& body, const std::string& type = "InCore") {
  return ProgramText({FunctionText(type, "cell", kParams, body)});
}

struct FlattenCase {
  std::string name;
  std::string before;
  std::string after;
};

// In the expected programs a flat load has its type from the annotation: what
// the text gives by itself has the axes of the window.
const std::vector<FlattenCase>& Cases() {
  static const auto* const cases = new std::vector<FlattenCase>{
      {"LoadComputeStore",
       "t = pl.load(x, [0, 0, 0], [2, 16, 32])\n"
       "e = pl.tile.exp(t)\n"
       "y = pl.store(e, [0, 0, 0], out)\n"
       "return y",
       "t: pl.Tile[[32, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0, 0], "
       "[2, 16, 32], [2, 16, 32], target_memory=pl.Mem.Vec)\n"
       "e = pl.tile.exp(t)\n"
       "y = pl.tile.store(e, [0, 0, 0], out, [2, 16, 32])\n"
       "return y"},
      {"DynamicValidShape",
       "t = pl.load(x, [0, n, 0], [1, 16, 32], valid_shape=[1, n, 32])\n"
       "y = pl.store(t, [0, n, 0], out)\n"
       "return y",
       "t: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[n, "
       "32])] = pl.tile.load(x, [0, n, 0], [1, 16, 32], [1, n, 32], "
       "target_memory=pl.Mem.Vec)\n"
       "y = pl.tile.store(t, [0, n, 0], out, [1, 16, 32])\n"
       "return y"},
      {"MatLoadReadsAFlatView",
       "t = pl.load(v, [1, n, 0], [1, 16, 32], target_memory=pl.Mem.Mat)\n"
       "m = pl.tile.move(t, target_memory=pl.Mem.Left)",
       "t_view2d = pl.tensor.view(v, [32, 32])\n"
       "t = pl.tile.load(t_view2d, [16 + n, 0], [16, 32], [16, 32], "
       "target_memory=pl.Mem.Mat)\n"
       "m = pl.tile.move(t, target_memory=pl.Mem.Left)"},
      {"CreateFullAssemble",
       "a = pl.tile.create([2, 16, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "b = pl.tile.full([1, 4, 32], dtype=pl.FP32, value=1.0)\n"
       "c = pl.tile.assemble(a, b, [1, n, 0])\n"
       "y = pl.store(c, [0, 0, 0], out)\n"
       "return y",
       "a = pl.tile.create([32, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "b = pl.tile.full([4, 32], dtype=pl.FP32, value=1.0)\n"
       "c = pl.tile.assemble(a, b, [16 + n, 0])\n"
       "y = pl.tile.store(c, [0, 0, 0], out, [2, 16, 32])\n"
       "return y"},
      {"LoopsAndBranches",
       "t = pl.tile.create([2, 16, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "for i, (acc,) in pl.range(4, init_values=(t,)):\n"
       "    if i > n:\n"
       "        u = pl.tile.neg(acc)\n"
       "        s = pl.yield_(u)\n"
       "    else:\n"
       "        s = pl.yield_(acc)\n"
       "    r = pl.yield_(s)\n"
       "y = pl.store(r, [0, 0, 0], out)\n"
       "return y",
       "t = pl.tile.create([32, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "for i, (acc,) in pl.range(4, init_values=(t,)):\n"
       "    if i > n:\n"
       "        u = pl.tile.neg(acc)\n"
       "        s = pl.yield_(u)\n"
       "    else:\n"
       "        s = pl.yield_(acc)\n"
       "    r = pl.yield_(s)\n"
       "y = pl.tile.store(r, [0, 0, 0], out, [2, 16, 32])\n"
       "return y"},
      {"RaisedByAReshape",
       "t = pl.load(x, [0, 0, 0], [1, 4, 32])\n"
       "f = pl.tile.reshape(t, [4, 32])\n"
       "r = pl.tile.reshape(f, [2, 2, 32])\n"
       "y = pl.store(r, [0, 0, 0], out)\n"
       "return y",
       "t: pl.Tile[[4, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0, 0], "
       "[1, 4, 32], [1, 4, 32], target_memory=pl.Mem.Vec)\n"
       "f = pl.tile.reshape(t, [4, 32])\n"
       "r = pl.tile.reshape(f, [2, 2, 32])\n"
       "flat_tile = pl.tile.reshape(r, [4, 32])\n"
       "y = pl.tile.store(flat_tile, [0, 0, 0], out, [2, 2, 32])\n"
       "return y"},
      {"TransposeOfTwoAxes",
       "a = pl.tile.create([16, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "b = pl.tile.transpose(a, 0, 1)",
       "a = pl.tile.create([16, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "transpose_tmp = pl.tile.create([16, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "b = pl.tile.transpose(a, 0, 1, transpose_tmp)"},
      {"TransposePageByPage",
       "a = pl.tile.create([2, 16, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "b = pl.tile.transpose(a, 1, -1)\n"
       "c = pl.tile.exp(b)",
       "a = pl.tile.create([32, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "b = pl.tile.create([64, 16], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "trans_tmp_pool = pl.tile.create([32, 32], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "trans_page_0 = pl.tile.slice(a, [16, 32], [0, 0])\n"
       "trans_tmp_0 = pl.tile.slice(trans_tmp_pool, [16, 32], [0, 0])\n"
       "trans_0 = pl.tile.transpose(trans_page_0, 0, 1, trans_tmp_0)\n"
       "b_1 = pl.tile.assemble(b, trans_0, [0, 0])\n"
       "trans_page_1 = pl.tile.slice(a, [16, 32], [16, 0])\n"
       "trans_tmp_1 = pl.tile.slice(trans_tmp_pool, [16, 32], [16, 0])\n"
       "trans_1 = pl.tile.transpose(trans_page_1, 0, 1, trans_tmp_1)\n"
       "b_2 = pl.tile.assemble(b_1, trans_1, [32, 0])\n"
       "c = pl.tile.exp(b_2)"},
      {"BatchMatmulStored",
       "a = pl.load(v, [0, 0, 0], [2, 16, 32], target_memory=pl.Mem.Mat)\n"
       "b = pl.load(w, [0, 0, 0], [2, 32, 64], target_memory=pl.Mem.Mat)\n"
       "c = pl.tile.batch_matmul(a, b)\n"
       "y = pl.store(c, [0, 0, 0], prod)\n"
       "return y",
       "a_view2d = pl.tensor.view(v, [32, 32])\n"
       "a = pl.tile.load(a_view2d, [0, 0], [32, 32], [32, 32], "
       "target_memory=pl.Mem.Mat)\n"
       "b_view2d = pl.tensor.view(w, [64, 64])\n"
       "b = pl.tile.load(b_view2d, [0, 0], [64, 64], [64, 64], "
       "target_memory=pl.Mem.Mat)\n"
       "lhs_slice_0 = pl.tile.slice(a, [16, 32], [0, 0])\n"
       "rhs_slice_0 = pl.tile.slice(b, [32, 64], [0, 0])\n"
       "matmul_0 = pl.tile.matmul(lhs_slice_0, rhs_slice_0)\n"
       "y_0 = pl.tile.store(matmul_0, [0, 0, 0], prod, [1, 16, 64])\n"
       "lhs_slice_1 = pl.tile.slice(a, [16, 32], [16, 0])\n"
       "rhs_slice_1 = pl.tile.slice(b, [32, 64], [32, 0])\n"
       "matmul_1 = pl.tile.matmul(lhs_slice_1, rhs_slice_1)\n"
       "y_1 = pl.tile.store(matmul_1, [1, 0, 0], y_0, [1, 16, 64])\n"
       "return y_1"},
      // What feeds matmuls only is loaded into Mat, and seen through reshapes
      // of its batches.
      {"BatchMatmulLooksThroughReshapesOfBatches",
       "a = pl.tile.load(v, [1, 0, 0], [1, 16, 32], [1, 16, 32])\n"
       "r = pl.tile.reshape(a, [1, 1, 16, 32])\n"
       "b = pl.load(w, [0, 0, 0], [1, 32, 64], target_memory=pl.Mem.Mat)\n"
       "s = pl.tile.reshape(b, [1, 1, 32, 64])\n"
       "c = pl.tile.batch_matmul(r, s)\n"
       "d = pl.tile.batch_matmul_acc(c, r, s)",
       "a_view2d = pl.tensor.view(v, [32, 32])\n"
       "a = pl.tile.load(a_view2d, [16, 0], [16, 32], [16, 32], "
       "target_memory=pl.Mem.Mat)\n"
       "b_view2d = pl.tensor.view(w, [64, 64])\n"
       "b = pl.tile.load(b_view2d, [0, 0], [32, 64], [32, 64], "
       "target_memory=pl.Mem.Mat)\n"
       "lhs_slice_0 = pl.tile.slice(a, [16, 32], [0, 0])\n"
       "rhs_slice_0 = pl.tile.slice(b, [32, 64], [0, 0])\n"
       "matmul_0 = pl.tile.matmul(lhs_slice_0, rhs_slice_0)\n"
       "lhs_slice_0_1 = pl.tile.slice(a, [16, 32], [0, 0])\n"
       "rhs_slice_0_1 = pl.tile.slice(b, [32, 64], [0, 0])\n"
       "matmul_0_1 = pl.tile.matmul_acc(matmul_0, lhs_slice_0_1, "
       "rhs_slice_0_1)"},
      {"BatchMatmulOfAWindowThatIsNoRowBand",
       "a = pl.load(v, [0, 0, 0], [2, 8, 32], target_memory=pl.Mem.Mat)\n"
       "b = pl.load(w, [0, 0, 0], [1, 32, 64], target_memory=pl.Mem.Mat)\n"
       "c = pl.tile.batch_matmul(a, b)\n"
       "d = pl.tile.exp(c)\n"
       "e = pl.tile.neg(c)",
       "b_view2d = pl.tensor.view(w, [64, 64])\n"
       "b = pl.tile.load(b_view2d, [0, 0], [32, 64], [32, 64], "
       "target_memory=pl.Mem.Mat)\n"
       "c = pl.tile.create([16, 64], dtype=pl.FP32, "
       "target_memory=pl.Mem.Vec)\n"
       "lhs_pbview2d_0 = pl.tensor.view(v, [32, 32])\n"
       "lhs_pbload_0 = pl.tile.load(lhs_pbview2d_0, [0, 0], [8, 32], [8, 32], "
       "target_memory=pl.Mem.Mat)\n"
       "rhs_slice_0 = pl.tile.slice(b, [32, 64], [0, 0])\n"
       "matmul_0 = pl.tile.matmul(lhs_pbload_0, rhs_slice_0)\n"
       "matmul_vec_0 = pl.tile.move(matmul_0, target_memory=pl.Mem.Vec)\n"
       "c_1 = pl.tile.assemble(c, matmul_vec_0, [0, 0])\n"
       "lhs_pbview2d_1 = pl.tensor.view(v, [32, 32])\n"
       "lhs_pbload_1 = pl.tile.load(lhs_pbview2d_1, [16, 0], [8, 32], [8, 32], "
       "target_memory=pl.Mem.Mat)\n"
       "rhs_slice_0_1 = pl.tile.slice(b, [32, 64], [0, 0])\n"
       "matmul_1 = pl.tile.matmul(lhs_pbload_1, rhs_slice_0_1)\n"
       "matmul_vec_1 = pl.tile.move(matmul_1, target_memory=pl.Mem.Vec)\n"
       "c_2 = pl.tile.assemble(c_1, matmul_vec_1, [8, 0])\n"
       "d = pl.tile.exp(c_2)\n"
       "e = pl.tile.neg(c_2)"},
  };
  return *cases;
}

TEST(FlattenTileNdTo2DTest, MakesTilesFlat) {
  for (const FlattenCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const TextProgram input(Text(c.before));
    const PassOutcome outcome = RunOnText(FlattenTileNdTo2D(), input);
    ExpectProgram(outcome, Text(c.after));
  }
}

TEST(FlattenTileNdTo2DTest, SecondRunChangesNothing) {
  for (const FlattenCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const TextProgram input(Text(c.before));
    const PassOutcome once = RunOnText(FlattenTileNdTo2D(), input);
    ASSERT_NE(once.program, nullptr) << once.errors();
    EXPECT_EQ(RunOnText(FlattenTileNdTo2D(), input, {}, once.program).program,
              once.program);
  }
}

TEST(FlattenTileNdTo2DTest, OtherFunctionsStay) {
  for (const FlattenCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const TextProgram input(Text(c.before, "Group"));
    EXPECT_EQ(RunOnText(FlattenTileNdTo2D(), input).program, input.get());
  }
}

// 2 x 512 x 1024 halves are 2 MiB: more than Mat has.
TEST(FlattenTileNdTo2DTest, OperandsThatDoNotFitMatAreLoadedPageByPage) {
  const auto text = [](const std::string& body) {
    return ProgramText({FunctionText(
        "InCore", "cell",
        "v: pl.Tensor[[2, 16, 512], pl.FP16], w: pl.Tensor[[2, 512, 1024], "
        "pl.FP16], prod: pl.Out[pl.Tensor[[2, 16, 1024], pl.FP32]]",
        body)});
  };
  const TextProgram input(text(
      "a = pl.load(v, [0, 0, 0], [2, 16, 512], target_memory=pl.Mem.Mat)\n"
      "b = pl.load(w, [0, 0, 0], [2, 512, 1024], target_memory=pl.Mem.Mat)\n"
      "c = pl.tile.batch_matmul(a, b)\n"
      "y = pl.store(c, [0, 0, 0], prod)\n"
      "return y"));
  ExpectProgram(
      RunOnText(FlattenTileNdTo2D(), input),
      text("lhs_pbview2d_0 = pl.tensor.view(v, [32, 512])\n"
           "lhs_pbload_0 = pl.tile.load(lhs_pbview2d_0, [0, 0], [16, 512], "
           "[16, 512], target_memory=pl.Mem.Mat)\n"
           "rhs_pbview2d_0 = pl.tensor.view(w, [1024, 1024])\n"
           "rhs_pbload_0 = pl.tile.load(rhs_pbview2d_0, [0, 0], [512, 1024], "
           "[512, 1024], target_memory=pl.Mem.Mat)\n"
           "matmul_0 = pl.tile.matmul(lhs_pbload_0, rhs_pbload_0)\n"
           "y_0 = pl.tile.store(matmul_0, [0, 0, 0], prod, [1, 16, 1024])\n"
           "lhs_pbview2d_1 = pl.tensor.view(v, [32, 512])\n"
           "lhs_pbload_1 = pl.tile.load(lhs_pbview2d_1, [16, 0], [16, 512], "
           "[16, 512], target_memory=pl.Mem.Mat)\n"
           "rhs_pbview2d_1 = pl.tensor.view(w, [1024, 1024])\n"
           "rhs_pbload_1 = pl.tile.load(rhs_pbview2d_1, [512, 0], [512, 1024], "
           "[512, 1024], target_memory=pl.Mem.Mat)\n"
           "matmul_1 = pl.tile.matmul(lhs_pbload_1, rhs_pbload_1)\n"
           "y_1 = pl.tile.store(matmul_1, [1, 0, 0], y_0, [1, 16, 1024])\n"
           "return y_1"));
  // A target without a limit keeps them whole.
  PassOptions no_target;
  no_target.target = "none";
  const PassOutcome whole = RunOnText(FlattenTileNdTo2D(), input, no_target);
  ASSERT_NE(whole.program, nullptr) << whole.errors();
  EXPECT_NE(ir::PrintProgram(*whole.program)
                .find("pl.tile.slice(b, [512, 1024], [512, 0])"),
            std::string::npos);
}

struct RefusedCase {
  std::string body;
  std::string error;
};

// What the operators refuse by themselves as long as the reader asks them.
TEST(FlattenTileNdTo2DTest, RefusesWhatOperatorsDo) {
  const std::string create =
      "t: pl.Tile[[2, 16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.create([2, 16, "
      "32], dtype=pl.FP32, target_memory=pl.Mem.Vec)\n";
  const RefusedCase kCases[] = {
      {create +
           "s: pl.Tile[[8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.create([8, 32], "
           "dtype=pl.FP32, target_memory=pl.Mem.Vec)\n"
           "u: pl.Tile[[2, 16, 32], pl.FP32] = pl.tile.assemble(t, s, [0, 8, "
           "0])",
       "MX-FLAT2D-3 tile.assemble into a tile with 3 axes needs a source with "
       "as many and an offset written in place with as many, here 2 and 3"},
      {create + "u: pl.Tile[[1, 32], pl.FP32] = pl.tile.col_sum(t)",
       "MX-FLAT2D-6 tile.col_sum takes tiles with at most two axes, this one "
       "has shape [2, 16, 32]; reshape it first"},
      {"u: pl.Tile[[2, 16, 32], pl.FP32] = pl.tile.random(n)",
       "MX-FLAT2D-2 tile.random makes a tile with more than two axes, which "
       "has no flat form; make one with two and reshape it"},
      {create +
           "s: pl.Tile[[3, 32, 16], pl.FP32, pl.Mem.Vec] = pl.tile.create([3, "
           "32, 16], dtype=pl.FP32, target_memory=pl.Mem.Vec)\n"
           "u: pl.Tile[[6, 16, 16], pl.FP32] = pl.tile.batch_matmul(t, s)",
       "MX-FLAT2D-10 batch dims 2 and 3 of a batch matmul do not broadcast"},
  };
  for (const RefusedCase& c : kCases) {
    SCOPED_TRACE(c.body);
    const TextProgram input(Text(c.body), UncheckedOps());
    ExpectRefused(RunOnText(FlattenTileNdTo2D(), input), {c.error});
  }
}

TEST(FlattenTileNdTo2DTest, Refuses) {
  const std::string create =
      "t = pl.tile.create([2, 16, 32], dtype=pl.FP32, "
      "target_memory=pl.Mem.Vec)\n";
  const RefusedCase kCases[] = {
      {"t = pl.load(x, [0, 0, 0], [1, n, 32])",
       "MX-FLAT2D-1 tile.load: a tile of shape [1, n, 32] cannot be flattened: "
       "its dims have to be positive constants; walk over the dynamic one in "
       "steps, or reshape before the kernel"},
      {create + "s = pl.tile.slice(t, [1, 16, 32], [1, 0, 0])",
       "MX-FLAT2D-2 tile.slice takes tiles with at most two axes, this one has "
       "shape [2, 16, 32]; reshape it first"},
      {create + "s = pl.tile.create([2, 8, 32], dtype=pl.FP32, "
                "target_memory=pl.Mem.Vec)\n"
                "u = pl.tile.assemble(t, s, [0, 8, 0])",
       "MX-FLAT2D-4 tile.assemble writes [2, 8, 32] into [2, 16, 32], which is "
       "no contiguous row band once the tile is flat; assemble it page by "
       "page"},
      {create + "u = pl.tile.transpose(t, 0, 1)",
       "MX-FLAT2D-5 tile.transpose of a tile with 3 axes swaps its last two "
       "only; reshape it so that the axes to swap are the last"},
      {"t = pl.load(x, [0, 0, 0], [2, 16, 32], valid_shape=[2, 8, 32])",
       "MX-FLAT2D-7 tile.load: the valid region [2, 8, 32] of a tile of shape "
       "[2, 16, 32] is no band of rows once the tile is flat; every axis "
       "behind its first partial one, but the last, has to be whole"},
      {"t = pl.load(v, [0, 0, 0], [2, 8, 32], target_memory=pl.Mem.Mat)",
       "MX-FLAT2D-8 tile.load into Mat reads [2, 8, 32] of pl.Tensor[[2, 16, "
       "32], pl.FP16], which is no band of rows; load it page by page"},
      {create + "u = pl.tile.exp(pl.tile.neg(t))",
       "MX-FLAT2D-9 tile.neg of a tile with more than two axes is part of "
       "another expression; run flatten_call_expr first"},
  };
  for (const RefusedCase& c : kCases) {
    SCOPED_TRACE(c.body);
    const TextProgram input(Text(c.body));
    ExpectRefused(RunOnText(FlattenTileNdTo2D(), input), {c.error});
  }
}

}  // namespace
}  // namespace mxtile
