// The public unit tests of the pass, B1 to B14, in the version of seed 000.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "passes/block_mx_scale_tensor_views/block_mx_test_util.h"
#include "passes/function_attrs.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::ElementsAre;

std::string InCore(absl::string_view params, absl::string_view body,
                   absl::string_view returns = "") {
  return ProgramText({FunctionText("InCore", "cell", params, body, returns)});
}

const std::string kA64x4 = absl::StrCat("s: ", MxType("[64, 4]", "MX_A_ZZ"));
const std::string kBlockedA64x4 =
    absl::StrCat("s: ", BlockedType("[1, 4, 2, 16, 2]", "MX_A_ZZ"));

TEST(BlockMxPublicTest, B1_LoadOfA) {
  const TextProgram input(InCore(kA64x4, LoadText("s", "[16, 2]", "[16, 2]")));
  ExpectProgram(RunBlockMx(input),
                InCore(kBlockedA64x4, Stamped(LoadText("s", "[0, 1, 1, 0, 0]",
                                                       "[1, 1, 1, 16, 2]"))));
}

TEST(BlockMxPublicTest, B2_LoadOfB) {
  const TextProgram input(
      InCore(absl::StrCat("s: ", MxType("[4, 64]", "MX_B_NN")),
             LoadText("s", "[2, 16]", "[2, 16]")));
  ExpectProgram(
      RunBlockMx(input),
      InCore(absl::StrCat("s: ", BlockedType("[1, 4, 2, 16, 2]", "MX_B_NN")),
             Stamped(LoadText("s", "[0, 1, 1, 0, 0]", "[1, 1, 1, 16, 2]"))));
}

// ---- Quantisation, lowered to the operators that the hardware has

// The scales of x, an FP16 [16, 64] grouped along its rows, as a ZZ tile `ls`;
// the codes as `l`.
constexpr absl::string_view kQuantizeLeft =
    "lx = pl.load(x, [0, 0], [16, 64])\n"
    "lmax = pl.create_tile([1, 32], dtype=pl.FP16)\n"
    "lscaling = pl.create_tile([1, 32], dtype=pl.FP16)\n"
    "lq: pl.Tuple[pl.Tile[[16, 64], pl.INT8, pl.Mem.Vec], "
    "pl.Tile[[1, 32], pl.UINT8, pl.Mem.Vec]] = "
    "pl.tile.tquant_mx_raw(lx, lmax, lscaling, group_axis=1)\n"
    "lcodes = lq[0]\n"
    "l: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Vec] = "
    "pl.tile.reinterpret_view(lcodes, dtype=pl.FP8E4M3FN)\n"
    "lexp = lq[1]\n"
    "ltmp = pl.create_tile([1, 96], dtype=pl.UINT8)\n"
    "lzz: pl.Tile[[16, 2], pl.UINT8, pl.Mem.Vec, "
    "pl.TileView(slayout=pl.TileLayout.row_major, fractal=32)] = "
    "pl.tile.tmov_x2zz(lexp, ltmp, group_axis=1, dst_rows=16, dst_cols=2)\n"
    "ls: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Vec, "
    "pl.TileView(slayout=pl.TileLayout.row_major, fractal=32)] = "
    "pl.tile.reinterpret_view(lzz, dtype=pl.FP8E8M0)\n";

