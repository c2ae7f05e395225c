#include "tools/reduce/structure_reductions.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "ir/type_walk.h"

namespace mxtile {
namespace {

// The first item of each statement that has items.
using FirstItems = absl::flat_hash_map<const ir::Stmt*, int>;

// Numbers the items of all statements; `count_of` says how many one has.
template <typename CountOf>
int Number(const ir::Program* program, CountOf count_of, FirstItems* first) {
  int next = 0;
  for (const ir::Function* function : program->functions) {
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      const int count = count_of(*stmt);
      if (count > 0 && first != nullptr) first->emplace(stmt, next);
      next += count;
    });
  }
  return next;
}

// ---- Bodies

int BodiesOf(const ir::Stmt& stmt) {
  switch (stmt.kind) {
    case ir::StmtKind::kFor:
    case ir::StmtKind::kWhile:
    case ir::StmtKind::kScope:
      return 1;
    case ir::StmtKind::kIf:
      return 2;
    default:
      return 0;
  }
}

class Unwrapper : public ir::Rewriter {
 public:
  Unwrapper(ir::Context* context, ItemRange items, const FirstItems& first)
      : Rewriter(context), items_(items), first_(first) {}

 protected:
  void RewriteStmt(const ir::Stmt* stmt,
                   std::vector<const ir::Stmt*>* out) override {
    const auto it = first_.find(stmt);
    if (it != first_.end()) {
      for (int side = 0; side < BodiesOf(*stmt); ++side) {
        if (items_.Contains(it->second + side)) {
          return Unwrap(*stmt, side, out);
        }
      }
    }
    Rewriter::RewriteStmt(stmt, out);
  }

 private:
  void Unwrap(const ir::Stmt& stmt, int side,
              std::vector<const ir::Stmt*>* out) {
    if (const auto* loop = ir::DynCast<ir::For>(&stmt)) {
      Substitute(loop->loop_var, RewriteExpr(loop->start));
      Begin(loop->iter_args);
      Inline(loop->body, loop->return_vars, out);
    } else if (const auto* loop = ir::DynCast<ir::While>(&stmt)) {
      Begin(loop->iter_args);
      Inline(loop->body, loop->return_vars, out);
    } else if (const auto* branch = ir::DynCast<ir::If>(&stmt)) {
      Inline(side == 0 ? branch->then_body : branch->else_body,
             branch->return_vars, out);
    } else if (const auto* scope = ir::DynCast<ir::Scope>(&stmt)) {
      if (scope->index != nullptr) {
        Substitute(scope->index, context().Index(0));
      }
      Inline(scope->body, {}, out);
    }
  }

  void Begin(absl::Span<const ir::IterArg* const> iter_args) {
    for (const ir::IterArg* arg : iter_args) {
      Substitute(arg, RewriteExpr(arg->init));
    }
  }

  void Inline(ir::Block body, ir::Vars results,
              std::vector<const ir::Stmt*>* out) {
    for (const ir::Stmt* stmt : body) {
      const auto* yield = ir::DynCast<ir::Yield>(stmt);
      if (yield == nullptr) {
        RewriteStmt(stmt, out);
        continue;
      }
      for (size_t i = 0; i < results.size() && i < yield->values.size(); ++i) {
        Substitute(results[i], RewriteExpr(yield->values[i]));
      }
    }
  }

  ItemRange items_;
  const FirstItems& first_;
};

// ---- Carried values

absl::Span<const ir::IterArg* const> IterArgsOf(const ir::Stmt& stmt) {
  if (const auto* loop = ir::DynCast<ir::For>(&stmt)) return loop->iter_args;
  const auto* loop = ir::DynCast<ir::While>(&stmt);
  return loop != nullptr ? loop->iter_args
                         : absl::Span<const ir::IterArg* const>();
}

int CarriedBy(const ir::Stmt& stmt) {
  return static_cast<int>(IterArgsOf(stmt).size());
}

class CarriedDropper : public ir::Rewriter {
 public:
  CarriedDropper(ir::Context* context, ItemRange items, const FirstItems& first)
      : Rewriter(context), items_(items), first_(first) {}

