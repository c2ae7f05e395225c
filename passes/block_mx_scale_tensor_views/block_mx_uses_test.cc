// Uses of MX tensors, U1 to U12, and what the pass leaves as it is.

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
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

// ---- Refused uses

// A use of the MX tensor `s` that is refused, with operators unchecked.
struct UseCase {
  std::string name;
  std::string use;
  std::string want;  // The rule and its message.
};
std::ostream& operator<<(std::ostream& os, const UseCase& c) {
  return os << c.use;
}

// Of an operator that takes no MX tensor.
std::string Refused(absl::string_view op, absl::string_view tensor, int index) {
  return absl::StrCat("MX-BLOCK-6 ", op, " cannot take MX tensor '", tensor,
                      "' as argument ", index,
                      "; an MX tensor is read-only and only tile.load and "
                      "tensor.view take one, as their source");
}

class RefusedUseTest : public TestWithParam<UseCase> {};

TEST_P(RefusedUseTest, IsLocated) {
  const UseCase& c = GetParam();
  const TextProgram input(
      ProgramText({FunctionText(
          "InCore", "cell",
          absl::StrCat("s: ", ScaleA64x8(), ", u: ", ScaleA64x8(),
                       ", x: pl.Tensor[[64, 8], pl.FP8E8M0], "
                       "q: pl.Tile[[64, 8], pl.FP8E8M0, pl.Mem.Vec]"),
          c.use)}),
      UncheckedOps());
  const PassOutcome outcome = RunBlockMx(input);
  ExpectRefused(outcome, {c.want});
  EXPECT_EQ(outcome.sink.diagnostics()[0].span.line, input.LineOf(c.use));
}

