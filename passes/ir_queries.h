#ifndef PASSES_IR_QUERIES_H_
#define PASSES_IR_QUERIES_H_

// Small questions about IR that several passes ask.

#include <algorithm>
#include <vector>

#include "ir/context.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile {

inline bool IsTile(const ir::Expr* expr) {
  return ir::Isa<ir::TileType>(expr->type);
}

// The operator that the expression calls; null when it is no call of a known
// operator.
inline const ir::OpDef* OpDefOf(const ir::Expr* expr) {
  const ir::Call* call = ir::DynCast<ir::Call>(expr);
  return call != nullptr ? call->callee->def : nullptr;
}

// The operand whose buffer the call's result is; null when there is none.
inline const ir::Expr* AliasedArg(const ir::Expr* expr) {
  const ir::OpDef* def = OpDefOf(expr);
  if (def == nullptr || !def->result_aliases_arg.has_value()) return nullptr;
  const ir::Exprs args = ir::DynCast<ir::Call>(expr)->args;
  const int index = *def->result_aliases_arg;
  return index < args.size() ? args[index] : nullptr;
}

// The list that the argument is; null when it is none, or there is none.
inline const ir::Tuple* ListArg(const ir::Call& call, int index) {
  return index < call.args.size() ? ir::DynCast<ir::Tuple>(call.args[index])
                                  : nullptr;
}

// The expression that an assignment or an expression statement consists of;
// null for other statements.
inline const ir::Expr* WholeExpr(const ir::Stmt& stmt) {
  if (const auto* assign = ir::DynCast<ir::Assign>(&stmt)) {
    return assign->value;
  }
  const auto* eval = ir::DynCast<ir::Eval>(&stmt);
  return eval != nullptr ? eval->expr : nullptr;
}

// What the body of a loop or branch yields; empty when it yields nothing.
inline ir::Exprs YieldedBy(ir::Block body) {
  const ir::Yield* yield = ir::TrailingYield(body);
  return yield != nullptr ? yield->values : ir::Exprs();
}

// Where to point for an expression of the statement.
inline ir::SourceSpan PlaceOf(const ir::Expr& expr, const ir::Stmt& stmt) {
  return expr.span.known() ? expr.span : stmt.span;
}

// The program with these functions instead of its own; itself when they are
// its own.
inline const ir::Program* WithFunctions(
    const ir::Program* program,
    const std::vector<const ir::Function*>& functions, ir::Context* context) {
  if (std::equal(functions.begin(), functions.end(), program->functions.begin(),
                 program->functions.end())) {
    return program;
  }
  ir::Program copy = *program;
  copy.functions = context->List(functions);
  return context->New(copy);
}

}  // namespace mxtile

#endif  // PASSES_IR_QUERIES_H_
