#ifndef IR_PRINTABLE_TEXT_H_
#define IR_PRINTABLE_TEXT_H_

// Makes any bytes safe to show on a terminal, and says how wide they are there.
//
//   MakePrintable("a\tb\x1b\xff")  ->  { "a    b\\x1b\\xff", 14 }

#include <string>

#include "absl/strings/string_view.h"

namespace mxtile::ir {

struct PrintableText {
  std::string text;  // Valid UTF-8 on one line, without control characters.
  int columns = 0;   // What a terminal needs for it.
};

// A tab becomes four spaces. Bytes that are not UTF-8 and control characters
// become `\xff`; line separators, direction marks and other invisible
// characters, which could make a line look like another, become `\u202e`. East
// Asian wide characters count two columns, combining marks none.
PrintableText MakePrintable(absl::string_view bytes);

}  // namespace mxtile::ir

#endif  // IR_PRINTABLE_TEXT_H_
