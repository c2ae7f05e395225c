#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/rule_error.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "ir/type_walk.h"
#include "passes/block_mx_scale_tensor_views/mx_blocking.h"
#include "passes/block_mx_scale_tensor_views/mx_offsets.h"
#include "passes/function_attrs.h"
#include "proof/facts.h"
#include "proof/prover.h"

namespace mxtile {
namespace {

using ir::AsConstInt;
using ir::Call;
using ir::CheckedCast;
using ir::DynCast;
using ir::Expr;
using ir::Function;
using ir::SourceSpan;
using ir::Stmt;
using ir::TensorType;
using ir::Type;
using ir::Var;

constexpr int kTensorArg = 0;   // Of tile.load and tensor.view.
constexpr int kOffsetsArg = 1;  // Of tile.load.
constexpr int kShapesArg = 2;
constexpr int kValidShapeArg = 3;
constexpr int kViewShapeArg = 1;  // Of tensor.view.

// The operators that may take MX tensors.
struct KnownOps {
  explicit KnownOps(const ir::OpRegistry& registry)
      : load(registry.Find("tile.load")), view(registry.Find("tensor.view")) {}
  const ir::OpDef* load;
  const ir::OpDef* view;
};

const TensorType* AsMxTensor(const Type* type) {
  const TensorType* tensor = DynCast<TensorType>(type);
  return tensor != nullptr && ir::IsMx(tensor->layout()) ? tensor : nullptr;
}

bool IsDistributed(const TensorType& type) {
  return type.kind == ir::TypeKind::kDistributedTensor;
}

// ---- Checking

// Judges a program as it was written; nothing is rewritten before all of it
// passed.
class Checker {
 public:
  Checker(const ir::Program& program, const KnownOps& ops, PassContext& context)
      : facts_(program, {context.options.entry}),
        prover_(facts_),
        ops_(ops),
        context_(context) {}

  void CheckFunction(const Function& function);

 private:
  void CheckType(const Type* type, SourceSpan span, absl::string_view what);
  void CheckCall(const Call& call, SourceSpan span);
  void CheckLoad(const Call& call, const TensorType& type, SourceSpan span);
  void CheckView(const Call& call, SourceSpan span);
  void CheckOffset(const MxWindowOffsets& load, const MxOffset& offset);
  void Error(absl::string_view rule, SourceSpan span,
             absl::string_view message) {
    context_.sink->Error(rule, span, message);
  }
  void ErrorUnlessOk(const absl::Status& status, SourceSpan span) {
    if (!status.ok()) Error(ir::RuleOf(status), span, status.message());
  }

