#include "ir/ops/tensor_index_ops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/elementwise_rules.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

constexpr DataType kGathered[] = {DataType::kFP16, DataType::kFP32,
                                  DataType::kInt16, DataType::kInt32};
constexpr DataType kScattered[] = {DataType::kFP16,  DataType::kFP32,
                                   DataType::kBF16,  DataType::kInt16,
                                   DataType::kInt32, DataType::kInt8};
constexpr DataType kSorted[] = {DataType::kFP16, DataType::kFP32};
constexpr int64_t kMax = std::numeric_limits<int32_t>::max();

// Dim `axis` of the tensor at `index` is not larger than that of the other.
absl::Status CheckFitsInto(const OpCall& call, int index, int other,
                           size_t axis) {
  const std::optional<int64_t> extent =
      ConstantOf(call.Tensor(index).shape[axis]);
  const std::optional<int64_t> most =
      ConstantOf(call.Tensor(other).shape[axis]);
  if (!extent.has_value() || !most.has_value() || *extent <= *most) {
    return absl::OkStatus();
  }
  return call.Error("MX-TENSOR-1", "dimension ", axis, " of ",
                    call.ArgName(index), " must not exceed that of ",
                    call.ArgName(other), ", got ", *extent, " and ", *most);
}

// A required kwarg in its range.
absl::StatusOr<int64_t> IntOf(const OpCall& call, absl::string_view name,
                              int64_t low, int64_t high) {
  MX_RETURN_IF_ERROR(CheckKwargRange(call, name, low, high));
  const std::optional<int64_t> value = call.IntKwarg(name);
  if (value.has_value()) return *value;
  return call.Error("MX-OP-4", name, " must be a number written in place");
}

// By name, or by number from 1 on.
constexpr absl::string_view kPatterns[] = {"",      "P0101", "P1010", "P0001",
                                           "P0010", "P0100", "P1000", "P1111"};

// Of how many columns the pattern keeps one.
absl::StatusOr<int64_t> MaskStride(const OpCall& call) {
  constexpr int kAllColumns = 7;
  const int pattern = *call.ChoiceKwarg("mask_pattern");
  if (pattern == 0) {
    return call.Error("MX-TENSOR-9", "mask_pattern must lie in [1, 7], got 0");
  }
  if (pattern == kAllColumns) return 1;
  return pattern <= 2 ? 2 : 4;
}

// ---- Gather

absl::Status CheckGatherIndex(const OpCall& call) {
  if (BitWidth(call.Tensor(0).dtype) == 16) {
    return CheckElementType(call, 1, {DataType::kInt32, DataType::kInt16});
  }
  return CheckElementType(call, 1, {DataType::kInt32});
}

absl::StatusOr<const Type*> DeduceGather(const OpCall& call, Context& context) {
  const TensorType& input = call.Tensor(0);
  const size_t rank = input.shape.size();
  MX_RETURN_IF_ERROR(CheckElementType(call, 0, kGathered));
  MX_RETURN_IF_ERROR(CheckGatherIndex(call));
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckRank(call, 1, rank));
  MX_ASSIGN_OR_RETURN(
      const int dim, AxisWithin(call, call.IntKwarg("dim").value_or(-1), rank));
  for (size_t i = 0; i < rank; ++i) {
    if (static_cast<int>(i) == dim) continue;
    MX_RETURN_IF_ERROR(CheckFitsInto(call, 1, 0, i));
  }
  return FreshTensor(call.Tensor(1).shape, input.dtype, context);
}

