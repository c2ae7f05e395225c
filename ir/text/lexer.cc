#include "ir/text/lexer.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/utf8.h"
#include "ir/text/syntax_rules.h"

namespace mxtile::ir::text {
namespace {

constexpr int kTabColumns = 8;

bool StartsName(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool ContinuesName(char c) { return absl::ascii_isalnum(c) || c == '_'; }
bool IsQuote(char c) { return c == '\'' || c == '"'; }

struct Spelling {
  absl::string_view text;
  TokenKind kind;
};

// Sorted by first character.
constexpr Spelling kKeywords[] = {
    {"False", TokenKind::kFalse},
    {"None", TokenKind::kNone},
    {"True", TokenKind::kTrue},
    {"and", TokenKind::kAnd},
    {"as", TokenKind::kAs},
    {"assert", TokenKind::kUnsupportedKeyword},
    {"async", TokenKind::kUnsupportedKeyword},
    {"await", TokenKind::kUnsupportedKeyword},
    {"break", TokenKind::kBreak},
    {"class", TokenKind::kClass},
    {"continue", TokenKind::kContinue},
    {"def", TokenKind::kDef},
    {"del", TokenKind::kUnsupportedKeyword},
    {"elif", TokenKind::kElif},
    {"else", TokenKind::kElse},
    {"except", TokenKind::kUnsupportedKeyword},
    {"finally", TokenKind::kUnsupportedKeyword},
    {"for", TokenKind::kFor},
    {"from", TokenKind::kUnsupportedKeyword},
    {"global", TokenKind::kUnsupportedKeyword},
    {"if", TokenKind::kIf},
    {"import", TokenKind::kImport},
    {"in", TokenKind::kIn},
    {"is", TokenKind::kUnsupportedKeyword},
    {"lambda", TokenKind::kUnsupportedKeyword},
    {"nonlocal", TokenKind::kUnsupportedKeyword},
    {"not", TokenKind::kNot},
    {"or", TokenKind::kOr},
    {"pass", TokenKind::kPass},
    {"raise", TokenKind::kUnsupportedKeyword},
    {"return", TokenKind::kReturn},
    {"try", TokenKind::kUnsupportedKeyword},
    {"while", TokenKind::kWhile},
    {"with", TokenKind::kWith},
    {"yield", TokenKind::kUnsupportedKeyword},
};

// Sorted by first character; of two that start alike, the longer comes first.
constexpr Spelling kPunctuation[] = {
    {"!=", TokenKind::kNotEqual},
    {"%=", TokenKind::kUnsupportedAssign},
    {"%", TokenKind::kPercent},
    {"&=", TokenKind::kUnsupportedAssign},
    {"&", TokenKind::kAmpersand},
    {"(", TokenKind::kLeftParen},
    {")", TokenKind::kRightParen},
    {"**=", TokenKind::kUnsupportedAssign},
    {"*=", TokenKind::kUnsupportedAssign},
    {"**", TokenKind::kDoubleStar},
    {"*", TokenKind::kStar},
    {"+=", TokenKind::kUnsupportedAssign},
    {"+", TokenKind::kPlus},
    {",", TokenKind::kComma},
    {"-=", TokenKind::kUnsupportedAssign},
    {"->", TokenKind::kArrow},
    {"-", TokenKind::kMinus},
    {"...", TokenKind::kEllipsis},
    {".", TokenKind::kDot},
    {"//=", TokenKind::kUnsupportedAssign},
    {"/=", TokenKind::kUnsupportedAssign},
    {"//", TokenKind::kDoubleSlash},
    {"/", TokenKind::kSlash},
    {":=", TokenKind::kUnsupportedAssign},
    {":", TokenKind::kColon},
    {";", TokenKind::kSemicolon},
    {"<<=", TokenKind::kUnsupportedAssign},
    {"<<", TokenKind::kShiftLeft},
    {"<=", TokenKind::kLessEqual},
    {"<", TokenKind::kLess},
    {"==", TokenKind::kEqual},
    {"=", TokenKind::kAssign},
    {">>=", TokenKind::kUnsupportedAssign},
    {">>", TokenKind::kShiftRight},
    {">=", TokenKind::kGreaterEqual},
    {">", TokenKind::kGreater},
    {"@=", TokenKind::kUnsupportedAssign},
    {"@", TokenKind::kAt},
    {"[", TokenKind::kLeftBracket},
    {"]", TokenKind::kRightBracket},
    {"^=", TokenKind::kUnsupportedAssign},
    {"^", TokenKind::kCaret},
    {"{", TokenKind::kLeftBrace},
    {"|=", TokenKind::kUnsupportedAssign},
    {"|", TokenKind::kPipe},
    {"}", TokenKind::kRightBrace},
    {"~", TokenKind::kTilde},
};

// Where the spellings with a first character begin in their table.
class SpellingIndex {
 public:
  explicit constexpr SpellingIndex(absl::Span<const Spelling> spellings)
      : spellings_(spellings) {
    for (int i = 0; i < 128; ++i) first_[i] = kNone;
    for (size_t i = spellings.size(); i-- > 0;) {
      first_[static_cast<uint8_t>(spellings[i].text[0])] =
          static_cast<uint8_t>(i);
    }
  }

  // The first one for which matches(spelling's text), null for none. `c`: the
  // first character.
  template <typename Fn>
  const Spelling* Find(char c, Fn&& matches) const {
    const auto code = static_cast<uint8_t>(c);
    if (code >= 128) return nullptr;
    for (size_t i = first_[code];
         i < spellings_.size() && spellings_[i].text[0] == c; ++i) {
      if (matches(spellings_[i].text)) return &spellings_[i];
    }
    return nullptr;
  }

 private:
  static constexpr uint8_t kNone = 255;

  absl::Span<const Spelling> spellings_;
  uint8_t first_[128] = {};
};

constexpr SpellingIndex kKeywordIndex(kKeywords);
constexpr SpellingIndex kPunctuationIndex(kPunctuation);

TokenKind NameKind(absl::string_view name) {
  const Spelling* keyword = kKeywordIndex.Find(
      name[0], [name](absl::string_view text) { return text == name; });
  return keyword == nullptr ? TokenKind::kName : keyword->kind;
}

// The punctuation that `text`, which is not empty, starts with; null for none.
// A comparison of one or two characters is not worth a call of memcmp.
const Spelling* FindPunctuation(absl::string_view text) {
  return kPunctuationIndex.Find(text[0], [text](absl::string_view spelling) {
    const size_t size = spelling.size();
    return size == 1 || (size <= text.size() && text[1] == spelling[1] &&
                         (size == 2 || text[2] == spelling[2]));
  });
}

// What each bracket adds to the number of open ones.
int BracketStep(TokenKind kind) {
  switch (kind) {
    case TokenKind::kLeftParen:
    case TokenKind::kLeftBracket:
    case TokenKind::kLeftBrace:
      return 1;
    case TokenKind::kRightParen:
    case TokenKind::kRightBracket:
    case TokenKind::kRightBrace:
      return -1;
    default:
      return 0;
  }
}

}  // namespace

bool IsReservedWord(absl::string_view word) {
  return !word.empty() && NameKind(word) != TokenKind::kName;
}

bool IsIdentifier(absl::string_view text) {
  return !text.empty() && StartsName(text[0]) &&
         std::all_of(text.begin(), text.end(), ContinuesName) &&
         !IsReservedWord(text);
}

Lexer::Lexer(const SourceFile& file, DiagnosticSink* sink)
    : file_(file), text_(file.contents()), sink_(sink) {
  CheckText();
}

void Lexer::CheckText() {
  if (text_.size() > SourceFile::kMaxBytes) {
    Error(kNotTextRule, 0, 0, "this file is too large, the limit is 2 GiB");
    return;
  }
  const size_t bad = std::min(ValidUtf8Prefix(text_), text_.find('\0'));
  if (bad >= text_.size()) return;
  Error(kNotTextRule, bad, bad + 1,
        absl::StrFormat("this file is not UTF-8 text: the byte 0x%02x is no "
                        "part of one",
                        static_cast<uint8_t>(text_[bad])));
}

Token Lexer::Next() {
  if (failed_) return MakeEmpty(TokenKind::kError);
  if (pending_dedents_ > 0) {
    --pending_dedents_;
    return MakeEmpty(TokenKind::kDedent);
  }
  if (at_line_start_) {
    if (const std::optional<Token> token = StartLine()) return *token;
  }
  if (!SkipSpace()) return MakeEmpty(TokenKind::kError);
  if (AtEnd()) return EndOfFile();
  if (LineBreakBytes() > 0) return Newline();
  const char next = Peek();
  if (StartsName(next)) return NameOrKeyword();
  if (absl::ascii_isdigit(next)) return Number();
  if (next == '.' && absl::ascii_isdigit(Peek(1))) return Number();
  if (IsQuote(next)) return String(at_);
  return Punctuation();
}

std::vector<Comment> Lexer::TakeComments() {
  return std::exchange(comments_, {});
}

// Goes to the first line with something on it; a token when the indentation
// there is another one than before.
std::optional<Token> Lexer::StartLine() {
  Indentation indentation;
  size_t begin = at_;
  while (!AtEnd()) {
    if (Peek() == ' ') {
      ++indentation.columns;
      ++indentation.characters;
      ++at_;
    } else if (Peek() == '\t') {
      indentation.columns += kTabColumns - indentation.columns % kTabColumns;
      ++indentation.characters;
      ++at_;
    } else if (Peek() == '#') {
      SkipComment();
    } else if (LineBreakBytes() > 0) {
      SkipLineBreak();
      indentation = {};
      begin = at_;
    } else {
      break;
    }
  }
  at_line_start_ = AtEnd();
  if (AtEnd()) indentation = {};
  const Indentation& current = indentations_.back();
  const bool same = indentation.columns == current.columns &&
                    indentation.characters == current.characters;
  if (same) return std::nullopt;
  return ChangeIndentation(indentation, begin);
}

Token Lexer::ChangeIndentation(Indentation indentation, size_t begin) {
  const bool deeper = indentation.columns > indentations_.back().columns;
  if (deeper && indentation.characters > indentations_.back().characters) {
    indentations_.push_back(indentation);
    return Make(TokenKind::kIndent, begin);
  }
  while (indentation.columns < indentations_.back().columns) {
    indentations_.pop_back();
    ++pending_dedents_;
  }
  const Indentation& block = indentations_.back();
  if (!deeper && indentation.columns != block.columns) {
    return Error(kIndentationRule, begin, at_,
                 "this indentation matches none of the blocks around it");
  }
  if (deeper || indentation.characters != block.characters) {
    return Error(kIndentationRule, begin, at_,
                 "this indentation mixes tabs and spaces in another way than "
                 "the lines before; use spaces");
  }
  --pending_dedents_;
  return MakeEmpty(TokenKind::kDedent);
}

Token Lexer::EndOfFile() {
  // A file may end inside of brackets; that is for the parser to say.
  const bool line_is_open = !at_line_start_ && open_brackets_ == 0;
  if (!line_is_open) return MakeEmpty(TokenKind::kEndOfFile);
  at_line_start_ = true;
  return MakeEmpty(TokenKind::kNewline);
}

Token Lexer::Newline() {
  const Token token = MakeEmpty(TokenKind::kNewline);
  SkipLineBreak();
  at_line_start_ = true;
  return token;
}

Token Lexer::NameOrKeyword() {
  const size_t begin = at_;
  while (!AtEnd() && ContinuesName(text_[at_])) ++at_;
  const absl::string_view name = text_.substr(begin, at_ - begin);
  if (!IsQuote(Peek())) return Make(NameKind(name), begin);
  if (absl::EqualsIgnoreCase(name, "r")) return String(begin);
  return Error(kStringRule, begin, at_,
               absl::StrCat("strings with the prefix '", name.substr(0, 40),
                            "' are not part of the text form"));
}

Token Lexer::Number() {
  const size_t begin = at_;
  const bool has_base = Peek() == '0' && absl::ascii_isalpha(Peek(1));
  bool is_float = false;
  // Takes in also what makes it malformed, `12ab`, for a better message.
  while (ContinuesName(Peek()) || Peek() == '.') {
    const char c = absl::ascii_tolower(Peek());
    const bool exponent = c == 'e' && !has_base;
    is_float |= c == '.' || exponent;
    ++at_;
    if (exponent && (Peek() == '+' || Peek() == '-')) ++at_;
  }
  return Make(is_float ? TokenKind::kFloat : TokenKind::kInt, begin);
}

// The string whose prefix starts at `begin` and whose quotes start here.
Token Lexer::String(size_t begin) {
  const int32_t begin_line = line_;
  const size_t begin_line_begin = line_begin_;
  const char quote = Peek();
  const bool triple = Peek(1) == quote && Peek(2) == quote;
  const size_t quotes = triple ? 3 : 1;
  at_ += quotes;
  while (true) {
    if (AtEnd() || (!triple && LineBreakBytes() > 0)) {
      return Error(kStringRule, begin, at_,
                   triple ? "this string does not end in the file"
                          : "this string does not end on its line");
    }
    if (Peek() == quote &&
        (!triple || (Peek(1) == quote && Peek(2) == quote))) {
      break;
    }
    // A backslash escapes whatever follows, also in a raw string.
    if (Peek() == '\\') ++at_;
    if (LineBreakBytes() > 0) {
      SkipLineBreak();
    } else if (!AtEnd()) {
      ++at_;
    }
  }
  at_ += quotes;
  Token token = Make(TokenKind::kString, begin);
  token.span.line = begin_line;
  token.span.column = static_cast<int32_t>(begin - begin_line_begin + 1);
  return token;
}

Token Lexer::Punctuation() {
  const size_t begin = at_;
  if (const Spelling* found = FindPunctuation(text_.substr(at_))) {
    at_ += found->text.size();
    open_brackets_ =
        std::max<int64_t>(0, open_brackets_ + BracketStep(found->kind));
    return Make(found->kind, begin);
  }
  const Utf8Character next = DecodeUtf8(text_.substr(at_));
  std::string message = absl::StrCat("unexpected character '",
                                     text_.substr(at_, next.size_bytes), "'");
  if (next.code_point >= 0x80) {
    absl::StrAppendFormat(&message, " (U+%04X); names are ASCII",
                          static_cast<uint32_t>(next.code_point));
  }
  return Error(kCharacterRule, begin, begin + next.size_bytes, message);
}

bool Lexer::SkipSpace() {
  while (true) {
    const char next = Peek();
    if (next == ' ' || next == '\t') {
      ++at_;
    } else if (next == '#') {
      SkipComment();
    } else if (open_brackets_ > 0 && LineBreakBytes() > 0) {
      SkipLineBreak();
    } else if (next == '\\') {
      if (!SkipContinuation()) return false;
    } else {
      return true;
    }
  }
}

bool Lexer::SkipContinuation() {
  if (LineBreakBytes(1) == 0) {
    Error(kCharacterRule, at_, at_ + 1,
          "a backslash stands only at the end of a line, to continue it");
    return false;
  }
  ++at_;
  SkipLineBreak();
  return true;
}

void Lexer::SkipComment() {
  const size_t begin = at_;
  // A lone carriage return is no line break here, but one in Python; behind the
  // comment it is an error.
  at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
  const absl::string_view text =
      absl::StripTrailingAsciiWhitespace(text_.substr(begin, at_ - begin));
  Comment comment;
  comment.text = text;
  comment.span = file_.Span(begin, begin + text.size());
  comments_.push_back(comment);
}

void Lexer::SkipLineBreak() {
  at_ += LineBreakBytes();
  line_begin_ = at_;
  ++line_;
}

size_t Lexer::LineBreakBytes(size_t ahead) const {
  if (Peek(ahead) == '\n') return 1;
  return Peek(ahead) == '\r' && Peek(ahead + 1) == '\n' ? 2 : 0;
}

void Lexer::JumpTo(const char* position) {
  MX_CHECK(!at_line_start_);
  at_ = static_cast<size_t>(position - text_.data());
}

Token Lexer::Make(TokenKind kind, size_t begin) const {
  Token token;
  token.kind = kind;
  token.text = text_.substr(begin, at_ - begin);
  token.span.line = line_;
  token.span.column = static_cast<int32_t>(begin - line_begin_ + 1);
  token.span.end_line = line_;
  token.span.end_column = static_cast<int32_t>(at_ - line_begin_ + 1);
  return token;
}

Token Lexer::Error(absl::string_view rule, size_t begin, size_t end,
                   absl::string_view message) {
  failed_ = true;
  sink_->Error(rule, file_.Span(begin, end), message);
  return MakeEmpty(TokenKind::kError);
}

}  // namespace mxtile::ir::text
