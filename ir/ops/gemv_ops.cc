#include "ir/ops/gemv_ops.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/matmul_rules.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tile_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using R = MatmulRole;
using Roles = std::vector<MatmulRole>;

DataType AccumulatorOf(DataType operand) {
  return IsFloat(operand) ? DataType::kFP32 : DataType::kInt32;
}

// ---- Vector times matrix

// The rows of one box of Acc.
constexpr int64_t kBoxRows = 16;

absl::StatusOr<const Type*> DeduceGemv(const OpCall& call, const Roles& roles,
                                       Context& context) {
  const int lhs = IndexOf(roles, R::kLhs);
  const int rhs = IndexOf(roles, R::kRhs);
  MX_RETURN_IF_ERROR(CheckSameElement(call, lhs, rhs));
  Product product = ProductOf(call.Tile(lhs), call.Tile(rhs));
  MX_RETURN_IF_ERROR(CheckSameK(call, product));
  if (KnownDifferent(product.m.physical, context.Index(1))) {
    return call.Error("MX-TILE-4", "lhs must be one row, [1, K], got ",
                      ShapeText(call.Tile(lhs).shape), "; use tile.matmul");
  }
  product.m.physical = context.Index(kBoxRows);
  const DataType dtype = AccumulatorOf(call.Tile(lhs).dtype);
  if (const int acc = IndexOf(roles, R::kAcc); acc >= 0) {
    MX_RETURN_IF_ERROR(CheckAcc(call, acc, product, dtype));
  }
  const DimVector shape = {product.m.physical, product.n.physical};
  const DimVector valid = {product.m.valid, product.n.valid};
  TileView view = ImplicitTileView(shape, MemorySpace::kAcc);
  view.valid_shape = valid;
  return MakeTile(context, shape, dtype, MemorySpace::kAcc, view);
}

void RegisterGemv(OpRegistry& registry, absl::string_view name,
                  const Roles& roles) {
  RegisterOp(registry, MatmulDef(name, roles),
             {MatmulArgs(roles),
              {{"acc_phase",
                KwargKind::kChoice,
                /*required=*/false,
                {"unspecified", "partial", "final"}}}},
             [roles](const OpCall& call, Context& context) {
               return DeduceGemv(call, roles, context);
             });
}

// ---- Batches of matrices

// Both dims, or their common extent.
absl::StatusOr<DimVector> BatchOf(const OpCall& call, Dims a, Dims b) {
  DimVector batch(a.begin(), a.end() - 2);
  DimVector other(b.begin(), b.end() - 2);
  if (other.size() > batch.size()) std::swap(batch, other);
  const size_t lead = batch.size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) {
    const Expr*& dim = batch[lead + i];
    if (IsConstant(dim, 1)) {
      dim = other[i];
    } else if (!IsConstant(other[i], 1) && KnownDifferent(dim, other[i])) {
      return call.Error("MX-TILE-1", "the batches of ", ShapeText(a), " and ",
                        ShapeText(b),
                        " do not broadcast; dimensions must be equal or 1");
    }
  }
  return batch;
}

absl::StatusOr<const Type*> DeduceBatchMatmul(const OpCall& call,
                                              const Roles& roles,
                                              Context& context) {
  for (int i = 0; i < call.num_args(); ++i) {
    MX_RETURN_IF_ERROR(CheckRank(call, i, 2));
  }
  const TileType& lhs = call.Tile(IndexOf(roles, R::kLhs));
  const TileType& rhs = call.Tile(IndexOf(roles, R::kRhs));
  const Expr* lhs_k = lhs.shape.back();
  const Expr* rhs_k = rhs.shape[rhs.shape.size() - 2];
  if (KnownDifferent(lhs_k, rhs_k)) {
    return call.Error("MX-MATMUL-4", "needs matching physical K, got lhs ",
                      ShapeText(lhs.shape), " and rhs ", ShapeText(rhs.shape),
                      "; pad the shorter operand");
  }
  MX_ASSIGN_OR_RETURN(DimVector shape, BatchOf(call, lhs.shape, rhs.shape));
  shape.push_back(lhs.shape[lhs.shape.size() - 2]);
  shape.push_back(rhs.shape.back());
  const DataType dtype = IsFloat(lhs.dtype) && IsFloat(rhs.dtype)
                             ? DataType::kFP32
                             : DataType::kInt32;
  if (const int acc = IndexOf(roles, R::kAcc); acc >= 0) {
    const Dims acc_shape = call.Tile(acc).shape;
    bool same = acc_shape.size() == shape.size();
    for (size_t i = 0; same && i < shape.size(); ++i) {
      same = !KnownDifferent(acc_shape[i], shape[i]);
    }
    if (!same) {
      return call.Error("MX-MATMUL-9", "acc must have the shape of the ",
                        "product, ", ShapeText(shape), ", got ",
                        ShapeText(acc_shape));
    }
    shape = ToVector(acc_shape);
  }
  return MakeTile(context, shape, dtype, MemorySpace::kAcc,
                  ImplicitTileView(shape, MemorySpace::kAcc));
}

void RegisterBatchMatmul(OpRegistry& registry, absl::string_view name,
                         const Roles& roles) {
  std::vector<ArgSpec> args = MatmulArgs(roles);
  for (ArgSpec& arg : args) arg.kind = ArgKind::kTile;
  RegisterOp(registry, MatmulDef(name, roles), {std::move(args)},
             [roles](const OpCall& call, Context& context) {
               return DeduceBatchMatmul(call, roles, context);
             });
}

}  // namespace

void RegisterGemvOps(OpRegistry& registry) {
  RegisterGemv(registry, "gemv", {R::kLhs, R::kRhs});
  RegisterGemv(registry, "gemv_acc", {R::kAcc, R::kLhs, R::kRhs});
  RegisterGemv(registry, "gemv_bias", {R::kLhs, R::kRhs, R::kBias});
  RegisterBatchMatmul(registry, "batch_matmul", {R::kLhs, R::kRhs});
  RegisterBatchMatmul(registry, "batch_matmul_acc",
                      {R::kAcc, R::kLhs, R::kRhs});
}

}  // namespace mxtile::ir
