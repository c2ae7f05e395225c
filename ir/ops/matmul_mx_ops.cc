#include "ir/ops/matmul_mx_ops.h"

#include <cstdint>
#include <optional>
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
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using Roles = std::vector<MatmulRole>;

// The axis of lhs, and of its scales, that runs along K; likewise for rhs.
constexpr int kLhsKAxis = 1;
constexpr int kRhsKAxis = 0;

int64_t GroupCount(int64_t k) { return k / kMxGroup + (k % kMxGroup != 0); }

// ---- Operands

absl::Status CheckDataType(const OpCall& call, absl::string_view rule,
                           int index) {
  const DataType dtype = call.Tile(index).dtype;
  if (dtype == DataType::kFP8E4M3FN) return absl::OkStatus();
  const std::string advice =
      dtype == DataType::kFP4
          ? "; the cube has no FP4 product, cast it to FP8E4M3FN with pl.cast "
            "first"
          : "; quantise it to FP8E4M3FN";
  return call.Error(rule, "needs ", call.ArgName(index),
                    " dtype FP8E4M3FN, got ", DataTypeName(dtype), advice);
}

absl::Status CheckScaleType(const OpCall& call, absl::string_view rule,
                            int index) {
  const DataType dtype = call.Tile(index).dtype;
  if (dtype == DataType::kFP8E8M0) return absl::OkStatus();
  return call.Error(rule, "needs ", call.ArgName(index), " dtype FP8E8M0, got ",
                    DataTypeName(dtype),
                    "; tile.move to the scale space turns UINT8 scales into "
                    "FP8E8M0");
}

// The scale groups that each extent along K needs. What a symbolic K needs is
// not known: the physical count is then that of the scale tile itself, and all
// its groups count as valid.
Axis NeededGroups(const Axis& k, const Axis& scale, Context& context) {
  Axis groups = {scale.physical, nullptr};
  if (const std::optional<int64_t> physical = ConstantOf(k.physical)) {
    groups.physical = context.Index(GroupCount(*physical));
  }
  const std::optional<int64_t> valid = ConstantOf(k.valid);
  groups.valid =
      valid.has_value() ? context.Index(GroupCount(*valid)) : groups.physical;
  return groups;
}

absl::Status CheckScaleExtents(const OpCall& call, absl::string_view rule,
                               int scale_index, int data_index, int k_axis,
                               Context& context) {
  const TileType& scale = call.Tile(scale_index);
  const TileType& data = call.Tile(data_index);
  Axis needed[2];
  for (int axis = 0; axis < 2; ++axis) {
    const Axis extents = AxisOf(data, axis);
    needed[axis] = axis == k_axis
                       ? NeededGroups(extents, AxisOf(scale, axis), context)
                       : extents;
  }
  const std::string& name = call.ArgName(scale_index);
  const std::string why =
      absl::StrCat("one scale for ", kMxGroup, " elements of K of ",
                   call.ArgName(data_index), " ", ShapeText(data.shape));
  constexpr absl::string_view kAxisNames[] = {" rows", " cols"};
  for (int axis = 0; axis < 2; ++axis) {
    MX_RETURN_IF_ERROR(CheckExtent(
        call, {rule, absl::StrCat(name, " physical", kAxisNames[axis]), why},
        needed[axis].physical, scale.shape[axis]));
  }
  for (int axis = 0; axis < 2; ++axis) {
    MX_RETURN_IF_ERROR(CheckExtent(
        call, {rule, absl::StrCat(name, " valid", kAxisNames[axis]), why},
        needed[axis].valid, AxisOf(scale, axis).valid));
  }
  return absl::OkStatus();
}

// ---- The product

absl::Status CheckMultiple(const OpCall& call, absl::string_view operand,
                           absl::string_view dim, const Expr* extent,
                           int64_t divisor) {
  const std::optional<int64_t> value = ConstantOf(extent);
  if (!value.has_value() || (*value > 0 && *value % divisor == 0)) {
    return absl::OkStatus();
  }
  return call.Error("MX-MATMUL-3", "needs physical ", dim, " divisible by ",
                    divisor, " for fp8e4m3fn, and positive, got ", operand, " ",
                    dim, "=", *value,
                    "; pad the tile and narrow its valid_shape");
}

