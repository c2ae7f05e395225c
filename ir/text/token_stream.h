#ifndef IR_TEXT_TOKEN_STREAM_H_
#define IR_TEXT_TOKEN_STREAM_H_

// A parser's view of a file: the token that it is at, and how to complain about
// it. Part of ir/text/parser.h, not for other uses.
//
// A parse function that fails has called one of the Fail...() functions, which
// report the first failure only, and returns null or false up to the top.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/diagnostic.h"
#include "ir/source_file.h"
#include "ir/source_span.h"
#include "ir/text/lexer.h"
#include "ir/text/syntax.h"
#include "ir/text/token.h"

namespace mxtile::ir::text {

// For messages: `'foo'`, `end of line`. Long texts are cut.
std::string DescribeToken(const Token& token);

class TokenStream {
 public:
  // Both must outlive the stream.
  TokenStream(const SourceFile& file, DiagnosticSink* sink);

  const SourceFile& file() const { return file_; }
  const Token& current() const { return current_; }
  bool At(TokenKind kind) const { return current_.kind == kind; }

  // The current token; goes to the next one.
  Token Take() {
    const Token taken = current_;
    Advance();
    return taken;
  }
  // Goes behind `text`, which begins with the current token, lies on its line,
  // and has as many closing brackets as opening ones.
  void TakeText(absl::string_view text);
  // From the current token on.
  absl::string_view RestOfFile() const {
    const absl::string_view contents = file_.contents();
    return contents.substr(current_.text.data() - contents.data());
  }
  // The end of the last token taken, in the file.
  const char* last_end() const { return last_end_; }
  // Whether the current token was of this kind; if so, goes to the next one.
  bool TryTake(TokenKind kind);
  // TryTake, or FailExpected(what).
  bool Expect(TokenKind kind, absl::string_view what);
  // The bracket that closes `open`, or an error that shows `open`. `what` says
  // what else could follow here: "',' or ".
  bool ExpectClosing(const Token& open, absl::string_view what);

  // The comments up to the current token that were not yet taken.
  std::vector<Comment> TakeComments() { return lexer_.TakeComments(); }

  // From the start of `begin` to the end of the last token taken, not counting
  // line breaks and indentation.
  TextRange SpanFrom(const TextRange& begin) const;

  bool failed() const { return failed_; }

  // These return what they reported, for notes; null after an earlier failure.
  Diagnostic* Fail(absl::string_view rule, const TextRange& span,
                   absl::string_view message);
  // "`what` is not part of the text form", at the current token.
  Diagnostic* FailUnsupported(absl::string_view what);
  // "expected `what`, found ...", at the current token. Something better when
  // that token only has a meaning in Python, closes no bracket, or is the end
  // of the file inside of one.
  Diagnostic* FailExpected(absl::string_view what);

 private:
  SourceSpan InFile(const TextRange& range) const;
  // Goes to the next token.
  void Advance();

  const SourceFile& file_;
  DiagnosticSink* const sink_;
  Lexer lexer_;
  Token current_;
  TextRange last_;  // The last token taken.
  const char* last_end_ = nullptr;
  std::vector<Token> open_brackets_;
  bool failed_ = false;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_TOKEN_STREAM_H_
