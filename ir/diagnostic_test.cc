#include "ir/diagnostic.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

using ::testing::Eq;

// How an error over [begin, end) of a file with these contents looks.
std::string Render(absl::string_view contents, size_t begin, size_t end) {
  const SourceFile file("a.py", std::string(contents));
  DiagnosticSink sink;
  sink.Error("MX-TEST-1", file.Span(begin, end), "wrong");
  return RenderDiagnostic(sink.diagnostics()[0],
                          [&](absl::string_view) { return &file; });
}

TEST(DiagnosticSinkTest, CountsErrorsOnly) {
  DiagnosticSink sink;
  EXPECT_FALSE(sink.has_errors());
  MX_EXPECT_OK(sink.ToStatus());
  sink.Warning("MX-TEST-1", {}, "odd");
  EXPECT_FALSE(sink.has_errors());
  MX_EXPECT_OK(sink.ToStatus());
  sink.Error("MX-TEST-2", {}, "wrong");
  EXPECT_TRUE(sink.has_errors());
  EXPECT_THAT(sink.ToStatus(),
              StatusIs(absl::StatusCode::kInvalidArgument, Eq("1 error")));
  sink.Error("MX-TEST-2", {}, "wrong again");
  EXPECT_EQ(sink.error_count(), 2);
  EXPECT_THAT(sink.ToStatus(),
              StatusIs(absl::StatusCode::kInvalidArgument, Eq("2 errors")));
  EXPECT_EQ(sink.diagnostics().size(), 3);
}

TEST(RenderDiagnosticTest, UnderlinesTheSpan) {
  EXPECT_EQ(Render("x = 1\nyy = foo + 2\n", 11, 14),
            "a.py:2:6: error: wrong [MX-TEST-1]\n"
            "yy = foo + 2\n"
            "     ^~~\n");
}

TEST(RenderDiagnosticTest, EmptySpanHasACaretAlone) {
  EXPECT_EQ(Render("x = 1\n", 2, 2),
            "a.py:1:3: error: wrong [MX-TEST-1]\n"
            "x = 1\n"
            "  ^\n");
}

TEST(RenderDiagnosticTest, CaretMayStandBehindTheLine) {
  EXPECT_EQ(Render("x =", 3, 3),
            "a.py:1:4: error: wrong [MX-TEST-1]\n"
            "x =\n"
            "   ^\n");
  EXPECT_EQ(Render("", 0, 0),
            "a.py:1:1: error: wrong [MX-TEST-1]\n"
            "\n"
            "^\n");
}

TEST(RenderDiagnosticTest, SpanOverLinesShowsTheFirst) {
  EXPECT_EQ(Render("f(a,\n  b)\n", 0, 9),
            "a.py:1:1: error: wrong [MX-TEST-1]\n"
            "f(a,\n"
            "^~~~\n");
}

TEST(RenderDiagnosticTest, NotesFollow) {
  const SourceFile a("a.py", "x = 1\n");
  const SourceFile b("b.py", "y = 2\n");
  DiagnosticSink sink;
  sink.Warning("", a.Span(0, 1), "odd")
      .AddNote(b.Span(4, 5), "because of this")
      .AddNote({}, "and in general");
  EXPECT_EQ(RenderDiagnostic(sink.diagnostics()[0],
                             [&](absl::string_view name) {
                               return name == "a.py" ? &a : &b;
                             }),
            "a.py:1:1: warning: odd\n"
            "x = 1\n"
            "^\n"
            "b.py:1:5: note: because of this\n"
            "y = 2\n"
            "    ^\n"
            "note: and in general\n");
}

TEST(RenderDiagnosticTest, UnknownPlacesAreLeftOut) {
  const auto no_file = [](absl::string_view) -> const SourceFile* {
    return nullptr;
  };
  DiagnosticSink sink;
  sink.Error("MX-TEST-1", {}, "nowhere");
  sink.Error("MX-TEST-1", {{}, "a.py"}, "somewhere");
  sink.Error("MX-TEST-1", {{7, 3, 7, 4}, "a.py"}, "text is gone");
  EXPECT_EQ(RenderDiagnostic(sink.diagnostics()[0], no_file),
            "error: nowhere [MX-TEST-1]\n");
  EXPECT_EQ(RenderDiagnostic(sink.diagnostics()[1], no_file),
            "a.py: error: somewhere [MX-TEST-1]\n");
  EXPECT_EQ(RenderDiagnostic(sink.diagnostics()[2], no_file),
            "a.py:7:3: error: text is gone [MX-TEST-1]\n");
}

