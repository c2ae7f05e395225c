#include "ir/text/number_literal.h"

#include <cmath>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace mxtile::ir::text {
namespace {

// Literals can be megabytes long, messages about them should not.
std::string Quoted(absl::string_view text) {
  constexpr size_t kShownBytes = 40;
  if (text.size() <= kShownBytes) return absl::StrCat("'", text, "'");
  return absl::StrCat("'", text.substr(0, kShownBytes), "...'");
}

absl::Status MalformedNumber(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat(Quoted(text), " is not a number"));
}

int DigitValue(char c) {
  if (absl::ascii_isdigit(c)) return c - '0';
  if (absl::ascii_isalpha(c)) return absl::ascii_tolower(c) - 'a' + 10;
  return 99;
}

// The base that the literal's prefix names, 10 without one; removes the prefix.
int ConsumeBase(absl::string_view* digits) {
  if (digits->size() < 2 || digits->front() != '0') return 10;
  int base = 10;
  switch (absl::ascii_tolower((*digits)[1])) {
    case 'x':
      base = 16;
      break;
    case 'o':
      base = 8;
      break;
    case 'b':
      base = 2;
      break;
    default:
      return 10;
  }
  digits->remove_prefix(2);
  // `0x_ff` is fine, which makes this underscore unlike the others.
  absl::ConsumePrefix(digits, "_");
  return base;
}

// Whether each underscore stands between two digits.
bool UnderscoresSeparateDigits(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (i == 0 || i + 1 == text.size()) return false;
    if (!absl::ascii_isalnum(text[i - 1]) || !absl::ascii_isalnum(text[i + 1]))
      return false;
  }
  return true;
}

// Python 2 read `010` as octal; Python 3, and so we, refuse it.
bool HasLeadingZero(absl::string_view digits) {
  return digits.size() > 1 && digits.front() == '0' &&
         digits.find_first_not_of("0_") != absl::string_view::npos;
}

}  // namespace

absl::StatusOr<uint64_t> DecodeInt(absl::string_view text, uint64_t max) {
  absl::string_view digits = text;
  const int base = ConsumeBase(&digits);
  if (digits.empty() || !UnderscoresSeparateDigits(digits)) {
    return MalformedNumber(text);
  }
  if (base == 10 && HasLeadingZero(digits)) {
    return absl::InvalidArgumentError(absl::StrCat(
        Quoted(text), " starts with a zero; octal numbers are written 0o17"));
  }
  uint64_t value = 0;
  bool overflow = false;
  for (const char c : digits) {
    if (c == '_') continue;
    const int digit = DigitValue(c);
    if (digit >= base) return MalformedNumber(text);
    overflow |= __builtin_mul_overflow(value, base, &value);
    overflow |= __builtin_add_overflow(value, digit, &value);
  }
  if (overflow || value > max) {
    return absl::OutOfRangeError(
        absl::StrCat(Quoted(text), " is too large, integers are below 2^63"));
  }
  return value;
}

absl::StatusOr<double> DecodeFloat(absl::string_view text) {
  std::string digits;
  digits.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits.push_back(text[i]);
    } else if (i == 0 || i + 1 == text.size() ||
               !absl::ascii_isdigit(text[i - 1]) ||
               !absl::ascii_isdigit(text[i + 1])) {
      return MalformedNumber(text);
    }
  }
  if (digits.empty()) return MalformedNumber(text);
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const absl::from_chars_result result =
      absl::from_chars(digits.data(), end, value);
  // from_chars also knows names ("inf") and signs, which are no literals.
  const bool starts_well =
      digits.find_first_of("0123456789") == (digits[0] == '.' ? 1 : 0);
  if (result.ptr != end || !starts_well) {
    return MalformedNumber(text);
  }
  const bool overflow =
      result.ec == std::errc::result_out_of_range && std::abs(value) >= 1;
  if (overflow) {
    return absl::OutOfRangeError(
        absl::StrCat(Quoted(text), " is above the largest double"));
  }
  return value;
}

}  // namespace mxtile::ir::text