absl::StatusOr<const Type*> DeduceGatherMask(const OpCall& call,
                                             Context& context) {
  const TensorType& input = call.Tensor(0);
  MX_RETURN_IF_ERROR(CheckElementType(call, 0, kGathered));
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_ASSIGN_OR_RETURN(const int64_t stride, MaskStride(call));
  const std::optional<int64_t> cols = ConstantOf(input.shape[1]);
  if (cols.has_value() && *cols % stride != 0) {
    return call.Error("MX-TENSOR-1", "keeps one of ", stride,
                      " columns, which must divide ", *cols);
  }
  const DataType dtype =
      call.DataTypeKwarg("output_dtype").value_or(input.dtype);
  if (BitWidth(dtype) != BitWidth(input.dtype)) {
    return call.Error("MX-TENSOR-2", "output_dtype must be as wide as ",
                      DataTypeName(input.dtype), ", got ", DataTypeName(dtype));
  }
  const Expr* kept = input.shape[1];
  if (cols.has_value()) {
    kept = context.Index(*cols / stride);
  } else if (stride != 1) {
    kept = context.NewBinary(BinaryOp::kFloorDiv, kept, context.Index(stride));
  }
  const Expr* shape[] = {input.shape[0], kept};
  return FreshTensor(shape, dtype, context);
}

absl::StatusOr<const Type*> DeduceGatherCompare(const OpCall& call,
                                                Context& context) {
  const TensorType& input = call.Tensor(0);
  MX_RETURN_IF_ERROR(CheckElementType(call, 0, kGathered));
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckDataType(call, "kvalue",
                                   ScalarOperandType(*call.Arg(1), input.dtype),
                                   {input.dtype}));
  MX_ASSIGN_OR_RETURN(const int64_t cols, IntOf(call, "out_cols", 1, kMax));
  const DataType count_dtype =
      call.DataTypeKwarg("count_dtype").value_or(DataType::kInt32);
  MX_RETURN_IF_ERROR(CheckDataType(call, "count_dtype", count_dtype,
                                   {DataType::kInt32, DataType::kUInt32}));
  const Expr* positions[] = {input.shape[0], context.Index(cols)};
  const Expr* counts[] = {context.Index(1), input.shape[0]};
  const Type* elements[] = {FreshTensor(positions, DataType::kInt32, context),
                            FreshTensor(counts, count_dtype, context)};
  return context.GetTupleType(elements);
}

absl::Status CheckPositions(const OpCall& call, int index) {
  MX_RETURN_IF_ERROR(CheckElementType(call, index, {DataType::kInt32}));
  const Dims shape = call.Tensor(index).shape;
  if (shape.size() == 1 || (shape.size() == 2 && IsConstant(shape[0], 1))) {
    return absl::OkStatus();
  }
  return call.Error("MX-TENSOR-4", call.ArgName(index),
                    " must be [N] or [1, N], got ", ShapeText(shape));
}

absl::StatusOr<const Type*> DeducePagedGather(const OpCall& call,
                                              Context& context) {
  const TensorType& src = call.Tensor(0);
  MX_RETURN_IF_ERROR(CheckElementType(
      call, 0,
      {DataType::kFP16, DataType::kBF16, DataType::kFP32, DataType::kInt8}));
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckPositions(call, 1));
  MX_RETURN_IF_ERROR(CheckPositions(call, 2));
  MX_RETURN_IF_ERROR(IntOf(call, "block_size", 1, kMax).status());
  MX_ASSIGN_OR_RETURN(const int64_t size, IntOf(call, "size", 1, kMax));
  MX_ASSIGN_OR_RETURN(const int64_t rows, IntOf(call, "max_indices", 1, kMax));
  MX_RETURN_IF_ERROR(CheckKwargRange(call, "col_off", 0, kMax));
  const bool transposed = call.BoolKwarg("is_trans");
  if (transposed && call.EnumKwarg<MemorySpace>("space").value_or(
                        MemorySpace::kMat) != MemorySpace::kMat) {
    return call.Error("MX-TENSOR-9", "transposes into Mat only");
  }
  const int64_t end = call.IntKwarg("col_off").value_or(0) + size;
  const std::optional<int64_t> cols = ConstantOf(src.shape[1]);
  if (cols.has_value() && end > *cols) {
    return call.Error("MX-TENSOR-7", "reads up to column ", end, " of ", *cols);
  }
  const Expr* shape[] = {context.Index(transposed ? size : rows),
                         context.Index(transposed ? rows : size)};
  return FreshTensor(shape, src.dtype, context);
}

