// Every error of the parser: its rule, its place and its words.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/source_file.h"
#include "ir/source_span.h"
#include "ir/text/parser.h"
#include "ir/text/syntax.h"

namespace mxtile::ir::text {
namespace {

using ::testing::Eq;

std::string Place(const SourceSpan& span) {
  return absl::StrCat(span.line, ":", span.column, "-", span.end_line, ":",
                      span.end_column, " ");
}

// `RULE PLACE message`, and a line for each note.
std::string ErrorOf(absl::string_view contents) {
  const SourceFile file("a.py", std::string(contents));
  SyntaxTree tree;
  DiagnosticSink sink;
  const absl::StatusOr<const Module*> module = ParseModule(file, &tree, &sink);
  if (module.ok()) return "parsed";
  EXPECT_THAT(module,
              StatusIs(absl::StatusCode::kInvalidArgument, Eq("1 error")));
  const Diagnostic& error = sink.diagnostics()[0];
  EXPECT_EQ(error.span.file, "a.py");
  std::string text =
      absl::StrCat(error.rule_id, " ", Place(error.span), error.message);
  for (const DiagnosticNote& note : error.notes) {
    absl::StrAppend(&text, "\n", Place(note.span), note.message);
  }
  return text;
}

TEST(ParserErrorTest, LexicalErrorsAreReportedOnce) {
  EXPECT_EQ(ErrorOf("x = 1 $ 2"),
            "MX-SYNTAX-2 1:7-1:8 unexpected character '$'");
  EXPECT_EQ(ErrorOf("$"), "MX-SYNTAX-2 1:1-1:2 unexpected character '$'");
  EXPECT_EQ(ErrorOf("f(a,\n  \u77e9)"),
            "MX-SYNTAX-2 2:3-2:6 unexpected character '\u77e9' (U+77E9); names "
            "are ASCII");
  EXPECT_EQ(ErrorOf("x = \\ 1"),
            "MX-SYNTAX-2 1:5-1:6 a backslash stands only at the end of a line, "
            "to continue it");
  EXPECT_EQ(ErrorOf("x = \xff"),
            "MX-SYNTAX-1 1:5-1:6 this file is not UTF-8 text: the byte 0xff is "
            "no part of one");
}

TEST(ParserErrorTest, Strings_MX_SYNTAX_3) {
  EXPECT_EQ(ErrorOf("x = 'abc\n"),
            "MX-SYNTAX-3 1:5-1:9 this string does not end on its line");
  EXPECT_EQ(ErrorOf("x = '''abc\n"),
            "MX-SYNTAX-3 1:5-2:1 this string does not end in the file");
  EXPECT_EQ(ErrorOf("x = f'abc'"),
            "MX-SYNTAX-3 1:5-1:6 strings with the prefix 'f' are not part of "
            "the text form");
  EXPECT_EQ(ErrorOf("x = ('a'\n     'b\\xz')"),
            "MX-SYNTAX-3 2:8-2:10 \\x needs 2 hexadecimal digits");
}

TEST(ParserErrorTest, Numbers_MX_SYNTAX_4) {
  EXPECT_EQ(ErrorOf("x = 9223372036854775808"),
            "MX-SYNTAX-4 1:5-1:24 '9223372036854775808' is too large, integers "
            "are below 2^63");
  EXPECT_EQ(ErrorOf("x = -9223372036854775809"),
            "MX-SYNTAX-4 1:6-1:25 '9223372036854775809' is too large, integers "
            "are below 2^63");
  EXPECT_EQ(ErrorOf("x = 12ab"), "MX-SYNTAX-4 1:5-1:9 '12ab' is not a number");
  EXPECT_EQ(ErrorOf("x = 1.2.3"),
            "MX-SYNTAX-4 1:5-1:10 '1.2.3' is not a number");
  EXPECT_EQ(ErrorOf("x = 017"),
            "MX-SYNTAX-4 1:5-1:8 '017' starts with a zero; octal numbers are "
            "written 0o17");
  EXPECT_EQ(ErrorOf("x = 1e999"),
            "MX-SYNTAX-4 1:5-1:10 '1e999' is above the largest double");
}

TEST(ParserErrorTest, Indentation_MX_SYNTAX_5) {
  EXPECT_EQ(ErrorOf("x\n  y\n"),
            "MX-SYNTAX-5 2:1-2:3 this line is indented although no block "
            "starts here");
  EXPECT_EQ(ErrorOf("  x\n"),
            "MX-SYNTAX-5 1:1-1:3 this line is indented although no block "
            "starts here");
  EXPECT_EQ(ErrorOf("if a:\nb\n"),
            "MX-SYNTAX-5 2:1-2:2 expected an indented block, found 'b'");
  EXPECT_EQ(ErrorOf("if a:"),
            "MX-SYNTAX-5 1:6-1:6 expected an indented block, found the end of "
            "the file");
  EXPECT_EQ(ErrorOf("def f():\n  if a:\n  # nothing\n"),
            "MX-SYNTAX-5 4:1-4:1 expected an indented block, found the end of "
            "the block");
  EXPECT_EQ(ErrorOf("if a:\n    b\n  c\n"),
            "MX-SYNTAX-5 3:1-3:3 this indentation matches none of the blocks "
            "around it");
  EXPECT_EQ(ErrorOf("if a:\n\tb\n        c\n"),
            "MX-SYNTAX-5 3:1-3:9 this indentation mixes tabs and spaces in "
            "another way than the lines before; use spaces");
}

TEST(ParserErrorTest, Brackets_MX_SYNTAX_6) {
  EXPECT_EQ(ErrorOf("x = f(a, [b)\n"),
            "MX-SYNTAX-6 1:12-1:13 ')' cannot close '['\n"
            "1:10-1:11 the '[' is here");
  EXPECT_EQ(ErrorOf("x = (a\n"),
            "MX-SYNTAX-6 1:5-1:6 this '(' is never closed");
  EXPECT_EQ(ErrorOf("x = f(\n"),
            "MX-SYNTAX-6 1:6-1:7 this '(' is never closed");
  EXPECT_EQ(ErrorOf("x = f(g[a +\n"),
            "MX-SYNTAX-6 1:8-1:9 this '[' is never closed");
  EXPECT_EQ(ErrorOf("x = {'a':\n"),
            "MX-SYNTAX-6 1:5-1:6 this '{' is never closed");
  EXPECT_EQ(ErrorOf("def f(a\n"),
            "MX-SYNTAX-6 1:6-1:7 this '(' is never closed");
  EXPECT_EQ(ErrorOf("x = a)\n"), "MX-SYNTAX-6 1:6-1:7 ')' closes no bracket");
  EXPECT_EQ(ErrorOf("]\n"), "MX-SYNTAX-6 1:1-1:2 ']' closes no bracket");
}

// The usual slip: the bracket is missing, the error is found later.
TEST(ParserErrorTest, MissingBracketIsShown_MX_SYNTAX_7) {
  EXPECT_EQ(ErrorOf("x = f(a,\ny: int = 2\n"),
            "MX-SYNTAX-7 2:2-2:3 expected ',' or ')', found ':'\n"
            "1:6-1:7 the '(' is here");
  EXPECT_EQ(ErrorOf("x = [a\nreturn x\n"),
            "MX-SYNTAX-7 2:1-2:7 expected ',' or ']', found 'return'\n"
            "1:5-1:6 the '[' is here");
}

TEST(ParserErrorTest, Expressions_MX_SYNTAX_7) {
  EXPECT_EQ(ErrorOf("x = "),
            "MX-SYNTAX-7 1:5-1:5 expected an expression, found the end of the "
            "line");
  EXPECT_EQ(ErrorOf("x = a +\ny\n"),
            "MX-SYNTAX-7 1:8-1:8 expected an expression, found the end of the "
            "line");
  EXPECT_EQ(ErrorOf("x = a * / b"),
            "MX-SYNTAX-7 1:9-1:10 expected an expression, found '/'");
  EXPECT_EQ(ErrorOf("a b"),
            "MX-SYNTAX-7 1:3-1:4 expected the end of the line, found 'b'");
  EXPECT_EQ(ErrorOf("a 'b'"),
            "MX-SYNTAX-7 1:3-1:6 expected the end of the line, found a string");
  EXPECT_EQ(ErrorOf("a.\n"),
            "MX-SYNTAX-7 1:3-1:3 expected a name after '.', found the end of "
            "the line");
  EXPECT_EQ(ErrorOf("a.1"),
            "MX-SYNTAX-7 1:2-1:4 expected the end of the line, found '.1'");
  EXPECT_EQ(ErrorOf("a[]"),
            "MX-SYNTAX-7 1:3-1:4 expected an expression, found ']'");
  EXPECT_EQ(ErrorOf("[1, , 2]"),
            "MX-SYNTAX-7 1:5-1:6 expected an expression or ']', found ','\n"
            "1:1-1:2 the '[' is here");
  EXPECT_EQ(ErrorOf("(1 2)"),
            "MX-SYNTAX-7 1:4-1:5 expected ',' or ')', found '2'\n"
            "1:1-1:2 the '(' is here");
  EXPECT_EQ(ErrorOf("f(a, , b)"),
            "MX-SYNTAX-7 1:6-1:7 expected an expression, found ','");
  EXPECT_EQ(ErrorOf("f(k=)"),
            "MX-SYNTAX-7 1:5-1:6 expected an expression, found ')'");
  EXPECT_EQ(ErrorOf("{a}"),
            "MX-SYNTAX-7 1:3-1:4 expected ':' and the value of this key, found "
            "'}'");
  EXPECT_EQ(ErrorOf("{a: b c}"),
            "MX-SYNTAX-7 1:7-1:8 expected ',' or '}', found 'c'\n"
            "1:1-1:2 the '{' is here");
  EXPECT_EQ(ErrorOf("a == not b"),
            "MX-SYNTAX-7 1:6-1:9 'not' needs brackets around it behind an "
            "operator");
  EXPECT_EQ(ErrorOf("-9223372036854775808 ** 2"),
            "MX-SYNTAX-7 1:22-1:24 expected the end of the line, found '**'");
}

TEST(ParserErrorTest, Statements_MX_SYNTAX_7) {
  EXPECT_EQ(ErrorOf("= 1"),
            "MX-SYNTAX-7 1:1-1:2 expected a statement, found '='");
  EXPECT_EQ(ErrorOf(";"),
            "MX-SYNTAX-7 1:1-1:2 expected a statement, found ';'");
  EXPECT_EQ(ErrorOf("else:\n  a"),
            "MX-SYNTAX-7 1:1-1:5 expected a statement, found 'else'");
  EXPECT_EQ(ErrorOf("if a\n  b"),
            "MX-SYNTAX-7 1:5-1:5 expected ':', found the end of the line");
  EXPECT_EQ(ErrorOf("if a: if b: c"),
            "MX-SYNTAX-7 1:7-1:9 expected a statement, found 'if'");
  EXPECT_EQ(ErrorOf("x: int"),
            "MX-SYNTAX-7 1:7-1:7 expected '=' and a value, found the end of "
            "the line");
  EXPECT_EQ(ErrorOf("for in x: pass"),
            "MX-SYNTAX-7 1:5-1:7 expected a name after 'for', found 'in'");
  EXPECT_EQ(ErrorOf("for i of x: pass"),
            "MX-SYNTAX-7 1:7-1:9 expected 'in', found 'of'");
  EXPECT_EQ(ErrorOf("with a as (b): pass"),
            "MX-SYNTAX-7 1:11-1:12 expected a name after 'as', found '('");
  EXPECT_EQ(ErrorOf("import 'a'"),
            "MX-SYNTAX-7 1:8-1:11 expected a module's name, found a string");
  EXPECT_EQ(ErrorOf("import a as"),
            "MX-SYNTAX-7 1:12-1:12 expected a name after 'as', found the end "
            "of the line");
  EXPECT_EQ(ErrorOf("@a\nx = 1"),
            "MX-SYNTAX-7 2:1-2:2 expected 'def' or 'class' after a decorator, "
            "found 'x'");
  EXPECT_EQ(ErrorOf("@a"),
            "MX-SYNTAX-7 1:3-1:3 expected 'def' or 'class' after a decorator, "
            "found the end of the file");
  EXPECT_EQ(ErrorOf("@a def f(): pass"),
            "MX-SYNTAX-7 1:4-1:7 expected the end of the line, found 'def'");
  EXPECT_EQ(ErrorOf("def 1(): pass"),
            "MX-SYNTAX-7 1:5-1:6 expected the function's name, found '1'");
  EXPECT_EQ(ErrorOf("def f: pass"),
            "MX-SYNTAX-7 1:6-1:7 expected '(' and the parameters, found ':'");
  EXPECT_EQ(ErrorOf("def f(1): pass"),
            "MX-SYNTAX-7 1:7-1:8 expected a parameter's name, found '1'");
  EXPECT_EQ(ErrorOf("def f(a b): pass"),
            "MX-SYNTAX-7 1:9-1:10 expected ',' or ')', found 'b'\n"
            "1:6-1:7 the '(' is here");
  EXPECT_EQ(ErrorOf("class (): pass"),
            "MX-SYNTAX-7 1:7-1:8 expected the class's name, found '('");
}

TEST(ParserErrorTest, UnsupportedExpressions_MX_SYNTAX_8) {
  const auto unsupported = [](absl::string_view place, absl::string_view what) {
    return absl::StrCat("MX-SYNTAX-8 ", place, " ", what,
                        " is not part of the text form");
  };
  EXPECT_EQ(ErrorOf("x = lambda: 1"), unsupported("1:5-1:11", "'lambda'"));
  EXPECT_EQ(ErrorOf("x = a if b else c"),
            unsupported("1:7-1:9", "'if' in an expression"));
  EXPECT_EQ(ErrorOf("x = {a: b for a in c}"),
            unsupported("1:11-1:14", "'for' in an expression"));
  EXPECT_EQ(ErrorOf("x = f(a for a in c)"),
            unsupported("1:9-1:12", "'for' in an expression"));
  EXPECT_EQ(ErrorOf("x = a in b"), unsupported("1:7-1:9", "'in'"));
  EXPECT_EQ(ErrorOf("x = a not in b"), unsupported("1:7-1:10", "'not in'"));
  EXPECT_EQ(ErrorOf("x = a is b"), unsupported("1:7-1:9", "'is'"));
  EXPECT_EQ(ErrorOf("x = a @ b"), unsupported("1:7-1:8", "'@'"));
  EXPECT_EQ(ErrorOf("x = a < b < c"),
            unsupported("1:11-1:12", "a chain of comparisons"));
  EXPECT_EQ(ErrorOf("x = a[1:4:2]"),
            unsupported("1:10-1:11", "the step of a slice"));
  EXPECT_EQ(ErrorOf("x = a[0, ::2]"),
            unsupported("1:11-1:12", "the step of a slice"));
  EXPECT_EQ(ErrorOf("f(*a)"), unsupported("1:3-1:4", "'*' in arguments"));
  EXPECT_EQ(ErrorOf("f(**a)"), unsupported("1:3-1:5", "'**' in arguments"));
}

TEST(ParserErrorTest, UnsupportedStatements_MX_SYNTAX_8) {
  const auto unsupported = [](absl::string_view place, absl::string_view what) {
    return absl::StrCat("MX-SYNTAX-8 ", place, " ", what,
                        " is not part of the text form");
  };
  EXPECT_EQ(ErrorOf("x += 1"), unsupported("1:3-1:5", "'+='"));
  EXPECT_EQ(ErrorOf("(x := 1)"),
            unsupported("1:4-1:6", "':='") + "\n1:1-1:2 the '(' is here");
  EXPECT_EQ(ErrorOf("x = y = 1"),
            unsupported("1:7-1:8", "a second '=' on a line"));
  EXPECT_EQ(ErrorOf("from a import b"), unsupported("1:1-1:5", "'from'"));
  EXPECT_EQ(ErrorOf("try:\n  a"), unsupported("1:1-1:4", "'try'"));
  EXPECT_EQ(ErrorOf("assert a"), unsupported("1:1-1:7", "'assert'"));
  EXPECT_EQ(ErrorOf("for i in a:\n  b\nelse:\n  c"),
            unsupported("3:1-3:5", "'else' of a loop"));
  EXPECT_EQ(ErrorOf("while a:\n  b\nelse:\n  c"),
            unsupported("3:1-3:5", "'else' of a loop"));
  EXPECT_EQ(ErrorOf("def f(a=1): pass"),
            unsupported("1:8-1:9", "a parameter's default"));
  EXPECT_EQ(ErrorOf("def f(a: int = 1): pass"),
            unsupported("1:14-1:15", "a parameter's default"));
  EXPECT_EQ(ErrorOf("def f(*a): pass"),
            unsupported("1:7-1:8", "'*' in parameters"));
  EXPECT_EQ(ErrorOf("def f(a, /): pass"),
            unsupported("1:10-1:11", "'/' in parameters"));
  EXPECT_EQ(ErrorOf("class A(B): pass"),
            unsupported("1:9-1:10", "a base class"));
}

TEST(ParserErrorTest, Targets_MX_SYNTAX_9) {
  constexpr absl::string_view kMessage =
      " only names, with commas between them, can be assigned to";
  EXPECT_EQ(ErrorOf("1 = x"), absl::StrCat("MX-SYNTAX-9 1:1-1:2", kMessage));
  EXPECT_EQ(ErrorOf("a.b = x"), absl::StrCat("MX-SYNTAX-9 1:1-1:4", kMessage));
  EXPECT_EQ(ErrorOf("a, b[0] = x"),
            absl::StrCat("MX-SYNTAX-9 1:4-1:8", kMessage));
  EXPECT_EQ(ErrorOf("a, f() = x"),
            absl::StrCat("MX-SYNTAX-9 1:4-1:7", kMessage));
  EXPECT_EQ(ErrorOf("a, (b, 1) = x"),
            absl::StrCat("MX-SYNTAX-9 1:8-1:9", kMessage));
  EXPECT_EQ(ErrorOf("() = x"), absl::StrCat("MX-SYNTAX-9 1:1-1:3", kMessage));
  EXPECT_EQ(ErrorOf("[a] = x"), absl::StrCat("MX-SYNTAX-9 1:1-1:4", kMessage));
  EXPECT_EQ(ErrorOf("for i, (1,) in x: pass"),
            absl::StrCat("MX-SYNTAX-9 1:9-1:10", kMessage));
  EXPECT_EQ(ErrorOf("for f(x) in x: pass"),
            absl::StrCat("MX-SYNTAX-9 1:5-1:9", kMessage));
  EXPECT_EQ(ErrorOf("a, b: int = x"),
            "MX-SYNTAX-9 1:1-1:5 only a single name can have a type");
  EXPECT_EQ(ErrorOf("f(a.b=1)"),
            "MX-SYNTAX-9 1:3-1:6 a keyword is a single name");
  EXPECT_EQ(ErrorOf("f((a)=1)"),
            "MX-SYNTAX-9 1:4-1:5 a keyword is a single name");
}

TEST(ParserErrorTest, Arguments_MX_SYNTAX_11) {
  EXPECT_EQ(ErrorOf("f(a=1, b)"),
            "MX-SYNTAX-11 1:8-1:9 an argument without a keyword stands behind "
            "one with it");
  EXPECT_EQ(ErrorOf("f(a=1, b=2, a=3)"),
            "MX-SYNTAX-11 1:13-1:14 this keyword is given twice");
  EXPECT_EQ(ErrorOf("def f(a, b, a): pass"),
            "MX-SYNTAX-11 1:13-1:14 another parameter has this name already");
}

TEST(ParserErrorTest, LongTextsAreCutInMessages) {
  EXPECT_LT(ErrorOf(absl::StrCat("a ", std::string(1 << 20, 'b'))).size(), 200);
  EXPECT_LT(ErrorOf(std::string(1 << 20, '9')).size(), 200);
  EXPECT_LT(ErrorOf(absl::StrCat(std::string(1 << 20, 'f'), "''")).size(), 200);
}

TEST(ParserErrorTest, RendersWithACaret) {
  const SourceFile file("gemm.py", "x = f(a,\n      b c)\n");
  SyntaxTree tree;
  DiagnosticSink sink;
  EXPECT_FALSE(ParseModule(file, &tree, &sink).ok());
  EXPECT_EQ(RenderDiagnostic(sink.diagnostics()[0],
                             [&](absl::string_view) { return &file; }),
            "gemm.py:2:9: error: expected ',' or ')', found 'c' [MX-SYNTAX-7]\n"
            "      b c)\n"
            "        ^\n"
            "gemm.py:1:6: note: the '(' is here\n"
            "x = f(a,\n"
            "     ^\n");
}

}  // namespace
}  // namespace mxtile::ir::text
