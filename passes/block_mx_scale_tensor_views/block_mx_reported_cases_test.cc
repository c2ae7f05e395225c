// What people reported about MX views, restated as small programs: the cases of
// the trackers of PyPTO, PTOAS and PTO-ISA that concern this pass. Names are
// the cases' ids there.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/source_file.h"
#include "ir/stmt.h"
#include "ir/text/reader.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"
#include "layouts/mx/scale_layout.h"
#include "passes/block_mx_scale_tensor_views/block_mx_test_util.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;

std::string InCore(absl::string_view params, absl::string_view body) {
  return ProgramText({FunctionText("InCore", "cell", params, body)});
}

std::string ParamS(absl::string_view type) { return absl::StrCat("s: ", type); }

// What the reader says about a program, "RULE message" a line.
std::string ReadErrors(absl::string_view text) {
  const ir::SourceFile file("p.py", std::string(text));
  ir::Context context(&ir::StandardOps());
  ir::DiagnosticSink sink;
  const auto read = ir::ReadProgram(file, &context, &sink);
  EXPECT_EQ(read.status(), sink.ToStatus());
  std::string errors;
  for (const ir::Diagnostic& diagnostic : sink.diagnostics()) {
    absl::StrAppend(&errors, diagnostic.rule_id, " ", diagnostic.message, "\n");
  }
  return errors;
}

// ---- PyPTO

// Pull request 2634: passes see the shape that the hardware reads.
TEST(ReportedMxViewTest, PyptoA1_BlockedTypeOffsetAndWindow) {
  const TextProgram input(InCore(ParamS(MxType("[64, 4]", "MX_A_ZZ")),
                                 LoadText("s", "[16, 2]", "[16, 2]")));
  ExpectProgram(
      RunBlockMx(input),
      InCore(ParamS(BlockedType("[1, 4, 2, 16, 2]", "MX_A_ZZ")),
             Stamped(LoadText("s", "[0, 1, 1, 0, 0]", "[1, 1, 1, 16, 2]"))));
}

// Its review: an alias of the backing tensor.
TEST(ReportedMxViewTest, PyptoA2_ViewToBackingTensor) {
  const absl::string_view view =
      "v = pl.tensor.view(s, [1, 128], layout=pl.TensorLayout.ND)";
  const TextProgram input(InCore(ParamS(MxType("[32, 4]", "MX_A_ZZ")), view));
  ExpectProgram(RunBlockMx(input),
                InCore(ParamS(BlockedType("[1, 2, 2, 16, 2]", "MX_A_ZZ")),
                       Stamped(view)));
}

// Its review: no offset inside a box, when a blocked program is read again.
TEST(ReportedMxViewTest, PyptoA4_OffsetInsideABox) {
  const auto program = [](absl::string_view offsets) {
    return InCore(ParamS(BlockedType("[1, 2, 2, 16, 2]", "MX_A_ZZ")),
                  Stamped(LoadText("s", offsets, "[1, 1, 1, 16, 2]")));
  };
  EXPECT_EQ(ReadErrors(program("[0, 1, 1, 0, 0]")), "");
  EXPECT_EQ(ReadErrors(program("[0, 0, 0, 4, 0]")),
            "MX-LOAD-7 tile.load: offsets of a blocked MX tensor must be [0, "
            "o1, o2, 0, 0], got [0, 0, 0, 4, 0]\n");
}

// Pull request 2620: a proof or an error, no check at run time; the window is
// what `shapes` say, not what is valid of it.
TEST(ReportedMxViewTest, PyptoA5_WindowFromShapes) {
  const TextProgram input(
      InCore(ParamS(MxType("[64, 4]", "MX_A_ZZ")),
             "t = pl.tile.load(s, [0, 0], [32, 2], [16, 2], "
             "target_memory=pl.Mem.Mat)"));
  ExpectProgram(RunBlockMx(input),
                InCore(ParamS(BlockedType("[1, 4, 2, 16, 2]", "MX_A_ZZ")),
                       Stamped(LoadText(
                           "s", "[0, 0, 0, 0, 0]", "[1, 2, 1, 16, 2]",
                           "pl.Tile[[32, 2], pl.FP8E8M0, pl.Mem.Mat, "
                           "pl.TileView(valid_shape=[16, 2], "
                           "blayout=pl.TileLayout.row_major, "
                           "slayout=pl.TileLayout.row_major, fractal=32)]"))));
}

TEST(ReportedMxViewTest, PyptoA5_DynamicOffset) {
  const TextProgram input(
      InCore(absl::StrCat(ParamS(MxType("[64, 4]", "MX_A_ZZ")),
                          ", row: pl.Scalar[pl.INDEX]"),
             LoadText("s", "[row, 0]", "[16, 2]")));
  ExpectRefused(
      RunBlockMx(input),
      {"MX-OFFSET-3 tile.load of MX tensor 's': the block offset (argument 1, "
       "axis 0) 'row' cannot be proven a multiple of 16"});
}

