#include "proof/facts.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "proof/call_cycles.h"

namespace mxtile::proof {
namespace {

using Origin = VarFacts::Origin;

bool IsScalar(const ir::Var& var) { return ir::Isa<ir::ScalarType>(var.type); }

bool IsCommCtx(const ir::Var& var) {
  return var.type != nullptr && var.type->kind == ir::TypeKind::kCommCtx;
}

size_t CountTrailingCommCtx(ir::Vars params) {
  size_t count = 0;
  while (count < params.size() && IsCommCtx(*params[params.size() - 1 - count]))
    ++count;
  return count;
}

bool IsNeverNegative(const ir::Expr* value) {
  const auto* call = ir::DynCast<ir::Call>(value);
  return call != nullptr && call->callee->def != nullptr &&
         call->callee->def->result_never_negative;
}

std::optional<LoopRange> RangeOf(const ir::For& loop) {
  const ir::ConstInt* start = ir::AsConstInt(loop.start);
  const ir::ConstInt* step = ir::AsConstInt(loop.step);
  if (start == nullptr || step == nullptr) return std::nullopt;
  return LoopRange{start->value, step->value};
}

ir::SourceSpan SpanOf(const ir::Expr* call, const ir::Stmt* stmt) {
  if (call != nullptr && call->span.known()) return call->span;
  return stmt != nullptr ? stmt->span : ir::SourceSpan();
}

// Whether a run that reaches the launch may still not start it.
bool MayNotStart(const ir::Submit& submit) {
  if (submit.predicate != nullptr) return true;
  if (submit.core_num == nullptr) return false;
  const ir::ConstInt* cores = ir::AsConstInt(submit.core_num);
  return cores == nullptr || cores->value <= 0;
}

}  // namespace

ir::SourceSpan ParamSource::span() const { return SpanOf(call, stmt); }

ir::SourceSpan CallSite::span() const { return SpanOf(call, stmt); }

class ProgramFacts::Collector {
 public:
  Collector(const ir::Program& program, const FactsOptions& options,
            ProgramFacts* facts)
      : program_(program),
        options_(options),
        vars_(facts->vars_),
        functions_(facts->functions_),
        callees_(program.functions.size()),
        called_(program.functions.size(), false) {
    for (size_t i = 0; i < program.functions.size(); ++i) {
      index_.emplace(program.functions[i]->name, i);
    }
  }

  void Run() {
    for (const ir::Var* dim : program_.dynamic_dims) {
      Bind(dim, Origin::kDynamicDim);
    }
    // Parameters first: a call may stand before its callee's definition.
    for (const ir::Function* function : program_.functions) {
      function_ = function;
      for (const ir::Var* param : function->params) {
        Bind(param, Origin::kParam);
      }
    }
    for (size_t i = 0; i < program_.functions.size(); ++i) {
      function_ = program_.functions[i];
      function_index_ = i;
      seen_.clear();
      exits_ = 0;
      WalkBlock(function_->body);
      functions_[function_].early_exit = exits_ > EndsInReturn(*function_);
    }
    AddHosts();
    MarkRecursion();
  }

 private:
  VarFacts* Bind(const ir::Var* var, Origin origin) {
    if (!IsScalar(*var)) return nullptr;
    const auto [it, is_new] = vars_.try_emplace(var);
    if (!is_new) {
      it->second.rebound = true;
      return nullptr;
    }
    it->second.origin = origin;
    it->second.function = function_;
    it->second.at = at_;
    return &it->second;
  }

  // Returns and the like that do no more than end the function.
  static int EndsInReturn(const ir::Function& function) {
    return !function.body.empty() &&
           function.body.back()->kind == ir::StmtKind::kReturn;
  }

  // Recurses once a block; the reader limits how deep blocks nest.
  void WalkBlock(ir::Block block) {
    for (const ir::Stmt* stmt : block) WalkStmt(stmt);
  }
  void WalkBlockAt(ir::Block block, const Surroundings& at) {
    const Surroundings outer = at_;
    at_ = at;
    WalkBlock(block);
    at_ = outer;
  }
  Surroundings Conditionally() const { return {at_.loop, true}; }

