#include "ir/ops/matmul_ops.h"

#include <algorithm>
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
#include "ir/expr.h"
#include "ir/ops/matmul_rules.h"
#include "ir/ops/op_signature.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using Roles = std::vector<MatmulRole>;

DataType AccumulatorOf(DataType operand) {
  return IsFloat(operand) ? DataType::kFP32 : DataType::kInt32;
}

absl::Status CheckOperands(const OpCall& call, const TileType& lhs,
                           const TileType& rhs, const Product& product) {
  if (lhs.dtype != rhs.dtype) {
    return call.Error("MX-MATMUL-12",
                      "needs one element type for lhs and rhs, got ",
                      DataTypeName(lhs.dtype), " and ", DataTypeName(rhs.dtype),
                      "; cast one of them");
  }
  MX_RETURN_IF_ERROR(CheckSameK(call, product));
  return CheckExtentCovers(call,
                           {"MX-MATMUL-5", "rhs valid K",
                            "the cube reads the valid K of lhs on both sides"},
                           product.lhs_k.valid, product.rhs_k.valid);
}

absl::Status CheckValidCover(const OpCall& call, absl::string_view rule,
                             const std::string& role, const Axis& axis,
                             absl::string_view extent, const Expr* needed) {
  return CheckExtentCovers(call,
                           {rule, absl::StrCat(role, " valid ", extent),
                            "the valid part of the product"},
                           needed, axis.valid);
}

absl::StatusOr<const Type*> DeduceMatmul(const OpCall& call, const Roles& roles,
                                         Context& context) {
  const TileType& lhs = call.Tile(IndexOf(roles, MatmulRole::kLhs));
  const TileType& rhs = call.Tile(IndexOf(roles, MatmulRole::kRhs));
  const Product product = ProductOf(lhs, rhs);
  const DataType dtype = AccumulatorOf(lhs.dtype);
  MX_RETURN_IF_ERROR(CheckOperands(call, lhs, rhs, product));
  if (const int index = IndexOf(roles, MatmulRole::kBias); index >= 0) {
    MX_RETURN_IF_ERROR(CheckBias(call, index, product, dtype, context));
    MX_RETURN_IF_ERROR(CheckValidCover(call, "MX-MATMUL-10", "bias",
                                       AxisOf(call.Tile(index), 1), "cols",
                                       product.n.valid));
  }
  if (const int index = IndexOf(roles, MatmulRole::kAcc); index >= 0) {
    const TileType& acc = call.Tile(index);
    MX_RETURN_IF_ERROR(CheckAcc(call, index, product, dtype));
    MX_RETURN_IF_ERROR(CheckValidCover(
        call, "MX-MATMUL-9", "acc", AxisOf(acc, 0), "rows", product.m.valid));
    MX_RETURN_IF_ERROR(CheckValidCover(
        call, "MX-MATMUL-9", "acc", AxisOf(acc, 1), "cols", product.n.valid));
    return AccumulatedType(acc, context);
  }
  return ProductType(product, dtype, context);
}

// pl.matmul has keywords for tensors. On tiles those pass that change nothing:
// the type that the cube gives anyway, and no transposition.
void DropTensorKwargs(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
                      Context& context) {
  // All data has one type; the acc comes first.
  const auto* data =
      args.size() < 2 ? nullptr : DynCast<TileType>(args[1]->type);
  const auto changes_nothing = [data](const Attr& kwarg) {
    if (kwarg.name == "out_dtype") {
      return data != nullptr &&
             kwarg.value.data_type == AccumulatorOf(data->dtype);
    }
    const bool is_flag = kwarg.name == "a_trans" || kwarg.name == "b_trans" ||
                         kwarg.name == "c_matrix_nz";
    return is_flag && !kwarg.value.bool_value;
  };
  kwargs.erase(std::remove_if(kwargs.begin(), kwargs.end(), changes_nothing),
               kwargs.end());
}

void RegisterMatmul(OpRegistry& registry, absl::string_view name,
                    const Roles& roles, std::vector<ArgSpec> more_args = {}) {
  std::vector<ArgSpec> args = MatmulArgs(roles);
  args.insert(args.end(), more_args.begin(), more_args.end());
  OpDef def = MatmulDef(name, roles);
  def.fill_defaults = DropTensorKwargs;
  RegisterOp(registry, std::move(def), {std::move(args)},
             [roles](const OpCall& call, Context& context) {
               return DeduceMatmul(call, roles, context);
             });
}

}  // namespace

void RegisterMatmulOps(OpRegistry& registry) {
  using R = MatmulRole;
  RegisterMatmul(registry, "matmul", {R::kLhs, R::kRhs});
  RegisterMatmul(registry, "matmul_acc", {R::kAcc, R::kLhs, R::kRhs},
                 {{"init_cond", ArgKind::kCondition, /*optional=*/true}});
  RegisterMatmul(registry, "matmul_bias", {R::kLhs, R::kRhs, R::kBias});
}

}  // namespace mxtile::ir
