// What counts, where a difference is found, and which variables correspond.

#include "ir/structural_equal.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/ir_test_util.h"

namespace mxtile::ir {
namespace {

// The difference of two programs, of two contexts.
std::string Compare(absl::string_view lhs, absl::string_view rhs) {
  const TestProgram a(lhs);
  const TestProgram b(rhs);
  if (!a.has_value() || !b.has_value()) {
    return absl::StrCat(a.errors(), b.errors());
  }
  const std::string forward = DifferenceOf(*a, *b);
  const std::optional<Difference> backward = FindDifference(*b, *a);
  // From the other side it is the same difference.
  EXPECT_EQ(backward.has_value()
                ? absl::StrCat(backward->path, ": ", backward->rhs, " | ",
                               backward->lhs)
                : "equal",
            forward);
  EXPECT_EQ(StructurallyEqual(*a, *b), forward == "equal");
  EXPECT_EQ(DifferenceOf(*a, *a), "equal");
  return forward;
}

std::string CompareBodies(absl::string_view lhs, absl::string_view rhs) {
  return Compare(InFunction(lhs), InFunction(rhs));
}

TEST(StructuralEqualTest, NamesPlacesAndCommentsDoNotCount) {
  EXPECT_EQ(Compare("# one\n"
                    "# pypto.program: A\n"
                    "import pypto.language as pl\n"
                    "M = pl.dynamic(\"M\")\n"
                    "@pl.program\n"
                    "class A:\n"
                    "    @pl.function\n"
                    "    def f(self, x: pl.Tensor[[M], pl.FP32]):\n"
                    "        y = x\n"
                    "        return y\n",
                    "import pypto.language as lang\n"
                    "N = lang.dynamic(\"N\")\n"
                    "# two\n"
                    "@lang.function\n"
                    "def f(a: lang.Tensor[[N], lang.FP32]):\n"
                    "    # three\n"
                    "    b = a\n"
                    "    return b\n"),
            "equal");
}

struct Case {
  absl::string_view lhs;
  absl::string_view rhs;
  const char* difference;
};

TEST(StructuralEqualTest, EveryFieldOfAnExpressionCounts) {
  constexpr Case kCases[] = {
      {"n", "n", "equal"},
      {"n", "1", "f: body[0].value: n | 1"},
      {"1", "2", "f: body[0].value: 1 | 2"},
      {"1.0", "2.0", "f: body[0].value: 1.0 | 2.0"},
      {"0.0", "-0.0", "f: body[0].value: 0.0 | -0.0"},
      {"True", "False", "f: body[0].value: True | False"},
      {"pl.const(1, pl.INT8)", "pl.const(1, pl.INT16)",
       "f: body[0].value: pl.const(1, pl.INT8) | pl.const(1, pl.INT16)"},
      {"pl.const(1, pl.FP16)", "pl.const(1, pl.BF16)",
       "f: body[0].value: pl.const(1.0, pl.FP16) | pl.const(1.0, pl.BF16)"},
      {"n + 1", "n - 1", "f: body[0].value: n + 1 | n - 1"},
      {"n + 1", "n + 2", "f: body[0].value.rhs: 1 | 2"},
      {"n * 2 + 1", "n * 3 + 1", "f: body[0].value.lhs.rhs: 2 | 3"},
      {"n + (n - 1)", "n + (n - 2)", "f: body[0].value.rhs.rhs: 1 | 2"},
      {"-n", "~n", "f: body[0].value: -n | ~n"},
      {"-(n + 1)", "-(n + 2)", "f: body[0].value.operand.rhs: 1 | 2"},
      {"pl.cast(n, pl.INT8)", "pl.cast(n, pl.INT16)",
       "f: body[0].value: pl.cast(n, pl.INT8) | pl.cast(n, pl.INT16)"},
      {"pl.cast(n, pl.INT8)", "pl.cast(i32, pl.INT8)",
       "f: body[0].value.operand: n | i32"},
      {"[n, 1]", "[n]", "f: body[0].value: [n, 1] | [n]"},
      {"[n, 1]", "[n, 2]", "f: body[0].value[1]: 1 | 2"},
      {"[n, n][0]", "[n, n][1]", "f: body[0].value: [n, n][0] | [n, n][1]"},
      {"[n, 1][0]", "[n, 2][0]", "f: body[0].value.tuple[1]: 1 | 2"},
      // Calls.
      {"pl.a.b(n)", "pl.a.c(n)", "f: body[0].value: pl.a.b(n) | pl.a.c(n)"},
      {"pl.a.b(n)", "pl.a.b()", "f: body[0].value: pl.a.b(n) | pl.a.b()"},
      {"pl.a.b(n, [1, 2])", "pl.a.b(n, [1, 3])",
       "f: body[0].value.args[1][1]: 2 | 3"},
      {"pl.f(n, n, n, n, n, n)", "self.f(n, n, n, n, n, n)",
       "f: body[0].value: pl.f(n, n, n, n, n, n) | self.f(n, n, n, n, n, n)"},
      {"pl.a.b(k=1)", "pl.a.b(k=2)",
       "f: body[0].value: pl.a.b(k=1) | pl.a.b(k=2)"},
      {"pl.a.b(k=1)", "pl.a.b(l=1)",
       "f: body[0].value: pl.a.b(k=1) | pl.a.b(l=1)"},
      {"pl.a.b(k=1)", "pl.a.b(k=1.0)",
       "f: body[0].value: pl.a.b(k=1) | pl.a.b(k=1.0)"},
      {"pl.a.b(k=True)", "pl.a.b(k=False)",
       "f: body[0].value: pl.a.b(k=True) | pl.a.b(k=False)"},
      {"pl.a.b(k='a')", "pl.a.b(k='b')",
       "f: body[0].value: pl.a.b(k='a') | pl.a.b(k='b')"},
      {"pl.a.b(k=pl.FP16)", "pl.a.b(k=pl.BF16)",
       "f: body[0].value: pl.a.b(k=pl.FP16) | pl.a.b(k=pl.BF16)"},
      {"pl.a.b(k=pl.A.X)", "pl.a.b(k=pl.B.X)",
       "f: body[0].value: pl.a.b(k=pl.A.X) | pl.a.b(k=pl.B.X)"},
      {"pl.a.b(k=pl.A.X)", "pl.a.b(k=pl.A.Y)",
       "f: body[0].value: pl.a.b(k=pl.A.X) | pl.a.b(k=pl.A.Y)"},
      {"pl.a.b(k=[1])", "pl.a.b(k=[1, 2])",
       "f: body[0].value: pl.a.b(k=[1]) | pl.a.b(k=[1, 2])"},
      {"pl.a.b(k=[1, [2]])", "pl.a.b(k=[1, [3]])",
       "f: body[0].value: pl.a.b(k=[1, [2]]) | pl.a.b(k=[1, [3]])"},
      {"pl.a.b(n, k=[1, [n]])", "pl.a.b(n, k=[1, [i32]])",
       "f: body[0].value.operands[1]: n | i32"},
      {"pl.a.b(attrs={'a': 1})", "pl.a.b(attrs={'a': 2})",
       "f: body[0].value: pl.a.b(attrs={\"a\": 1}) | pl.a.b(attrs={\"a\": 2})"},
      {"pl.a.b(attrs={'a': 1, 'b': 1})", "pl.a.b(attrs={'b': 1, 'a': 1})",
       "f: body[0].value: pl.a.b(attrs={\"a\": 1, \"b\": 1}) | "
       "pl.a.b(attrs={\"b\": 1, \"a\": 1})"},
      // Submits.
      {"pl.submit(self.f, n)", "pl.submit(self.f, i32)",
       "f: body[0].value.args[0]: n | i32"},
      {"pl.submit(self.f)", "pl.submit(self.f, n)",
       "f: body[0].value: pl.submit(self.f) | pl.submit(self.f, n)"},
      {"pl.submit(self.f)", "pl.spmd_submit(self.f, core_num=2)",
       "f: body[0].value: pl.submit(self.f) | pl.spmd_submit(self.f, "
       "core_num=2)"},
      {"pl.spmd_submit(self.f, core_num=3)",
       "pl.spmd_submit(self.f, core_num=2)",
       "f: body[0].value.operands[0]: 3 | 2"},
      {"pl.spmd_submit(self.f, core_num=2)",
       "pl.spmd_submit(self.f, core_num=2, sync_start=True)",
       "f: body[0].value: pl.spmd_submit(self.f, core_num=2) | "
       "pl.spmd_submit(self.f, core_num=2, sync_start=True)"},
      {"pl.submit(self.f)", "pl.submit(self.f, allow_early_resolve=True)",
       "f: body[0].value: pl.submit(self.f) | pl.submit(self.f, "
       "allow_early_resolve=True)"},
      {"pl.submit(self.f)", "pl.submit(self.f, predicate=b)",
       "f: body[0].value: pl.submit(self.f) | pl.submit(self.f, "
       "predicate=(b))"},
      {"pl.submit(self.f, dumps=[x])", "pl.submit(self.f, dumps=[t])",
       "f: body[0].value.operands[0]: x | t"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(
        CompareBodies(absl::StrCat("y = ", c.lhs), absl::StrCat("y = ", c.rhs)),
        c.difference);
  }
}

TEST(StructuralEqualTest, EveryFieldOfAStatementCounts) {
  constexpr Case kCases[] = {
      {"y = n", "n", "f: body[0]: y: pl.Scalar[pl.INDEX] = n\n | n\n"},
      {"y = n", "y = n\nz = n", "f: body: 1 statements | 2 statements"},
      {"n", "i32", "f: body[0].expr: n | i32"},
      {"return n", "return", "f: body[0]: 1 values | 0 values"},
      {"return n, 1", "return n, 2", "f: body[0].values[1]: 1 | 2"},
      {"while b:\n    break", "while b:\n    continue",
       "f: body[0].body[0]: break\n | continue\n"},
      // Branches.
      {"if b:\n    y = n", "if n:\n    y = n", "f: body[0].condition: b | n"},
      {"if b:\n    y = n", "if b:\n    y = 1",
       "f: body[0].then[0].value: n | "
       "1"},
      {"if b:\n    pass", "if b:\n    pass\nelse:\n    y = 1",
       "f: body[0].else: 0 statements | 1 statements"},
      {"if b:\n    y = pl.yield_(1)\nelse:\n    y = pl.yield_(1)",
       "if b:\n    y = pl.yield_(1)\nelse:\n    y = pl.yield_(2)",
       "f: body[0].else[0].values[0]: 1 | 2"},
      {"if b:\n    pl.yield_(1)\nelse:\n    pl.yield_(1)",
       "if b:\n    y = pl.yield_(1)\nelse:\n    y = pl.yield_(1)",
       "f: body[0]: 0 return_vars | 1 return_vars"},
      {"if b:\n    y: pl.Tensor[[64, n], pl.FP32] = pl.yield_(x)\nelse:\n    "
       "y = pl.yield_(x)",
       "if b:\n    y = pl.yield_(x)\nelse:\n    y = pl.yield_(x)",
       "f: body[0].return_vars[0]: pl.Tensor[[64, n], pl.FP32] | "
       "pl.Tensor[[64, 64], pl.FP32]"},
      // Loops.
      {"for i in pl.range(n):\n    pass", "for i in pl.parallel(n):\n    pass",
       "f: body[0].kind: range | parallel"},
      {"for i in pl.range(1, n):\n    pass", "for i in pl.range(n):\n    pass",
       "f: body[0].start: 1 | 0"},
      {"for i in pl.range(n):\n    pass", "for i in pl.range(4):\n    pass",
       "f: body[0].stop: n | 4"},
      {"for i in pl.range(0, n, 2):\n    pass",
       "for i in pl.range(0, n):\n    pass", "f: body[0].step: 2 | 1"},
      {"for i in pl.pipeline(n, stage=2):\n    pass",
       "for i in pl.pipeline(n, stage=3):\n    pass",
       "f: body[0].attrs.pipeline_stages: 2 | 3"},
      {"for i in pl.range(n, attrs={'a': 1}):\n    pass",
       "for i in pl.range(n, attrs={'b': 1}):\n    pass",
       "f: body[0].attrs: {a} | {b}"},
      {"for i in pl.range(n, attrs={'a': [1, n + 1]}):\n    pass",
       "for i in pl.range(n, attrs={'a': [1, n + 2]}):\n    pass",
       "f: body[0].attrs.a.rhs: 1 | 2"},
      {"for i in pl.range(n):\n    y = i", "for i in pl.range(n):\n    y = n",
       "f: body[0].body[0].value: i | n"},
      {"for i, (a,) in pl.range(n, init_values=(1,)):\n    r = pl.yield_(a)",
       "for i, (a,) in pl.range(n, init_values=(2,)):\n    r = pl.yield_(a)",
       "f: body[0].iter_args[0].init: 1 | 2"},
      {"for i, (a,) in pl.range(n, init_values=(1,)):\n    r = pl.yield_(a)",
       "for i in pl.range(n):\n    pass",
       "f: body[0]: 1 iter_args | 0 iter_args"},
      {"for i, (a, c) in pl.range(n, init_values=(1, 1)):\n    r, s = "
       "pl.yield_(a, c)",
       "for i, (a, c) in pl.range(n, init_values=(1, 1)):\n    r, s = "
       "pl.yield_(c, a)",
       "f: body[0].body[0].values[0]: a | c"},
      {"while b:\n    pass", "while n:\n    pass",
       "f: body[0].condition: b | n"},
      {"for (a,) in pl.while_(init_values=(n,)):\n    pl.cond(a > 0)\n    r = "
       "pl.yield_(a)",
       "for (a,) in pl.while_(init_values=(n,)):\n    pl.cond(n > 0)\n    r = "
       "pl.yield_(a)",
       "f: body[0].condition.lhs: a | n"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(CompareBodies(c.lhs, c.rhs), c.difference);
  }
}

TEST(StructuralEqualTest, EveryFieldOfATypeCounts) {
  constexpr absl::string_view kTypes[] = {
      "pl.Scalar[pl.INDEX]",
      "pl.Scalar[pl.INT64]",
      "pl.Ptr",
      "pl.AsyncEvent",
      "pl.Array[4, pl.INDEX]",
      "pl.Array[8, pl.INDEX]",
      "pl.Array[4, pl.INT64]",
      "pl.Tuple[()]",
      "pl.Tuple[pl.Ptr]",
      "pl.Tuple[pl.Ptr, pl.Ptr]",
      "pl.Tensor[[4], pl.FP32]",
      "pl.Tensor[[4], pl.FP16]",
      "pl.Tensor[[8], pl.FP32]",
      "pl.Tensor[[n], pl.FP32]",
      "pl.Tensor[[m], pl.FP32]",
      "pl.Tensor[[n * 2], pl.FP32]",
      "pl.Tensor[[4, 1], pl.FP32]",
      "pld.DistributedTensor[[4], pl.FP32]",
      "pl.Tensor[[4], pl.FP32, pl.NZ]",
      "pl.Tensor[[4], pl.FP32, pl.TensorView(stride=[1])]",
      "pl.Tensor[[4], pl.FP32, pl.TensorView(stride=[n])]",
      "pl.Tensor[[4], pl.FP32, pl.TensorView(valid_shape=[1])]",
      "pl.Tensor[[4], pl.FP32, pl.TensorView(pad=pl.PadValue.zero)]",
      "pl.Tensor[[4], pl.FP32, pl.MemRef(\"p\", 0, 16)]",
      "pl.Tensor[[4], pl.FP32, pl.MemRef(\"q\", 0, 16)]",
      "pl.Tensor[[4], pl.FP32, pl.MemRef(\"p\", n, 16)]",
      "pl.Tensor[[4], pl.FP32, pl.MemRef(\"p\", 0, 32)]",
      "pl.Tile[[4], pl.FP32]",
      "pl.Tile[[4], pl.FP16]",
      "pl.Tile[[8], pl.FP32]",
      "pl.Tile[[4], pl.FP32, pl.Mem.DDR]",
      "pl.Tile[[4], pl.FP32, pl.Mem.Vec]",
      "pl.Tile[[4], pl.FP32, pl.Mem.Vec, pl.MemRef(\"p\", 0, 16)]",
      "pl.Tile[[4], pl.FP32, pl.TileView(valid_shape=[2])]",
      "pl.Tile[[4], pl.FP32, pl.TileView(stride=[2])]",
      "pl.Tile[[4], pl.FP32, pl.TileView(start_offset=0)]",
      "pl.Tile[[4], pl.FP32, pl.TileView(start_offset=n)]",
      "pl.Tile[[4], pl.FP32, pl.TileView(blayout=pl.TileLayout.col_major)]",
      "pl.Tile[[4], pl.FP32, pl.TileView(slayout=pl.TileLayout.col_major)]",
      "pl.Tile[[4], pl.FP32, pl.TileView(fractal=32)]",
      "pl.Tile[[4], pl.FP32, pl.TileView(pad=pl.PadValue.zero)]",
      "pl.Tile[[4], pl.FP32, pl.TileView(compact=pl.CompactMode.normal)]",
  };
  const auto program = [](absl::string_view type) {
    return InFunction("pass", absl::StrCat("n: pl.Scalar[pl.INDEX], m: "
                                           "pl.Scalar[pl.INDEX], v: ",
                                           type));
  };
  // Each in a context of its own.
  std::vector<TestProgram> programs;
  for (const absl::string_view type : kTypes) {
    programs.emplace_back(program(type));
    ASSERT_EQ(programs.back().errors(), "") << type;
  }
  for (size_t i = 0; i < programs.size(); ++i) {
    for (size_t j = 0; j < programs.size(); ++j) {
      const auto difference = FindDifference(*programs[i], *programs[j]);
      EXPECT_EQ(difference.has_value(), i != j)
          << kTypes[i] << " " << kTypes[j];
      if (difference.has_value()) {
        EXPECT_EQ(difference->path, "f: params[2]");
      }
    }
  }
}

TEST(StructuralEqualTest, EveryFieldOfAFunctionCounts) {
  constexpr Case kCases[] = {
      {"@pl.function\ndef f():\n  pass",
       "@pl.function(type=pl.FunctionType.Spmd)\ndef f():\n  pass",
       "f: type: Opaque | Spmd"},
      {"@pl.function\ndef f():\n  pass",
       "@pl.function(level=pl.Level.HOST)\ndef f():\n  pass",
       "f: level: none | HOST"},
      {"@pl.function(role=pl.Role.Orchestrator)\ndef f():\n  pass",
       "@pl.function(role=pl.Role.SubWorker)\ndef f():\n  pass",
       "f: role: Orchestrator | SubWorker"},
      {"@pl.function\ndef f(a: pl.Ptr):\n  pass",
       "@pl.function\ndef f():\n  pass", "f: params: 1 | 0"},
      {"@pl.function\ndef f(a: pl.Out[pl.Tensor[[4], pl.FP32]]):\n  pass",
       "@pl.function\ndef f(a: pl.Tensor[[4], pl.FP32]):\n  pass",
       "f: params[0]: Out | In"},
      {"@pl.function\ndef f() -> pl.Ptr:\n  pass",
       "@pl.function\ndef f():\n  pass", "f: returns: 1 | 0"},
      {"@pl.function\ndef f() -> pl.Ptr:\n  pass",
       "@pl.function\ndef f() -> pl.Scalar[pl.INT8]:\n  pass",
       "f: returns[0]: pl.Ptr | pl.Scalar[pl.INT8]"},
      {"@pl.function(a=1)\ndef f():\n  pass",
       "@pl.function(a=2)\ndef f():\n  pass", "f: attrs.a: 1 | 2"},
      {"@pl.function(a=1)\ndef f():\n  pass", "@pl.function\ndef f():\n  pass",
       "f: attrs: {a} | {}"},
      {"M = pl.dynamic('M')\n@pl.function\ndef f():\n  pass",
       "@pl.function\ndef f():\n  pass", "dynamic dims: 1 | 0"},
  };
  for (const Case& c : kCases) {
    const auto program = [](absl::string_view text) {
      return absl::StrCat("import pypto.language as pl\n", text, "\n");
    };
    EXPECT_EQ(Compare(program(c.lhs), program(c.rhs)), c.difference);
  }
}

TEST(StructuralEqualTest, ProgramsHaveTheSameFunctions) {
  const auto program = [](absl::string_view name) {
    return absl::StrCat("import pypto.language as pl\n@pl.function\ndef ", name,
                        "():\n  pass\n@pl.function\ndef z():\n  pass\n");
  };
  const TestProgram f(program("f"));
  const TestProgram g(program("g"));
  const TestProgram neither(
      "import pypto.language as pl\n@pl.function\ndef z():\n  pass\n");
  EXPECT_EQ(DifferenceOf(*f, *g), "functions: f | nothing");
  EXPECT_EQ(DifferenceOf(*neither, *g), "functions: nothing | g");
}

TEST(StructuralEqualTest, VariablesCorrespondWhereTheyAreDefined) {
  EXPECT_EQ(CompareBodies("y = n\nz = n\nreturn y", "u = n\nv = n\nreturn u"),
            "equal");
  EXPECT_EQ(CompareBodies("y = n\nz = n\nreturn y", "z = n\ny = n\nreturn y"),
            "f: body[2].values[0]: y | y");
  // Assigned again is not the same as another variable.
  EXPECT_EQ(CompareBodies("y = n\ny = n", "y = n\nz = n"),
            "f: body[1].var: y | z");
  EXPECT_EQ(CompareBodies("y = n\ny = n", "z = n\nz = n"), "equal");
  EXPECT_EQ(CompareBodies("for i in pl.range(n):\n    y = i",
                          "for j in pl.range(n):\n    z = j"),
            "equal");
}

TEST(StructuralEqualTest, TypesFollowTheVariables) {
  EXPECT_EQ(CompareBodies("k = n\ny: pl.Tensor[[64, k], pl.FP32] = x",
                          "l = n\ny: pl.Tensor[[64, l], pl.FP32] = x"),
            "equal");
  EXPECT_EQ(CompareBodies("k = n\ny: pl.Tensor[[64, k], pl.FP32] = x",
                          "k = n\ny: pl.Tensor[[64, n], pl.FP32] = x"),
            "f: body[1].var: pl.Tensor[[64, k], pl.FP32] | "
            "pl.Tensor[[64, n], pl.FP32]");
}

TEST(StructuralEqualTest, KnowsThePlacesOfADifference) {
  const TestProgram a(InFunction("y = n\nif b:\n    z = 1"));
  const TestProgram b(InFunction("y = n\n\nif b:\n    z = 2"));
  const std::optional<Difference> difference = FindDifference(*a, *b);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->lhs_span.line, 9);
  EXPECT_EQ(difference->rhs_span.line, 10);
}

TEST(StructuralEqualTest, ASumOf100000TermsHasAShortPath) {
  std::string sum = "y = n";
  for (int i = 0; i < 100'000; ++i) sum += " + 1";
  const TestProgram a(InFunction(sum));
  EXPECT_EQ(DifferenceOf(*a, *a), "equal");
  const TestProgram b(InFunction(absl::StrCat("y = i32", sum.substr(5))));
  // The types differ, so that of the variable does; its value comes first.
  const std::optional<Difference> difference = FindDifference(*a, *b);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->lhs, "n");
  EXPECT_EQ(difference->path.substr(0, 23), "f: body[0].value....lhs");
  EXPECT_LT(difference->path.size(), 150);
}

}  // namespace
}  // namespace mxtile::ir
