#include "ir/ops/tensor_transfer_ops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
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
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

// ---- Window buffers

absl::Status CheckBufferSize(const OpCall& call) {
  const Expr* size = call.Arg(0);
  const auto* shape = DynCast<Tuple>(size);
  if ((shape != nullptr) != call.DataTypeKwarg("dtype").has_value()) {
    return call.Error("MX-TENSOR-9",
                      "takes a number of bytes, or a shape with a dtype");
  }
  const Exprs dims = shape != nullptr ? shape->elements : Exprs(&size, 1);
  if (dims.empty()) {
    return call.Error("MX-TENSOR-4", "the shape must not be empty");
  }
  for (const Expr* dim : dims) {
    if (ConstantOf(dim).value_or(1) > 0) continue;
    return call.Error("MX-TENSOR-9", "sizes must be positive, got ",
                      ShapeText(dims));
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceAllocWindow(const OpCall& call,
                                              Context& context) {
  MX_RETURN_IF_ERROR(CheckBufferSize(call));
  return context.GetMarkerType(TypeKind::kPtr);
}

absl::StatusOr<const Type*> DeduceWindow(const OpCall& call, Context& context) {
  TensorType type;
  type.kind = TypeKind::kDistributedTensor;
  type.shape = call.DimList(1);
  type.dtype = *call.DataTypeKwarg("dtype");
  MX_RETURN_IF_ERROR(CheckResultShape(call, type.shape, type.dtype));
  return context.GetTensorType(type);
}

// ---- put and get

constexpr int kDst = 0;
constexpr int kSrc = 2;
constexpr int kDstOffsets = 3;
constexpr int kSrcOffsets = 4;
constexpr int kShape = 5;

absl::Status CheckRegion(const OpCall& call) {
  for (const auto& [offsets, tensor] :
       {std::pair(kDstOffsets, kDst), std::pair(kSrcOffsets, kSrc)}) {
    const Window window = {call.DimList(offsets), call.DimList(kShape),
                           call.Tensor(tensor).shape};
    if (window.offsets.size() != window.shape.size() ||
        window.extents.size() != window.shape.size()) {
      return call.Error("MX-TENSOR-7", call.ArgName(offsets), " ",
                        ShapeText(window.offsets), " and shape ",
                        ShapeText(window.extents), " must have the rank of ",
                        call.ArgName(tensor), ", ", ShapeText(window.shape));
    }
    MX_RETURN_IF_ERROR(
        CheckWindow(call, "MX-TENSOR-7", window,
                    absl::StrCat(call.ArgName(tensor), " is accessed"),
                    "transfer a smaller region"));
  }
  return absl::OkStatus();
}

absl::Status CheckWholeTransfer(const OpCall& call) {
  const Dims dst = call.Tensor(kDst).shape;
  const Dims src = call.Tensor(kSrc).shape;
  for (size_t i = 0; i < dst.size(); ++i) {
    if (!KnownDifferent(dst[i], src[i])) continue;
    return call.Error("MX-TENSOR-1", "dst and src must have one shape, got ",
                      ShapeText(dst), " and ", ShapeText(src),
                      "; give offsets and a shape for a region");
  }
  return absl::OkStatus();
}

// Symbolic extents go in chunks of a known size, and so do both in a pipeline.
absl::Status CheckChunks(const OpCall& call, Exprs transfer) {
  const int64_t any = std::numeric_limits<int64_t>::max();
  MX_RETURN_IF_ERROR(CheckKwargRange(call, "chunk_rows", 0, any));
  MX_RETURN_IF_ERROR(CheckKwargRange(call, "chunk_cols", 0, any));
  const auto is_symbolic = [](const Expr* dim) {
    return !ConstantOf(dim).has_value();
  };
  const bool pipeline = call.BoolKwarg("pipeline");
  const Exprs rows = transfer.subspan(0, transfer.size() - 1);
  const bool needs_rows =
      pipeline || std::any_of(rows.begin(), rows.end(), is_symbolic);
  const bool needs_cols = pipeline || is_symbolic(transfer.back());
  for (const auto& [needed, name] : {std::pair(needs_rows, "chunk_rows"),
                                     std::pair(needs_cols, "chunk_cols")}) {
    if (!needed || call.IntKwarg(name).value_or(0) > 0) continue;
    return call.Error("MX-TENSOR-11", "needs a positive ", name, ": ",
                      pipeline ? "a pipeline has two chunks in flight"
                               : "the extent is only known at run time",
                      ", and a chunk has to fit on the core");
  }
  return absl::OkStatus();
}

absl::Status CheckAtomicAdd(const OpCall& call, int index) {
  constexpr int kAdd = 1;
  if (call.ChoiceKwarg("atomic") != kAdd) return absl::OkStatus();
  return CheckElementType(
      call, index,
      {DataType::kFP32, DataType::kBF16, DataType::kFP16, DataType::kInt32,
       DataType::kInt16, DataType::kInt8});
}

absl::StatusOr<const Type*> DeduceTransfer(const OpCall& call, bool has_atomic,
                                           Context& context) {
  MX_RETURN_IF_ERROR(CheckSameType(call, kSrc, call.Tensor(kDst).dtype));
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, kDst, 1));
  MX_RETURN_IF_ERROR(CheckRank(call, kSrc, call.Tensor(kDst).shape.size()));
  const bool has_region = call.HasArg(kDstOffsets);
  if (has_region && !call.HasArg(kShape)) {
    return call.Error("MX-TENSOR-7",
                      "dst_offsets, src_offsets and shape come together");
  }
  MX_RETURN_IF_ERROR(has_region ? CheckRegion(call) : CheckWholeTransfer(call));
  MX_RETURN_IF_ERROR(CheckChunks(
      call, has_region ? call.DimList(kShape) : call.Tensor(kDst).shape));
  if (has_atomic) MX_RETURN_IF_ERROR(CheckAtomicAdd(call, kDst));
  return context.GetMarkerType(TypeKind::kUnknown);
}

