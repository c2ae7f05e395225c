#include "ir/ops/tensor_window_ops.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
#include "ir/ops/elementwise_rules.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_rules.h"
#include "ir/ops/valid_region.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ExprVector = std::vector<const Expr*>;

// The kwarg pad_value by its name, or by a number that it stands for.
absl::StatusOr<std::optional<PadValue>> PadKwarg(const OpCall& call) {
  const AttrValue* value = call.Kwarg("pad_value");
  if (value == nullptr) return std::nullopt;
  if (value->kind == AttrValue::Kind::kEnum) {
    return call.EnumKwarg<PadValue>("pad_value");
  }
  const double number = value->kind == AttrValue::Kind::kFloat
                            ? value->float_value
                            : static_cast<double>(value->int_value);
  if (number == 0) return PadValue::kZero;
  if (std::isinf(number)) return number > 0 ? PadValue::kMax : PadValue::kMin;
  return call.Error("MX-TENSOR-9",
                    "pads with zero, the largest or the smallest number, got ",
                    number);
}

// ---- tensor.slice

struct SliceRequest {
  const TensorType& input;
  Exprs shape;
  Exprs offsets;
  Exprs valid;  // Empty: no request.
  bool clamp;
};

SliceRequest SliceRequestOf(const OpCall& call) {
  return {call.Tensor(0), call.DimList(1), call.DimList(2),
          call.HasArg(3) ? call.DimList(3) : Exprs(), call.BoolKwarg("clamp")};
}

const Expr* Smaller(const Expr* a, const Expr* b, Context& context) {
  if (KnownAtMost(a, b, context)) return a;
  if (KnownAtMost(b, a, context)) return b;
  return context.NewBinary(BinaryOp::kMin, a, b);
}

// How much of `valid` is left from the offset on: never negative.
const Expr* Remaining(const Expr* valid, const Expr* offset, Context& context) {
  if (IsConstant(offset, 0)) return valid;
  const std::optional<int64_t> end = ConstantOf(valid);
  const std::optional<int64_t> start = ConstantOf(offset);
  if (end.has_value() && start.has_value()) {
    return context.Index(std::max<int64_t>(*end - *start, 0));
  }
  return context.NewBinary(
      BinaryOp::kSub, context.NewBinary(BinaryOp::kMax, valid, offset), offset);
}

const Expr* VisibleExtent(const SliceRequest& slice, size_t i,
                          Context& context) {
  const Expr* window = slice.shape[i];
  const Expr* valid = EffectiveValidShape(slice.input)[i];
  const bool is_whole = IsSameDim(valid, slice.input.shape[i], context);
  const Expr* visible =
      is_whole && !slice.clamp
          ? window
          : Smaller(Remaining(valid, slice.offsets[i], context), window,
                    context);
  if (slice.valid.empty()) return visible;
  // A request may cut, and does not widen.
  const bool narrower =
      visible != window && KnownAtMost(visible, slice.valid[i], context);
  return narrower ? visible : slice.valid[i];
}

absl::Status CheckSlice(const OpCall& call, const SliceRequest& slice) {
  const size_t rank = slice.shape.size();
  if (!slice.valid.empty() && slice.valid.size() != rank) {
    return call.Error("MX-TENSOR-8", "valid_shape ", ShapeText(slice.valid),
                      " must have the rank of the shape ",
                      ShapeText(slice.shape));
  }
  for (size_t i = 0; i < slice.valid.size(); ++i) {
    const std::optional<int64_t> extent = ConstantOf(slice.valid[i]);
    const std::optional<int64_t> size = ConstantOf(slice.shape[i]);
    if (extent.has_value() &&
        (*extent < 0 || (size.has_value() && *extent > *size))) {
      return call.Error("MX-TENSOR-8", "valid_shape ", ShapeText(slice.valid),
                        " must lie inside the shape ", ShapeText(slice.shape));
    }
  }
  return absl::OkStatus();
}

// The valid region before dims are dropped.
absl::StatusOr<ExprVector> SliceValidShape(const OpCall& call,
                                           const SliceRequest& slice,
                                           Context& context) {
  const size_t rank = slice.shape.size();
  MX_RETURN_IF_ERROR(CheckSlice(call, slice));
  const Exprs reach = slice.valid.empty() ? slice.shape : slice.valid;
  if (slice.input.shape.size() != rank || slice.offsets.size() != rank) {
    return ExprVector(reach.begin(), reach.end());
  }
  if (slice.clamp) {
    MX_RETURN_IF_ERROR(CheckOffsets(call, "MX-TENSOR-7", slice.offsets));
  } else {
    MX_RETURN_IF_ERROR(CheckWindow(
        call, "MX-TENSOR-7", {slice.offsets, reach, slice.input.shape}, "reads",
        "give a smaller shape, or clamp=True for what is valid up to the end"));
  }
  ExprVector valid;
  for (size_t i = 0; i < rank; ++i) {
    valid.push_back(VisibleExtent(slice, i, context));
  }
  return valid;
}

