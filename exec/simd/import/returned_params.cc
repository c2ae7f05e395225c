#include "exec/simd/import/returned_params.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "ir/stmt.h"

namespace mxtile::exec::simd {
namespace {

constexpr int kNone = -1;

class ParamTrace {
 public:
  ParamTrace(const ir::Function& function, const OpTable& table)
      : table_(table) {
    for (size_t i = 0; i < function.params.size(); ++i) {
      params_[function.params[i]] = static_cast<int>(i);
    }
  }

  void Visit(ir::Block block) {
    for (const ir::Stmt* stmt : block) {
      if (const auto* assign = ir::DynCast<ir::Assign>(stmt)) {
        Set(*assign->var, Of(assign->value));
      } else if (const auto* loop = ir::DynCast<ir::For>(stmt)) {
        VisitLoop(*loop);
      } else if (const auto* branch = ir::DynCast<ir::If>(stmt)) {
        VisitIf(*branch);
      }
    }
  }

  // The parameter that the expression is, or kNone.
  int Of(const ir::Expr* expr) const {
    if (const auto* call = ir::DynCast<ir::Call>(expr)) {
      const OpInfo* info = table_.Find(call->callee->def);
      const bool stores = info != nullptr && info->family == OpFamily::kStore;
      return stores ? Of(call->args[2]) : kNone;
    }
    const auto* var = ir::DynCast<ir::Var>(expr);
    const auto it = var == nullptr ? params_.end() : params_.find(var);
    return it == params_.end() ? kNone : it->second;
  }

 private:
  void Set(const ir::Var& var, int param) {
    if (param != kNone) params_[&var] = param;
  }

  // Importing refuses loops and branches whose tensors change.
  void VisitLoop(const ir::For& loop) {
    for (const ir::IterArg* arg : loop.iter_args) Set(*arg, Of(arg->init));
    Visit(loop.body);
    const size_t count =
        std::min(loop.iter_args.size(), loop.return_vars.size());
    for (size_t i = 0; i < count; ++i) {
      Set(*loop.return_vars[i], Of(loop.iter_args[i]));
    }
  }

  void VisitIf(const ir::If& branch) {
    Visit(branch.then_body);
    Visit(branch.else_body);
    const ir::Yield* yield = ir::TrailingYield(branch.then_body);
    for (size_t i = 0; yield != nullptr && i < branch.return_vars.size() &&
                       i < yield->values.size();
         ++i) {
      Set(*branch.return_vars[i], Of(yield->values[i]));
    }
  }

  const OpTable& table_;
  absl::flat_hash_map<const ir::Var*, int> params_;
};

}  // namespace

absl::StatusOr<std::vector<int>> ReturnedParams(const ir::Function& function,
                                                const OpTable& table) {
  std::vector<int> returned;
  const auto* end = function.body.empty()
                        ? nullptr
                        : ir::DynCast<ir::Return>(function.body.back());
  if (end == nullptr) return returned;
  ParamTrace trace(function, table);
  trace.Visit(function.body);
  for (const ir::Expr* value : end->values) {
    returned.push_back(trace.Of(value));
    if (returned.back() != kNone) continue;
    return ir::RuleError(
        "MX-SIMD-4",
        absl::StrCat("'", function.name,
                     "', which returns what is none of its tensors, cannot be "
                     "run by the SIMD backend"));
  }
  return returned;
}

}  // namespace mxtile::exec::simd
