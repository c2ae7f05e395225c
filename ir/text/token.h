#ifndef IR_TEXT_TOKEN_H_
#define IR_TEXT_TOKEN_H_

// What the lexer hands to the parser.

#include <cstdint>

#include "absl/strings/string_view.h"
#include "ir/source_span.h"

namespace mxtile::ir::text {

enum class TokenKind : uint8_t {
  kEndOfFile,
  kError,  // Reported by the lexer; no further token follows.
  kNewline,
  kIndent,
  kDedent,
  kName,
  kInt,
  kFloat,
  kString,  // With its prefix and quotes.
  // Keywords.
  kAnd,
  kAs,
  kBreak,
  kClass,
  kContinue,
  kDef,
  kElif,
  kElse,
  kFalse,
  kFor,
  kIf,
  kImport,
  kIn,
  kNone,
  kNot,
  kOr,
  kPass,
  kReturn,
  kTrue,
  kWhile,
  kWith,
  kUnsupportedKeyword,  // Python's other keywords.
  // Punctuation.
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kComma,
  kColon,
  kSemicolon,
  kDot,
  kEllipsis,
  kArrow,
  kAt,
  kAssign,
  kUnsupportedAssign,  // `+=` and its like, `:=`.
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kDoubleSlash,
  kPercent,
  kDoubleStar,
  kTilde,
  kAmpersand,
  kPipe,
  kCaret,
  kShiftLeft,
  kShiftRight,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

struct Token {
  TokenKind kind = TokenKind::kEndOfFile;
  absl::string_view text;  // As written; empty for ends, breaks and dedents.
  TextRange span;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_TOKEN_H_
