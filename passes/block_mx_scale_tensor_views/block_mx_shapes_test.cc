// Shapes of MX tensors, S1 to S15: of parameters, load windows and views.

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/text_program_test_util.h"
#include "passes/block_mx_scale_tensor_views/block_mx_test_util.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

bool IsRule(absl::string_view text) { return absl::StartsWith(text, "MX-"); }

// A program of one function that may use the dynamic dims M and G.
std::string Text(absl::string_view params, absl::string_view body) {
  return ProgramText({FunctionText("InCore", "cell", params, body)},
                     "M = pl.dynamic(\"M\")\nG = pl.dynamic(\"G\")\n");
}

// A shape that is refused or accepted wherever an MX tensor or window has one.
struct ShapeCase {
  std::string name;
  std::string layout;
  std::string shape;
  std::string want;     // The blocked shape, or the rule that is broken.
  std::string message;  // What the error says behind its subject.
};
std::ostream& operator<<(std::ostream& os, const ShapeCase& c) {
  return os << c.layout << " " << c.shape;
}

class ShapeTest : public TestWithParam<ShapeCase> {
 protected:
  // `want`: the text of the accepted program.
  static void ExpectOutcome(const PassOutcome& outcome,
                            absl::string_view subject, absl::string_view want) {
    const ShapeCase& c = GetParam();
    if (IsRule(c.want)) {
      ExpectRefused(outcome, {absl::StrCat(c.want, " ", subject, c.message)});
    } else {
      ExpectProgram(outcome, want, UncheckedOps());
    }
  }
  static bool IsA() { return GetParam().layout == "MX_A_ZZ"; }
  static std::string ViewText(absl::string_view type, absl::string_view shape) {
    return absl::StrCat("v: ", type, " = pl.tensor.view(x, ", shape,
                        ", layout=pl.TensorLayout.", GetParam().layout, ")");
  }
};

TEST_P(ShapeTest, OfParameter) {
  const ShapeCase& c = GetParam();
  const TextProgram input(
      Text(absl::StrCat("s: ", MxType(c.shape, c.layout)), ""));
  ExpectOutcome(
      RunBlockMx(input), "MX tensor 's'",
      Text(absl::StrCat("s: ", BlockedType(c.want, c.layout)), Stamped("")));
}

TEST_P(ShapeTest, OfLoadWindow) {
  const ShapeCase& c = GetParam();
  const absl::string_view dims = IsA() ? "[128, 8]" : "[8, 128]";
  const absl::string_view tile = "pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat]";
  const TextProgram input(Text(absl::StrCat("s: ", MxType(dims, c.layout)),
                               LoadText("s", "[0, 0]", c.shape, tile)),
                          UncheckedOps());
  ExpectOutcome(
      RunBlockMx(input), "tile.load of MX tensor 's': the window (argument 2)",
      Text(absl::StrCat("s: ", BlockedType("[1, 8, 4, 16, 2]", c.layout)),
           Stamped(LoadText("s", "[0, 0, 0, 0, 0]", c.want, tile))));
}

TEST_P(ShapeTest, OfView) {
  const ShapeCase& c = GetParam();
  const absl::string_view param = "x: pl.Tensor[[1, 128], pl.FP8E8M0]";
  const TextProgram input(
      Text(param, ViewText(MxType(c.shape, c.layout), c.shape)),
      UncheckedOps());
  ExpectOutcome(
      RunBlockMx(input), "MX tensor 'v'",
      Text(param, Stamped(ViewText(BlockedType(c.want, c.layout), c.want))));
}

// The program with the only assignment of `cell` turned into a statement of its
// value: the text form gives no type to a call that is not assigned.
const ir::Program* WithoutAssignment(const TextProgram& text, int statement) {
  ir::Function cell = text.function("cell");
  const auto* assign = ir::CheckedCast<ir::Assign>(cell.body[statement]);
  ir::Eval eval;
  eval.kind = ir::StmtKind::kEval;
  eval.span = assign->span;
  eval.expr = assign->value;
  std::vector<const ir::Stmt*> body(cell.body.begin(), cell.body.end());
  body[statement] = text.context().New(eval);
  cell.body = text.context().List(body);
  ir::Program program = *text;
  program.functions = text.context().List(
      std::vector<const ir::Function*>{text.context().New(cell)});
  return text.context().New(program);
}

