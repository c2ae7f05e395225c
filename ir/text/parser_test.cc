#include "ir/text/parser.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/source_file.h"
#include "ir/source_span.h"
#include "ir/text/syntax.h"
#include "ir/text/syntax_dump.h"

namespace mxtile::ir::text {
namespace {

// The tree, or the diagnostics, as text.
std::string Parse(absl::string_view contents, bool spans = false) {
  const SourceFile file("a.py", std::string(contents));
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module = ParseModule(file, &tree, &sink);
  if (module.ok()) return DumpSyntax(**module, {spans});
  std::string errors = absl::StrCat(module.status().message(), "\n");
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    errors +=
        RenderDiagnostic(diagnostic, [&](absl::string_view) { return &file; });
  }
  return errors;
}

std::string Place(const TextRange& span) {
  return absl::StrCat(span.line, ":", span.column, "-", span.end_line, ":",
                      span.end_column);
}

// One expression in prefix form.
std::string ParseExpr(absl::string_view text) {
  const std::string dump = Parse(text);
  absl::string_view result = dump;
  if (absl::ConsumePrefix(&result, "expr ")) result.remove_suffix(1);
  return std::string(result);
}

std::string ParseWithSpans(absl::string_view contents) {
  return Parse(contents, /*spans=*/true);
}

TEST(ParserTest, Literals) {
  EXPECT_EQ(ParseExpr("x_1"), "x_1");
  EXPECT_EQ(ParseExpr("0x_ff"), "255");
  EXPECT_EQ(ParseExpr("1e-3"), "0.001f");
  EXPECT_EQ(ParseExpr("2."), "2f");
  EXPECT_EQ(ParseExpr("'it\\'s'"), "\"it\\'s\"");
  EXPECT_EQ(ParseExpr("r'\\d'"), "\"\\\\d\"");
  EXPECT_EQ(ParseExpr("'''a\nb'''"), "\"a\\nb\"");
  EXPECT_EQ(ParseExpr("'a' \"b\" 'c'"), "\"abc\"");
  EXPECT_EQ(ParseExpr("True"), "True");
  EXPECT_EQ(ParseExpr("False"), "False");
  EXPECT_EQ(ParseExpr("None"), "None");
  EXPECT_EQ(ParseExpr("..."), "...");
}

TEST(ParserTest, IntsUpToTheEndsOfTheirRange) {
  EXPECT_EQ(ParseExpr("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(ParseExpr("-9223372036854775807"), "(- 9223372036854775807)");
  EXPECT_EQ(ParseExpr("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(ParseExpr("1 - -0x8000000000000000"), "(- 1 -9223372036854775808)");
  EXPECT_EQ(ParseExpr("-1"), "(- 1)");
}

TEST(ParserTest, NumbersKeepTheirTexts) {
  const SourceFile file("a.py", "f(0x1F, 1_0.50, - 9223372036854775808)");
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module = ParseModule(file, &tree, &sink);
  ASSERT_TRUE(module.ok());
  const Call* const call =
      (*module)->body[0]->As<ExprStmt>()->value->As<Call>();
  EXPECT_EQ(call->arguments[0]->As<Int>()->text, "0x1F");
  EXPECT_EQ(call->arguments[1]->As<Float>()->text, "1_0.50");
  EXPECT_EQ(call->arguments[2]->As<Int>()->text, "- 9223372036854775808");
  EXPECT_EQ(call->arguments[2]->As<Int>()->value,
            std::numeric_limits<int64_t>::min());
}

TEST(ParserTest, PostfixChains) {
  EXPECT_EQ(ParseExpr("pl.Mem.Vec"), "pl.Mem.Vec");
  EXPECT_EQ(ParseExpr("a.b[0](c)[d].e"), "(index (call (index a.b 0) c) d).e");
  EXPECT_EQ(ParseExpr("f()"), "(call f)");
  EXPECT_EQ(ParseExpr("f(a, b, k=c, l=(d,),)"), "(call f a b k=c l=(tuple d))");
  EXPECT_EQ(ParseExpr("'a'.b"), "\"a\".b");
}

TEST(ParserTest, SubscriptsOfSeveral) {
  EXPECT_EQ(ParseExpr("x[a, b]"), "(index x (tuple a b))");
  EXPECT_EQ(ParseExpr("x[(a, b)]"), "(index x (tuple a b))");
  EXPECT_EQ(ParseExpr("x[a,]"), "(index x (tuple a))");
  EXPECT_EQ(ParseExpr("pl.Tuple[()]"), "(index pl.Tuple (tuple))");
  EXPECT_EQ(ParseExpr("pl.Tensor[[16, n], pl.FP32]"),
            "(index pl.Tensor (tuple (list 16 n) pl.FP32))");
}

TEST(ParserTest, Collections) {
  EXPECT_EQ(ParseExpr("[]"), "(list)");
  EXPECT_EQ(ParseExpr("[a, [b],]"), "(list a (list b))");
  EXPECT_EQ(ParseExpr("()"), "(tuple)");
  EXPECT_EQ(ParseExpr("(a,)"), "(tuple a)");
  EXPECT_EQ(ParseExpr("(a)"), "a");
  EXPECT_EQ(ParseExpr("(a, b)"), "(tuple a b)");
  EXPECT_EQ(ParseExpr("a, b,"), "(tuple a b)");
  EXPECT_EQ(ParseExpr("a,"), "(tuple a)");
  EXPECT_EQ(ParseExpr("{}"), "(dict)");
  EXPECT_EQ(ParseExpr("{'a': 1, b + 1: [c],}"),
            "(dict \"a\":1 (+ b 1):(list c))");
}

TEST(ParserTest, LinesMayBeSplitInBrackets) {
  EXPECT_EQ(ParseExpr("f(\n  a,\n\n  # why\n      b\n)"),
            "# why\n"
            "expr (call f a b)\n");
  EXPECT_EQ(ParseExpr("a + \\\n  b"), "(+ a b)");
}

// Each level of operators against the next tighter one, both ways round.
TEST(ParserTest, PrecedenceOfNeighbours) {
  const char* const levels[] = {"or", "xor", "and", "<", "|",
                                "^",  "&",   "<<",  "+", "*"};
  for (size_t i = 0; i + 1 < std::size(levels); ++i) {
    const absl::string_view loose = levels[i];
    const absl::string_view tight = levels[i + 1];
    EXPECT_EQ(ParseExpr(absl::StrCat("a ", loose, " b ", tight, " c")),
              absl::StrCat("(", loose, " a (", tight, " b c))"));
    EXPECT_EQ(ParseExpr(absl::StrCat("a ", tight, " b ", loose, " c")),
              absl::StrCat("(", loose, " (", tight, " a b) c)"));
  }
}

TEST(ParserTest, OperatorsOfOneLevelGroupToTheLeft) {
  EXPECT_EQ(ParseExpr("a or b or c"), "(or (or a b) c)");
  EXPECT_EQ(ParseExpr("a xor b xor c"), "(xor (xor a b) c)");
  EXPECT_EQ(ParseExpr("a << b >> c"), "(>> (<< a b) c)");
  EXPECT_EQ(ParseExpr("a - b + c"), "(+ (- a b) c)");
  EXPECT_EQ(ParseExpr("a * b // c % d / e"), "(/ (% (// (* a b) c) d) e)");
  EXPECT_EQ(ParseExpr("a - (b - c)"), "(- a (- b c))");
}

TEST(ParserTest, EveryComparison) {
  for (const char* op : {"==", "!=", "<", "<=", ">", ">="}) {
    EXPECT_EQ(ParseExpr(absl::StrCat("a ", op, " b")),
              absl::StrCat("(", op, " a b)"));
  }
  EXPECT_EQ(ParseExpr("a < b and c < d"), "(and (< a b) (< c d))");
  EXPECT_EQ(ParseExpr("(a < b) == c"), "(== (< a b) c)");
}

TEST(ParserTest, Not) {
  EXPECT_EQ(ParseExpr("not a == b"), "(not (== a b))");
  EXPECT_EQ(ParseExpr("not a and not b"), "(and (not a) (not b))");
  EXPECT_EQ(ParseExpr("not not a or b"), "(or (not (not a)) b)");
  EXPECT_EQ(ParseExpr("a xor not b"), "(xor a (not b))");
  EXPECT_EQ(ParseExpr("a == (not b)"), "(== a (not b))");
}

TEST(ParserTest, SignsAndPowers) {
  EXPECT_EQ(ParseExpr("-a * +b"), "(* (- a) (+ b))");
  EXPECT_EQ(ParseExpr("- - ~a"), "(- (- (~ a)))");
  EXPECT_EQ(ParseExpr("-a ** b"), "(- (** a b))");
  EXPECT_EQ(ParseExpr("a ** -b ** c"), "(** a (- (** b c)))");
  EXPECT_EQ(ParseExpr("a ** b * c"), "(* (** a b) c)");
  EXPECT_EQ(ParseExpr("(a ** b) ** c"), "(** (** a b) c)");
  EXPECT_EQ(ParseExpr("-x.y[0]"), "(- (index x.y 0))");
}

TEST(ParserTest, XorIsAlsoAName) {
  EXPECT_EQ(ParseExpr("xor"), "xor");
  EXPECT_EQ(ParseExpr("pl.xor(a, b)"), "(call pl.xor a b)");
  EXPECT_EQ(ParseExpr("xor xor xor"), "(xor xor xor)");
  EXPECT_EQ(Parse("xor = 1\n"), "assign xor 1\n");
}

TEST(ParserTest, SimpleStatements) {
  EXPECT_EQ(Parse("import pypto.language as pl\n"
                  "import a, b . c as d\n"
                  "x = 1\n"
                  "a, b = f(c)\n"
                  "(a, b) = c, d\n"
                  "x: pl.Scalar[pl.INDEX] = a, b\n"
                  "f(x)\n"
                  "'a docstring'\n"
                  "...\n"
                  "pass\n"
                  "break\n"
                  "continue\n"
                  "return\n"
                  "return a\n"
                  "return a, b\n"),
            "import pypto.language as pl\n"
            "import a b.c as d\n"
            "assign x 1\n"
            "assign (tuple a b) (call f c)\n"
            "assign (tuple a b) (tuple c d)\n"
            "annassign x (index pl.Scalar pl.INDEX) (tuple a b)\n"
            "expr (call f x)\n"
            "expr \"a docstring\"\n"
            "expr ...\n"
            "pass\n"
            "break\n"
            "continue\n"
            "return\n"
            "return a\n"
            "return (tuple a b)\n");
}

TEST(ParserTest, StatementsMayShareALine) {
  EXPECT_EQ(Parse("a = 1; b = 2;\nif c: d; e\n"),
            "assign a 1\n"
            "assign b 2\n"
            "if c\n"
            "  expr d\n"
            "  expr e\n");
}

TEST(ParserTest, If) {
  EXPECT_EQ(
      Parse("if a > 0:\n  b\nelif c:\n  d\nelif e:\n  f\nelse:\n  g\nh\n"),
      "if (> a 0)\n"
      "  expr b\n"
      "else\n"
      "  if c\n"
      "    expr d\n"
      "  else\n"
      "    if e\n"
      "      expr f\n"
      "    else\n"
      "      expr g\n"
      "expr h\n");
  EXPECT_EQ(Parse("if a: pass\nelse: pass\n"), "if a\n  pass\nelse\n  pass\n");
}

TEST(ParserTest, Loops) {
  EXPECT_EQ(Parse("for i in pl.range(4):\n"
                  "  pass\n"
                  "for k, (acc,) in pl.range(0, 8, 2, init_values=(x,)):\n"
                  "  y = pl.yield_(acc)\n"
                  "for (left,) in pl.while_(init_values=(n,)):\n"
                  "  pl.cond(left > 0)\n"
                  "while x < 3:\n"
                  "  break\n"),
            "for i (call pl.range 4)\n"
            "  pass\n"
            "for (tuple k (tuple acc)) (call pl.range 0 8 2 "
            "init_values=(tuple x))\n"
            "  assign y (call pl.yield_ acc)\n"
            "for (tuple left) (call pl.while_ init_values=(tuple n))\n"
            "  expr (call pl.cond (> left 0))\n"
            "while (< x 3)\n"
            "  break\n");
}

TEST(ParserTest, With) {
  EXPECT_EQ(Parse("with pl.at(level=pl.Level.CORE) as t:\n  pass\n"
                  "with a, b as c: d\n"),
            "with (call pl.at level=pl.Level.CORE) as t\n"
            "  pass\n"
            "with a b as c\n"
            "  expr d\n");
}

TEST(ParserTest, FunctionsAndClasses) {
  EXPECT_EQ(Parse("@pl.program\n"
                  "class P:\n"
                  "    @pl.function(type=pl.FunctionType.InCore)\n"
                  "    @other\n"
                  "    def f(self, a: pl.Out[t], b,) -> tuple[t, u]:\n"
                  "        return a\n"
                  "    def g(): ...\n"
                  "class Q(): pass\n"),
            "@pl.program class P\n"
            "  @(call pl.function type=pl.FunctionType.InCore) @other def f "
            "self a:(index pl.Out t) b -> (index tuple (tuple t u))\n"
            "    return a\n"
            "  def g\n"
            "    expr ...\n"
            "class Q\n"
            "  pass\n");
}

TEST(ParserTest, CommentsBelongToTheNextStatement) {
  EXPECT_EQ(Parse("# program: P\n"
                  "# second\n"
                  "import a\n"
                  "\n"
                  "# before the decorator\n"
                  "@d  # beside it\n"
                  "# behind it\n"
                  "def f():  # beside def\n"
                  "    # first of the block\n"
                  "    x = 1  # beside x\n"
                  "    # last of the block\n"
                  "# before y\n"
                  "y = g(  # in brackets\n"
                  "    1)\n"
                  "# the end\n"),
            "# program: P\n"
            "# second\n"
            "import a\n"
            "# before the decorator\n"
            "# beside it\n"
            "# behind it\n"
            "# beside def\n"
            "@d def f\n"
            "  # first of the block\n"
            "  # beside x\n"
            "  assign x 1\n"
            "# last of the block\n"
            "# before y\n"
            "# in brackets\n"
            "assign y (call g 1)\n"
            "# the end\n");
}

TEST(ParserTest, CommentsOfBranches) {
  EXPECT_EQ(Parse("if a:\n"
                  "  b\n"
                  "# before elif\n"
                  "elif c:  # beside elif\n"
                  "  d\n"
                  "# before else\n"
                  "else:  # beside else\n"
                  "  # before e\n"
                  "  e\n"
                  "f; g  # beside g\n"),
            "if a\n"
            "  expr b\n"
            "else\n"
            "  # before elif\n"
            "  # beside elif\n"
            "  if c\n"
            "    expr d\n"
            "  else\n"
            "    # before else\n"
            "    # beside else\n"
            "    # before e\n"
            "    expr e\n"
            "# beside g\n"
            "expr f\n"
            "expr g\n");
}

TEST(ParserTest, FilesWithoutStatements) {
  EXPECT_EQ(Parse(""), "");
  EXPECT_EQ(Parse("\n  \n\t\n"), "");
  EXPECT_EQ(Parse("# only\n\n  # comments"), "# only\n# comments\n");
}

TEST(ParserTest, SpansOfExpressions) {
  EXPECT_EQ(ParseWithSpans("f(a, (b + c) * d)\n"),
            "<1:1-1:18>expr <1:1-1:18>(call <1:1-1:2>f <1:3-1:4>a "
            "<1:6-1:17>(* <1:7-1:12>(+ <1:7-1:8>b <1:11-1:12>c) "
            "<1:16-1:17>d))\n");
  EXPECT_EQ(ParseWithSpans("(a,) ; b.c[0]\n"),
            "<1:1-1:5>expr <1:1-1:5>(tuple <1:2-1:3>a)\n"
            "<1:8-1:14>expr <1:8-1:14>(index <1:8-1:11><1:8-1:9>b.c "
            "<1:12-1:13>0)\n");
  EXPECT_EQ(ParseWithSpans("-(a) ** not_b\n"),
            "<1:1-1:14>expr <1:1-1:14>(- <1:2-1:14>(** <1:3-1:4>a "
            "<1:9-1:14>not_b))\n");
  EXPECT_EQ(ParseWithSpans("[a,\n 'b'\n 'c']\n"),
            "<1:1-3:6>expr <1:1-3:6>(list <1:2-1:3>a <2:2-3:5>\"bc\")\n");
}

TEST(ParserTest, SpansOfStatements) {
  EXPECT_EQ(ParseWithSpans("@d\n"
                           "def f(a: t) -> u:\n"
                           "  if a:\n"
                           "    return\n"
                           "\n"
                           "  # c\n"
                           "  x: t = 1  # d\n"
                           "\n"
                           "import a.b as c\n"),
            "<1:1-7:11>@<1:2-1:3>d def <2:5-2:6>f <2:7-2:8>a:<2:10-2:11>t -> "
            "<2:16-2:17>u\n"
            "  <3:3-4:11>if <3:6-3:7>a\n"
            "    <4:5-4:11>return\n"
            "  <6:3-6:6># c\n"
            "  <7:13-7:16># d\n"
            "  <7:3-7:11>annassign <7:3-7:4>x <7:6-7:7>t <7:10-7:11>1\n"
            "<9:1-9:16>import <9:8-9:16>a.b as c\n");
}

TEST(ParserTest, SpansOfParts) {
  const SourceFile file("a.py", "f(key=a ** (b //\n c .\n name))");
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module = ParseModule(file, &tree, &sink);
  ASSERT_TRUE(module.ok());
  const KeywordArgument& keyword =
      (*module)->body[0]->As<ExprStmt>()->value->As<Call>()->keywords[0];
  const Binary* const power = keyword.value->As<Binary>();
  const Binary* const quotient = power->right->As<Binary>();
  EXPECT_EQ(Place(keyword.name_span), "1:3-1:6");
  EXPECT_EQ(Place(power->op_span()), "1:9-1:11");
  EXPECT_EQ(Place(quotient->op_span()), "1:15-1:17");
  EXPECT_EQ(Place(quotient->right->span), "2:2-3:6");
  EXPECT_EQ(Place(quotient->right->As<Attribute>()->name_span()), "3:2-3:6");
}

// Their nodes are shared; errors still point to the one that they concern.
TEST(ParserTest, SpansOfCalleesThatStandTwice) {
  const SourceFile file("a.py", "a.b(1)\nx = [a.b(2), a . b(3)]\n");
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module = ParseModule(file, &tree, &sink);
  ASSERT_TRUE(module.ok());
  const Call* first = (*module)->body[0]->As<ExprStmt>()->value->As<Call>();
  const List* list = (*module)->body[1]->As<Assign>()->value->As<List>();
  const Call* second = list->elements[0]->As<Call>();
  const Call* third = list->elements[1]->As<Call>();
  EXPECT_EQ(first->callee, second->callee);
  EXPECT_EQ(Place(first->callee_span()), "1:1-1:4");
  EXPECT_EQ(Place(second->callee_span()), "2:6-2:9");
  EXPECT_EQ(Place(second->span), "2:6-2:12");
  EXPECT_NE(first->callee, third->callee);
  EXPECT_EQ(Place(third->callee_span()), "2:14-2:19");
}

TEST(ParserTest, HeightCountsAllStepsButThoseToTheLeft) {
  const auto height_of = [](absl::string_view text) {
    const SourceFile file("a.py", std::string(text));
    SyntaxTree tree;
    DiagnosticSink sink;
    const absl::StatusOr<const Module*> module =
        ParseModule(file, &tree, &sink);
    return module.ok() ? (*module)->body[0]->As<ExprStmt>()->value->height : -1;
  };
  EXPECT_EQ(height_of("a"), 0);
  EXPECT_EQ(height_of("-a"), 1);
  EXPECT_EQ(height_of("a.b.c"), 2);
  EXPECT_EQ(height_of("f([a], k=-b)"), 2);
  EXPECT_EQ(height_of("f(a, k=[-b])"), 3);
  EXPECT_EQ(height_of("{a: b, [c]: d}"), 2);
  EXPECT_EQ(height_of("a + b + c + d"), 1);
  EXPECT_EQ(height_of("a + b * c"), 2);
  EXPECT_EQ(height_of("[[[a]]] + b"), 3);
  EXPECT_EQ(height_of("a ** b ** c"), 2);
  EXPECT_EQ(height_of("[a] ** b"), 1);
  EXPECT_EQ(height_of("((((a))))"), 0);
}

// A kernel and its caller, as the text form prints them.
TEST(ParserTest, WholeProgram) {
  EXPECT_EQ(
      Parse("# pypto.program: Scale\n"
            "import pypto.language as pl\n"
            "\n"
            "N = pl.dynamic(\"N\")\n"
            "\n"
            "@pl.program\n"
            "class Scale:\n"
            "    @pl.function(type=pl.FunctionType.InCore, "
            "level=pl.Level.CHIP_DIE)\n"
            "    def cell(s: pl.Tensor[[2, 4], pl.FP8E8M0, "
            "pl.TensorView(stride=[], layout=pl.TensorLayout.MX_A_ZZ)]):\n"
            "        pl.func_attr({\"mx\": True})\n"
            "        m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 2048)\n"
            "        if n > pl.const(0, pl.INT32):\n"
            "            p: pl.Scalar[pl.INDEX] = pl.yield_(n // 16)\n"
            "        else:\n"
            "            p: pl.Scalar[pl.INDEX] = pl.yield_(0)\n"
            "    @pl.function\n"
            "    def entry(self, x: pl.Tensor[[N * pl.const(2, pl.INDEX)], "
            "pl.FP16]):\n"
            "        t = pl.submit(self.cell, x, deps=[u], "
            "attrs={\"arg_directions\": [pl.adir.input]})\n"
            "        return t[0]\n"),
      "# pypto.program: Scale\n"
      "import pypto.language as pl\n"
      "assign N (call pl.dynamic \"N\")\n"
      "@pl.program class Scale\n"
      "  @(call pl.function type=pl.FunctionType.InCore "
      "level=pl.Level.CHIP_DIE) def cell s:(index pl.Tensor (tuple (list 2 4) "
      "pl.FP8E8M0 (call pl.TensorView stride=(list) "
      "layout=pl.TensorLayout.MX_A_ZZ)))\n"
      "    expr (call pl.func_attr (dict \"mx\":True))\n"
      "    annassign m pl.Ptr (call pl.tile.alloc pl.Mem.Vec 2048)\n"
      "    if (> n (call pl.const 0 pl.INT32))\n"
      "      annassign p (index pl.Scalar pl.INDEX) (call pl.yield_ (// n "
      "16))\n"
      "    else\n"
      "      annassign p (index pl.Scalar pl.INDEX) (call pl.yield_ 0)\n"
      "  @pl.function def entry self x:(index pl.Tensor (tuple (list (* N "
      "(call pl.const 2 pl.INDEX))) pl.FP16))\n"
      "    assign t (call pl.submit self.cell x deps=(list u) attrs=(dict "
      "\"arg_directions\":(list pl.adir.input)))\n"
      "    return (index t 0)\n");
}

TEST(ParserTest, OneTreeMayHoldSeveralFiles) {
  const SourceFile a("a.py", "x");
  const SourceFile b("b.py", "y");
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module_a = ParseModule(a, &tree, &sink);
  const absl::StatusOr<const Module*> module_b = ParseModule(b, &tree, &sink);
  ASSERT_TRUE(module_a.ok() && module_b.ok());
  EXPECT_EQ(DumpSyntax(**module_a), "expr x\n");
  EXPECT_EQ(DumpSyntax(**module_b), "expr y\n");
}

}  // namespace
}  // namespace mxtile::ir::text
