#include "passes/resolve_backend_op_layouts/resolve_backend_op_layouts.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/op_registry.h"
#include "ir/ops/standard_ops.h"
#include "ir/text/text_program_test_util.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"
#include "passes/resolve_backend_op_layouts/row_major_ops.h"

namespace mxtile {
namespace {

// a and b, columns; w, a matrix; f, a matrix in boxes.
std::string Text(absl::string_view body,
                 absl::string_view function_type = "InCore") {
  return ir::ProgramText({ir::FunctionText(
      function_type, "cell",
      "x: pl.Tensor[[16, 32], pl.FP32], o: pl.Tensor[[16], pl.FP32]",
      absl::StrCat(
          "a = pl.load(x, [0, 0], [16, 1])\n"
          "b = pl.load(x, [0, 1], [16, 1])\n"
          "w = pl.load(x, [0, 0], [16, 32])\n"
          "f = pl.tile.move(w, target_memory=pl.Mem.Vec, "
          "blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)\n",
          body))});
}

std::string RowMajorMove(absl::string_view tile) {
  return absl::StrCat("pl.tile.move(", tile,
                      ", target_memory=pl.Mem.Vec, "
                      "blayout=pl.TileLayout.row_major, "
                      "slayout=pl.TileLayout.none_box)\n");
}

struct Case {
  std::string name;
  std::string before;
  std::string after;  // Empty: nothing changes.
};

const std::vector<Case>& Cases() {
  static const auto* const cases = new std::vector<Case>{
      {"Columns", "r = pl.tile.add(a, b)",
       "a_row_major = pl.tile.reshape(a, [1, 16])\n"
       "b_row_major = pl.tile.reshape(b, [1, 16])\n"
       "r_row_major = pl.tile.add(a_row_major, b_row_major)\n"
       "r = pl.tile.reshape(r_row_major, [16, 1])"},
      {"AColumnAndAScalar", "r = pl.tile.subs(a, 2.0)",
       "a_row_major = pl.tile.reshape(a, [1, 16])\n"
       "r_row_major = pl.tile.subs(a_row_major, 2.0)\n"
       "r = pl.tile.reshape(r_row_major, [16, 1])"},
      {"PartlyValidColumn",
       "p = pl.load(x, [0, 0], [16, 1], valid_shape=[5, 1])\n"
       "r = pl.tile.cast(p, target_type=pl.BF16)",
       "p = pl.load(x, [0, 0], [16, 1], valid_shape=[5, 1])\n"
       "p_row_major = pl.tile.reshape(p, [1, 16])\n"
       "r_row_major = pl.tile.cast(p_row_major, target_type=pl.BF16)\n"
       "r = pl.tile.reshape(r_row_major, [16, 1])"},
      {"AColumnAndItsScratch",
       "t = pl.create_tile([16, 1], dtype=pl.FP32)\n"
       "r = pl.tile.rem(a, b, t)",
       "t = pl.create_tile([16, 1], dtype=pl.FP32)\n"
       "a_row_major = pl.tile.reshape(a, [1, 16])\n"
       "b_row_major = pl.tile.reshape(b, [1, 16])\n"
       "t_row_major = pl.tile.reshape(t, [1, 16])\n"
       "r_row_major = pl.tile.rem(a_row_major, b_row_major, t_row_major)\n"
       "r = pl.tile.reshape(r_row_major, [16, 1])"},
      {"Boxes", "r = pl.tile.exp(f)",
       absl::StrCat("f_row_major = ", RowMajorMove("f"),
                    "r_row_major = pl.tile.exp(f_row_major)\n"
                    "r = pl.tile.move(r_row_major, target_memory=pl.Mem.Vec, "
                    "blayout=pl.TileLayout.col_major, "
                    "slayout=pl.TileLayout.row_major)")},
      // As a row it would be added to every row, not to every column.
      {"ABroadcastColumn", "r = pl.tile.add(w, a)",
       absl::StrCat("a_row_major = ", RowMajorMove("a"),
                    "r = pl.tile.add(w, a_row_major)")},
      // A mask has bits for each row.
      {"AComparedColumn", "r = pl.tile.cmps(a, 1.0, cmp_type=0)",
       absl::StrCat(
           "a_row_major = ", RowMajorMove("a"),
           "r_row_major = pl.tile.cmps(a_row_major, 1.0, cmp_type=0)\n"
           "r = pl.tile.move(r_row_major, target_memory=pl.Mem.Vec, "
           "blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.none_box)")},
      {"InALoop",
       "for i in pl.range(4):\n"
       "    r = pl.tile.abs(a)",
       "for i in pl.range(4):\n"
       "    a_row_major = pl.tile.reshape(a, [1, 16])\n"
       "    r_row_major = pl.tile.abs(a_row_major)\n"
       "    r = pl.tile.reshape(r_row_major, [16, 1])"},
      {"Rows", "r = pl.tile.exp(w)", ""},
      // What does not ask: the column is one on purpose.
      {"AnExpansion", "r = pl.tile.row_expand_add(w, a)", ""},
  };
  return *cases;
}

TEST(ResolveBackendOpLayoutsTest, GivesOperatorsRows) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    for (const char* type : {"InCore", "AIC", "AIV"}) {
      const ir::TextProgram input(Text(c.before, type));
      const PassOutcome outcome = RunOnText(ResolveBackendOpLayouts(), input);
      if (c.after.empty()) {
        EXPECT_EQ(outcome.program, input.get());
        continue;
      }
      ExpectProgram(outcome, Text(c.after, type));
      EXPECT_EQ(RunOnText(ResolveBackendOpLayouts(), input, {}, outcome.program)
                    .program,
                outcome.program);
    }
  }
}

