#include "ir/text/lexer.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/source_file.h"
#include "ir/text/syntax.h"
#include "ir/text/token.h"

namespace mxtile::ir::text {
namespace {

using ::testing::ElementsAre;

std::string Show(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEndOfFile:
      return "END";
    case TokenKind::kError:
      return "ERROR";
    case TokenKind::kNewline:
      return "NEWLINE";
    case TokenKind::kIndent:
      return "INDENT";
    case TokenKind::kDedent:
      return "DEDENT";
    default:
      return std::string(token.text);
  }
}

// The tokens up to the end or the error, and the error as LINE:COLUMN RULE.
std::string Lex(absl::string_view contents) {
  const SourceFile file("a.py", std::string(contents));
  DiagnosticSink sink;
  Lexer lexer(file, &sink);
  std::vector<std::string> tokens;
  Token token;
  do {
    token = lexer.Next();
    tokens.push_back(Show(token));
  } while (token.kind != TokenKind::kEndOfFile &&
           token.kind != TokenKind::kError);
  EXPECT_EQ(lexer.Next().kind, token.kind) << "it stays";
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    tokens.push_back(absl::StrCat(diagnostic.span.line, ":",
                                  diagnostic.span.column, " ",
                                  diagnostic.rule_id));
  }
  return absl::StrJoin(tokens, " ");
}

TEST(LexerTest, WordsNumbersAndPunctuation) {
  EXPECT_EQ(Lex("x1_ = pl.add(_y, 0x1F, 1.5e-3, .5, 1.)\n"),
            "x1_ = pl . add ( _y , 0x1F , 1.5e-3 , .5 , 1. ) NEWLINE END");
  EXPECT_EQ(Lex("a+b-c*d/e//f%g**h&i|j^k<<l>>m~n"),
            "a + b - c * d / e // f % g ** h & i | j ^ k << l >> m ~ n NEWLINE "
            "END");
  EXPECT_EQ(Lex("a<b<=c==d!=e>=f>g->h:i;j@k...l"),
            "a < b <= c == d != e >= f > g -> h : i ; j @ k ... l NEWLINE END");
}

TEST(LexerTest, EveryPunctuationIsItsOwnToken) {
  for (const char* text :
       {"...", "**=", "//=", "<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=",
        "|=",  "^=",  "@=",  ":=",  "->",  "**", "//", "<<", ">>", "==", "!=",
        "<=",  ">=",  ",",   ":",   ";",   ".",  "@",  "=",  "+",  "-",  "*",
        "/",   "%",   "~",   "&",   "|",   "^",  "<",  ">"}) {
    EXPECT_EQ(Lex(absl::StrCat("a", text, "b")),
              absl::StrCat("a ", text, " b NEWLINE END"));
  }
}

TEST(LexerTest, KeywordsHaveTheirKinds) {
  const auto kind_of = [](absl::string_view contents) {
    const SourceFile file("a.py", std::string(contents));
    DiagnosticSink sink;
    return Lexer(file, &sink).Next().kind;
  };
  EXPECT_EQ(kind_of("while"), TokenKind::kWhile);
  EXPECT_EQ(kind_of("whilex"), TokenKind::kName);
  EXPECT_EQ(kind_of("While"), TokenKind::kName);
  EXPECT_EQ(kind_of("True"), TokenKind::kTrue);
  EXPECT_EQ(kind_of("true"), TokenKind::kName);
  EXPECT_EQ(kind_of("lambda"), TokenKind::kUnsupportedKeyword);
  EXPECT_EQ(kind_of("xor"), TokenKind::kName);
  EXPECT_EQ(kind_of("1"), TokenKind::kInt);
  EXPECT_EQ(kind_of("0xe"), TokenKind::kInt);
  EXPECT_EQ(kind_of("1e1"), TokenKind::kFloat);
  EXPECT_EQ(kind_of("1."), TokenKind::kFloat);
  EXPECT_EQ(kind_of("''"), TokenKind::kString);
}

TEST(LexerTest, NumbersEndWhereTheyMust) {
  EXPECT_EQ(Lex("0xe+1"), "0xe + 1 NEWLINE END");
  EXPECT_EQ(Lex("1e+1+1"), "1e+1 + 1 NEWLINE END");
  EXPECT_EQ(Lex("x[0].y"), "x [ 0 ] . y NEWLINE END");
  // Malformed, for the parser to say.
  EXPECT_EQ(Lex("12ab.c_d"), "12ab.c_d NEWLINE END");
}

TEST(LexerTest, Strings) {
  EXPECT_EQ(Lex(R"('a' "b" 'it\'s' "\\" r'\' R"x")"
                "'"),
            R"('a' "b" 'it\'s' "\\" r'\' R"x")"
            "' NEWLINE END");
  EXPECT_EQ(Lex("''''''"), "'''''' NEWLINE END");
  EXPECT_EQ(Lex("'''a'b''c\n\"d'''"), "'''a'b''c\n\"d''' NEWLINE END");
  EXPECT_EQ(Lex("'a\\\nb'"), "'a\\\nb' NEWLINE END");
  EXPECT_EQ(Lex("'\u77e9'"), "'\u77e9' NEWLINE END");
}

