#ifndef BASE_UTF8_H_
#define BASE_UTF8_H_

// UTF-8, in the strict form: no surrogates, no overlong forms, nothing above
// U+10FFFF.
//
//   DecodeUtf8("\xc3\xa9t\xc3\xa9")  ->  U+00E9 in 2 bytes
//   ValidUtf8Prefix("ab\xff")        ->  2

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace mxtile {

struct Utf8Character {
  char32_t code_point = 0;
  int size_bytes = 0;  // 1 to 4; 0 for "this is not UTF-8".
};

// The first character of `text`; of size 0 when `text` is empty or does not
// start with a whole, valid one.
Utf8Character DecodeUtf8(absl::string_view text);

// The length of the longest start of `text` that is valid: text.size() when all
// of it is.
size_t ValidUtf8Prefix(absl::string_view text);

// Whether UTF-8 has the code point: up to U+10FFFF without the surrogates.
bool IsUnicodeScalar(char32_t code_point);

// Appends the code point, which must be an IsUnicodeScalar.
void AppendUtf8(char32_t code_point, std::string* text);

}  // namespace mxtile

#endif  // BASE_UTF8_H_