 protected:
  void RewriteStmt(const ir::Stmt* stmt,
                   std::vector<const ir::Stmt*>* out) override {
    const auto it = first_.find(stmt);
    if (it == first_.end()) return Rewriter::RewriteStmt(stmt, out);
    const ir::Stmt* less = stmt;
    if (const auto* loop = ir::DynCast<ir::For>(stmt)) {
      less = Without(*loop, it->second);
    } else if (const auto* loop = ir::DynCast<ir::While>(stmt)) {
      less = Without(*loop, it->second);
    }
    out->push_back(RewriteParts(less));
  }

 private:
  template <typename Loop>
  const ir::Stmt* Without(const Loop& loop, int first) {
    const ir::Yield* yield = ir::TrailingYield(loop.body);
    const size_t count = loop.iter_args.size();
    if (yield == nullptr || yield->values.size() != count ||
        loop.return_vars.size() != count) {
      return &loop;
    }
    std::vector<const ir::IterArg*> args;
    std::vector<const ir::Var*> results;
    std::vector<const ir::Expr*> values;
    for (size_t i = 0; i < count; ++i) {
      if (items_.Contains(first + static_cast<int>(i))) {
        const ir::Expr* init = RewriteExpr(loop.iter_args[i]->init);
        Substitute(loop.iter_args[i], init);
        Substitute(loop.return_vars[i], init);
        continue;
      }
      args.push_back(loop.iter_args[i]);
      results.push_back(loop.return_vars[i]);
      values.push_back(yield->values[i]);
    }
    if (args.size() == count) return &loop;
    std::vector<const ir::Stmt*> body(loop.body.begin(), loop.body.end());
    body.pop_back();
    if (!values.empty()) {
      ir::Yield less = *yield;
      less.values = context().List(values);
      body.push_back(context().New(less));
    }
    Loop copy = loop;
    copy.iter_args = context().List(args);
    copy.return_vars = context().List(results);
    copy.body = context().List(body);
    return context().New(copy);
  }

  ItemRange items_;
  const FirstItems& first_;
};

// ---- Returns

class ReturnDropper : public ir::Rewriter {
 public:
  ReturnDropper(ir::Context* context,
                absl::flat_hash_set<absl::string_view> functions)
      : Rewriter(context), functions_(std::move(functions)) {}

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    is_dropped_ = functions_.contains(function->name);
    const ir::Function* rewritten = Rewriter::RewriteFunction(function);
    if (!is_dropped_) return rewritten;
    ir::Function copy = *rewritten;
    copy.return_types = {};
    return context().New(copy);
  }

 protected:
  void RewriteStmt(const ir::Stmt* stmt,
                   std::vector<const ir::Stmt*>* out) override {
    if (is_dropped_ && stmt->kind == ir::StmtKind::kReturn) return;
    const auto* assign = ir::DynCast<ir::Assign>(stmt);
    const auto* call =
        assign == nullptr ? nullptr : ir::DynCast<ir::Call>(assign->value);
    if (call == nullptr || !call->callee->is_function ||
        !functions_.contains(call->callee->name)) {
      return Rewriter::RewriteStmt(stmt, out);
    }
    for (const ir::Expr* arg : call->args) {
      if (arg->type != assign->var->type) continue;
      Substitute(assign->var, RewriteExpr(arg));
      break;
    }
    ir::Call copy = *call;
    copy.type = context().GetMarkerType(ir::TypeKind::kUnknown);
    ir::Eval eval;
    eval.kind = ir::StmtKind::kEval;
    eval.span = stmt->span;
    eval.expr = RewriteExpr(context().New(copy));
    out->push_back(context().New(eval));
  }

 private:
  absl::flat_hash_set<absl::string_view> functions_;
  bool is_dropped_ = false;
};

// ---- Parameters

absl::flat_hash_set<const ir::Var*> UsedIn(const ir::Function& function) {
  absl::flat_hash_set<const ir::Var*> used;
  const auto use_all = [&used](const ir::Expr* root) {
    ir::PostOrder(root, [&used](const ir::Expr* expr) {
      if (const auto* var = ir::DynCast<ir::Var>(expr)) used.insert(var);
    });
  };
  const auto use_type = [&use_all](const ir::Type& type) {
    ir::ForEachDim(type, use_all);
  };
  for (const ir::Var* param : function.params) use_type(*param->type);
  for (const ir::Type* type : function.return_types) use_type(*type);
  ir::ForEachStmt(function.body, [&](const ir::Stmt* stmt) {
    ir::ForEachRootExpr(*stmt, use_all);
    ir::ForEachDefinition(*stmt,
                          [&](const ir::Var* var) { use_type(*var->type); });
  });
  return used;
}

