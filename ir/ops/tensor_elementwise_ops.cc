#include "ir/ops/tensor_elementwise_ops.h"

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
#include "ir/expr.h"
#include "ir/ops/elementwise_rules.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tensor_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

// What distinguishes the operators on two operands.
struct BinaryRules {
  std::vector<DataType> types = {};  // Of tensors and scalars; empty: any.
  bool integers = false;             // Only of integers, and of one shape.
  bool keeps_type = false;           // That of lhs; else the promoted one.
  bool keeps_valid = true;           // That of the operands; else all is valid.
  bool shifts = false;               // rhs counts bits.
  bool high_precision = false;       // Takes the kwarg.
};

// ---- Two tensors

absl::StatusOr<std::vector<const Expr*>> ResultShape(const OpCall& call,
                                                     const BinaryRules& rules,
                                                     Context& context) {
  const Dims lhs = call.Tensor(0).shape;
  const Dims rhs = call.Tensor(1).shape;
  auto shape = BroadcastShape(lhs, rhs, context);
  const bool fits =
      shape.has_value() && (!rules.integers || lhs.size() == rhs.size());
  bool same = fits;
  for (size_t i = 0; rules.integers && same && i < lhs.size(); ++i) {
    same = !KnownDifferent(lhs[i], rhs[i]);
  }
  if (fits && same) return *std::move(shape);
  return call.Error("MX-TENSOR-1",
                    rules.integers ? "needs operands of one shape"
                                   : "needs shapes that broadcast",
                    ", got ", ShapeText(lhs), " and ", ShapeText(rhs),
                    rules.integers ? "; expand the smaller one first"
                                   : "; dims are equal or 1");
}

absl::Status CheckTypes(const OpCall& call, const BinaryRules& rules,
                        int index) {
  if (rules.integers) MX_RETURN_IF_ERROR(CheckIntegers(call, index));
  if (rules.types.empty()) return absl::OkStatus();
  return CheckElementType(call, index, rules.types);
}

absl::Status CheckHighPrecision(const OpCall& call, DataType dtype,
                                DataTypes allowed) {
  if (allowed.empty() || !call.BoolKwarg("high_precision")) {
    return absl::OkStatus();
  }
  return CheckDataType(call, "with high_precision the result", dtype, allowed);
}

bool IsPlain(const TensorType& tensor) {
  return tensor.kind == TypeKind::kTensor;
}

// Empty: all of the result is valid.
Exprs CommonValidShape(const TensorType& lhs, const TensorType& rhs,
                       Context& context) {
  const Dims valid = EffectiveValidShape(lhs);
  const bool common = IsPlain(lhs) && IsPlain(rhs) &&
                      HaveSameDims(lhs.shape, rhs.shape, context) &&
                      HaveSameDims(valid, EffectiveValidShape(rhs), context);
  return common ? valid : Dims();
}

absl::StatusOr<const Type*> DeduceBinary(const OpCall& call,
                                         const BinaryRules& rules,
                                         Context& context) {
  const TensorType& lhs = call.Tensor(0);
  const TensorType& rhs = call.Tensor(1);
  MX_RETURN_IF_ERROR(CheckTypes(call, rules, 0));
  MX_RETURN_IF_ERROR(CheckTypes(call, rules, 1));
  MX_ASSIGN_OR_RETURN(const auto shape, ResultShape(call, rules, context));
  const DataType dtype =
      rules.keeps_type ? lhs.dtype : PromotedType(lhs.dtype, rhs.dtype);
  MX_RETURN_IF_ERROR(
      CheckHighPrecision(call, dtype, {DataType::kFP16, DataType::kFP32}));
  const Exprs valid =
      rules.keeps_valid ? CommonValidShape(lhs, rhs, context) : Exprs();
  return FreshTensor(shape, valid, dtype, context);
}

// ---- A tensor and a scalar