// The scales of y, a BF16 [32, 64] grouped along its columns once transposed,
// as an NN tile `rs`; the codes as `r`.
constexpr absl::string_view kQuantizeRight =
    "ry = pl.load(y, [0, 0], [32, 64])\n"
    "rscratch = pl.create_tile([32, 64], dtype=pl.BF16)\n"
    "rt: pl.Tile[[64, 32], pl.BF16, pl.Mem.Vec] = "
    "pl.tile.transpose(ry, 0, 1, rscratch)\n"
    "rmax = pl.create_tile([2, 32], dtype=pl.BF16)\n"
    "rscaling = pl.create_tile([2, 32], dtype=pl.BF16)\n"
    "rq: pl.Tuple[pl.Tile[[64, 32], pl.INT8, pl.Mem.Vec], "
    "pl.Tile[[2, 32], pl.UINT8, pl.Mem.Vec]] = "
    "pl.tile.tquant_mx_raw(rt, rmax, rscaling, group_axis=0)\n"
    "rcodes = rq[0]\n"
    "r: pl.Tile[[64, 32], pl.FP8E4M3FN, pl.Mem.Vec] = "
    "pl.tile.reinterpret_view(rcodes, dtype=pl.FP8E4M3FN)\n"
    "rexp = rq[1]\n"
    "rtmp = pl.create_tile([1, 32], dtype=pl.UINT8)\n"
    "rzz: pl.Tile[[32, 2], pl.UINT8, pl.Mem.Vec, "
    "pl.TileView(slayout=pl.TileLayout.row_major, fractal=32)] = "
    "pl.tile.tmov_x2zz(rexp, rtmp, group_axis=0)\n"
    "rzs: pl.Tile[[32, 2], pl.FP8E8M0, pl.Mem.Vec, "
    "pl.TileView(slayout=pl.TileLayout.row_major, fractal=32)] = "
    "pl.tile.reinterpret_view(rzz, dtype=pl.FP8E8M0)\n"
    "rs: pl.Tile[[2, 32], pl.FP8E8M0, pl.Mem.Vec, "
    "pl.TileView(blayout=pl.TileLayout.col_major, "
    "slayout=pl.TileLayout.col_major, fractal=32)] = "
    "pl.tile.transpose_view(rzs)\n";

std::string QuantizeAndStore(absl::string_view out_type,
                             absl::string_view offsets, bool stamped) {
  const std::string body = absl::StrCat(kQuantizeLeft, "stored = pl.store(ls, ",
                                        offsets, ", out)\n", "return stored");
  return InCore(absl::StrCat("x: pl.Tensor[[16, 64], pl.FP16], out: pl.Out[",
                             out_type, "]"),
                stamped ? Stamped(body) : body, out_type);
}

TEST(BlockMxPublicTest, B3_StoreOfQuantizedScalesIsRefused) {
  const TextProgram input(
      QuantizeAndStore(MxType("[16, 2]", "MX_A_ZZ"), "[0, 0]", false));
  ExpectRefused(
      RunBlockMx(input),
      {"MX-BLOCK-6 tile.store cannot take MX tensor 'out' as argument 2; an MX "
       "tensor is read-only and only tile.load and tensor.view take one, as "
       "their source"});
}

TEST(BlockMxPublicTest, B3_StoreOfQuantizedScalesByCompleteBoxes) {
  const TextProgram input(
      QuantizeAndStore(MxType("[16, 2]", "MX_A_ZZ"), "[0, 0]", false));
  const PassOutcome outcome = RunBlockMx(input, CompleteBoxes());
  ExpectProgram(outcome,
                QuantizeAndStore(BlockedType("[1, 1, 1, 16, 2]", "MX_A_ZZ"),
                                 "[0, 0, 0, 0, 0]", true));
  ASSERT_NE(outcome.program, nullptr);
  EXPECT_EQ(CallsOf(*outcome.program, "tile.store").size(), 1);
}

TEST(BlockMxPublicTest, B4_QuantizedOperandsOfAMatmul) {
  const std::string body = absl::StrCat(kQuantizeLeft, kQuantizeRight,
                                        "c = pl.tile.matmul_mx(l, ls, r, rs)\n"
                                        "stored = pl.store(c, [0, 0], out)\n"
                                        "return stored");
  const absl::string_view params =
      "x: pl.Tensor[[16, 64], pl.FP16], y: pl.Tensor[[32, 64], pl.BF16], "
      "out: pl.Out[pl.Tensor[[16, 32], pl.FP32]]";
  const absl::string_view returns = "pl.Tensor[[16, 32], pl.FP32]";
  const TextProgram input(InCore(params, body, returns));
  const PassOutcome outcome = RunBlockMx(input);
  ExpectProgram(outcome, InCore(params, Stamped(body), returns));
  ASSERT_NE(outcome.program, nullptr);
  const std::vector<const ir::Call*> matmuls =
      CallsOf(*outcome.program, "tile.matmul_mx");
  ASSERT_EQ(matmuls.size(), 1);
  EXPECT_EQ(matmuls[0]->args.size(), 4);
  for (const ir::Expr* arg : matmuls[0]->args) {
    EXPECT_EQ(arg->type->kind, ir::TypeKind::kTile);
  }
}

// ---- Calls and attributes

