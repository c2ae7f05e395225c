#include "ir/text/statement_parser.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/text/syntax_rules.h"

namespace mxtile::ir::text {
namespace {

// Counts an open block while it lives.
class BlockNesting {
 public:
  explicit BlockNesting(int* depth) : depth_(*depth) { ++depth_; }
  ~BlockNesting() { --depth_; }
  BlockNesting(const BlockNesting&) = delete;
  BlockNesting& operator=(const BlockNesting&) = delete;

  bool too_deep() const { return depth_ > kMaxBlockNesting; }

 private:
  int& depth_;
};

// Whether all names in the text are members of modules or keywords of calls:
// `pl.Tile[[16, 64], pl.FP32]`. It may say no without need.
bool NamesNothing(absl::string_view text) {
  // A bracket would have to be closed again.
  if (!absl::ascii_isalpha(text[0])) return false;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') return false;
    if (!absl::ascii_isalpha(c) && c != '_') {
      // Letters inside a number are no name.
      const bool number = absl::ascii_isdigit(c);
      ++i;
      while (number && i < text.size() && absl::ascii_isalnum(text[i])) ++i;
      continue;
    }
    const size_t begin = i;
    while (i < text.size() &&
           (absl::ascii_isalnum(text[i]) || text[i] == '_')) {
      ++i;
    }
    const bool is_member = begin > 0 && text[begin - 1] == '.';
    const bool is_keyword_or_module =
        i < text.size() && (text[i] == '=' || text[i] == '.');
    if (!is_member && !is_keyword_or_module) return false;
  }
  return true;
}

bool StartsCompound(TokenKind kind) {
  switch (kind) {
    case TokenKind::kIf:
    case TokenKind::kFor:
    case TokenKind::kWhile:
    case TokenKind::kWith:
    case TokenKind::kDef:
    case TokenKind::kClass:
    case TokenKind::kAt:
      return true;
    default:
      return false;
  }
}

}  // namespace

const Module* StatementParser::ParseModule() {
  std::vector<const Stmt*> statements;
  while (!tokens_.failed() && !tokens_.At(TokenKind::kEndOfFile)) {
    if (!ParseStatements(&statements)) return nullptr;
  }
  if (tokens_.failed()) return nullptr;
  Module* const module = tree_.New<Module>();
  module->body = tree_.Copy(absl::MakeConstSpan(statements));
  module->trailing_comments =
      tree_.Copy(absl::MakeConstSpan(tokens_.TakeComments()));
  return module;
}

bool StatementParser::ParseStatements(std::vector<const Stmt*>* statements) {
  if (!StartsCompound(tokens_.current().kind)) {
    return ParseSimpleLine(statements);
  }
  const TextRange begin = tokens_.current().span;
  Stmt* const statement = ParseCompound();
  if (statement == nullptr) return false;
  statement->span = tokens_.SpanFrom(begin);
  statements->push_back(statement);
  return true;
}

bool StatementParser::ParseSimpleLine(std::vector<const Stmt*>* statements) {
  Stmt* first = nullptr;
  do {
    const TextRange begin = tokens_.current().span;
    Stmt* const statement = ParseSimple();
    if (statement == nullptr) return false;
    statement->span = tokens_.SpanFrom(begin);
    statements->push_back(statement);
    if (first == nullptr) first = statement;
  } while (tokens_.TryTake(TokenKind::kSemicolon) &&
           !tokens_.At(TokenKind::kNewline));
  first->comments = tree_.Copy(absl::MakeConstSpan(tokens_.TakeComments()));
  return tokens_.Expect(TokenKind::kNewline, "the end of the line");
}

Stmt* StatementParser::ParseSimple() {
  switch (tokens_.current().kind) {
    case TokenKind::kImport:
      return ParseImport();
    case TokenKind::kReturn:
      return ParseReturn();
    case TokenKind::kPass:
      return ParseWord<Pass>();
    case TokenKind::kBreak:
      return ParseWord<Break>();
    case TokenKind::kContinue:
      return ParseWord<Continue>();
    case TokenKind::kIndent:
      tokens_.Fail(kIndentationRule, tokens_.current().span,
                   "this line is indented although no block starts here");
      return nullptr;
    default:
      return ParseExprOrAssign();
  }
}

template <typename T>
Stmt* StatementParser::ParseWord() {
  tokens_.Take();
  return tree_.New<T>();
}

