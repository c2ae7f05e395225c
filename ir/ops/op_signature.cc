#include "ir/ops/op_signature.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "ir/data_type.h"

namespace mxtile::ir {
namespace {

bool IsScalarOf(const Expr& expr, bool (*accepts)(DataType)) {
  const auto* type = DynCast<ScalarType>(expr.type);
  return type != nullptr && accepts(type->dtype);
}

bool IsBoolType(DataType dtype) { return dtype == DataType::kBool; }
bool IsTaskIdType(DataType dtype) { return dtype == DataType::kTaskId; }

bool IsOfKind(const Expr& expr, TypeKind kind) {
  return expr.type != nullptr && expr.type->kind == kind;
}

bool IsDimList(const Expr& expr) {
  const auto* tuple = DynCast<Tuple>(&expr);
  return tuple != nullptr &&
         std::all_of(tuple->elements.begin(), tuple->elements.end(),
                     [](const Expr* e) { return IsScalarOf(*e, IsInteger); });
}

bool IsMemorySpaceNumber(const Expr& expr) {
  const ConstInt* number = AsConstInt(&expr);
  return number != nullptr &&
         number->value >= static_cast<int64_t>(MemorySpace::kDDR) &&
         number->value <= static_cast<int64_t>(MemorySpace::kRightScale);
}

bool Fits(const Expr& arg, ArgKind kind) {
  switch (kind) {
    case ArgKind::kTile:
    case ArgKind::kMatrix:
      return Isa<TileType>(arg.type);
    case ArgKind::kTensor:
      return Isa<TensorType>(arg.type);
    case ArgKind::kPlainTensor:
      return IsOfKind(arg, TypeKind::kTensor);
    case ArgKind::kWindow:
      return IsOfKind(arg, TypeKind::kDistributedTensor);
    case ArgKind::kTensorOrScalar:
      return Isa<TensorType>(arg.type) || Isa<ScalarType>(arg.type);
    case ArgKind::kTileOrTensor:
      return Isa<TileType>(arg.type) || Isa<TensorType>(arg.type);
    case ArgKind::kTileOrScalar:
      return Isa<TileType>(arg.type) || Isa<ScalarType>(arg.type);
    case ArgKind::kDims:
      return IsDimList(arg);
    case ArgKind::kList:
      return Isa<Tuple>(&arg);
    case ArgKind::kInteger:
      return IsScalarOf(arg, IsInteger);
    case ArgKind::kScalar:
      return Isa<ScalarType>(arg.type);
    case ArgKind::kMemorySpace:
      return IsMemorySpaceNumber(arg);
    case ArgKind::kCondition:
      return IsScalarOf(arg, IsBoolType);
    case ArgKind::kTaskId:
      return IsScalarOf(arg, IsTaskIdType);
    case ArgKind::kArray:
      return Isa<ArrayType>(arg.type);
    case ArgKind::kCommCtx:
      return IsOfKind(arg, TypeKind::kCommCtx);
    case ArgKind::kPrefetchContext:
      return IsOfKind(arg, TypeKind::kPrefetchAsyncContext);
    case ArgKind::kAsyncEvent:
      return IsOfKind(arg, TypeKind::kAsyncEvent);
    case ArgKind::kAsyncSession:
      return IsOfKind(arg, TypeKind::kAsyncSession);
    case ArgKind::kPtr:
      return IsOfKind(arg, TypeKind::kPtr);
    case ArgKind::kAny:
      return true;
  }
  return false;
}

absl::string_view Describe(ArgKind kind) {
  switch (kind) {
    case ArgKind::kTile:
    case ArgKind::kMatrix:
      return "a tile";
    case ArgKind::kTensor:
      return "a tensor";
    case ArgKind::kPlainTensor:
      return "a tensor that is not distributed";
    case ArgKind::kWindow:
      return "a distributed tensor";
    case ArgKind::kTensorOrScalar:
      return "a tensor or a scalar";
    case ArgKind::kTileOrTensor:
      return "a tile or a tensor";
    case ArgKind::kTileOrScalar:
      return "a tile or a scalar";
    case ArgKind::kDims:
      return "a list of integers written in place";
    case ArgKind::kList:
      return "a list written in place";
    case ArgKind::kInteger:
      return "an integer scalar";
    case ArgKind::kScalar:
      return "a scalar";
    case ArgKind::kMemorySpace:
      return "a memory space such as pl.Mem.Vec";
    case ArgKind::kCondition:
      return "a BOOL scalar";
    case ArgKind::kTaskId:
      return "a task id";
    case ArgKind::kArray:
      return "an array";
    case ArgKind::kCommCtx:
      return "a communication context";
    case ArgKind::kPrefetchContext:
      return "a prefetch context";
    case ArgKind::kAsyncEvent:
      return "an async event";
    case ArgKind::kAsyncSession:
      return "an async session";
    case ArgKind::kPtr:
      return "a pointer";
    case ArgKind::kAny:
      return "a value";
  }
  return "";
}

std::string Describe(const Expr& arg) {
  if (Isa<Tuple>(&arg)) return "a list with other elements";
  if (const ConstInt* constant = AsConstInt(&arg)) {
    return absl::StrCat("the number ", constant->value);
  }
  switch (arg.type->kind) {
    case TypeKind::kScalar:
      return absl::StrCat(
          "a scalar of type pl.",
          DataTypeName(static_cast<const ScalarType*>(arg.type)->dtype));
    case TypeKind::kUnknown:
      return "the result of an operator that is not known here, which needs an "
             "annotation";
    case TypeKind::kTensor:
      return "a tensor";
    case TypeKind::kDistributedTensor:
      return "a distributed tensor";
    case TypeKind::kTile:
      return "a tile";
    case TypeKind::kArray:
      return "an array";
    case TypeKind::kTuple:
      return "a tuple value";
    default:
      return std::string(MarkerTypeName(arg.type->kind));
  }
}

std::optional<int> ChoiceIndex(const AttrValue& value,
                               const std::vector<std::string>& choices) {
  if (value.kind == AttrValue::Kind::kInt) {
    if (value.int_value < 0 || value.int_value >= choices.size()) {
      return std::nullopt;
    }
    return static_cast<int>(value.int_value);
  }
  if (value.kind != AttrValue::Kind::kString &&
      value.kind != AttrValue::Kind::kEnum) {
    return std::nullopt;
  }
  const auto it = std::find(choices.begin(), choices.end(), value.text);
  if (it == choices.end()) return std::nullopt;
  return static_cast<int>(it - choices.begin());
}

template <typename E>
bool IsEnumerator(const AttrValue& value) {
  return value.kind == AttrValue::Kind::kEnum &&
         value.enum_class == kEnumClass<E> &&
         EnumFromName<E>(value.text).has_value();
}

bool IsIntValue(const AttrValue& value) {
  return value.kind == AttrValue::Kind::kInt ||
         value.kind == AttrValue::Kind::kEnum ||
         (value.kind == AttrValue::Kind::kExpr &&
          AsConstInt(value.expr) != nullptr);
}

bool Fits(const AttrValue& value, const KwargSpec& spec) {
  switch (spec.kind) {
    case KwargKind::kMemorySpace:
      return IsEnumerator<MemorySpace>(value);
    case KwargKind::kTensorLayout:
      return IsEnumerator<TensorLayout>(value);
    case KwargKind::kTileLayout:
      return IsEnumerator<TileLayout>(value);
    case KwargKind::kDataType:
      return value.kind == AttrValue::Kind::kDataType;
    case KwargKind::kBool:
      return value.kind == AttrValue::Kind::kBool;
    case KwargKind::kNumber:
      return value.kind == AttrValue::Kind::kInt ||
             value.kind == AttrValue::Kind::kFloat;
    case KwargKind::kInt:
      return IsIntValue(value);
    case KwargKind::kString:
      return value.kind == AttrValue::Kind::kString;
    case KwargKind::kPadValue:
      return IsEnumerator<PadValue>(value) ||
             value.kind == AttrValue::Kind::kInt ||
             value.kind == AttrValue::Kind::kFloat;
    case KwargKind::kIntList:
      return value.kind == AttrValue::Kind::kList &&
             std::all_of(value.list.begin(), value.list.end(), IsIntValue);
    case KwargKind::kAny:
      return true;
    case KwargKind::kChoice:
      return ChoiceIndex(value, spec.choices).has_value();
  }
  return false;
}

std::string Describe(const KwargSpec& spec) {
  switch (spec.kind) {
    case KwargKind::kMemorySpace:
      return "a memory space such as pl.Mem.Mat";
    case KwargKind::kTensorLayout:
      return "a tensor layout such as pl.TensorLayout.ND";
    case KwargKind::kTileLayout:
      return "a tile layout such as pl.TileLayout.row_major";
    case KwargKind::kDataType:
      return "an element type such as pl.FP32";
    case KwargKind::kBool:
      return "True or False";
    case KwargKind::kNumber:
      return "a number";
    case KwargKind::kInt:
      return "an integer";
    case KwargKind::kString:
      return "a string";
    case KwargKind::kPadValue:
      return "a pad value such as pl.PadValue.zero, or a number";
    case KwargKind::kIntList:
      return "a list of integers";
    case KwargKind::kAny:
      return "a value";
    case KwargKind::kChoice:
      return absl::StrCat("one of ", absl::StrJoin(spec.choices, ", "));
  }
  return "";
}

constexpr int kAnyNumber = std::numeric_limits<int>::max();

int RequiredArgs(const OpSignature& signature) {
  return static_cast<int>(
      std::count_if(signature.args.begin(), signature.args.end(),
                    [](const ArgSpec& spec) { return !spec.optional; }));
}

std::string NameList(const std::vector<std::string>& names) {
  return names.empty() ? "none" : absl::StrJoin(names, ", ");
}

absl::Status CheckArgCount(const OpCall& call, const OpDef& def, size_t count) {
  if (count >= def.min_args && count <= def.max_args) return absl::OkStatus();
  const std::string wanted =
      def.min_args == def.max_args ? absl::StrCat(def.max_args)
      : def.max_args == kAnyNumber
          ? absl::StrCat("at least ", def.min_args)
          : absl::StrCat(def.min_args, " to ", def.max_args);
  return call.Error("MX-OP-1", "takes ", wanted,
                    def.max_args == 1 ? " argument (" : " arguments (",
                    NameList(def.arg_names), "), got ", count);
}

absl::Status CheckTileRanks(const OpCall& call, int index, ArgKind kind) {
  const TileType& tile = call.Tile(index);
  const size_t rank = tile.shape.size();
  const size_t valid_rank = tile.EffectiveValidShape().size();
  if (valid_rank != rank) {
    return call.Error("MX-OP-5", call.ArgName(index), " valid_shape rank (",
                      valid_rank, ") must match its tile rank (", rank,
                      "); give one valid extent a dimension");
  }
  if (kind == ArgKind::kMatrix && rank != 2) {
    return call.Error("MX-OP-5", call.ArgName(index),
                      " must be a 2D tile, its rank is ", rank,
                      "; reshape it to rows and columns first");
  }
  return absl::OkStatus();
}

absl::Status CheckArg(const OpCall& call, int index, ArgKind kind) {
  const Expr& arg = *call.Arg(index);
  if (!Fits(arg, kind)) {
    return call.Error("MX-OP-2", call.ArgName(index), " must be ",
                      Describe(kind), ", got ", Describe(arg));
  }
  if (kind == ArgKind::kTile || kind == ArgKind::kMatrix) {
    return CheckTileRanks(call, index, kind);
  }
  return absl::OkStatus();
}

absl::Status CheckKwargs(const OpCall& call, const OpSignature& signature,
                         const CallOperands& operands) {
  for (const Attr& kwarg : operands.kwargs) {
    const auto spec = std::find_if(
        signature.kwargs.begin(), signature.kwargs.end(),
        [&](const KwargSpec& spec) { return spec.name == kwarg.name; });
    if (spec == signature.kwargs.end()) {
      return call.Error("MX-OP-3", "unknown kwarg ", kwarg.name,
                        "; known: ", NameList(operands.op->kwarg_names));
    }
    if (!Fits(kwarg.value, *spec)) {
      return call.Error("MX-OP-4", spec->name, " must be ", Describe(*spec));
    }
  }
  for (const KwargSpec& spec : signature.kwargs) {
    if (spec.required && FindAttr(operands.kwargs, spec.name) == nullptr) {
      return call.Error("MX-OP-3", "kwarg ", spec.name, " is missing; give ",
                        Describe(spec));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSignature(const OpCall& call, const OpSignature& signature,
                            const CallOperands& operands) {
  MX_RETURN_IF_ERROR(CheckArgCount(call, *operands.op, operands.args.size()));
  MX_RETURN_IF_ERROR(CheckKwargs(call, signature, operands));
  for (int i = 0; i < operands.args.size(); ++i) {
    const size_t spec = std::min<size_t>(i, signature.args.size() - 1);
    MX_RETURN_IF_ERROR(CheckArg(call, i, signature.args[spec].kind));
  }
  return absl::OkStatus();
}

}  // namespace

const TileType& OpCall::Tile(int index) const {
  return *CheckedCast<TileType>(Arg(index)->type);
}

const TensorType& OpCall::Tensor(int index) const {
  return *CheckedCast<TensorType>(Arg(index)->type);
}

DataType OpCall::Scalar(int index) const {
  return CheckedCast<ScalarType>(Arg(index)->type)->dtype;
}

Exprs OpCall::DimList(int index) const {
  return CheckedCast<Tuple>(Arg(index))->elements;
}

std::optional<DataType> OpCall::DataTypeKwarg(absl::string_view name) const {
  const AttrValue* value = FindAttr(operands_.kwargs, name);
  if (value == nullptr) return std::nullopt;
  return value->data_type;
}

std::optional<int64_t> OpCall::IntKwarg(absl::string_view name) const {
  const AttrValue* value = Kwarg(name);
  if (value == nullptr) return std::nullopt;
  if (value->kind == AttrValue::Kind::kInt) return value->int_value;
  if (value->kind != AttrValue::Kind::kExpr) return std::nullopt;
  const ConstInt* constant = AsConstInt(value->expr);
  if (constant == nullptr) return std::nullopt;
  return constant->value;
}

bool OpCall::BoolKwarg(absl::string_view name) const {
  const AttrValue* value = FindAttr(operands_.kwargs, name);
  return value != nullptr && value->bool_value;
}

std::optional<int> OpCall::ChoiceKwarg(absl::string_view name) const {
  const AttrValue* value = FindAttr(operands_.kwargs, name);
  if (value == nullptr) return std::nullopt;
  for (const KwargSpec& spec : signature_.kwargs) {
    if (spec.name == name) return ChoiceIndex(*value, spec.choices);
  }
  MX_CHECK(false) << op() << " declares no kwarg " << std::string(name);
  return std::nullopt;
}

void RegisterOp(OpRegistry& registry, OpDef def, OpSignature signature,
                Deduction deduction) {
  for (const ArgSpec& spec : signature.args) {
    if (spec.kind == ArgKind::kDims || spec.kind == ArgKind::kList) {
      def.list_args.push_back(static_cast<int>(def.arg_names.size()));
    }
    def.arg_names.push_back(spec.name);
  }
  for (const KwargSpec& spec : signature.kwargs) {
    def.kwarg_names.push_back(spec.name);
  }
  def.min_args = RequiredArgs(signature);
  def.max_args =
      signature.variadic ? kAnyNumber : static_cast<int>(signature.args.size());
  def.deduce = [signature = std::move(signature),
                deduction = std::move(deduction)](
                   const CallOperands& operands,
                   Context& context) -> absl::StatusOr<const Type*> {
    const OpCall call(operands, signature);
    MX_RETURN_IF_ERROR(CheckSignature(call, signature, operands));
    if (deduction) return deduction(call, context);
    return operands.stated != nullptr
               ? operands.stated
               : context.GetMarkerType(TypeKind::kUnknown);
  };
  registry.Register(std::move(def));
}

}  // namespace mxtile::ir
