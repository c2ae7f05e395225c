#ifndef PASSES_VARIABLE_RETYPER_H_
#define PASSES_VARIABLE_RETYPER_H_

// A rewriter that gives variables other types, one variable at a time.
// (ir::Rewriter by itself changes types whoever has them.)
//
//   class ToVec : public VariableRetyper {
//    protected:
//     const ir::Type* TypeOf(const ir::Var* var) override { ... }
//   };
//
// A variable that the body defines with another type becomes a fresh variable,
// and its uses follow. The value assigned to it changes with it, so that both
// sides of the assignment keep one type. Parameters are left alone.

#include <vector>

#include "ir/expr.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile {

class VariableRetyper : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  // The type that the variable shall have, in the terms of the rewritten
  // program; its own for no change.
  virtual const ir::Type* TypeOf(const ir::Var* var) = 0;
  // The rewritten initial value.
  virtual const ir::Expr* InitOf(const ir::IterArg* arg) {
    return RewriteExpr(arg->init);
  }

  // Overrides may hand on a statement that they have edited.
  void RewriteStmt(const ir::Stmt* stmt,
                   std::vector<const ir::Stmt*>* out) override;

 private:
  // The statement, with what RewriteParts cannot know already changed.
  const ir::Stmt* Prepared(const ir::Stmt* stmt);
  const ir::Stmt* PreparedAssign(const ir::Assign& assign);
  template <typename Loop>
  const ir::Stmt* PreparedLoop(const Loop& loop);
  void Redefine(const ir::Var* var);
};

}  // namespace mxtile

#endif  // PASSES_VARIABLE_RETYPER_H_