absl::Status CheckScalar(const OpCall& call, const BinaryRules& rules,
                         DataType dtype) {
  if (!rules.types.empty()) {
    MX_RETURN_IF_ERROR(
        CheckDataType(call, call.ArgName(1), dtype, rules.types));
  }
  if (!rules.integers) return absl::OkStatus();
  if (!IsInteger(dtype)) {
    return call.Error("MX-TENSOR-2", call.ArgName(1),
                      " must be an integer, got ", DataTypeName(dtype));
  }
  const std::optional<int64_t> bits = ConstantOf(call.Arg(1));
  if (rules.shifts && bits.has_value() && *bits < 0) {
    return call.Error("MX-TENSOR-9", "shifts by 0 bits or more, got ", *bits,
                      "; shift the other way");
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceWithScalar(const OpCall& call,
                                             const BinaryRules& rules,
                                             Context& context) {
  const TensorType& lhs = call.Tensor(0);
  const DataType scalar = ScalarOperandType(*call.Arg(1), lhs.dtype);
  MX_RETURN_IF_ERROR(CheckTypes(call, rules, 0));
  MX_RETURN_IF_ERROR(CheckScalar(call, rules, scalar));
  const bool keeps_type = rules.keeps_type || rules.integers;
  const Exprs valid =
      rules.keeps_valid && IsPlain(lhs) ? EffectiveValidShape(lhs) : Dims();
  return FreshTensor(lhs.shape, valid,
                     keeps_type ? lhs.dtype : PromotedType(lhs.dtype, scalar),
                     context);
}

// ---- One tensor

struct UnaryRules {
  std::vector<DataType> types = {};          // Empty: any.
  bool gives_float = false;                  // FP32 of other than floats.
  bool high_precision = false;               // Takes the kwarg.
  std::vector<DataType> precise_types = {};  // With it. Empty: any.
};

absl::StatusOr<const Type*> DeduceUnary(const OpCall& call,
                                        const UnaryRules& rules,
                                        Context& context) {
  const TensorType& input = call.Tensor(0);
  if (!rules.types.empty()) {
    MX_RETURN_IF_ERROR(CheckElementType(call, 0, rules.types));
  }
  MX_RETURN_IF_ERROR(
      CheckHighPrecision(call, input.dtype, rules.precise_types));
  const DataType dtype = rules.gives_float && !IsFloat(input.dtype)
                             ? DataType::kFP32
                             : input.dtype;
  return FreshTensor(input.shape, EffectiveValidShape(input), dtype, context);
}

absl::StatusOr<const Type*> DeduceCast(const OpCall& call, Context& context) {
  const TensorType& input = call.Tensor(0);
  const DataType target = *call.DataTypeKwarg("target_type");
  if (target == input.dtype) {
    return call.Error("MX-TENSOR-2", "the input is of ", DataTypeName(target),
                      " already; drop the cast");
  }
  return FreshTensor(input.shape, EffectiveValidShape(input), target, context);
}

// ---- Registration

std::vector<KwargSpec> HighPrecision(bool has) {
  if (!has) return {};
  return {{"high_precision", KwargKind::kBool}};
}

OpDef BinaryDef(absl::string_view name, absl::string_view front_name,
                OperandKind rhs) {
  OpDef def = TensorOp(name);
  // pl.tensor.add stands for adds, too.
  def.short_forms = {
      {std::string(front_name), {OperandKind::kTensor, rhs}},
      {absl::StrCat("tensor.", front_name), {OperandKind::kTensor, rhs}},
  };
  return def;
}

struct BinaryNames {
  absl::string_view name;
  absl::string_view lhs = "lhs";
  absl::string_view rhs = "rhs";
};

void RegisterBinary(OpRegistry& registry, const BinaryNames& names,
                    BinaryRules rules) {
  RegisterOp(registry, BinaryDef(names.name, names.name, OperandKind::kTensor),
             {{{std::string(names.lhs), ArgKind::kTensor},
               {std::string(names.rhs), ArgKind::kTensor}},
              HighPrecision(rules.high_precision)},
             [rules](const OpCall& call, Context& context) {
               return DeduceBinary(call, rules, context);
             });
}

void RegisterWithScalar(OpRegistry& registry, absl::string_view name,
                        BinaryRules rules) {
  const std::string scalar_name = absl::StrCat(name, "s");
  OpDef def = BinaryDef(scalar_name, name, OperandKind::kScalar);
  def.short_forms.push_back({scalar_name, {OperandKind::kTensor}});
  RegisterOp(registry, std::move(def),
             {{{"lhs", ArgKind::kTensor}, {"rhs", ArgKind::kScalar}}},
             [rules](const OpCall& call, Context& context) {
               return DeduceWithScalar(call, rules, context);
             });
}

// One operator for both kinds of rhs.
void RegisterMixed(OpRegistry& registry, absl::string_view name,
                   BinaryRules rules, std::vector<KwargSpec> kwargs = {}) {
  RegisterOp(registry, UnifiedTensorOp(name),
             {{{"lhs", ArgKind::kTensor}, {"rhs", ArgKind::kTensorOrScalar}},
              std::move(kwargs)},
             [rules](const OpCall& call, Context& context) {
               return Isa<ScalarType>(call.Arg(1)->type)
                          ? DeduceWithScalar(call, rules, context)
                          : DeduceBinary(call, rules, context);
             });
}

void RegisterUnary(OpRegistry& registry, absl::string_view name,
                   UnaryRules rules = {}) {
  RegisterOp(
      registry, UnifiedTensorOp(name),
      {{{"input", ArgKind::kTensor}}, HighPrecision(rules.high_precision)},
      [rules](const OpCall& call, Context& context) {
        return DeduceUnary(call, rules, context);
      });
}

BinaryRules Bitwise() {
  BinaryRules rules;
  rules.integers = true;
  return rules;
}

BinaryRules Shift() {
  BinaryRules rules = Bitwise();
  rules.keeps_type = true;
  rules.shifts = true;
  return rules;
}

BinaryRules AllValid(BinaryRules rules) {
  rules.keeps_valid = false;
  return rules;
}

void RegisterArithmetic(OpRegistry& registry) {
  for (const char* name : {"add", "sub", "mul", "fmod"}) {
    RegisterBinary(registry, {name}, {});
  }
  for (const char* name : {"add", "mul", "div", "fmod"}) {
    RegisterWithScalar(registry, name, {});
  }
  BinaryRules div;
  div.types = {DataType::kInt16, DataType::kInt32, DataType::kFP16,
               DataType::kFP32};
  div.high_precision = true;
  RegisterBinary(registry, {"div"}, div);
  BinaryRules subs;
  subs.types = {DataType::kInt8, DataType::kInt16, DataType::kInt32,
                DataType::kFP16, DataType::kFP32,  DataType::kBF16};
  subs.keeps_type = true;
  RegisterWithScalar(registry, "sub", subs);
  for (const char* name : {"part_add", "part_mul", "part_max", "part_min"}) {
    RegisterBinary(registry, {name, "src0", "src1"}, AllValid({}));
  }
  RegisterMixed(registry, "maximum", {});
  RegisterMixed(registry, "minimum", {});
  RegisterMixed(registry, "cmp", AllValid({}), {{"cmp_type", KwargKind::kInt}});
}

void RegisterBits(OpRegistry& registry) {
  for (const char* name : {"and", "or"}) {
    RegisterBinary(registry, {name}, Bitwise());
    RegisterWithScalar(registry, name, Bitwise());
  }
  RegisterBinary(registry, {"xor"}, AllValid(Bitwise()));
  RegisterWithScalar(registry, "xor", AllValid(Bitwise()));
  for (const char* name : {"shl", "shr"}) {
    RegisterBinary(registry, {name}, Shift());
    RegisterWithScalar(registry, name, Shift());
  }
}

void RegisterUnaries(OpRegistry& registry) {
  RegisterUnary(registry, "neg");
  RegisterUnary(registry, "abs");
  RegisterUnary(registry, "not", {{DataType::kInt16, DataType::kUInt16}});
  RegisterUnary(registry, "sin", {{DataType::kFP32}});
  RegisterUnary(registry, "cos", {{DataType::kFP32}});
  RegisterUnary(registry, "log",
                {{DataType::kFP16, DataType::kFP32}, false, true});
  RegisterUnary(registry, "exp", {{}, true});
  RegisterUnary(registry, "sqrt", {{}, true});
  RegisterUnary(registry, "rsqrt", {{}, true, true});
  RegisterUnary(registry, "recip",
                {{}, true, true, {DataType::kFP16, DataType::kFP32}});
}

void RegisterCast(OpRegistry& registry) {
  RegisterOp(registry, UnifiedTensorOp("cast"),
             {{{"input", ArgKind::kTensor}},
              {{"target_type", KwargKind::kDataType, /*required=*/true},
               {"mode",
                KwargKind::kChoice,
                /*required=*/false,
                {"none", "rint", "round", "floor", "ceil", "trunc", "odd"}}}},
             DeduceCast);
}

}  // namespace

void RegisterTensorElementwiseOps(OpRegistry& registry) {
  RegisterArithmetic(registry);
  RegisterBits(registry);
  RegisterUnaries(registry);
  RegisterCast(registry);
}

}  // namespace mxtile::ir
