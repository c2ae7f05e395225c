#include "passes/block_mx_scale_tensor_views/mx_offsets.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
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
#include "passes/block_mx_scale_tensor_views/mx_operators.h"
#include "passes/ir_queries.h"
#include "proof/explain.h"
#include "proof/format_expr.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DynCast;
using ir::Expr;

// The tensor whose window a call of tile.load or tile.store is; null for other
// operators.
const Expr* WindowTensorOf(const MxOperators& ops, const Call& call) {
  const ir::OpDef* def = call.callee->def;
  if (def == nullptr || (def != ops.load && def != ops.store)) return nullptr;
  const size_t arg = def == ops.load ? kTensorArg : kOutputArg;
  return arg < call.args.size() ? call.args[arg] : nullptr;
}

// A value for which the refused question has the wrong answer, where one is
// known.
std::optional<int64_t> ViolatingValue(const proof::ProofResult& multiple,
                                      const proof::ProofResult& sign) {
  for (const proof::ProofResult* result : {&multiple, &sign}) {
    if (!result->proven()) return result->refusal().value;
  }
  return std::nullopt;
}

}  // namespace

std::array<MxOffset, 2> MxOffsetsOf(ir::TensorLayout layout,
                                    ir::Exprs offsets) {
  const MxAxes axes = MxAxesOf(layout);
  return {MxOffset{"block", axes.block, kMxBlock, offsets[axes.block]},
          MxOffset{"group", axes.group, kMxGroup, offsets[axes.group]}};
}

void ForEachMxWindow(const ir::Program& program, const ir::OpRegistry& registry,
                     const std::function<void(const MxWindowOffsets&)>& fn) {
  const MxOperators ops(registry);
  for (const ir::Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      ir::ForEachRootExpr(*stmt, [&](const Expr* root) {
        ir::PostOrder(root, [&](const Expr* expr) {
          const Call* call = DynCast<Call>(expr);
          const Expr* tensor =
              call != nullptr ? WindowTensorOf(ops, *call) : nullptr;
          if (tensor == nullptr) return;
          const auto* type = DynCast<ir::TensorType>(tensor->type);
          const auto* offsets = ListArg(*call, kOffsetsArg);
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
  verdict.argument = kOffsetsArg;
  verdict.axis = std::string(offset.axis_name);
  verdict.axis_index = offset.axis;
  verdict.divisor = offset.divisor;
  verdict.offset = proof::FormatExpr(offset.expr);
  verdict.symbolic = ir::AsConstInt(offset.expr) == nullptr;
  verdict.proven = judgement.multiple.proven() && judgement.sign.proven();
  verdict.reason = proof::Explain(judgement.multiple, judgement.sign);
  verdict.violating_value = ViolatingValue(judgement.multiple, judgement.sign);
  return judgement;
}

}  // namespace mxtile