// Nobody names the view: only the call says that there is an MX tensor.
TEST_P(ShapeTest, OfNestedView) {
  const ShapeCase& c = GetParam();
  const absl::string_view param = "x: pl.Tensor[[1, 128], pl.FP8E8M0]";
  const TextProgram read(
      Text(param, ViewText(MxType(c.shape, c.layout), c.shape)),
      UncheckedOps());
  const PassOutcome outcome = RunBlockMx(read, {}, WithoutAssignment(read, 0));
  if (IsRule(c.want)) {
    ExpectRefused(
        outcome, {absl::StrCat(c.want, " MX tensor 'tensor.view'", c.message)});
    return;
  }
  const TextProgram want(
      Text(param, Stamped(ViewText(BlockedType(c.want, c.layout), c.want))),
      UncheckedOps());
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  ExpectSamePrograms(*outcome.program, *WithoutAssignment(want, 0));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ShapeTest,
    ValuesIn(std::vector<ShapeCase>{
        {"S1", "MX_A_ZZ", "[16, 2]", "[1, 1, 1, 16, 2]", ""},
        {"S2", "MX_B_NN", "[2, 16]", "[1, 1, 1, 16, 2]", ""},
        {"S3_A", "MX_A_ZZ", "[128, 2]", "[1, 8, 1, 16, 2]", ""},
        {"S3_B", "MX_B_NN", "[2, 64]", "[1, 4, 1, 16, 2]", ""},
        {"S4", "MX_A_ZZ", "[24, 2]", "MX-BLOCK-3",
         ": block dim (axis 0) must be a positive multiple of 16, got 24"},
        {"S5", "MX_A_ZZ", "[16, 3]", "MX-BLOCK-3",
         ": group dim (axis 1) must be a positive multiple of 2, got 3"},
        {"S6_Block", "MX_A_ZZ", "[0, 2]", "MX-BLOCK-3",
         ": block dim (axis 0) must be a positive multiple of 16, got 0"},
        {"S6_Group", "MX_A_ZZ", "[16, 0]", "MX-BLOCK-3",
         ": group dim (axis 1) must be a positive multiple of 2, got 0"},
        {"S7", "MX_A_ZZ", "[M, 2]", "MX-BLOCK-2",
         " needs a static block dim (axis 0); a dynamic one is not supported"},
        {"S8", "MX_A_ZZ", "[16, G]", "MX-BLOCK-2",
         " needs a static group dim (axis 1); a dynamic one is not supported"},
        {"S9_Rank1", "MX_A_ZZ", "[16]", "MX-BLOCK-1",
         " must have rank 2, not 1"},
        {"S9_Rank3", "MX_A_ZZ", "[1, 16, 2]", "MX-BLOCK-1",
         " must have rank 2, not 3"},
        {"S10", "MX_B_NN", "[16, 2]", "MX-BLOCK-3",
         ": block dim (axis 1) must be a positive multiple of 16, got 2"},
        {"S11", "MX_A_ZZ", "[8, 2]", "MX-BLOCK-3",
         ": block dim (axis 0) must be a positive multiple of 16, got 8"},
        {"S14", "MX_A_ZZ", "[1, 4, 2, 16, 2]", "MX-BLOCK-1",
         " must have rank 2, not 5"},
        // The order of the checks: static before value, block before group.
        {"StaticBeforeValue", "MX_A_ZZ", "[24, G]", "MX-BLOCK-2",
         " needs a static group dim (axis 1); a dynamic one is not supported"},
        {"BlockBeforeGroup", "MX_A_ZZ", "[24, 3]", "MX-BLOCK-3",
         ": block dim (axis 0) must be a positive multiple of 16, got 24"},
    }),
    [](const TestParamInfo<ShapeCase>& info) { return info.param.name; });

// ---- Types that shape alone does not decide

struct TypeCase {
  std::string name;
  std::string type;
  std::string want;  // The type, or a rule and its message.
};
std::ostream& operator<<(std::ostream& os, const TypeCase& c) {
  return os << c.type;
}

class TypeTest : public TestWithParam<TypeCase> {};

TEST_P(TypeTest, OfParameter) {
  const TypeCase& c = GetParam();
  const TextProgram input(Text(absl::StrCat("s: ", c.type), ""));
  const PassOutcome outcome = RunBlockMx(input);
  if (IsRule(c.want)) {
    ExpectRefused(outcome, {c.want});
  } else {
    ExpectProgram(outcome, Text(absl::StrCat("s: ", c.want), Stamped("")));
  }
}

