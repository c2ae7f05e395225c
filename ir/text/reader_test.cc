// What the reader accepts beyond the printed form, what it makes of names, and
// that programs survive printing and reading.

#include "ir/text/reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

// ---- Types

// The type of parameter `v`, annotated so, as it prints.
std::string TypeOf(absl::string_view annotation) {
  const TestProgram program(InFunction(
      "pass", absl::StrCat("n: pl.Scalar[pl.INDEX], v: ", annotation)));
  return program.has_value() ? PrintType(program.function().params[1]->type)
                             : program.errors();
}

TEST(ReaderTest, TensorAnnotationsOfTwoToFourSlots) {
  struct Case {
    const char* written;
    const char* printed;
  };
  constexpr Case kCases[] = {
      {"pl.Tensor[[4, 2], pl.FP32]", "pl.Tensor[[4, 2], pl.FP32]"},
      {"pl.Tensor[(4, 2), pl.FP32]", "pl.Tensor[[4, 2], pl.FP32]"},
      {"pl.Tensor[[4, 2,], pl.FP32,]", "pl.Tensor[[4, 2], pl.FP32]"},
      {"pl.Tensor[[\n  4,\n  2], pl.FP32]", "pl.Tensor[[4, 2], pl.FP32]"},
      {"pl.Tensor((4, 2), pl.FP32)", "pl.Tensor[[4, 2], pl.FP32]"},
      {"pl.Tensor([4, 2], pl.FP16, pl.NZ)",
       "pl.Tensor[[4, 2], pl.FP16, pl.TensorView(stride=[], "
       "layout=pl.TensorLayout.NZ)]"},
      {"pl.Tensor[[4, 2], pl.FP32, pl.ND]", "pl.Tensor[[4, 2], pl.FP32]"},
      {"pl.Tensor[[4, 2], pl.FP32, pl.TensorView()]",
       "pl.Tensor[[4, 2], pl.FP32]"},
      {"pl.Tensor[[4, 2], pl.FP32, pl.TensorView(valid_shape=[4, 2])]",
       "pl.Tensor[[4, 2], pl.FP32]"},
      {"pl.Tensor[[4, 2], pl.FP32, pl.TensorView(valid_shape=[2, 2])]",
       "pl.Tensor[[4, 2], pl.FP32, pl.TensorView(valid_shape=[2, 2], "
       "stride=[], layout=pl.TensorLayout.ND)]"},
      {"pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
       "pl.Tensor[[64, 4], pl.FP8E8M0, pl.TensorView(stride=[], "
       "layout=pl.TensorLayout.MX_A_ZZ)]"},
      {"pl.Tensor[[4, 64], pl.FP8E8M0, pl.MX_B_NN]",
       "pl.Tensor[[4, 64], pl.FP8E8M0, pl.TensorView(stride=[], "
       "layout=pl.TensorLayout.MX_B_NN)]"},
      {"pl.Tensor[[4, 2], pl.FP32, pl.MemRef(\"m\", 0, 32)]",
       "pl.Tensor[[4, 2], pl.FP32, pl.MemRef(\"m\", 0, 32)]"},
      {"pl.Tensor[[4, 2], pl.FP32, pl.MemRef(m, 0, 32)]",
       "pl.Tensor[[4, 2], pl.FP32, pl.MemRef(\"m\", 0, 32)]"},
      {"pl.Tensor[[4, 2], pl.FP32, pl.ND, pl.MemRef(\"m\", 0, 32)]",
       "pl.Tensor[[4, 2], pl.FP32, pl.MemRef(\"m\", 0, 32)]"},
      {"pl.Tensor[[4, 2], pl.FP32, pl.NZ, pl.MemRef(\"m\", 0, 32)]",
       "pl.Tensor[[4, 2], pl.FP32, pl.TensorView(stride=[], "
       "layout=pl.TensorLayout.NZ), pl.MemRef(\"m\", 0, 32)]"},
      {"pld.DistributedTensor[[4], pl.FP32, \"window_buffer=w\"]",
       "pld.DistributedTensor[[4], pl.FP32]"},
      {"pld.DistributedTensor[[4], pl.FP32, pl.NZ, \"window_buffer=w\"]",
       "pld.DistributedTensor[[4], pl.FP32, pl.TensorView(stride=[], "
       "layout=pl.TensorLayout.NZ)]"},
      {"pl.Tensor[[n - 1, n // 2 + n % 2], pl.FP32]",
       "pl.Tensor[[n - pl.const(1, pl.INDEX), n // pl.const(2, pl.INDEX) + n "
       "% pl.const(2, pl.INDEX)], pl.FP32]"},
  };
  for (const Case& c : kCases) EXPECT_EQ(TypeOf(c.written), c.printed);
}

