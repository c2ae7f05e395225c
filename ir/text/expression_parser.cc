#include "ir/text/expression_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "ir/text/number_literal.h"
#include "ir/text/string_literal.h"
#include "ir/text/syntax_rules.h"

namespace mxtile::ir::text {
namespace {

// Precedences, from loose to tight. Unary signs and `**` are tighter still.
enum Precedence : int {
  kOrPrecedence,
  kXorPrecedence,
  kAndPrecedence,
  kNotPrecedence,
  kComparisonPrecedence,
  kBitOrPrecedence,
  kBitXorPrecedence,
  kBitAndPrecedence,
  kShiftPrecedence,
  kSumPrecedence,
  kProductPrecedence,
};

struct OperatorInfo {
  BinaryOp op;
  Precedence precedence;
};

// The operator that the token is behind an operand; none for `**`, which
// ParsePower has taken.
std::optional<OperatorInfo> InfixOperator(const Token& token) {
  switch (token.kind) {
    case TokenKind::kOr:
      return {{BinaryOp::kOr, kOrPrecedence}};
    case TokenKind::kName:
      // A name has no place behind an operand, so that `xor` can be both.
      if (token.text != "xor") return std::nullopt;
      return {{BinaryOp::kXor, kXorPrecedence}};
    case TokenKind::kAnd:
      return {{BinaryOp::kAnd, kAndPrecedence}};
    case TokenKind::kEqual:
      return {{BinaryOp::kEqual, kComparisonPrecedence}};
    case TokenKind::kNotEqual:
      return {{BinaryOp::kNotEqual, kComparisonPrecedence}};
    case TokenKind::kLess:
      return {{BinaryOp::kLess, kComparisonPrecedence}};
    case TokenKind::kLessEqual:
      return {{BinaryOp::kLessEqual, kComparisonPrecedence}};
    case TokenKind::kGreater:
      return {{BinaryOp::kGreater, kComparisonPrecedence}};
    case TokenKind::kGreaterEqual:
      return {{BinaryOp::kGreaterEqual, kComparisonPrecedence}};
    case TokenKind::kPipe:
      return {{BinaryOp::kBitOr, kBitOrPrecedence}};
    case TokenKind::kCaret:
      return {{BinaryOp::kBitXor, kBitXorPrecedence}};
    case TokenKind::kAmpersand:
      return {{BinaryOp::kBitAnd, kBitAndPrecedence}};
    case TokenKind::kShiftLeft:
      return {{BinaryOp::kShiftLeft, kShiftPrecedence}};
    case TokenKind::kShiftRight:
      return {{BinaryOp::kShiftRight, kShiftPrecedence}};
    case TokenKind::kPlus:
      return {{BinaryOp::kAdd, kSumPrecedence}};
    case TokenKind::kMinus:
      return {{BinaryOp::kSubtract, kSumPrecedence}};
    case TokenKind::kStar:
      return {{BinaryOp::kMultiply, kProductPrecedence}};
    case TokenKind::kSlash:
      return {{BinaryOp::kDivide, kProductPrecedence}};
    case TokenKind::kDoubleSlash:
      return {{BinaryOp::kFloorDivide, kProductPrecedence}};
    case TokenKind::kPercent:
      return {{BinaryOp::kModulo, kProductPrecedence}};
    default:
      return std::nullopt;
  }
}

std::optional<UnaryOp> SignOperator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kMinus:
      return UnaryOp::kNegate;
    case TokenKind::kPlus:
      return UnaryOp::kPlus;
    case TokenKind::kTilde:
      return UnaryOp::kInvert;
    default:
      return std::nullopt;
  }
}

