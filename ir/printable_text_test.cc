#include "ir/printable_text.h"

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

void ExpectPrintable(absl::string_view bytes, absl::string_view text,
                     int columns) {
  const PrintableText result = MakePrintable(bytes);
  EXPECT_EQ(result.text, text);
  EXPECT_EQ(result.columns, columns) << text;
}

TEST(PrintableTextTest, AsciiStays) {
  ExpectPrintable("", "", 0);
  ExpectPrintable(" x = a[0] ~", " x = a[0] ~", 11);
}

TEST(PrintableTextTest, ControlCharactersAreEscaped) {
  ExpectPrintable(absl::string_view("\0", 1), "\\x00", 4);
  ExpectPrintable("\x1b[1m\n\r\x7f", "\\x1b[1m\\x0a\\x0d\\x7f", 19);
  ExpectPrintable("\tx", "    x", 5);
  ExpectPrintable("\xc2\x85", "\\u0085", 6);
}

TEST(PrintableTextTest, InvalidBytesAreEscaped) {
  ExpectPrintable("a\xff\xc3", "a\\xff\\xc3", 9);
  ExpectPrintable("\xed\xa0\x80", "\\xed\\xa0\\x80", 12);
}

TEST(PrintableTextTest, InvisibleCharactersAreEscaped) {
  ExpectPrintable("\u202e\u200b\u2028\ufeff", "\\u202e\\u200b\\u2028\\ufeff",
                  24);
}

TEST(PrintableTextTest, WideAndCombiningCharactersHaveTheirWidth) {
  ExpectPrintable("\u00e9", "\u00e9", 1);
  ExpectPrintable("e\u0301", "e\u0301", 1);
  ExpectPrintable("\u77e9\u9635", "\u77e9\u9635", 4);
  ExpectPrintable("\U0001f600", "\U0001f600", 2);
}

}  // namespace
}  // namespace mxtile::ir
