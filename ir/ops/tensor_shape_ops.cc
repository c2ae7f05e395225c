#include "ir/ops/tensor_shape_ops.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/elementwise_rules.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/reshape_rules.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_rules.h"
#include "ir/ops/valid_region.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ExprVector = std::vector<const Expr*>;

TensorView ViewOf(const TensorType& tensor) {
  return tensor.view != nullptr ? *tensor.view : TensorView();
}

// A tensor at no particular place.
const Type* Viewed(Exprs shape, DataType dtype, const TensorView& view,
                   Context& context) {
  TensorType type;
  type.kind = TypeKind::kTensor;
  type.shape = shape;
  type.dtype = dtype;
  type.view = &view;
  return context.GetTensorType(type);
}

// ---- tensor.reshape

absl::Status CheckElementCount(const OpCall& call, Dims shape,
                               Exprs new_shape) {
  const std::optional<int64_t> before = ElementCount(shape);
  const std::optional<int64_t> after = ElementCount(new_shape);
  if (!before.has_value() || !after.has_value() || *before == *after) {
    return absl::OkStatus();
  }
  return call.Error("MX-TENSOR-10", "the number of elements must stay, got ",
                    ShapeText(shape), " of ", *before, " and ",
                    ShapeText(new_shape), " of ", *after);
}

absl::Status CheckRequestedValid(const OpCall& call, Exprs requested,
                                 const ExprVector& valid) {
  bool inside = requested.size() == valid.size();
  for (size_t i = 0; inside && i < valid.size(); ++i) {
    const std::optional<int64_t> extent = ConstantOf(requested[i]);
    const std::optional<int64_t> most = ConstantOf(valid[i]);
    inside = !extent.has_value() ||
             (*extent >= 0 && (!most.has_value() || *extent <= *most));
  }
  if (inside) return absl::OkStatus();
  return call.Error("MX-TENSOR-8", "valid_shape ", ShapeText(requested),
                    " must lie inside ", ShapeText(valid),
                    ", which is valid of the input");
}

absl::StatusOr<const Type*> DeduceReshape(const OpCall& call,
                                          Context& context) {
  const TensorType& input = call.Tensor(0);
  const Exprs shape = call.DimList(1);
  MX_RETURN_IF_ERROR(RefuseMx(call, 0));
  if (shape.empty() || input.shape.empty()) {
    return call.Error("MX-TENSOR-4", "needs shapes of rank 1 or more, got ",
                      ShapeText(input.shape), " and ", ShapeText(shape));
  }
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, input.dtype));
  MX_RETURN_IF_ERROR(CheckElementCount(call, input.shape, shape));
  TensorView view = ViewOf(input);
  const bool is_row_major = view.layout == TensorLayout::kND &&
                            MayBePackedRowMajor(input.shape, view.stride);
  const Dims before = EffectiveValidShape(input);
  const auto valid =
      ReshapedValidShape({input.shape, before, shape, is_row_major}, context);
  if (!valid.has_value()) {
    return call.Error(
        "MX-TENSOR-8", "of ", ShapeText(input.shape), " only ",
        ShapeText(before), " is valid, which is no rectangle under ",
        ShapeText(shape), "; reshape the whole first and narrow it then");
  }
  view = {{}, TensorLayout::kND, *valid, view.pad};
  if (call.HasArg(2)) {
    MX_RETURN_IF_ERROR(CheckRequestedValid(call, call.DimList(2), *valid));
    view.valid_shape = call.DimList(2);
  }
  return Viewed(shape, input.dtype, view, context);
}

// ---- tensor.reinterpret_view

size_t ContiguousAxis(size_t rank, TensorLayout layout) {
  return layout == TensorLayout::kDN ? rank - 2 : rank - 1;
}

absl::Status CheckReinterpretedLayout(const OpCall& call) {
  const TensorLayout layout = call.Tensor(0).layout();
  MX_RETURN_IF_ERROR(RefuseMx(call, 0));
  if (layout == TensorLayout::kNZ) {
    return call.Error("MX-TENSOR-10",
                      "NZ tensors are not reinterpreted; declare the tensor "
                      "itself of the other type");
  }
  MX_RETURN_IF_ERROR(
      CheckRankAtLeast(call, 0, layout == TensorLayout::kDN ? 2 : 1));
  if (MayBePacked(call.Tensor(0))) return absl::OkStatus();
  return call.Error("MX-TENSOR-10", "needs packed data, got ",
                    ShapeText(call.Tensor(0).shape), " with stride ",
                    ShapeText(call.Tensor(0).view->stride));
}

absl::Status CheckReinterpretedTypes(const OpCall& call, DataType to) {
  const DataType from = call.Tensor(0).dtype;
  if (IsReinterpretable(from) && IsReinterpretable(to) && from != to) {
    return absl::OkStatus();
  }
  return call.Error("MX-TENSOR-2",
                    "reads integers and floats of 8 to 64 bits "
                    "as another such type, got ",
                    DataTypeName(from), " as ", DataTypeName(to));
}