bool StartsExpr(TokenKind kind) {
  switch (kind) {
    case TokenKind::kName:
    case TokenKind::kInt:
    case TokenKind::kFloat:
    case TokenKind::kString:
    case TokenKind::kFalse:
    case TokenKind::kNone:
    case TokenKind::kNot:
    case TokenKind::kTrue:
    case TokenKind::kLeftParen:
    case TokenKind::kLeftBracket:
    case TokenKind::kLeftBrace:
    case TokenKind::kEllipsis:
    case TokenKind::kPlus:
    case TokenKind::kMinus:
    case TokenKind::kTilde:
      return true;
    default:
      return false;
  }
}

bool ContinuesPath(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.';
}

int MaxHeight(absl::Span<const Expr* const> nodes) {
  int height = 0;
  for (const Expr* node : nodes) {
    height = std::max<int>(height, node->height);
  }
  return height;
}

// Counts an open bracket or operator while it lives.
class Nesting {
 public:
  explicit Nesting(int* depth) : depth_(*depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

  bool too_deep() const { return depth_ > kMaxNesting; }

 private:
  int& depth_;
};

}  // namespace

template <typename T>
T* ExpressionParser::New(const TextRange& begin) {
  T* const node = tree_.New<T>();
  node->span = tokens_.SpanFrom(begin);
  return node;
}

const Expr* ExpressionParser::Finish(Expr* node, int height) {
  if (height > kMaxNesting) return FailNesting(node->span);
  node->height = static_cast<uint16_t>(height);
  return node;
}

std::nullptr_t ExpressionParser::FailNesting(const TextRange& span) {
  tokens_.Fail(kNestingRule, span,
               absl::StrCat("this is nested too deep, the limit is ",
                            kMaxNesting, " levels"));
  return nullptr;
}

template <typename T>
const Expr* ExpressionParser::MakeSequence(const TextRange& begin,
                                           const Elements& elements) {
  T* const node = New<T>(begin);
  node->elements = tree_.Copy(absl::MakeConstSpan(elements.nodes));
  return Finish(node, MaxHeight(elements.nodes) + 1);
}

bool ExpressionParser::AtExpr() const {
  return StartsExpr(tokens_.current().kind);
}

const Expr* ExpressionParser::ParseExpr() {
  const Expr* const expr = ParseBinary(kOrPrecedence);
  if (expr == nullptr) return nullptr;
  // These continue an expression in Python, and nothing else does here.
  if (tokens_.At(TokenKind::kIf)) {
    tokens_.FailUnsupported("'if' in an expression");
  } else if (tokens_.At(TokenKind::kFor)) {
    tokens_.FailUnsupported("'for' in an expression");
  } else if (tokens_.At(TokenKind::kNot)) {
    tokens_.FailUnsupported("'not in'");
  }
  return tokens_.failed() ? nullptr : expr;
}

const Expr* ExpressionParser::ParseExprList() {
  const TextRange begin = tokens_.current().span;
  const Expr* const first = ParseExpr();
  if (first == nullptr || !tokens_.TryTake(TokenKind::kComma)) return first;
  Elements elements = {{first}, true};
  if (!ParseElements(&elements)) return nullptr;
  return MakeSequence<Tuple>(begin, elements);
}

bool ExpressionParser::ParseElements(Elements* elements) {
  while (AtExpr()) {
    const Expr* const element = ParseExpr();
    if (element == nullptr) return false;
    elements->nodes.push_back(element);
    elements->ends_with_comma = tokens_.TryTake(TokenKind::kComma);
    if (!elements->ends_with_comma) return true;
  }
  return true;
}

bool ExpressionParser::ParseBracketed(const Token& open, Elements* elements) {
  if (!ParseElements(elements)) return false;
  const bool element_may_follow =
      elements->nodes.empty() || elements->ends_with_comma;
  return tokens_.ExpectClosing(
      open, element_may_follow ? "an expression or " : "',' or ");
}

const Name* ExpressionParser::ParseName(absl::string_view what) {
  const Token token = tokens_.current();
  if (!tokens_.Expect(TokenKind::kName, what)) return nullptr;
  Name* const name = New<Name>(token.span);
  name->name = token.text;
  return name;
}