TEST(LexerTest, Indentation) {
  EXPECT_EQ(Lex("if a:\n  b\n  if c:\n      d\ne\n"),
            "if a : NEWLINE INDENT b NEWLINE if c : NEWLINE INDENT d NEWLINE "
            "DEDENT DEDENT e NEWLINE END");
  EXPECT_EQ(Lex(" a"), "INDENT a NEWLINE DEDENT END");
}

TEST(LexerTest, BlankLinesAndCommentsDoNotIndent) {
  EXPECT_EQ(Lex("if a:\n\n      # deep\n  b\n# shallow\n   \n  c\n"),
            "if a : NEWLINE INDENT b NEWLINE c NEWLINE DEDENT END");
}

TEST(LexerTest, FilesWithoutStatements) {
  EXPECT_EQ(Lex(""), "END");
  EXPECT_EQ(Lex("\n\n"), "END");
  EXPECT_EQ(Lex("   "), "END");
  EXPECT_EQ(Lex("\t\n  # only\n    # comments"), "END");
}

TEST(LexerTest, LastLineNeedsNoBreak) {
  EXPECT_EQ(Lex("a"), "a NEWLINE END");
  EXPECT_EQ(Lex("a\n  "), "a NEWLINE END");
  EXPECT_EQ(Lex("a # b"), "a NEWLINE END");
  EXPECT_EQ(Lex("a\n# b"), "a NEWLINE END");
  EXPECT_EQ(Lex("if a:\n  b"), "if a : NEWLINE INDENT b NEWLINE DEDENT END");
  EXPECT_EQ(Lex("if a:\n  b\n  "),
            "if a : NEWLINE INDENT b NEWLINE DEDENT END");
}

TEST(LexerTest, CarriageReturns) {
  EXPECT_EQ(Lex("if a: # x\r\n  b\r\n\r\nc \\\r\n  d\r\n"),
            "if a : NEWLINE INDENT b NEWLINE DEDENT c d NEWLINE END");
  EXPECT_EQ(Lex("a\rb"), "a ERROR 1:2 MX-SYNTAX-2");
}

TEST(LexerTest, LinesAreJoinedInBracketsAndBehindABackslash) {
  EXPECT_EQ(Lex("f(a,\n      # why\n\n b[\n0],\n)\nc\n"),
            "f ( a , b [ 0 ] , ) NEWLINE c NEWLINE END");
  EXPECT_EQ(Lex("a + \\\n        b\n"), "a + b NEWLINE END");
  // More closed than opened: lines are lines again.
  EXPECT_EQ(Lex("a))\nb"), "a ) ) NEWLINE b NEWLINE END");
  // Never closed: no line ends.
  EXPECT_EQ(Lex("f(a\nb\n"), "f ( a b END");
}

TEST(LexerTest, ByteOrderMarkIsSkipped) {
  EXPECT_EQ(Lex("\xef\xbb\xbf"
                "a"),
            "a NEWLINE END");
}

TEST(LexerTest, TabsCountToMultiplesOfEight) {
  EXPECT_EQ(Lex("if a:\n\tb\n\tc\n"),
            "if a : NEWLINE INDENT b NEWLINE c NEWLINE DEDENT END");
  EXPECT_EQ(Lex("if a:\n  if b:\n  \tc\n"),
            "if a : NEWLINE INDENT if b : NEWLINE INDENT c NEWLINE DEDENT "
            "DEDENT END");
}

TEST(LexerTest, TabsMayNotDecide_MX_SYNTAX_5) {
  EXPECT_EQ(Lex("if a:\n\tb\n        c\n"),
            "if a : NEWLINE INDENT b NEWLINE ERROR 3:1 MX-SYNTAX-5");
  EXPECT_EQ(Lex("if a:\n        if b:\n\t  c\n"),
            "if a : NEWLINE INDENT if b : NEWLINE ERROR 3:1 MX-SYNTAX-5");
  EXPECT_EQ(Lex("if a:\n    if b:\n\tc\n"),
            "if a : NEWLINE INDENT if b : NEWLINE ERROR 3:1 MX-SYNTAX-5");
}

TEST(LexerTest, BlocksEndAtABlockAroundThem_MX_SYNTAX_5) {
  EXPECT_EQ(Lex("if a:\n    b\n  c\n"),
            "if a : NEWLINE INDENT b NEWLINE ERROR 3:1 MX-SYNTAX-5");
}