// Pull request 2737. The whole quantisation is B3 of the public cases.
TEST(ReportedMxViewTest, PyptoA7_ScalesOfAQuantisationAreReturned) {
  const auto program = [](absl::string_view type, absl::string_view offsets,
                          bool stamped) {
    const std::string body = absl::StrCat(
        "q: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Vec, "
        "pl.TileView(slayout=pl.TileLayout.row_major, fractal=32)] = "
        "pl.some.quantised_scales()\n"
        "r = pl.store(q, ",
        offsets, ", out)\nreturn r");
    return ProgramText(
        {FunctionText("InCore", "cell", absl::StrCat("out: pl.Out[", type, "]"),
                      stamped ? Stamped(body) : body, type)});
  };
  const TextProgram input(
      program(MxType("[16, 2]", "MX_A_ZZ"), "[0, 0]", false));
  ExpectRefused(
      RunBlockMx(input),
      {"MX-BLOCK-6 tile.store cannot take MX tensor 'out' as argument 2; an MX "
       "tensor is read-only and only tile.load and tensor.view take one, as "
       "their source"});
  ExpectProgram(RunBlockMx(input, CompleteBoxes()),
                program(BlockedType("[1, 1, 1, 16, 2]", "MX_A_ZZ"),
                        "[0, 0, 0, 0, 0]", true));
}

// Review of pull request 2372: a half of a kernel that does not use the scales.
TEST(ReportedMxViewTest, PyptoA9_UnusedParameter) {
  const auto program = [](absl::string_view type, absl::string_view load,
                          bool stamped) {
    const auto body = [&](absl::string_view text) {
      return stamped ? Stamped(text) : std::string(text);
    };
    const std::string x = "x: pl.Tensor[[16, 64], pl.FP32]";
    return ProgramText(
        {FunctionText("AIC", "cube", absl::StrCat(ParamS(type), ", ", x),
                      body(load)),
         FunctionText("AIV", "vector", absl::StrCat(ParamS(type), ", ", x),
                      body("v = pl.load(x, [0, 0], [16, 64])"))});
  };
  const TextProgram input(program(MxType("[64, 4]", "MX_A_ZZ"),
                                  LoadText("s", "[16, 2]", "[16, 2]"), false));
  ExpectProgram(
      RunBlockMx(input),
      program(BlockedType("[1, 4, 2, 16, 2]", "MX_A_ZZ"),
              LoadText("s", "[0, 1, 1, 0, 0]", "[1, 1, 1, 16, 2]"), true));
}

// Review of pull request 2671: the front end fills in Mat, raw IR says it.
TEST(ReportedMxViewTest, PyptoA17_TargetOfALoad) {
  const std::string param = ParamS(MxType("[64, 4]", "MX_A_ZZ"));
  EXPECT_EQ(ReadErrors(InCore(param,
                              "t = pl.tile.load(s, [16, 2], [16, 2], "
                              "[16, 2])")),
            "MX-LOAD-5 tile.load: an MX_A_ZZ tensor must be loaded with "
            "target_memory=pl.Mem.Mat, got no target_memory\n");
  const TextProgram input(InCore(param, "t = pl.load(s, [16, 2], [16, 2])"));
  ExpectProgram(
      RunBlockMx(input),
      InCore(ParamS(BlockedType("[1, 4, 2, 16, 2]", "MX_A_ZZ")),
             Stamped(LoadText("s", "[0, 1, 1, 0, 0]", "[1, 1, 1, 16, 2]"))));
}

// Issue 2543: a negative offset is no zero.
TEST(ReportedMxViewTest, PyptoC1_NegativeOffset) {
  const TextProgram input(InCore(ParamS(MxType("[64, 4]", "MX_A_ZZ")),
                                 LoadText("s", "[-16, 0]", "[16, 2]")));
  ExpectRefused(
      RunBlockMx(input),
      {"MX-OFFSET-2 tile.load of MX tensor 's': the block offset (argument 1, "
       "axis 0) must be a non-negative multiple of 16, got -16"});
}

// Review of pull request 2843: a remainder may be negative, also behind a
// definition.
TEST(ReportedMxViewTest, PyptoC3_NestedRemainder) {
  const TextProgram input(
      InCore(absl::StrCat(ParamS(MxType("[64, 4]", "MX_A_ZZ")),
                          ", i: pl.Scalar[pl.INDEX]"),
             absl::StrCat("a = i % 4\n"
                          "off = a * 16\n",
                          LoadText("s", "[off, 0]", "[16, 2]"))));
  for (const bool extended : {false, true}) {
    BlockMxOptions options;
    options.proof.extended = extended;
    ExpectRefused(
        RunBlockMx(input, options),
        {"MX-OFFSET-4 tile.load of MX tensor 's': the block offset (argument "
         "1, axis 0) 'off' cannot be proven non-negative"});
  }
}