const Expr* ExpressionParser::ParseBinary(int min_precedence) {
  const TextRange begin = tokens_.current().span;
  const Expr* left = ParseNot(min_precedence);
  bool compared = false;
  while (left != nullptr) {
    const std::optional<OperatorInfo> info = InfixOperator(tokens_.current());
    if (!info || info->precedence < min_precedence) return left;
    const bool compares = info->precedence == kComparisonPrecedence;
    if (compares && compared) {
      tokens_.FailUnsupported("a chain of comparisons");
      return nullptr;
    }
    compared = compares;
    const Token op = tokens_.Take();
    const Expr* const right = ParseBinary(info->precedence + 1);
    if (right == nullptr) return nullptr;
    Binary* const binary = New<Binary>(begin);
    binary->op = info->op;
    binary->op_line = op.span.line;
    binary->op_column = op.span.column;
    binary->left = left;
    binary->right = right;
    left = Finish(binary, std::max<int>(left->height, right->height + 1));
  }
  return nullptr;
}

const Expr* ExpressionParser::ParseNot(int min_precedence) {
  if (!tokens_.At(TokenKind::kNot)) return ParseUnary();
  const Token op = tokens_.current();
  if (min_precedence > kNotPrecedence) {
    tokens_.Fail(kExpectedRule, op.span,
                 "'not' needs brackets around it behind an operator");
    return nullptr;
  }
  const Nesting nesting(&depth_);
  if (nesting.too_deep()) return FailNesting(op.span);
  tokens_.Take();
  const Expr* const operand = ParseBinary(kNotPrecedence);
  if (operand == nullptr) return nullptr;
  Unary* const unary = New<Unary>(op.span);
  unary->op = UnaryOp::kNot;
  unary->operand = operand;
  return Finish(unary, operand->height + 1);
}

const Expr* ExpressionParser::ParseUnary() {
  const std::optional<UnaryOp> op = SignOperator(tokens_.current().kind);
  if (!op) return ParsePower();
  const Nesting nesting(&depth_);
  const Token sign = tokens_.Take();
  if (nesting.too_deep()) return FailNesting(sign.span);
  if (*op == UnaryOp::kNegate && tokens_.At(TokenKind::kInt)) {
    if (const Expr* smallest = ParseSmallestInt(sign)) return smallest;
  }
  const Expr* const operand = ParseUnary();
  if (operand == nullptr) return nullptr;
  Unary* const unary = New<Unary>(sign.span);
  unary->op = *op;
  unary->operand = operand;
  return Finish(unary, operand->height + 1);
}

// -2^63, whose digits are above the largest Int. Null, without an error, when
// something else follows the minus.
const Expr* ExpressionParser::ParseSmallestInt(const Token& minus) {
  constexpr uint64_t kMagnitude = uint64_t{1} << 63;
  const absl::StatusOr<uint64_t> magnitude =
      DecodeInt(tokens_.current().text, kMagnitude);
  if (!magnitude.ok() || *magnitude != kMagnitude) return nullptr;
  const Token digits = tokens_.Take();
  Int* const smallest = New<Int>(minus.span);
  smallest->value = std::numeric_limits<int64_t>::min();
  const char* const text = minus.text.data();
  const char* const end = digits.text.data() + digits.text.size();
  smallest->text = absl::string_view(text, end - text);
  return smallest;
}

const Expr* ExpressionParser::ParsePower() {
  const TextRange begin = tokens_.current().span;
  const Expr* const base = ParsePostfix();
  if (base == nullptr || !tokens_.At(TokenKind::kDoubleStar)) return base;
  const Nesting nesting(&depth_);
  const Token op = tokens_.Take();
  if (nesting.too_deep()) return FailNesting(op.span);
  const Expr* const exponent = ParseUnary();
  if (exponent == nullptr) return nullptr;
  Binary* const power = New<Binary>(begin);
  power->op = BinaryOp::kPower;
  power->op_line = op.span.line;
  power->op_column = op.span.column;
  power->left = base;
  power->right = exponent;
  return Finish(power, std::max<int>(base->height, exponent->height + 1));
}