Stmt* StatementParser::ParseImport() {
  tokens_.Take();
  std::vector<ImportItem> items;
  do {
    items.emplace_back();
    if (!ParseImportItem(&items.back())) return nullptr;
  } while (tokens_.TryTake(TokenKind::kComma));
  Import* const import = tree_.New<Import>();
  import->items = tree_.Copy(absl::MakeConstSpan(items));
  return import;
}

bool StatementParser::ParseImportItem(ImportItem* item) {
  const TextRange begin = tokens_.current().span;
  std::string module;
  do {
    const Name* const part = expressions_.ParseName("a module's name");
    if (part == nullptr) return false;
    absl::StrAppend(&module, module.empty() ? "" : ".", part->name);
  } while (tokens_.TryTake(TokenKind::kDot));
  item->module = tree_.CopyString(module);
  if (tokens_.TryTake(TokenKind::kAs)) {
    const Name* const alias = expressions_.ParseName("a name after 'as'");
    if (alias == nullptr) return false;
    item->alias = alias->name;
  }
  item->span = tokens_.SpanFrom(begin);
  return true;
}

Stmt* StatementParser::ParseReturn() {
  tokens_.Take();
  Return* const statement = tree_.New<Return>();
  if (expressions_.AtExpr()) {
    statement->value = expressions_.ParseExprList();
    if (statement->value == nullptr) return nullptr;
  }
  return statement;
}

Stmt* StatementParser::ParseExprOrAssign() {
  if (!expressions_.AtExpr()) {
    tokens_.FailExpected("a statement");
    return nullptr;
  }
  const Expr* const expr = expressions_.ParseExprList();
  if (expr == nullptr) return nullptr;
  if (tokens_.At(TokenKind::kAssign)) return ParseAssign(expr);
  if (tokens_.At(TokenKind::kColon)) return ParseAnnAssign(expr);
  ExprStmt* const statement = tree_.New<ExprStmt>();
  statement->value = expr;
  return statement;
}

Stmt* StatementParser::ParseAssign(const Expr* target) {
  if (target->As<Subscript>() == nullptr && !CheckTarget(*target)) {
    return nullptr;
  }
  tokens_.Take();
  Assign* const statement = tree_.New<Assign>();
  statement->target = target;
  statement->value = expressions_.ParseExprList();
  if (statement->value == nullptr) return nullptr;
  if (tokens_.At(TokenKind::kAssign)) {
    tokens_.FailUnsupported("a second '=' on a line");
    return nullptr;
  }
  return statement;
}

Stmt* StatementParser::ParseAnnAssign(const Expr* target) {
  const Name* const name = target->As<Name>();
  if (name == nullptr) {
    tokens_.Fail(kTargetRule, target->span,
                 "only a single name can have a type");
    return nullptr;
  }
  tokens_.Take();
  AnnAssign* const statement = tree_.New<AnnAssign>();
  statement->target = name;
  if (!ParseAnnotation(statement) ||
      !tokens_.Expect(TokenKind::kAssign, "'=' and a value")) {
    return nullptr;
  }
  statement->value = expressions_.ParseExprList();
  return statement->value == nullptr ? nullptr : statement;
}

// Programs state the same few types again and again. One that names nothing
// means the same everywhere, so its text is parsed once.
bool StatementParser::ParseAnnotation(AnnAssign* statement) {
  const Token first = tokens_.current();
  const absl::string_view rest = tokens_.RestOfFile();
  for (const KnownAnnotation& known : annotations_) {
    const bool here = absl::StartsWith(rest, known.text) &&
                      absl::StartsWith(rest.substr(known.text.size()), " =");
    if (!here) continue;
    tokens_.TakeText(rest.substr(0, known.text.size()));
    statement->annotation = known.expr;
    statement->annotation_names_nothing = true;
    statement->annotation_span = tokens_.SpanFrom(first.span);
    return true;
  }
  statement->annotation = expressions_.ParseExpr();
  if (statement->annotation == nullptr) return false;
  statement->annotation_span = tokens_.SpanFrom(first.span);
  const absl::string_view text =
      rest.substr(0, tokens_.last_end() - rest.data());
  const bool one_line =
      statement->annotation_span.line == statement->annotation_span.end_line;
  if (one_line && NamesNothing(text)) {
    statement->annotation_names_nothing = true;
    if (annotations_.size() == kMaxAnnotations) annotations_.clear();
    annotations_.push_back({text, statement->annotation});
  }
  return true;
}

