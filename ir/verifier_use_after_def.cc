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
#include "ir/verifier.h"
#include "ir/verifier_walk.h"

namespace mxtile::ir {
namespace {

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
    for (const Var* param : function.params) Define(param, param->span);
    CheckBlock(function.body);
    ForgetSince(0);
  }

 private:
  // kDefinedInElse: while the branches of an `if` are compared.
  enum Fact : uint8_t { kUndefined, kDefined, kDefinedInElse };

  void MarkDefined(const Var* var) {
    Fact& fact = facts_[var];
    if (fact == kDefined) return;
    fact = kDefined;
    trail_.push_back(var);
  }

  void MarkAll(const std::vector<const Var*>& vars) {
    for (const Var* var : vars) MarkDefined(var);
  }

  // Takes back what was defined since the trail had that length.
  void ForgetSince(size_t length) {
    for (size_t i = length; i < trail_.size(); ++i)
      facts_[trail_[i]] = kUndefined;
    trail_.resize(length);
  }

  // The same, and returns it.
  std::vector<const Var*> TakeSince(size_t length) {
    std::vector<const Var*> taken(trail_.begin() + length, trail_.end());
    ForgetSince(length);
    return taken;
  }

  void CheckUse(const Var* var, SourceSpan place) {
    if (facts_[var] == kDefined) return;
    sink_->Error("MX-DEF-1", place,
                 absl::StrCat("'", var->name,
                              "' is used before its "
                              "definition"));
  }

  void Define(const Var* var, SourceSpan place) {
    walk_.InType(*var->type, [&](const Var* used) { CheckUse(used, place); });
    MarkDefined(var);
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
        return Define(static_cast<const Assign&>(stmt).var, stmt.span);
      case StmtKind::kFor:
        return CheckFor(static_cast<const For&>(stmt));
      case StmtKind::kIf:
        return CheckIf(static_cast<const If&>(stmt));
      default:
        // A body that runs once is part of the block around it.
        ForEachBlock(stmt, [this](Block body) { CheckBlock(body); });
    }
  }

  // A loop's body may run not at all: what it defines is not defined behind
  // it.
  void CheckFor(const For& loop) {
    const size_t before = trail_.size();
    Define(loop.loop_var, loop.span);
    for (const IterArg* arg : loop.iter_args) Define(arg, loop.span);
    CheckBlock(loop.body);
    ForgetSince(before);
    for (const Var* var : loop.return_vars) Define(var, loop.span);
  }

  // The condition is evaluated with the iter args defined.
  void CheckWhile(const While& loop) {
    const size_t before = trail_.size();
    for (const IterArg* arg : loop.iter_args) CheckUses(arg->init, loop);
    for (const IterArg* arg : loop.iter_args) Define(arg, loop.span);
    CheckUses(loop.condition, loop);
    CheckBlock(loop.body);
    ForgetSince(before);
    for (const Var* var : loop.return_vars) Define(var, loop.span);
  }

  void CheckIf(const If& branch) {
    const size_t before = trail_.size();
    CheckBlock(branch.then_body);
    const std::vector<const Var*> by_then = TakeSince(before);
    CheckBlock(branch.else_body);
    const std::vector<const Var*> by_else = TakeSince(before);
    if (!branch.return_vars.empty()) {
      for (const Var* var : branch.return_vars) Define(var, branch.span);
      return;
    }
    // Of a branch that is not left at its end, nothing is asked.
    const bool then_leaves = Leaves(branch.then_body);
    const bool else_leaves = Leaves(branch.else_body);
    if (else_leaves) MarkAll(by_then);
    if (then_leaves) MarkAll(by_else);
    if (then_leaves || else_leaves) return;
    for (const Var* var : by_else) facts_[var] = kDefinedInElse;
    for (const Var* var : by_then) {
      if (facts_[var] == kDefinedInElse) MarkDefined(var);
    }
    for (const Var* var : by_else) {
      if (facts_[var] == kDefinedInElse) facts_[var] = kUndefined;
    }
  }

  const Program& program_;
  DiagnosticSink* sink_;
  VarTable<Fact> facts_;
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