TEST(ReaderTest, TileAnnotationsInAnyOrder) {
  constexpr absl::string_view kWhole =
      "pl.Tile[[16, 64], pl.FP32, pl.MemRef(\"m\", 0, 4096), pl.Mem.Vec, "
      "pl.TileView(valid_shape=[n, 64])]";
  constexpr absl::string_view kSlots[][3] = {
      {"pl.MemRef(\"m\", 0, 4096)", "pl.Mem.Vec",
       "pl.TileView(valid_shape=[n, 64])"},
      {"pl.TileView(valid_shape=[n, 64])", "pl.MemRef(\"m\", 0, 4096)",
       "pl.MemorySpace.Vec"},
      {"pl.Mem.Vec", "pl.TileView(valid_shape=[n, 64])",
       "pl.MemRef(\"m\", 0, 4096)"},
  };
  for (const auto& slots : kSlots) {
    EXPECT_EQ(TypeOf(absl::StrCat("pl.Tile[[16, 64], pl.FP32, ", slots[0], ", ",
                                  slots[1], ", ", slots[2], "]")),
              kWhole);
  }
}

TEST(ReaderTest, WhatATileViewLeavesOutIsImplicit) {
  // In Mat the view states what Mat implies: no view at all.
  EXPECT_EQ(TypeOf("pl.Tile[[16, 64], pl.FP32, "
                   "pl.TileView(slayout=pl.TileLayout.row_major, "
                   "blayout=pl.TileLayout.col_major), pl.Mem.Mat]"),
            "pl.Tile[[16, 64], pl.FP32, pl.Mem.Mat]");
  EXPECT_EQ(TypeOf("pl.Tile[[16, 64], pl.FP32, pl.Mem.Mat, pl.TileView()]"),
            "pl.Tile[[16, 64], pl.FP32, pl.Mem.Mat]");
  EXPECT_EQ(TypeOf("pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, "
                   "pl.TileView(valid_shape=[16, 64], fractal=1024)]"),
            "pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc]");
  // The physical shape decides, not the valid one.
  EXPECT_EQ(TypeOf("pl.Tile[[16, 8], pl.FP32, pl.Mem.Vec, "
                   "pl.TileView(valid_shape=[16, 1])]"),
            "pl.Tile[[16, 8], pl.FP32, pl.Mem.Vec, "
            "pl.TileView(valid_shape=[16, 1])]");
  EXPECT_EQ(TypeOf("pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec, "
                   "pl.TileView(blayout=pl.TileLayout.col_major)]"),
            "pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec]");
}

TEST(ReaderTest, DimsMayNameEarlierParametersAndDynamicDims) {
  const TestProgram program(
      "import pypto.language as pl\n"
      "M = pl.dynamic(\"M\")\n"
      "@pl.function\n"
      "def f(n: pl.Scalar[pl.INDEX], x: pl.Tensor[[M, n], pl.FP32]):\n"
      "    y: pl.Tensor[[M, n], pl.FP32] = x\n");
  ASSERT_EQ(program.errors(), "");
  const Function& f = program.function();
  const TensorType* type = CheckedCast<TensorType>(f.params[1]->type);
  EXPECT_THAT(type->shape, ElementsAre(program->dynamic_dims[0], f.params[0]));
  EXPECT_EQ(CheckedCast<Assign>(f.body[0])->var->type, type);
}

// ---- Annotations

// The type of `y` after the body, as it prints.
std::string TypeOfY(absl::string_view body) {
  const TestProgram program(InFunction(body));
  if (!program.has_value()) return program.errors();
  const Assign* last = DynCast<Assign>(program.function().body.back());
  return PrintType(last->var->type);
}

