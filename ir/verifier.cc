#include "ir/verifier.h"

#include <algorithm>
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
#include "ir/text/printer.h"
#include "ir/type_walk.h"

namespace mxtile::ir {
namespace {

using VarSet = absl::flat_hash_set<const Var*>;

std::string Quote(const Var* var) { return absl::StrCat("'", var->name, "'"); }

// The place of an expression: its own, or that of the statement around it.
// Constants and compiler-made nodes have none; that of a variable is where it
// is defined.
SourceSpan Place(const Expr* expr, const Stmt& stmt) {
  return expr->span.known() && !Isa<Var>(expr) ? expr->span : stmt.span;
}

// Calls fn(var, place) for each variable that the statement's own expressions
// use.
template <typename Fn>
void ForEachUse(const Stmt& stmt, Fn&& fn) {
  ForEachRootExpr(stmt, [&](const Expr* root) {
    PostOrder(root, [&](const Expr* expr) {
      if (const Var* var = DynCast<Var>(expr)) fn(var, Place(root, stmt));
    });
  });
}

// Calls fn(var) for each variable that the type names.
template <typename Fn>
void ForEachUseInType(const Type& type, Fn&& fn) {
  ForEachDim(type, [&](const Expr* dim) {
    PostOrder(dim, [&](const Expr* expr) {
      if (const Var* var = DynCast<Var>(expr)) fn(var);
    });
  });
}

// ---- SSA form

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
    ForEachUseInType(*var->type,
                     [&](const Var* used) { CheckUse(used, place); });
    const auto [it, is_new] = defined_at_.emplace(var, place);
    const bool inside = !visible_.insert(var).second;
    if (!is_new) {
      sink_
          ->Error(inside ? "MX-SSA-2" : "MX-SSA-1", place,
                  absl::StrCat(Quote(var),
                               inside ? " is defined again inside its scope"
                                      : " is assigned twice"))
          .AddNote(it->second, "the first definition");
    }
    // Where it is visible already, it stays so until its first scope ends.
    if (!inside) scope_.push_back(var);
  }

