#include "ir/ops/tensor_data_ops.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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

// A fresh tensor of the shape in argument `index` and the kwarg dtype.
absl::StatusOr<const Type*> TensorOfShape(const OpCall& call, int index,
                                          DataType dtype, Context& context) {
  const Exprs shape = call.DimList(index);
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, dtype));
  return FreshTensor(shape, dtype, context);
}

// ---- Contents

absl::StatusOr<const Type*> DeduceFull(const OpCall& call, Context& context) {
  const Expr* value = call.Arg(1);
  if (AsConstInt(value) == nullptr && !Isa<ConstFloat>(value)) {
    return call.Error("MX-TENSOR-9",
                      "value must be a constant number; use expands for a "
                      "value that is computed");
  }
  return TensorOfShape(call, 0, *call.DataTypeKwarg("dtype"), context);
}

absl::Status CheckIsOneRow(const OpCall& call, Exprs shape) {
  bool one_row = !shape.empty() && !IsConstant(shape.back(), 1);
  for (size_t i = 0; i + 1 < shape.size(); ++i) {
    one_row = one_row && ConstantOf(shape[i]).value_or(1) == 1;
  }
  if (one_row) return absl::OkStatus();
  return call.Error("MX-TENSOR-1",
                    "fills one row of more than one element, [..., 1, N], got ",
                    ShapeText(shape));
}

absl::StatusOr<const Type*> DeduceCi(const OpCall& call, Context& context) {
  const DataType dtype = call.DataTypeKwarg("dtype").value_or(DataType::kInt32);
  MX_RETURN_IF_ERROR(CheckDataType(call, "dtype", dtype,
                                   {DataType::kInt16, DataType::kInt32,
                                    DataType::kUInt16, DataType::kUInt32}));
  MX_RETURN_IF_ERROR(CheckDataType(
      call, "start", ScalarOperandType(*call.Arg(0), dtype), {dtype}));
  MX_RETURN_IF_ERROR(CheckIsOneRow(call, call.DimList(1)));
  return TensorOfShape(call, 1, dtype, context);
}

absl::StatusOr<const Type*> DeduceRandom(const OpCall& call, Context& context) {
  constexpr int kSeeds = 6;
  const DataType dtype =
      call.DataTypeKwarg("dtype").value_or(DataType::kUInt32);
  MX_RETURN_IF_ERROR(CheckDataType(call, "dtype", dtype,
                                   {DataType::kInt32, DataType::kUInt32}));
  for (int i = 0; i < kSeeds; ++i) {
    MX_RETURN_IF_ERROR(CheckDataType(
        call, call.ArgName(i),
        ScalarOperandType(*call.Arg(i), DataType::kInt32), {DataType::kInt32}));
  }
  const int64_t rounds = call.IntKwarg("rounds").value_or(10);
  if (rounds != 7 && rounds != 10) {
    return call.Error("MX-TENSOR-9", "rounds must be 7 or 10, got ", rounds);
  }
  if (call.DimList(kSeeds).size() != 2) {
    return call.Error("MX-TENSOR-4", "shape must be [rows, cols], got ",
                      ShapeText(call.DimList(kSeeds)));
  }
  return TensorOfShape(call, kSeeds, dtype, context);
}

absl::StatusOr<const Type*> DeduceCreateL1(const OpCall& call,
                                           Context& context) {
  const Exprs shape = call.DimList(0);
  if (shape.empty() || !ElementCount(shape).has_value()) {
    return call.Error("MX-TENSOR-1",
                      "shape must be of constants, for the size of the buffer "
                      "on the core, got ",
                      ShapeText(shape));
  }
  return TensorOfShape(call, 0, *call.DataTypeKwarg("dtype"), context);
}

// ---- Elements

