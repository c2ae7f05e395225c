#include "proof/value_range.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>

#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "proof/facts.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using MaybeRange = std::optional<ValueRange>;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

MaybeRange Hull(const MaybeRange& a, const MaybeRange& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return ValueRange{std::min(a->min, b->min), std::max(a->max, b->max)};
}

int64_t FloorQuotient(int64_t a, int64_t positive) {
  return a / positive - (a % positive < 0 ? 1 : 0);
}

MaybeRange Sum(const ValueRange& a, const ValueRange& b) {
  ValueRange result;
  if (__builtin_add_overflow(a.min, b.min, &result.min) ||
      __builtin_add_overflow(a.max, b.max, &result.max)) {
    return std::nullopt;
  }
  return result;
}

MaybeRange Difference(const ValueRange& a, const ValueRange& b) {
  ValueRange result;
  if (__builtin_sub_overflow(a.min, b.max, &result.min) ||
      __builtin_sub_overflow(a.max, b.min, &result.max)) {
    return std::nullopt;
  }
  return result;
}

MaybeRange Product(const ValueRange& a, const ValueRange& b) {
  ValueRange result{kMax, kMin};
  for (const int64_t x : {a.min, a.max}) {
    for (const int64_t y : {b.min, b.max}) {
      int64_t product = 0;
      if (__builtin_mul_overflow(x, y, &product)) return std::nullopt;
      result.min = std::min(result.min, product);
      result.max = std::max(result.max, product);
    }
  }
  return result;
}

// Rounded down or towards zero: compilers do not agree.
MaybeRange Quotient(const ValueRange& a, const ValueRange& b) {
  if (b.min <= 0) return std::nullopt;
  return ValueRange{FloorQuotient(a.min, a.min < 0 ? b.min : b.max),
                    a.max / (a.max < 0 ? b.max : b.min)};
}

// With the sign of the dividend, or never negative.
MaybeRange Remainder(const ValueRange& a, const ValueRange& b) {
  if (b.min <= 0) return std::nullopt;
  const int64_t largest = b.max - 1;
  if (a.min < 0) return ValueRange{-largest, largest};
  return ValueRange{0, std::min(a.max, largest)};
}

MaybeRange OperationRange(BinaryOp op, const ValueRange& a,
                          const ValueRange& b) {
  switch (op) {
    case BinaryOp::kAdd:
      return Sum(a, b);
    case BinaryOp::kSub:
      return Difference(a, b);
    case BinaryOp::kMul:
      return Product(a, b);
    case BinaryOp::kFloorDiv:
      return Quotient(a, b);
    case BinaryOp::kFloorMod:
      return Remainder(a, b);
    case BinaryOp::kMin:
      return ValueRange{std::min(a.min, b.min), std::min(a.max, b.max)};
    case BinaryOp::kMax:
      return ValueRange{std::max(a.min, b.min), std::max(a.max, b.max)};
    default:
      return std::nullopt;
  }
}

// Whether wrapping after the operation gives the same as wrapping the operands
// before it.
bool IsRingOperation(BinaryOp op) {
  return op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul;
}

}  // namespace

std::optional<ValueRange> TypeRange(ir::DataType type) {
  if (!ir::IsInteger(type)) return std::nullopt;
  const int bits = ir::BitWidth(type);
  if (ir::IsSignedInteger(type)) {
    const int64_t max = kMax >> (64 - bits);
    return ValueRange{-max - 1, max};
  }
  if (bits == 64) return std::nullopt;
  return ValueRange{0, (int64_t{1} << bits) - 1};
}

bool FitsType(const ValueRange& range, ir::DataType type) {
  if (type == ir::DataType::kUInt64) return range.min >= 0;
  const MaybeRange all = TypeRange(type);
  return all.has_value() && all->Contains(range);
}

std::optional<ir::DataType> ScalarDataType(const ir::Expr& expr) {
  const auto* type = ir::DynCast<ir::ScalarType>(expr.type);
  if (type == nullptr) return std::nullopt;
  return type->dtype;
}

std::optional<ValueRange> RangeFinder::Range(const ir::Expr* expr) {
  return Find(expr).value;
}

std::optional<ValueRange> RangeFinder::ExactRange(const ir::Expr* expr) {
  return Find(expr).exact;
}

RangeFinder::Ranges RangeFinder::Find(const ir::Expr* expr) {
  const auto it = found_.find(expr);
  if (it != found_.end()) return it->second;
  const std::optional<ir::DataType> dtype = ScalarDataType(*expr);
  if (!dtype.has_value() || !ir::IsInteger(*dtype)) return {};
  // The budget bounds the recursion too.
  if (visited_ == kRangeBudget) return {std::nullopt, TypeRange(*dtype)};
  ++visited_;
  Ranges ranges = Compute(*expr);
  if (!ranges.exact.has_value() || !FitsType(*ranges.exact, *dtype)) {
    ranges.value = TypeRange(*dtype);
    // Nobody says when such a constant is brought to its type.
    if (ir::Isa<ir::ConstInt>(expr)) {
      ranges.value = Hull(ranges.value, ranges.exact);
    }
  }
  found_[expr] = ranges;
  return ranges;
}

