#include "ir/ops/tensor_ops.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_collective_ops.h"
#include "ir/ops/tensor_data_ops.h"
#include "ir/ops/tensor_elementwise_ops.h"
#include "ir/ops/tensor_matmul_ops.h"
#include "ir/ops/tensor_reduction_ops.h"
#include "ir/ops/tensor_shape_ops.h"
#include "ir/ops/tensor_transfer_ops.h"
#include "ir/ops/tensor_window_ops.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

bool IsMxShape(Exprs shape) {
  return shape.size() == 2 || IsBlockedMxShape(shape);
}

// ---- tensor.view

struct ViewRequest {
  const TensorType& input;
  TensorLayout from;
  TensorLayout to;
  std::optional<Exprs> shape;
  std::optional<Exprs> valid_shape;
};

ViewRequest ViewRequestOf(const OpCall& call) {
  const TensorType& input = call.Tensor(0);
  ViewRequest request = {input, input.layout(), input.layout(), {}, {}};
  if (const auto layout = call.EnumKwarg<TensorLayout>("layout")) {
    request.to = *layout;
  }
  if (call.HasArg(1)) request.shape = call.DimList(1);
  if (call.HasArg(2)) request.valid_shape = call.DimList(2);
  return request;
}

bool IsPartlyValid(const TensorType& tensor) {
  return tensor.view != nullptr && !tensor.view->valid_shape.empty();
}

absl::Status CheckMxView(const OpCall& call, const ViewRequest& request) {
  const bool from_mx = IsMx(request.from);
  const bool to_mx = IsMx(request.to);
  if (!from_mx && !to_mx) return absl::OkStatus();
  const TensorLayout other = from_mx ? request.to : request.from;
  if (!request.shape.has_value() || other != TensorLayout::kND ||
      request.input.dtype != DataType::kFP8E8M0) {
    return call.Error("MX-VIEW-3",
                      "does not support MX layouts but from or to ND, by a "
                      "shape, of FP8E8M0; got ",
                      EnumName(request.from), " to ", EnumName(request.to),
                      " of ", DataTypeName(request.input.dtype),
                      request.shape.has_value() ? "" : " without a shape");
  }
  const Exprs mx_shape = from_mx ? request.input.shape : *request.shape;
  if (!IsMxShape(mx_shape)) {
    return call.Error("MX-VIEW-4",
                      "the MX side must be 2D, or blocked [1, *, *, 16, 2], "
                      "got ",
                      ShapeText(mx_shape));
  }
  return absl::OkStatus();
}

absl::Status CheckRequest(const OpCall& call, const ViewRequest& request) {
  if (!request.shape.has_value() &&
      !call.EnumKwarg<TensorLayout>("layout").has_value()) {
    return call.Error("MX-VIEW-1", "give a shape, a layout or both");
  }
  if (request.from == TensorLayout::kNZ || request.to == TensorLayout::kNZ) {
    return call.Error("MX-VIEW-2", "NZ tensors have no views, got ",
                      EnumName(request.from), " to ", EnumName(request.to),
                      "; declare the tensor itself NZ");
  }
  MX_RETURN_IF_ERROR(CheckMxView(call, request));
  const size_t rank = request.shape.has_value() ? request.shape->size()
                                                : request.input.shape.size();
  const bool flips = !request.shape.has_value() && request.from != request.to;
  if ((request.to == TensorLayout::kDN || flips) && rank < 2) {
    return call.Error("MX-VIEW-8", "layout ", EnumName(request.to),
                      " needs rank >= 2, got ", rank);
  }
  return absl::OkStatus();
}

absl::Status CheckValidShape(const OpCall& call, const ViewRequest& request) {
  const Exprs shape = *request.shape;
  const Exprs valid = *request.valid_shape;
  if (request.from != TensorLayout::kND || request.to != TensorLayout::kND) {
    return call.Error("MX-VIEW-7", "valid_shape is for ND to ND, got ",
                      EnumName(request.from), " to ", EnumName(request.to));
  }
  bool inside = valid.size() == shape.size();
  for (size_t i = 0; inside && i < valid.size(); ++i) {
    const std::optional<int64_t> extent = ConstantOf(valid[i]);
    const std::optional<int64_t> size = ConstantOf(shape[i]);
    inside = !extent.has_value() ||
             (*extent > 0 && (!size.has_value() || *extent <= *size));
  }
  if (inside) return absl::OkStatus();
  return call.Error("MX-VIEW-7", "valid_shape ", ShapeText(valid),
                    " must lie inside the shape ", ShapeText(shape));
}