// ---- remote_store

absl::StatusOr<const Type*> DeduceRemoteStore(const OpCall& call,
                                              Context& context) {
  constexpr int kTarget = 1;
  const TensorType& src = call.Tensor(0);
  const TensorType& target = call.Tensor(kTarget);
  const Exprs offsets = call.DimList(3);
  MX_RETURN_IF_ERROR(CheckSameType(call, 0, target.dtype));
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, kTarget, 2));
  const Dims leading = src.shape.subspan(0, src.shape.size() - 2);
  for (const Expr* dim : leading) {
    if (ConstantOf(dim).value_or(1) == 1) continue;
    return call.Error("MX-TENSOR-1", "writes one matrix, [..., 1, M, N], got ",
                      ShapeText(src.shape));
  }
  if (offsets.size() != target.shape.size()) {
    return call.Error("MX-TENSOR-7", "offsets ", ShapeText(offsets),
                      " must have the rank of target, ",
                      ShapeText(target.shape));
  }
  std::vector<const Expr*> extents(offsets.size() - 2, context.Index(1));
  extents.insert(extents.end(), src.shape.end() - 2, src.shape.end());
  MX_RETURN_IF_ERROR(CheckWindow(call, "MX-TENSOR-7",
                                 {offsets, extents, target.shape}, "writes",
                                 "store a smaller matrix"));
  MX_RETURN_IF_ERROR(CheckAtomicAdd(call, kTarget));
  return context.GetMarkerType(TypeKind::kUnknown);
}

// ---- Registration

OpDef PldTensorOp(absl::string_view name) {
  OpDef def;
  def.name = absl::StrCat("pld.tensor.", name);
  return def;
}

KwargSpec Atomic() {
  return {"atomic", KwargKind::kChoice, /*required=*/false, {"None_", "Add"}};
}

void RegisterTransfer(OpRegistry& registry, absl::string_view name, ArgKind dst,
                      ArgKind src, bool has_atomic) {
  OpDef def = PldTensorOp(name);
  def.has_effect = true;
  std::vector<KwargSpec> kwargs = {{"chunk_rows", KwargKind::kInt},
                                   {"chunk_cols", KwargKind::kInt},
                                   {"pipeline", KwargKind::kBool}};
  if (has_atomic) kwargs.insert(kwargs.begin(), Atomic());
  RegisterOp(registry, std::move(def),
             {{{"dst", dst},
               {"peer", ArgKind::kScalar},
               {"src", src},
               {"dst_offsets", ArgKind::kDims, /*optional=*/true},
               {"src_offsets", ArgKind::kDims, /*optional=*/true},
               {"shape", ArgKind::kDims, /*optional=*/true}},
              std::move(kwargs)},
             [has_atomic](const OpCall& call, Context& context) {
               return DeduceTransfer(call, has_atomic, context);
             });
}

void RegisterBuffers(OpRegistry& registry) {
  OpDef alloc = PldTensorOp("alloc_window_buffer");
  alloc.short_forms = {{"pld.alloc_window_buffer"}};
  alloc.has_effect = true;
  RegisterOp(registry, std::move(alloc),
             {{{"size", ArgKind::kAny}},
              {{"name", KwargKind::kString}, {"dtype", KwargKind::kDataType}}},
             DeduceAllocWindow);
  OpDef window = PldTensorOp("window");
  window.short_forms = {{"pld.window"}};
  RegisterOp(registry, std::move(window),
             {{{"buf", ArgKind::kPtr}, {"shape", ArgKind::kDims}},
              {{"dtype", KwargKind::kDataType, /*required=*/true}}},
             DeduceWindow);
}

void RegisterRemoteStore(OpRegistry& registry) {
  OpDef def = PldTensorOp("remote_store");
  def.short_forms = {{"pld.remote_store", {OperandKind::kTensor}}};
  def.has_effect = true;
  RegisterOp(registry, std::move(def),
             {{{"src", ArgKind::kPlainTensor},
               {"target", ArgKind::kWindow},
               {"peer", ArgKind::kScalar},
               {"offsets", ArgKind::kDims}},
              {Atomic()}},
             DeduceRemoteStore);
}

void RegisterDist(OpRegistry& registry) {
  const std::pair<const char*, std::vector<ArgSpec>> kOps[] = {
      {"make_tensor", {{"rt", ArgKind::kAny}, {"count", ArgKind::kAny}}},
      {"tree_reduce", {{"rt", ArgKind::kAny}, {"leaves", ArgKind::kAny}}},
      {"submit_worker", {{"rt", ArgKind::kAny}}},
      {"submit_orchestrator", {{"rt", ArgKind::kAny}}},
      {"future_get", {{"future", ArgKind::kAny}}},
  };
  for (const auto& [name, args] : kOps) {
    OpDef def;
    def.name = absl::StrCat("dist.", name);
    def.compiler_only = true;
    def.has_effect = true;
    RegisterOp(registry, std::move(def), {args}, /*deduction=*/nullptr);
  }
}

}  // namespace

void RegisterTensorTransferOps(OpRegistry& registry) {
  RegisterBuffers(registry);
  RegisterTransfer(registry, "put", ArgKind::kWindow, ArgKind::kTensor,
                   /*has_atomic=*/true);
  RegisterTransfer(registry, "get", ArgKind::kTensor, ArgKind::kWindow,
                   /*has_atomic=*/false);
  RegisterRemoteStore(registry);
  RegisterDist(registry);
}

}  // namespace mxtile::ir
