#include "ir/expr.h"

#include <cstdint>

#include "absl/strings/string_view.h"
#include "ir/type.h"

namespace mxtile::ir {

DataType ConstInt::dtype() const {
  return CheckedCast<ScalarType>(type)->dtype;
}

DataType ConstFloat::dtype() const {
  return CheckedCast<ScalarType>(type)->dtype;
}

AttrValue AttrValue::Int(int64_t value) {
  AttrValue result;
  result.kind = Kind::kInt;
  result.int_value = value;
  return result;
}

AttrValue AttrValue::Float(double value) {
  AttrValue result;
  result.kind = Kind::kFloat;
  result.float_value = value;
  return result;
}

AttrValue AttrValue::Bool(bool value) {
  AttrValue result;
  result.kind = Kind::kBool;
  result.bool_value = value;
  return result;
}

AttrValue AttrValue::String(absl::string_view text) {
  AttrValue result;
  result.kind = Kind::kString;
  result.text = text;
  return result;
}

AttrValue AttrValue::Enum(absl::string_view enum_class,
                          absl::string_view member) {
  AttrValue result;
  result.kind = Kind::kEnum;
  result.enum_class = enum_class;
  result.text = member;
  return result;
}

AttrValue AttrValue::Of(DataType type) {
  AttrValue result;
  result.kind = Kind::kDataType;
  result.data_type = type;
  return result;
}

AttrValue AttrValue::Of(const Expr* expr) {
  const ConstInt* integer = DynCast<ConstInt>(expr);
  if (integer != nullptr && integer->dtype() == DataType::kIndex) {
    return Int(integer->value);
  }
  const ConstFloat* number = DynCast<ConstFloat>(expr);
  if (number != nullptr && number->dtype() == DataType::kFP32) {
    return Float(number->value);
  }
  if (const ConstBool* boolean = DynCast<ConstBool>(expr)) {
    return Bool(boolean->value);
  }
  AttrValue result;
  result.kind = Kind::kExpr;
  result.expr = expr;
  return result;
}

AttrValue AttrValue::Of(MemorySpace space) {
  return Enum(kEnumClass<MemorySpace>, EnumName(space));
}

AttrValue AttrValue::Of(TensorLayout layout) {
  return Enum(kEnumClass<TensorLayout>, EnumName(layout));
}

AttrValue AttrValue::Of(TileLayout layout) {
  return Enum(kEnumClass<TileLayout>, EnumName(layout));
}

const AttrValue* FindAttr(Attrs attrs, absl::string_view name) {
  for (const Attr& attr : attrs) {
    if (attr.name == name) return &attr.value;
  }
  return nullptr;
}

bool IsComparison(BinaryOp op) {
  switch (op) {
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      return true;
    default:
      return false;
  }
}

bool IsLogical(BinaryOp op) {
  return op == BinaryOp::kAnd || op == BinaryOp::kOr || op == BinaryOp::kXor;
}

}  // namespace mxtile::ir