absl::Status CheckReshape(const OpCall& call, const ViewRequest& request) {
  const TensorType& input = request.input;
  MX_RETURN_IF_ERROR(CheckResultShape(call, *request.shape, input.dtype));
  if (request.shape->empty()) {
    return call.Error("MX-VIEW-5", "the new shape must not be empty");
  }
  const std::optional<int64_t> before = ElementCount(input.shape);
  const std::optional<int64_t> after = ElementCount(*request.shape);
  if (before.has_value() && after.has_value() && *before != *after) {
    return call.Error("MX-VIEW-5", "the number of elements must stay, got ",
                      ShapeText(input.shape), " of ", *before, " and ",
                      ShapeText(*request.shape), " of ", *after);
  }
  if (!MayBePacked(input)) {
    return call.Error("MX-VIEW-6", "a new shape needs a packed input, got ",
                      ShapeText(input.shape), " with stride ",
                      ShapeText(input.view->stride));
  }
  if (request.valid_shape.has_value()) return CheckValidShape(call, request);
  if (IsPartlyValid(input)) {
    return call.Error("MX-VIEW-7", "of ", ShapeText(input.shape), " only ",
                      ShapeText(input.view->valid_shape),
                      " is valid; give the valid_shape under the new shape");
  }
  return absl::OkStatus();
}

std::vector<const Expr*> WithLastTwoSwapped(Dims dims) {
  std::vector<const Expr*> swapped(dims.begin(), dims.end());
  if (swapped.size() >= 2)
    std::swap(swapped[swapped.size() - 2], swapped.back());
  return swapped;
}

const Type* ReshapedType(const ViewRequest& request, Context& context) {
  TensorView view;
  view.layout = request.to;
  if (request.valid_shape.has_value()) {
    view.valid_shape = *request.valid_shape;
    if (request.input.view != nullptr) view.pad = request.input.view->pad;
  }
  TensorType type = request.input;
  type.shape = *request.shape;
  type.view = &view;
  return context.GetTensorType(type);
}

const Type* RelabelledType(const ViewRequest& request, Context& context) {
  if (request.from == request.to) return &request.input;
  TensorView view =
      request.input.view != nullptr ? *request.input.view : TensorView();
  const auto shape = WithLastTwoSwapped(request.input.shape);
  const auto stride = WithLastTwoSwapped(view.stride);
  const auto valid = WithLastTwoSwapped(view.valid_shape);
  view.layout = request.to;
  view.stride = stride;
  view.valid_shape = valid;
  TensorType type = request.input;
  type.shape = shape;
  type.view = &view;
  return context.GetTensorType(type);
}

absl::StatusOr<const Type*> DeduceView(const OpCall& call, Context& context) {
  const ViewRequest request = ViewRequestOf(call);
  MX_RETURN_IF_ERROR(CheckRequest(call, request));
  if (!request.shape.has_value()) return RelabelledType(request, context);
  MX_RETURN_IF_ERROR(CheckReshape(call, request));
  return ReshapedType(request, context);
}

// ---- tensor.create

absl::StatusOr<const Type*> DeduceCreate(const OpCall& call, Context& context) {
  TensorView view;
  view.layout =
      call.EnumKwarg<TensorLayout>("layout").value_or(TensorLayout::kND);
  TensorType type;
  type.kind = TypeKind::kTensor;
  type.shape = call.DimList(0);
  type.dtype = *call.DataTypeKwarg("dtype");
  type.view = &view;
  MX_RETURN_IF_ERROR(CheckResultShape(call, type.shape, type.dtype));
  if (IsMx(view.layout) && !IsMxShape(type.shape)) {
    return call.Error("MX-CREATE-5", "an ", EnumName(view.layout),
                      " tensor must be 2D, or blocked [1, *, *, 16, 2], got ",
                      ShapeText(type.shape));
  }
  return context.GetTensorType(type);
}

// ---- Registration

void RegisterCreate(OpRegistry& registry) {
  OpDef def;
  def.name = "tensor.create";
  def.short_forms = {{"create_tensor"}};
  RegisterOp(registry, std::move(def),
             {{{"shape", ArgKind::kDims}},
              {{"dtype", KwargKind::kDataType, /*required=*/true},
               {"layout", KwargKind::kTensorLayout},
               {"manual_dep", KwargKind::kBool},
               {"init_value", KwargKind::kNumber}}},
             DeduceCreate);
}

void RegisterView(OpRegistry& registry) {
  OpDef def;
  def.name = "tensor.view";
  def.short_forms = {{"view"}};
  def.result_aliases_arg = 0;
  RegisterOp(registry, std::move(def),
             {{{"input", ArgKind::kTensor},
               {"shape", ArgKind::kDims, /*optional=*/true},
               {"valid_shape", ArgKind::kDims, /*optional=*/true}},
              {{"layout", KwargKind::kTensorLayout}}},
             DeduceView);
}

}  // namespace

void RegisterTensorOps(OpRegistry& registry) {
  RegisterCreate(registry);
  RegisterView(registry);
  RegisterTensorDataOps(registry);
  RegisterTensorElementwiseOps(registry);
  RegisterTensorReductionOps(registry);
  RegisterTensorWindowOps(registry);
  RegisterTensorShapeOps(registry);
  RegisterTensorMatmulOps(registry);
  RegisterTensorTransferOps(registry);
  RegisterTensorCollectiveOps(registry);
}

}  // namespace mxtile::ir
