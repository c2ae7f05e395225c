#ifndef IR_TEXT_STATEMENT_PARSER_H_
#define IR_TEXT_STATEMENT_PARSER_H_

// The statements of ir/text/parser.h, where their grammar is described; not for
// other uses.

#include <vector>

#include "absl/types/span.h"
#include "ir/source_span.h"
#include "ir/text/expression_parser.h"
#include "ir/text/syntax.h"
#include "ir/text/token_stream.h"

namespace mxtile::ir::text {

// Each function starts at the current token, stops behind what it parsed, and
// returns null or false after a failure.
class StatementParser {
 public:
  // Both must outlive the parser.
  StatementParser(TokenStream* tokens, SyntaxTree* tree)
      : tokens_(*tokens), tree_(*tree), expressions_(tokens, tree) {}

  const Module* ParseModule();

 private:
  // A line of simple statements, or one statement with a block.
  bool ParseStatements(std::vector<const Stmt*>* statements);
  bool ParseSimpleLine(std::vector<const Stmt*>* statements);

  // These leave the span to their caller.
  Stmt* ParseSimple();
  Stmt* ParseImport();
  bool ParseImportItem(ImportItem* item);
  Stmt* ParseReturn();
  Stmt* ParseExprOrAssign();
  Stmt* ParseAssign(const Expr* target);
  Stmt* ParseAnnAssign(const Expr* target);
  bool ParseAnnotation(AnnAssign* statement);
  // A statement that is one keyword.
  template <typename T>
  Stmt* ParseWord();

  // These leave the span to their caller, the comments to ParseBlock.
  Stmt* ParseCompound();
  Stmt* ParseIf();
  bool ParseElse(If* parent);
  Stmt* ParseFor();
  Stmt* ParseWhile();
  Stmt* ParseWith();
  bool ParseWithItem(WithItem* item);
  Stmt* ParseDecorated();
  Stmt* ParseFunctionDef(absl::Span<const Expr* const> decorators);
  bool ParseParams(FunctionDef* function);
  bool ParseParam(Param* param);
  Stmt* ParseClassDef(absl::Span<const Expr* const> decorators);

  // From the `:` of a header to the end of its block. The comments so far go to
  // `header`; when that is null, to the first statement of the block.
  bool ParseBlock(Stmt* header, Block* block);
  bool ParseIndentedLines(std::vector<const Stmt*>* statements);
  bool CheckNoElse();

  // Whether the expression may stand left of `=` or behind `for`.
  bool CheckTarget(const Expr& target);
  bool FailTarget(const TextRange& span);

  struct KnownAnnotation {
    absl::string_view text;
    const Expr* expr;
  };
  // Looked through one by one.
  static constexpr size_t kMaxAnnotations = 16;

  TokenStream& tokens_;
  SyntaxTree& tree_;
  ExpressionParser expressions_;
  std::vector<KnownAnnotation> annotations_;
  int block_depth_ = 0;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_STATEMENT_PARSER_H_
