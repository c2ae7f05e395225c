#include "ir/text/string_literal.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/utf8.h"

namespace mxtile::ir::text {
namespace {

// A string literal taken apart.
struct StringParts {
  bool raw = false;
  size_t body_offset = 0;
  absl::string_view body;
};

StringParts SplitString(absl::string_view text) {
  StringParts parts;
  parts.raw = absl::StartsWithIgnoreCase(text, "r");
  const size_t prefix = parts.raw ? 1 : 0;
  MX_CHECK(text.size() >= prefix + 2 && text.back() == text[prefix] &&
           (text.back() == '\'' || text.back() == '"'))
      << "a string literal has quotes";
  const absl::string_view quoted = text.substr(prefix);
  const std::string triple(3, quoted.front());
  const size_t quote =
      quoted.size() >= 6 && absl::StartsWith(quoted, triple) ? 3 : 1;
  parts.body_offset = prefix + quote;
  parts.body = quoted.substr(quote, quoted.size() - 2 * quote);
  return parts;
}

// The character that a one-letter escape stands for, NUL for none.
char SimpleEscape(char letter) {
  switch (letter) {
    case '\\':
    case '\'':
    case '"':
      return letter;
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return '\0';
  }
}

// How many hexadecimal digits follow this letter, 0 when it takes none.
size_t HexEscapeDigits(char letter) {
  switch (letter) {
    case 'x':
      return 2;
    case 'u':
      return 4;
    case 'U':
      return 8;
    default:
      return 0;
  }
}

class StringDecoder {
 public:
  StringDecoder(absl::string_view body, std::string* value)
      : body_(body), value_(value) {}

  std::optional<EscapeError> Decode(bool raw) {
    const absl::string_view special = raw ? "\r" : "\r\\";
    while (at_ < body_.size()) {
      const size_t next =
          std::min(body_.find_first_of(special, at_), body_.size());
      value_->append(body_.data() + at_, next - at_);
      at_ = next;
      if (at_ == body_.size()) break;
      if (body_[at_] == '\r') {
        AppendCarriageReturn();
      } else if (std::optional<EscapeError> error = AppendEscape()) {
        return error;
      }
    }
    return std::nullopt;
  }

 private:
  void AppendCarriageReturn() {
    const bool line_break = absl::StartsWith(body_.substr(at_), "\r\n");
    value_->push_back(line_break ? '\n' : '\r');
    at_ += line_break ? 2 : 1;
  }

  // The backslash at at_ and what belongs to it.
  std::optional<EscapeError> AppendEscape() {
    MX_CHECK(at_ + 1 < body_.size()) << "the backslash would escape the quote";
    const absl::string_view rest = body_.substr(at_ + 1);
    const char letter = rest.front();
    if (letter == '\n') {
      at_ += 2;
    } else if (absl::StartsWith(rest, "\r\n")) {
      at_ += 3;
    } else if (const char simple = SimpleEscape(letter)) {
      value_->push_back(simple);
      at_ += 2;
    } else if (letter >= '0' && letter <= '7') {
      AppendOctal(rest);
    } else if (const size_t digits = HexEscapeDigits(letter)) {
      return AppendHex(rest.substr(1, digits), digits);
    } else if (letter == 'N') {
      return Error(
          2, "characters by name, \\N{...}, are not part of the text form");
    } else {
      value_->append({'\\', letter});
      at_ += 2;
    }
    return std::nullopt;
  }

  void AppendOctal(absl::string_view rest) {
    char32_t code_point = 0;
    size_t count = 0;
    while (count < std::min<size_t>(3, rest.size()) && rest[count] >= '0' &&
           rest[count] <= '7') {
      code_point = code_point * 8 + (rest[count++] - '0');
    }
    AppendUtf8(code_point, value_);
    at_ += 1 + count;
  }

  std::optional<EscapeError> AppendHex(absl::string_view digits, size_t count) {
    uint32_t code_point = 0;
    if (digits.size() < count ||
        !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit)) {
      return Error(2, absl::StrCat("\\", body_.substr(at_ + 1, 1), " needs ",
                                   count, " hexadecimal digits"));
    }
    MX_CHECK(absl::SimpleHexAtoi(digits, &code_point)) << digits;
    if (!IsUnicodeScalar(code_point)) {
      return Error(2 + count, "there is no such Unicode character");
    }
    AppendUtf8(code_point, value_);
    at_ += 2 + count;
    return std::nullopt;
  }

  EscapeError Error(size_t size_bytes, absl::string_view message) const {
    return {std::string(message), at_, size_bytes};
  }

  const absl::string_view body_;
  std::string* const value_;
  size_t at_ = 0;
};

}  // namespace

std::optional<EscapeError> AppendString(absl::string_view text,
                                        std::string* value) {
  const StringParts parts = SplitString(text);
  std::optional<EscapeError> error =
      StringDecoder(parts.body, value).Decode(parts.raw);
  if (error) error->offset += parts.body_offset;
  return error;
}

}  // namespace mxtile::ir::text