absl::StatusOr<const Type*> DeduceGatherRow(const OpCall& call,
                                            Context& context) {
  constexpr int kShapes = 4;
  constexpr int kValid = 5;
  MX_RETURN_IF_ERROR(CheckSameType(call, 1, call.Tensor(0).dtype));
  const Exprs shape = call.DimList(kShapes);
  if (!ElementCount(shape).has_value()) {
    return call.Error("MX-TENSOR-7", "shapes must be constants, got ",
                      ShapeText(shape),
                      "; give what varies as the valid_shape");
  }
  if (!call.HasArg(kValid)) return &call.Tensor(0);
  const Exprs valid = call.DimList(kValid);
  bool inside = valid.size() == shape.size();
  for (size_t i = 0; inside && i < valid.size(); ++i) {
    const std::optional<int64_t> extent = ConstantOf(valid[i]);
    inside = extent.has_value()
                 ? *extent >= 0 && *extent <= *ConstantOf(shape[i])
                 : !call.BoolKwarg("transpose");
  }
  if (inside) return &call.Tensor(0);
  return call.Error("MX-TENSOR-8", "valid_shape ", ShapeText(valid),
                    " must lie inside shapes ", ShapeText(shape),
                    ", and be constant with transpose");
}

// ---- Scatter

absl::StatusOr<const Type*> DeduceScatter(const OpCall& call,
                                          Context& context) {
  const TensorType& input = call.Tensor(0);
  MX_RETURN_IF_ERROR(CheckElementType(call, 0, kScattered));
  MX_RETURN_IF_ERROR(CheckSameType(call, 2, input.dtype));
  MX_RETURN_IF_ERROR(CheckElementType(
      call, 1,
      {BitWidth(input.dtype) == 32 ? DataType::kInt32 : DataType::kInt16}));
  for (int i = 0; i < 3; ++i) MX_RETURN_IF_ERROR(CheckRank(call, i, 2));
  MX_ASSIGN_OR_RETURN(const int dim,
                      AxisWithin(call, call.IntKwarg("dim").value_or(-1), 2));
  if (dim != 1) {
    return call.Error("MX-TENSOR-9", "scatters along the last dim, -1");
  }
  for (size_t i = 0; i < 2; ++i) {
    MX_RETURN_IF_ERROR(CheckSameExtent(
        call, absl::StrCat("dimension ", i, " of index"),
        call.Tensor(1).shape[i], "that of src", call.Tensor(2).shape[i]));
    MX_RETURN_IF_ERROR(CheckFitsInto(call, 2, 0, i));
  }
  return FreshTensor(input.shape, input.dtype, context);
}

absl::StatusOr<const Type*> DeduceScatterMask(const OpCall& call,
                                              Context& context) {
  const TensorType& dst = call.Tensor(1);
  MX_RETURN_IF_ERROR(CheckElementType(call, 0, kScattered));
  MX_RETURN_IF_ERROR(CheckSameType(call, 1, call.Tensor(0).dtype));
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckRank(call, 1, 2));
  MX_ASSIGN_OR_RETURN(const int64_t stride, MaskStride(call));
  MX_RETURN_IF_ERROR(
      CheckSameExtent(call, "the cols of dst", dst.shape[1],
                      absl::StrCat(stride, " times those of input"),
                      Multiple(context, call.Tensor(0).shape[1], stride)));
  return FreshTensor(dst.shape, dst.dtype, context);
}

absl::StatusOr<const Type*> DeduceScatterUpdate(const OpCall& call,
                                                Context& context) {
  const TensorType& input = call.Tensor(0);
  const size_t rank = input.shape.size();
  if (rank != 4) MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckRank(call, 1, 2));
  MX_RETURN_IF_ERROR(CheckIntegers(call, 1));
  MX_RETURN_IF_ERROR(CheckRank(call, 2, rank));
  MX_RETURN_IF_ERROR(CheckSameType(call, 2, input.dtype));
  MX_RETURN_IF_ERROR(CheckKwargRange(call, "dim", -2, -2));
  return FreshTensor(input.shape, input.dtype, context);
}

// ---- Sort

