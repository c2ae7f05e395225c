#include "passes/block_nz_tensor_views/block_nz_tensor_views.h"

#include <cstddef>
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
#include "passes/block_nz_tensor_views/nz_blocking.h"
#include "passes/block_nz_tensor_views/nz_operators.h"
#include "passes/block_nz_tensor_views/nz_view_checker.h"
#include "passes/function_attrs.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"

namespace mxtile {
namespace {

using ir::AsConstInt;
using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::TensorType;
using ir::Type;

// The program has passed the checks: whatever is NZ has the form that they ask
// for.

// Blocks what loads and slices say about windows. The tensors stay: only their
// own shape tells which batch an offset is.
class WindowBlocker : public ir::Rewriter {
 public:
  explicit WindowBlocker(ir::Context* context)
      : Rewriter(context), ops_(context->registry()) {}

 protected:
  const Expr* RewriteNode(const Expr* node) override {
    const Call* call = DynCast<Call>(node);
    if (call == nullptr || call->callee->def == nullptr || call->args.empty() ||
        AsNzTensor(call->args[kNzTensor]->type) == nullptr) {
      return node;
    }
    if (call->callee->def == ops_.load) {
      return BlockWindow(*call, kNzLoadOffsets, kNzLoadShapes, kNzLoadValid);
    }
    if (call->callee->def == ops_.slice) {
      return BlockWindow(*call, kNzSliceOffsets, kNzSliceShapes, kNzSliceValid);
    }
    return node;
  }

 private:
  const Expr* BlockWindow(const Call& call, int offsets, int shapes,
                          int valid) {
    const auto& tensor = *AsNzTensor(call.args[kNzTensor]->type);
    std::vector<const Expr*> args(call.args.begin(), call.args.end());
    args[offsets] = BlockedOffsets(*ListArg(call, offsets), tensor);
    args[shapes] = BlockedList(*ListArg(call, shapes), tensor.dtype);
    if (call.callee->def == ops_.slice) {
      // Dropped axes have gone into the batches.
      const bool drops = args.size() > kNzSliceDrop;
      const ir::Tuple* stated = ListArg(call, valid);
      const bool keeps_valid =
          !drops && stated != nullptr && !stated->elements.empty();
      args.resize(keeps_valid ? kNzSliceValid + 1 : kNzSliceValid);
    }
    if (args.size() > static_cast<size_t>(valid)) {
      args[valid] = BlockedList(*ListArg(call, valid), tensor.dtype);
    }
    Call copy = call;
    copy.args = context().List(args);
    return context().New(copy);
  }

  const Expr* BlockedList(const ir::Tuple& shape, ir::DataType dtype) {
    return context().NewTuple(context().StaticDims(absl::MakeConstSpan(
                                  BlockedNzShape(shape.elements, dtype))),
                              shape.span);
  }

  const Expr* BlockedOffsets(const ir::Tuple& offsets,
                             const TensorType& tensor) {
    const ir::Exprs from = offsets.elements;
    const size_t rank = from.size();
    const Expr* zero = context().Index(0);
    return context().NewTuple(
        context().ExprList({BatchOf(from, tensor),
                            Quotient(from[rank - 1], NzColumns(tensor.dtype)),
                            Quotient(from[rank - 2], kNzRows), zero, zero}),
        offsets.span);
  }

  // The number of the batch: axes before the matrix, the last of them fastest.
  const Expr* BatchOf(ir::Exprs offsets, const TensorType& tensor) {
    const Expr* batch = context().Index(0);
    for (size_t axis = 0; axis + 2 < offsets.size(); ++axis) {
      batch = Sum(Product(batch, NzExtent(tensor.shape[axis])), offsets[axis]);
    }
    return batch;
  }
  const Expr* Product(const Expr* expr, int64_t factor) {
    const ir::ConstInt* constant = AsConstInt(expr);
    if (constant != nullptr) return context().Index(constant->value * factor);
    if (factor == 1) return expr;
    return context().NewBinary(ir::BinaryOp::kMul, expr,
                               context().Index(factor));
  }
  const Expr* Sum(const Expr* a, const Expr* b) {
    const ir::ConstInt* left = AsConstInt(a);
    const ir::ConstInt* right = AsConstInt(b);
    if (left != nullptr && left->value == 0) return b;
    if (right != nullptr && right->value == 0) return a;
    if (left != nullptr && right != nullptr) {
      return context().Index(left->value + right->value);
    }
    return context().NewBinary(ir::BinaryOp::kAdd, a, b);
  }

  // The offset is computed at its own width first and divided then.
  const Expr* Quotient(const Expr* offset, int64_t divisor) {
    const ir::DataType dtype =
        ir::CheckedCast<ir::ScalarType>(offset->type)->dtype;
    if (const ir::ConstInt* constant = AsConstInt(offset)) {
      return context().Int(constant->value / divisor, dtype);
    }
    return context().NewBinary(ir::BinaryOp::kFloorDiv, offset,
                               context().Int(divisor, dtype), offset->span);
  }

  const NzOperators ops_;
};

// Blocks the tensors themselves.
class TypeBlocker : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

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

 private:
  const Type* Blocked(const Type* type) {
    const TensorType* tensor = AsNzTensor(type);
    if (tensor == nullptr) return type;
    ir::TensorView view = *tensor->view;
    view.stride = {};
    TensorType blocked = *tensor;
    blocked.shape = context().StaticDims(
        absl::MakeConstSpan(BlockedNzShape(tensor->shape, tensor->dtype)));
    blocked.view = &view;
    return context().GetTensorType(blocked);
  }

  absl::flat_hash_map<const Type*, const Type*> types_;
};

const ir::Function* Blocked(const ir::Function* function,
                            ir::Context* context) {
  const ir::Function* windows =
      WindowBlocker(context).RewriteFunction(function);
  const ir::Function* blocked = TypeBlocker(context).RewriteFunction(windows);
  if (blocked == function) return function;
  return WithMark(*blocked, kNzTensorViewsBlocked, context);
}

}  // namespace

absl::StatusOr<const ir::Program*> BlockNzTensorViews::Run(
    const ir::Program* program, PassContext& context) const {
  const auto is_done = [](const ir::Function* function) {
    return HasMark(*function, kNzTensorViewsBlocked);
  };
  for (const ir::Function* function : program->functions) {
    if (!is_done(function)) CheckNzViews(*program, *function, context);
  }
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  std::vector<const ir::Function*> functions;
  for (const ir::Function* function : program->functions) {
    functions.push_back(is_done(function) ? function
                                          : Blocked(function, context.ir));
  }
  return WithFunctions(program, functions, context.ir);
}

}  // namespace mxtile
