#include "ir/verifier.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type_walk.h"

namespace mxtile::ir {
namespace {

using VarSet = absl::flat_hash_set<const Var*>;

std::string Quote(const Var* var) { return absl::StrCat("'", var->name, "'"); }

// The place of an expression: its own, or that of the statement around it
// (constants and compiler-made nodes have none).
SourceSpan Place(const Expr* expr, const Stmt& stmt) {
  return expr->span.known() ? expr->span : stmt.span;
}

// Calls fn(var, place) for each variable that the statement itself uses, in its
// expressions and in the types of what it defines.
template <typename Fn>
void ForEachUse(const Stmt& stmt, Fn&& fn) {
  const auto in_expr = [&](const Expr* root) {
    PostOrder(root, [&](const Expr* expr) {
      if (const Var* var = DynCast<Var>(expr)) fn(var, Place(root, stmt));
    });
  };
  ForEachRootExpr(stmt, in_expr);
  if (const Assign* assign = DynCast<Assign>(&stmt)) {
    ForEachDim(*assign->var->type, in_expr);
  }
}

// ---- SSA form ---------------------------------------------------------------

class SsaChecker {
 public:
  explicit SsaChecker(DiagnosticSink* sink) : sink_(sink) {}

  void CheckFunction(const Program& program, const Function& function) {
    for (const Var* dim : program.dynamic_dims) Define(dim, function.span);
    for (const Var* param : function.params) Define(param, param->span);
    CheckBlock(function.body, /*results=*/nullptr);
  }

 private:
  void Define(const Var* var, SourceSpan place) {
    const auto [it, is_new] = defined_at_.emplace(var, place);
    if (!is_new) {
      const bool inside = visible_.contains(var);
      sink_
          ->Error(inside ? "MX-SSA-2" : "MX-SSA-1", place,
                  absl::StrCat(Quote(var),
                               inside ? " is defined again inside its scope"
                                      : " is assigned twice"))
          .AddNote(it->second, "the first definition");
    }
    visible_.insert(var);
    scope_.push_back(var);
  }

  // `results`: those of the statement whose body this is; null for a function's
  // body.
  void CheckBlock(Block block, const Vars* results) {
    const size_t outer = scope_.size();
    for (const Stmt* stmt : block) CheckStmt(*stmt, block, results);
    if (results != nullptr && !results->empty() &&
        TrailingYield(block) == nullptr) {
      const Var* first = (*results)[0];
      sink_->Error("MX-SSA-3", block.empty() ? first->span : block.back()->span,
                   absl::StrCat("the body that computes ", Quote(first),
                                " does not end in a yield"));
    }
    while (scope_.size() > outer) {
      visible_.erase(scope_.back());
      scope_.pop_back();
    }
  }

  void CheckStmt(const Stmt& stmt, Block block, const Vars* results) {
    ForEachUse(stmt, [this](const Var* var, SourceSpan place) {
      if (!visible_.contains(var) && defined_at_.contains(var)) {
        sink_
            ->Error("MX-SSA-6", place,
                    absl::StrCat(Quote(var), " is used outside its scope"))
            .AddNote(defined_at_[var], "defined here");
      }
    });
    if (const Yield* yield = DynCast<Yield>(&stmt)) {
      CheckYield(*yield, &stmt == block.back(), results);
    } else if (const For* loop = DynCast<For>(&stmt)) {
      CheckLoop(stmt, loop->loop_var, loop->iter_args, loop->body,
                loop->return_vars);
    } else if (const While* loop = DynCast<While>(&stmt)) {
      CheckLoop(stmt, nullptr, loop->iter_args, loop->body, loop->return_vars);
    } else if (const If* branch = DynCast<If>(&stmt)) {
      CheckBlock(branch->then_body, &branch->return_vars);
      if (!branch->else_body.empty() || !branch->return_vars.empty()) {
        CheckBlock(branch->else_body, &branch->return_vars);
      }
      for (const Var* var : branch->return_vars) Define(var, stmt.span);
    } else {
      ForEachDefinition(stmt, [&](const Var* var) { Define(var, stmt.span); });
    }
  }

  void CheckYield(const Yield& yield, bool is_last, const Vars* results) {
    if (results == nullptr || !is_last) {
      sink_->Error("MX-SSA-7", yield.span,
                   "a yield must be the last statement of a loop body or "
                   "branch");
    } else if (yield.values.size() != results->size()) {
      sink_->Error("MX-SSA-5", yield.span,
                   absl::StrCat("the yield has ", yield.values.size(),
                                " values for ", results->size(), " results"));
    }
  }