absl::Status CheckIndices(const OpCall& call) {
  const Exprs indices = call.DimList(1);
  const Dims shape = call.Tensor(0).shape;
  if (indices.size() != shape.size()) {
    return call.Error("MX-TENSOR-7", "needs one index a dimension, got ",
                      ShapeText(indices), " into ", ShapeText(shape));
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::optional<int64_t> index = ConstantOf(indices[i]);
    const std::optional<int64_t> extent = ConstantOf(shape[i]);
    if (!index.has_value()) continue;
    if (*index < 0 || (extent.has_value() && *index >= *extent)) {
      return call.Error("MX-TENSOR-7", "index ", *index,
                        " is outside of dimension ", i, " of ",
                        ShapeText(shape));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceRead(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(CheckIndices(call));
  return context.GetScalarType(call.Tensor(0).dtype);
}

absl::StatusOr<const Type*> DeduceWrite(const OpCall& call, Context& context) {
  const TensorType& tensor = call.Tensor(0);
  MX_RETURN_IF_ERROR(CheckIndices(call));
  MX_RETURN_IF_ERROR(CheckDataType(
      call, "value", ScalarOperandType(*call.Arg(2), tensor.dtype),
      {tensor.dtype}));
  return &tensor;
}

absl::StatusOr<const Type*> DeduceDim(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(AxisArg(call, 1, call.Tensor(0).shape.size()).status());
  return context.IndexType();
}

// ---- Registration

OpDef WithShort(absl::string_view name, std::vector<ShortForm> short_forms) {
  OpDef def = TensorOp(name);
  def.short_forms = std::move(short_forms);
  return def;
}

void RegisterContents(OpRegistry& registry) {
  OpDef full = WithShort("full", {{"full"}});
  full.front_order = {"shape", "dtype", "value"};
  RegisterOp(registry, std::move(full),
             {{{"shape", ArgKind::kDims}, {"value", ArgKind::kScalar}},
              {{"dtype", KwargKind::kDataType, /*required=*/true}}},
             DeduceFull);
  RegisterOp(
      registry, WithShort("ci", {{"ci"}, {"arange"}, {"tensor.arange"}}),
      {{{"start", ArgKind::kInteger}, {"shape", ArgKind::kDims}},
       {{"dtype", KwargKind::kDataType}, {"descending", KwargKind::kBool}}},
      DeduceCi);
  std::vector<ArgSpec> random;
  for (const char* seed :
       {"key0", "key1", "counter0", "counter1", "counter2", "counter3"}) {
    random.push_back({seed, ArgKind::kInteger});
  }
  random.push_back({"shape", ArgKind::kDims});
  RegisterOp(registry, WithShort("random", {{"random"}}),
             {std::move(random),
              {{"dtype", KwargKind::kDataType}, {"rounds", KwargKind::kInt}}},
             DeduceRandom);
  RegisterOp(registry, WithShort("create_l1", {{"create_l1"}}),
             {{{"shape", ArgKind::kDims}},
              {{"dtype", KwargKind::kDataType, /*required=*/true},
               {"transpose", KwargKind::kBool}}},
             DeduceCreateL1);
  RegisterOp(
      registry, TensorOp("alloc"),
      {{{"memory_space", ArgKind::kMemorySpace}, {"size", ArgKind::kInteger}}},
      [](const OpCall&, Context& context) {
        return context.GetMarkerType(TypeKind::kPtr);
      });
}

void RegisterElements(OpRegistry& registry) {
  RegisterOp(registry, UnifiedTensorOp("read"),
             {{{"tensor", ArgKind::kTensor}, {"indices", ArgKind::kDims}}},
             DeduceRead);
  OpDef write = UnifiedTensorOp("write");
  write.result_aliases_arg = 0;
  write.has_effect = true;
  RegisterOp(registry, std::move(write),
             {{{"tensor", ArgKind::kTensor},
               {"indices", ArgKind::kDims},
               {"value", ArgKind::kScalar}}},
             DeduceWrite);
  RegisterOp(registry, WithShort("dim", {{"dim"}}),
             {{{"tensor", ArgKind::kPlainTensor}, {"axis", ArgKind::kInteger}}},
             DeduceDim);
}

void RegisterBlockQueries(OpRegistry& registry) {
  for (const char* name :
       {"get_block_idx", "get_block_num", "get_subblock_idx"}) {
    OpDef def = TensorOp(name);
    def.result_never_negative = true;
    RegisterOp(
        registry, std::move(def), {{}},
        [](const OpCall&, Context& context) { return context.IndexType(); });
  }
}

}  // namespace

void RegisterTensorDataOps(OpRegistry& registry) {
  RegisterContents(registry);
  RegisterElements(registry);
  RegisterBlockQueries(registry);
}

}  // namespace mxtile::ir