std::string KernelAndMain(absl::string_view param, absl::string_view kernel,
                          absl::string_view main) {
  return ProgramText({FunctionText("InCore", "kernel", param, kernel),
                      FunctionText("Orchestration", "main",
                                   absl::StrCat("self, ", param), main)});
}

TEST(BlockMxPublicTest, B5_AttributesFollowTheNewParameter) {
  const absl::string_view call = "self.kernel(s, attrs={\"dump_vars\": [s]})";
  const TextProgram input(KernelAndMain(kA64x4, "", call));
  const PassOutcome outcome = RunBlockMx(input);
  ExpectProgram(outcome,
                KernelAndMain(kBlockedA64x4, Stamped(""), Stamped(call)));
  // Both are the new parameter itself, which is not the old one.
  ASSERT_NE(outcome.program, nullptr);
  const ir::Var* param = outcome.program->Find("main")->params[0];
  EXPECT_NE(param, input.function("main").params[0]);
  const std::vector<const ir::Call*> calls =
      CallsOf(*outcome.program, "kernel");
  ASSERT_EQ(calls.size(), 1);
  EXPECT_THAT(calls[0]->args, ElementsAre(param));
  const ir::AttrValue* dumped = ir::FindAttr(calls[0]->attrs, "dump_vars");
  ASSERT_NE(dumped, nullptr);
  ASSERT_EQ(dumped->list.size(), 1);
  EXPECT_EQ(dumped->list[0].expr, param);
}

TEST(BlockMxPublicTest, B6_NarrowedRegionStaysWithTheTile) {
  const TextProgram input(
      InCore(kA64x4,
             "t = pl.tile.load(s, [0, 0], [32, 2], [16, 2], "
             "target_memory=pl.Mem.Mat)"));
  const PassOutcome outcome = RunBlockMx(input);
  ExpectProgram(outcome,
                InCore(kBlockedA64x4,
                       Stamped(LoadText(
                           "s", "[0, 0, 0, 0, 0]", "[1, 2, 1, 16, 2]",
                           "pl.Tile[[32, 2], pl.FP8E8M0, pl.Mem.Mat, "
                           "pl.TileView(valid_shape=[16, 2], "
                           "blayout=pl.TileLayout.row_major, "
                           "slayout=pl.TileLayout.row_major, fractal=32)]"))));
  ASSERT_NE(outcome.program, nullptr);
  EXPECT_EQ(CallsOf(*outcome.program, "tile.load")[0]->type,
            CallsOf(*input, "tile.load")[0]->type);
}

TEST(BlockMxPublicTest, B7_ParameterWithoutCallersIsRefused) {
  const TextProgram input(
      InCore(absl::StrCat(kA64x4, ", row_offset: pl.Scalar[pl.INDEX]"),
             LoadText("s", "[row_offset, 0]", "[16, 2]")));
  ExpectRefused(
      RunBlockMx(input),
      {"MX-OFFSET-3 tile.load of MX tensor 's': the block offset (argument 1, "
       "axis 0) 'row_offset' cannot be proven a multiple of 16"});
}

TEST(BlockMxPublicTest, B8_PipelinedGroups) {
  const auto body = [](absl::string_view offsets, absl::string_view window) {
    return absl::StrCat(
        "for k0 in pl.pipeline(256, 2048, 256, stage=2):\n"
        "    g = k0 // 32\n"
        "    ",
        LoadText("s", offsets, window));
  };
  const TextProgram input(
      InCore(absl::StrCat("s: ", MxType("[16, 64]", "MX_A_ZZ")),
             body("[0, g]", "[16, 8]")));
  ExpectProgram(
      RunBlockMx(input),
      InCore(absl::StrCat("s: ", BlockedType("[1, 1, 32, 16, 2]", "MX_A_ZZ")),
             Stamped(body("[0, 0, g // 2, 0, 0]", "[1, 1, 4, 16, 2]"))));
}

