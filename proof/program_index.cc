#include "proof/program_index.h"

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"

namespace mxtile::proof {
namespace {

const ir::Callee* CalledFunction(const ir::Expr& expr) {
  if (const auto* submit = ir::DynCast<ir::Submit>(&expr)) {
    return submit->callee;
  }
  const auto* call = ir::DynCast<ir::Call>(&expr);
  return call != nullptr && call->callee->is_function ? call->callee : nullptr;
}

bool IsContext(const ir::Var* param) {
  return param->type != nullptr && param->type->kind == ir::TypeKind::kCommCtx;
}

}  // namespace

ProgramIndex::ProgramIndex(const ir::Program& program, absl::string_view entry)
    : entry_(entry) {
  for (const ir::Var* dim : program.dynamic_dims) Bind(dim, {});
  for (const ir::Function* function : program.functions) Walk(*function);
}

void ProgramIndex::Bind(const ir::Var* var, const Binding& binding) {
  const auto [it, is_new] = bindings_.emplace(var, binding);
  if (!is_new) it->second.several = true;
}

void ProgramIndex::Walk(const ir::Function& function) {
  for (size_t i = 0; i < function.params.size(); ++i) {
    Bind(function.params[i], {nullptr, nullptr, &function, i});
  }
  absl::flat_hash_set<const ir::Expr*> seen;
  std::vector<const ir::Expr*> pending;
  const auto collect_calls = [&](const ir::Stmt* stmt, const ir::Expr* root) {
    pending.push_back(root);
    while (!pending.empty()) {
      const ir::Expr* expr = pending.back();
      pending.pop_back();
      if (expr == nullptr || !seen.insert(expr).second) continue;
      if (const ir::Callee* callee = CalledFunction(*expr)) {
        calls_[callee->name].push_back({expr, stmt, &function});
      }
      ir::ForEachOperand(*expr,
                         [&](const ir::Expr* e) { pending.push_back(e); });
    }
  };
  ir::ForEachStmt(function.body, [&](const ir::Stmt* stmt) {
    const auto* loop = ir::DynCast<ir::For>(stmt);
    ir::ForEachDefinition(*stmt, [&](const ir::Var* var) {
      const bool counts = loop != nullptr && var == loop->loop_var;
      Bind(var, {ir::DynCast<ir::Assign>(stmt), counts ? loop : nullptr});
    });
    ir::ForEachRootExpr(
        *stmt, [&](const ir::Expr* root) { collect_calls(stmt, root); });
  });
}

const ProgramIndex::Binding* ProgramIndex::Find(const ir::Expr* var) const {
  const auto it = bindings_.find(ir::DynCast<ir::Var>(var));
  return it == bindings_.end() || it->second.several ? nullptr : &it->second;
}

std::vector<ProgramIndex::Call> ProgramIndex::CallsOf(
    const ir::Function& function) const {
  const auto it = calls_.find(function.name);
  if (it == calls_.end() || function.name == entry_ || IsRecursive(function)) {
    return {};
  }
  return it->second;
}

bool ProgramIndex::IsRecursive(const ir::Function& function) const {
  absl::flat_hash_set<absl::string_view> seen;
  std::vector<absl::string_view> pending = {function.name};
  while (!pending.empty()) {
    const auto it = calls_.find(pending.back());
    pending.pop_back();
    if (it == calls_.end()) continue;
    for (const Call& call : it->second) {
      if (call.caller == &function) return true;
      if (seen.insert(call.caller->name).second) {
        pending.push_back(call.caller->name);
      }
    }
  }
  return false;
}

const ir::Expr* ArgumentOf(const ir::Expr& expr, ir::Vars params,
                           size_t param) {
  if (const auto* call = ir::DynCast<ir::Call>(&expr)) {
    return call->args.size() == params.size() ? call->args[param] : nullptr;
  }
  const ir::Exprs args = ir::CheckedCast<ir::Submit>(&expr)->args;
  size_t contexts = 0;
  while (contexts < params.size() &&
         IsContext(params[params.size() - contexts - 1])) {
    ++contexts;
  }
  if (args.size() > params.size() || args.size() < contexts) return nullptr;
  if (param >= params.size() - contexts) {
    return args[param - (params.size() - args.size())];
  }
  return param < args.size() - contexts ? args[param] : nullptr;
}

bool IsNeverNegativeCall(const ir::Expr* value) {
  const auto* call = ir::DynCast<ir::Call>(value);
  return call != nullptr && call->callee->def != nullptr &&
         call->callee->def->result_never_negative;
}

}  // namespace mxtile::proof