TEST(ReaderTest, AnAnnotationCompletesWhatAnOperatorDeduces) {
  constexpr absl::string_view kLoad =
      "pl.tile.load(x, [0, 0], [16, 64], [n, 64], target_memory=pl.Mem.Vec)";
  constexpr absl::string_view kDeduced =
      "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, "
      "pl.TileView(valid_shape=[n, 64])]";
  EXPECT_EQ(TypeOfY(absl::StrCat("y = ", kLoad)), kDeduced);
  EXPECT_EQ(TypeOfY(absl::StrCat("y: pl.Tile[[16, 64], pl.FP32] = ", kLoad)),
            kDeduced);
  // A type with a space is a printed one: no view is the implicit view.
  EXPECT_EQ(TypeOfY(absl::StrCat("y: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = ",
                                 kLoad)),
            "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]");
  EXPECT_EQ(
      TypeOfY(absl::StrCat("y: pl.Tile[[16, 64], pl.FP32, pl.MemRef(\"m\", 0, "
                           "4096), pl.Mem.Vec, pl.TileView(valid_shape=[8, "
                           "64])] = ",
                           kLoad)),
      "pl.Tile[[16, 64], pl.FP32, pl.MemRef(\"m\", 0, 4096), pl.Mem.Vec, "
      "pl.TileView(valid_shape=[8, 64])]");
}

TEST(ReaderTest, AnAnnotatedTensorKeepsTheDeducedView) {
  constexpr absl::string_view kView = "pl.tensor.view(x, [32, 128], [32, 100])";
  EXPECT_EQ(TypeOfY(absl::StrCat("y: pl.Tensor[[32, 128], pl.FP32] = ", kView)),
            TypeOfY(absl::StrCat("y = ", kView)));
  EXPECT_EQ(TypeOfY(absl::StrCat("y: pl.Tensor[[32, 128], pl.FP32, "
                                 "pl.TensorView(valid_shape=[n, 128])] = ",
                                 kView)),
            "pl.Tensor[[32, 128], pl.FP32, pl.TensorView(valid_shape=[n, "
            "128], stride=[], layout=pl.TensorLayout.ND)]");
}

TEST(ReaderTest, TheResultOfAnUnknownOperatorIsWhatItIsAnnotatedAs) {
  EXPECT_EQ(TypeOfY("y = pl.tile.mystery(t)"), "pl.UnknownType");
  EXPECT_EQ(TypeOfY("y: pl.Tile[[16, 64], pl.FP32] = pl.tile.mystery(t)"),
            "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(TypeOfY("y: pl.Tuple[pl.Scalar[pl.INT8], pl.Ptr] = pl.mystery()\n"
                    "y = y[0]"),
            "pl.Scalar[pl.INT8]");
  const TestProgram program(
      InFunction("y: pl.Tile[[16, 64], pl.FP32] = pl.tile.mystery(t)"));
  const Assign* assign = CheckedCast<Assign>(program.function().body[0]);
  EXPECT_EQ(assign->value->type, assign->var->type);
  EXPECT_EQ(CheckedCast<Call>(assign->value)->callee->def, nullptr);
}