const Expr* ExpressionParser::ParsePostfix() {
  const TextRange begin = tokens_.current().span;
  const Expr* expr = TakeKnownCallee();
  if (expr == nullptr) expr = ParseAtom();
  while (expr != nullptr) {
    switch (tokens_.current().kind) {
      case TokenKind::kDot:
        expr = ParseAttribute(expr, begin);
        break;
      case TokenKind::kLeftBracket:
        expr = ParseSubscript(expr, begin);
        break;
      case TokenKind::kLeftParen:
        KeepCallee(expr);
        expr = ParseCall(expr, begin);
        break;
      default:
        return expr;
    }
  }
  return nullptr;
}

// Programs call the same few operators again and again, so that a path that
// stands right before a bracket is parsed once. Null when none is known here.
const Expr* ExpressionParser::TakeKnownCallee() {
  if (!tokens_.At(TokenKind::kName) || callees_.empty()) return nullptr;
  const absl::string_view rest = tokens_.RestOfFile();
  size_t size = tokens_.current().text.size();
  if (size == rest.size() || rest[size] != '.') return nullptr;
  while (size < rest.size() && ContinuesPath(rest[size])) ++size;
  if (size == rest.size() || rest[size] != '(') return nullptr;
  const auto known = callees_.find(rest.substr(0, size));
  if (known == callees_.end()) return nullptr;
  tokens_.TakeText(rest.substr(0, size));
  return known->second;
}

void ExpressionParser::KeepCallee(const Expr* callee) {
  const absl::string_view spelling = PathText(callee);
  if (!spelling.empty()) callees_.emplace(spelling, callee);
}

const Expr* ExpressionParser::ParseAttribute(const Expr* value,
                                             const TextRange& begin) {
  tokens_.Take();
  const Token name = tokens_.current();
  if (!tokens_.Expect(TokenKind::kName, "a name after '.'")) return nullptr;
  Attribute* const attribute = New<Attribute>(begin);
  attribute->value = value;
  attribute->name = name.text;
  return Finish(attribute, value->height + 1);
}

const Expr* ExpressionParser::ParseSubscript(const Expr* value,
                                             const TextRange& begin) {
  const Nesting nesting(&depth_);
  const Token open = tokens_.Take();
  if (nesting.too_deep()) return FailNesting(open.span);
  const Expr* const index = ParseIndex();
  if (index == nullptr || !tokens_.ExpectClosing(open, "',' or ")) {
    return nullptr;
  }
  Subscript* const subscript = New<Subscript>(begin);
  subscript->value = value;
  subscript->index = index;
  return Finish(subscript, std::max(value->height, index->height) + 1);
}

// What stands between the brackets of a subscript: like ParseExprList, with
// slices.
const Expr* ExpressionParser::ParseIndex() {
  const TextRange begin = tokens_.current().span;
  const Expr* const first = ParseIndexItem();
  if (first == nullptr || !tokens_.At(TokenKind::kComma)) return first;
  Elements elements;
  elements.nodes.push_back(first);
  while (tokens_.TryTake(TokenKind::kComma)) {
    if (!AtExpr() && !tokens_.At(TokenKind::kColon)) break;
    elements.nodes.push_back(ParseIndexItem());
    if (elements.nodes.back() == nullptr) return nullptr;
  }
  return MakeSequence<Tuple>(begin, elements);
}

