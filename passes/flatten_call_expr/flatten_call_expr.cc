#include "passes/flatten_call_expr/flatten_call_expr.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"

namespace mxtile {
namespace {

using ir::DynCast;
using ir::Expr;
using ir::Isa;
using ir::Stmt;

bool IsCall(const Expr* expr) {
  return Isa<ir::Call>(expr) || Isa<ir::Submit>(expr);
}

bool HasCall(const Expr* root) {
  bool found = false;
  ir::PostOrder(root, [&](const Expr* expr) { found = found || IsCall(expr); });
  return found;
}

// Whether one of the operands, at any depth, is a call.
bool HasNestedCall(const Expr* root) {
  bool found = false;
  ir::PostOrder(root, [&](const Expr* expr) {
    found = found || (expr != root && IsCall(expr));
  });
  return found;
}

// ---- Conditions of while loops

bool IsIterArgOf(const ir::While& loop, const Expr* expr) {
  return std::find(loop.iter_args.begin(), loop.iter_args.end(), expr) !=
         loop.iter_args.end();
}

bool IsSameEachRound(const Expr* call, const ir::While& loop) {
  const ir::OpDef* def = OpDefOf(call);
  if (def == nullptr || def->has_effect) return false;
  bool same = true;
  ir::PostOrder(call, [&](const Expr* expr) {
    same = same && Isa<ir::ScalarType>(expr->type) && !IsIterArgOf(loop, expr);
  });
  return same;
}

void CheckCondition(const ir::While& loop, ir::DiagnosticSink* sink) {
  ir::PostOrder(loop.condition, [&](const Expr* expr) {
    if (!IsCall(expr) || IsSameEachRound(expr, loop)) return;
    sink->Error("MX-FLATTEN-1", PlaceOf(*expr, loop),
                absl::StrCat("the condition of a while loop calls ",
                             ir::PrintExpr(expr),
                             ", which may give another value in each round; "
                             "assign it in front of the loop and at the end of "
                             "its body, and carry it"));
  });
}

absl::Status CheckProgram(const ir::Program& program,
                          ir::DiagnosticSink* sink) {
  for (const ir::Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&](const Stmt* stmt) {
      const auto* loop = DynCast<ir::While>(stmt);
      if (loop != nullptr) CheckCondition(*loop, sink);
    });
  }
  return sink->ToStatus();
}

// ---- Rewrite

// Whether the statement runs its own expressions before anything inside of it
// and has calls in them that must come out.
bool HasCallsToMove(const Stmt& stmt) {
  const bool is_whole = Isa<ir::Assign>(&stmt) || Isa<ir::Eval>(&stmt);
  bool found = false;
  ir::ForEachRootExpr(stmt, [&](const Expr* root) {
    found = found || (is_whole ? HasNestedCall(root) : HasCall(root));
  });
  return found;
}

class CallFlattener : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    next_temporary_ = 0;
    return Rewriter::RewriteFunction(function);
  }

 protected:
  const Expr* RewriteNode(const Expr* node) override {
    if (!flattening_ || !IsCall(node)) return node;
    const ir::Var* var = context().NewVar(
        absl::StrCat("t__tmp_v", next_temporary_++), node->type, node->span);
    ir::Assign assign;
    assign.kind = ir::StmtKind::kAssign;
    assign.span = node->span;
    assign.var = var;
    assign.value = node;
    pending_.push_back(assign);
    return var;
  }

  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    if (!HasCallsToMove(*stmt)) return Rewriter::RewriteStmt(stmt, out);
    const Stmt* flat = Flattened(stmt);
    for (const ir::Assign& assign : std::exchange(pending_, {})) {
      out->push_back(context().New(assign));
    }
    Rewriter::RewriteStmt(flat, out);
  }

 private:
  // The expression without calls; these wait in `pending_`.
  const Expr* Flat(const Expr* expr) {
    flattening_ = true;
    const Expr* result = RewriteExpr(expr);
    flattening_ = false;
    return result;
  }
  ir::Exprs Flat(ir::Exprs exprs) {
    std::vector<const Expr*> result;
    for (const Expr* expr : exprs) result.push_back(Flat(expr));
    return context().List(result);
  }
  ir::Attrs Flat(ir::Attrs attrs) {
    flattening_ = true;
    attrs = RewriteAttrs(attrs);
    flattening_ = false;
    return attrs;
  }
  // The same, but it may be a call itself.
  const Expr* FlatOperands(const Expr* expr) {
    const Expr* result = Flat(expr);
    if (!IsCall(expr)) return result;
    --next_temporary_;
    const Expr* call = pending_.back().value;
    pending_.pop_back();
    return call;
  }

  template <typename Loop>
  void FlattenInits(Loop* loop) {
    std::vector<const ir::IterArg*> args;
    for (const ir::IterArg* arg : loop->iter_args) {
      const Expr* init = Flat(arg->init);
      args.push_back(arg);
      if (init == arg->init) continue;
      args.back() = context().NewIterArg(arg->name, arg->type, init, arg->span);
      Substitute(arg, args.back());
    }
    loop->iter_args = context().List(args);
  }

  // The statement with its own expressions flat; what is inside of it is left.
  const Stmt* Flattened(const Stmt* stmt) {
    if (const auto* assign = DynCast<ir::Assign>(stmt)) {
      ir::Assign copy = *assign;
      copy.value = FlatOperands(copy.value);
      return context().New(copy);
    }
    if (const auto* eval = DynCast<ir::Eval>(stmt)) {
      ir::Eval copy = *eval;
      copy.expr = FlatOperands(copy.expr);
      return context().New(copy);
    }
    if (const auto* branch = DynCast<ir::If>(stmt)) {
      ir::If copy = *branch;
      copy.condition = Flat(copy.condition);
      return context().New(copy);
    }
    if (const auto* loop = DynCast<ir::For>(stmt)) {
      ir::For copy = *loop;
      copy.start = Flat(copy.start);
      copy.stop = Flat(copy.stop);
      copy.step = Flat(copy.step);
      copy.attrs = Flat(copy.attrs);
      FlattenInits(&copy);
      return context().New(copy);
    }
    if (const auto* loop = DynCast<ir::While>(stmt)) {
      ir::While copy = *loop;
      FlattenInits(&copy);
      copy.condition = Flat(copy.condition);
      return context().New(copy);
    }
    if (const auto* yield = DynCast<ir::Yield>(stmt)) {
      ir::Yield copy = *yield;
      copy.values = Flat(copy.values);
      return context().New(copy);
    }
    if (const auto* ret = DynCast<ir::Return>(stmt)) {
      ir::Return copy = *ret;
      copy.values = Flat(copy.values);
      return context().New(copy);
    }
    ir::Scope copy = *ir::CheckedCast<ir::Scope>(stmt);
    copy.args = Flat(copy.args);
    return context().New(copy);
  }

  bool flattening_ = false;
  int next_temporary_ = 0;
  std::vector<ir::Assign> pending_;
};

}  // namespace

absl::StatusOr<const ir::Program*> FlattenCallExpr::Run(
    const ir::Program* program, PassContext& context) const {
  MX_RETURN_IF_ERROR(CheckProgram(*program, context.sink));
  return CallFlattener(context.ir).RewriteProgram(program);
}

}  // namespace mxtile