absl::Status CheckPhysicalExtents(const OpCall& call, const Product& product) {
  MX_RETURN_IF_ERROR(CheckMultiple(call, "lhs", "M", product.m.physical, 16));
  MX_RETURN_IF_ERROR(CheckMultiple(call, "rhs", "N", product.n.physical, 32));
  MX_RETURN_IF_ERROR(CheckSameK(call, product));
  MX_RETURN_IF_ERROR(
      CheckMultiple(call, "lhs", "K", product.lhs_k.physical, 64));
  return CheckMultiple(call, "rhs", "K", product.rhs_k.physical, 64);
}

absl::Status CheckValidK(const OpCall& call, absl::string_view operand,
                         const Axis& k) {
  const std::optional<int64_t> valid = ConstantOf(k.valid);
  if (!valid.has_value()) return absl::OkStatus();
  if (*valid <= 0) {
    return call.Error("MX-MATMUL-6", "needs positive valid K, got ", operand,
                      " valid K=", *valid, "; skip the product instead");
  }
  const std::optional<int64_t> physical = ConstantOf(k.physical);
  if (physical.has_value() && GroupCount(*valid) != GroupCount(*physical)) {
    return call.Error("MX-MATMUL-7",
                      "needs one scale-group count for physical and valid K, "
                      "got ",
                      operand, " physical K=", *physical, " of ",
                      GroupCount(*physical), " groups and valid K=", *valid,
                      " of ", GroupCount(*valid),
                      "; use a tile with a smaller K");
  }
  return absl::OkStatus();
}

absl::Status CheckValidExtents(const OpCall& call, const Product& product) {
  if (KnownDifferent(product.lhs_k.valid, product.rhs_k.valid)) {
    return call.Error("MX-MATMUL-5", "needs matching valid K, got lhs valid K=",
                      *ConstantOf(product.lhs_k.valid),
                      " and rhs valid K=", *ConstantOf(product.rhs_k.valid));
  }
  MX_RETURN_IF_ERROR(CheckValidK(call, "lhs", product.lhs_k));
  return CheckValidK(call, "rhs", product.rhs_k);
}

absl::Status CheckMxScales(const OpCall& call, const Roles& roles,
                           Context& context) {
  const int lhs_scale = IndexOf(roles, MatmulRole::kLhsScale);
  const int rhs_scale = IndexOf(roles, MatmulRole::kRhsScale);
  MX_RETURN_IF_ERROR(CheckScaleType(call, "MX-MATMUL-2", lhs_scale));
  MX_RETURN_IF_ERROR(CheckScaleType(call, "MX-MATMUL-2", rhs_scale));
  if (call.Arg(lhs_scale) == call.Arg(rhs_scale)) {
    return call.Error("MX-MATMUL-11",
                      "lhs_scale and rhs_scale must be different tiles; the "
                      "sides have scale memories of their own, load it twice");
  }
  MX_RETURN_IF_ERROR(CheckScaleExtents(call, "MX-MATMUL-8", lhs_scale,
                                       IndexOf(roles, MatmulRole::kLhs),
                                       kLhsKAxis, context));
  return CheckScaleExtents(call, "MX-MATMUL-8", rhs_scale,
                           IndexOf(roles, MatmulRole::kRhs), kRhsKAxis,
                           context);
}

// ---- Acc and bias

absl::Status CheckMxAcc(const OpCall& call, int index, const Product& product) {
  MX_RETURN_IF_ERROR(CheckAcc(call, index, product, DataType::kFP32));
  const TileType& acc = call.Tile(index);
  const std::string why = "the valid part of the product";
  MX_RETURN_IF_ERROR(CheckExtent(call, {"MX-MATMUL-9", "acc valid rows", why},
                                 product.m.valid, AxisOf(acc, 0).valid));
  return CheckExtent(call, {"MX-MATMUL-9", "acc valid cols", why},
                     product.n.valid, AxisOf(acc, 1).valid);
}

absl::Status CheckMxBias(const OpCall& call, int index, const Product& product,
                         Context& context) {
  MX_RETURN_IF_ERROR(CheckBias(call, index, product, DataType::kFP32, context));
  return CheckExtent(
      call,
      {"MX-MATMUL-10", "bias valid cols", "the valid part of the product"},
      product.n.valid, AxisOf(call.Tile(index), 1).valid);
}