// A span that was made for another text of the same name.
TEST(RenderDiagnosticTest, PlacesOutsideOfTheFileDoNoHarm) {
  const SourceFile file("a.py", "x\n");
  const auto find = [&](absl::string_view) { return &file; };
  DiagnosticSink sink;
  sink.Error("MX-TEST-1", {{9, 1, 9, 2}, "a.py"}, "wrong");
  sink.Error("MX-TEST-1", {{1, 70, 1, 80}, "a.py"}, "wrong");
  EXPECT_EQ(RenderDiagnostic(sink.diagnostics()[0], find),
            "a.py:9:1: error: wrong [MX-TEST-1]\n");
  EXPECT_EQ(RenderDiagnostic(sink.diagnostics()[1], find),
            "a.py:1:70: error: wrong [MX-TEST-1]\n"
            "x\n"
            " ^\n");
}

TEST(RenderDiagnosticTest, CaretStaysAlignedBehindOddCharacters) {
  EXPECT_EQ(Render("\tx\n", 1, 2),
            "a.py:1:2: error: wrong [MX-TEST-1]\n"
            "    x\n"
            "    ^\n");
  EXPECT_EQ(Render("\x01\xff!", 2, 3),
            "a.py:1:3: error: wrong [MX-TEST-1]\n"
            "\\x01\\xff!\n"
            "        ^\n");
  EXPECT_EQ(Render("\u77e9 \xfe", 4, 5),
            "a.py:1:5: error: wrong [MX-TEST-1]\n"
            "\u77e9 \\xfe\n"
            "   ^~~~\n");
}

TEST(RenderDiagnosticTest, LongLinesAreCut) {
  const std::string left(1000, 'l');
  const std::string right(1000, 'r');
  EXPECT_EQ(Render(absl::StrCat(left, "MID", right), 1000, 1003),
            absl::StrCat("a.py:1:1001: error: wrong [MX-TEST-1]\n", "...",
                         left.substr(0, 80), "MID", right.substr(0, 77),
                         "...\n", std::string(83, ' '), "^~~\n"));
  EXPECT_EQ(
      Render(left, 0, 1000),
      absl::StrCat("a.py:1:1: error: wrong [MX-TEST-1]\n", left.substr(0, 160),
                   "...\n^", std::string(159, '~'), "\n"));
  EXPECT_EQ(
      Render(left, 1000, 1000),
      absl::StrCat("a.py:1:1001: error: wrong [MX-TEST-1]\n...",
                   left.substr(0, 160), "\n", std::string(163, ' '), "^\n"));
}

TEST(RenderDiagnosticTest, CutsFallBetweenCharacters) {
  std::string wide;
  for (int i = 0; i < 200; ++i) wide += "\u77e9";  // Three bytes each.
  const std::string message = Render(wide, 300, 303);
  EXPECT_EQ(message.find("\\x"), std::string::npos) << message;
}

TEST(RenderDiagnosticTest, LineOfTenMegabytesMakesASmallMessage) {
  EXPECT_LT(Render(std::string(10 << 20, 'x'), 5 << 20, 10 << 20).size(), 500);
}

TEST(RenderDiagnosticTest, MessagesAndNamesAreMadePrintable) {
  const SourceFile file("a\n.py", "x\n");
  DiagnosticSink sink;
  sink.Error("MX-TEST-1", file.Span(0, 1), "got '\x1b'");
  EXPECT_EQ(RenderDiagnostic(sink.diagnostics()[0],
                             [&](absl::string_view) { return &file; }),
            "a\\x0a.py:1:1: error: got '\\x1b' [MX-TEST-1]\n"
            "x\n"
            "^\n");
}

TEST(RenderDiagnosticTest, LongMessageIsCutInItsMiddle) {
  Diagnostic diagnostic;
  diagnostic.message =
      "begins" + std::string(1000000, 'x') + " and ends with this";
  const std::string text =
      RenderDiagnostic(diagnostic, [](absl::string_view) { return nullptr; });
  EXPECT_LT(text.size(), 700);
  EXPECT_THAT(text, ::testing::StartsWith("error: beginsxxx"));
  EXPECT_THAT(text, ::testing::HasSubstr("xxx ... xxx"));
  EXPECT_THAT(text, ::testing::EndsWith("xxx and ends with this\n"));
}

}  // namespace
}  // namespace mxtile::ir