// Outlined: what was one body is a launch of blocks and what a block does.
TEST(BlockMxPublicTest, B9_BlockIndexOffset) {
  const auto program = [](absl::string_view type, absl::string_view load,
                          bool stamped) {
    const std::string cell =
        absl::StrCat("b = pl.tile.get_block_idx()\n", load);
    const std::string main =
        "for mt in pl.parallel(2):\n"
        "    row = mt * 16\n"
        "    task = pl.spmd_submit(self.cell, s, row, core_num=2)";
    return ProgramText(
        {FunctionText("InCore", "cell",
                      absl::StrCat(type, ", row: pl.Scalar[pl.INDEX]"),
                      stamped ? Stamped(cell) : cell),
         FunctionText("Orchestration", "main", absl::StrCat("self, ", type),
                      stamped ? Stamped(main) : main)});
  };
  const TextProgram input(
      program(kA64x4, LoadText("s", "[row + b * 16, 0]", "[16, 2]"), false));
  const PassOutcome outcome = RunBlockMx(input);
  ExpectProgram(outcome,
                program(kBlockedA64x4,
                        LoadText("s", "[0, (row + b * 16) // 16, 0, 0, 0]",
                                 "[1, 1, 1, 16, 2]"),
                        true));
  // The quotient is of the offset itself.
  ASSERT_NE(outcome.program, nullptr);
  const auto offset_of = [](const ir::Program& program, int index) {
    const ir::Call* load = CallsOf(program, "tile.load")[0];
    return ir::CheckedCast<ir::Tuple>(load->args[1])->elements[index];
  };
  const auto* quotient =
      ir::CheckedCast<ir::Binary>(offset_of(*outcome.program, 1));
  EXPECT_EQ(quotient->op, ir::BinaryOp::kFloorDiv);
  EXPECT_EQ(ir::AsConstInt(quotient->rhs)->value, 16);
  EXPECT_EQ(quotient->lhs, offset_of(*input, 0));
}

TEST(BlockMxPublicTest, B10_OneUnalignedCallerRefuses) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "kernel",
                    absl::StrCat(kA64x4, ", row: pl.Scalar[pl.INDEX]"),
                    LoadText("s", "[row, 0]", "[16, 2]")),
       FunctionText("Orchestration", "main", absl::StrCat("self, ", kA64x4),
                    "self.kernel(s, 0)\n"
                    "self.kernel(s, 1)")}));
  const PassOutcome outcome = RunBlockMx(input);
  ExpectRefused(
      outcome,
      {"MX-OFFSET-3 tile.load of MX tensor 's': the block offset (argument 1, "
       "axis 0) 'row' cannot be proven a multiple of 16"});
  const ir::Diagnostic& error = outcome.sink.diagnostics()[0];
  EXPECT_EQ(error.span.line, input.LineOf("pl.tile.load"));
  // The reason names the caller that is to blame, and what it passes.
  ASSERT_EQ(error.notes.size(), 1);
  EXPECT_THAT(error.notes[0].message, ::testing::HasSubstr(absl::StrCat(
                                          "p.py:", input.LineOf("(s, 1)"))));
  EXPECT_THAT(outcome.findings.offsets[0].violating_value,
              ::testing::Optional(1));
}

TEST(BlockMxPublicTest, B11_SecondRunReturnsTheSameProgram) {
  const auto program = [](absl::string_view type, absl::string_view load,
                          bool stamped) {
    const auto body = [&](absl::string_view text) {
      return stamped ? Stamped(text) : std::string(text);
    };
    return ProgramText(
        {FunctionText("InCore", "kernel", type, body(load)),
         FunctionText("Orchestration", "main", absl::StrCat("self, ", type),
                      body("self.kernel(s)")),
         FunctionText("InCore", "without_mx", "n: pl.Scalar[pl.INDEX]",
                      body(""))});
  };
  const TextProgram input(
      program(kA64x4, LoadText("s", "[16, 2]", "[16, 2]"), false));
  const PassOutcome first = RunBlockMx(input);
  ExpectProgram(
      first,
      program(kBlockedA64x4,
              LoadText("s", "[0, 1, 1, 0, 0]", "[1, 1, 1, 16, 2]"), true));
  ASSERT_NE(first.program, nullptr);
  EXPECT_NE(first.program, input.get());
  for (const ir::Function* function : first.program->functions) {
    EXPECT_TRUE(HasMark(*function, kMxTensorViewsBlocked)) << function->name;
  }
  const PassOutcome second = RunBlockMx(input, {}, first.program);
  EXPECT_EQ(second.program, first.program) << second.errors();
  EXPECT_TRUE(second.findings.offsets.empty());
}

// ---- Views

