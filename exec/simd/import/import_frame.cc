#include "exec/simd/import/import_frame.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "exec/interpreter.h"
#include "exec/simd/import/carried_values.h"
#include "exec/simd/import/matmul_import.h"
#include "exec/simd/import/memory_import.h"
#include "ir/expr_walk.h"
#include "ir/rule_error.h"

namespace mxtile::exec::simd {
namespace {

using Kind = Binding::Kind;

// Of the operands. A bare literal has the type of the other one.
ir::DataType OperandDtype(const ir::Binary& binary) {
  const ir::ConstInt* literal = ir::AsConstInt(binary.lhs);
  const bool bare =
      literal != nullptr && literal->dtype() == ir::DataType::kIndex;
  return DtypeOf(bare ? binary.rhs->type : binary.lhs->type);
}

}  // namespace

ir::DataType DtypeOf(const ir::Type* type) {
  const auto* scalar = ir::DynCast<ir::ScalarType>(type);
  return scalar != nullptr ? scalar->dtype : ir::DataType::kIndex;
}

Binding::Kind KindOf(const ir::Type& type) {
  if (ir::Isa<ir::ScalarType>(&type)) return Kind::kScalar;
  if (ir::Isa<ir::TileType>(&type)) return Kind::kTile;
  if (ir::Isa<ir::TensorType>(&type)) return Kind::kTensor;
  return type.kind == ir::TypeKind::kTuple ? Kind::kTuple : Kind::kNone;
}

absl::Status NoStatement(absl::string_view what) {
  return ir::RuleError(
      "MX-SIMD-4", absl::StrCat(what, " cannot be run by the SIMD backend"));
}

std::string PlaceText(const ir::SourceSpan& span) {
  if (!span.known()) return "";
  return absl::StrCat(span.file, ":", span.line, ":", span.column);
}

// ---- variables

void ImportFrame::OpenBlock() {
  blocks_.emplace_back();
  s_.scalars.OpenBlock();
}

void ImportFrame::CloseBlock() {
  for (const ir::Var* var : blocks_.back()) env_.erase(var);
  blocks_.pop_back();
  s_.scalars.CloseBlock();
}

absl::Status ImportFrame::Define(const ir::Var& var, Binding binding) {
  if (binding.kind != KindOf(*var.type) && binding.kind != Kind::kNone) {
    return YieldError(var.name, "is given a value of another kind");
  }
  if (binding.kind == Kind::kTile && binding.tile.value != kNoValue) {
    if (const AxisPair* axes = s_.axes.Find(&var)) {
      binding.tile = s_.Fit(binding.tile, *axes);
    }
  }
  const bool is_new = env_.find(&var) == env_.end();
  const bool is_ours = absl::c_linear_search(blocks_.back(), &var);
  if (!is_new && !is_ours) {
    return NoStatement(absl::StrCat("'", var.name,
                                    "', assigned again in a loop or branch "
                                    "(convert to SSA first)"));
  }
  if (is_new) blocks_.back().push_back(&var);
  env_[&var] = std::move(binding);
  return absl::OkStatus();
}

// ---- expressions

absl::StatusOr<Binding> ImportFrame::Eval(const ir::Expr* root,
                                          ir::SourceSpan place) {
  // Operands come first: a node's operands are the last entries of `done`.
  std::vector<Binding> done;
  absl::Status status;
  ir::PostOrder(root, [&](const ir::Expr* expr) {
    if (!status.ok()) return;
    size_t count = 0;
    ir::ForEachOperand(*expr, [&count](const ir::Expr*) { ++count; });
    const size_t first = done.size() - count;
    absl::StatusOr<Binding> value =
        EvalNode(*expr, absl::MakeConstSpan(done).subspan(first));
    if (!value.ok()) {
      status = Report(value.status(), expr->span.known() ? expr->span : place);
      return;
    }
    done.resize(first);
    done.push_back(*std::move(value));
  });
  MX_RETURN_IF_ERROR(status);
  return std::move(done[0]);
}

absl::StatusOr<Binding> ImportFrame::EvalNode(
    const ir::Expr& expr, absl::Span<const Binding> operands) {
  switch (expr.kind) {
    case ir::ExprKind::kVar:
    case ir::ExprKind::kIterArg: {
      const auto* var = static_cast<const ir::Var*>(&expr);
      const auto it = env_.find(var);
      if (it != env_.end()) return it->second;
      return NoStatement(
          absl::StrCat("'", var->name, "', which has no value here,"));
    }
    case ir::ExprKind::kConstInt:
      return Binding::Of(
          s_.scalars.Index(static_cast<const ir::ConstInt&>(expr).value));
    case ir::ExprKind::kConstFloat:
      return Binding::Of(
          s_.scalars.Float(static_cast<const ir::ConstFloat&>(expr).value));
    case ir::ExprKind::kConstBool:
      return Binding::Of(
          s_.scalars.Bool(static_cast<const ir::ConstBool&>(expr).value));
    case ir::ExprKind::kTuple: {
      Binding tuple;
      tuple.kind = Kind::kTuple;
      tuple.items.assign(operands.begin(), operands.end());
      return tuple;
    }
    case ir::ExprKind::kTupleItem: {
      const auto index =
          static_cast<size_t>(static_cast<const ir::TupleItem&>(expr).index);
      if (index < operands[0].items.size()) return operands[0].items[index];
      return NoStatement("an item of this tuple");
    }
    case ir::ExprKind::kCall:
      return EvalCall(static_cast<const ir::Call&>(expr), operands);
    case ir::ExprKind::kSubmit:
      return NoStatement("a launch");
    default:
      return EvalScalar(expr, operands);
  }
}

absl::StatusOr<Binding> ImportFrame::EvalScalar(
    const ir::Expr& expr, absl::Span<const Binding> operands) {
  for (const Binding& operand : operands) {
    if (operand.kind != Kind::kScalar) {
      return NoStatement("arithmetic of what is no scalar");
    }
  }
  absl::StatusOr<Scalar> result;
  if (const auto* binary = ir::DynCast<ir::Binary>(&expr)) {
    result = s_.scalars.Binary(binary->op, operands[0].scalar,
                               operands[1].scalar, OperandDtype(*binary));
  } else if (const auto* unary = ir::DynCast<ir::Unary>(&expr)) {
    result = s_.scalars.Unary(unary->op, operands[0].scalar,
                              DtypeOf(unary->operand->type));
  } else {
    const auto* cast = ir::CheckedCast<ir::Cast>(&expr);
    result = s_.scalars.Cast(operands[0].scalar, DtypeOf(cast->operand->type),
                             DtypeOf(cast->type));
  }
  if (!result.ok()) {
    return ir::RuleOf(result.status()).empty()
               ? ir::RuleError("MX-SIMD-5", result.status().message())
               : result.status();
  }
  return Binding::Of(*result);
}

absl::StatusOr<Binding> ImportFrame::EvalCall(
    const ir::Call& call, absl::Span<const Binding> operands) {
  if (call.callee->is_function) return NoStatement("a call of a function");
  const OpInfo* info = table_.Find(call.callee->def);
  if (info == nullptr) {
    return ir::RuleError("MX-SIMD-1",
                         absl::StrCat("operator ", call.callee->name,
                                      " cannot be run by the SIMD backend"));
  }
  const auto args = operands.subspan(0, call.args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const Kind wanted = KindOf(*call.args[i]->type);
    if (wanted != Kind::kNone && args[i].kind != wanted) {
      return UnsupportedVariant(call, "of a value of another kind");
    }
  }
  if (call.span.known()) s_.builder.SetPlace(PlaceText(call.span));
  switch (info->family) {
    case OpFamily::kLoad: {
      MX_ASSIGN_OR_RETURN(const Tile tile, ImportLoad(s_, call, args));
      return Binding::Of(tile);
    }
    case OpFamily::kStore:
      MX_RETURN_IF_ERROR(ImportStore(s_, call, args));
      return args[2];
    case OpFamily::kMatmul: {
      MX_ASSIGN_OR_RETURN(const Tile tile,
                          ImportMatmul(s_, call, info->roles, args));
      return Binding::Of(tile);
    }
    case OpFamily::kBlockIndex:
      return Binding::Of(block_index_);
    case OpFamily::kBlockCount:
      return Binding::Of(s_.scalars.Index(request_.block_count));
    default:
      return ops_.Eval(call, *info, args);
  }
}

absl::Status ImportFrame::Report(const absl::Status& status,
                                 ir::SourceSpan place) {
  if (status.ok() || status.GetPayload(kReportedPayload).has_value())
    return status;
  sink_->Error(ir::RuleOf(status), place, status.message());
  absl::Status reported = status;
  reported.SetPayload(kReportedPayload, absl::Cord());
  return reported;
}

}  // namespace mxtile::exec::simd