absl::StatusOr<const Type*> DeduceSort32(const OpCall& call, Context& context) {
  const TensorType& src = call.Tensor(0);
  MX_RETURN_IF_ERROR(CheckElementType(call, 0, kSorted));
  MX_RETURN_IF_ERROR(CheckElementType(call, 1, {DataType::kUInt32}));
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, 0, 1));
  MX_RETURN_IF_ERROR(CheckRank(call, 1, src.shape.size()));
  for (size_t i = 0; i < src.shape.size(); ++i) {
    MX_RETURN_IF_ERROR(
        CheckSameExtent(call, absl::StrCat("dimension ", i, " of idx"),
                        call.Tensor(1).shape[i], "that of src", src.shape[i]));
  }
  const std::optional<int64_t> last = ConstantOf(src.shape.back());
  if (last.has_value() && (*last <= 0 || *last % 32 != 0)) {
    return call.Error("MX-TENSOR-1",
                      "sorts blocks of 32; the last dim must be a multiple of "
                      "it, got ",
                      *last);
  }
  std::vector<const Expr*> shape(src.shape.begin(), src.shape.end());
  shape.back() = Multiple(context, shape.back(), 2);
  return FreshTensor(shape, src.dtype, context);
}

absl::StatusOr<const Type*> DeduceMergeRuns(const OpCall& call,
                                            Context& context) {
  MX_RETURN_IF_ERROR(CheckElementType(call, 0, kSorted));
  const std::optional<int64_t> length = ConstantOf(call.Arg(1));
  if (length.has_value() && (*length <= 0 || *length % 64 != 0)) {
    return call.Error("MX-TENSOR-9",
                      "block_len must be a positive multiple of 64, got ",
                      *length);
  }
  return FreshTensor(call.Tensor(0).shape, call.Tensor(0).dtype, context);
}

absl::StatusOr<const Type*> DeduceMergeLists(const OpCall& call,
                                             Context& context) {
  const TensorType& first = call.Tensor(0);
  MX_RETURN_IF_ERROR(CheckElementType(call, 0, kSorted));
  MX_RETURN_IF_ERROR(CheckRankAtLeast(call, 0, 1));
  std::vector<const Expr*> shape(first.shape.begin(), first.shape.end());
  for (int i = 1; i < call.num_args(); ++i) {
    const TensorType& src = call.Tensor(i);
    MX_RETURN_IF_ERROR(CheckSameType(call, i, first.dtype));
    MX_RETURN_IF_ERROR(CheckRank(call, i, shape.size()));
    for (size_t axis = 0; axis + 1 < shape.size(); ++axis) {
      MX_RETURN_IF_ERROR(CheckSameExtent(
          call, absl::StrCat("dimension ", axis, " of ", call.ArgName(i)),
          src.shape[axis], "that of src0", shape[axis]));
    }
    shape.back() = Plus(context, shape.back(), src.shape.back());
  }
  return FreshTensor(shape, first.dtype, context);
}

// ---- Registration

constexpr ArgKind kTensorArg = ArgKind::kPlainTensor;

// pl.<front> and pl.tensor.<front>, for calls with the keyword where one is
// given.
OpDef Named(absl::string_view name, absl::string_view front,
            absl::string_view keyword = "") {
  OpDef def = TensorOp(name);
  def.short_forms = {
      {std::string(front), {OperandKind::kTensor}, std::string(keyword)},
      {absl::StrCat("tensor.", front),
       {OperandKind::kTensor},
       std::string(keyword)}};
  return def;
}

KwargSpec RequiredInt(absl::string_view name) {
  return {std::string(name), KwargKind::kInt, /*required=*/true};
}

KwargSpec MaskPattern() {
  return {"mask_pattern",
          KwargKind::kChoice,
          /*required=*/true,
          {std::begin(kPatterns), std::end(kPatterns)}};
}