Stmt* StatementParser::ParseCompound() {
  switch (tokens_.current().kind) {
    case TokenKind::kIf:
      return ParseIf();
    case TokenKind::kFor:
      return ParseFor();
    case TokenKind::kWhile:
      return ParseWhile();
    case TokenKind::kWith:
      return ParseWith();
    default:
      return ParseDecorated();
  }
}

// At `if` or `elif`.
Stmt* StatementParser::ParseIf() {
  tokens_.Take();
  If* const statement = tree_.New<If>();
  statement->condition = expressions_.ParseExpr();
  if (statement->condition == nullptr ||
      !ParseBlock(statement, &statement->body) || !ParseElse(statement)) {
    return nullptr;
  }
  return statement;
}

bool StatementParser::ParseElse(If* parent) {
  if (tokens_.TryTake(TokenKind::kElse)) {
    return ParseBlock(nullptr, &parent->else_body);
  }
  if (!tokens_.At(TokenKind::kElif)) return true;
  const BlockNesting nesting(&block_depth_);
  const TextRange begin = tokens_.current().span;
  Stmt* const nested = ParseIf();
  if (nested == nullptr) return false;
  nested->span = tokens_.SpanFrom(begin);
  parent->else_body = tree_.Copy(absl::Span<const Stmt* const>({nested}));
  return true;
}

Stmt* StatementParser::ParseFor() {
  tokens_.Take();
  For* const statement = tree_.New<For>();
  if (!expressions_.AtExpr()) {
    tokens_.Fail(kExpectedRule, tokens_.current().span,
                 absl::StrCat("expected a name after 'for', found ",
                              DescribeToken(tokens_.current())));
    return nullptr;
  }
  statement->target = expressions_.ParseExprList();
  if (statement->target == nullptr || !CheckTarget(*statement->target) ||
      !tokens_.Expect(TokenKind::kIn, "'in'")) {
    return nullptr;
  }
  statement->iterator = expressions_.ParseExprList();
  if (statement->iterator == nullptr ||
      !ParseBlock(statement, &statement->body) || !CheckNoElse()) {
    return nullptr;
  }
  return statement;
}

Stmt* StatementParser::ParseWhile() {
  tokens_.Take();
  While* const statement = tree_.New<While>();
  statement->condition = expressions_.ParseExpr();
  if (statement->condition == nullptr ||
      !ParseBlock(statement, &statement->body) || !CheckNoElse()) {
    return nullptr;
  }
  return statement;
}

bool StatementParser::CheckNoElse() {
  if (!tokens_.At(TokenKind::kElse)) return true;
  tokens_.FailUnsupported("'else' of a loop");
  return false;
}

Stmt* StatementParser::ParseWith() {
  tokens_.Take();
  std::vector<WithItem> items;
  do {
    items.emplace_back();
    if (!ParseWithItem(&items.back())) return nullptr;
  } while (tokens_.TryTake(TokenKind::kComma));
  With* const statement = tree_.New<With>();
  statement->items = tree_.Copy(absl::MakeConstSpan(items));
  return ParseBlock(statement, &statement->body) ? statement : nullptr;
}

bool StatementParser::ParseWithItem(WithItem* item) {
  item->context = expressions_.ParseExpr();
  if (item->context == nullptr) return false;
  if (!tokens_.TryTake(TokenKind::kAs)) return true;
  item->target = expressions_.ParseName("a name after 'as'");
  return item->target != nullptr;
}

Stmt* StatementParser::ParseDecorated() {
  std::vector<const Expr*> decorators;
  while (tokens_.TryTake(TokenKind::kAt)) {
    decorators.push_back(expressions_.ParseExpr());
    if (decorators.back() == nullptr ||
        !tokens_.Expect(TokenKind::kNewline, "the end of the line")) {
      return nullptr;
    }
  }
  if (tokens_.At(TokenKind::kDef)) return ParseFunctionDef(decorators);
  if (tokens_.At(TokenKind::kClass)) return ParseClassDef(decorators);
  tokens_.Fail(
      kExpectedRule, tokens_.current().span,
      absl::StrCat("expected 'def' or 'class' after a decorator, found ",
                   DescribeToken(tokens_.current())));
  return nullptr;
}

Stmt* StatementParser::ParseFunctionDef(
    absl::Span<const Expr* const> decorators) {
  tokens_.Take();
  FunctionDef* const function = tree_.New<FunctionDef>();
  function->decorators = tree_.Copy(decorators);
  function->name = expressions_.ParseName("the function's name");
  if (function->name == nullptr || !ParseParams(function)) return nullptr;
  if (tokens_.TryTake(TokenKind::kArrow)) {
    function->returns = expressions_.ParseExpr();
    if (function->returns == nullptr) return nullptr;
  }
  return ParseBlock(function, &function->body) ? function : nullptr;
}