TEST(BlockMxPublicTest, B12_ViewFromMx) {
  const absl::string_view view =
      "v = pl.tensor.view(s, [1, 128], layout=pl.TensorLayout.ND)";
  const TextProgram input(
      InCore(absl::StrCat("s: ", MxType("[32, 4]", "MX_A_ZZ")), view));
  const PassOutcome outcome = RunBlockMx(input);
  ExpectProgram(
      outcome,
      InCore(absl::StrCat("s: ", BlockedType("[1, 2, 2, 16, 2]", "MX_A_ZZ")),
             Stamped(view)));
  ASSERT_NE(outcome.program, nullptr);
  EXPECT_EQ(ir::PrintType(CallsOf(*outcome.program, "tensor.view")[0]->type),
            "pl.Tensor[[1, 128], pl.FP8E8M0]");
}

TEST(BlockMxPublicTest, B13_ViewToMx) {
  const auto view = [](absl::string_view shape) {
    return absl::StrCat("v = pl.tensor.view(x, ", shape,
                        ", layout=pl.TensorLayout.MX_B_NN)");
  };
  const absl::string_view param = "x: pl.Tensor[[1, 128], pl.FP8E8M0]";
  const TextProgram input(InCore(param, view("[4, 32]")));
  const PassOutcome outcome = RunBlockMx(input);
  ExpectProgram(outcome, InCore(param, Stamped(view("[1, 2, 2, 16, 2]"))));
  ASSERT_NE(outcome.program, nullptr);
  EXPECT_EQ(ir::PrintType(CallsOf(*outcome.program, "tensor.view")[0]->type),
            BlockedType("[1, 2, 2, 16, 2]", "MX_B_NN"));
}

// ---- Submits

TEST(BlockMxPublicTest, B14_SubmitKeepsAllButItsType) {
  const auto program = [](absl::string_view type, bool stamped) {
    const std::string main =
        "first = pl.submit(self.make, s)\n"
        "dep = first[1]\n"
        "u = pl.spmd_submit(self.make, s, deps=[dep], core_num=4, "
        "sync_start=True, allow_early_resolve=True, predicate=(go), "
        "tag='x', attrs={\"dump_vars\": [s]})";
    const std::string make = "return s";
    return ProgramText(
        {FunctionText("InCore", "make", absl::StrCat("s: ", type),
                      stamped ? Stamped(make) : make, type),
         FunctionText(
             "Orchestration", "main",
             absl::StrCat("self, s: ", type, ", go: pl.Scalar[pl.BOOL]"),
             stamped ? Stamped(main) : main)});
  };
  const TextProgram input(program(MxType("[32, 4]", "MX_A_ZZ"), false));
  const PassOutcome outcome = RunBlockMx(input);
  const std::string blocked = BlockedType("[1, 2, 2, 16, 2]", "MX_A_ZZ");
  ExpectProgram(outcome, program(blocked, true));
  ASSERT_NE(outcome.program, nullptr);

  const ir::Function& main = *outcome.program->Find("main");
  const auto* assign = ir::CheckedCast<ir::Assign>(main.body[2]);
  EXPECT_EQ(assign->var->type, assign->value->type);
  EXPECT_EQ(ir::PrintType(assign->value->type),
            absl::StrCat("pl.Tuple[", blocked, ", pl.Scalar[pl.TASK_ID]]"));
  const auto* before = ir::CheckedCast<ir::Submit>(
      ir::CheckedCast<ir::Assign>(input.function("main").body[2])->value);
  const auto* after = ir::CheckedCast<ir::Submit>(assign->value);
  EXPECT_EQ(after->callee, before->callee);
  EXPECT_EQ(after->core_num, before->core_num);
  EXPECT_EQ(after->predicate, before->predicate);
  EXPECT_EQ(after->sync_start, before->sync_start);
  EXPECT_EQ(after->allow_early_resolve, before->allow_early_resolve);
  EXPECT_THAT(after->args, ElementsAre(main.params[0]));
  EXPECT_EQ(after->deps.size(), 1);
  EXPECT_EQ(ir::PrintExpr(after), ir::PrintExpr(before));
  EXPECT_EQ(ir::FindAttr(after->attrs, "dump_vars")->list[0].expr,
            main.params[0]);
}

}  // namespace
}  // namespace mxtile