// `value` is only looked at where `exact` fits the type.
RangeFinder::Ranges RangeFinder::Compute(const ir::Expr& expr) {
  MaybeRange exact;
  switch (expr.kind) {
    case ir::ExprKind::kConstInt: {
      const int64_t value = static_cast<const ir::ConstInt&>(expr).value;
      exact = ValueRange{value, value};
      break;
    }
    case ir::ExprKind::kBinary:
      return ComputeBinary(static_cast<const ir::Binary&>(expr));
    case ir::ExprKind::kUnary: {
      const auto& unary = static_cast<const ir::Unary&>(expr);
      const MaybeRange operand = Range(unary.operand);
      if (unary.op == ir::UnaryOp::kNeg && operand.has_value()) {
        exact = Difference({0, 0}, *operand);
      }
      break;
    }
    case ir::ExprKind::kCast:
      exact = Range(static_cast<const ir::Cast&>(expr).operand);
      break;
    case ir::ExprKind::kCall:
      exact = ExactOfCall(static_cast<const ir::Call&>(expr));
      break;
    case ir::ExprKind::kVar:
      exact = ExactOfVar(static_cast<const ir::Var&>(expr));
      break;
    default:
      break;
  }
  return {exact, exact};
}

RangeFinder::Ranges RangeFinder::ComputeBinary(const ir::Binary& binary) {
  const MaybeRange lhs = Range(binary.lhs);
  const MaybeRange rhs = Range(binary.rhs);
  if (!lhs.has_value() || !rhs.has_value()) return {};
  const MaybeRange result = OperationRange(binary.op, *lhs, *rhs);
  if (IsRingOperation(binary.op)) return {result, result};
  return {Hull(Hull(lhs, rhs), result), result};
}

std::optional<ValueRange> RangeFinder::ExactOfVar(const ir::Var& var) {
  const VarFacts* facts = facts_.Find(&var);
  if (facts == nullptr || facts->rebound) return std::nullopt;
  switch (facts->origin) {
    case VarFacts::Origin::kAssigned:
      return Range(facts->definition->value);
    case VarFacts::Origin::kLoopVar:
      return ExactOfLoopVar(*facts->loop);
    case VarFacts::Origin::kParam:
      return ExactOfParam(*facts);
    case VarFacts::Origin::kIterArg:
    case VarFacts::Origin::kLoopResult:
    case VarFacts::Origin::kIfResult:
    case VarFacts::Origin::kDynamicDim:
      return std::nullopt;
  }
  return std::nullopt;
}

// A loop that has no rounds binds nothing; its range is that of the start.
std::optional<ValueRange> RangeFinder::ExactOfLoopVar(const ir::For& loop) {
  const MaybeRange start = Range(loop.start);
  const MaybeRange stop = Range(loop.stop);
  const MaybeRange step = Range(loop.step);
  if (!start.has_value() || !stop.has_value() || !step.has_value()) {
    return std::nullopt;
  }
  if (step->min > 0) {
    int64_t last = stop->max == kMin ? kMin : stop->max - 1;
    int64_t length = 0;
    if (start->min == start->max && step->min == step->max &&
        !__builtin_sub_overflow(last, start->min, &length) && length > 0) {
      last -= length % step->min;
    }
    return ValueRange{start->min, std::max(start->max, last)};
  }
  if (step->max < 0) {
    const int64_t last = stop->min == kMax ? kMax : stop->min + 1;
    return ValueRange{std::min(start->min, last), start->max};
  }
  return Hull(start, stop);
}

std::optional<ValueRange> RangeFinder::ExactOfParam(const VarFacts& facts) {
  if (facts.recursive || facts.sources.empty()) return std::nullopt;
  MaybeRange all;
  for (const ParamSource& source : facts.sources) {
    if (source.value == nullptr) return std::nullopt;
    const MaybeRange one = Range(source.value);
    all = all.has_value() ? Hull(all, one) : one;
    if (!all.has_value()) return std::nullopt;
  }
  return all;
}

std::optional<ValueRange> RangeFinder::ExactOfCall(const ir::Call& call) const {
  if (call.callee->def == nullptr || !call.callee->def->result_never_negative) {
    return std::nullopt;
  }
  return ValueRange{0, block_limit_};
}

}  // namespace mxtile::proof
