#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "ir/type_walk.h"
#include "ir/var_table.h"
#include "ir/verifier.h"
#include "ir/verifier_walk.h"

namespace mxtile::ir {
namespace {

// Whether the type names the variable as an allocation that the author declares
// by naming it: pl.MemRef("ping"), of no offset yet.
bool IsDeclaredBy(const Type& type, const Var& var) {
  bool is_declared = false;
  const auto look = [&](const MemRef* memref) {
    is_declared |= memref != nullptr && memref->base == &var &&
                   memref->byte_offset == nullptr;
  };
  ForEachLeafType(type, [&](const Type& leaf) {
    if (const TensorType* tensor = DynCast<TensorType>(&leaf)) {
      look(tensor->memref);
    } else if (const TileType* tile = DynCast<TileType>(&leaf)) {
      look(tile->memref);
    }
  });
  return is_declared;
}

class UseChecker {
 public:
  UseChecker(const Program& program, DiagnosticSink* sink)
      : program_(program), sink_(sink) {}

  void CheckFunction(const Function& function) {
    for (const Var* dim : program_.dynamic_dims) MarkDefined(dim);
    // Allocations that the signature names may be the caller's.
    const auto define_bases = [this](const Type& type) {
      walk_.InType(type, [this](const Var* var) {
        if (var->type->kind == TypeKind::kPtr) MarkDefined(var);
      });
    };
    for (const Var* param : function.params) define_bases(*param->type);
    for (const Type* type : function.return_types) define_bases(*type);
    for (const Var* param : function.params) MarkDefined(param);
    for (const Var* param : function.params) CheckType(*param, param->span);
    CheckBlock(function.body);
    ForgetSince(0);
  }

 private:
  // Whether it was not defined before.
  bool MarkDefined(const Var* var) {
    bool& defined = defined_[var];
    if (defined) return false;
    defined = true;
    trail_.push_back(var);
    return true;
  }

  // Takes back what was defined since the trail had that length.
  void ForgetSince(size_t length) {
    for (size_t i = length; i < trail_.size(); ++i) defined_[trail_[i]] = false;
    trail_.resize(length);
  }

  // The same, and returns it.
  std::vector<const Var*> TakeSince(size_t length) {
    std::vector<const Var*> taken(trail_.begin() + length, trail_.end());
    ForgetSince(length);
    return taken;
  }

  void CheckUse(const Var* var, SourceSpan place) {
    if (defined_[var]) return;
    sink_->Error("MX-DEF-1", place,
                 absl::StrCat("'", var->name,
                              "' is used before its "
                              "definition"));
  }

  void CheckType(const Var& var, SourceSpan place) {
    walk_.InType(*var.type, [&](const Var* used) {
      if (!defined_[used] && IsDeclaredBy(*var.type, *used)) return;
      CheckUse(used, place);
    });
  }

  bool Define(const Var* var, SourceSpan place) {
    CheckType(*var, place);
    return MarkDefined(var);
  }

  void CheckBlock(Block block) {
    for (const Stmt* stmt : block) CheckStmt(*stmt);
  }

  void CheckUses(const Expr* root, const Stmt& stmt) {
    walk_.InExpr(root,
                 [&](const Var* var) { CheckUse(var, PlaceOf(root, stmt)); });
  }

  void CheckStmt(const Stmt& stmt) {
    if (const While* loop = DynCast<While>(&stmt)) return CheckWhile(*loop);
    walk_.ForEachUse(stmt, [&](const Var* var, const Expr* root) {
      CheckUse(var, PlaceOf(root, stmt));
    });
    switch (stmt.kind) {
      case StmtKind::kAssign:
        Define(static_cast<const Assign&>(stmt).var, stmt.span);
        return;
      case StmtKind::kFor:
        return CheckFor(static_cast<const For&>(stmt));
      case StmtKind::kIf:
        return CheckIf(static_cast<const If&>(stmt));
      case StmtKind::kScope:
        return CheckScope(static_cast<const Scope&>(stmt));
      default:
        return;
    }
  }

  void CheckFor(const For& loop) {
    const size_t before = trail_.size();
    std::vector<const Var*> own;
    DefineOwn(loop.loop_var, loop, &own);
    for (const IterArg* arg : loop.iter_args) DefineOwn(arg, loop, &own);
    CheckBlock(loop.body);
    EndLoop(before, own, loop.return_vars, loop.span);
  }

  // The condition is evaluated with the iter args defined.
  void CheckWhile(const While& loop) {
    const size_t before = trail_.size();
    std::vector<const Var*> own;
    for (const IterArg* arg : loop.iter_args) CheckUses(arg->init, loop);
    for (const IterArg* arg : loop.iter_args) DefineOwn(arg, loop, &own);
    CheckUses(loop.condition, loop);
    CheckBlock(loop.body);
    EndLoop(before, own, loop.return_vars, loop.span);
  }

  // A scope's body is part of the block around it; only its index ends with it.
  void CheckScope(const Scope& scope) {
    const bool is_own =
        scope.index != nullptr && Define(scope.index, scope.span);
    CheckBlock(scope.body);
    if (is_own) defined_[scope.index] = false;
    if (scope.task_id != nullptr) Define(scope.task_id, scope.span);
  }

  void DefineOwn(const Var* var, const Stmt& loop,
                 std::vector<const Var*>* own) {
    if (Define(var, loop.span)) own->push_back(var);
  }

  // `own`: loop variable and iter args, which end with the body in any case.
  void EndLoop(size_t before, const std::vector<const Var*>& own, Vars results,
               SourceSpan place) {
    if (results.empty()) {
      for (const Var* var : own) defined_[var] = false;
    } else {
      ForgetSince(before);
    }
    for (const Var* var : results) Define(var, place);
  }

  void CheckIf(const If& branch) {
    const size_t before = trail_.size();
    CheckBlock(branch.then_body);
    const std::vector<const Var*> by_then = TakeSince(before);
    CheckBlock(branch.else_body);
    if (branch.return_vars.empty()) {
      for (const Var* var : by_then) MarkDefined(var);
      return;
    }
    ForgetSince(before);
    for (const Var* var : branch.return_vars) Define(var, branch.span);
  }

  const Program& program_;
  DiagnosticSink* sink_;
  VarTable<bool> defined_;
  std::vector<const Var*> trail_;  // Defined variables, innermost last.
  UseWalk walk_;
};

}  // namespace

void VerifyUseAfterDef(const Program& program, DiagnosticSink* sink) {
  UseChecker checker(program, sink);
  for (const Function* function : program.functions) {
    checker.CheckFunction(*function);
  }
}

}  // namespace mxtile::ir