TEST(LexerTest, FilesAreText_MX_SYNTAX_1) {
  EXPECT_EQ(Lex(absl::string_view("a\nb\0c", 5)), "ERROR 2:2 MX-SYNTAX-1");
  EXPECT_EQ(Lex("a = '\xff'"), "ERROR 1:6 MX-SYNTAX-1");
  EXPECT_EQ(Lex("\x7f"
                "ELF\x02\x01\x01"),
            "ERROR 1:1 MX-SYNTAX-2");
  // The first of two reasons.
  EXPECT_EQ(Lex(absl::string_view("\xff\0", 2)), "ERROR 1:1 MX-SYNTAX-1");
  EXPECT_EQ(Lex(absl::string_view("\0\xff", 2)), "ERROR 1:1 MX-SYNTAX-1");
}

TEST(LexerTest, CharactersHaveAMeaning_MX_SYNTAX_2) {
  EXPECT_EQ(Lex("a $ b"), "a ERROR 1:3 MX-SYNTAX-2");
  EXPECT_EQ(Lex("a ? b"), "a ERROR 1:3 MX-SYNTAX-2");
  EXPECT_EQ(Lex("!a"), "ERROR 1:1 MX-SYNTAX-2");
  EXPECT_EQ(Lex("a \u77e9"), "a ERROR 1:3 MX-SYNTAX-2");
  EXPECT_EQ(Lex("a\u00a0= 1"), "a ERROR 1:2 MX-SYNTAX-2");
  EXPECT_EQ(Lex("a \\ b"), "a ERROR 1:3 MX-SYNTAX-2");
  EXPECT_EQ(Lex("a \\"), "a ERROR 1:3 MX-SYNTAX-2");
}

TEST(LexerTest, StringsEnd_MX_SYNTAX_3) {
  EXPECT_EQ(Lex("a = 'b\nc'"), "a = ERROR 1:5 MX-SYNTAX-3");
  EXPECT_EQ(Lex("a = 'b"), "a = ERROR 1:5 MX-SYNTAX-3");
  EXPECT_EQ(Lex("a = 'b\\"), "a = ERROR 1:5 MX-SYNTAX-3");
  EXPECT_EQ(Lex("a = '''b\n''"), "a = ERROR 1:5 MX-SYNTAX-3");
  EXPECT_EQ(Lex("a = r'\\'"), "a = ERROR 1:5 MX-SYNTAX-3");
}

TEST(LexerTest, StringsHaveNoPrefixButR_MX_SYNTAX_3) {
  EXPECT_EQ(Lex("a = f'b'"), "a = ERROR 1:5 MX-SYNTAX-3");
  EXPECT_EQ(Lex("a = rb'b'"), "a = ERROR 1:5 MX-SYNTAX-3");
}

TEST(LexerTest, CommentsAreKept) {
  const SourceFile file("a.py", "# one  \r\n  #two\nx  # three\n#");
  DiagnosticSink sink;
  Lexer lexer(file, &sink);
  const auto texts = [&lexer] {
    std::vector<std::string> result;
    for (const Comment& comment : lexer.TakeComments()) {
      result.push_back(absl::StrCat(comment.span.line, ":", comment.span.column,
                                    "-", comment.span.end_column, " ",
                                    comment.text));
    }
    return result;
  };
  EXPECT_EQ(lexer.Next().text, "x");
  EXPECT_THAT(texts(), ElementsAre("1:1-6 # one", "2:3-7 #two"));
  EXPECT_EQ(lexer.Next().kind, TokenKind::kNewline);
  EXPECT_THAT(texts(), ElementsAre("3:4-11 # three"));
  EXPECT_EQ(lexer.Next().kind, TokenKind::kEndOfFile);
  EXPECT_THAT(texts(), ElementsAre("4:1-2 #"));
  EXPECT_THAT(texts(), ElementsAre());
}

TEST(LexerTest, SpansCountBytesAndLines) {
  const SourceFile file("b.py", "x = '''a\nbc''' + y\n");
  DiagnosticSink sink;
  Lexer lexer(file, &sink);
  std::vector<std::string> spans;
  for (Token token = lexer.Next(); token.kind != TokenKind::kEndOfFile;
       token = lexer.Next()) {
    spans.push_back(absl::StrCat(token.span.line, ":", token.span.column, "-",
                                 token.span.end_line, ":",
                                 token.span.end_column));
  }
  EXPECT_THAT(spans, ElementsAre("1:1-1:2", "1:3-1:4", "1:5-2:6", "2:7-2:8",
                                 "2:9-2:10", "2:10-2:10"));
}

TEST(LexerTest, IdentifiersAreNamesThatPythonDoesNotReserve) {
  for (const char* name : {"a", "_", "mem_vec_0", "A9", "None_"}) {
    EXPECT_TRUE(IsIdentifier(name)) << name;
  }
  for (const char* name : {"", "9a", "a b", "a-b", "None", "with", "a\n"}) {
    EXPECT_FALSE(IsIdentifier(name)) << name;
  }
}

}  // namespace
}  // namespace mxtile::ir::text