  void CheckLoop(const Stmt& stmt, const Var* loop_var,
                 absl::Span<const IterArg* const> iter_args, Block body,
                 Vars results) {
    if (iter_args.size() != results.size()) {
      sink_->Error(
          "MX-SSA-4", stmt.span,
          absl::StrCat("the loop carries ", iter_args.size(),
                       " values and has ", results.size(), " results"));
    }
    const size_t outer = scope_.size();
    if (loop_var != nullptr) Define(loop_var, stmt.span);
    for (const IterArg* arg : iter_args) Define(arg, stmt.span);
    CheckBlock(body, &results);
    while (scope_.size() > outer) {
      visible_.erase(scope_.back());
      scope_.pop_back();
    }
    for (const Var* var : results) Define(var, stmt.span);
  }

  DiagnosticSink* sink_;
  absl::flat_hash_map<const Var*, SourceSpan> defined_at_;
  VarSet visible_;
  std::vector<const Var*> scope_;  // Visible variables, innermost last.
};

// ---- Use after definition ---------------------------------------------------

class UseChecker {
 public:
  explicit UseChecker(DiagnosticSink* sink) : sink_(sink) {}

  void CheckFunction(const Program& program, const Function& function) {
    defined_.insert(program.dynamic_dims.begin(), program.dynamic_dims.end());
    defined_.insert(function.params.begin(), function.params.end());
    CheckBlock(function.body);
  }

 private:
  void CheckBlock(Block block) {
    for (const Stmt* stmt : block) CheckStmt(*stmt);
  }

  void CheckStmt(const Stmt& stmt) {
    // A while condition is evaluated with the iter args defined.
    if (const While* loop = DynCast<While>(&stmt)) {
      defined_.insert(loop->iter_args.begin(), loop->iter_args.end());
    }
    ForEachUse(stmt, [this](const Var* var, SourceSpan place) {
      if (defined_.contains(var)) return;
      sink_->Error("MX-DEF-1", place,
                   absl::StrCat(Quote(var), " is used before its definition"));
    });
    if (const If* branch = DynCast<If>(&stmt)) {
      CheckIf(*branch);
    } else if (const For* loop = DynCast<For>(&stmt)) {
      const VarSet before = defined_;
      defined_.insert(loop->loop_var);
      defined_.insert(loop->iter_args.begin(), loop->iter_args.end());
      CheckBlock(loop->body);
      defined_ = before;
    } else if (const While* loop = DynCast<While>(&stmt)) {
      const VarSet before = defined_;
      CheckBlock(loop->body);
      defined_ = before;
      for (const IterArg* arg : loop->iter_args) defined_.erase(arg);
    }
    DefineResults(stmt);
  }

  void DefineResults(const Stmt& stmt) {
    if (const Assign* assign = DynCast<Assign>(&stmt)) {
      defined_.insert(assign->var);
    }
    for (const Vars vars :
         {ResultsOf<If>(stmt), ResultsOf<For>(stmt), ResultsOf<While>(stmt)}) {
      defined_.insert(vars.begin(), vars.end());
    }
  }

  template <typename T>
  static Vars ResultsOf(const Stmt& stmt) {
    const T* node = DynCast<T>(&stmt);
    return node != nullptr ? node->return_vars : Vars();
  }

  void CheckIf(const If& branch) {
    const VarSet before = defined_;
    CheckBlock(branch.then_body);
    VarSet after_then = std::exchange(defined_, before);
    CheckBlock(branch.else_body);
    VarSet after_else = std::exchange(defined_, before);
    if (!branch.return_vars.empty()) return;
    for (const Var* var : after_then) {
      if (after_else.contains(var)) defined_.insert(var);
    }
  }

  DiagnosticSink* sink_;
  VarSet defined_;
};

template <typename Checker>
void CheckAll(const Program& program, DiagnosticSink* sink) {
  for (const Function* function : program.functions) {
    Checker(sink).CheckFunction(program, *function);
  }
}

}  // namespace

void VerifySsaForm(const Program& program, DiagnosticSink* sink) {
  CheckAll<SsaChecker>(program, sink);
}

void VerifyUseAfterDef(const Program& program, DiagnosticSink* sink) {
  CheckAll<UseChecker>(program, sink);
}

}  // namespace mxtile::ir
