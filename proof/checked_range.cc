#include "proof/checked_range.h"

#include <algorithm>
#include <optional>

#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "proof/program_index.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;

// Deeper than the prover looks.
constexpr int kMaxDepth = 2000;

Interval Hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Wide Product(Wide a, Wide b) {
  Wide result;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  return (a < 0) == (b < 0) ? kHuge : -kHuge;
}

// The operands are values of types, of 64 bits at most.
Interval Compute(BinaryOp op, const Interval& a, const Interval& b) {
  switch (op) {
    case BinaryOp::kAdd:
      return {a.lo + b.lo, a.hi + b.hi};
    case BinaryOp::kSub:
      return {a.lo - b.hi, a.hi - b.lo};
    case BinaryOp::kMul: {
      const auto [lo, hi] =
          std::minmax({Product(a.lo, b.lo), Product(a.lo, b.hi),
                       Product(a.hi, b.lo), Product(a.hi, b.hi)});
      return {lo, hi};
    }
    case BinaryOp::kMin:
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case BinaryOp::kMax:
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case BinaryOp::kFloorDiv:
      // Down for the lower bound, towards zero for the upper one.
      if (b.lo <= 0) return {};
      return {a.lo < 0 ? -((-a.lo + b.lo - 1) / b.lo) : a.lo / b.hi,
              a.hi < 0 ? a.hi / b.hi : a.hi / b.lo};
    case BinaryOp::kFloorMod:
      if (b.lo <= 0) return {};
      if (a.lo < 0) return {1 - b.hi, b.hi - 1};
      return {0, std::min(a.hi, b.hi - 1)};
    default:
      return {};
  }
}

bool OperandsMustFit(BinaryOp op) {
  return op != BinaryOp::kAdd && op != BinaryOp::kSub && op != BinaryOp::kMul;
}

}  // namespace

std::optional<Interval> BoundsOfType(const ir::Expr& expr) {
  const auto* type = ir::DynCast<ir::ScalarType>(expr.type);
  if (type == nullptr || !ir::IsInteger(type->dtype)) return std::nullopt;
  const int bits = ir::BitWidth(type->dtype);
  if (ir::IsSignedInteger(type->dtype)) {
    return Interval{-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
  }
  return Interval{0, (Wide{1} << bits) - 1};
}

Interval CheckedRanges::Value(const ir::Expr* expr) {
  const std::optional<Interval> type = BoundsOfType(*expr);
  if (!type.has_value() || depth_ == kMaxDepth) {
    return type.value_or(Interval());
  }
  const auto it = values_.find(expr);
  if (it != values_.end()) return it->second;
  ++depth_;
  Interval value = Exact(expr);
  if (!value.Within(*type)) {
    // A constant beyond its type may be used as it is written.
    value = ir::Isa<ir::ConstInt>(expr) ? Hull(value, *type) : *type;
  } else if (const auto* binary = ir::DynCast<ir::Binary>(expr)) {
    value = Compute(binary->op, Value(binary->lhs), Value(binary->rhs));
  }
  --depth_;
  return values_[expr] = value;
}

Interval CheckedRanges::Exact(const ir::Expr* expr) {
  if (const ir::ConstInt* constant = ir::AsConstInt(expr)) {
    return Interval::Of(constant->value);
  }
  if (const auto* binary = ir::DynCast<ir::Binary>(expr)) {
    const Interval lhs = Value(binary->lhs), rhs = Value(binary->rhs);
    const Interval result = Compute(binary->op, lhs, rhs);
    return OperandsMustFit(binary->op) ? Hull(Hull(lhs, rhs), result) : result;
  }
  if (const auto* unary = ir::DynCast<ir::Unary>(expr)) {
    if (unary->op != ir::UnaryOp::kNeg) return {};
    return Compute(BinaryOp::kSub, Interval::Of(0), Value(unary->operand));
  }
  if (const auto* cast = ir::DynCast<ir::Cast>(expr)) {
    return Value(cast->operand);
  }
  if (IsNeverNegativeCall(expr)) return {0, block_limit_};
  const ProgramIndex::Binding* binding = index_.Find(expr);
  if (binding == nullptr) return {};
  if (binding->assign != nullptr) return Value(binding->assign->value);
  if (binding->loop != nullptr) return ExactOfLoop(*binding->loop);
  return binding->function != nullptr ? ExactOfParam(*binding) : Interval();
}

Interval CheckedRanges::ExactOfLoop(const ir::For& loop) {
  const Interval start = Value(loop.start), stop = Value(loop.stop);
  const Interval step = Value(loop.step);
  if (step.lo > 0) {
    Wide last = std::max(stop.hi - 1, start.hi);
    if (start.lo == start.hi && step.lo == step.hi) {
      last -= (last - start.lo) % step.lo;
    }
    return {start.lo, last};
  }
  if (step.hi < 0) return {std::min(start.lo, stop.lo + 1), start.hi};
  return Hull(start, stop);
}

Interval CheckedRanges::ExactOfParam(const ProgramIndex::Binding& binding) {
  std::optional<Interval> all;
  for (const ProgramIndex::Call& call : index_.CallsOf(*binding.function)) {
    const ir::Expr* value =
        ArgumentOf(*call.expr, binding.function->params, binding.param);
    if (value == nullptr) return {};
    all = all.has_value() ? Hull(*all, Value(value)) : Value(value);
  }
  return all.value_or(Interval());
}

}  // namespace mxtile::proof
