#ifndef IR_REWRITER_H_
#define IR_REWRITER_H_

// Rebuilds programs, sharing what does not change: when nothing changes, the
// same pointer comes back.
//
//   class Doubler : public Rewriter {
//    protected:
//     const Expr* RewriteNode(const Expr* node) override {
//       const ConstInt* c = AsConstInt(node);
//       return c != nullptr ? context().Index(2 * c->value) : node;
//     }
//   };
//   const Program* after = Doubler(&context).RewriteProgram(before);
//
// Replacing a variable: when RewriteType changes a variable's type, its
// definition gets a fresh variable and all later uses follow, also those inside
// attributes and types. Substitute() replaces uses by hand.

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::ir {

class Rewriter {
 public:
  explicit Rewriter(Context* context) : context_(context) {}
  virtual ~Rewriter() = default;

  const Program* RewriteProgram(const Program* program);
  // Variables' replacements are forgotten between functions.
  virtual const Function* RewriteFunction(const Function* function);

 protected:
  Context& context() { return *context_; }

  // ---- Hooks

  // The replacement of a node whose operands and type have been rewritten
  // already. Called for every expression node, variables included, operands
  // first. Default: the node.
  virtual const Expr* RewriteNode(const Expr* node) { return node; }
  // The replacement of a type, asked for every type that variables, expressions
  // and signatures state. Default: variables inside dims follow their
  // replacements.
  virtual const Type* RewriteType(const Type* type);
  // Appends the replacement of a statement. Default: the statement with its
  // parts rewritten.
  virtual void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out);

  // ---- For overrides

  const Expr* RewriteExpr(const Expr* expr);
  Exprs RewriteExprs(Exprs exprs);
  // Virtual for rewriters that keep something by statement list.
  virtual Block RewriteBlock(Block block);
  // The statement with its parts rewritten, or itself when nothing changed.
  const Stmt* RewriteParts(const Stmt* stmt);
  // The variable that stands for `var` at its definition: itself, or a fresh
  // one when its type changed.
  const Var* DefineVar(const Var* var);
  // Uses of `from` that are rewritten after this become `to`.
  void Substitute(const Var* from, const Expr* to) { replaced_[from] = to; }
  Attrs RewriteAttrs(Attrs attrs);

 private:
  Dims RewriteDims(Dims dims);
  const MemRef* RewriteMemRef(const MemRef* memref);
  AttrValue RewriteAttrValue(const AttrValue& value);
  absl::Span<const IterArg* const> DefineIterArgs(
      absl::Span<const IterArg* const> args);
  Vars DefineVars(Vars vars);

  Context* context_;
  absl::flat_hash_map<const Var*, const Expr*> replaced_;
};

// The node with other operands (in the order of ForEachOperand) and type.
const Expr* WithOperands(Context* context, const Expr* expr, Exprs operands,
                         const Type* type);

}  // namespace mxtile::ir

#endif  // IR_REWRITER_H_