  proof::ProgramFacts facts_;
  proof::Prover prover_;
  const KnownOps& ops_;
  PassContext& context_;
  const Function* function_ = nullptr;
};

void Checker::CheckFunction(const Function& function) {
  function_ = &function;
  for (const Var* param : function.params) {
    CheckType(param->type, param->span, param->name);
  }
  for (const Type* type : function.return_types) {
    CheckType(type, function.span, "the return value");
  }
  ir::ForEachStmt(function.body, [this](const Stmt* stmt) {
    ir::ForEachDefinition(*stmt, [&](const Var* var) {
      CheckType(var->type, stmt->span, var->name);
    });
    ir::ForEachRootExpr(*stmt, [&](const Expr* root) {
      ir::PostOrder(root, [&](const Expr* expr) {
        const Call* call = DynCast<Call>(expr);
        if (call == nullptr || call->callee->is_function) return;
        const SourceSpan span = call->span.known() ? call->span : stmt->span;
        // The value of an assignment has the type of its variable, which has
        // been checked.
        if (expr != root || stmt->kind != ir::StmtKind::kAssign) {
          CheckType(call->type, span, call->callee->name);
        }
        CheckCall(*call, span);
      });
    });
  });
}

void Checker::CheckType(const Type* type, SourceSpan span,
                        absl::string_view what) {
  ir::ForEachLeafType(*type, [&](const Type& leaf) {
    const TensorType* tensor = AsMxTensor(&leaf);
    if (tensor == nullptr) return;
    if (IsDistributed(*tensor)) {
      return Error("MX-BLOCK-5", span,
                   absl::StrCat("MX tensor '", what,
                                "': MX layouts are not supported on "
                                "distributed tensors"));
    }
    const absl::Status shape =
        CheckBlockable(absl::StrCat("MX tensor '", what, "'"),
                       MxAxesOf(tensor->layout()), tensor->shape);
    if (!shape.ok()) return ErrorUnlessOk(shape, span);
    if (!tensor->view->valid_shape.empty()) {
      Error("MX-BLOCK-4", span,
            absl::StrCat("MX tensor '", what,
                         "': a partial tensor valid_shape is not supported; "
                         "narrow the load instead"));
    }
  });
}

void Checker::CheckCall(const Call& call, SourceSpan span) {
  int first = -1;
  int count = 0;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (AsMxTensor(call.args[i]->type) == nullptr) continue;
    if (count++ == 0) first = static_cast<int>(i);
  }
  const ir::OpDef* def = call.callee->def;
  const bool is_view = def != nullptr && def == ops_.view;
  if (is_view && (count > 0 || AsMxTensor(call.type) != nullptr)) {
    return CheckView(call, span);
  }
  if (count == 0) return;
  if (count == 1 && first == kTensorArg && def != nullptr && def == ops_.load) {
    return CheckLoad(call, *AsMxTensor(call.args[kTensorArg]->type), span);
  }
  const Var* var = DynCast<Var>(call.args[first]);
  Error("MX-BLOCK-6", span,
        absl::StrCat(call.callee->name, " cannot take MX tensor '",
                     var != nullptr ? var->name : "", "' as argument ", first,
                     "; an MX tensor is read-only and only tile.load and "
                     "tensor.view take one, as their source"));
}

void Checker::CheckView(const Call& call, SourceSpan span) {
  const TensorType* source = DynCast<TensorType>(call.args[kTensorArg]->type);
  const TensorType* result = DynCast<TensorType>(call.type);
  const bool to_mx = AsMxTensor(result) != nullptr &&
                     source->layout() == ir::TensorLayout::kND;
  const bool from_mx = AsMxTensor(source) != nullptr && result != nullptr &&
                       result->layout() == ir::TensorLayout::kND;
  if (call.args.size() <= kViewShapeArg || (!to_mx && !from_mx) ||
      source->dtype != ir::DataType::kFP8E8M0 ||
      result->dtype != ir::DataType::kFP8E8M0) {
    Error("MX-BLOCK-8", span,
          "tensor.view of an MX tensor needs a shape argument, FP8E8M0, and a "
          "change between ND and an MX layout");
  }
}

void Checker::CheckLoad(const Call& call, const TensorType& type,
                        SourceSpan span) {
  const ir::AttrValue* target = ir::FindAttr(call.kwargs, "target_memory");
  const absl::string_view mat = ir::EnumName(ir::MemorySpace::kMat);
  if (target == nullptr || target->text != mat) {
    return Error(
        "MX-BLOCK-7", span,
        absl::StrCat("a load of an MX tensor goes to Mat; ",
                     target == nullptr
                         ? std::string("target_memory is missing")
                         : absl::StrCat("target_memory is ", target->text)));
  }
  const MxAxes axes = MxAxesOf(type.layout());
  const auto* shapes = DynCast<ir::Tuple>(call.args[kShapesArg]);
  const auto* offsets = DynCast<ir::Tuple>(call.args[kOffsetsArg]);
  if (shapes == nullptr || offsets == nullptr ||
      offsets->elements.size() != 2) {
    return Error("MX-OFFSET-1", span,
                 "a load of an MX tensor needs rank-2 offsets, written in "
                 "place");
  }
  const absl::Status window =
      CheckBlockable("the load window", axes, shapes->elements);
  if (!window.ok()) return ErrorUnlessOk(window, span);
  MxWindowOffsets load;
  load.function = function_;
  load.call = &call;
  load.span = span;
  load.tensor = call.args[kTensorArg];
  load.offsets = MxOffsetsOf(type.layout(), offsets->elements);
  for (const MxOffset& offset : load.offsets) CheckOffset(load, offset);
}

void Checker::CheckOffset(const MxWindowOffsets& load, const MxOffset& offset) {
  const OffsetJudgement judgement = JudgeOffset(prover_, load, offset);
  const OffsetVerdict& verdict = judgement.verdict;
  context_.findings.offsets.push_back(verdict);
  if (verdict.proven) return;

  const std::string subject =
      absl::StrCat(verdict.op, " of MX tensor '", verdict.tensor, "': the ",
                   offset.axis_name, " offset (axis ", offset.axis, ") ");
  if (const ir::ConstInt* constant = AsConstInt(offset.expr)) {
    return Error("MX-OFFSET-2", load.span,
                 absl::StrCat(subject, "must be a non-negative multiple of ",
                              offset.divisor, ", got ", constant->value));
  }
  const bool divisible = judgement.multiple.proven();
  context_.sink
      ->Error(divisible ? "MX-OFFSET-4" : "MX-OFFSET-3", load.span,
              absl::StrCat(
                  subject, "'", verdict.offset, "' cannot be proven ",
                  divisible ? "non-negative"
                            : absl::StrCat("a multiple of ", offset.divisor)))
      .AddNote(offset.expr->span, verdict.reason);
}

// ---- Rewriting

class Blocker : public ir::Rewriter {
 public:
  Blocker(const KnownOps& ops, ir::Context* context)
      : Rewriter(context), ops_(ops) {}