// One flag a dim of the shape.
absl::StatusOr<std::vector<bool>> DroppedDims(const OpCall& call, Exprs shape,
                                              const ExprVector& valid) {
  std::vector<bool> dropped(shape.size(), false);
  if (!call.HasArg(4)) return dropped;
  for (const Expr* element : call.DimList(4)) {
    const std::optional<int64_t> axis = ConstantOf(element);
    if (!axis.has_value() || *axis < 0 ||
        static_cast<size_t>(*axis) >= shape.size() || dropped[*axis]) {
      return call.Error("MX-TENSOR-5", "drop_dims ", ShapeText(call.DimList(4)),
                        " must be different constant axes of ",
                        ShapeText(shape));
    }
    if (!IsConstant(shape[*axis], 1) || !IsConstant(valid[*axis], 1)) {
      return call.Error("MX-TENSOR-5", "drops dimensions of 1, all valid, got ",
                        "dimension ", *axis, " of ", ShapeText(shape));
    }
    dropped[*axis] = true;
  }
  if (std::find(dropped.begin(), dropped.end(), false) == dropped.end()) {
    return call.Error("MX-TENSOR-5",
                      "keeps one dimension; use tensor.read for "
                      "a scalar");
  }
  return dropped;
}

ExprVector Kept(Exprs dims, const std::vector<bool>& dropped) {
  ExprVector kept;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!dropped[i]) kept.push_back(dims[i]);
  }
  return kept;
}

absl::StatusOr<const Type*> DeduceSlice(const OpCall& call, Context& context) {
  const SliceRequest slice = SliceRequestOf(call);
  MX_RETURN_IF_ERROR(RefuseMx(call, 0));
  MX_ASSIGN_OR_RETURN(const ExprVector full_valid,
                      SliceValidShape(call, slice, context));
  MX_ASSIGN_OR_RETURN(const auto dropped,
                      DroppedDims(call, slice.shape, full_valid));
  MX_ASSIGN_OR_RETURN(const auto pad, PadKwarg(call));
  const ExprVector shape = Kept(slice.shape, dropped);
  const ExprVector valid = Kept(full_valid, dropped);
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, slice.input.dtype));
  TensorView view;
  // What is sliced of fractals are fractals; only whole ones can be
  // (passes/block_nz_tensor_views).
  if (slice.input.layout() == TensorLayout::kNZ) {
    view.layout = TensorLayout::kNZ;
  }
  view.valid_shape = valid;
  view.pad = pad.value_or(slice.input.view != nullptr ? slice.input.view->pad
                                                      : PadValue::kNull);
  TensorType type = slice.input;
  type.memref = nullptr;
  type.shape = shape;
  type.view = &view;
  return context.GetTensorType(type);
}

// ---- tensor.assemble

absl::Status CheckAtomic(const OpCall& call) {
  constexpr int kAdd = 1;
  if (call.ChoiceKwarg("atomic") != kAdd) return absl::OkStatus();
  return CheckElementType(
      call, 0,
      {DataType::kFP32, DataType::kBF16, DataType::kFP16, DataType::kInt32,
       DataType::kInt16, DataType::kInt8});
}

absl::StatusOr<ExprVector> AssembledValidShape(const OpCall& call,
                                               Context& context) {
  const TensorType& target = call.Tensor(0);
  const Exprs offsets = call.DimList(2);
  const Dims written = EffectiveValidShape(call.Tensor(1));
  const size_t rank = target.shape.size();
  const ExprVector all(target.shape.begin(), target.shape.end());
  if (call.Tensor(1).shape.size() != rank || offsets.size() != rank) return all;
  MX_RETURN_IF_ERROR(CheckWindow(call, "MX-TENSOR-7",
                                 {offsets, written, target.shape}, "writes",
                                 "only the valid part of the source is "
                                 "written; give it a smaller valid_shape"));
  const Dims valid = EffectiveValidShape(target);
  if (HaveSameDims(valid, target.shape, context)) return all;
  const auto grown = UnionWithWritten({valid, offsets, written}, context);
  if (grown.has_value()) return *grown;
  return call.Error("MX-TENSOR-8", "writing ", ShapeText(written), " at ",
                    ShapeText(offsets), " next to the valid ", ShapeText(valid),
                    " is not known to leave one rectangle at the origin; "
                    "write in the order in which the region grows");
}

absl::StatusOr<const Type*> DeduceAssemble(const OpCall& call,
                                           Context& context) {
  MX_RETURN_IF_ERROR(CheckAtomic(call));
  MX_ASSIGN_OR_RETURN(const ExprVector valid,
                      AssembledValidShape(call, context));
  TensorView view;
  view.valid_shape = valid;
  TensorType type = call.Tensor(0);
  type.memref = nullptr;
  type.view = &view;
  return context.GetTensorType(type);
}

// ---- Padding and valid regions

