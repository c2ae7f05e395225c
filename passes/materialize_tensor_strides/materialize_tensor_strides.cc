#include "passes/materialize_tensor_strides/materialize_tensor_strides.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "ir/type_walk.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {
namespace {

using ir::DynCast;
using ir::TensorLayout;
using ir::TensorType;
using ir::Type;

// Whether this pass has strides to give to the type.
bool LacksStrides(const TensorType& tensor) {
  return tensor.view != nullptr && tensor.view->stride.empty() &&
         !tensor.shape.empty();
}

// ---- Strides

const ir::Expr* Product(ir::Context& context, const ir::Expr* a,
                        const ir::Expr* b) {
  const ir::ConstInt* x = ir::AsConstInt(a);
  const ir::ConstInt* y = ir::AsConstInt(b);
  if (x != nullptr && x->value == 1) return b;
  if (y != nullptr && y->value == 1) return a;
  int64_t product;
  if (x != nullptr && y != nullptr &&
      !__builtin_mul_overflow(x->value, y->value, &product)) {
    return context.Index(product);
  }
  return context.NewBinary(ir::BinaryOp::kMul, a, b);
}

std::vector<const ir::Expr*> PackedStrides(const TensorType& tensor,
                                           ir::Context& context) {
  const size_t rank = tensor.shape.size();
  // The axes from the one that is contiguous outwards.
  std::vector<size_t> axes(rank);
  for (size_t i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
  if (tensor.layout() == TensorLayout::kDN) std::swap(axes[0], axes[1]);

  std::vector<const ir::Expr*> strides(rank);
  const ir::Expr* step = context.Index(1);
  for (const size_t axis : axes) {
    strides[axis] = step;
    step = Product(context, step, tensor.shape[axis]);
  }
  return strides;
}

// ---- What has no strides

bool IsConstant(const ir::Expr* dim, int64_t value) {
  const ir::ConstInt* constant = ir::AsConstInt(dim);
  return constant != nullptr && constant->value == value;
}

bool IsBlockedNz(const TensorType& tensor) {
  const int64_t elements_in_32_bytes = 256 / ir::BitWidth(tensor.dtype);
  return tensor.shape.size() == 5 && IsConstant(tensor.shape[3], 16) &&
         IsConstant(tensor.shape[4], elements_in_32_bytes);
}

class TypeChecker {
 public:
  explicit TypeChecker(ir::DiagnosticSink* sink) : sink_(sink) {}

  void CheckFunction(const ir::Function& function) {
    for (const ir::Var* param : function.params) {
      Check(param->type, param->span);
    }
    for (const Type* type : function.return_types) Check(type, function.span);
    ir::ForEachStmt(function.body, [this](const ir::Stmt* stmt) {
      ir::ForEachDefinition(
          *stmt, [&](const ir::Var* var) { Check(var->type, stmt->span); });
      ir::ForEachRootExpr(*stmt, [&](const ir::Expr* root) {
        ir::PostOrder(
            root, [&](const ir::Expr* expr) { Check(expr->type, stmt->span); });
      });
    });
  }

 private:
  // Reports each type once, where it stands first.
  void Check(const Type* type, ir::SourceSpan place) {
    if (!seen_.insert(type).second) return;
    ir::ForEachLeafType(*type, [&](const Type& leaf) {
      const TensorType* tensor = DynCast<TensorType>(&leaf);
      if (tensor != nullptr && LacksStrides(*tensor)) {
        CheckTensor(*tensor, place);
      }
    });
  }

  void CheckTensor(const TensorType& tensor, ir::SourceSpan place) {
    const TensorLayout layout = tensor.layout();
    if (layout == TensorLayout::kNZ && !IsBlockedNz(tensor)) {
      sink_->Error(
          "MX-STRIDE-1", place,
          absl::StrCat(ir::PrintType(&tensor),
                       " is not in its blocked form [b, C/c0, R/16, "
                       "16, c0]; run PyPTO's block_nz_tensor_views first"));
    }
    if (layout == TensorLayout::kDN && tensor.shape.size() < 2) {
      sink_->Error("MX-STRIDE-2", place,
                   absl::StrCat(ir::PrintType(&tensor),
                                " has no two axes to swap; use layout ND"));
    }
  }

  ir::DiagnosticSink* sink_;
  absl::flat_hash_set<const Type*> seen_;
};

absl::Status CheckTypes(const ir::Program& program, ir::DiagnosticSink* sink) {
  TypeChecker checker(sink);
  for (const ir::Function* function : program.functions) {
    checker.CheckFunction(*function);
  }
  return sink->ToStatus();
}

// ---- Rewrite

class StrideFiller : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  const Type* RewriteType(const Type* type) override {
    type = Rewriter::RewriteType(type);
    const TensorType* tensor = DynCast<TensorType>(type);
    if (tensor == nullptr || !LacksStrides(*tensor)) return type;
    const std::vector<const ir::Expr*> strides =
        PackedStrides(*tensor, context());
    ir::TensorView view = *tensor->view;
    view.stride = strides;
    TensorType filled = *tensor;
    filled.view = &view;
    return context().GetTensorType(filled);
  }
};

PropertySet Preserved() {
  return {Property::kSsaForm, Property::kIncoreTileOps, Property::kTileOps2D,
          Property::kTileMemoryInferred, Property::kTensorViewCanonicalWeak};
}

}  // namespace

PropertySet MaterializeTensorStrides::required() const { return Preserved(); }

PropertySet MaterializeTensorStrides::produced() const {
  PropertySet produced = Preserved();
  produced.Insert(Property::kTensorViewCanonical);
  return produced;
}

absl::StatusOr<const ir::Program*> MaterializeTensorStrides::Run(
    const ir::Program* program, PassContext& context) const {
  MX_RETURN_IF_ERROR(CheckTypes(*program, context.sink));
  return StrideFiller(context.ir).RewriteProgram(program);
}

}  // namespace mxtile