absl::Status CheckSameBytes(const OpCall& call, Exprs shape, DataType to) {
  const TensorType& data = call.Tensor(0);
  const std::optional<int64_t> before = ElementCount(data.shape);
  const std::optional<int64_t> after = ElementCount(shape);
  if (before.has_value() && after.has_value() &&
      SizeInBytes(data.dtype, *before) == SizeInBytes(to, *after)) {
    return absl::OkStatus();
  }
  return call.Error(
      "MX-TENSOR-10", "the number of bytes must be known to stay, got ",
      ShapeText(data.shape), " of ", DataTypeName(data.dtype), " as ",
      ShapeText(shape), " of ", DataTypeName(to), "; leave the shape out");
}

absl::StatusOr<const Type*> DeduceReinterpretView(const OpCall& call,
                                                  Context& context) {
  const TensorType& data = call.Tensor(0);
  const DataType to = *call.DataTypeKwarg("dtype");
  MX_RETURN_IF_ERROR(CheckReinterpretedLayout(call));
  MX_RETURN_IF_ERROR(CheckReinterpretedTypes(call, to));
  const size_t axis = ContiguousAxis(data.shape.size(), data.layout());
  const auto same_dims =
      ReinterpretedShape(data.shape, axis, data.dtype, to, context);
  const Dims before = EffectiveValidShape(data);
  const auto valid = ReinterpretedShape(before, axis, data.dtype, to, context);
  const bool is_partial = !HaveSameDims(before, data.shape, context);
  const bool reshapes =
      call.HasArg(1) && !(same_dims.has_value() &&
                          HaveSameDims(call.DimList(1), *same_dims, context));
  if (reshapes) {
    MX_RETURN_IF_ERROR(CheckSameBytes(call, call.DimList(1), to));
  }
  if ((!reshapes && !same_dims.has_value()) ||
      (is_partial && (reshapes || !valid.has_value()))) {
    return call.Error("MX-TENSOR-10", "dimension ", axis, " of ",
                      ShapeText(data.shape), ", of which ", ShapeText(before),
                      " is valid, must be known to hold whole elements of ",
                      DataTypeName(to));
  }
  const Exprs shape = reshapes ? call.DimList(1) : Exprs(*same_dims);
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, to));
  TensorView view;
  view.layout = data.layout();
  if (is_partial) view.valid_shape = *valid;
  if (ViewOf(data).pad == PadValue::kZero) view.pad = PadValue::kZero;
  return Viewed(shape, to, view, context);
}

// ---- tensor.transpose

ExprVector PackedStride(Dims shape, Context& context) {
  ExprVector stride(shape.size(), context.Index(1));
  for (size_t i = shape.size() - 1; i-- > 0;) {
    stride[i] = Times(context, stride[i + 1], shape[i + 1]);
  }
  return stride;
}

ExprVector Swapped(Exprs dims, int axis1, int axis2) {
  ExprVector swapped(dims.begin(), dims.end());
  if (!swapped.empty()) std::swap(swapped[axis1], swapped[axis2]);
  return swapped;
}

absl::StatusOr<TensorLayout> TransposedLayout(const OpCall& call, int axis1,
                                              int axis2) {
  const TensorType& input = call.Tensor(0);
  const int rank = static_cast<int>(input.shape.size());
  if (axis1 == axis2) {
    return call.Error("MX-TENSOR-5", "swaps two different axes, got ", axis1,
                      " twice");
  }
  if (axis1 + axis2 != 2 * rank - 3) return input.layout();
  return input.layout() == TensorLayout::kND ? TensorLayout::kDN
                                             : TensorLayout::kND;
}

absl::StatusOr<const Type*> DeduceTranspose(const OpCall& call,
                                            Context& context) {
  const TensorType& input = call.Tensor(0);
  const size_t rank = input.shape.size();
  MX_RETURN_IF_ERROR(RefuseMx(call, 0));
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, 0, 2));
  MX_ASSIGN_OR_RETURN(const int axis1, AxisArg(call, 1, rank));
  MX_ASSIGN_OR_RETURN(const int axis2, AxisArg(call, 2, rank));
  TensorView view = ViewOf(input);
  MX_ASSIGN_OR_RETURN(view.layout, TransposedLayout(call, axis1, axis2));
  const ExprVector shape = Swapped(input.shape, axis1, axis2);
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, input.dtype));
  const ExprVector stride = Swapped(
      view.stride.empty() ? PackedStride(input.shape, context)
                          : ExprVector(view.stride.begin(), view.stride.end()),
      axis1, axis2);
  const bool is_packed =
      view.layout == TensorLayout::kND &&
      HaveSameDims(stride, PackedStride(shape, context), context);
  view.stride = is_packed ? Exprs() : Exprs(stride);
  const ExprVector valid = Swapped(view.valid_shape, axis1, axis2);
  view.valid_shape = valid;
  if (call.HasArg(3)) {
    MX_RETURN_IF_ERROR(CheckRequestedValid(call, call.DimList(3), shape));
    view.valid_shape = call.DimList(3);
  }
  return Viewed(shape, input.dtype, view, context);
}

