#ifndef IR_TEXT_LEXER_H_
#define IR_TEXT_LEXER_H_

// Cuts a file into tokens, by Python's rules.
//
//   Lexer lexer(file, &sink);
//   "if a:  # why\n  b"  ->  if a : NEWLINE INDENT b NEWLINE DEDENT END
//
// Line breaks are "\n" or "\r\n". Inside brackets, and behind a backslash, they
// are space. Blank lines and comments make no tokens; the last line needs no
// break. Tabs in an indentation count to the next multiple of 8, and it is an
// error if another width would change the structure.
//
// Reports the rules MX-SYNTAX-1 to -5 (ir/text/syntax_rules.h).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/diagnostic.h"
#include "ir/source_file.h"
#include "ir/text/syntax.h"
#include "ir/text/token.h"

namespace mxtile::ir::text {

// Whether Python reserves the word, so that it can name nothing.
bool IsReservedWord(absl::string_view word);

// Whether a program may have a variable of that name.
bool IsIdentifier(absl::string_view text);

class Lexer {
 public:
  // Both must outlive the lexer, `file` the tokens too. Looks through the whole
  // file: one that is not text has no tokens but kError.
  Lexer(const SourceFile& file, DiagnosticSink* sink);

  // The next token. After the first error, which goes to the sink, kError; at
  // the end kEndOfFile; each again and again.
  Token Next();

  // Goes to a position further down on the line, without looking at what stands
  // between; there, as many brackets must close as open.
  void JumpTo(const char* position);

  // The comments met since the last call, in order. Those up to a token are
  // there when Next() has returned it.
  std::vector<Comment> TakeComments();

 private:
  // An indentation, with tabs of 8 and of 1.
  struct Indentation {
    int64_t columns = 0;
    int64_t characters = 0;
  };

  void CheckText();

  // Whole tokens. Each is called at its first character.
  std::optional<Token> StartLine();
  Token ChangeIndentation(Indentation indentation, size_t begin);
  Token EndOfFile();
  Token Newline();
  Token NameOrKeyword();
  Token Number();
  Token String(size_t begin);
  Token Punctuation();

  // Skips; false after an error.
  bool SkipSpace();
  bool SkipContinuation();
  void SkipComment();
  void SkipLineBreak();

  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool AtEnd() const { return at_ == text_.size(); }
  // The length of the line break at this many bytes ahead, 0 for none.
  size_t LineBreakBytes(size_t ahead = 0) const;

  // The token [begin, at_), which is on the current line.
  Token Make(TokenKind kind, size_t begin) const;
  // The token without text at at_.
  Token MakeEmpty(TokenKind kind) const { return Make(kind, at_); }
  Token Error(absl::string_view rule, size_t begin, size_t end,
              absl::string_view message);

  const SourceFile& file_;
  const absl::string_view text_;
  DiagnosticSink* const sink_;

  size_t at_ = 0;
  int32_t line_ = 1;
  size_t line_begin_ = 0;
  bool at_line_start_ = true;  // Of a logical line.
  bool failed_ = false;
  int64_t open_brackets_ = 0;
  std::vector<Indentation> indentations_ = {{}};  // Of the open blocks.
  int pending_dedents_ = 0;
  std::vector<Comment> comments_;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_LEXER_H_