TEST(ResolveBackendOpLayoutsTest, NotInOtherFunctionsAndNotWithoutATarget) {
  const ir::TextProgram opaque(Text("r = pl.tile.abs(a)", "Opaque"));
  EXPECT_EQ(RunOnText(ResolveBackendOpLayouts(), opaque).program, opaque.get());
  const ir::TextProgram input(Text("r = pl.tile.abs(a)"));
  PassOptions options;
  options.target = "none";
  EXPECT_EQ(RunOnText(ResolveBackendOpLayouts(), input, options).program,
            input.get());
}

TEST(ResolveBackendOpLayoutsTest, AStatementWithoutResult) {
  const std::string idx = "i = pl.create_tile([16, 1], dtype=pl.INT32)\n";
  const ir::TextProgram input(Text(idx + "pl.tile.mscatter(a, i, o)"));
  ExpectProgram(RunOnText(ResolveBackendOpLayouts(), input),
                Text(idx + "a_row_major = pl.tile.reshape(a, [1, 16])\n"
                           "i_row_major = pl.tile.reshape(i, [1, 16])\n"
                           "pl.tile.mscatter(a_row_major, i_row_major, o)"));
}

TEST(ResolveBackendOpLayoutsTest, InsideOfAnExpression_MX_ROWMAJOR_1) {
  const ir::TextProgram input(
      Text("r = pl.tile.row_expand_add(w, pl.tile.abs(a))"));
  ExpectRefused(RunOnText(ResolveBackendOpLayouts(), input),
                {"MX-ROWMAJOR-1 tile.abs takes and gives tiles that lie in "
                 "rows, and this one stands inside of an expression, where its "
                 "tiles cannot be rearranged; run flatten_call_expr first"});
}

TEST(RowMajorOpsTest, EachIsAnOperatorAndItsScratchAnArgument) {
  int found = 0;
  for (const auto& op : ir::StandardOps().ops()) {
    const RowMajorOp* row_major = FindRowMajorOp(op->name);
    if (row_major == nullptr) continue;
    ++found;
    if (row_major->scratch < 0) continue;
    ASSERT_LT(row_major->scratch, op->arg_names.size()) << op->name;
    EXPECT_TRUE(absl::StrContains(op->arg_names[row_major->scratch], "tmp"))
        << op->name;
  }
  EXPECT_EQ(found, 33 + 11);
}

}  // namespace
}  // namespace mxtile