TEST(ReaderTest, ScalarsHaveTheTypesOfTheirOperands) {
  struct Case {
    absl::string_view value;
    absl::string_view dtype;
  };
  constexpr Case kCases[] = {
      {"1", "INDEX"},
      {"1.0", "FP32"},
      {"True", "BOOL"},
      {"n + 1", "INDEX"},
      {"i32 + 1", "INT32"},
      {"1 + i32", "INT32"},
      {"-i32", "INT32"},
      {"abs(i32)", "INT32"},
      {"i32 < 1", "BOOL"},
      {"b and b", "BOOL"},
      {"not i32", "BOOL"},
      {"pl.min(1, i32)", "INT32"},
      {"pl.cast(i32, pl.FP16)", "FP16"},
      {"pl.const(1, pl.UINT8)", "UINT8"},
      {"pl.tile.get_block_idx()", "INDEX"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(TypeOfY(absl::StrCat("y = ", c.value)),
              absl::StrCat("pl.Scalar[pl.", c.dtype, "]"))
        << c.value;
  }
}

// ---- Calls

constexpr absl::string_view kCaller =
    "import pypto.language as pl\n"
    "import pypto.language.distributed as pld\n"
    "M = pl.dynamic(\"M\")\n"
    "@pl.program\n"
    "class P:\n"
    "    @pl.function\n"
    "    def a_caller(self, x: pl.Tensor[[M], pl.FP32], k: "
    "pl.Scalar[pl.INDEX], c: pld.CommCtxType):\n";
constexpr absl::string_view kCallees =
    "    @pl.function\n"
    "    def callee(self, x: pl.Tensor[[M], pl.FP32], n: pl.Scalar[pl.INDEX])"
    " -> tuple[pl.Tensor[[M, n * 2], pl.FP32], pl.Scalar[pl.INDEX]]:\n"
    "        return pl.tensor.mystery(x, n), n\n"
    "    @pl.function\n"
    "    def launch(self, n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX], out: "
    "pl.Out[pl.Tensor[[n, m], pl.FP32]], c: pld.CommCtxType)"
    " -> pl.Tensor[[n, m], pl.FP32]:\n"
    "        return pl.tensor.mystery(out)\n";

// The types of what the caller's body assigns.
std::vector<std::string> TypesInCaller(absl::string_view body) {
  const std::string text = absl::StrCat(kCaller, "        ", body, kCallees);
  const TestProgram program(text);
  if (!program.has_value()) return {program.errors()};
  PrintAndReadBack(*program);
  std::vector<std::string> types;
  for (const Stmt* stmt : program->Find("a_caller")->body) {
    types.push_back(PrintType(CheckedCast<Assign>(stmt)->var->type));
  }
  return types;
}

TEST(ReaderTest, AMethodMayCallOneThatStandsFurtherDown) {
  EXPECT_THAT(
      TypesInCaller("r = self.callee(x, 8)\n        s = r[1]\n"),
      ElementsAre("pl.Tuple[pl.Tensor[[M, pl.const(8, pl.INDEX) * "
                  "pl.const(2, pl.INDEX)], pl.FP32], pl.Scalar[pl.INDEX]]",
                  "pl.Scalar[pl.INDEX]"));
}

// A result type that names a parameter means the caller's argument.
TEST(ReaderTest, ResultTypesNameTheCallersArguments) {
  EXPECT_THAT(TypesInCaller("r = self.callee(x, k)\n"),
              ElementsAre("pl.Tuple[pl.Tensor[[M, k * pl.const(2, pl.INDEX)], "
                          "pl.FP32], pl.Scalar[pl.INDEX]]"));
  EXPECT_THAT(
      TypesInCaller("r = pl.submit(self.callee, x, k)\n"),
      ElementsAre("pl.Tuple[pl.Tensor[[M, k * pl.const(2, pl.INDEX)], "
                  "pl.FP32], pl.Scalar[pl.INDEX], pl.Scalar[pl.TASK_ID]]"));
}

// The arguments in front and the contexts at the end are given.
TEST(ReaderTest, ASubmitMayLeaveOutWhatStandsInFrontOfTheContexts) {
  EXPECT_THAT(
      TypesInCaller("r = pl.submit(self.launch, 2, 3, x, c)\n"
                    "        t = r[1]\n"
                    "        u = pl.submit(self.launch, k, 8, c, deps=[t])\n"),
      ElementsAre("pl.Tuple[pl.Tensor[[2, 3], pl.FP32], "
                  "pl.Scalar[pl.TASK_ID]]",
                  "pl.Scalar[pl.TASK_ID]",
                  "pl.Tuple[pl.Tensor[[k, 8], pl.FP32], "
                  "pl.Scalar[pl.TASK_ID]]"));
}

TEST(ReaderTest, ArgumentsOfKnownOperatorsMayBeGivenByName) {
  EXPECT_EQ(RoundTripBody("y = pl.load(x, offsets=[0, 0], shapes=[16, 64])"),
            RoundTripBody("y = pl.load(x, [0, 0], [16, 64])"));
}

TEST(ReaderTest, ShortFormsAreCompletedLongOnesAreNot) {
  EXPECT_EQ(RoundTripBody("y = pl.tile.load(x, [0, 0], [16, 64])"),
            "y: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [0, 0], [16, "
            "64])\n");
  EXPECT_EQ(RoundTripBody("y = pl.load(x, [0, 0], [16, 64])"),
            "y: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, "
            "0], [16, 64], [16, 64], target_memory=pl.Mem.Vec)\n");
}

TEST(ReaderTest, ModulesMayHaveOtherNames) {
  EXPECT_EQ(RoundTrip("import pypto.language as lang\n"
                      "import numpy as np\n"
                      "@lang.function\n"
                      "def f(n: lang.Scalar[lang.INDEX]):\n"
                      "    return lang.min(n, 1)\n"),
            "# pypto.program: f\n"
            "import pypto.language as pl\n"
            "\n"
            "@pl.program\n"
            "class f:\n"
            "    @pl.function\n"
            "    def f(self, n: pl.Scalar[pl.INDEX]):\n"
            "        return pl.min(n, 1)\n");
}

// ---- Names

std::vector<const Var*> AssignedVars(Block block) {
  std::vector<const Var*> vars;
  for (const Stmt* stmt : block) {
    if (const Assign* assign = DynCast<Assign>(stmt)) {
      vars.push_back(assign->var);
    }
  }
  return vars;
}

TEST(ReaderTest, AssigningAgainIsTheSameVariableUnlessItsTypeChanges) {
  const TestProgram program(
      InFunction("y = n\ny = y + 1\ny = 1.0\nz = y\nn = 2"));
  ASSERT_EQ(program.errors(), "");
  const Function& f = program.function();
  const std::vector<const Var*> vars = AssignedVars(f.body);
  EXPECT_EQ(vars[0], vars[1]);
  EXPECT_NE(vars[1], vars[2]);
  EXPECT_EQ(CheckedCast<Assign>(f.body[3])->value, vars[2]);
  EXPECT_EQ(vars[4], f.params[0]);
}

TEST(ReaderTest, InnerBlocksAssignToTheVariableAround) {
  const TestProgram program(
      InFunction("y = n\nfor i in pl.range(n):\n    y = y + i\nreturn y"));
  ASSERT_EQ(program.errors(), "");
  const Function& f = program.function();
  const Var* y = AssignedVars(f.body)[0];
  EXPECT_THAT(AssignedVars(CheckedCast<For>(f.body[1])->body), ElementsAre(y));
  EXPECT_THAT(CheckedCast<Return>(f.body[2])->values, ElementsAre(y));
}

TEST(ReaderTest, NamesOfClosedBlocksAreStillFound) {
  const TestProgram program(InFunction(
      "if b:\n    y = n\nelse:\n    y = 1.0\nfor i in pl.range(n):\n    z = "
      "i\nreturn y, z, i"));
  ASSERT_EQ(program.errors(), "");
  const Function& f = program.function();
  const If* branch = CheckedCast<If>(f.body[0]);
  const For* loop = CheckedCast<For>(f.body[1]);
  EXPECT_THAT(CheckedCast<Return>(f.body[2])->values,
              ElementsAre(AssignedVars(branch->else_body)[0],
                          AssignedVars(loop->body)[0], loop->loop_var));
}

// The last assignment counts, as in Python; that it stands in an inner block is
// for the verifier to refuse (MX-SSA-6).
TEST(ReaderTest, AnInnerBlockThatChangesTheTypeHidesTheVariableAround) {
  const TestProgram program(
      InFunction("y = n\nif b:\n    if b:\n        y = 1.0\nreturn y"));
  ASSERT_EQ(program.errors(), "");
  const Function& f = program.function();
  const If* outer = CheckedCast<If>(f.body[1]);
  const If* inner = CheckedCast<If>(outer->then_body[0]);
  EXPECT_THAT(CheckedCast<Return>(f.body[2])->values,
              ElementsAre(AssignedVars(inner->then_body)[0]));
}

TEST(ReaderTest, SiblingBlocksHaveVariablesOfTheirOwn) {
  const TestProgram program(
      InFunction("for i in pl.range(n):\n    y = i\nfor i in pl.range(n):\n    "
                 "y = i"));
  ASSERT_EQ(program.errors(), "");
  const Function& f = program.function();
  EXPECT_NE(AssignedVars(CheckedCast<For>(f.body[0])->body),
            AssignedVars(CheckedCast<For>(f.body[1])->body));
}

TEST(ReaderTest, AnIterArgIsNotAssignedTo) {
  const TestProgram program(
      InFunction("for i, (a,) in pl.range(n, init_values=(n,)):\n"
                 "    a = a + 1\n"
                 "    r = pl.yield_(a)"));
  ASSERT_EQ(program.errors(), "");
  const For* loop = CheckedCast<For>(program.function().body[0]);
  const Assign* assign = CheckedCast<Assign>(loop->body[0]);
  EXPECT_NE(assign->var, loop->iter_args[0]);
  EXPECT_EQ(CheckedCast<Binary>(assign->value)->lhs, loop->iter_args[0]);
  EXPECT_THAT(CheckedCast<Yield>(loop->body[1])->values,
              ElementsAre(assign->var));
}

// ---- Statements

TEST(ReaderTest, LoopsOfEveryKind) {
  const TestProgram program(InFunction(
      "for i in pl.range(n):\n    pass\n"
      "for i in pl.range(1, n):\n    pass\n"
      "for i in pl.parallel(1, n, 2):\n    pass\n"
      "for i in pl.range(0, i32):\n    pass\n"
      "for i in pl.pipeline(n, attrs={\"k\": 1}, stage=2):\n    pass\n"
      "for i in pl.pipeline(n, attrs={\"pipeline_stages\": 2}):\n    pass\n"));
  ASSERT_EQ(program.errors(), "");
  std::vector<std::string> loops;
  for (const Stmt* stmt : program.function().body) {
    const For* loop = CheckedCast<For>(stmt);
    loops.push_back(
        absl::StrCat(EnumName(loop->loop_kind), " ", PrintExpr(loop->start),
                     " ", PrintExpr(loop->stop), " ", PrintExpr(loop->step),
                     " ", PrintType(loop->loop_var->type)));
    for (const Attr& attr : loop->attrs) {
      absl::StrAppend(&loops.back(), " ", attr.name, "=", attr.value.int_value);
    }
  }
  EXPECT_THAT(loops, ElementsAre("range 0 n 1 pl.Scalar[pl.INDEX]",
                                 "range 1 n 1 pl.Scalar[pl.INDEX]",
                                 "parallel 1 n 2 pl.Scalar[pl.INDEX]",
                                 "range 0 i32 1 pl.Scalar[pl.INT32]",
                                 "pipeline 0 n 1 pl.Scalar[pl.INDEX] "
                                 "pipeline_stages=2 k=1",
                                 "pipeline 0 n 1 pl.Scalar[pl.INDEX] "
                                 "pipeline_stages=2"));
}

TEST(ReaderTest, AnElifIsAnIfInsideTheElse) {
  EXPECT_EQ(RoundTripBody("if b:\n    y = 1\nelif n > 0:\n    y = 2\nelse:\n"
                          "    y = 3"),
            "if b:\n"
            "    y: pl.Scalar[pl.INDEX] = 1\n"
            "else:\n"
            "    if n > 0:\n"
            "        y_1: pl.Scalar[pl.INDEX] = 2\n"
            "    else:\n"
            "        y_2: pl.Scalar[pl.INDEX] = 3\n");
}

TEST(ReaderTest, AttributesThatAreConstantsAreNumbers) {
  const TestProgram program(InFunction(
      "pl.tile.mystery(t, a=2, b=-2, c=1.5, d=not True, e=(n, 1), g=i32)"));
  ASSERT_EQ(program.errors(), "");
  const Call* call =
      CheckedCast<Call>(CheckedCast<Eval>(program.function().body[0])->expr);
  std::vector<AttrValue::Kind> kinds;
  for (const Attr& attr : call->kwargs) kinds.push_back(attr.value.kind);
  using Kind = AttrValue::Kind;
  EXPECT_THAT(kinds, ElementsAre(Kind::kInt, Kind::kInt, Kind::kFloat,
                                 Kind::kExpr, Kind::kList, Kind::kExpr));
}

TEST(ReaderTest, FunctionAttributesKeepOneOrder) {
  // Those of the decorator come first, wherever they are written.
  const std::string text = RoundTrip(
      "import pypto.language as pl\n"
      "@pl.function\n"
      "def f():\n"
      "    pl.func_attr({\"a\": 1, \"auto_scope\": False, \"b\": 2})\n");
  EXPECT_TRUE(absl::StrContains(text,
                                "    @pl.function(auto_scope=False)\n"
                                "    def f(self):\n"
                                "        pl.func_attr({\"a\": 1, \"b\": 2})\n"))
      << text;
}

// ---- Comments

TEST(ReaderTest, CommentsOfTheFileStandAtItsTop) {
  EXPECT_EQ(RoundTrip("# Origin: by hand.\n"
                      "#\n"
                      "# pypto.program: Named\n"
                      "import pypto.language as pl  # the language\n"
                      "# a dimension\n"
                      "M = pl.dynamic(\"M\")\n"
                      "# the class\n"
                      "@pl.program\n"
                      "class P:\n"
                      "    \"\"\"What it does.\"\"\"\n"
                      "    # the function\n"
                      "    @pl.function\n"
                      "    def f(self):  # its header\n"
                      "        pass\n"),
            "# Origin: by hand.\n"
            "#\n"
            "# the language\n"
            "# a dimension\n"
            "# the class\n"
            "# pypto.program: Named\n"
            "import pypto.language as pl\n"
            "\n"
            "M = pl.dynamic(\"M\")\n"
            "\n"
            "@pl.program\n"
            "class Named:\n"
            "    # the function\n"
            "    # its header\n"
            "    @pl.function\n"
            "    def f(self):\n"
            "        pass\n");
}

TEST(ReaderTest, CommentsOfAStatementStandInFrontOfIt) {
  EXPECT_EQ(RoundTripBody("#no blank\n"
                          "y = n  # behind\n"
                          "if b:  # a header\n"
                          "    pass  # nothing to do\n"
                          "z = n\n"),
            "# no blank\n"
            "# behind\n"
            "y: pl.Scalar[pl.INDEX] = n\n"
            "# a header\n"
            "if b:\n"
            "    pass\n"
            "# nothing to do\n"
            "z: pl.Scalar[pl.INDEX] = n\n");
}

TEST(ReaderTest, CommentsOfWhatLeavesNoStatementGoToTheNext) {
  EXPECT_EQ(RoundTripBody("# one\n"
                          "\"\"\"A docstring.\"\"\"\n"
                          "# two\n"
                          "y = n\n"
                          "for (a,) in pl.while_(init_values=(n,)):\n"
                          "    # the condition\n"
                          "    pl.cond(a > 0)\n"
                          "    r = pl.yield_(a - 1)\n"),
            "# one\n"
            "# two\n"
            "y: pl.Scalar[pl.INDEX] = n\n"
            "for (a,) in pl.while_(init_values=(n,)):\n"
            "    pl.cond(a > 0)\n"
            "    # the condition\n"
            "    r: pl.Scalar[pl.INDEX] = pl.yield_(a - 1)\n");
}

TEST(ReaderTest, CommentsOfFunctionAttributesAreTheFunctions) {
  const std::string text = RoundTrip(
      "import pypto.language as pl\n"
      "@pl.function\n"
      "def f():\n"
      "    # why\n"
      "    pl.func_attr({\"a\": 1})\n");
  EXPECT_TRUE(absl::StrContains(text,
                                "class f:\n"
                                "    # why\n"
                                "    @pl.function\n"))
      << text;
}

// ---- Spans

TEST(ReaderTest, NodesKnowTheirPlaces) {
  const TestProgram program(
      "import pypto.language as pl\n"
      "@pl.function\n"
      "def f(n: pl.Scalar[pl.INDEX]):\n"
      "    for i in pl.range(n):\n"
      "        y = i + n\n");
  ASSERT_EQ(program.errors(), "");
  const auto place = [](const SourceSpan& span) {
    return absl::StrCat(span.file, " ", span.line, ":", span.column, "-",
                        span.end_line, ":", span.end_column);
  };
  const Function& f = program.function();
  const For* loop = CheckedCast<For>(f.body[0]);
  const Assign* assign = CheckedCast<Assign>(loop->body[0]);
  EXPECT_EQ(place(f.span), "a.py 3:5-3:6");
  EXPECT_EQ(place(f.params[0]->span), "a.py 3:7-3:8");
  EXPECT_EQ(place(loop->span), "a.py 4:5-4:25");  // The header only.
  EXPECT_EQ(place(loop->loop_var->span), "a.py 4:9-4:10");
  EXPECT_EQ(place(assign->span), "a.py 5:9-5:18");
  EXPECT_EQ(place(assign->var->span), "a.py 5:9-5:10");
  EXPECT_EQ(place(assign->value->span), "a.py 5:13-5:18");
}

// ---- Round trips

std::string Contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ReaderTest, ProgramsOfTestdataReadBack) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator("testdata/programs")) {
    if (entry.path().extension() == ".py") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  ASSERT_FALSE(paths.empty());
  for (const std::filesystem::path& path : paths) {
    SCOPED_TRACE(path.string());
    // Those that are wrong on purpose have tests of their own.
    if (absl::StartsWith(path.filename().string(), "bad_")) continue;
    const std::string text = RoundTrip(Contents(path));
    EXPECT_TRUE(absl::StrContains(text, "@pl.program\nclass ")) << text;
  }
}

