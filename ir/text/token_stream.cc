#include "ir/text/token_stream.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "ir/text/syntax_rules.h"

namespace mxtile::ir::text {
namespace {

TokenKind ClosingBracket(TokenKind open) {
  switch (open) {
    case TokenKind::kLeftParen:
      return TokenKind::kRightParen;
    case TokenKind::kLeftBracket:
      return TokenKind::kRightBracket;
    case TokenKind::kLeftBrace:
      return TokenKind::kRightBrace;
    default:
      MX_CHECK(false) << "token " << static_cast<int>(open);
      return TokenKind::kError;
  }
}

absl::string_view BracketText(TokenKind closing) {
  switch (closing) {
    case TokenKind::kRightParen:
      return "')'";
    case TokenKind::kRightBracket:
      return "']'";
    default:
      return "'}'";
  }
}

bool IsOpeningBracket(TokenKind kind) {
  return kind == TokenKind::kLeftParen || kind == TokenKind::kLeftBracket ||
         kind == TokenKind::kLeftBrace;
}

bool IsClosingBracket(TokenKind kind) {
  return kind == TokenKind::kRightParen || kind == TokenKind::kRightBracket ||
         kind == TokenKind::kRightBrace;
}

bool IsLayout(TokenKind kind) {
  return kind == TokenKind::kNewline || kind == TokenKind::kIndent ||
         kind == TokenKind::kDedent;
}

// Tokens that the lexer knows, but no rule of the grammar has here.
bool IsUnsupported(TokenKind kind) {
  return kind == TokenKind::kUnsupportedKeyword ||
         kind == TokenKind::kUnsupportedAssign || kind == TokenKind::kAt ||
         kind == TokenKind::kIn;
}

}  // namespace

std::string DescribeToken(const Token& token) {
  constexpr size_t kShownBytes = 40;
  switch (token.kind) {
    case TokenKind::kEndOfFile:
      return "the end of the file";
    case TokenKind::kNewline:
      return "the end of the line";
    case TokenKind::kIndent:
      return "an indented line";
    case TokenKind::kDedent:
      return "the end of the block";
    case TokenKind::kString:
      return "a string";
    default:
      return token.text.size() <= kShownBytes
                 ? absl::StrCat("'", token.text, "'")
                 : absl::StrCat("'", token.text.substr(0, kShownBytes), "...'");
  }
}

TokenStream::TokenStream(const SourceFile& file, DiagnosticSink* sink)
    : file_(file), sink_(sink), lexer_(file, sink), current_(lexer_.Next()) {
  failed_ = At(TokenKind::kError);
}

void TokenStream::Advance() {
  if (!IsLayout(current_.kind)) {
    last_ = current_.span;
    last_end_ = current_.text.data() + current_.text.size();
  }
  if (IsOpeningBracket(current_.kind)) open_brackets_.push_back(current_);
  if (IsClosingBracket(current_.kind)) open_brackets_.pop_back();
  current_ = lexer_.Next();
}

void TokenStream::TakeText(absl::string_view text) {
  last_ = current_.span;
  last_.end_column = last_.column + static_cast<int32_t>(text.size());
  last_end_ = text.data() + text.size();
  lexer_.JumpTo(last_end_);
  current_ = lexer_.Next();
}

bool TokenStream::TryTake(TokenKind kind) {
  if (!At(kind)) return false;
  Advance();
  return true;
}

bool TokenStream::Expect(TokenKind kind, absl::string_view what) {
  if (TryTake(kind)) return true;
  FailExpected(what);
  return false;
}

bool TokenStream::ExpectClosing(const Token& open, absl::string_view what) {
  const TokenKind closing = ClosingBracket(open.kind);
  if (TryTake(closing)) return true;
  Diagnostic* const diagnostic =
      IsClosingBracket(current_.kind)
          ? Fail(kBracketRule, current_.span,
                 absl::StrCat("'", current_.text, "' cannot close '", open.text,
                              "'"))
          : FailExpected(absl::StrCat(what, BracketText(closing)));
  if (diagnostic != nullptr && !At(TokenKind::kEndOfFile)) {
    diagnostic->AddNote(InFile(open.span),
                        absl::StrCat("the '", open.text, "' is here"));
  }
  return false;
}

SourceSpan TokenStream::InFile(const TextRange& range) const {
  return {range, file_.name()};
}

TextRange TokenStream::SpanFrom(const TextRange& begin) const {
  TextRange span = begin;
  span.end_line = last_.end_line;
  span.end_column = last_.end_column;
  return span;
}

Diagnostic* TokenStream::Fail(absl::string_view rule, const TextRange& span,
                              absl::string_view message) {
  // The lexer has reported what made an error token.
  const bool first = !failed_ && !At(TokenKind::kError);
  failed_ = true;
  return first ? &sink_->Error(rule, InFile(span), message) : nullptr;
}

Diagnostic* TokenStream::FailUnsupported(absl::string_view what) {
  return Fail(kUnsupportedRule, current_.span,
              absl::StrCat(what, " is not part of the text form"));
}

Diagnostic* TokenStream::FailExpected(absl::string_view what) {
  if (IsUnsupported(current_.kind)) {
    return FailUnsupported(DescribeToken(current_));
  }
  if (IsClosingBracket(current_.kind) && open_brackets_.empty()) {
    return Fail(kBracketRule, current_.span,
                absl::StrCat("'", current_.text, "' closes no bracket"));
  }
  if (At(TokenKind::kEndOfFile) && !open_brackets_.empty()) {
    const Token& open = open_brackets_.back();
    return Fail(kBracketRule, open.span,
                absl::StrCat("this '", open.text, "' is never closed"));
  }
  return Fail(
      kExpectedRule, current_.span,
      absl::StrCat("expected ", what, ", found ", DescribeToken(current_)));
}

}  // namespace mxtile::ir::text
