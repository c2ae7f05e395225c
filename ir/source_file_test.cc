#include "ir/source_file.h"

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Lines(const SourceFile& file) {
  std::vector<std::string> lines;
  for (int32_t line = 1; line <= file.line_count(); ++line) {
    lines.emplace_back(file.Line(line));
  }
  return lines;
}

TEST(SourceFileTest, LinesAreWithoutTheirBreaks) {
  EXPECT_THAT(Lines(SourceFile("a", "")), ElementsAre(""));
  EXPECT_THAT(Lines(SourceFile("a", "x")), ElementsAre("x"));
  EXPECT_THAT(Lines(SourceFile("a", "x\n")), ElementsAre("x", ""));
  EXPECT_THAT(Lines(SourceFile("a", "\n\ny")), ElementsAre("", "", "y"));
  EXPECT_THAT(Lines(SourceFile("a", "x\r\n\r\ny\r")),
              ElementsAre("x", "", "y\r"));
}

// The position of every offset, against a plain count.
TEST(SourceFileTest, PositionsMatchACount) {
  const SourceFile file("a", "ab\n\nc\r\nlonger line\n");
  int32_t line = 1;
  int32_t column = 1;
  for (size_t offset = 0; offset <= file.contents().size(); ++offset) {
    const LineColumn position = file.Position(offset);
    EXPECT_EQ(std::tie(position.line, position.column), std::tie(line, column))
        << "offset " << offset;
    if (offset < file.contents().size() && file.contents()[offset] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
}

TEST(SourceFileTest, SpanHasAnInclusiveEndLineAndAnExclusiveEndColumn) {
  const SourceFile file("a.py", "one\ntwo\n");
  const SourceSpan span = file.Span(1, 6);
  EXPECT_EQ(span.file, "a.py");
  EXPECT_EQ(span.line, 1);
  EXPECT_EQ(span.column, 2);
  EXPECT_EQ(span.end_line, 2);
  EXPECT_EQ(span.end_column, 3);
}

TEST(SourceFileTest, ByteOrderMarkIsDropped) {
  const SourceFile file("a", "\xef\xbb\xbfx = 1");
  EXPECT_EQ(file.contents(), "x = 1");
  EXPECT_EQ(file.Position(0).column, 1);
}

TEST(SourceFileDeathTest, PlacesOutsideOfTheFileAreBugs) {
  const SourceFile file("a", "x\n");
  EXPECT_DEATH(file.Position(3), "offset 3 of 2");
  EXPECT_DEATH(file.Line(3), "line 3 of 2");
  EXPECT_DEATH(file.Line(0), "line 0 of 2");
}

}  // namespace
}  // namespace mxtile::ir
