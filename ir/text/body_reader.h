#ifndef IR_TEXT_BODY_READER_H_
#define IR_TEXT_BODY_READER_H_

// From the syntax of statements to IR statements.

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/context.h"
#include "ir/stmt.h"
#include "ir/text/expr_reader.h"
#include "ir/text/syntax.h"
#include "ir/text/type_reader.h"

namespace mxtile::ir::text {

// The comment without "# ", owned by the context.
absl::string_view CommentText(const Comment& comment, Context* context);

// The statement's first line: a diagnostic about a loop does not mean its body.
// `last`: where the line ends.
TextRange HeaderSpan(const Stmt& stmt, const Expr* last);

// The keyword argument of that name, or null.
const KeywordArgument* FindKeyword(const Call& call, absl::string_view name);

// In four files: statements and branches (body_reader.cc), assignments
// (assignment_reader.cc), loops (loop_reader.cc), scopes (scope_reader.cc).
class BodyReader {
 public:
  BodyReader(ExprReader* exprs, TypeReader* types)
      : exprs_(*exprs), types_(*types) {}

  // Parameters are bound in the scope already.
  absl::StatusOr<ir::Block> ReadFunctionBody(Block block);

 private:
  // What `a: T = pl.yield_(x)` defines behind the loop or if around it.
  struct YieldTarget {
    absl::string_view name;
    const Expr* annotation = nullptr;
    SourceSpan span;
  };
  struct Body {
    ir::Block block;
    std::vector<YieldTarget> targets;
  };
  struct LoopHeader {
    const Name* loop_var = nullptr;  // Null for pl.while_.
    absl::Span<const Expr* const> carried;
    const Call* call = nullptr;
    absl::string_view kind;  // "range", ..., "while_"
  };

  // Keeps the comments of a statement that leaves none in the IR for the next.
  void KeepComments(const Stmt& stmt);
  // The variable that a name stands for once it is assigned.
  absl::StatusOr<const Var*> Define(absl::string_view name, const Type* type,
                                    TextRange span);
  absl::StatusOr<const ir::Expr*> ReadCondition(const Expr* expr);
  absl::StatusOr<Body> ReadBlock(Block block);
  absl::Status ReadStmt(const Stmt& stmt, std::vector<const ir::Stmt*>* out,
                        std::vector<YieldTarget>* targets);
  absl::Status ReadAssignment(const Stmt& stmt,
                              std::vector<const ir::Stmt*>* out);
  absl::StatusOr<const Type*> ReadAnnotation(const AnnAssign& stmt);
  absl::Status ReadAnnotated(const AnnAssign& stmt,
                             std::vector<const ir::Stmt*>* out);
  // `a, b = value`
  absl::Status ReadUnpacking(const Assign& stmt, const Tuple& target,
                             std::vector<const ir::Stmt*>* out);
  absl::Status Unpack(const Tuple& target, const ir::Expr* value,
                      const Assign& stmt, std::vector<const ir::Stmt*>* out);
  // `a[0:16] = value`
  absl::Status ReadWindowWrite(const Assign& stmt, const Subscript& target,
                               std::vector<const ir::Stmt*>* out);
  // Appends `name = value`.
  absl::Status AppendAssign(const Stmt& stmt, const Name& name,
                            const ir::Expr* value,
                            std::vector<const ir::Stmt*>* out);
  absl::StatusOr<const ir::Stmt*> ReadYield(const Stmt& stmt, const Call& call,
                                            std::vector<YieldTarget>* targets);
  absl::StatusOr<const ir::Stmt*> ReadReturn(const Return& stmt);
  absl::StatusOr<const ir::Stmt*> ReadIf(const If& stmt);
  absl::Status CheckElse(const Body& then_body, const Body& else_body);
  absl::StatusOr<LoopHeader> ReadLoopHeader(const For& stmt);
  absl::StatusOr<const ir::Stmt*> ReadFor(const For& stmt);
  absl::StatusOr<const ir::Stmt*> ReadCountedLoop(const For& stmt,
                                                  const LoopHeader& header);
  absl::Status ReadRange(const Call& call, ir::For* loop);
  absl::Status ReadLoopAttrs(const Call& call, ir::For* loop);
  absl::Status CheckLoopKeywords(const Call& call,
                                 absl::Span<const absl::string_view> known);
  absl::StatusOr<const ir::Stmt*> ReadCarriedWhile(const For& stmt,
                                                   const LoopHeader& header);
  absl::StatusOr<const ir::Stmt*> ReadWhile(const While& stmt);
  absl::StatusOr<const ir::Stmt*> ReadWith(const With& stmt);
  absl::StatusOr<const ir::Stmt*> ReadScopeLoop(const For& stmt);
  absl::Status ReadScopeHeader(const Call& call, ir::Scope* scope);
  absl::StatusOr<absl::Span<const IterArg* const>> ReadIterArgs(
      const LoopHeader& header);
  // The type of a yielded value, completed by the target's annotation.
  absl::StatusOr<const Type*> ResultType(const YieldTarget& target,
                                         const Type* yielded);
  // The variables that hold what the block yields, bound in the scope.
  absl::StatusOr<Vars> ReadResults(const Body& body, size_t count,
                                   TextRange span);
  absl::StatusOr<Vars> ReadLoopResults(const Body& body, size_t count,
                                       TextRange span);
  const Call* AsPlCall(const Expr* expr, absl::string_view name) const;
  // The yield that a statement is, or null.
  const Call* AsYield(const Stmt& stmt) const;

  // A statement with place and comments of its syntax.
  template <typename Node>
  Node Start(ir::StmtKind kind, const Stmt& stmt, TextRange span) {
    Node node;
    node.kind = kind;
    Begin(stmt, span, &node);
    return node;
  }
  void Begin(const Stmt& stmt, TextRange span, ir::Stmt* node);

  ExprReader& exprs_;
  TypeReader& types_;
  std::vector<Comment> waiting_comments_;
  // Of annotations that name nothing.
  absl::flat_hash_map<const Expr*, const Type*> annotations_;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_BODY_READER_H_