// A view of A with these fields besides.
std::string ViewOfA(absl::string_view dims, absl::string_view first,
                    absl::string_view last = "") {
  return absl::StrCat("pl.Tensor[", dims, ", pl.FP8E8M0, pl.TensorView(", first,
                      ", layout=pl.TensorLayout.MX_A_ZZ", last, ")]");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TypeTest,
    ValuesIn(std::vector<TypeCase>{
        {"S12", ViewOfA("[64, 4]", "valid_shape=[16, 2], stride=[]"),
         "MX-BLOCK-4 MX tensor 's': a partial tensor valid_shape is not "
         "supported; narrow the load instead"},
        {"S12_ShapeIsCheckedFirst",
         ViewOfA("[24, 4]", "valid_shape=[16, 2], stride=[]"),
         "MX-BLOCK-3 MX tensor 's': block dim (axis 0) must be a positive "
         "multiple of 16, got 24"},
        {"S12_WholeValidShape",
         ViewOfA("[64, 4]", "valid_shape=[64, 4], stride=[]"),
         BlockedType("[1, 4, 2, 16, 2]", "MX_A_ZZ")},
        {"S13", "pld.DistributedTensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
         "MX-BLOCK-5 MX tensor 's': MX layouts are not supported on "
         "distributed tensors"},
        {"S15", ViewOfA("[32, 4]", "stride=[4, 1]"),
         BlockedType("[1, 2, 2, 16, 2]", "MX_A_ZZ")},
        {"PadIsKept", ViewOfA("[32, 4]", "stride=[]", ", pad=pl.PadValue.zero"),
         ViewOfA("[1, 2, 2, 16, 2]", "stride=[]", ", pad=pl.PadValue.zero")},
        {"ElementTypeIsKept", "pl.Tensor[[32, 4], pl.UINT8, pl.MX_A_ZZ]",
         "pl.Tensor[[1, 2, 2, 16, 2], pl.UINT8, pl.MX_A_ZZ]"},
        {"MemRefIsKept",
         "pl.Tensor[[32, 4], pl.FP8E8M0, pl.MX_A_ZZ, "
         "pl.MemRef(\"scales\", 64, 128)]",
         "pl.Tensor[[1, 2, 2, 16, 2], pl.FP8E8M0, pl.MX_A_ZZ, "
         "pl.MemRef(\"scales\", 64, 128)]"},
        {"OtherLayoutsStay", "pl.Tensor[[24, 3], pl.FP8E8M0]",
         "pl.Tensor[[24, 3], pl.FP8E8M0]"},
        {"NzStays", "pl.Tensor[[24, 3], pl.FP8E8M0, pl.NZ]",
         "pl.Tensor[[24, 3], pl.FP8E8M0, pl.NZ]"},
        {"U11_Tuple",
         absl::StrCat("pl.Tuple[pl.Scalar[pl.INDEX], pl.Tuple[",
                      MxType("[16, 2]", "MX_A_ZZ"), "]]"),
         absl::StrCat("pl.Tuple[pl.Scalar[pl.INDEX], pl.Tuple[",
                      BlockedType("[1, 1, 1, 16, 2]", "MX_A_ZZ"), "]]")},
        {"U11_TupleIsChecked",
         absl::StrCat("pl.Tuple[", MxType("[8, 2]", "MX_A_ZZ"), "]"),
         "MX-BLOCK-3 MX tensor 's': block dim (axis 0) must be a positive "
         "multiple of 16, got 8"},
    }),
    [](const TestParamInfo<TypeCase>& info) { return info.param.name; });

// A load of a tensor that is refused is looked at all the same.
TEST(RefusedTensorTest, S7_S9_Loaded) {
  for (const absl::string_view shape : {"[M, 2]", "[16]", "[1, 16, 2]"}) {
    SCOPED_TRACE(shape);
    const TextProgram input(
        Text(absl::StrCat("s: ", MxType(shape, "MX_A_ZZ")),
             LoadText("s", "[0, 1]", "[16, 2]",
                      "pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat]")),
        UncheckedOps());
    const PassOutcome outcome = RunBlockMx(input);
    EXPECT_EQ(outcome.program, nullptr);
    ASSERT_EQ(outcome.sink.error_count(), 2) << outcome.errors();
    EXPECT_EQ(outcome.ErrorList()[1],
              "MX-OFFSET-2 tile.load of MX tensor 's': the group offset "
              "(argument 1, axis 1) must be a non-negative multiple of 2, got "
              "1");
  }
}

// ---- Results that no variable names

// What a marked function returns is blocked already, which the caller's own
// mark would have to say.
class UnnamedResultTest : public TestWithParam<std::string> {};

TEST_P(UnnamedResultTest, IsChecked_S14) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "done", "x: pl.Tensor[[1, 128], pl.FP8E8M0]",
                    Stamped("v = pl.tensor.view(x, [1, 2, 2, 16, 2], "
                            "layout=pl.TensorLayout.MX_B_NN)\n"
                            "return v"),
                    BlockedType("[1, 2, 2, 16, 2]", "MX_B_NN")),
       FunctionText("Orchestration", "main",
                    "self, x: pl.Tensor[[1, 128], pl.FP8E8M0]", GetParam())}));
  ExpectRefused(RunBlockMx(input),
                {"MX-BLOCK-1 MX tensor 'done' must have rank 2, not 5"});
}

INSTANTIATE_TEST_SUITE_P(Cases, UnnamedResultTest,
                         ValuesIn(std::vector<std::string>{
                             "self.done(x)", "pl.submit(self.done, x)"}));

}  // namespace
}  // namespace mxtile