  void WalkStmt(const ir::Stmt* stmt) {
    stmt_ = stmt;
    switch (stmt->kind) {
      case ir::StmtKind::kAssign:
        return WalkAssign(static_cast<const ir::Assign*>(stmt));
      case ir::StmtKind::kEval:
        return WalkExpr(static_cast<const ir::Eval*>(stmt)->expr);
      case ir::StmtKind::kIf:
        return WalkIf(static_cast<const ir::If*>(stmt));
      case ir::StmtKind::kFor:
        return WalkFor(static_cast<const ir::For*>(stmt));
      case ir::StmtKind::kWhile:
        return WalkWhile(static_cast<const ir::While*>(stmt));
      case ir::StmtKind::kYield:
        return WalkExprs(static_cast<const ir::Yield*>(stmt)->values);
      case ir::StmtKind::kReturn:
        ++exits_;
        return WalkExprs(static_cast<const ir::Return*>(stmt)->values);
      case ir::StmtKind::kScope:
        return WalkScope(static_cast<const ir::Scope*>(stmt));
      case ir::StmtKind::kBreak:
      case ir::StmtKind::kContinue:
        ++exits_;
        return;
    }
  }

  void WalkAssign(const ir::Assign* assign) {
    WalkExpr(assign->value);
    if (VarFacts* facts = Bind(assign->var, Origin::kAssigned)) {
      facts->definition = assign;
      facts->never_negative = IsNeverNegative(assign->value);
    }
  }

  void WalkIf(const ir::If* branch) {
    WalkExpr(branch->condition);
    BindAll(branch->return_vars, Origin::kIfResult);
    WalkBlockAt(branch->then_body, Conditionally());
    WalkBlockAt(branch->else_body, Conditionally());
  }

  void WalkFor(const ir::For* loop) {
    for (const ir::Expr* bound : {loop->start, loop->stop, loop->step}) {
      WalkExpr(bound);
    }
    if (VarFacts* facts = Bind(loop->loop_var, Origin::kLoopVar)) {
      facts->loop = loop;
      facts->range = RangeOf(*loop);
    }
    for (const ir::IterArg* arg : loop->iter_args) WalkExpr(arg->init);
    auto walk = [this](const ir::Expr* expr) { WalkExpr(expr); };
    for (const ir::Attr& attr : loop->attrs) ForEachExprIn(attr.value, walk);
    WalkLoopBody(loop->iter_args, loop->return_vars, loop->body,
                 {loop, at_.conditional});
  }

  void WalkWhile(const ir::While* loop) {
    for (const ir::IterArg* arg : loop->iter_args) WalkExpr(arg->init);
    WalkExpr(loop->condition);
    WalkLoopBody(loop->iter_args, loop->return_vars, loop->body,
                 Conditionally());
  }

  void WalkScope(const ir::Scope* scope) {
    auto walk = [this](const ir::Expr* expr) { WalkExpr(expr); };
    for (const ir::Attr& attr : scope->args) ForEachExprIn(attr.value, walk);
    WalkBlockAt(scope->body, Conditionally());
  }

  void WalkLoopBody(absl::Span<const ir::IterArg* const> iter_args,
                    ir::Vars return_vars, ir::Block body,
                    const Surroundings& inside) {
    for (const ir::IterArg* arg : iter_args) Bind(arg, Origin::kIterArg);
    BindAll(return_vars, Origin::kLoopResult);
    WalkBlockAt(body, inside);
  }

  void BindAll(ir::Vars vars, Origin origin) {
    for (const ir::Var* var : vars) Bind(var, origin);
  }

  void WalkExprs(ir::Exprs exprs) {
    for (const ir::Expr* expr : exprs) WalkExpr(expr);
  }

  // Records the calls inside. A node that is shared counts once a function, so
  // that heavy sharing can't make the walk long.
  void WalkExpr(const ir::Expr* root) {
    if (HoldsNoCall(*root)) return;
    pending_.push_back(root);
    while (!pending_.empty()) {
      const ir::Expr* expr = pending_.back();
      pending_.pop_back();
      if (expr == nullptr || IsLeaf(*expr) || !seen_.insert(expr).second) {
        continue;
      }
      if (const auto* call = ir::DynCast<ir::Call>(expr)) {
        if (call->callee->is_function) RecordCall(*call);
      } else if (const auto* submit = ir::DynCast<ir::Submit>(expr)) {
        RecordSubmit(*submit);
      }
      ForEachOperand(*expr, [&](const ir::Expr* e) { pending_.push_back(e); });
    }
  }

  // Told at a glance: most statements are one operator on variables.
  static bool HoldsNoCall(const ir::Expr& expr) {
    const auto* call = ir::DynCast<ir::Call>(&expr);
    bool none = expr.kind != ir::ExprKind::kSubmit &&
                (call == nullptr || !call->callee->is_function);
    ForEachOperand(expr, [&](const ir::Expr* e) { none = none && IsLeaf(*e); });
    return none;
  }

  // Null when the program has no such function.
  const ir::Function* RecordSite(const ir::Callee& callee, const ir::Expr* call,
                                 bool conditional) {
    const auto it = index_.find(callee.name);
    if (it == index_.end()) return nullptr;
    callees_[function_index_].push_back(static_cast<int>(it->second));
    called_[it->second] = true;
    const ir::Function* function = program_.functions[it->second];
    functions_[function].sites.push_back(
        {call, stmt_, function_, {at_.loop, at_.conditional || conditional}});
    return function;
  }

