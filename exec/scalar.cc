#include "exec/scalar.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace mxtile::exec {
namespace {

using ir::BinaryOp;
using ir::DataType;

uint64_t U(int64_t value) { return static_cast<uint64_t>(value); }
int64_t S(uint64_t value) { return static_cast<int64_t>(value); }

bool IsUnsigned64(DataType type) { return type == DataType::kUInt64; }

double ToDouble(int64_t value, DataType type) {
  return IsUnsigned64(type) ? static_cast<double>(U(value))
                            : static_cast<double>(value);
}

absl::Status DivisionByZero() {
  return absl::InvalidArgumentError("division by zero");
}

absl::StatusOr<int64_t> Divide(BinaryOp op, int64_t a, int64_t b,
                               DataType type) {
  if (b == 0) return DivisionByZero();
  const bool quotient = op == BinaryOp::kFloorDiv;
  if (IsUnsigned64(type)) return S(quotient ? U(a) / U(b) : U(a) % U(b));
  // The one quotient that does not fit wraps to itself.
  if (b == -1) return quotient ? S(0 - U(a)) : 0;
  const bool inexact_negative = a % b != 0 && (a < 0) != (b < 0);
  if (quotient) return a / b - (inexact_negative ? 1 : 0);
  return a % b + (inexact_negative ? b : 0);
}

absl::StatusOr<int64_t> Power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    return absl::InvalidArgumentError("negative exponent of an integer power");
  }
  uint64_t result = 1;
  for (uint64_t factor = U(base); exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= factor;
    factor *= factor;
  }
  return S(result);
}

absl::StatusOr<int64_t> Shift(BinaryOp op, int64_t a, int64_t count,
                              DataType type) {
  if (count < 0 || count >= ir::BitWidth(type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("shift of ", ir::DataTypeName(type), " by ", count));
  }
  if (op == BinaryOp::kShiftL) return S(U(a) << count);
  return ir::IsSignedInteger(type) ? a >> count : S(U(a) >> count);
}

std::optional<bool> Compare(BinaryOp op, bool less, bool equal) {
  switch (op) {
    case BinaryOp::kEq:
      return equal;
    case BinaryOp::kNe:
      return !equal;
    case BinaryOp::kLt:
      return less;
    case BinaryOp::kLe:
      return less || equal;
    case BinaryOp::kGt:
      return !less && !equal;
    case BinaryOp::kGe:
      return !less;
    default:
      return std::nullopt;
  }
}

absl::StatusOr<Value> IntBinary(BinaryOp op, int64_t a, int64_t b,
                                DataType type) {
  const bool less = IsUnsigned64(type) ? U(a) < U(b) : a < b;
  if (const std::optional<bool> result = Compare(op, less, a == b)) {
    return Value(*result);
  }
  absl::StatusOr<int64_t> result;
  switch (op) {
    case BinaryOp::kAdd:
      result = S(U(a) + U(b));
      break;
    case BinaryOp::kSub:
      result = S(U(a) - U(b));
      break;
    case BinaryOp::kMul:
      result = S(U(a) * U(b));
      break;
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      result = Divide(op, a, b, type);
      break;
    case BinaryOp::kMin:
      result = less ? a : b;
      break;
    case BinaryOp::kMax:
      result = less ? b : a;
      break;
    case BinaryOp::kPow:
      result = Power(a, b);
      break;
    case BinaryOp::kBitAnd:
      result = a & b;
      break;
    case BinaryOp::kBitOr:
      result = a | b;
      break;
    case BinaryOp::kBitXor:
      result = a ^ b;
      break;
    case BinaryOp::kShiftL:
    case BinaryOp::kShiftR:
      result = Shift(op, a, b, type);
      break;
    default:
      return absl::InvalidArgumentError(
          "this operator is not defined for integers");
  }
  if (!result.ok()) return result.status();
  return Value(WrapToWidth(*result, type));
}

absl::StatusOr<Value> FloatBinary(BinaryOp op, double a, double b) {
  // NaN compares false with everything, and unequal.
  if (const std::optional<bool> result = Compare(op, a < b, a == b)) {
    const bool ordered = !std::isnan(a) && !std::isnan(b);
    return Value(ordered ? *result : op == BinaryOp::kNe);
  }
  switch (op) {
    case BinaryOp::kAdd:
      return Value(a + b);
    case BinaryOp::kSub:
      return Value(a - b);
    case BinaryOp::kMul:
      return Value(a * b);
    case BinaryOp::kFloatDiv:
      return Value(a / b);
    case BinaryOp::kFloorDiv:
      return Value(std::floor(a / b));
    case BinaryOp::kMin:
      return Value(std::min(a, b));
    case BinaryOp::kMax:
      return Value(std::max(a, b));
    case BinaryOp::kPow:
      return Value(std::pow(a, b));
    default:
      return absl::InvalidArgumentError(
          "this operator is not defined for floating point");
  }
}