// A program of every construct that dumps have, re-formatted as they are.
TEST(ReaderTest, AReformattedDumpReadsBack) {
  const std::string text = RoundTrip(R"(# pypto.program: Dump
import pypto.language as pl
import pypto.language.distributed as pld

ROWS = pl.dynamic("ROWS")


@pl.program
class Dump:
    @pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, role=pl.Role.SubWorker)
    def scale(
        x__ssa_v0: pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32, pl.MemRef("mem_ddr_0", 0, 8192)],
        n: pl.Scalar[pl.INDEX],
        out: pl.Out[pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32]],
    ) -> pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        mem_vec_1: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)
        idx: pl.Scalar[pl.INDEX] = pl.cast(pl.tile.get_block_idx(), pl.INDEX)
        if n > 0 and idx % 2 == 0:
            rows: pl.Scalar[pl.INDEX] = pl.yield_(pl.min(n, 16))
        else:
            rows: pl.Scalar[pl.INDEX] = pl.yield_(0)
        for i, (done__iter_v1,) in pl.range(0, n, 16, init_values=(out,)):
            v: pl.Tile[
                [16, 64],
                pl.FP32,
                pl.MemRef(mem_vec_1, 0, 4096),
                pl.Mem.Vec,
                pl.TileView(valid_shape=[rows, 64]),
            ] = pl.tile.load(x__ssa_v0, [i, 0], [16, 64], [rows, 64], target_memory=pl.Mem.Vec)
            w: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mem_vec_1, 0, 4096), pl.Mem.Vec] = pl.tile.muls(v, 0.5)
            pl.system.bar_v()
            stored: pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32] = pl.tile.mystery_store(w, [i, 0], done__iter_v1)
            done__rv_v2: pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32] = pl.yield_(stored)
        return done__rv_v2

    @pl.function(type=pl.FunctionType.Spmd)
    def wrapper(self, x: pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32], out: pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32]) -> pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32]:
        pl.func_attr({"core_num": 8, "sync_start": True})
        r: pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32] = self.scale(x, 32, out, attrs={"arg_directions": [pl.adir.input, pl.adir.scalar, pl.adir.output_existing]})
        return r

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, x: pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32], cores: pl.Scalar[pl.INDEX]):
        out: pl.Tensor[[64, 64], pl.FP32] = pl.tensor.create([64, 64], dtype=pl.FP32)
        t: pl.Tuple[pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.spmd_submit(
            self.wrapper,
            x,
            out,
            core_num=cores,
            sync_start=True,
        )
        tid: pl.Scalar[pl.TASK_ID] = t[1]
        u: pl.Tuple[pl.Tensor[[ROWS * pl.const(2, pl.INDEX), 64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.wrapper, x, out, deps=[tid], allow_early_resolve=True)
        while cores > 0:
            cores = cores - 1
        return
)");
  EXPECT_TRUE(absl::StartsWith(text, "# pypto.program: Dump\n")) << text;
}

}  // namespace
}  // namespace mxtile::ir