  void RecordCall(const ir::Call& call) {
    const ir::Function* callee = RecordSite(*call.callee, &call, false);
    if (callee == nullptr) return;
    if (call.args.size() != callee->params.size()) {
      return AddUnknownToAll(*callee, ParamSource::Kind::kMalformedCall, &call);
    }
    for (size_t i = 0; i < call.args.size(); ++i) {
      AddArgument(callee->params[i], call.args[i], &call);
    }
  }

  void RecordSubmit(const ir::Submit& submit) {
    const ir::Function* callee =
        RecordSite(*submit.callee, &submit, MayNotStart(submit));
    if (callee == nullptr) return;
    const ir::Vars params = callee->params;
    const size_t args = submit.args.size();
    const size_t ctx = CountTrailingCommCtx(params);
    if (args > params.size() || args < ctx) {
      return AddUnknownToAll(*callee, ParamSource::Kind::kMalformedCall,
                             &submit);
    }
    const size_t prefix = args - ctx;
    const size_t gap = params.size() - args;
    for (size_t i = 0; i < prefix; ++i) {
      AddArgument(params[i], submit.args[i], &submit);
    }
    for (size_t i = prefix; i < prefix + gap; ++i) {
      AddUnknown(params[i], ParamSource::Kind::kOmitted, &submit);
    }
    for (size_t i = prefix; i < args; ++i) {
      AddArgument(params[i + gap], submit.args[i], &submit);
    }
  }

  void AddSource(const ir::Var* param, const ParamSource& source) {
    const auto it = vars_.find(param);
    if (it != vars_.end()) it->second.sources.push_back(source);
  }

  void AddArgument(const ir::Var* param, const ir::Expr* value,
                   const ir::Expr* call) {
    AddSource(param,
              {ParamSource::Kind::kArgument, value, call, stmt_, function_});
  }

  void AddUnknown(const ir::Var* param, ParamSource::Kind kind,
                  const ir::Expr* call) {
    AddSource(param, {kind, nullptr, call, stmt_, function_});
  }

  void AddUnknownToAll(const ir::Function& callee, ParamSource::Kind kind,
                       const ir::Expr* call) {
    for (const ir::Var* param : callee.params) AddUnknown(param, kind, call);
  }

  void AddHosts() {
    ParamSource host;
    host.kind = ParamSource::Kind::kHost;
    for (size_t i = 0; i < program_.functions.size(); ++i) {
      const ir::Function& function = *program_.functions[i];
      if (called_[i] && function.name != options_.entry) continue;
      functions_[&function].host_calls = true;
      for (const ir::Var* param : function.params) AddSource(param, host);
    }
  }

  void MarkRecursion() {
    const std::vector<bool> recursive = OnCycle(callees_);
    for (size_t i = 0; i < program_.functions.size(); ++i) {
      if (!recursive[i]) continue;
      functions_[program_.functions[i]].recursive = true;
      for (const ir::Var* param : program_.functions[i]->params) {
        const auto it = vars_.find(param);
        if (it != vars_.end()) it->second.recursive = true;
      }
    }
  }

  const ir::Program& program_;
  const FactsOptions& options_;
  absl::flat_hash_map<const ir::Var*, VarFacts>& vars_;
  absl::flat_hash_map<const ir::Function*, FunctionFacts>& functions_;
  absl::flat_hash_map<absl::string_view, size_t> index_;
  std::vector<std::vector<int>> callees_;  // By function.
  std::vector<bool> called_;

  // Where the walk is.
  const ir::Function* function_ = nullptr;
  size_t function_index_ = 0;
  const ir::Stmt* stmt_ = nullptr;
  Surroundings at_;
  int exits_ = 0;  // Returns, breaks and continues of the function.
  absl::flat_hash_set<const ir::Expr*> seen_;
  std::vector<const ir::Expr*> pending_;
};

ProgramFacts::ProgramFacts(const ir::Program& program,
                           const FactsOptions& options) {
  MX_CHECK(options.entry.empty() || program.Find(options.entry) != nullptr)
      << "no function '" << options.entry << "'";
  Collector(program, options, this).Run();
}

const VarFacts* ProgramFacts::Find(const ir::Var* var) const {
  const auto it = vars_.find(var);
  return it == vars_.end() ? nullptr : &it->second;
}

const FunctionFacts* ProgramFacts::Find(const ir::Function* function) const {
  const auto it = functions_.find(function);
  return it == functions_.end() ? nullptr : &it->second;
}

}  // namespace mxtile::proof
