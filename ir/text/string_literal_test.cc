#include "ir/text/string_literal.h"

#include <optional>
#include <string>
#include <tuple>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace mxtile::ir::text {
namespace {

std::string Decoded(absl::string_view text) {
  std::string value;
  const std::optional<EscapeError> error = AppendString(text, &value);
  return error ? "error: " + error->message : value;
}

TEST(AppendStringTest, Quotes) {
  EXPECT_EQ(Decoded("''"), "");
  EXPECT_EQ(Decoded("\"it's\""), "it's");
  EXPECT_EQ(Decoded("''''''"), "");
  EXPECT_EQ(Decoded("'''a'b''c'''"), "a'b''c");
  EXPECT_EQ(Decoded("\"\"\"two\nlines\"\"\""), "two\nlines");
}

TEST(AppendStringTest, Appends) {
  std::string value = "a";
  EXPECT_EQ(AppendString("'b'", &value), std::nullopt);
  EXPECT_EQ(value, "ab");
}

TEST(AppendStringTest, Escapes) {
  EXPECT_EQ(Decoded(R"('\\\'\"\a\b\f\n\r\t\v')"), "\\'\"\a\b\f\n\r\t\v");
  EXPECT_EQ(Decoded(R"('\0')"), std::string(1, '\0'));
  EXPECT_EQ(Decoded(R"('\18\101\1011')"),
            "\x01"
            "8AA1");
  EXPECT_EQ(Decoded(R"('\777\xe9\u77e9\U0001f600')"),
            "\u01ff\u00e9\u77e9\U0001f600");
  EXPECT_EQ(Decoded(R"('\d\.')"), R"(\d\.)");
  EXPECT_EQ(Decoded("'a\\\nb\\\r\nc'"), "abc");
}

TEST(AppendStringTest, LineBreaksAreNormal) {
  EXPECT_EQ(Decoded("'''a\r\nb\rc\n'''"), "a\nb\rc\n");
}

TEST(AppendStringTest, RawStringsKeepTheirBackslashes) {
  EXPECT_EQ(Decoded(R"(r'\n\x')"), R"(\n\x)");
  EXPECT_EQ(Decoded("R'a\\'b'"), "a\\'b");
}

TEST(AppendStringTest, EscapeErrorsHaveAPlace) {
  const auto error_of = [](absl::string_view text) {
    std::string value;
    const EscapeError error =
        AppendString(text, &value).value_or(EscapeError{});
    return std::make_tuple(error.message, error.offset, error.size_bytes);
  };
  EXPECT_EQ(error_of(R"('ab\xg0')"),
            std::make_tuple("\\x needs 2 hexadecimal digits", 3, 2));
  EXPECT_EQ(error_of(R"('''ab\u12''')"),
            std::make_tuple("\\u needs 4 hexadecimal digits", 5, 2));
  EXPECT_EQ(error_of(R"('\ud800')"),
            std::make_tuple("there is no such Unicode character", 1, 6));
  EXPECT_EQ(error_of(R"('\U00110000')"),
            std::make_tuple("there is no such Unicode character", 1, 10));
  EXPECT_EQ(
      error_of(R"('\N{DASH}')"),
      std::make_tuple(
          "characters by name, \\N{...}, are not part of the text form", 1, 2));
}

}  // namespace
}  // namespace mxtile::ir::text
