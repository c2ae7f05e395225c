#include "exec/mx_partners.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"

namespace mxtile::exec {
namespace {

using ir::DynCast;
using ir::Expr;
using ir::Var;

bool IsShaped(const Expr* expr) {
  const ir::Type* type = expr->type;
  return ir::Isa<ir::TensorType>(type) || ir::Isa<ir::TileType>(type);
}

// The operators that quantise their first argument; groups are along the rows
// for group_axis 1, and for both of the form that transposes [N, K] first.
constexpr absl::string_view kQuantise = "tile.tquant_mx";
constexpr absl::string_view kQuantiseRaw = "tile.tquant_mx_raw";

bool Quantises(const ir::Call& call) {
  return call.callee->def != nullptr && !call.args.empty() &&
         (call.callee->def->name == kQuantise ||
          call.callee->def->name == kQuantiseRaw);
}

MxSide SideOf(const ir::Call& quantise) {
  const ir::AttrValue* axis = ir::FindAttr(quantise.kwargs, "group_axis");
  const bool by_columns = axis != nullptr && axis->int_value == 0 &&
                          quantise.callee->def->name == kQuantiseRaw;
  return by_columns ? MxSide::kRight : MxSide::kLeft;
}

// For each variable, the entry's parameters that its contents can come from.
class Origins {
 public:
  Origins(const ir::Program& program, const ir::Function& entry)
      : program_(program) {
    for (const Var* param : entry.params) of_[param].insert(IndexOf(param));
    // Origins only grow, and loops and calls pass them on step by step.
    do {
      changed_ = false;
      for (const ir::Function* function : program.functions) Visit(*function);
    } while (changed_);
  }

  std::vector<const Var*> Of(const Expr* expr) const {
    std::vector<const Var*> result;
    const Var* var = DynCast<Var>(expr);
    const auto it = of_.find(var);
    if (it == of_.end()) return result;
    for (const int index : it->second) result.push_back(params_[index]);
    return result;
  }

 private:
  // Ordered, so that results do not depend on addresses.
  using ParamSet = std::set<int>;

  int IndexOf(const Var* param) {
    params_.push_back(param);
    return static_cast<int>(params_.size()) - 1;
  }

  void Flow(const Expr* from, const Var* to) {
    const Var* source = DynCast<Var>(from);
    if (source == nullptr) return;
    const auto it = of_.find(source);
    if (it == of_.end()) return;
    const ParamSet origins = it->second;
    ParamSet& target = of_[to];
    const size_t before = target.size();
    target.insert(origins.begin(), origins.end());
    changed_ |= target.size() != before;
  }

  void FlowAll(ir::Exprs from, ir::Vars to) {
    for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
      Flow(from[i], to[i]);
    }
  }

  void FlowYield(ir::Block body, ir::Vars results) {
    if (const ir::Yield* yield = ir::TrailingYield(body)) {
      FlowAll(yield->values, results);
    }
  }

  void Visit(const ir::Function& function) {
    ir::ForEachStmt(function.body, [&](const ir::Stmt* stmt) {
      if (const ir::Assign* assign = DynCast<ir::Assign>(stmt)) {
        VisitAssign(*assign);
      } else if (const ir::For* loop = DynCast<ir::For>(stmt)) {
        VisitLoop(loop->iter_args, loop->body, loop->return_vars);
      } else if (const ir::While* loop = DynCast<ir::While>(stmt)) {
        VisitLoop(loop->iter_args, loop->body, loop->return_vars);
      } else if (const ir::If* branch = DynCast<ir::If>(stmt)) {
        FlowYield(branch->then_body, branch->return_vars);
        FlowYield(branch->else_body, branch->return_vars);
      }
      ir::ForEachRootExpr(*stmt, [&](const Expr* root) {
        ir::PostOrder(root, [&](const Expr* expr) { VisitCall(*expr); });
      });
    });
  }

  void VisitLoop(absl::Span<const ir::IterArg* const> args, ir::Block body,
                 ir::Vars results) {
    const ir::Yield* yield = ir::TrailingYield(body);
    for (size_t i = 0; i < args.size(); ++i) {
      Flow(args[i]->init, args[i]);
      if (yield != nullptr && i < yield->values.size()) {
        Flow(yield->values[i], args[i]);
      }
      if (i < results.size()) Flow(args[i], results[i]);
    }
  }

  void VisitAssign(const ir::Assign& assign) {
    Flow(assign.value, assign.var);
    const ir::Call* call = DynCast<ir::Call>(assign.value);
    if (call == nullptr) return;
    if (call->callee->is_function)
      return VisitResult(*call->callee, assign.var);
    if (call->callee->def == nullptr) return;
    if (const Expr* passed = PassedOn(*call)) Flow(passed, assign.var);
  }

