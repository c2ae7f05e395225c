#ifndef IR_TEXT_SYNTAX_RULES_H_
#define IR_TEXT_SYNTAX_RULES_H_

// The rules that a text must follow to have a syntax tree, by the ids that
// diagnostics carry.

#include "absl/strings/string_view.h"

namespace mxtile::ir::text {

// The file is text: UTF-8 without NUL, at most SourceFile::kMaxBytes.
inline constexpr absl::string_view kNotTextRule = "MX-SYNTAX-1";

// Outside of strings and comments stand only characters with a meaning. Names
// are ASCII; a backslash stands only at the end of a line.
inline constexpr absl::string_view kCharacterRule = "MX-SYNTAX-2";

// A string ends on its line (within the file, with three quotes), has no prefix
// but `r`, and only escapes that name a character.
inline constexpr absl::string_view kStringRule = "MX-SYNTAX-3";

// A number is written as in Python. An integer is below 2^63 (-2^63 may be
// written), a floating-point number finite.
inline constexpr absl::string_view kNumberRule = "MX-SYNTAX-4";

// A block is indented more than its header, all its lines alike, and ends at
// the indentation of a block around it. Tabs, which count to the next multiple
// of 8, may not decide about it.
inline constexpr absl::string_view kIndentationRule = "MX-SYNTAX-5";

// Every bracket is closed, by its own kind.
inline constexpr absl::string_view kBracketRule = "MX-SYNTAX-6";

// The grammar: something else must stand here.
inline constexpr absl::string_view kExpectedRule = "MX-SYNTAX-7";

// This is Python but not part of the text form: `lambda`, slices, `x += 1`, ...
inline constexpr absl::string_view kUnsupportedRule = "MX-SYNTAX-8";

// What is assigned to, or bound by `for` and `with`, is a name or names.
inline constexpr absl::string_view kTargetRule = "MX-SYNTAX-9";

// Nesting is at most kMaxNesting and kMaxBlockNesting (ir/text/syntax.h).
inline constexpr absl::string_view kNestingRule = "MX-SYNTAX-10";

// Arguments by position precede those by keyword; keywords of a call, and
// parameters of a function, differ from each other.
inline constexpr absl::string_view kArgumentRule = "MX-SYNTAX-11";

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_SYNTAX_RULES_H_
