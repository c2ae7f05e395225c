#ifndef IR_SOURCE_SPAN_H_
#define IR_SOURCE_SPAN_H_

// A place in a source text. Of a variable it is where it is defined, not used.
//
//   if (expr->span.known()) sink.Error(rule, expr->span, "...");

#include <cstdint>

#include "absl/strings/string_view.h"

namespace mxtile::ir {

// A stretch of a text. Lines and columns count from 1 and columns count bytes;
// line 0 means "no place known" (compiler-made nodes).
struct TextRange {
  int32_t line = 0;
  int32_t column = 0;
  int32_t end_line = 0;    // Inclusive.
  int32_t end_column = 0;  // Exclusive.

  bool known() const { return line > 0; }
};

// The same in a file, for messages. `file` points into storage that lives as
// long as the ir::Context.
struct SourceSpan : TextRange {
  absl::string_view file;
};

}  // namespace mxtile::ir

#endif  // IR_SOURCE_SPAN_H_