constexpr char kNoView[] =
    "MX-BLOCK-8 tensor.view of an MX tensor needs a shape argument, FP8E8M0, "
    "and a change between ND and an MX layout";

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedUseTest,
    ValuesIn(std::vector<UseCase>{
        {"U2_Vec",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Vec] = pl.tile.load(s, "
         "[0, 0], [16, 2], target_memory=pl.Mem.Vec)",
         "MX-BLOCK-7 tile.load of MX tensor 's' goes to Mat; target_memory is "
         "Vec"},
        {"U2_Absent",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = pl.tile.load(s, "
         "[0, 0], [16, 2])",
         "MX-BLOCK-7 tile.load of MX tensor 's' goes to Mat; target_memory is "
         "missing"},
        {"U3",
         absl::StrCat("r: ", ScaleA64x8(), " = pl.tile.store(q, [0, 0], s)"),
         Refused("tile.store", "s", 2)},
        {"U6_Slice",
         "r: pl.Tensor[[16, 2], pl.FP8E8M0] = pl.tensor.slice(s, [16, 2], "
         "[0, 0])",
         Refused("tensor.slice", "s", 0)},
        {"U6_Reshape",
         "r: pl.Tensor[[512], pl.FP8E8M0] = pl.tensor.reshape(s, [512])",
         Refused("tensor.reshape", "s", 0)},
        {"U6_Transpose",
         "r: pl.Tensor[[8, 64], pl.FP8E8M0] = pl.tensor.transpose(s, 0, 1)",
         Refused("tensor.transpose", "s", 0)},
        {"U6_NoResult", "pl.tensor.dump(x, s)", Refused("tensor.dump", "s", 1)},
        {"U6_UnknownOperator",
         "r: pl.Tensor[[64, 8], pl.FP8E8M0] = pl.some.op(x, 1, s)",
         Refused("some.op", "s", 2)},
        {"U6_LoadAsAnotherArgument",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = pl.tile.load(x, s, "
         "[16, 2], target_memory=pl.Mem.Mat)",
         Refused("tile.load", "s", 1)},
        {"U7_TwoInOneOperator", "pl.tensor.compare(x, u, s)",
         Refused("tensor.compare", "u", 1)},
        {"U7_LoadWithASecond",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = pl.tile.load(s, u, "
         "[16, 2], target_memory=pl.Mem.Mat)",
         Refused("tile.load", "s", 0)},
        {"U5_ViewWithoutShape",
         "v: pl.Tensor[[64, 8], pl.FP8E8M0] = pl.tensor.view(s, "
         "layout=pl.TensorLayout.ND)",
         kNoView},
        {"U5_ViewOfAnotherElementType",
         "v: pl.Tensor[[512], pl.UINT8] = pl.tensor.view(s, [512], "
         "layout=pl.TensorLayout.ND)",
         kNoView},
        {"U5_ViewFromMxToMx",
         "v: pl.Tensor[[8, 64], pl.FP8E8M0, pl.MX_B_NN] = pl.tensor.view(s, "
         "[8, 64], layout=pl.TensorLayout.MX_B_NN)",
         kNoView},
        {"U5_ViewToNz",
         "v: pl.Tensor[[64, 8], pl.FP8E8M0, pl.NZ] = pl.tensor.view(s, "
         "[64, 8], layout=pl.TensorLayout.NZ)",
         kNoView},
        {"LoadWithoutWindow",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = pl.tile.load(s, "
         "[0, 0], target_memory=pl.Mem.Mat)",
         "MX-BLOCK-1 tile.load of MX tensor 's': the window (argument 2) must "
         "be a list of rank 2, written in place"},
        {"LoadWithoutOffsets",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = pl.tile.load(s, "
         "target_memory=pl.Mem.Mat)",
         "MX-OFFSET-1 tile.load of MX tensor 's': the offsets (argument 1) "
         "must be a list of rank 2, written in place"},
    }),
    [](const TestParamInfo<UseCase>& info) { return info.param.name; });

// ---- Accepted uses

// A program as it is before the pass and behind it: $A stands for the type of A
// [64, 8] scales, $stamp for a first statement, and what one form alone has
// stands in ${before|behind}.
std::string Form(absl::string_view text, bool blocked) {
  std::string result;
  for (;;) {
    const size_t begin = text.find("${");
    absl::StrAppend(&result, text.substr(0, begin));
    if (begin == text.npos) break;
    const size_t middle = text.find('|', begin);
    const size_t end = text.find('}', middle);
    absl::StrAppend(&result, blocked
                                 ? text.substr(middle + 1, end - middle - 1)
                                 : text.substr(begin + 2, middle - begin - 2));
    text = text.substr(end + 1);
  }
  return absl::StrReplaceAll(result,
                             {{"$A", blocked ? BlockedA64x8() : ScaleA64x8()},
                              {"$stamp", blocked ? Stamped("") : "\n"}});
}

struct Function {
  std::string type;
  std::string name;
  std::string params;
  std::string body;
  std::string returns = {};
};

std::string ProgramForm(const std::vector<Function>& functions, bool blocked) {
  std::vector<std::string> texts;
  for (const Function& f : functions) {
    texts.push_back(FunctionText(f.type, f.name, Form(f.params, blocked),
                                 Form(absl::StrCat("$stamp", f.body), blocked),
                                 Form(f.returns, blocked)));
  }
  return ProgramText(texts);
}

void ExpectBlocked(const std::vector<Function>& functions,
                   const BlockMxOptions& options = {}) {
  const TextProgram input(ProgramForm(functions, false));
  ExpectProgram(RunBlockMx(input, options), ProgramForm(functions, true));
}

const std::string kLoad =
    "t = pl.tile.load(s, ${[16, 2]|[0, 1, 1, 0, 0]}, "
    "${[16, 2], [16, 2]|[1, 1, 1, 16, 2], [1, 1, 1, 16, 2]}, "
    "target_memory=pl.Mem.Mat)";

TEST(BlockMxUseTest, U1_LoadToMat) {
  ExpectBlocked({{"InCore", "cell", "s: $A", kLoad}});
}

TEST(BlockMxUseTest, U1_InEveryFunctionType) {
  for (const absl::string_view type :
       {"Opaque", "Orchestration", "InCore", "AIC", "AIV", "Group", "Spmd"}) {
    SCOPED_TRACE(type);
    const bool has_self =
        type == "Opaque" || type == "Orchestration" || type == "Spmd";
    ExpectBlocked(
        {{std::string(type), "f", has_self ? "self, s: $A" : "s: $A", kLoad}});
  }
}

// A call that names what `pl.load` fills in, and keeps other kwargs.
TEST(BlockMxUseTest, U1_LoadWithoutValidShape) {
  ExpectBlocked(
      {{"InCore", "cell", "s: $A",
        "t = pl.tile.load(s, ${[16, 2], [16, 2]|[0, 1, 1, 0, 0], "
        "[1, 1, 1, 16, 2]}, target_memory=pl.Mem.Mat, clamp=False)"}});
}

TEST(BlockMxUseTest, U3_StoreByCompleteBoxes) {
  ExpectBlocked(
      {{"InCore", "cell", "x: pl.Tensor[[1, 128], pl.FP8E8M0], s: pl.Out[$A]",
        "a: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Vec, "
        "pl.TileView(slayout=pl.TileLayout.row_major, fractal=32)] = "
        "pl.some.fill(x)\n"
        "r = pl.tile.store(a, ${[16, 2]|[0, 1, 1, 0, 0]}, s)\n"
        "return r",
        "$A"}},
      CompleteBoxes());
}

TEST(BlockMxUseTest, U5_ViewAsSource) {
  ExpectBlocked({{"InCore", "cell", "s: $A",
                  "v = pl.tensor.view(s, [4, 128], "
                  "layout=pl.TensorLayout.ND)"}});
}

TEST(BlockMxUseTest, U8_ForwardedToTheFunctionThatLoads) {
  ExpectBlocked({{"InCore", "cell", "s: $A", kLoad},
                 {"Group", "middle", "s: $A", "self.cell(s)"},
                 {"Orchestration", "main", "self, s: $A", "self.middle(s)"}});
}

TEST(BlockMxUseTest, U8_TwoToOneFunction) {
  ExpectBlocked({{"InCore", "cell", "s: $A, u: $A", kLoad},
                 {"Orchestration", "main", "self, s: $A", "self.cell(s, s)"}});
}

// Nobody names what they return, or it is an operand.
TEST(BlockMxUseTest, U8_UnnamedResults) {
  ExpectBlocked({{"InCore", "same", "s: $A", "return s", "$A"},
                 {"Orchestration", "main", "self, s: $A",
                  "self.same(s)\n"
                  "self.same(self.same(s))\n"
                  "pl.submit(self.same, s)"}});
}

TEST(BlockMxUseTest, U9_Returned) {
  ExpectBlocked({{"Orchestration", "same", "self, s: $A", "return s", "$A"},
                 {"Orchestration", "main", "self, s: $A",
                  "r: $A = self.same(s)\nreturn r", "$A"}});
}

TEST(BlockMxUseTest, U10_CarriedByALoop) {
  ExpectBlocked(
      {{"InCore", "cell", "u: $A",
        absl::StrCat("for i, (s,) in pl.range(2, init_values=(u,)):\n    ",
                     kLoad,
                     "\n"
                     "    d: $A = pl.yield_(s)\n"
                     "v: $A = d")}});
}

TEST(BlockMxUseTest, U10_CarriedByAWhile) {
  ExpectBlocked({{"InCore", "cell", "u: $A, n: pl.Scalar[pl.INDEX]",
                  "for (s, k) in pl.while_(init_values=(u, n)):\n"
                  "    pl.cond(k > 0)\n"
                  "    rest = k - 1\n"
                  "    d, e = pl.yield_(s, rest)\n"
                  "v: $A = d"}});
}

TEST(BlockMxUseTest, U10_LeftByAnIf) {
  ExpectBlocked({{"InCore", "cell", "u: $A, w: $A, flag: pl.Scalar[pl.BOOL]",
                  absl::StrCat("if flag:\n"
                               "    s: $A = pl.yield_(u)\n"
                               "else:\n"
                               "    s: $A = pl.yield_(w)\n",
                               kLoad)}});
}

// What compilers note about loops names the new variables.
TEST(BlockMxUseTest, U10_AttributesOfALoop) {
  ExpectBlocked({{"InCore", "cell", "s: $A",
                  "for i in pl.pipeline(4, stage=2, attrs={'dump_vars': "
                  "[s]}):\n"
                  "    k = i + 1"}});
}

TEST(BlockMxUseTest, U10_InsideScopesAndBranches) {
  ExpectBlocked({{"InCore", "cell", "s: $A, flag: pl.Scalar[pl.BOOL]",
                  absl::StrCat("for aiv in pl.split_aiv(2, "
                               "mode=pl.SplitMode.UP_DOWN):\n"
                               "    for i in pl.range(4):\n"
                               "        if flag:\n"
                               "            ",
                               kLoad)}});
}

TEST(BlockMxUseTest, U11_ItemOfATuple) {
  ExpectBlocked({{"InCore", "pair", "s: $A", "return s, s", "tuple[$A, $A]"},
                 {"InCore", "cell", "u: $A",
                  absl::StrCat("p = self.pair(u)\n"
                               "s: $A = p[1]\n",
                               kLoad)}});
}

TEST(BlockMxUseTest, U11_TupleInsideATuple) {
  ExpectBlocked(
      {{"InCore", "cell", "p: pl.Tuple[pl.Scalar[pl.INDEX], pl.Tuple[$A]]",
        absl::StrCat("q: pl.Tuple[$A] = p[1]\n"
                     "s: $A = q[0]\n",
                     kLoad)}});
}

// ---- What is not MX

// Statements and types that have nothing to do with MX stay the same objects.
TEST(BlockMxUseTest, OtherStatementsAreShared) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell",
      absl::StrCat("s: ", ScaleA64x8(), ", x: pl.Tensor[[16, 64], pl.FP32]"),
      "a = pl.load(x, [0, 0], [16, 64])\n"
      "for i in pl.range(4):\n"
      "    b = pl.tile.add(a, a)\n"
      "t = pl.load(s, [0, 0], [16, 2])")}));
  const PassOutcome outcome = RunBlockMx(input);
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  const ir::Function& before = input.function("cell");
  const ir::Function& after = *outcome.program->Find("cell");
  EXPECT_NE(after.params[0], before.params[0]);
  EXPECT_EQ(after.params[1], before.params[1]);
  EXPECT_EQ(after.body[0], before.body[0]);
  EXPECT_EQ(after.body[1], before.body[1]);
  EXPECT_NE(after.body[2], before.body[2]);
}

// A stamped function is not looked at again, whatever it holds.
TEST(BlockMxUseTest, StampedFunctionsStayAsTheyAre) {
  const auto program = [](absl::string_view todo, absl::string_view body) {
    return ProgramText(
        {FunctionText(
             "InCore", "done",
             absl::StrCat("s: ", BlockedType("[1, 4, 2, 16, 2]", "MX_A_ZZ")),
             Stamped("")),
         FunctionText("InCore", "todo", absl::StrCat("s: ", todo), body)});
  };
  const TextProgram input(program(ScaleA64x8(), ""));
  const PassOutcome outcome = RunBlockMx(input);
  ExpectProgram(outcome, program(BlockedA64x8(), Stamped("")));
  ASSERT_NE(outcome.program, nullptr);
  EXPECT_EQ(outcome.program->Find("done"), input->Find("done"));
}

}  // namespace
}  // namespace mxtile