// ---- tensor.concat

absl::StatusOr<const Type*> DeduceConcat(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckRank(call, 1, 2));
  const TensorType& left = call.Tensor(0);
  const TensorType& right = call.Tensor(1);
  MX_RETURN_IF_ERROR(CheckSameType(call, 1, left.dtype));
  MX_RETURN_IF_ERROR(CheckSameExtent(call, "the rows of src1", right.shape[0],
                                     "those of src0", left.shape[0]));
  const Expr* shape[] = {left.shape[0],
                         Plus(context, left.shape[1], right.shape[1])};
  return FreshTensor(shape, left.dtype, context);
}

// ---- tensor.aiv_shard and tensor.aic_gather

const Expr* HalfOf(const Expr* dim, Context& context) {
  if (const std::optional<int64_t> extent = ConstantOf(dim)) {
    return context.Index(*extent / 2 + *extent % 2);
  }
  return context.NewBinary(BinaryOp::kFloorDiv,
                           Plus(context, dim, context.Index(1)),
                           context.Index(2));
}

// Lanes hold different amounts where the valid region ends inside one of them;
// only rows may, when the columns are whole.
absl::Status CheckShard(const OpCall& call, size_t axis, Context& context) {
  const Dims shape = call.Tensor(0).shape;
  const Dims valid = EffectiveValidShape(call.Tensor(0));
  const bool whole_cols = IsSameDim(valid[1], shape[1], context);
  const bool whole_rows = IsSameDim(valid[0], shape[0], context);
  const bool fits = whole_cols || (axis == 0 && whole_rows &&
                                   ConstantOf(valid[1]).has_value());
  if (fits) return absl::OkStatus();
  return call.Error("MX-TENSOR-8", "of ", ShapeText(shape), " only ",
                    ShapeText(valid),
                    " is valid, of which no half can be told; make the columns "
                    "valid with set_validshape first");
}

absl::StatusOr<const Type*> DeduceSplit(const OpCall& call, bool halve,
                                        Context& context) {
  constexpr int kNone = 0;
  const TensorType& tensor = call.Tensor(0);
  const std::optional<int> split = call.ChoiceKwarg("split");
  if (!split.has_value()) {
    return call.stated() != nullptr ? call.stated()
                                    : context.GetMarkerType(TypeKind::kUnknown);
  }
  if (*split == kNone) return &tensor;
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  const size_t axis = *split - 1;
  if (halve) MX_RETURN_IF_ERROR(CheckShard(call, axis, context));
  const Dims before = EffectiveValidShape(tensor);
  ExprVector shape(tensor.shape.begin(), tensor.shape.end());
  ExprVector valid(before.begin(), before.end());
  for (ExprVector* dims : {&shape, &valid}) {
    const Expr*& dim = (*dims)[axis];
    dim = halve ? HalfOf(dim, context) : Multiple(context, dim, 2);
  }
  return FreshTensor(shape, valid, tensor.dtype, context);
}

// ---- Registration

OpDef ViewOp(absl::string_view name) {
  OpDef def = UnifiedTensorOp(name);
  def.result_aliases_arg = 0;
  return def;
}

void RegisterSplit(OpRegistry& registry, absl::string_view name, bool halve) {
  RegisterOp(registry, UnifiedTensorOp(name),
             {{{"tensor", ArgKind::kPlainTensor}},
              {{"split",
                KwargKind::kChoice,
                /*required=*/false,
                {"NONE", "UP_DOWN", "LEFT_RIGHT"}}}},
             [halve](const OpCall& call, Context& context) {
               return DeduceSplit(call, halve, context);
             });
}

}  // namespace

void RegisterTensorShapeOps(OpRegistry& registry) {
  RegisterOp(registry, ViewOp("reshape"),
             {{{"input", ArgKind::kPlainTensor},
               {"shape", ArgKind::kDims},
               {"valid_shape", ArgKind::kDims, /*optional=*/true}}},
             DeduceReshape);
  OpDef reinterpret = ViewOp("reinterpret_view");
  reinterpret.front_order = {"data", "dtype"};
  RegisterOp(registry, std::move(reinterpret),
             {{{"data", ArgKind::kPlainTensor},
               {"shape", ArgKind::kDims, /*optional=*/true}},
              {{"dtype", KwargKind::kDataType, /*required=*/true}}},
             DeduceReinterpretView);
  RegisterOp(registry, UnifiedTensorOp("transpose"),
             {{{"input", ArgKind::kPlainTensor},
               {"axis1", ArgKind::kInteger},
               {"axis2", ArgKind::kInteger},
               {"valid_shape", ArgKind::kDims, /*optional=*/true}}},
             DeduceTranspose);
  RegisterOp(
      registry, UnifiedTensorOp("concat"),
      {{{"src0", ArgKind::kPlainTensor}, {"src1", ArgKind::kPlainTensor}}},
      DeduceConcat);
  RegisterSplit(registry, "aiv_shard", /*halve=*/true);
  RegisterSplit(registry, "aic_gather", /*halve=*/false);
}

}  // namespace mxtile::ir