// Zero by default; null pads with nothing.
absl::StatusOr<PadValue> FillValue(const OpCall& call) {
  MX_ASSIGN_OR_RETURN(const auto pad, PadKwarg(call));
  if (pad != PadValue::kNull) return pad.value_or(PadValue::kZero);
  return call.Error("MX-TENSOR-9",
                    "pads with zero, max or min, got null; leave the call out "
                    "for no padding");
}

absl::StatusOr<const Type*> DeduceFillpad(const OpCall& call,
                                          Context& context) {
  MX_RETURN_IF_ERROR(FillValue(call).status());
  return WithValidShape(call.Tensor(0), {}, context);
}

absl::Status CheckExpansion(const OpCall& call, Exprs shape) {
  const Dims source = call.Tensor(0).shape;
  bool grows = shape.size() == source.size();
  for (size_t i = 0; grows && i < shape.size(); ++i) {
    const std::optional<int64_t> extent = ConstantOf(shape[i]);
    grows = extent.has_value() && *extent > 0 &&
            *extent >= ConstantOf(source[i]).value_or(1);
  }
  if (grows) return absl::OkStatus();
  return call.Error("MX-TENSOR-1", "shape ", ShapeText(shape),
                    " must be of constants, none of them less than in ",
                    ShapeText(source));
}

absl::StatusOr<const Type*> DeduceFillpadExpand(const OpCall& call,
                                                Context& context) {
  const Exprs shape = call.DimList(1);
  MX_RETURN_IF_ERROR(CheckExpansion(call, shape));
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, call.Tensor(0).dtype));
  TensorView view;
  view.layout = call.Tensor(0).layout();
  MX_ASSIGN_OR_RETURN(view.pad, FillValue(call));
  TensorType type = call.Tensor(0);
  type.memref = nullptr;
  type.shape = shape;
  type.view = &view;
  return context.GetTensorType(type);
}

absl::StatusOr<const Type*> DeduceSetValidShape(const OpCall& call,
                                                Context& context) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  const TensorType& tensor = call.Tensor(0);
  const Expr* valid[] = {call.Arg(1), call.Arg(2)};
  for (size_t i = 0; i < 2; ++i) {
    const std::optional<int64_t> extent = ConstantOf(valid[i]);
    const std::optional<int64_t> size = ConstantOf(tensor.shape[i]);
    if (!extent.has_value()) continue;
    if (*extent < 0 || (size.has_value() && *extent > *size)) {
      return call.Error("MX-TENSOR-8", "the valid region ", ShapeText(valid),
                        " must lie inside the shape ", ShapeText(tensor.shape));
    }
  }
  return WithValidShape(tensor, valid, context);
}

// ---- Registration

void RegisterSlice(OpRegistry& registry) {
  OpDef def = UnifiedTensorOp("slice");
  def.result_aliases_arg = 0;
  RegisterOp(
      registry, std::move(def),
      {{{"input", ArgKind::kTensor},
        {"shape", ArgKind::kDims},
        {"offset", ArgKind::kDims},
        {"valid_shape", ArgKind::kDims, /*optional=*/true},
        {"drop_dims", ArgKind::kDims, /*optional=*/true}},
       {{"pad_value", KwargKind::kPadValue}, {"clamp", KwargKind::kBool}}},
      DeduceSlice);
}

void RegisterAssemble(OpRegistry& registry) {
  OpDef def = UnifiedTensorOp("assemble");
  def.result_aliases_arg = 0;
  def.has_effect = true;
  RegisterOp(
      registry, std::move(def),
      {{{"target", ArgKind::kTensor},
        {"source", ArgKind::kTensor},
        {"offset", ArgKind::kDims}},
       {{"atomic", KwargKind::kChoice, /*required=*/false, {"None_", "Add"}}}},
      DeduceAssemble);
}

void RegisterPadding(OpRegistry& registry) {
  RegisterOp(registry, UnifiedTensorOp("fillpad"),
             {{{"tensor", ArgKind::kPlainTensor}},
              {{"pad_value", KwargKind::kPadValue}}},
             DeduceFillpad);
  RegisterOp(registry, UnifiedTensorOp("fillpad_expand"),
             {{{"tensor", ArgKind::kPlainTensor}, {"shape", ArgKind::kDims}},
              {{"pad_value", KwargKind::kPadValue}}},
             DeduceFillpadExpand);
  OpDef def = UnifiedTensorOp("set_validshape");
  def.result_aliases_arg = 0;
  RegisterOp(registry, std::move(def),
             {{{"tensor", ArgKind::kPlainTensor},
               {"valid_rows", ArgKind::kInteger},
               {"valid_cols", ArgKind::kInteger}}},
             DeduceSetValidShape);
}

}  // namespace

void RegisterTensorWindowOps(OpRegistry& registry) {
  RegisterSlice(registry);
  RegisterAssemble(registry);
  RegisterPadding(registry);
}

}  // namespace mxtile::ir
