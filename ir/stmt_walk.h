#ifndef IR_STMT_WALK_H_
#define IR_STMT_WALK_H_

// Walks over statements, in program order.
//
//   ForEachStmt(function.body, [&](const Stmt* s) { ... });
//   ForEachDefinition(*stmt, [&](const Var* var) { ... });
//   ForEachRootExpr(*stmt, [&](const Expr* e) { PostOrder(e, ...); });
//
// Recursion follows the nesting of blocks only, which readers limit.

#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/stmt.h"

namespace mxtile::ir {

// Calls fn(block) for each body of the statement itself.
template <typename Fn>
void ForEachBlock(const Stmt& stmt, Fn&& fn) {
  if (const If* branch = DynCast<If>(&stmt)) {
    fn(branch->then_body);
    fn(branch->else_body);
  } else if (const For* loop = DynCast<For>(&stmt)) {
    fn(loop->body);
  } else if (const While* loop = DynCast<While>(&stmt)) {
    fn(loop->body);
  } else if (const Scope* scope = DynCast<Scope>(&stmt)) {
    fn(scope->body);
  }
}

// Calls fn(stmt) for each statement, outer ones before those inside them.
template <typename Fn>
void ForEachStmt(Block block, Fn&& fn) {
  for (const Stmt* stmt : block) {
    fn(stmt);
    ForEachBlock(*stmt, [&fn](Block body) { ForEachStmt(body, fn); });
  }
}

// Calls fn(expr) for each expression that the statement itself holds, loop
// bounds and initial values included, statements inside it excluded.
template <typename Fn>
void ForEachRootExpr(const Stmt& stmt, Fn&& fn) {
  switch (stmt.kind) {
    case StmtKind::kAssign:
      return fn(static_cast<const Assign&>(stmt).value);
    case StmtKind::kEval:
      return fn(static_cast<const Eval&>(stmt).expr);
    case StmtKind::kIf:
      return fn(static_cast<const If&>(stmt).condition);
    case StmtKind::kFor: {
      const auto& loop = static_cast<const For&>(stmt);
      fn(loop.start);
      fn(loop.stop);
      fn(loop.step);
      for (const IterArg* arg : loop.iter_args) fn(arg->init);
      for (const Attr& attr : loop.attrs) ForEachExprIn(attr.value, fn);
      return;
    }
    case StmtKind::kWhile: {
      const auto& loop = static_cast<const While&>(stmt);
      for (const IterArg* arg : loop.iter_args) fn(arg->init);
      return fn(loop.condition);
    }
    case StmtKind::kYield:
      for (const Expr* e : static_cast<const Yield&>(stmt).values) fn(e);
      return;
    case StmtKind::kReturn:
      for (const Expr* e : static_cast<const Return&>(stmt).values) fn(e);
      return;
    case StmtKind::kScope:
      for (const Attr& attr : static_cast<const Scope&>(stmt).args) {
        ForEachExprIn(attr.value, fn);
      }
      return;
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      return;
  }
}

// Calls fn(var) for each variable that the statement itself defines: the
// assigned one; loop variable and iter args; a scope's index; result variables
// and task ids last.
template <typename Fn>
void ForEachDefinition(const Stmt& stmt, Fn&& fn) {
  Vars results;
  if (const Assign* assign = DynCast<Assign>(&stmt)) {
    fn(assign->var);
  } else if (const If* branch = DynCast<If>(&stmt)) {
    results = branch->return_vars;
  } else if (const For* loop = DynCast<For>(&stmt)) {
    fn(loop->loop_var);
    for (const IterArg* arg : loop->iter_args) fn(arg);
    results = loop->return_vars;
  } else if (const While* loop = DynCast<While>(&stmt)) {
    for (const IterArg* arg : loop->iter_args) fn(arg);
    results = loop->return_vars;
  } else if (const Scope* scope = DynCast<Scope>(&stmt)) {
    if (scope->index != nullptr) fn(scope->index);
    if (scope->task_id != nullptr) fn(scope->task_id);
  }
  for (const Var* var : results) fn(var);
}

}  // namespace mxtile::ir

#endif  // IR_STMT_WALK_H_