const Expr* ExpressionParser::ParseIndexItem() {
  const TextRange begin = tokens_.current().span;
  const Expr* lower = nullptr;
  if (!tokens_.At(TokenKind::kColon)) {
    lower = ParseExpr();
    if (lower == nullptr || !tokens_.At(TokenKind::kColon)) return lower;
  }
  tokens_.Take();
  const Expr* upper = nullptr;
  if (AtExpr()) {
    upper = ParseExpr();
    if (upper == nullptr) return nullptr;
  }
  if (tokens_.At(TokenKind::kColon)) {
    tokens_.FailUnsupported("the step of a slice");
    return nullptr;
  }
  Slice* const slice = New<Slice>(begin);
  slice->lower = lower;
  slice->upper = upper;
  int height = 0;
  for (const Expr* end : {lower, upper}) {
    if (end != nullptr) height = std::max<int>(height, end->height);
  }
  return Finish(slice, height + 1);
}

const Expr* ExpressionParser::ParseCall(const Expr* callee,
                                        const TextRange& begin) {
  const Nesting nesting(&depth_);
  const Token open = tokens_.Take();
  if (nesting.too_deep()) return FailNesting(open.span);
  Arguments arguments;
  if (!ParseArguments(&arguments) || !tokens_.ExpectClosing(open, "',' or ") ||
      !CheckKeywords(arguments.keywords)) {
    return nullptr;
  }
  Call* const call = New<Call>(begin);
  call->callee = callee;
  call->arguments = tree_.Copy(absl::MakeConstSpan(arguments.positional));
  call->keywords = tree_.Copy(absl::MakeConstSpan(arguments.keywords));
  int height = std::max<int>(callee->height, MaxHeight(call->arguments));
  for (const KeywordArgument& keyword : call->keywords) {
    height = std::max<int>(height, keyword.value->height);
  }
  return Finish(call, height + 1);
}

bool ExpressionParser::ParseArguments(Arguments* arguments) {
  while (!tokens_.At(TokenKind::kRightParen)) {
    if (!ParseArgument(arguments)) return false;
    if (!tokens_.TryTake(TokenKind::kComma)) return true;
  }
  return true;
}

bool ExpressionParser::ParseArgument(Arguments* arguments) {
  const Token first = tokens_.current();
  if (first.kind == TokenKind::kStar || first.kind == TokenKind::kDoubleStar) {
    tokens_.FailUnsupported(absl::StrCat("'", first.text, "' in arguments"));
    return false;
  }
  const Expr* const value = ParseExpr();
  if (value == nullptr) return false;
  if (!tokens_.At(TokenKind::kAssign)) {
    if (!arguments->keywords.empty()) {
      tokens_.Fail(kArgumentRule, value->span,
                   "an argument without a keyword stands behind one with it");
      return false;
    }
    arguments->positional.push_back(value);
    return true;
  }
  if (first.kind != TokenKind::kName || value->As<Name>() == nullptr) {
    tokens_.Fail(kTargetRule, value->span, "a keyword is a single name");
    return false;
  }
  tokens_.Take();
  KeywordArgument keyword;
  keyword.name = first.text;
  keyword.name_span = first.span;
  keyword.value = ParseExpr();
  arguments->keywords.push_back(keyword);
  return keyword.value != nullptr;
}

bool ExpressionParser::CheckKeywords(
    absl::Span<const KeywordArgument> keywords) {
  if (keywords.size() < 2) return true;
  absl::flat_hash_set<absl::string_view> names;
  for (const KeywordArgument& keyword : keywords) {
    if (names.insert(keyword.name).second) continue;
    tokens_.Fail(kArgumentRule, keyword.name_span,
                 "this keyword is given twice");
    return false;
  }
  return true;
}

const Expr* ExpressionParser::ParseAtom() {
  const Token& token = tokens_.current();
  switch (token.kind) {
    case TokenKind::kName:
      return ParseName("a name");
    case TokenKind::kInt:
      return ParseInt();
    case TokenKind::kFloat:
      return ParseFloat();
    case TokenKind::kString:
      return ParseString();
    case TokenKind::kTrue:
    case TokenKind::kFalse: {
      const Token word = tokens_.Take();
      Bool* const constant = New<Bool>(word.span);
      constant->value = word.kind == TokenKind::kTrue;
      return constant;
    }
    case TokenKind::kNone:
      return New<None>(tokens_.Take().span);
    case TokenKind::kEllipsis:
      return New<Ellipsis>(tokens_.Take().span);
    case TokenKind::kLeftParen:
      return ParseParenthesized();
    case TokenKind::kLeftBracket:
      return ParseList();
    case TokenKind::kLeftBrace:
      return ParseDict();
    default:
      tokens_.FailExpected("an expression");
      return nullptr;
  }
}

