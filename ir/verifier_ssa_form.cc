#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/var_table.h"
#include "ir/verifier.h"
#include "ir/verifier_walk.h"

namespace mxtile::ir {
namespace {

std::string Quote(const Var* var) { return absl::StrCat("'", var->name, "'"); }

class SsaChecker {
 public:
  SsaChecker(const Program& program, DiagnosticSink* sink)
      : program_(program), sink_(sink) {}

  void CheckFunction(const Function& function) {
    function_ = &function;
    first_places_.clear();
    for (const Var* dim : program_.dynamic_dims) Define(dim, function.span);
    for (const Var* param : function.params) Define(param, param->span);
    CheckBlock(function.body, /*is_last=*/true, /*results=*/nullptr);
    for (const Var* var : defined_) states_[var] = State::kUndefined;
    defined_.clear();
    scope_.clear();
  }

 private:
  enum class State : uint8_t { kUndefined, kVisible, kOutOfScope };

  void Define(const Var* var, SourceSpan place) {
    walk_.InType(*var->type, [&](const Var* used) { CheckUse(used, place); });
    State& state = states_[var];
    const bool inside = state == State::kVisible;
    if (state == State::kUndefined) {
      defined_.push_back(var);
    } else {
      sink_
          ->Error(inside ? "MX-SSA-2" : "MX-SSA-1", place,
                  absl::StrCat(Quote(var),
                               inside ? " is defined again inside its scope"
                                      : " is assigned twice"))
          .AddNote(FirstPlace(var), "the first definition");
    }
    state = State::kVisible;
    // Where it is visible already, it stays so until its first scope ends.
    if (!inside) scope_.push_back(var);
  }

  // One that is not defined at all is UseAfterDef's to report.
  void CheckUse(const Var* var, SourceSpan place) {
    if (states_[var] != State::kOutOfScope) return;
    sink_
        ->Error("MX-SSA-6", place,
                absl::StrCat(Quote(var), " is used outside its scope"))
        .AddNote(FirstPlace(var), "defined here");
  }

  void CloseScope(size_t outer) {
    while (scope_.size() > outer) {
      states_[scope_.back()] = State::kOutOfScope;
      scope_.pop_back();
    }
  }

  // `results`: those of the statement whose body ends with this block if it
  // `is_last` there; null for a function's body.
  void CheckBlock(Block block, bool is_last, const Vars* results) {
    for (const Stmt* stmt : block) {
      CheckStmt(*stmt, is_last && stmt == block.back(), results);
    }
  }

  void CheckScope(Block block, const Vars& results) {
    const size_t outer = scope_.size();
    CheckBlock(block, /*is_last=*/true, &results);
    if (!results.empty() && YieldAtEnd(block) == nullptr) {
      sink_->Error("MX-SSA-3",
                   block.empty() ? results[0]->span : block.back()->span,
                   absl::StrCat("the body that computes ", Quote(results[0]),
                                " does not end in a yield"));
    }
    CloseScope(outer);
  }

  void CheckStmt(const Stmt& stmt, bool is_last, const Vars* results) {
    walk_.ForEachUse(stmt, [&](const Var* var, const Expr* root) {
      CheckUse(var, PlaceOf(root, stmt));
    });
    switch (stmt.kind) {
      case StmtKind::kAssign:
        return Define(static_cast<const Assign&>(stmt).var, stmt.span);
      case StmtKind::kYield:
        return CheckYield(static_cast<const Yield&>(stmt), is_last, results);
      case StmtKind::kFor: {
        const auto& loop = static_cast<const For&>(stmt);
        return CheckLoop(stmt, loop.loop_var, loop.iter_args, loop.body,
                         loop.return_vars);
      }
      case StmtKind::kWhile: {
        const auto& loop = static_cast<const While&>(stmt);
        return CheckLoop(stmt, nullptr, loop.iter_args, loop.body,
                         loop.return_vars);
      }
      case StmtKind::kIf: {
        const auto& branch = static_cast<const If&>(stmt);
        CheckScope(branch.then_body, branch.return_vars);
        CheckScope(branch.else_body, branch.return_vars);
        for (const Var* var : branch.return_vars) Define(var, stmt.span);
        return;
      }
      case StmtKind::kScope:
        return CheckTransparent(static_cast<const Scope&>(stmt), is_last,
                                results);
      default:
        return;
    }
  }

  // A scope's body is part of the block around it; only its index ends with it.
  void CheckTransparent(const Scope& scope, bool is_last, const Vars* results) {
    if (scope.index != nullptr) Define(scope.index, scope.span);
    CheckBlock(scope.body, is_last, results);
    if (scope.index != nullptr) states_[scope.index] = State::kOutOfScope;
    if (scope.task_id != nullptr) Define(scope.task_id, scope.span);
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
                 const Vars& results) {
    if (iter_args.size() != results.size()) {
      sink_->Error(
          "MX-SSA-4", stmt.span,
          absl::StrCat("the loop carries ", iter_args.size(),
                       " values and has ", results.size(), " results"));
    }
    const size_t outer = scope_.size();
    if (loop_var != nullptr) Define(loop_var, stmt.span);
    for (const IterArg* arg : iter_args) Define(arg, stmt.span);
    CheckScope(body, results);
    CloseScope(outer);
    for (const Var* var : results) Define(var, stmt.span);
  }

  // Where the function defines the variable first. Only errors ask, so that
  // the places of all variables are collected when the first one does.
  SourceSpan FirstPlace(const Var* var) {
    if (first_places_.empty()) {
      for (const Var* dim : program_.dynamic_dims) {
        first_places_.emplace(dim, function_->span);
      }
      for (const Var* param : function_->params) {
        first_places_.emplace(param, param->span);
      }
      CollectPlaces(function_->body);
    }
    return first_places_[var];
  }

  void CollectPlaces(Block block) {
    ForEachStmt(block, [this](const Stmt* stmt) {
      ForEachDefinition(*stmt, [&](const Var* var) {
        first_places_.emplace(var, stmt->span);
      });
    });
  }

  const Program& program_;
  DiagnosticSink* sink_;
  const Function* function_ = nullptr;
  VarTable<State> states_;
  UseWalk walk_;
  std::vector<const Var*> defined_;
  std::vector<const Var*> scope_;  // Visible variables, innermost last.
  absl::flat_hash_map<const Var*, SourceSpan> first_places_;
};

}  // namespace

void VerifySsaForm(const Program& program, DiagnosticSink* sink) {
  SsaChecker checker(program, sink);
  for (const Function* function : program.functions) {
    checker.CheckFunction(*function);
  }
}

}  // namespace mxtile::ir