  const Function* RewriteFunction(const Function* function) override {
    if (HasMark(*function, kMxTensorViewsBlocked)) return function;
    return WithMark(*Rewriter::RewriteFunction(function), kMxTensorViewsBlocked,
                    &context());
  }

 protected:
  const Type* RewriteType(const Type* type) override {
    const Type* rewritten = Rewriter::RewriteType(type);
    const TensorType* tensor = AsMxTensor(rewritten);
    if (tensor == nullptr || tensor->shape.size() != 2) return rewritten;
    const auto shape = BlockedShape(MxAxesOf(tensor->layout()), tensor->shape);
    ir::TensorView view = *tensor->view;
    view.stride = {};
    TensorType blocked = *tensor;
    blocked.shape = context().StaticDims(absl::MakeConstSpan(shape));
    blocked.view = &view;
    return context().GetTensorType(blocked);
  }

  const Expr* RewriteNode(const Expr* node) override {
    const Call* call = DynCast<Call>(node);
    if (call == nullptr || call->callee->def == nullptr) return node;
    if (call->callee->def == ops_.load) return BlockLoad(*call);
    if (call->callee->def == ops_.view) return BlockView(*call);
    return node;
  }

 private:
  // The call's tensor is blocked already, its window is not.
  const Expr* BlockLoad(const Call& call) {
    const TensorType* type = AsMxTensor(call.args[kTensorArg]->type);
    if (type == nullptr) return &call;
    const auto* offsets = CheckedCast<ir::Tuple>(call.args[kOffsetsArg]);
    const auto* shapes = CheckedCast<ir::Tuple>(call.args[kShapesArg]);
    if (offsets->elements.size() != 2) return &call;
    const MxAxes axes = MxAxesOf(type->layout());
    std::vector<const Expr*> args(call.args.begin(), call.args.end());
    const Expr* zero = context().Index(0);
    args[kOffsetsArg] = context().NewTuple(
        context().ExprList(
            {zero, Quotient(offsets->elements[axes.block], kMxBlock),
             Quotient(offsets->elements[axes.group], kMxGroup), zero, zero}),
        offsets->span);
    args[kShapesArg] = BlockedTuple(*shapes, axes);
    // The window is whole; what is valid of it is known by the tile's type.
    if (args.size() > kValidShapeArg) args[kValidShapeArg] = args[kShapesArg];
    Call blocked = call;
    blocked.args = context().List(args);
    return context().New(blocked);
  }

  const Expr* BlockView(const Call& call) {
    const TensorType* type = AsMxTensor(call.type);
    if (type == nullptr || call.args.size() <= kViewShapeArg) return &call;
    const auto* shape = CheckedCast<ir::Tuple>(call.args[kViewShapeArg]);
    if (shape->elements.size() != 2) return &call;
    std::vector<const Expr*> args(call.args.begin(), call.args.end());
    args[kViewShapeArg] = BlockedTuple(*shape, MxAxesOf(type->layout()));
    Call blocked = call;
    blocked.args = context().List(args);
    return context().New(blocked);
  }

  const Expr* BlockedTuple(const ir::Tuple& shape, MxAxes axes) {
    return context().NewTuple(context().StaticDims(absl::MakeConstSpan(
                                  BlockedShape(axes, shape.elements))),
                              shape.span);
  }

  // The offset is computed at its own width first and divided then.
  const Expr* Quotient(const Expr* offset, int64_t divisor) {
    const ir::DataType dtype = CheckedCast<ir::ScalarType>(offset->type)->dtype;
    if (const ir::ConstInt* constant = AsConstInt(offset)) {
      return context().Int(constant->value / divisor, dtype);
    }
    return context().NewBinary(ir::BinaryOp::kFloorDiv, offset,
                               context().Int(divisor, dtype), offset->span);
  }

  const KnownOps& ops_;
};

}  // namespace

absl::StatusOr<const ir::Program*> BlockMxScaleTensorViews::Run(
    const ir::Program* program, PassContext& context) const {
  const KnownOps ops(context.ir->registry());
  Checker checker(*program, ops, context);
  for (const Function* function : program->functions) {
    if (!HasMark(*function, kMxTensorViewsBlocked)) {
      checker.CheckFunction(*function);
    }
  }
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return Blocker(ops, context.ir).RewriteProgram(program);
}

}  // namespace mxtile