const Expr* ExpressionParser::ParseInt() {
  const Token token = tokens_.Take();
  const absl::StatusOr<uint64_t> value = DecodeInt(token.text);
  if (!value.ok()) {
    tokens_.Fail(kNumberRule, token.span, value.status().message());
    return nullptr;
  }
  Int* const node = New<Int>(token.span);
  node->value = static_cast<int64_t>(*value);
  node->text = token.text;
  return node;
}

const Expr* ExpressionParser::ParseFloat() {
  const Token token = tokens_.Take();
  const absl::StatusOr<double> value = DecodeFloat(token.text);
  if (!value.ok()) {
    tokens_.Fail(kNumberRule, token.span, value.status().message());
    return nullptr;
  }
  Float* const node = New<Float>(token.span);
  node->value = *value;
  node->text = token.text;
  return node;
}

const Expr* ExpressionParser::ParseString() {
  const TextRange begin = tokens_.current().span;
  std::string value;
  while (tokens_.At(TokenKind::kString)) {
    const Token token = tokens_.Take();
    const std::optional<EscapeError> error = AppendString(token.text, &value);
    if (!error) continue;
    const size_t at =
        token.text.data() - tokens_.file().contents().data() + error->offset;
    tokens_.Fail(kStringRule, tokens_.file().Span(at, at + error->size_bytes),
                 error->message);
    return nullptr;
  }
  String* const node = New<String>(begin);
  node->value = tree_.CopyString(value);
  return node;
}

const Expr* ExpressionParser::ParseParenthesized() {
  const Nesting nesting(&depth_);
  const Token open = tokens_.Take();
  if (nesting.too_deep()) return FailNesting(open.span);
  Elements elements;
  if (!ParseBracketed(open, &elements)) return nullptr;
  if (elements.nodes.size() == 1 && !elements.ends_with_comma) {
    return elements.nodes[0];
  }
  return MakeSequence<Tuple>(open.span, elements);
}

const Expr* ExpressionParser::ParseList() {
  const Nesting nesting(&depth_);
  const Token open = tokens_.Take();
  if (nesting.too_deep()) return FailNesting(open.span);
  Elements elements;
  if (!ParseBracketed(open, &elements)) return nullptr;
  return MakeSequence<List>(open.span, elements);
}

const Expr* ExpressionParser::ParseDict() {
  const Nesting nesting(&depth_);
  const Token open = tokens_.Take();
  if (nesting.too_deep()) return FailNesting(open.span);
  std::vector<DictEntry> entries;
  int height = 0;
  while (!tokens_.At(TokenKind::kRightBrace)) {
    DictEntry entry;
    entry.key = ParseExpr();
    if (entry.key == nullptr) return nullptr;
    if (!tokens_.Expect(TokenKind::kColon, "':' and the value of this key")) {
      return nullptr;
    }
    entry.value = ParseExpr();
    if (entry.value == nullptr) return nullptr;
    height = std::max<int>({height, entry.key->height, entry.value->height});
    entries.push_back(entry);
    if (!tokens_.TryTake(TokenKind::kComma)) break;
  }
  if (!tokens_.ExpectClosing(open, "',' or ")) return nullptr;
  Dict* const dict = New<Dict>(open.span);
  dict->entries = tree_.Copy(absl::MakeConstSpan(entries));
  return Finish(dict, height + 1);
}

}  // namespace mxtile::ir::text
