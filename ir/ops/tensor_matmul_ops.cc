#include "ir/ops/tensor_matmul_ops.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/ops/elementwise_rules.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ExprVector = std::vector<const Expr*>;

// A factor by what its dims are: batch, then the one that stays in the product
// (null for a vector) and the one that is summed over.
struct Factor {
  Exprs batch;
  const Expr* kept = nullptr;
  const Expr* summed = nullptr;
};

// On the left [..., kept, summed], on the right [..., summed, kept]; transposed
// the other way round.
absl::StatusOr<Factor> FactorOf(const OpCall& call, int index, bool is_left,
                                absl::string_view transposed_kwarg) {
  const Dims shape = call.Tensor(index).shape;
  const bool transposed = call.BoolKwarg(transposed_kwarg);
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, index, 1));
  if (shape.size() == 1) {
    if (!transposed) return Factor{{}, nullptr, shape[0]};
    return call.Error("MX-TENSOR-4", transposed_kwarg,
                      " does not apply to a vector; leave it out");
  }
  const size_t rank = shape.size();
  const bool kept_first = is_left != transposed;
  return Factor{shape.subspan(0, rank - 2),
                shape[kept_first ? rank - 2 : rank - 1],
                shape[kept_first ? rank - 1 : rank - 2]};
}

absl::StatusOr<ExprVector> ProductShape(const OpCall& call, const Factor& lhs,
                                        const Factor& rhs, Context& context) {
  MX_RETURN_IF_ERROR(
      CheckSameExtent(call, "lhs K", lhs.summed, "rhs K", rhs.summed));
  const bool is_batched = !lhs.batch.empty() || !rhs.batch.empty();
  if (is_batched && (lhs.kept == nullptr || rhs.kept == nullptr)) {
    return call.Error("MX-TENSOR-4",
                      "a product of many matrices needs two dims or more on "
                      "either side; reshape the vector to a matrix");
  }
  auto shape = BroadcastShape(lhs.batch, rhs.batch, context);
  if (!shape.has_value()) {
    return call.Error("MX-TENSOR-1", "needs leading dims that broadcast, got ",
                      ShapeText(lhs.batch), " and ", ShapeText(rhs.batch));
  }
  if (lhs.kept != nullptr) shape->push_back(lhs.kept);
  if (rhs.kept != nullptr) shape->push_back(rhs.kept);
  return *std::move(shape);
}

absl::StatusOr<const Type*> DeduceMatmul(const OpCall& call, Context& context) {
  MX_ASSIGN_OR_RETURN(const Factor lhs, FactorOf(call, 0, true, "a_trans"));
  MX_ASSIGN_OR_RETURN(const Factor rhs, FactorOf(call, 1, false, "b_trans"));
  MX_ASSIGN_OR_RETURN(const ExprVector shape,
                      ProductShape(call, lhs, rhs, context));
  const DataType dtype =
      call.DataTypeKwarg("out_dtype")
          .value_or(PromotedType(call.Tensor(0).dtype, call.Tensor(1).dtype));
  return FreshTensor(shape, dtype, context);
}

absl::Status CheckAccumulator(const OpCall& call, const ExprVector& product) {
  const TensorType& acc = call.Tensor(0);
  const DataType needed =
      IsFloat(call.Tensor(1).dtype) ? DataType::kFP32 : DataType::kInt32;
  MX_RETURN_IF_ERROR(CheckSameType(call, 0, needed));
  bool fits = acc.shape.size() == product.size();
  for (size_t i = 0; fits && i < product.size(); ++i) {
    fits = !KnownDifferent(acc.shape[i], product[i]);
  }
  if (fits) return absl::OkStatus();
  return call.Error("MX-TENSOR-1", "acc must have the shape of the product, ",
                    ShapeText(product), ", got ", ShapeText(acc.shape));
}

absl::StatusOr<const Type*> DeduceMatmulAcc(const OpCall& call,
                                            Context& context) {
  for (int i = 0; i < 3; ++i) {
    MX_RETURN_IF_ERROR(CheckRankAtLeast(call, i, 2));
  }
  MX_RETURN_IF_ERROR(CheckSameType(call, 2, call.Tensor(1).dtype));
  MX_ASSIGN_OR_RETURN(const Factor lhs, FactorOf(call, 1, true, "a_trans"));
  MX_ASSIGN_OR_RETURN(const Factor rhs, FactorOf(call, 2, false, "b_trans"));
  MX_ASSIGN_OR_RETURN(const ExprVector shape,
                      ProductShape(call, lhs, rhs, context));
  MX_RETURN_IF_ERROR(CheckAccumulator(call, shape));
  return FreshTensor(call.Tensor(0).shape, call.Tensor(0).dtype, context);
}

}  // namespace

void RegisterTensorMatmulOps(OpRegistry& registry) {
  RegisterOp(registry, UnifiedTensorOp("matmul"),
             {{{"lhs", ArgKind::kPlainTensor}, {"rhs", ArgKind::kPlainTensor}},
              {{"out_dtype", KwargKind::kDataType},
               {"a_trans", KwargKind::kBool},
               {"b_trans", KwargKind::kBool},
               {"c_matrix_nz", KwargKind::kBool}}},
             DeduceMatmul);
  OpDef acc = UnifiedTensorOp("matmul_acc");
  acc.front_order = {"acc", "lhs", "rhs", "a_trans", "b_trans", "init_cond"};
  RegisterOp(registry, std::move(acc),
             {{{"acc", ArgKind::kPlainTensor},
               {"lhs", ArgKind::kPlainTensor},
               {"rhs", ArgKind::kPlainTensor},
               {"init_cond", ArgKind::kCondition, /*optional=*/true}},
              {{"a_trans", KwargKind::kBool}, {"b_trans", KwargKind::kBool}}},
             DeduceMatmulAcc);
}

}  // namespace mxtile::ir