void RegisterGathers(OpRegistry& registry) {
  OpDef gather = Named("gather", "gather");
  gather.front_order = {"input", "dim", "index"};
  RegisterOp(
      registry, std::move(gather),
      {{{"input", kTensorArg}, {"index", kTensorArg}}, {RequiredInt("dim")}},
      DeduceGather);
  RegisterOp(registry, Named("gather_mask", "gather", "mask_pattern"),
             {{{"input", kTensorArg}},
              {MaskPattern(), {"output_dtype", KwargKind::kDataType}}},
             DeduceGatherMask);
  RegisterOp(registry, Named("gather_compare", "gather", "kvalue"),
             {{{"input", kTensorArg}, {"kvalue", ArgKind::kScalar}},
              {{"cmp_mode",
                KwargKind::kChoice,
                /*required=*/true,
                {"eq", "ne", "lt", "le", "gt", "ge"}},
               {"offset", KwargKind::kInt},
               RequiredInt("out_cols"),
               {"count_dtype", KwargKind::kDataType}}},
             DeduceGatherCompare);
  OpDef paged = TensorOp("paged_gather");
  paged.short_forms = {{"paged_gather"}};
  RegisterOp(registry, std::move(paged),
             {{{"src", kTensorArg},
               {"indices", kTensorArg},
               {"block_table", kTensorArg}},
              {RequiredInt("block_size"),
               RequiredInt("size"),
               RequiredInt("max_indices"),
               {"space", KwargKind::kMemorySpace},
               {"col_off", KwargKind::kInt},
               {"is_trans", KwargKind::kBool},
               {"is_b_matrix", KwargKind::kBool}}},
             DeducePagedGather);
  OpDef row = UnifiedTensorOp("gather_row");
  row.front_order = {"acc",        "src",    "dst_offset",
                     "src_offset", "shapes", "transpose"};
  row.result_aliases_arg = 0;
  row.has_effect = true;
  RegisterOp(registry, std::move(row),
             {{{"acc", kTensorArg},
               {"src", kTensorArg},
               {"dst_offset", ArgKind::kDims},
               {"src_offset", ArgKind::kDims},
               {"shapes", ArgKind::kDims},
               {"valid_shape", ArgKind::kDims, /*optional=*/true}},
              {{"transpose", KwargKind::kBool}}},
             DeduceGatherRow);
}

void RegisterScatters(OpRegistry& registry) {
  const std::vector<ArgSpec> args = {
      {"input", kTensorArg}, {"index", kTensorArg}, {"src", kTensorArg}};
  OpDef scatter = Named("scatter", "scatter");
  scatter.front_order = {"input", "dim", "index", "src"};
  RegisterOp(registry, std::move(scatter), {args, {RequiredInt("dim")}},
             DeduceScatter);
  RegisterOp(registry, Named("scatter_mask", "scatter", "mask_pattern"),
             {{{"input", kTensorArg}, {"dst", kTensorArg}}, {MaskPattern()}},
             DeduceScatterMask);
  OpDef update = UnifiedTensorOp("scatter_update");
  update.front_order = {"input", "dim", "index", "src"};
  RegisterOp(registry, std::move(update), {args, {{"dim", KwargKind::kInt}}},
             DeduceScatterUpdate);
}

void RegisterSorts(OpRegistry& registry) {
  RegisterOp(registry, UnifiedTensorOp("sort32"),
             {{{"src", kTensorArg}, {"idx", kTensorArg}}}, DeduceSort32);
  RegisterOp(registry, Named("mrgsort_format1", "mrgsort", "block_len"),
             {{{"src", kTensorArg}, {"block_len", ArgKind::kInteger}}},
             DeduceMergeRuns);
  RegisterOp(registry, Named("mrgsort_format2", "mrgsort"),
             {{{"src0", kTensorArg},
               {"src1", kTensorArg},
               {"src2", kTensorArg, /*optional=*/true},
               {"src3", kTensorArg, /*optional=*/true}},
              {{"exhausted", KwargKind::kBool}}},
             DeduceMergeLists);
}

}  // namespace

void RegisterTensorIndexOps(OpRegistry& registry) {
  RegisterGathers(registry);
  RegisterScatters(registry);
  RegisterSorts(registry);
}

}  // namespace mxtile::ir
