#include "ir/ops/tensor_reduction_ops.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

// ---- Reductions

struct ReductionRules {
  int axis = -1;                       // Unless the kwarg says otherwise.
  std::optional<DataType> dtype = {};  // Else that of the input.
  std::vector<DataType> types = {};    // Empty: any.
};

absl::Status CheckNotEmpty(const OpCall& call, Dims valid) {
  for (size_t i = 0; i < valid.size(); ++i) {
    if (!IsConstant(valid[i], 0)) continue;
    return call.Error("MX-TENSOR-8", "of axis ", i, " nothing is valid, got ",
                      ShapeText(valid), "; there is nothing to reduce");
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceReduction(const OpCall& call,
                                            const ReductionRules& rules,
                                            Context& context) {
  const TensorType& input = call.Tensor(0);
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, 0, rules.axis == -1 ? 1 : 2));
  if (!rules.types.empty()) {
    MX_RETURN_IF_ERROR(CheckElementType(call, 0, rules.types));
  }
  MX_ASSIGN_OR_RETURN(
      const int axis,
      AxisWithin(call, call.IntKwarg("axis").value_or(rules.axis),
                 input.shape.size()));
  const Dims valid = EffectiveValidShape(input);
  MX_RETURN_IF_ERROR(CheckNotEmpty(call, valid));
  const bool keep =
      call.Kwarg("keep_dim") == nullptr || call.BoolKwarg("keep_dim");
  const DataType dtype = rules.dtype.value_or(input.dtype);
  const auto shape = ReducedShape(input.shape, axis, keep, context);
  if (shape.empty()) return context.GetScalarType(dtype);
  return FreshTensor(shape, ReducedShape(valid, axis, keep, context), dtype,
                     context);
}

void RegisterReduction(OpRegistry& registry, absl::string_view name,
                       ReductionRules rules) {
  RegisterOp(registry, UnifiedTensorOp(name),
             {{{"input", ArgKind::kPlainTensor}},
              {{"axis", KwargKind::kInt}, {"keep_dim", KwargKind::kBool}}},
             [rules = std::move(rules)](const OpCall& call, Context& context) {
               return DeduceReduction(call, rules, context);
             });
}

void RegisterReductions(OpRegistry& registry, absl::string_view prefix,
                        int axis) {
  for (const char* name : {"sum", "max", "min", "prod"}) {
    ReductionRules rules = {axis};
    if (axis == -1 && absl::string_view(name) == "min") {
      rules.types = {DataType::kInt16, DataType::kInt32, DataType::kFP16,
                     DataType::kFP32};
    }
    RegisterReduction(registry, absl::StrCat(prefix, "_", name), rules);
  }
  for (const char* name : {"argmax", "argmin"}) {
    RegisterReduction(registry, absl::StrCat(prefix, "_", name),
                      {axis, DataType::kInt32});
  }
}

// ---- Expansions

// A vector that is repeated: which of the last two dims is 1, and what it is
// called. The other dim is that of the tensor.
struct Repeated {
  absl::string_view vector;
  size_t ones_from_end;
  size_t same_from_end;
  absl::string_view same;
};
constexpr Repeated kRow = {"row_vec", 1, 2, "rows"};
constexpr Repeated kCol = {"col_vec", 2, 1, "cols"};

const Expr* FromEnd(Dims shape, size_t distance) {
  return shape[shape.size() - distance];
}

absl::StatusOr<const Type*> DeduceExpand(const OpCall& call,
                                         const Repeated& repeated,
                                         Context& context) {
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, 1, 2));
  const TensorType& tensor = call.Tensor(0);
  const TensorType& vector = call.Tensor(1);
  if (!IsConstant(FromEnd(vector.shape, repeated.ones_from_end), 1)) {
    return call.Error("MX-TENSOR-1", repeated.vector,
                      repeated.ones_from_end == 1 ? " must be [..., M, 1]"
                                                  : " must be [..., 1, N]",
                      ", got ", ShapeText(vector.shape));
  }
  MX_RETURN_IF_ERROR(CheckSameExtent(
      call, absl::StrCat("the ", repeated.same, " of ", repeated.vector),
      FromEnd(vector.shape, repeated.same_from_end),
      absl::StrCat("those of ", call.ArgName(0)),
      FromEnd(tensor.shape, repeated.same_from_end)));
  return FreshTensor(tensor.shape, PromotedType(tensor.dtype, vector.dtype),
                     context);
}