absl::StatusOr<const Type*> DeduceMatmulMx(const OpCall& call,
                                           const Roles& roles,
                                           Context& context) {
  const int lhs = IndexOf(roles, MatmulRole::kLhs);
  const int rhs = IndexOf(roles, MatmulRole::kRhs);
  const Product product = ProductOf(call.Tile(lhs), call.Tile(rhs));
  MX_RETURN_IF_ERROR(CheckDataType(call, "MX-MATMUL-1", lhs));
  MX_RETURN_IF_ERROR(CheckDataType(call, "MX-MATMUL-1", rhs));
  MX_RETURN_IF_ERROR(CheckPhysicalExtents(call, product));
  MX_RETURN_IF_ERROR(CheckValidExtents(call, product));
  MX_RETURN_IF_ERROR(CheckMxScales(call, roles, context));
  if (const int bias = IndexOf(roles, MatmulRole::kBias); bias >= 0) {
    MX_RETURN_IF_ERROR(CheckMxBias(call, bias, product, context));
  }
  if (const int acc = IndexOf(roles, MatmulRole::kAcc); acc >= 0) {
    MX_RETURN_IF_ERROR(CheckMxAcc(call, acc, product));
    return AccumulatedType(call.Tile(acc), context);
  }
  return ProductType(product, DataType::kFP32, context);
}

// ---- tile.tget_scale_addr

absl::StatusOr<const Type*> DeduceScaleAddress(const OpCall& call,
                                               Context& context) {
  constexpr int kScale = 0;
  constexpr int kData = 1;
  const TileType& scale = call.Tile(kScale);
  const TileType& data = call.Tile(kData);
  MX_RETURN_IF_ERROR(CheckScaleType(call, "MX-BIND-1", kScale));
  MX_RETURN_IF_ERROR(CheckDataType(call, "MX-BIND-2", kData));
  if (!scale.space.has_value() || !data.space.has_value()) {
    return call.Error("MX-BIND-3",
                      "needs resolved dst_scale and src memory spaces; run "
                      "infer_tile_memory_space first");
  }
  const bool is_left = scale.space == MemorySpace::kLeftScale &&
                       data.space == MemorySpace::kLeft;
  const bool is_right = scale.space == MemorySpace::kRightScale &&
                        data.space == MemorySpace::kRight;
  if (!is_left && !is_right) {
    return call.Error(
        "MX-BIND-4",
        "pairs LeftScale with Left and RightScale with Right, got "
        "dst_scale in ",
        EnumName(*scale.space), " and src in ", EnumName(*data.space));
  }
  MX_RETURN_IF_ERROR(CheckScaleExtents(call, "MX-BIND-5", kScale, kData,
                                       is_left ? kLhsKAxis : kRhsKAxis,
                                       context));
  return &scale;
}

// ---- Registration

void RegisterMatmulMx(OpRegistry& registry, absl::string_view name,
                      const Roles& roles) {
  OpDef def = MatmulDef(name, roles);
  def.mx_pairs = {
      {IndexOf(roles, MatmulRole::kLhs), IndexOf(roles, MatmulRole::kLhsScale)},
      {IndexOf(roles, MatmulRole::kRhs),
       IndexOf(roles, MatmulRole::kRhsScale)}};
  RegisterOp(registry, std::move(def), {MatmulArgs(roles)},
             [roles](const OpCall& call, Context& context) {
               return DeduceMatmulMx(call, roles, context);
             });
}

void RegisterScaleAddress(OpRegistry& registry) {
  OpDef def;
  def.name = "tile.tget_scale_addr";
  def.compiler_only = true;
  def.result_space = ResultSpace::kFirstInput;
  def.result_aliases_arg = 0;
  def.has_effect = true;
  RegisterOp(registry, std::move(def),
             {{{"dst_scale", ArgKind::kMatrix}, {"src", ArgKind::kMatrix}}},
             DeduceScaleAddress);
}

}  // namespace

void RegisterMatmulMxOps(OpRegistry& registry) {
  using R = MatmulRole;
  RegisterMatmulMx(registry, "matmul_mx",
                   {R::kLhs, R::kLhsScale, R::kRhs, R::kRhsScale});
  RegisterMatmulMx(registry, "matmul_mx_acc",
                   {R::kAcc, R::kLhs, R::kLhsScale, R::kRhs, R::kRhsScale});
  RegisterMatmulMx(registry, "matmul_mx_bias",
                   {R::kLhs, R::kLhsScale, R::kRhs, R::kRhsScale, R::kBias});
  RegisterScaleAddress(registry);
}

}  // namespace mxtile::ir
