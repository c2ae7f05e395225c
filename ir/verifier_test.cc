// Each rule, kept and broken.

#include "ir/verifier.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/verifier_test_util.h"

namespace mxtile::ir {
namespace {

std::string SsaErrors(const Program& program) {
  DiagnosticSink sink;
  VerifySsaForm(program, &sink);
  return Summary(sink);
}

std::string DefErrors(const Program& program) {
  DiagnosticSink sink;
  VerifyUseAfterDef(program, &sink);
  return Summary(sink);
}

// Bodies begin in line 7, column 9.
std::string SsaErrorsIn(absl::string_view body) {
  const TestProgram program(InFunction(body));
  return program.has_value() ? SsaErrors(*program) : program.errors();
}

std::string DefErrorsIn(absl::string_view body) {
  const TestProgram program(InFunction(body));
  return program.has_value() ? DefErrors(*program) : program.errors();
}

TEST(VerifierTest, AcceptsPrograms) {
  constexpr absl::string_view kBodies[] = {
      "pass",
      "y = n\nz = y\nreturn z",
      "for i in pl.range(n):\n    y = i\nfor i in pl.range(n):\n    y = i",
      "for i, (a,) in pl.range(n, init_values=(n,)):\n    y = a + i\n    r = "
      "pl.yield_(y)\nreturn r",
      "for (a,) in pl.while_(init_values=(n,)):\n    pl.cond(a > 0)\n    r = "
      "pl.yield_(a - 1)\nreturn r",
      "if b:\n    y = pl.yield_(1)\nelse:\n    if b:\n        z = "
      "pl.yield_(n)\n    else:\n        z = pl.yield_(2)\n    y = "
      "pl.yield_(z)\nreturn y",
      "if b:\n    y = n\nelse:\n    z = n",
      "k = n\ny: pl.Tensor[[64, k], pl.FP32] = x",
      "mem: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)\ny: pl.Tile[[16, 64], "
      "pl.FP32, pl.MemRef(mem, 0, 4096), pl.Mem.Vec] = pl.tile.mystery()",
      "while b:\n    y = n\n    if b:\n        break\n    continue",
  };
  for (const absl::string_view body : kBodies) {
    EXPECT_EQ(SsaErrorsIn(body), "") << body;
    EXPECT_EQ(DefErrorsIn(body), "") << body;
  }
}

TEST(VerifierTest, DynamicDimsAreDefined) {
  const TestProgram program(
      "import pypto.language as pl\n"
      "M = pl.dynamic(\"M\")\n"
      "@pl.function\n"
      "def f(x: pl.Tensor[[M], pl.FP32]):\n"
      "    y: pl.Tensor[[M], pl.FP32] = x\n"
      "    return M\n");
  EXPECT_EQ(SsaErrors(*program), "");
  EXPECT_EQ(DefErrors(*program), "");
}

TEST(VerifierTest, AVariableIsAssignedOnce_MX_SSA_1) {
  MadeProgram m;
  const Var* y = m.NewVar("y");
  const Stmt* first = m.New(m.Loop({m.New(m.AssignTo(y))}));
  const Stmt* second = m.New(m.Loop({m.New(m.AssignTo(y))}));
  EXPECT_EQ(SsaErrors(*m.ProgramOf({first, second})),
            "MX-SSA-1 3:1 'y' is assigned twice\n"
            "  1:1 the first definition\n");
}

TEST(VerifierTest, AVariableIsNotDefinedInsideItsScope_MX_SSA_2) {
  EXPECT_EQ(SsaErrorsIn("y = n\ny = 2\nreturn y"),
            "MX-SSA-2 8:9 'y' is defined again inside its scope\n"
            "  7:9 the first definition\n");
  // It stays visible behind the inner block.
  EXPECT_EQ(SsaErrorsIn("y = n\nfor i in pl.range(n):\n    y = i\nreturn y"),
            "MX-SSA-2 9:13 'y' is defined again inside its scope\n"
            "  7:9 the first definition\n");
  EXPECT_EQ(SsaErrorsIn("n = 1"),
            "MX-SSA-2 7:9 'n' is defined again inside its scope\n"
            "  6:11 the first definition\n");
}

TEST(VerifierTest, ABodyWithResultsEndsInAYield_MX_SSA_3) {
  MadeProgram m;
  const IterArg* a =
      m.context().NewIterArg("a", m.context().IndexType(), m.Index(0));
  For loop = m.Loop({m.New(m.AssignTo(m.NewVar("y")))});
  loop.iter_args = m.context().List<const IterArg*>(std::vector{a});
  loop.return_vars = m.context().List(std::vector<const Var*>{m.NewVar("r")});
  EXPECT_EQ(SsaErrors(*m.ProgramOf({m.New(loop)})),
            "MX-SSA-3 1:1 the body that computes 'r' does not end in a "
            "yield\n");

  MadeProgram n;
  If branch;
  branch.kind = StmtKind::kIf;
  branch.condition = n.context().Bool(true);
  branch.then_body =
      n.context().List(std::vector<const Stmt*>{n.YieldOf({n.Index(1)})});
  branch.return_vars = n.context().List(std::vector<const Var*>{n.NewVar("r")});
  EXPECT_EQ(SsaErrors(*n.ProgramOf({n.New(branch)})),
            "MX-SSA-3 0:0 the body that computes 'r' does not end in a "
            "yield\n");
}

TEST(VerifierTest, ALoopHasAsManyResultsAsItCarries_MX_SSA_4) {
  MadeProgram m;
  For loop = m.Loop({m.YieldOf({m.Index(1)})});
  loop.return_vars = m.context().List(std::vector<const Var*>{m.NewVar("r")});
  EXPECT_EQ(SsaErrors(*m.ProgramOf({m.New(loop)})),
            "MX-SSA-4 2:1 the loop carries 0 values and has 1 results\n");
}

TEST(VerifierTest, AYieldHasAsManyValuesAsResults_MX_SSA_5) {
  MadeProgram m;
  EXPECT_EQ(SsaErrors(*m.ProgramOf({m.New(m.Loop({m.YieldOf({m.Index(1)})}))})),
            "MX-SSA-5 1:1 the yield has 1 values for 0 results\n");
}

TEST(VerifierTest, AVariableIsUsedInsideItsScope_MX_SSA_6) {
  constexpr char kOutside[] =
      "MX-SSA-6 9:9 'y' is used outside its scope\n"
      "  8:13 defined here\n";
  EXPECT_EQ(SsaErrorsIn("for i in pl.range(n):\n    y = i\nreturn y"),
            kOutside);
  EXPECT_EQ(SsaErrorsIn("while b:\n    y = n\nreturn y"), kOutside);
  EXPECT_EQ(SsaErrorsIn("if b:\n    y = n\nreturn y"), kOutside);
  EXPECT_EQ(SsaErrorsIn("for i in pl.range(n):\n    pass\nreturn i"),
            "MX-SSA-6 9:9 'i' is used outside its scope\n"
            "  7:9 defined here\n");
  EXPECT_EQ(SsaErrorsIn("if b:\n    y = n\nelse:\n    z = y"),
            "MX-SSA-6 10:13 'y' is used outside its scope\n"
            "  8:13 defined here\n");
}

TEST(VerifierTest, TypesUseVariables_MX_SSA_6) {
  EXPECT_EQ(SsaErrorsIn("if b:\n    k = n\ny: pl.Tensor[[64, k], pl.FP32] = x"),
            "MX-SSA-6 9:9 'k' is used outside its scope\n"
            "  8:13 defined here\n");
  // Results stand behind their loop.
  EXPECT_EQ(SsaErrorsIn("for i, (a,) in pl.range(n, init_values=(x,)):\n"
                        "    k = n\n"
                        "    r: pl.Tensor[[64, k], pl.FP32] = pl.yield_(a)"),
            "MX-SSA-6 7:9 'k' is used outside its scope\n"
            "  8:13 defined here\n");
}

TEST(VerifierTest, AYieldIsTheLastStatementOfABody_MX_SSA_7) {
  MadeProgram m;
  constexpr char kError[] =
      "MX-SSA-7 1:1 a yield must be the last statement of a loop body or "
      "branch\n";
  EXPECT_EQ(SsaErrors(*m.ProgramOf({m.YieldOf({})})), kError);
  MadeProgram n;
  const Stmt* yield = n.YieldOf({});
  EXPECT_EQ(SsaErrors(*n.ProgramOf(
                {n.New(n.Loop({yield, n.New(n.AssignTo(n.NewVar("y")))}))})),
            kError);
}

TEST(VerifierTest, AUseComesAfterADefinition_MX_DEF_1) {
  EXPECT_EQ(DefErrorsIn("for i in pl.range(n):\n    pass\nreturn i"),
            "MX-DEF-1 9:9 'i' is used before its definition\n");
  EXPECT_EQ(DefErrorsIn("for i, (a,) in pl.range(n, init_values=(n,)):\n"
                        "    r = pl.yield_(a)\n"
                        "return a"),
            "MX-DEF-1 9:9 'a' is used before its definition\n");
  EXPECT_EQ(DefErrorsIn("for (a,) in pl.while_(init_values=(n,)):\n"
                        "    pl.cond(a > 0)\n"
                        "    r = pl.yield_(a - 1)\n"
                        "return a"),
            "MX-DEF-1 10:9 'a' is used before its definition\n");
  EXPECT_EQ(DefErrorsIn("if b:\n    y = n\nelse:\n    z = y"),
            "MX-DEF-1 10:13 'y' is used before its definition\n");
  EXPECT_EQ(DefErrorsIn("y: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mem, 0, "
                        "4096), pl.Mem.Vec] = pl.tile.mystery()\n"
                        "mem: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)"),
            "MX-DEF-1 7:9 'mem' is used before its definition\n");
}

// Before SSA; SsaForm refuses each of them.
TEST(VerifierTest, ABodyWithoutResultsLetsDefinitionsOut_MX_DEF_1) {
  constexpr absl::string_view kBodies[] = {
      "for i in pl.range(n):\n    y = i\nreturn y",
      "while b:\n    y = n\nreturn y",
      "if b:\n    y = n\nreturn y",
      "if b:\n    z = n\nelse:\n    y = n\nreturn y",
      "if b:\n    y = n\nelse:\n    return n\nreturn y",
      "if b:\n    for i in pl.range(n):\n        y = i\nreturn y",
      "if b:\n    k = n\ny: pl.Tensor[[64, k], pl.FP32] = x",
  };
  for (const absl::string_view body : kBodies) {
    EXPECT_EQ(DefErrorsIn(body), "") << body;
    EXPECT_THAT(SsaErrorsIn(body), ::testing::StartsWith("MX-SSA-6")) << body;
  }
}

TEST(VerifierTest, ABodyWithResultsLetsNothingElseOut_MX_DEF_1) {
  constexpr absl::string_view kBodies[] = {
      "for i, (a,) in pl.range(n, init_values=(n,)):\n"
      "    y = i\n"
      "    r = pl.yield_(a)\n"
      "return y",
      "for (a,) in pl.while_(init_values=(n,)):\n"
      "    pl.cond(a > 0)\n"
      "    y = a\n"
      "    r = pl.yield_(a)\n"
      "return y",
      "if b:\n"
      "    y = n\n"
      "    r = pl.yield_(n)\n"
      "else:\n"
      "    r = pl.yield_(n)\n"
      "return y",
      "if b:\n"
      "    r = pl.yield_(n)\n"
      "else:\n"
      "    y = n\n"
      "    r = pl.yield_(n)\n"
      "return y",
  };
  for (const absl::string_view body : kBodies) {
    EXPECT_THAT(DefErrorsIn(body),
                ::testing::HasSubstr("'y' is used before its definition"))
        << body;
  }
}

// What a loop shadows is there again behind it.
TEST(VerifierTest, ALoopTakesNothingFromOutside_MX_DEF_1) {
  MadeProgram m;
  const Var* i = m.NewVar("i");
  For loop = m.Loop({});
  loop.loop_var = i;
  EXPECT_EQ(DefErrors(*m.ProgramOf({m.New(m.AssignTo(i)), m.New(loop),
                                    m.New(m.AssignTo(m.NewVar("y"), i))})),
            "");
}

TEST(VerifierTest, AllocationsOfTheSignatureAreDefined_MX_DEF_1) {
  const TestProgram program(
      InFunction("y: pl.Tensor[[4], pl.FP32, pl.MemRef(\"a\", 0, 16)] = x\n"
                 "z: pl.Tensor[[4], pl.FP32, pl.MemRef(\"c\", 0, 16)] = x\n",
                 "x: pl.Tensor[[4], pl.FP32, pl.MemRef(\"a\", 0, 16)]"));
  ASSERT_EQ(program.errors(), "");
  EXPECT_EQ(DefErrors(*program),
            "MX-DEF-1 8:9 'c' is used before its definition\n");
}

// A scope's body is part of the block around it.
TEST(VerifierTest, WhatAScopeDefinesIsVisibleBehindIt) {
  for (const absl::string_view scope :
       {"with pl.at(level=pl.Level.CORE_GROUP):", "with pl.cluster():",
        "with pl.spmd(4):", "for i in pl.spmd(4):"}) {
    const std::string body = absl::StrCat(scope, "\n    y = n\nreturn y");
    EXPECT_EQ(SsaErrorsIn(body), "") << body;
    EXPECT_EQ(DefErrorsIn(body), "") << body;
  }
}

TEST(VerifierTest, AScopesIndexEndsWithIt_MX_SSA_6_MX_DEF_1) {
  constexpr char kBody[] = "for i in pl.spmd(4):\n    y = i\nreturn i";
  EXPECT_EQ(SsaErrorsIn(kBody),
            "MX-SSA-6 9:9 'i' is used outside its scope\n"
            "  7:9 defined here\n");
  EXPECT_EQ(DefErrorsIn(kBody),
            "MX-DEF-1 9:9 'i' is used before its definition\n");
}

TEST(VerifierTest, ATaskIdIsVisibleBehindItsScope) {
  constexpr char kBody[] =
      "with pl.at(level=pl.Level.CORE_GROUP) as t:\n"
      "    y = n\n"
      "with pl.at(level=pl.Level.CORE_GROUP, deps=[t]):\n"
      "    z = n";
  EXPECT_EQ(SsaErrorsIn(kBody), "");
  EXPECT_EQ(DefErrorsIn(kBody), "");
}

TEST(VerifierTest, AnAllocationIsDeclaredByNamingIt_MX_DEF_1) {
  constexpr char kBody[] =
      "y: pl.Tile[[16, 64], pl.FP32, pl.MemRef(\"ping\", slots=2)[0], "
      "pl.Mem.Vec] = pl.tile.mystery()\n"
      "z: pl.Tile[[16, 64], pl.FP32, pl.MemRef(\"ping\", slots=2)[1], "
      "pl.Mem.Vec] = pl.tile.mystery()";
  EXPECT_EQ(SsaErrorsIn(kBody), "");
  EXPECT_EQ(DefErrorsIn(kBody), "");
}

std::string CallErrorsIn(absl::string_view functions) {
  const TestProgram program(
      absl::StrCat("import pypto.language as pl\n", functions));
  if (!program.has_value()) return program.errors();
  DiagnosticSink sink;
  VerifyCallTypes(*program, &sink);
  return Summary(sink);
}

TEST(VerifierTest, AFunctionReturnsWhatItStates_MX_CALL_2) {
  constexpr char kIndex[] = "pl.Scalar[pl.INDEX]";
  const auto errors = [&](absl::string_view stated, absl::string_view value) {
    return CallErrorsIn(absl::StrCat(
        "@pl.function\ndef f(n: ", kIndex, ", t: pl.Tuple[", kIndex,
        ", pl.Scalar[pl.FP32]])", stated, ":\n    return ", value, "\n"));
  };
  EXPECT_EQ(errors(" -> pl.Scalar[pl.INDEX]", "n"), "");
  EXPECT_EQ(errors(" -> pl.Scalar[pl.FP32]", "n"),
            "MX-CALL-2 4:5 'f' returns pl.Scalar[pl.INDEX] as value 0, it "
            "states pl.Scalar[pl.FP32]\n");
  EXPECT_EQ(errors(" -> pl.Scalar[pl.INDEX]", "n, n"),
            "MX-CALL-2 4:5 'f' states 1 returned values and returns 2\n");
  // Nothing stated, nothing asked; one tuple stands for its elements.
  EXPECT_EQ(errors("", "n"), "");
  EXPECT_EQ(errors(" -> tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.FP32]]", "t"),
            "");
  EXPECT_EQ(errors(" -> tuple[pl.Scalar[pl.FP32], pl.Scalar[pl.FP32]]", "t"),
            "MX-CALL-2 4:5 'f' returns pl.Scalar[pl.INDEX] as value 0, it "
            "states pl.Scalar[pl.FP32]\n");
}

TEST(VerifierTest, EveryBodyIsAFlatListOfStatements) {
  // The text form has no way to write a sequence inside a sequence ...
  EXPECT_THAT(SsaErrorsIn("y = n\n    z = n"),
              ::testing::HasSubstr("MX-SYNTAX-5"));
  // ... and a body of one statement is that statement.
  const TestProgram program(
      InFunction("for i in pl.range(n):\n    if b:\n        y = i"));
  ASSERT_EQ(program.errors(), "");
  const Block body = program.function().body;
  ASSERT_EQ(body.size(), 1);
  const Block in_loop = CheckedCast<For>(body[0])->body;
  ASSERT_EQ(in_loop.size(), 1);
  const Block in_if = CheckedCast<If>(in_loop[0])->then_body;
  ASSERT_EQ(in_if.size(), 1);
  EXPECT_EQ(in_if[0]->kind, StmtKind::kAssign);
}

TEST(VerifierTest, EveryFunctionIsChecked) {
  const TestProgram program(
      "import pypto.language as pl\n"
      "@pl.function\n"
      "def g(n: pl.Scalar[pl.INDEX]):\n"
      "    n = 1\n"
      "@pl.function\n"
      "def f(n: pl.Scalar[pl.INDEX]):\n"
      "    n = 1\n");
  EXPECT_EQ(SsaErrors(*program),
            "MX-SSA-2 7:5 'n' is defined again inside its scope\n"
            "  6:7 the first definition\n"
            "MX-SSA-2 4:5 'n' is defined again inside its scope\n"
            "  3:7 the first definition\n");
}

TEST(VerifierTest, ASumOf100000TermsNeedsNoStack) {
  std::string sum = "return n";
  for (int i = 1; i < 100'000; ++i) sum += " + n";
  const TestProgram program(InFunction(sum));
  EXPECT_EQ(SsaErrors(*program), "");
  EXPECT_EQ(DefErrors(*program), "");
}

}  // namespace
}  // namespace mxtile::ir
