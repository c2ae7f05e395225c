#include "passes/block_mx_scale_tensor_views/mx_offsets.h"

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "passes/block_mx_scale_tensor_views/mx_blocking.h"
#include "proof/explain.h"
#include "proof/format_expr.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DynCast;
using ir::Expr;

constexpr size_t kOffsetsArg = 1;  // Of tile.load and tile.store.

// Which argument of the operators is the tensor.
struct WindowOps {
  explicit WindowOps(const ir::OpRegistry& registry)
      : load(registry.Find("tile.load")), store(registry.Find("tile.store")) {}

  // Null for other operators.
  const Expr* TensorOf(const Call& call) const {
    const ir::OpDef* def = call.callee->def;
    if (def == nullptr || (def != load && def != store)) return nullptr;
    const size_t arg = def == load ? 0 : 2;
    return arg < call.args.size() ? call.args[arg] : nullptr;
  }

  const ir::OpDef* load;
  const ir::OpDef* store;
};

}  // namespace

std::array<MxOffset, 2> MxOffsetsOf(ir::TensorLayout layout,
                                    ir::Exprs offsets) {
  const MxAxes axes = MxAxesOf(layout);
  return {MxOffset{"block", axes.block, kMxBlock, offsets[axes.block]},
          MxOffset{"group", axes.group, kMxGroup, offsets[axes.group]}};
}

void ForEachMxWindow(const ir::Program& program, const ir::OpRegistry& registry,
                     const std::function<void(const MxWindowOffsets&)>& fn) {
  const WindowOps ops(registry);
  for (const ir::Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      ir::ForEachRootExpr(*stmt, [&](const Expr* root) {
        ir::PostOrder(root, [&](const Expr* expr) {
          const Call* call = DynCast<Call>(expr);
          const Expr* tensor = call != nullptr ? ops.TensorOf(*call) : nullptr;
          if (tensor == nullptr) return;
          const auto* type = DynCast<ir::TensorType>(tensor->type);
          const auto* offsets = DynCast<ir::Tuple>(call->args[kOffsetsArg]);
          if (type == nullptr || !ir::IsMx(type->layout()) ||
              type->shape.size() != 2 || offsets == nullptr ||
              offsets->elements.size() != 2) {
            return;
          }
          fn({function, call, call->span.known() ? call->span : stmt->span,
              tensor, MxOffsetsOf(type->layout(), offsets->elements)});
        });
      });
    });
  }
}

OffsetJudgement JudgeOffset(const proof::Prover& prover,
                            const MxWindowOffsets& window,
                            const MxOffset& offset) {
  const ir::Var* tensor = DynCast<ir::Var>(window.tensor);
  OffsetJudgement judgement;
  judgement.multiple = prover.ProveMultipleOf(offset.expr, offset.divisor);
  judgement.sign = prover.ProveNonNegative(offset.expr);
  OffsetVerdict& verdict = judgement.verdict;
  verdict.span = window.span;
  verdict.function = std::string(window.function->name);
  verdict.op = std::string(window.call->callee->name);
  verdict.tensor = tensor != nullptr ? std::string(tensor->name) : "";
  verdict.axis = std::string(offset.axis_name);
  verdict.divisor = offset.divisor;
  verdict.offset = proof::FormatExpr(offset.expr);
  verdict.symbolic = ir::AsConstInt(offset.expr) == nullptr;
  verdict.proven = judgement.multiple.proven() && judgement.sign.proven();
  verdict.reason = proof::Explain(judgement.multiple, judgement.sign);
  return judgement;
}

}  // namespace mxtile