bool StatementParser::ParseParams(FunctionDef* function) {
  const Token open = tokens_.current();
  if (!tokens_.Expect(TokenKind::kLeftParen, "'(' and the parameters")) {
    return false;
  }
  std::vector<Param> params;
  absl::flat_hash_set<absl::string_view> names;
  while (!tokens_.At(TokenKind::kRightParen)) {
    params.emplace_back();
    if (!ParseParam(&params.back())) return false;
    const Name& name = *params.back().name;
    if (!names.insert(name.name).second) {
      tokens_.Fail(kArgumentRule, name.span,
                   "another parameter has this name already");
      return false;
    }
    if (!tokens_.TryTake(TokenKind::kComma)) break;
  }
  function->params = tree_.Copy(absl::MakeConstSpan(params));
  return tokens_.ExpectClosing(open, "',' or ");
}

bool StatementParser::ParseParam(Param* param) {
  const Token& first = tokens_.current();
  if (first.kind == TokenKind::kStar || first.kind == TokenKind::kDoubleStar ||
      first.kind == TokenKind::kSlash) {
    tokens_.FailUnsupported(absl::StrCat("'", first.text, "' in parameters"));
    return false;
  }
  param->name = expressions_.ParseName("a parameter's name");
  if (param->name == nullptr) return false;
  if (tokens_.TryTake(TokenKind::kColon)) {
    param->annotation = expressions_.ParseExpr();
    if (param->annotation == nullptr) return false;
  }
  if (!tokens_.At(TokenKind::kAssign)) return true;
  tokens_.FailUnsupported("a parameter's default");
  return false;
}

Stmt* StatementParser::ParseClassDef(absl::Span<const Expr* const> decorators) {
  tokens_.Take();
  ClassDef* const statement = tree_.New<ClassDef>();
  statement->decorators = tree_.Copy(decorators);
  statement->name = expressions_.ParseName("the class's name");
  if (statement->name == nullptr) return nullptr;
  const Token open = tokens_.current();
  if (tokens_.TryTake(TokenKind::kLeftParen)) {
    if (expressions_.AtExpr()) {
      tokens_.FailUnsupported("a base class");
      return nullptr;
    }
    if (!tokens_.ExpectClosing(open, "")) return nullptr;
  }
  return ParseBlock(statement, &statement->body) ? statement : nullptr;
}

bool StatementParser::ParseBlock(Stmt* header, Block* block) {
  const TextRange colon = tokens_.current().span;
  if (!tokens_.Expect(TokenKind::kColon, "':'")) return false;
  const BlockNesting nesting(&block_depth_);
  if (nesting.too_deep()) {
    tokens_.Fail(kNestingRule, colon,
                 absl::StrCat("this block is nested too deep, the limit is ",
                              kMaxBlockNesting, " levels"));
    return false;
  }
  if (header != nullptr) {
    header->comments = tree_.Copy(absl::MakeConstSpan(tokens_.TakeComments()));
  }
  std::vector<const Stmt*> statements;
  const bool parsed = tokens_.TryTake(TokenKind::kNewline)
                          ? ParseIndentedLines(&statements)
                          : ParseSimpleLine(&statements);
  *block = tree_.Copy(absl::MakeConstSpan(statements));
  return parsed;
}

bool StatementParser::ParseIndentedLines(std::vector<const Stmt*>* statements) {
  if (!tokens_.TryTake(TokenKind::kIndent)) {
    tokens_.Fail(kIndentationRule, tokens_.current().span,
                 absl::StrCat("expected an indented block, found ",
                              DescribeToken(tokens_.current())));
    return false;
  }
  while (!tokens_.TryTake(TokenKind::kDedent)) {
    if (!ParseStatements(statements)) return false;
  }
  return true;
}

bool StatementParser::CheckTarget(const Expr& target) {
  if (target.As<Name>() != nullptr) return true;
  const Tuple* const tuple = target.As<Tuple>();
  if (tuple == nullptr || tuple->elements.empty()) {
    return FailTarget(target.span);
  }
  for (const Expr* element : tuple->elements) {
    if (!CheckTarget(*element)) return false;
  }
  return true;
}

bool StatementParser::FailTarget(const TextRange& span) {
  tokens_.Fail(kTargetRule, span,
               "only names, with commas between them, can be assigned to");
  return false;
}

}  // namespace mxtile::ir::text
