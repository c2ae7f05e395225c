#include "base/utf8.h"

#include <string>

#include "gtest/gtest.h"

namespace mxtile {
namespace {

// Every code point there is, there and back.
TEST(Utf8Test, EveryScalarRoundTrips) {
  for (char32_t code_point = 0; code_point <= 0x110000; ++code_point) {
    if (!IsUnicodeScalar(code_point)) continue;
    std::string text;
    AppendUtf8(code_point, &text);
    const Utf8Character decoded = DecodeUtf8(text + "z");
    ASSERT_EQ(decoded.code_point, code_point);
    ASSERT_EQ(decoded.size_bytes, text.size());
    ASSERT_EQ(ValidUtf8Prefix(text), text.size());
    ASSERT_EQ(ValidUtf8Prefix(text.substr(0, text.size() - 1)), 0);
  }
}

TEST(Utf8Test, ScalarsAreWithoutSurrogates) {
  EXPECT_TRUE(IsUnicodeScalar(0xd7ff));
  EXPECT_FALSE(IsUnicodeScalar(0xd800));
  EXPECT_FALSE(IsUnicodeScalar(0xdfff));
  EXPECT_TRUE(IsUnicodeScalar(0xe000));
  EXPECT_TRUE(IsUnicodeScalar(0x10ffff));
  EXPECT_FALSE(IsUnicodeScalar(0x110000));
}

TEST(Utf8Test, InvalidSequencesHaveNoSize) {
  for (const char* text : {
           "",                  // Nothing.
           "\x80",              // A continuation byte alone.
           "\xff",              // No lead byte.
           "\xc3",              // Cut short.
           "\xc3(",             // Continued by something else.
           "\xc0\x80",          // An overlong NUL.
           "\xe0\x80\xaf",      // An overlong slash.
           "\xed\xa0\x80",      // U+D800.
           "\xf4\x90\x80\x80",  // U+110000.
           "\xf8\x88\x80\x80\x80",
       }) {
    EXPECT_EQ(DecodeUtf8(text).size_bytes, 0) << text;
  }
}

// A bad byte at each place of a text, so that it meets both the word-wise and
// the byte-wise part.
TEST(Utf8Test, PrefixEndsAtTheBadByte) {
  const std::string text(20, 'a');
  for (size_t at = 0; at < text.size(); ++at) {
    std::string bad = text;
    bad[at] = '\xfe';
    EXPECT_EQ(ValidUtf8Prefix(bad), at);
  }
  EXPECT_EQ(ValidUtf8Prefix(text), text.size());
  EXPECT_EQ(ValidUtf8Prefix("caf\xc3\xa9 au lait\xc3"), 13);
}

}  // namespace
}  // namespace mxtile