  // The value of a function that returns one.
  void VisitResult(const ir::Callee& callee, const Var* var) {
    const ir::Function* function = program_.Find(callee.name);
    if (function == nullptr || function->return_types.size() != 1) return;
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      const ir::Return* ret = DynCast<ir::Return>(stmt);
      if (ret != nullptr && !ret->values.empty()) Flow(ret->values[0], var);
    });
  }

  // Arguments of calls and launches flow into parameters. Outputs that a launch
  // leaves out lie behind the arguments here, so prefixes agree.
  void VisitCall(const Expr& expr) {
    const ir::Callee* callee = nullptr;
    ir::Exprs args;
    if (const ir::Call* call = DynCast<ir::Call>(&expr)) {
      callee = call->callee;
      args = call->args;
    } else if (const ir::Submit* submit = DynCast<ir::Submit>(&expr)) {
      callee = submit->callee;
      args = submit->args;
    }
    if (callee == nullptr || !callee->is_function) return;
    const ir::Function* function = program_.Find(callee->name);
    if (function != nullptr) FlowAll(args, function->params);
  }

  static const Expr* PassedOn(const ir::Call& call) {
    const ir::OpDef& def = *call.callee->def;
    if (def.result_aliases_arg.has_value()) {
      const size_t index = *def.result_aliases_arg;
      return index < call.args.size() ? call.args[index] : nullptr;
    }
    const Expr* only = nullptr;
    for (const Expr* arg : call.args) {
      if (!IsShaped(arg)) continue;
      if (only != nullptr) return nullptr;
      only = arg;
    }
    return only;
  }

  const ir::Program& program_;
  std::vector<const Var*> params_;
  absl::flat_hash_map<const Var*, ParamSet> of_;
  bool changed_ = false;
};

}  // namespace

const MxPartner* MxPartners::OfData(const ir::Var* data) const {
  if (IsAmbiguous(data)) return nullptr;
  for (const MxPartner& pair : pairs_) {
    if (pair.data == data) return &pair;
  }
  return nullptr;
}

const MxPartner* MxPartners::OfScale(const ir::Var* scale) const {
  if (IsAmbiguous(scale)) return nullptr;
  for (const MxPartner& pair : pairs_) {
    if (pair.scale == scale) return &pair;
  }
  return nullptr;
}

bool MxPartners::IsAmbiguous(const ir::Var* param) const {
  const auto count =
      std::count_if(pairs_.begin(), pairs_.end(), [&](const MxPartner& pair) {
        return pair.data == param || pair.scale == param;
      });
  return count > 1;
}

const QuantisedParam* MxPartners::QuantisedByProgram(
    const ir::Var* param) const {
  for (const QuantisedParam& quantised : quantised_) {
    if (quantised.param == param) return &quantised;
  }
  return nullptr;
}

MxPartners FindMxPartners(const ir::Program& program,
                          const ir::Function& entry) {
  const Origins origins(program, entry);
  std::vector<MxPartner> pairs;
  std::vector<QuantisedParam> quantised;
  const auto add = [&](const Expr* data, const Expr* scale, MxSide side) {
    for (const Var* d : origins.Of(data)) {
      for (const Var* s : origins.Of(scale)) {
        const bool known =
            std::any_of(pairs.begin(), pairs.end(), [&](const MxPartner& pair) {
              return pair.data == d && pair.scale == s && pair.side == side;
            });
        if (!known) pairs.push_back({d, s, side});
      }
    }
  };
  for (const ir::Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      ir::ForEachRootExpr(*stmt, [&](const Expr* root) {
        ir::PostOrder(root, [&](const Expr* expr) {
          const ir::Call* call = DynCast<ir::Call>(expr);
          if (call == nullptr || call->callee->def == nullptr) return;
          if (Quantises(*call)) {
            for (const Var* param : origins.Of(call->args[0])) {
              quantised.push_back({param, SideOf(*call)});
            }
          }
          const auto& mx_pairs = call->callee->def->mx_pairs;
          for (size_t i = 0; i < mx_pairs.size(); ++i) {
            add(call->args[mx_pairs[i].data_index],
                call->args[mx_pairs[i].scale_index],
                i == 0 ? MxSide::kLeft : MxSide::kRight);
          }
        });
      });
    });
  }
  return MxPartners(std::move(pairs), std::move(quantised));
}

}  // namespace mxtile::exec
