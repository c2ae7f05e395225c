#include "ir/ops/tensor_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/enums.h"
#include "ir/ops/elementwise_rules.h"
#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
namespace {

absl::Status RankError(const OpCall& call, int index,
                       absl::string_view wanted) {
  const Dims shape = call.Tensor(index).shape;
  return call.Error("MX-TENSOR-4", call.ArgName(index), " must have rank ",
                    wanted, ", got ", shape.size(), ": ", ShapeText(shape));
}

}  // namespace

OpDef TensorOp(absl::string_view name) {
  OpDef def;
  def.name = absl::StrCat("tensor.", name);
  return def;
}

OpDef UnifiedTensorOp(absl::string_view name) {
  OpDef def = TensorOp(name);
  def.short_forms = {{std::string(name), {OperandKind::kTensor}}};
  return def;
}

const TensorType* FreshTensor(Exprs shape, DataType dtype, Context& context) {
  return FreshTensor(shape, {}, dtype, context);
}

const TensorType* FreshTensor(Exprs shape, Exprs valid, DataType dtype,
                              Context& context) {
  TensorView view;
  view.valid_shape = valid;
  TensorType type;
  type.kind = TypeKind::kTensor;
  type.shape = shape;
  type.dtype = dtype;
  type.view = &view;
  return context.GetTensorType(type);
}

const TensorType* WithValidShape(const TensorType& tensor, Exprs valid,
                                 Context& context) {
  TensorView view = tensor.view != nullptr ? *tensor.view : TensorView();
  view.valid_shape = valid;
  TensorType type = tensor;
  type.view = &view;
  return context.GetTensorType(type);
}

absl::Status CheckElementType(const OpCall& call, int index,
                              DataTypes allowed) {
  return CheckDataType(call, call.ArgName(index), call.Tensor(index).dtype,
                       allowed);
}

absl::Status CheckDataType(const OpCall& call, absl::string_view what,
                           DataType actual, DataTypes allowed) {
  if (std::find(allowed.begin(), allowed.end(), actual) != allowed.end()) {
    return absl::OkStatus();
  }
  const auto name = [](std::string* out, DataType dtype) {
    absl::StrAppend(out, DataTypeName(dtype));
  };
  return call.Error("MX-TENSOR-2", what, " must be of ",
                    absl::StrJoin(allowed, ", ", name), ", got ",
                    DataTypeName(actual), "; cast it first");
}

absl::Status CheckIntegers(const OpCall& call, int index) {
  const DataType dtype = call.Tensor(index).dtype;
  if (IsInteger(dtype)) return absl::OkStatus();
  return call.Error("MX-TENSOR-2", call.ArgName(index),
                    " must be of an integer type, got ", DataTypeName(dtype),
                    "; cast it first");
}

absl::Status CheckSameType(const OpCall& call, int index, DataType needed) {
  const DataType actual = call.Tensor(index).dtype;
  if (actual == needed) return absl::OkStatus();
  return call.Error("MX-TENSOR-3", call.ArgName(index), " must be of ",
                    DataTypeName(needed), ", as the other operands ask, got ",
                    DataTypeName(actual), "; cast it first");
}

absl::Status CheckRank(const OpCall& call, int index, size_t rank) {
  if (call.Tensor(index).shape.size() == rank) return absl::OkStatus();
  return RankError(call, index, absl::StrCat(rank));
}

absl::Status CheckRankAtLeast(const OpCall& call, int index, size_t rank) {
  if (call.Tensor(index).shape.size() >= rank) return absl::OkStatus();
  return RankError(call, index, absl::StrCat(rank, " or more"));
}

absl::Status CheckSameExtent(const OpCall& call, absl::string_view what,
                             const Expr* dim, absl::string_view other,
                             const Expr* other_dim) {
  if (!KnownDifferent(dim, other_dim)) return absl::OkStatus();
  return call.Error("MX-TENSOR-1", what, " must equal ", other, ", got ",
                    *ConstantOf(dim), " and ", *ConstantOf(other_dim));
}

absl::StatusOr<int> AxisWithin(const OpCall& call, int64_t axis, size_t rank) {
  if (const auto within = NormalizedAxis(axis, rank)) return *within;
  return call.Error("MX-TENSOR-5", "axis ", axis, " is not one of the ", rank,
                    " axes of the tensor");
}

absl::StatusOr<int> AxisArg(const OpCall& call, int index, size_t rank) {
  const std::optional<int64_t> axis = ConstantOf(call.Arg(index));
  if (axis.has_value()) return AxisWithin(call, *axis, rank);
  return call.Error("MX-TENSOR-5", call.ArgName(index),
                    " must be a constant, such as 0 or -1");
}

absl::Status RefuseMx(const OpCall& call, int index) {
  const TensorLayout layout = call.Tensor(index).layout();
  if (!IsMx(layout)) return absl::OkStatus();
  return call.Error("MX-TENSOR-6", "does not support MX layouts, got ",
                    EnumName(layout),
                    "; view the scales as ND by a shape first");
}

absl::Status CheckKwargRange(const OpCall& call, absl::string_view name,
                             int64_t low, int64_t high) {
  const std::optional<int64_t> value = call.IntKwarg(name);
  if (!value.has_value() || (*value >= low && *value <= high)) {
    return absl::OkStatus();
  }
  return call.Error("MX-TENSOR-9", name, " must lie in [", low, ", ", high,
                    "], got ", *value);
}

}  // namespace mxtile::ir
