#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "passes/insert_mx_scale_addr/scale_binding_plan.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::Stmt;

const Stmt* WithMxMatmul(const Stmt& stmt, const Call* matmul,
                         ir::Context& context) {
  if (const ir::Assign* assign = DynCast<ir::Assign>(&stmt)) {
    ir::Assign copy = *assign;
    copy.value = matmul;
    return context.New(copy);
  }
  ir::Eval copy = *ir::CheckedCast<ir::Eval>(&stmt);
  copy.expr = matmul;
  return context.New(copy);
}

void DropLastLeftBinding(ScaleBindingPlan& plan) {
  for (auto it = plan.bindings.rbegin(); it != plan.bindings.rend(); ++it) {
    if (it->side != kLeftSide) continue;
    it->dropped = true;
    return;
  }
}

void RecordFindings(const ScaleBindingPlan& plan, PassFindings* findings) {
  for (const PlannedBinding& binding : plan.bindings) {
    if (binding.dropped) continue;
    findings->bindings.push_back({binding.span, std::string(binding.function),
                                  std::string(binding.scale->name),
                                  std::string(binding.data->name),
                                  std::string(SideName(binding.side))});
  }
}

// ---- Rewrite

class BindingInserter : public ir::Rewriter {
 public:
  BindingInserter(ir::Context* context, const ScaleBindingPlan* plan)
      : Rewriter(context), plan_(*plan) {}

 protected:
  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    const Call* found = MxMatmulOf(*stmt);
    if (found == nullptr) {
      // Nothing else uses what is inserted.
      const bool has_body = ir::DynCast<ir::Assign>(stmt) == nullptr &&
                            ir::DynCast<ir::Eval>(stmt) == nullptr;
      if (!has_body) return out->push_back(stmt);
      return Rewriter::RewriteStmt(stmt, out);
    }
    const auto planned = plan_.matmuls.find(stmt);
    if (planned == plan_.matmuls.end()) return out->push_back(stmt);
    const Call& matmul = *found;
    std::vector<const Expr*> args(matmul.args.begin(), matmul.args.end());
    for (const PlannedPair& pair : planned->second.pairs) {
      const PlannedBinding& binding = plan_.bindings[pair.binding];
      if (binding.dropped) continue;
      if (pair.is_first) out->push_back(AssignmentOf(binding));
      args[pair.pair.scale_index] = binding.bound;
    }
    Call rewritten = matmul;
    rewritten.args = context().List(args);
    out->push_back(WithMxMatmul(*stmt, context().New(rewritten), context()));
  }

 private:
  const Stmt* AssignmentOf(const PlannedBinding& binding) {
    ir::Assign assign;
    assign.kind = ir::StmtKind::kAssign;
    assign.span = binding.span;
    assign.var = binding.bound;
    assign.value = binding.value;
    return context().New(assign);
  }

  const ScaleBindingPlan& plan_;
};

PropertySet Preserved() {
  return {Property::kSsaForm, Property::kIncoreTileOps,
          Property::kSplitIncoreOrch, Property::kNormalizedStmtStructure,
          Property::kTileMemoryInferred};
}

}  // namespace

PropertySet InsertMxScaleAddr::required() const { return Preserved(); }
PropertySet InsertMxScaleAddr::produced() const { return Preserved(); }

absl::StatusOr<const ir::Program*> InsertMxScaleAddr::Run(
    const ir::Program* program, PassContext& context) const {
  MX_ASSIGN_OR_RETURN(ScaleBindingPlan plan,
                      PlanScaleBindings(*program, context));
  if (context.options.fault == InjectedFault::kDropBinding) {
    DropLastLeftBinding(plan);
  }
  RecordFindings(plan, &context.findings);
  return BindingInserter(context.ir, &plan).RewriteProgram(program);
}

}  // namespace mxtile
