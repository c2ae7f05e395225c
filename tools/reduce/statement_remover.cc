#include "tools/reduce/statement_remover.h"

#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"

namespace mxtile {
namespace {

class Remover : public ir::Rewriter {
 public:
  Remover(ir::Context* context,
          const std::function<bool(const ir::Stmt&)>& should_go)
      : Rewriter(context), should_go_(should_go) {}

  bool failed() const { return failed_; }

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    definitions_.clear();
    dead_.clear();
    ir::ForEachStmt(function->body, [this](const ir::Stmt* stmt) {
      ir::ForEachDefinition(
          *stmt, [this](const ir::Var* var) { ++definitions_[var]; });
    });
    visible_.assign(function->params.begin(), function->params.end());
    return Rewriter::RewriteFunction(function);
  }

 protected:
  ir::Block RewriteBlock(ir::Block block) override {
    const size_t visible = visible_.size();
    const ir::Block result = Rewriter::RewriteBlock(block);
    visible_.resize(visible);
    return result;
  }

  void RewriteStmt(const ir::Stmt* stmt,
                   std::vector<const ir::Stmt*>* out) override {
    const bool ends_a_body = stmt->kind == ir::StmtKind::kYield ||
                             stmt->kind == ir::StmtKind::kReturn;
    if (UsesDead(*stmt)) {
      failed_ = failed_ || ends_a_body;
      Remove(*stmt);
    } else if (!ends_a_body && should_go_(*stmt)) {
      Remove(*stmt);
    } else {
      Keep(stmt, out);
    }
  }

 private:
  bool UsesDead(const ir::Stmt& stmt) const {
    if (dead_.empty()) return false;
    bool found = false;
    ir::ForEachRootExpr(stmt, [&](const ir::Expr* root) {
      ir::PostOrder(root, [&](const ir::Expr* expr) {
        const auto* var = ir::DynCast<ir::Var>(expr);
        found = found || (var != nullptr && dead_.contains(var));
      });
    });
    return found;
  }

  void Keep(const ir::Stmt* stmt, std::vector<const ir::Stmt*>* out) {
    // What a statement defines for its bodies is visible in them, its results
    // behind it.
    const size_t visible = visible_.size();
    if (const auto* loop = ir::DynCast<ir::For>(stmt)) {
      visible_.push_back(loop->loop_var);
    }
    out->push_back(RewriteParts(stmt));
    visible_.resize(visible);
    if (const auto* assign = ir::DynCast<ir::Assign>(stmt)) {
      visible_.push_back(assign->var);
    } else if (const auto* loop = ir::DynCast<ir::For>(stmt)) {
      visible_.insert(visible_.end(), loop->return_vars.begin(),
                      loop->return_vars.end());
    }
  }

  void Remove(const ir::Stmt& stmt) {
    if (const auto* assign = ir::DynCast<ir::Assign>(&stmt)) {
      const ir::Expr* operand = nullptr;
      ir::PostOrder(assign->value, [&](const ir::Expr* expr) {
        if (operand == nullptr && expr != assign->value && ir::IsLeaf(*expr) &&
            expr->type == assign->var->type) {
          operand = expr;
        }
      });
      return Replace(assign->var, operand);
    }
    if (const auto* loop = ir::DynCast<ir::For>(&stmt)) {
      return ReplaceResults(loop->return_vars, loop->iter_args);
    }
    if (const auto* loop = ir::DynCast<ir::While>(&stmt)) {
      return ReplaceResults(loop->return_vars, loop->iter_args);
    }
    if (const auto* branch = ir::DynCast<ir::If>(&stmt)) {
      for (const ir::Var* var : branch->return_vars) Replace(var, nullptr);
    }
    // Scopes are transparent: what they define is used behind them.
    if (const auto* scope = ir::DynCast<ir::Scope>(&stmt)) {
      if (scope->task_id != nullptr) Replace(scope->task_id, nullptr);
      ir::ForEachStmt(scope->body, [this](const ir::Stmt* inner) {
        ir::ForEachDefinition(
            *inner, [this](const ir::Var* var) { Replace(var, nullptr); });
      });
    }
  }

  void ReplaceResults(ir::Vars results,
                      absl::Span<const ir::IterArg* const> iter_args) {
    for (size_t i = 0; i < results.size(); ++i) {
      Replace(results[i], i < iter_args.size() ? iter_args[i]->init : nullptr);
    }
  }

  void Replace(const ir::Var* var, const ir::Expr* with) {
    if (definitions_[var] > 1) return;
    if (with == nullptr || Mentions(with)) with = Substitute(var->type);
    if (with == nullptr) {
      dead_.insert(var);
      return;
    }
    Rewriter::Substitute(var, RewriteExpr(with));
  }

  bool Mentions(const ir::Expr* expr) const {
    const auto* var = ir::DynCast<ir::Var>(expr);
    return var != nullptr && dead_.contains(var);
  }

  // Something of that type; null when there is nothing.
  const ir::Expr* Substitute(const ir::Type* type) {
    for (auto it = visible_.rbegin(); it != visible_.rend(); ++it) {
      if ((*it)->type == type && !dead_.contains(*it)) return *it;
    }
    const auto* scalar = ir::DynCast<ir::ScalarType>(type);
    if (scalar == nullptr) return nullptr;
    if (scalar->dtype == ir::DataType::kBool) return context().Bool(false);
    if (ir::IsFloat(scalar->dtype)) return context().Float(0, scalar->dtype);
    return ir::IsInteger(scalar->dtype) ? context().Int(0, scalar->dtype)
                                        : nullptr;
  }

  const std::function<bool(const ir::Stmt&)>& should_go_;
  bool failed_ = false;
  absl::flat_hash_map<const ir::Var*, int> definitions_;
  absl::flat_hash_set<const ir::Var*> dead_;
  std::vector<const ir::Var*> visible_;  // As written, not rewritten.
};

}  // namespace

const ir::Program* RemoveStatements(
    const ir::Program* program,
    const std::function<bool(const ir::Stmt&)>& should_go,
    ir::Context* context) {
  Remover remover(context, should_go);
  const ir::Program* result = remover.RewriteProgram(program);
  return remover.failed() ? nullptr : result;
}

}  // namespace mxtile