absl::StatusOr<Value> BoolBinary(BinaryOp op, bool a, bool b) {
  switch (op) {
    case BinaryOp::kAnd:
    case BinaryOp::kBitAnd:
      return Value(a && b);
    case BinaryOp::kOr:
    case BinaryOp::kBitOr:
      return Value(a || b);
    case BinaryOp::kXor:
    case BinaryOp::kBitXor:
    case BinaryOp::kNe:
      return Value(a != b);
    case BinaryOp::kEq:
      return Value(a == b);
    default:
      return absl::InvalidArgumentError(
          "this operator is not defined for booleans");
  }
}

}  // namespace

int64_t WrapToWidth(int64_t value, DataType type) {
  const int bits = ir::BitWidth(type);
  if (bits >= 64) return value;
  const int unused = 64 - bits;
  const uint64_t high = U(value) << unused;
  return ir::IsSignedInteger(type) ? S(high) >> unused : S(high >> unused);
}

absl::StatusOr<Value> EvalBinary(BinaryOp op, const Value& lhs,
                                 const Value& rhs, DataType type) {
  if (lhs.is_bool() && rhs.is_bool()) {
    return BoolBinary(op, lhs.AsBool(), rhs.AsBool());
  }
  if (lhs.is_int() && rhs.is_int()) {
    if (op == BinaryOp::kFloatDiv) {
      if (rhs.AsInt() == 0) return DivisionByZero();
      return Value(ToDouble(lhs.AsInt(), type) / ToDouble(rhs.AsInt(), type));
    }
    return IntBinary(op, lhs.AsInt(), rhs.AsInt(), type);
  }
  const auto number = [](const Value& v) {
    return v.is_int() ? static_cast<double>(v.AsInt()) : v.AsFloat();
  };
  if ((lhs.is_int() || lhs.is_float()) && (rhs.is_int() || rhs.is_float())) {
    return FloatBinary(op, number(lhs), number(rhs));
  }
  return absl::InvalidArgumentError("operands of different kinds");
}

absl::StatusOr<Value> EvalUnary(ir::UnaryOp op, const Value& operand,
                                DataType type) {
  if (operand.is_bool() && op == ir::UnaryOp::kNot) {
    return Value(!operand.AsBool());
  }
  if (operand.is_int()) {
    const int64_t v = operand.AsInt();
    switch (op) {
      case ir::UnaryOp::kAbs:
        return Value(WrapToWidth(
            v < 0 && ir::IsSignedInteger(type) ? S(0 - U(v)) : v, type));
      case ir::UnaryOp::kNeg:
        return Value(WrapToWidth(S(0 - U(v)), type));
      case ir::UnaryOp::kBitNot:
        return Value(WrapToWidth(~v, type));
      case ir::UnaryOp::kNot:
        return Value(v == 0);
    }
  }
  if (operand.is_float()) {
    if (op == ir::UnaryOp::kAbs) return Value(std::fabs(operand.AsFloat()));
    if (op == ir::UnaryOp::kNeg) return Value(-operand.AsFloat());
  }
  return absl::InvalidArgumentError("operator and operand do not fit");
}

absl::StatusOr<Value> EvalCast(const Value& operand, DataType from,
                               DataType to) {
  if (to == DataType::kBool) {
    if (operand.is_bool()) return operand;
    return Value(operand.is_int() ? operand.AsInt() != 0
                                  : operand.AsFloat() != 0);
  }
  if (ir::IsFloat(to)) {
    if (operand.is_float()) return operand;
    return Value(operand.is_bool() ? (operand.AsBool() ? 1.0 : 0.0)
                                   : ToDouble(operand.AsInt(), from));
  }
  if (operand.is_float()) {
    const double truncated = std::trunc(operand.AsFloat());
    const bool is_signed = !ir::IsInteger(to) || ir::IsSignedInteger(to);
    const double end = std::ldexp(1.0, ir::BitWidth(to) - (is_signed ? 1 : 0));
    const double begin = is_signed ? -end : 0.0;
    if (!(truncated >= begin && truncated < end)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "cast of ", operand.AsFloat(), " to ", ir::DataTypeName(to)));
    }
    return Value(is_signed ? static_cast<int64_t>(truncated)
                           : S(static_cast<uint64_t>(truncated)));
  }
  const int64_t value =
      operand.is_bool() ? (operand.AsBool() ? 1 : 0) : operand.AsInt();
  return Value(WrapToWidth(value, to));
}

}  // namespace mxtile::exec
