#ifndef IR_TEXT_STRING_LITERAL_H_
#define IR_TEXT_STRING_LITERAL_H_

// The values of Python's string literals, from their texts.
//
//   AppendString("'a\\x41'", &value) appends "aA"

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace mxtile::ir::text {

// An escape that names no character, at [offset, offset + size_bytes) of the
// literal's text.
struct EscapeError {
  std::string message;
  size_t offset = 0;
  size_t size_bytes = 0;
};

// Appends the value of a string literal, which must have its quotes (single or
// double, one or three on each side) and may have the prefix `r`. As in Python,
// a line break is "\n" however it was written, a backslash in front of one
// removes it, and an unknown escape stays as it is.
std::optional<EscapeError> AppendString(absl::string_view text,
                                        std::string* value);

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_STRING_LITERAL_H_
