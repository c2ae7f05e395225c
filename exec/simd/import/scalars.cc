#include "exec/simd/import/scalars.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "exec/scalar.h"
#include "ir/rule_error.h"

namespace mxtile::exec::simd {
namespace {

using ir::BinaryOp;
using ir::DataType;

// Keys of Once beside the binary kinds.
constexpr int kIndexKey = -1;
constexpr int kBoolKey = -2;
constexpr int kFloatKey = -3;
constexpr int kNotKey = -4;

absl::Status Unsupported(absl::string_view what) {
  return ir::RuleError(
      "MX-SIMD-5", absl::StrCat(what, " cannot be run by the SIMD backend"));
}

std::optional<BinaryKind> ComparisonOf(BinaryOp op) {
  switch (op) {
    case BinaryOp::kEq:
      return BinaryKind::kEq;
    case BinaryOp::kNe:
      return BinaryKind::kNe;
    case BinaryOp::kLt:
      return BinaryKind::kLt;
    case BinaryOp::kLe:
      return BinaryKind::kLe;
    case BinaryOp::kGt:
      return BinaryKind::kGt;
    case BinaryOp::kGe:
      return BinaryKind::kGe;
    default:
      return std::nullopt;
  }
}

}  // namespace

template <typename Make>
ValueId Scalars::Once(const Key& key, const Make& make) {
  for (const auto& block : known_) {
    const auto it = block.find(key);
    if (it != block.end()) return it->second;
  }
  const ValueId id = make();
  known_.back()[key] = id;
  return id;
}

ValueId Scalars::Once(BinaryKind kind, ValueId a, ValueId b) {
  return Once({static_cast<int>(kind), a, b},
              [&] { return b_.Binary(kind, a, b); });
}

Scalar Scalars::Remembered(Scalar scalar) {
  linear_.emplace(scalar.id, scalar.linear);
  return scalar;
}

Linear Scalars::LinearOf(ValueId index) const {
  const auto it = linear_.find(index);
  return it == linear_.end() ? Linear::Unknown() : it->second;
}

Scalar Scalars::Index(int64_t value) {
  Scalar scalar;
  scalar.id = Once({kIndexKey, value, 0}, [&] { return b_.Index(value); });
  scalar.linear = Linear(value);
  scalar.constant = exec::Value(value);
  return Remembered(scalar);
}

Scalar Scalars::Bool(bool value) {
  Scalar scalar;
  scalar.id = Once({kBoolKey, value, 0}, [&] { return b_.Bool(value); });
  scalar.type = ElementType::kBool;
  scalar.constant = exec::Value(value);
  return scalar;
}

Scalar Scalars::Float(double value) {
  Scalar scalar;
  scalar.type = ElementType::kF32;
  scalar.constant = exec::Value(value);
  return scalar;
}

Scalar Scalars::Opaque(ValueId id, std::vector<Linear> lower,
                       std::vector<Linear> upper) {
  Scalar scalar;
  scalar.id = id;
  scalar.linear = bounds_.NewAtom(std::move(lower), std::move(upper));
  return Remembered(scalar);
}

Scalar Scalars::OpaqueBool(ValueId id) {
  Scalar scalar;
  scalar.id = id;
  scalar.type = ElementType::kBool;
  return scalar;
}

absl::StatusOr<Scalar> Scalars::Binary(BinaryOp op, const Scalar& a,
                                       const Scalar& b, DataType type) {
  if (a.constant.has_value() && b.constant.has_value()) {
    MX_ASSIGN_OR_RETURN(const exec::Value value,
                        EvalBinary(op, *a.constant, *b.constant, type));
    if (value.is_bool()) return Bool(value.AsBool());
    return value.is_int() ? Index(value.AsInt()) : Float(value.AsFloat());
  }
  const auto both = [&](ElementType wanted) {
    return a.type == wanted && b.type == wanted;
  };
  if (both(ElementType::kBool) &&
      (op == BinaryOp::kAnd || op == BinaryOp::kOr)) {
    return OpaqueBool(Once(
        op == BinaryOp::kAnd ? BinaryKind::kAnd : BinaryKind::kOr, a.id, b.id));
  }
  if (!both(ElementType::kIndex)) {
    return Unsupported(
        "arithmetic of floating-point scalars that are not constant");
  }
  if (ComparisonOf(op).has_value()) return Compare(op, a, b);
  MX_ASSIGN_OR_RETURN(Scalar result, Integers(op, a, b));
  MX_RETURN_IF_ERROR(CheckFits(result, type));
  return result;
}

absl::Status Scalars::CheckFits(const Scalar& x, DataType type) const {
  const int bits = ir::BitWidth(type);
  const bool is_signed = ir::IsSignedInteger(type);
  if (bits >= 64 && (is_signed || type == DataType::kIndex)) {
    return absl::OkStatus();
  }
  const int64_t max = bits >= 64
                          ? std::numeric_limits<int64_t>::max()
                          : (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const int64_t min = is_signed ? -max - 1 : 0;
  if (bounds_.IsAtMost(x.linear, max) && bounds_.IsAtLeast(x.linear, min)) {
    return absl::OkStatus();
  }
  return Unsupported(absl::StrCat("arithmetic that may overflow ",
                                  ir::DataTypeName(type),
                                  " (use INDEX, of 64 bits)"));
}

absl::StatusOr<Scalar> Scalars::Integers(BinaryOp op, const Scalar& a,
                                         const Scalar& b) {
  Scalar result;
  switch (op) {
    case BinaryOp::kAdd:
      result.id = Once(BinaryKind::kAdd, a.id, b.id);
      result.linear = a.linear + b.linear;
      break;
    case BinaryOp::kSub:
      result.id = Once(BinaryKind::kSub, a.id, b.id);
      result.linear = a.linear - b.linear;
      break;
    case BinaryOp::kMul:
      return Product(a, b);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      return Quotient(op, a, b);
    case BinaryOp::kMin: {
      std::vector<Linear> lower;
      const auto min_a = bounds_.Min(a.linear);
      const auto min_b = bounds_.Min(b.linear);
      if (min_a.has_value() && min_b.has_value()) {
        lower.push_back(Linear(std::min(*min_a, *min_b)));
      }
      return Opaque(Once(BinaryKind::kMin, a.id, b.id), lower,
                    {a.linear, b.linear});
    }
    case BinaryOp::kMax: {
      std::vector<Linear> upper;
      const auto max_a = bounds_.Max(a.linear);
      const auto max_b = bounds_.Max(b.linear);
      if (max_a.has_value() && max_b.has_value()) {
        upper.push_back(Linear(std::max(*max_a, *max_b)));
      }
      return Opaque(Once(BinaryKind::kMax, a.id, b.id), {a.linear, b.linear},
                    upper);
    }
    default:
      return Unsupported(
          "this operation on integers that are not constant (+, -, *, //, %, "
          "min, max and comparisons can)");
  }
  return Remembered(result);
}

Scalar Scalars::Product(const Scalar& a, const Scalar& b) {
  const ValueId id = Once(BinaryKind::kMul, a.id, b.id);
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const std::optional<int64_t> factor = x->linear.AsConstant();
    if (!factor.has_value()) continue;
    Scalar result;
    result.id = id;
    result.linear = y->linear * *factor;
    return Remembered(result);
  }
  std::vector<Linear> lower;
  std::vector<Linear> upper;
  const std::optional<int64_t> extremes[2][2] = {
      {bounds_.Min(a.linear), bounds_.Max(a.linear)},
      {bounds_.Min(b.linear), bounds_.Max(b.linear)}};
  std::vector<int64_t> corners;
  for (const auto& x : extremes[0]) {
    for (const auto& y : extremes[1]) {
      int64_t corner = 0;
      if (x.has_value() && y.has_value() &&
          !__builtin_mul_overflow(*x, *y, &corner)) {
        corners.push_back(corner);
      }
    }
  }
  if (corners.size() == 4) {
    lower.push_back(Linear(*std::min_element(corners.begin(), corners.end())));
    upper.push_back(Linear(*std::max_element(corners.begin(), corners.end())));
  }
  return Opaque(id, lower, upper);
}

absl::StatusOr<Scalar> Scalars::Quotient(BinaryOp op, const Scalar& a,
                                         const Scalar& b) {
  const std::optional<int64_t> divisor = b.linear.AsConstant();
  if (!divisor.has_value() || *divisor <= 0) {
    return Unsupported("division by what is no constant above 0");
  }
  if (op == BinaryOp::kFloorMod) {
    return Opaque(Once(BinaryKind::kMod, a.id, b.id), {Linear(0)},
                  {Linear(*divisor - 1)});
  }
  const auto floor = [&](std::optional<int64_t> x) -> std::vector<Linear> {
    if (!x.has_value()) return {};
    return {Linear(*x / *divisor - (*x % *divisor < 0 ? 1 : 0))};
  };
  return Opaque(Once(BinaryKind::kFloorDiv, a.id, b.id),
                floor(bounds_.Min(a.linear)), floor(bounds_.Max(a.linear)));
}

absl::StatusOr<Scalar> Scalars::Compare(BinaryOp op, const Scalar& a,
                                        const Scalar& b) {
  return OpaqueBool(Once(*ComparisonOf(op), a.id, b.id));
}

absl::StatusOr<Scalar> Scalars::Unary(ir::UnaryOp op, const Scalar& x,
                                      DataType type) {
  if (x.constant.has_value()) {
    MX_ASSIGN_OR_RETURN(const exec::Value value,
                        EvalUnary(op, *x.constant, type));
    if (value.is_bool()) return Bool(value.AsBool());
    return value.is_int() ? Index(value.AsInt()) : Float(value.AsFloat());
  }
  if (op == ir::UnaryOp::kNot && x.type == ElementType::kBool) {
    return OpaqueBool(Once({kNotKey, x.id, 0},
                           [&] { return b_.Unary(UnaryKind::kNot, x.id); }));
  }
  if (x.type == ElementType::kIndex && op == ir::UnaryOp::kNeg) {
    return Binary(BinaryOp::kSub, Index(0), x, type);
  }
  if (x.type == ElementType::kIndex && op == ir::UnaryOp::kAbs) {
    MX_ASSIGN_OR_RETURN(const Scalar negated,
                        Binary(BinaryOp::kSub, Index(0), x, type));
    return Binary(BinaryOp::kMax, x, negated, type);
  }
  return Unsupported("this operation on a scalar that is not constant");
}

absl::StatusOr<Scalar> Scalars::Cast(const Scalar& x, DataType from,
                                     DataType to) {
  if (x.constant.has_value()) {
    MX_ASSIGN_OR_RETURN(const exec::Value value,
                        EvalCast(*x.constant, from, to));
    if (value.is_bool()) return Bool(value.AsBool());
    return value.is_int() ? Index(value.AsInt()) : Float(value.AsFloat());
  }
  if (x.type == ElementType::kIndex) {
    if (ir::IsFloat(to)) {
      Scalar result;
      result.id = AsFloat(x);
      result.type = ElementType::kF32;
      return result;
    }
    if (to == DataType::kBool) {
      return Compare(BinaryOp::kNe, x, Index(0));
    }
    MX_RETURN_IF_ERROR(CheckFits(x, to));
    return x;
  }
  if (x.type == ElementType::kF32 && ir::IsFloat(to)) return x;
  if (x.type == ElementType::kBool && to == DataType::kBool) return x;
  return Unsupported(
      absl::StrCat("a cast to ", ir::DataTypeName(to), " of this scalar"));
}

ValueId Scalars::AsFloat(const Scalar& x) {
  if (x.constant.has_value() && !x.constant->is_bool()) {
    const double value = x.constant->is_int()
                             ? static_cast<double>(x.constant->AsInt())
                             : x.constant->AsFloat();
    return b_.Constant(static_cast<float>(value));
  }
  if (x.type == ElementType::kF32) return x.id;
  return Once({kFloatKey, x.id, 0},
              [&] { return b_.Cast(x.id, ElementType::kF32); });
}

}  // namespace mxtile::exec::simd
