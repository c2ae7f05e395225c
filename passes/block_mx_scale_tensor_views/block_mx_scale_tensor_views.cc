#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/type.h"
#include "passes/block_mx_scale_tensor_views/mx_blocking.h"
#include "passes/block_mx_scale_tensor_views/mx_operators.h"
#include "passes/block_mx_scale_tensor_views/mx_view_checker.h"
#include "passes/function_attrs.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"

namespace mxtile {
namespace {

using ir::AsConstInt;
using ir::Call;
using ir::CheckedCast;
using ir::DynCast;
using ir::Expr;
using ir::Function;
using ir::TensorType;
using ir::Type;

// The program has passed the checks: whatever is MX has the form that they ask
// for.
class Blocker : public ir::Rewriter {
 public:
  explicit Blocker(ir::Context* context)
      : Rewriter(context), ops_(context->registry()) {}

  const Function* RewriteFunction(const Function* function) override {
    if (HasMark(*function, kMxTensorViewsBlocked)) return function;
    return WithMark(*Rewriter::RewriteFunction(function), kMxTensorViewsBlocked,
                    &context());
  }

 protected:
  // A type that names a variable is first asked for behind its definition, so
  // an answer holds for good.
  const Type* RewriteType(const Type* type) override {
    const auto known = types_.find(type);
    if (known != types_.end()) return known->second;
    const Type* blocked = Blocked(Rewriter::RewriteType(type));
    types_.emplace(type, blocked);
    return blocked;
  }
  // A call's tensor and result are blocked already, its lists are not.
  const Expr* RewriteNode(const Expr* node) override {
    const Call* call = DynCast<Call>(node);
    if (call == nullptr || call->callee->def == nullptr) return node;
    if (call->callee->def == ops_.load) return BlockLoad(*call);
    if (call->callee->def == ops_.store) return BlockStore(*call);
    if (call->callee->def == ops_.view) return BlockView(*call);
    return node;
  }

 private:
  const Type* Blocked(const Type* type) {
    const TensorType* tensor = AsMxTensor(type);
    if (tensor == nullptr || tensor->shape.size() != 2) return type;
    const auto shape = BlockedShape(MxAxesOf(tensor->layout()), tensor->shape);
    ir::TensorView view = *tensor->view;
    view.stride = {};
    TensorType blocked = *tensor;
    blocked.shape = context().StaticDims(absl::MakeConstSpan(shape));
    blocked.view = &view;
    return context().GetTensorType(blocked);
  }

  const Expr* BlockLoad(const Call& call) {
    const TensorType* type = AsMxTensor(call.args[kTensorArg]->type);
    if (type == nullptr) return &call;
    const MxAxes axes = MxAxesOf(type->layout());
    std::vector<const Expr*> args(call.args.begin(), call.args.end());
    args[kOffsetsArg] = BlockedOffsets(*ListArg(call, kOffsetsArg), axes);
    args[kLoadShapesArg] = BlockedList(*ListArg(call, kLoadShapesArg), axes);
    // The window is whole; what is valid of it is known by the tile's type.
    if (args.size() > kValidShapeArg) {
      args[kValidShapeArg] = args[kLoadShapesArg];
    }
    return WithArgs(call, args);
  }

  const Expr* BlockStore(const Call& call) {
    const TensorType* type = AsMxTensor(call.args[kOutputArg]->type);
    if (type == nullptr) return &call;
    const MxAxes axes = MxAxesOf(type->layout());
    std::vector<const Expr*> args(call.args.begin(), call.args.end());
    args[kOffsetsArg] = BlockedOffsets(*ListArg(call, kOffsetsArg), axes);
    if (args.size() > kStoreShapesArg) {
      args[kStoreShapesArg] =
          BlockedList(*ListArg(call, kStoreShapesArg), axes);
    }
    return WithArgs(call, args);
  }

  const Expr* BlockView(const Call& call) {
    const TensorType* type = AsMxTensor(call.type);
    if (type == nullptr) return &call;
    std::vector<const Expr*> args(call.args.begin(), call.args.end());
    args[kViewShapeArg] =
        context().NewTuple(type->shape, args[kViewShapeArg]->span);
    return WithArgs(call, args);
  }

  const Expr* BlockedOffsets(const ir::Tuple& offsets, MxAxes axes) {
    const Expr* zero = context().Index(0);
    return context().NewTuple(
        context().ExprList(
            {zero, Quotient(offsets.elements[axes.block], kMxBlock),
             Quotient(offsets.elements[axes.group], kMxGroup), zero, zero}),
        offsets.span);
  }

  const Expr* BlockedList(const ir::Tuple& shape, MxAxes axes) {
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

  const Expr* WithArgs(const Call& call, const std::vector<const Expr*>& args) {
    Call copy = call;
    copy.args = context().List(args);
    return context().New(copy);
  }

  const MxOperators ops_;
  absl::flat_hash_map<const Type*, const Type*> types_;
};

}  // namespace

absl::StatusOr<const ir::Program*> BlockMxScaleTensorViews::Run(
    const ir::Program* program, PassContext& context) const {
  CheckMxViews(*program, options_, context);
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return Blocker(context.ir).RewriteProgram(program);
}

}  // namespace mxtile