class ParameterDropper : public ir::Rewriter {
 public:
  // Of each function the numbers of the parameters that stay.
  using Kept = absl::flat_hash_map<absl::string_view, std::vector<size_t>>;
  ParameterDropper(ir::Context* context, const Kept& kept)
      : Rewriter(context), kept_(kept) {}

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    const ir::Function* rewritten = Rewriter::RewriteFunction(function);
    const auto it = kept_.find(function->name);
    if (it == kept_.end()) return rewritten;
    ir::Function copy = *rewritten;
    std::vector<const ir::Var*> params;
    std::vector<ir::ParamDirection> directions;
    for (const size_t i : it->second) {
      params.push_back(rewritten->params[i]);
      directions.push_back(rewritten->directions[i]);
    }
    copy.params = context().List(params);
    copy.directions = context().List(directions);
    return context().New(copy);
  }

 protected:
  const ir::Expr* RewriteNode(const ir::Expr* node) override {
    if (const auto* call = ir::DynCast<ir::Call>(node)) {
      return Less(*call);
    }
    const auto* submit = ir::DynCast<ir::Submit>(node);
    return submit != nullptr ? Less(*submit) : node;
  }

 private:
  template <typename Call>
  const ir::Expr* Less(const Call& call) {
    const auto it = kept_.find(call.callee->name);
    if (it == kept_.end() || !call.callee->is_function) return &call;
    std::vector<const ir::Expr*> args;
    for (const size_t i : it->second) {
      // A Submit may leave out outputs, which are the last ones.
      if (i < call.args.size()) args.push_back(call.args[i]);
    }
    Call copy = call;
    copy.args = context().List(args);
    return context().New(copy);
  }

  const Kept& kept_;
};

}  // namespace

int CountBodies(const ir::Program* program, ir::Context*) {
  return Number(program, BodiesOf, nullptr);
}

const ir::Program* UnwrapBodies(const ir::Program* program, ItemRange items,
                                ir::Context* context) {
  FirstItems first;
  Number(program, BodiesOf, &first);
  return Unwrapper(context, items, first).RewriteProgram(program);
}

int CountCarried(const ir::Program* program, ir::Context*) {
  return Number(program, CarriedBy, nullptr);
}

const ir::Program* DropCarried(const ir::Program* program, ItemRange items,
                               ir::Context* context) {
  FirstItems first;
  Number(program, CarriedBy, &first);
  return CarriedDropper(context, items, first).RewriteProgram(program);
}

int CountReturns(const ir::Program* program, ir::Context*) {
  int count = 0;
  for (const ir::Function* function : program->functions) {
    count += function->return_types.empty() ? 0 : 1;
  }
  return count;
}

const ir::Program* DropReturns(const ir::Program* program, ItemRange items,
                               ir::Context* context) {
  absl::flat_hash_set<absl::string_view> functions;
  int item = 0;
  for (const ir::Function* function : program->functions) {
    if (function->return_types.empty()) continue;
    if (items.Contains(item++)) functions.insert(function->name);
  }
  return ReturnDropper(context, std::move(functions)).RewriteProgram(program);
}

int CountParameters(const ir::Program* program, ir::Context*) {
  int count = 0;
  for (const ir::Function* function : program->functions) {
    count += static_cast<int>(function->params.size());
  }
  return count;
}

const ir::Program* DropParameters(const ir::Program* program, ItemRange items,
                                  ir::Context* context) {
  ParameterDropper::Kept kept;
  int item = 0;
  for (const ir::Function* function : program->functions) {
    const absl::flat_hash_set<const ir::Var*> used = UsedIn(*function);
    std::vector<size_t> stay;
    for (size_t i = 0; i < function->params.size(); ++i) {
      if (!items.Contains(item++) || used.contains(function->params[i])) {
        stay.push_back(i);
      }
    }
    if (stay.size() < function->params.size()) kept[function->name] = stay;
  }
  return ParameterDropper(context, kept).RewriteProgram(program);
}

}  // namespace mxtile
