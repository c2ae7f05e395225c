#ifndef IR_TEXT_EXPRESSION_PARSER_H_
#define IR_TEXT_EXPRESSION_PARSER_H_

// The expressions of ir/text/parser.h, where their grammar is described; not
// for other uses.

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/source_span.h"
#include "ir/text/syntax.h"
#include "ir/text/token.h"
#include "ir/text/token_stream.h"

namespace mxtile::ir::text {

// Each function starts at the current token, stops behind what it parsed, and
// returns null after a failure.
class ExpressionParser {
 public:
  // Both must outlive the parser.
  ExpressionParser(TokenStream* tokens, SyntaxTree* tree)
      : tokens_(*tokens), tree_(*tree) {}

  // Whether an expression may start at the current token.
  bool AtExpr() const;
  // One expression.
  const Expr* ParseExpr();
  // One, or a Tuple of several with commas between them.
  const Expr* ParseExprList();
  // A name that is being declared. `what` names it in an error.
  const Name* ParseName(absl::string_view what);

 private:
  // Operators of at least this precedence.
  const Expr* ParseBinary(int min_precedence);
  const Expr* ParseNot(int min_precedence);
  const Expr* ParseUnary();
  const Expr* ParseSmallestInt(const Token& minus);
  const Expr* ParsePower();
  const Expr* ParsePostfix();
  const Expr* TakeKnownCallee();
  void KeepCallee(const Expr* callee);
  const Expr* ParseAttribute(const Expr* value, const TextRange& begin);
  const Expr* ParseSubscript(const Expr* value, const TextRange& begin);
  const Expr* ParseIndex();
  const Expr* ParseIndexItem();
  const Expr* ParseCall(const Expr* callee, const TextRange& begin);
  const Expr* ParseAtom();
  const Expr* ParseInt();
  const Expr* ParseFloat();
  const Expr* ParseString();
  const Expr* ParseParenthesized();
  const Expr* ParseList();
  const Expr* ParseDict();

  struct Arguments {
    absl::InlinedVector<const Expr*, 8> positional;
    absl::InlinedVector<KeywordArgument, 4> keywords;
  };
  // Up to the closing bracket, which stays.
  bool ParseArguments(Arguments* arguments);
  bool ParseArgument(Arguments* arguments);
  bool CheckKeywords(absl::Span<const KeywordArgument> keywords);

  struct Elements {
    absl::InlinedVector<const Expr*, 8> nodes;
    bool ends_with_comma = false;
  };
  // Expressions with commas between them, up to what starts no expression.
  bool ParseElements(Elements* elements);
  // ParseElements, then the bracket that closes `open`.
  bool ParseBracketed(const Token& open, Elements* elements);
  // A Tuple or List of them.
  template <typename T>
  const Expr* MakeSequence(const TextRange& begin, const Elements& elements);

  // A node from `begin` to the last token, to be filled in.
  template <typename T>
  T* New(const TextRange& begin);
  // The finished node; null, after an error, when it is nested too deep.
  const Expr* Finish(Expr* node, int height);
  std::nullptr_t FailNesting(const TextRange& span);

  TokenStream& tokens_;
  SyntaxTree& tree_;
  int depth_ = 0;  // Of open brackets and operators.
  absl::flat_hash_map<absl::string_view, const Expr*> callees_;  // By spelling.
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_EXPRESSION_PARSER_H_