  void CheckUse(const Var* var, SourceSpan place) {
    if (visible_.contains(var) || !defined_at_.contains(var)) return;
    sink_
        ->Error("MX-SSA-6", place,
                absl::StrCat(Quote(var), " is used outside its scope"))
        .AddNote(defined_at_[var], "defined here");
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
      CheckUse(var, place);
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

// ---- Use after definition

// Whether nothing behind the block's last statement is reached through it.
bool Leaves(Block block) {
  if (block.empty()) return false;
  switch (block.back()->kind) {
    case StmtKind::kReturn:
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      return true;
    case StmtKind::kIf: {
      const If* branch = CheckedCast<If>(block.back());
      return Leaves(branch->then_body) && Leaves(branch->else_body);
    }
    default:
      return false;
  }
}

class UseChecker {
 public:
  explicit UseChecker(DiagnosticSink* sink) : sink_(sink) {}

  void CheckFunction(const Program& program, const Function& function) {
    defined_.insert(program.dynamic_dims.begin(), program.dynamic_dims.end());
    // Allocations that the signature names may be the caller's.
    const auto define_bases = [this](const Type& type) {
      ForEachUseInType(type, [this](const Var* var) {
        if (var->type->kind == TypeKind::kPtr) defined_.insert(var);
      });
    };
    for (const Var* param : function.params) define_bases(*param->type);
    for (const Type* type : function.return_types) define_bases(*type);
    for (const Var* param : function.params) Define(param, param->span);
    CheckBlock(function.body);
  }

 private:
  void CheckUse(const Var* var, SourceSpan place) {
    if (defined_.contains(var)) return;
    sink_->Error("MX-DEF-1", place,
                 absl::StrCat(Quote(var), " is used before its definition"));
  }

  void Define(const Var* var, SourceSpan place) {
    ForEachUseInType(*var->type,
                     [&](const Var* used) { CheckUse(used, place); });
    defined_.insert(var);
  }

  void CheckBlock(Block block) {
    for (const Stmt* stmt : block) CheckStmt(*stmt);
  }

  void CheckStmt(const Stmt& stmt) {
    const While* while_loop = DynCast<While>(&stmt);
    // The condition of a while is evaluated with the iter args defined.
    if (while_loop != nullptr) {
      defined_.insert(while_loop->iter_args.begin(),
                      while_loop->iter_args.end());
    }
    ForEachUse(stmt, [this](const Var* var, SourceSpan place) {
      CheckUse(var, place);
    });
    Vars results;
    if (const Assign* assign = DynCast<Assign>(&stmt)) {
      Define(assign->var, stmt.span);
    } else if (const If* branch = DynCast<If>(&stmt)) {
      CheckIf(*branch);
      results = branch->return_vars;
    } else if (const For* loop = DynCast<For>(&stmt)) {
      CheckLoop(stmt, loop->loop_var, loop->iter_args, loop->body);
      results = loop->return_vars;
    } else if (while_loop != nullptr) {
      for (const IterArg* arg : while_loop->iter_args) defined_.erase(arg);
      CheckLoop(stmt, nullptr, while_loop->iter_args, while_loop->body);
      results = while_loop->return_vars;
    }
    for (const Var* var : results) Define(var, stmt.span);
  }

  // A body may run not at all: what it defines is not defined behind it.
  void CheckLoop(const Stmt& stmt, const Var* loop_var,
                 absl::Span<const IterArg* const> iter_args, Block body) {
    const VarSet before = defined_;
    if (loop_var != nullptr) Define(loop_var, stmt.span);
    for (const IterArg* arg : iter_args) Define(arg, stmt.span);
    CheckBlock(body);
    defined_ = before;
  }

  void CheckIf(const If& branch) {
    const VarSet before = defined_;
    CheckBlock(branch.then_body);
    const VarSet after_then = std::exchange(defined_, before);
    CheckBlock(branch.else_body);
    const VarSet after_else = std::exchange(defined_, before);
    if (!branch.return_vars.empty()) return;
    // Of a branch that is not left at its end, nothing is asked.
    const bool only_then = Leaves(branch.else_body);
    const bool only_else = Leaves(branch.then_body);
    for (const Var* var : only_else ? after_else : after_then) {
      if (only_then || only_else || after_else.contains(var)) {
        defined_.insert(var);
      }
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

// ---- Calls

bool SameConstants(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const ConstInt* x = AsConstInt(a[i]);
    const ConstInt* y = AsConstInt(b[i]);
    if (x != nullptr && y != nullptr && x->value != y->value) return false;
  }
  return true;
}

// Whether a value of type `given` can stand where `wanted` is stated.
bool FitsType(const Type& given, const Type& wanted) {
  if (&given == &wanted || given.kind == TypeKind::kUnknown) return true;
  if (given.kind != wanted.kind) return false;
  if (const ScalarType* scalar = DynCast<ScalarType>(&given)) {
    return scalar->dtype == DynCast<ScalarType>(&wanted)->dtype;
  }
  if (const TensorType* tensor = DynCast<TensorType>(&given)) {
    const TensorType& other = *DynCast<TensorType>(&wanted);
    return tensor->dtype == other.dtype && tensor->layout() == other.layout() &&
           SameConstants(tensor->shape, other.shape);
  }
  if (const TileType* tile = DynCast<TileType>(&given)) {
    const TileType& other = *DynCast<TileType>(&wanted);
    return tile->dtype == other.dtype &&
           SameConstants(tile->shape, other.shape);
  }
  if (const TupleType* tuple = DynCast<TupleType>(&given)) {
    const TupleType& other = *DynCast<TupleType>(&wanted);
    if (tuple->elements.size() != other.elements.size()) return false;
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
      if (!FitsType(*tuple->elements[i], *other.elements[i])) return false;
    }
  }
  return true;
}

bool FitsParameter(const Expr& arg, const Type& param) {
  if (FitsType(*arg.type, param)) return true;
  const ScalarType* scalar = DynCast<ScalarType>(&param);
  const ConstInt* literal = AsConstInt(&arg);
  return scalar != nullptr && literal != nullptr && IsInteger(scalar->dtype) &&
         literal->dtype() == DataType::kIndex;
}

class CallTypeChecker {
 public:
  explicit CallTypeChecker(DiagnosticSink* sink) : sink_(sink) {}

  void CheckFunction(const Program& program, const Function& function) {
    ForEachStmt(function.body, [&](const Stmt* stmt) {
      if (const Return* ret = DynCast<Return>(stmt)) {
        CheckReturn(*ret, function);
      }
      ForEachRootExpr(*stmt, [&](const Expr* root) {
        PostOrder(root, [&](const Expr* expr) {
          if (const Call* call = DynCast<Call>(expr)) {
            CheckArgs(program, call->callee, call->args, Place(call, *stmt));
          } else if (const Submit* submit = DynCast<Submit>(expr)) {
            CheckArgs(program, submit->callee, submit->args,
                      Place(submit, *stmt));
          }
        });
      });
    });
  }

 private:
  // Arguments behind what a launch leaves out are contexts, of one type all.
  void CheckArgs(const Program& program, const Callee* callee, Exprs args,
                 SourceSpan place) {
    const Function* function =
        callee->is_function ? program.Find(callee->name) : nullptr;
    if (function == nullptr) return;
    const size_t count = std::min(args.size(), function->params.size());
    for (size_t i = 0; i < count; ++i) {
      const Var* param = function->params[i];
      if (args[i]->type->kind == TypeKind::kCommCtx ||
          FitsParameter(*args[i], *param->type)) {
        continue;
      }
      sink_
          ->Error("MX-CALL-1", place,
                  absl::StrCat("argument ", i, " of '", callee->name, "' is ",
                               PrintType(args[i]->type), ", parameter ",
                               Quote(param), " is ", PrintType(param->type)))
          .AddNote(param->span, "the parameter");
    }
  }

  void CheckReturn(const Return& ret, const Function& function) {
    const auto stated = function.return_types;
    if (ret.values.size() != stated.size()) {
      sink_->Error(
          "MX-CALL-2", ret.span,
          absl::StrCat("'", function.name, "' states ", stated.size(),
                       " returned values and returns ", ret.values.size()));
      return;
    }
    for (size_t i = 0; i < stated.size(); ++i) {
      if (FitsType(*ret.values[i]->type, *stated[i])) continue;
      sink_->Error("MX-CALL-2", ret.span,
                   absl::StrCat("'", function.name, "' returns ",
                                PrintType(ret.values[i]->type), " as value ", i,
                                ", it states ", PrintType(stated[i])));
    }
  }

  DiagnosticSink* sink_;
};

}  // namespace

void VerifySsaForm(const Program& program, DiagnosticSink* sink) {
  CheckAll<SsaChecker>(program, sink);
}

void VerifyUseAfterDef(const Program& program, DiagnosticSink* sink) {
  CheckAll<UseChecker>(program, sink);
}

void VerifyCallTypes(const Program& program, DiagnosticSink* sink) {
  CheckAll<CallTypeChecker>(program, sink);
}

}  // namespace mxtile::ir
