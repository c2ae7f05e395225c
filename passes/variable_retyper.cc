#include "passes/variable_retyper.h"

#include <vector>

#include "ir/context.h"
#include "ir/expr.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile {
namespace {

template <typename Node>
const ir::Expr* Retyped(const ir::Expr& expr, const ir::Type* type,
                        ir::Context& context) {
  Node copy = *ir::CheckedCast<Node>(&expr);
  copy.type = type;
  return context.New(copy);
}

// The expression with another type; variables and scalar arithmetic have their
// types from elsewhere and stay.
const ir::Expr* WithType(const ir::Expr& expr, const ir::Type* type,
                         ir::Context& context) {
  switch (expr.kind) {
    case ir::ExprKind::kCall:
      return Retyped<ir::Call>(expr, type, context);
    case ir::ExprKind::kSubmit:
      return Retyped<ir::Submit>(expr, type, context);
    case ir::ExprKind::kTupleItem:
      return Retyped<ir::TupleItem>(expr, type, context);
    default:
      return &expr;
  }
}

}  // namespace

void VariableRetyper::RewriteStmt(const ir::Stmt* stmt,
                                  std::vector<const ir::Stmt*>* out) {
  Rewriter::RewriteStmt(Prepared(stmt), out);
}

const ir::Stmt* VariableRetyper::Prepared(const ir::Stmt* stmt) {
  switch (stmt->kind) {
    case ir::StmtKind::kAssign:
      return PreparedAssign(*ir::CheckedCast<ir::Assign>(stmt));
    case ir::StmtKind::kIf:
      for (const ir::Var* var : ir::CheckedCast<ir::If>(stmt)->return_vars) {
        Redefine(var);
      }
      return stmt;
    case ir::StmtKind::kFor:
      return PreparedLoop(*ir::CheckedCast<ir::For>(stmt));
    case ir::StmtKind::kWhile:
      return PreparedLoop(*ir::CheckedCast<ir::While>(stmt));
    default:
      return stmt;
  }
}

const ir::Stmt* VariableRetyper::PreparedAssign(const ir::Assign& assign) {
  Redefine(assign.var);
  const ir::Type* type = TypeOf(assign.var);
  if (type == assign.var->type) return &assign;
  const ir::Expr* value = WithType(*assign.value, type, context());
  if (value == assign.value) return &assign;
  ir::Assign copy = assign;
  copy.value = value;
  return context().New(copy);
}

template <typename Loop>
const ir::Stmt* VariableRetyper::PreparedLoop(const Loop& loop) {
  std::vector<const ir::IterArg*> args;
  bool changed = false;
  for (const ir::IterArg* arg : loop.iter_args) {
    const ir::Type* type = TypeOf(arg);
    const ir::Expr* init = InitOf(arg);
    if (type == arg->type && init == arg->init) {
      args.push_back(arg);
      continue;
    }
    args.push_back(context().NewIterArg(arg->name, type, init, arg->span));
    Substitute(arg, args.back());
    changed = true;
  }
  for (const ir::Var* var : loop.return_vars) Redefine(var);
  if (!changed) return &loop;
  Loop copy = loop;
  copy.iter_args = context().List(args);
  return context().New(copy);
}

void VariableRetyper::Redefine(const ir::Var* var) {
  const ir::Type* type = TypeOf(var);
  if (type == var->type) return;
  Substitute(var, context().NewVar(var->name, type, var->span));
}

}  // namespace mxtile