// Pull request 2634: each caller counts, whatever their order.
TEST(ReportedMxViewTest, PyptoC4_EveryCallerCounts) {
  for (const absl::string_view calls :
       {"self.kernel(s, 0)\nself.kernel(s, 1)",
        "self.kernel(s, 1)\nself.kernel(s, 0)"}) {
    const std::string param = ParamS(MxType("[64, 4]", "MX_A_ZZ"));
    const TextProgram input(ProgramText(
        {FunctionText("InCore", "kernel",
                      absl::StrCat(param, ", row: pl.Scalar[pl.INDEX]"),
                      LoadText("s", "[row, 0]", "[16, 2]")),
         FunctionText("Orchestration", "main", absl::StrCat("self, ", param),
                      calls)}));
    ExpectRefused(
        RunBlockMx(input),
        {"MX-OFFSET-3 tile.load of MX tensor 's': the block offset (argument "
         "1, axis 0) 'row' cannot be proven a multiple of 16"});
  }
}

// ---- A-scale tiles and B-scale tensors (PyPTO 2737, MX case 55)

TEST(ReportedMxViewTest, Mx55_ScalesOfTheOtherSide) {
  const TextProgram input(
      InCore(absl::StrCat("out: pl.Out[", MxType("[16, 16]", "MX_B_NN"), "]"),
             "q: pl.Tile[[16, 16], pl.FP8E8M0, pl.Mem.Vec, "
             "pl.TileView(slayout=pl.TileLayout.row_major, fractal=32)] = "
             "pl.some.quantised_scales()\n"
             "r = pl.store(q, [0, 0], out)"));
  ExpectRefused(
      RunBlockMx(input, CompleteBoxes()),
      {"MX-BLOCK-9 tile.store of MX tensor 'out': the tile (argument 0) must "
       "be FP8E8M0 col_major/col_major/32 for MX_B_NN, got FP8E8M0 "
       "row_major/row_major/32"});
  // Why: element [1, 0] of a ZZ matrix is the third byte, of NN the second.
  MX_ASSERT_OK_AND_ASSIGN(const ScaleLayout zz,
                          ScaleLayout::Create(ScaleOrder::kZZ, 16, 16));
  MX_ASSERT_OK_AND_ASSIGN(const ScaleLayout nn,
                          ScaleLayout::Create(ScaleOrder::kNN, 16, 16));
  EXPECT_EQ(zz.Offset(1, 0), 2);
  EXPECT_EQ(nn.Offset(1, 0), 1);
}

// ---- PTOAS 2: where a window starts

// Byte offset of the only load's window, from the blocked type alone.
int64_t WindowStart(const ir::Program& program) {
  const ir::Call& load = *CallsOf(program, "tile.load")[0];
  const auto& type = *ir::CheckedCast<ir::TensorType>(load.args[0]->type);
  const ir::Exprs offsets = ir::CheckedCast<ir::Tuple>(load.args[1])->elements;
  int64_t start = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    start = start * ir::AsConstInt(type.shape[i])->value +
            ir::AsConstInt(offsets[i])->value;
  }
  return start;
}

// K windows of A and N windows of B alike start at a box of the whole tensor.
TEST(ReportedMxViewTest, Ptoas2_WindowsOfTheWholeTensor) {
  constexpr int64_t kLines = 64, kGroups = 8;
  for (const bool is_a : {true, false}) {
    MX_ASSERT_OK_AND_ASSIGN(
        const ScaleLayout layout,
        is_a ? ScaleLayout::Create(ScaleOrder::kZZ, kLines, kGroups)
             : ScaleLayout::Create(ScaleOrder::kNN, kGroups, kLines));
    for (int64_t line = 0; line < kLines; line += 16) {
      for (int64_t group = 0; group < kGroups; group += 2) {
        const int64_t row = is_a ? line : group;
        const int64_t col = is_a ? group : line;
        const TextProgram input(
            InCore(ParamS(is_a ? MxType("[64, 8]", "MX_A_ZZ")
                               : MxType("[8, 64]", "MX_B_NN")),
                   LoadText("s", absl::StrCat("[", row, ", ", col, "]"),
                            is_a ? "[16, 2]" : "[2, 16]")));
        const PassOutcome outcome = RunBlockMx(input);
        ASSERT_NE(outcome.program, nullptr) << outcome.errors();
        EXPECT_EQ(WindowStart(*outcome.program), layout.Offset(row, col));
        EXPECT_EQ(WindowStart(*outcome.program),
                  (line / 16 * (kGroups / 2) + group / 2) * 32);
      }
    }
  }
}

// ---- PTO-ISA A2: the 5-D view of a 128 x 8 scale matrix

TEST(ReportedMxViewTest, PtoIsaA2_ShapeOfTheView) {
  const TextProgram input(InCore(ParamS(MxType("[128, 8]", "MX_A_ZZ")),
                                 LoadText("s", "[0, 0]", "[128, 8]")));
  ExpectProgram(
      RunBlockMx(input),
      InCore(ParamS(BlockedType("[1, 8, 4, 16, 2]", "MX_A_ZZ")),
             Stamped(LoadText("s", "[0, 0, 0, 0, 0]", "[1, 8, 4, 16, 2]"))));
}

}  // namespace
}  // namespace mxtile