absl::StatusOr<const Type*> DeduceRowExpandAdd(const OpCall& call,
                                               Context& context) {
  MX_ASSIGN_OR_RETURN(const Type* result, DeduceExpand(call, kRow, context));
  MX_RETURN_IF_ERROR(CheckSameType(call, 1, call.Tensor(0).dtype));
  MX_RETURN_IF_ERROR(
      CheckElementType(call, 0,
                       {DataType::kInt8, DataType::kInt16, DataType::kInt32,
                        DataType::kFP16, DataType::kFP32}));
  return result;
}

absl::StatusOr<const Type*> DeduceExpandScalar(const OpCall& call,
                                               Context& context) {
  return FreshTensor(call.Tensor(0).shape, call.Tensor(0).dtype, context);
}

absl::StatusOr<const Type*> DeduceExpandClone(const OpCall& call,
                                              Context& context) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 3));
  MX_RETURN_IF_ERROR(CheckRank(call, 1, 3));
  const TensorType& input = call.Tensor(0);
  const TensorType& target = call.Tensor(1);
  int grown = 0;
  for (size_t i = 0; i < input.shape.size(); ++i) {
    if (IsSameDim(input.shape[i], target.shape[i], context)) continue;
    const bool grows = IsConstant(input.shape[i], 1);
    grown += grows ? 1 : 0;
    if ((grows || !KnownDifferent(input.shape[i], target.shape[i])) &&
        grown <= 1) {
      continue;
    }
    return call.Error("MX-TENSOR-1", "lets one dim grow, from 1, got ",
                      ShapeText(input.shape), " to ", ShapeText(target.shape));
  }
  return FreshTensor(target.shape, PromotedType(input.dtype, target.dtype),
                     context);
}

void RegisterExpand(OpRegistry& registry, absl::string_view name,
                    absl::string_view tensor, const Repeated& repeated,
                    Deduction deduction = nullptr) {
  if (!deduction) {
    deduction = [&repeated](const OpCall& call, Context& context) {
      return DeduceExpand(call, repeated, context);
    };
  }
  RegisterOp(registry, UnifiedTensorOp(name),
             {{{std::string(tensor), ArgKind::kPlainTensor},
               {std::string(repeated.vector), ArgKind::kPlainTensor}}},
             std::move(deduction));
}

void RegisterExpansions(OpRegistry& registry) {
  RegisterExpand(registry, "row_expand", "target", kRow);
  RegisterExpand(registry, "col_expand", "tensor", kCol);
  for (const char* name : {"sub", "mul", "div", "max", "min", "expdif"}) {
    RegisterExpand(registry, absl::StrCat("row_expand_", name), "tensor", kRow);
    RegisterExpand(registry, absl::StrCat("col_expand_", name), "tensor", kCol);
  }
  RegisterExpand(registry, "row_expand_add", "tensor", kRow,
                 DeduceRowExpandAdd);
  RegisterExpand(registry, "col_expand_add", "tensor", kCol);
  RegisterOp(
      registry, UnifiedTensorOp("expands"),
      {{{"target", ArgKind::kPlainTensor}, {"scalar", ArgKind::kScalar}}},
      DeduceExpandScalar);
  OpDef clone = TensorOp("expand_clone");
  clone.short_forms = {{"expand_clone"}};
  RegisterOp(
      registry, std::move(clone),
      {{{"input", ArgKind::kPlainTensor}, {"target", ArgKind::kPlainTensor}}},
      DeduceExpandClone);
}

}  // namespace

void RegisterTensorReductionOps(OpRegistry& registry) {
  RegisterReductions(registry, "row", -1);
  RegisterReductions(registry, "col", -2);
  RegisterExpansions(registry);
}

}  // namespace mxtile::ir
