#include "proof/prover.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using Origin = VarFacts::Origin;

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

bool IsPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

std::optional<ir::DataType> ScalarDataType(const ir::Expr& expr) {
  const auto* type = ir::DynCast<ir::ScalarType>(expr.type);
  if (type == nullptr) return std::nullopt;
  return type->dtype;
}

bool HasIntegerValue(const ir::Expr& expr) {
  const std::optional<ir::DataType> dtype = ScalarDataType(expr);
  return dtype.has_value() && ir::IsInteger(*dtype);
}

// Whether 2^bits is a multiple of the divisor, so that being one survives
// arithmetic modulo 2^bits.
bool SurvivesWrapping(int64_t divisor, int bits) {
  return IsPowerOfTwo(divisor) && (bits >= 63 || divisor <= int64_t{1} << bits);
}

// Whether `goal`, shown of the exact result of an operation of the type of
// `expr`, need not hold of the value modulo 2^width.
bool WrappingBreaks(const Goal& goal, const ir::Expr& expr) {
  if (goal.property == Property::kNonNegative) return true;
  return !SurvivesWrapping(goal.divisor, ir::BitWidth(*ScalarDataType(expr)));
}

// Whether `goal`, shown of `from`, need not hold of the value as `to` holds it.
bool ConversionBreaks(const Goal& goal, const ir::Expr& from,
                      const ir::Expr& to) {
  const ir::DataType source = *ScalarDataType(from);
  const ir::DataType target = *ScalarDataType(to);
  const int lost_bits = ir::IsSignedInteger(target) ? 1 : 0;
  const int used_bits =
      ir::BitWidth(source) - (ir::IsSignedInteger(source) ? 1 : 0);
  // A value that is not negative needs its bits without the sign.
  if (used_bits <= ir::BitWidth(target) - lost_bits) return false;
  return WrappingBreaks(goal, to);
}

std::optional<int64_t> SecondValue(const LoopRange& range) {
  int64_t second = 0;
  if (range.step == 0 ||
      __builtin_add_overflow(range.start, range.step, &second)) {
    return std::nullopt;
  }
  return second;
}

// Whether the loop's stop, where it is known, lets the variable be `value`.
bool MayReach(const ir::For& loop, const LoopRange& range, int64_t value) {
  const ir::ConstInt* stop = ir::AsConstInt(loop.stop);
  if (stop == nullptr) return true;
  return range.step < 0 ? value > stop->value : value < stop->value;
}

std::optional<int64_t> ViolatingLoopValue(const Goal& goal, const ir::For& loop,
                                          const LoopRange& range) {
  if (!MayReach(loop, range, range.start)) return std::nullopt;
  if (!goal.HoldsFor(range.start)) return range.start;
  const std::optional<int64_t> second = SecondValue(range);
  if (second.has_value() && !goal.HoldsFor(*second) &&
      MayReach(loop, range, *second)) {
    return second;
  }
  return std::nullopt;
}

// The search for one proof. Visit... return whether the goal was proven; then
// their nodes stand at the end of nodes_, with the conclusion last. Otherwise
// refusal_ tells why, and nodes_ may hold leftovers that the caller drops.
// Recursion is bounded by the budget.
class Search {
 public:
  Search(const ProgramFacts& facts, const ProofOptions& options)
      : facts_(facts), options_(options) {}

  ProofResult Run(const ir::Expr* expr, const Goal& goal) {
    ProofResult result;
    result.expr = expr;
    result.goal = goal;
    if (Visit(expr, goal)) {
      result.outcome = Certificate{std::move(nodes_)};
    } else {
      result.outcome = std::move(refusal_);
    }
    result.visited = visited_;
    return result;
  }

 private:
  bool Visit(const ir::Expr* expr, const Goal& goal) {
    if (visited_ == kProofBudget) {
      return Refuse(RefusalReason::kBudget, expr, goal);
    }
    ++visited_;
    if (!HasIntegerValue(*expr)) {
      return Refuse(RefusalReason::kNotInteger, expr, goal);
    }
    switch (expr->kind) {
      case ir::ExprKind::kConstInt:
        return VisitConstant(*ir::AsConstInt(expr), goal);
      case ir::ExprKind::kBinary:
        return VisitBinary(*static_cast<const ir::Binary*>(expr), goal);
      case ir::ExprKind::kVar:
        return VisitVar(*static_cast<const ir::Var*>(expr), goal);
      case ir::ExprKind::kIterArg:
        return Refuse(RefusalReason::kIterArg, expr, goal);
      case ir::ExprKind::kCast:
        return Refuse(RefusalReason::kCast, expr, goal);
      case ir::ExprKind::kTupleItem:
        return Refuse(RefusalReason::kTupleItem, expr, goal);
      case ir::ExprKind::kCall:
      case ir::ExprKind::kSubmit:
        return Refuse(RefusalReason::kCallResult, expr, goal);
      case ir::ExprKind::kConstFloat:
      case ir::ExprKind::kConstBool:
      case ir::ExprKind::kTuple:
      case ir::ExprKind::kUnary:
        break;
    }
    return Refuse(RefusalReason::kUnsupportedOperator, expr, goal);
  }

  bool VisitConstant(const ir::ConstInt& constant, const Goal& goal) {
    if (!goal.HoldsFor(constant.value)) {
      Refuse(RefusalReason::kConstantViolates, &constant, goal);
      refusal_.value = constant.value;
      return false;
    }
    return Conclude(Rule::kConstant, constant, goal, {});
  }

  bool VisitBinary(const ir::Binary& binary, const Goal& goal) {
    const bool sign = goal.property == Property::kNonNegative;
    switch (binary.op) {
      case BinaryOp::kMul:
        return sign ? VisitBoth(Rule::kProduct, binary, goal)
                    : VisitFactors(binary, goal);
      case BinaryOp::kAdd:
        return VisitBoth(Rule::kSum, binary, goal);
      case BinaryOp::kSub:
        if (sign) return Refuse(RefusalReason::kSubtraction, &binary, goal);
        return VisitBoth(Rule::kDifference, binary, goal);
      case BinaryOp::kFloorDiv:
        return VisitQuotient(binary, goal);
      case BinaryOp::kMin:
        if (!sign || !options_.extended) break;
        return VisitBoth(Rule::kMin, binary, goal);
      case BinaryOp::kMax:
        if (!sign || !options_.extended) break;
        return VisitEither(Rule::kMax, binary, goal);
      case BinaryOp::kFloorMod:
        if (!sign || !options_.extended) break;
        return VisitRemainder(binary, goal);
      default:
        break;
    }
    return Refuse(RefusalReason::kUnsupportedOperator, &binary, goal);
  }

  bool VisitBoth(Rule rule, const ir::Binary& binary, const Goal& goal) {
    if (!Visit(binary.lhs, goal)) return false;
    const int lhs = LastNode();
    if (!Visit(binary.rhs, goal)) return false;
    return Conclude(rule, binary, goal, {lhs, LastNode()});
  }

  bool VisitEither(Rule rule, const ir::Binary& binary, const Goal& goal) {
    const size_t mark = nodes_.size();
    if (Visit(binary.lhs, goal)) {
      return Conclude(rule, binary, goal, {LastNode()});
    }
    nodes_.resize(mark);
    Refusal lhs_refusal = std::move(refusal_);
    if (Visit(binary.rhs, goal)) {
      return Conclude(rule, binary, goal, {LastNode()});
    }
    const bool prefer_rhs = lhs_refusal.reason != RefusalReason::kBudget &&
                            (refusal_.reason == RefusalReason::kBudget ||
                             (ir::Isa<ir::ConstInt>(binary.rhs) &&
                              !ir::Isa<ir::ConstInt>(binary.lhs)));
    if (!prefer_rhs) refusal_ = std::move(lhs_refusal);
    return false;
  }

  // A multiple times an integer is a multiple, but times one half it is not:
  // the factor that is not looked into has to be an integer too.
  bool VisitFactors(const ir::Binary& product, const Goal& goal) {
    for (const ir::Expr* factor : {product.lhs, product.rhs}) {
      if (!HasIntegerValue(*factor)) {
        return Refuse(RefusalReason::kNotInteger, factor, goal);
      }
    }
    return VisitEither(Rule::kProduct, product, goal);
  }

  bool VisitQuotient(const ir::Binary& quotient, const Goal& goal) {
    std::optional<int64_t> divisor = PositiveDivisor(quotient, goal);
    if (!divisor.has_value()) return false;
    const bool sign = goal.property == Property::kNonNegative;
    if (!IsPowerOfTwo(*divisor) && !(sign && options_.extended)) {
      return Refuse(RefusalReason::kNotPowerOfTwo, &quotient, goal);
    }
    Goal dividend_goal = goal;
    if (!sign) {
      if (*divisor > kMaxInt64 / goal.divisor) {
        return Refuse(RefusalReason::kOverflow, &quotient, goal);
      }
      dividend_goal.divisor = *divisor * goal.divisor;
    }
    if (!Visit(quotient.lhs, dividend_goal)) return false;
    return Conclude(Rule::kQuotient, quotient, goal, {LastNode()});
  }

  bool VisitRemainder(const ir::Binary& remainder, const Goal& goal) {
    if (!PositiveDivisor(remainder, goal).has_value()) return false;
    // The machine's remainder has the sign of the dividend.
    if (!Visit(remainder.lhs, goal)) return false;
    return Conclude(Rule::kRemainder, remainder, goal, {LastNode()});
  }

  // The constant right operand; refuses, and returns nothing, when it is none.
  std::optional<int64_t> PositiveDivisor(const ir::Binary& binary,
                                         const Goal& goal) {
    const ir::ConstInt* divisor = ir::AsConstInt(binary.rhs);
    if (divisor == nullptr) {
      Refuse(RefusalReason::kDivisorNotConstant, &binary, goal);
      return std::nullopt;
    }
    if (divisor->value <= 0) {
      Refuse(RefusalReason::kDivisorNotPositive, &binary, goal);
      return std::nullopt;
    }
    return divisor->value;
  }

  bool VisitVar(const ir::Var& var, const Goal& goal) {
    const VarFacts* facts = facts_.Find(&var);
    if (facts == nullptr) return Refuse(RefusalReason::kNoFact, &var, goal);
    if (facts->rebound) {
      return RefuseVar(RefusalReason::kRebound, var, *facts, goal);
    }
    switch (facts->origin) {
      case Origin::kAssigned:
        return VisitAssigned(var, *facts, goal);
      case Origin::kLoopVar:
        return VisitLoopVar(var, *facts, goal);
      case Origin::kParam:
        return VisitParam(var, *facts, goal);
      case Origin::kIterArg:
        return RefuseVar(RefusalReason::kIterArg, var, *facts, goal);
      case Origin::kLoopResult:
        return RefuseVar(RefusalReason::kLoopResult, var, *facts, goal);
      case Origin::kIfResult:
        return RefuseVar(RefusalReason::kIfResult, var, *facts, goal);
      case Origin::kDynamicDim:
        return RefuseVar(RefusalReason::kDynamicDim, var, *facts, goal);
    }
    return false;
  }

  bool VisitAssigned(const ir::Var& var, const VarFacts& facts,
                     const Goal& goal) {
    if (goal.property == Property::kNonNegative && facts.never_negative) {
      Conclude(Rule::kNeverNegative, var, goal, {});
      nodes_.back().definition = facts.definition;
      return true;
    }
    hops_.push_back({&var, facts.function, facts.definition, nullptr});
    if (!Visit(facts.definition->value, goal)) return PopHop();
    hops_.pop_back();
    Conclude(Rule::kDefinition, var, goal, {LastNode()});
    nodes_.back().definition = facts.definition;
    nodes_.back().assumes_no_overflow =
        ConversionBreaks(goal, *facts.definition->value, var);
    return true;
  }

  bool VisitLoopVar(const ir::Var& var, const VarFacts& facts,
                    const Goal& goal) {
    if (!facts.range.has_value()) {
      return RefuseVar(RefusalReason::kLoopNotConstant, var, facts, goal);
    }
    if (!goal.HoldsFor(facts.range->start) ||
        !goal.HoldsFor(facts.range->step)) {
      RefuseVar(RefusalReason::kLoopViolates, var, facts, goal);
      refusal_.value = ViolatingLoopValue(goal, *facts.loop, *facts.range);
      return false;
    }
    Conclude(Rule::kLoopVar, var, goal, {});
    nodes_.back().loop = facts.loop;
    nodes_.back().range = facts.range;
    return true;
  }

  bool VisitParam(const ir::Var& param, const VarFacts& facts,
                  const Goal& goal) {
    if (facts.recursive) {
      return RefuseVar(RefusalReason::kRecursion, param, facts, goal);
    }
    MX_CHECK(!facts.sources.empty()) << "a function that nobody calls has the "
                                        "host for a source";
    std::vector<int> premises;
    bool conversion_breaks = false;
    for (const ParamSource& source : facts.sources) {
      if (source.value == nullptr) {
        RefuseVar(RefusalReason::kUnknownSource, param, facts, goal);
        refusal_.source = &source;
        return false;
      }
      hops_.push_back({&param, facts.function, nullptr, &source});
      if (!Visit(source.value, goal)) return PopHop();
      hops_.pop_back();
      premises.push_back(LastNode());
      conversion_breaks |= ConversionBreaks(goal, *source.value, param);
    }
    Conclude(Rule::kCallers, param, goal, std::move(premises));
    nodes_.back().function = facts.function;
    nodes_.back().sources = facts.sources;
    nodes_.back().assumes_no_overflow = conversion_breaks;
    return true;
  }

  int LastNode() const { return static_cast<int>(nodes_.size()) - 1; }

  bool PopHop() {
    hops_.pop_back();
    return false;
  }

  bool Conclude(Rule rule, const ir::Expr& expr, const Goal& goal,
                std::vector<int> children) {
    CertificateNode node;
    node.rule = rule;
    node.expr = &expr;
    node.goal = goal;
    node.children = std::move(children);
    const bool computes = rule == Rule::kProduct || rule == Rule::kSum ||
                          rule == Rule::kDifference;
    node.assumes_no_overflow = computes && WrappingBreaks(goal, expr);
    nodes_.push_back(std::move(node));
    return true;
  }

  bool Refuse(RefusalReason reason, const ir::Expr* expr, const Goal& goal) {
    refusal_ = Refusal();
    refusal_.reason = reason;
    refusal_.expr = expr;
    refusal_.goal = goal;
    refusal_.hops = hops_;
    return false;
  }

  bool RefuseVar(RefusalReason reason, const ir::Var& var,
                 const VarFacts& facts, const Goal& goal) {
    Refuse(reason, &var, goal);
    refusal_.facts = &facts;
    return false;
  }

  const ProgramFacts& facts_;
  const ProofOptions& options_;
  int visited_ = 0;
  std::vector<CertificateNode> nodes_;
  std::vector<Hop> hops_;
  Refusal refusal_;
};

}  // namespace

absl::string_view RuleId(Rule rule) {
  switch (rule) {
    case Rule::kConstant:
      return "MX-PROOF-1";
    case Rule::kProduct:
      return "MX-PROOF-2";
    case Rule::kSum:
      return "MX-PROOF-3";
    case Rule::kDifference:
      return "MX-PROOF-4";
    case Rule::kQuotient:
      return "MX-PROOF-5";
    case Rule::kLoopVar:
      return "MX-PROOF-6";
    case Rule::kNeverNegative:
      return "MX-PROOF-7";
    case Rule::kCallers:
      return "MX-PROOF-8";
    case Rule::kDefinition:
      return "MX-PROOF-9";
    case Rule::kMin:
      return "MX-PROOF-10";
    case Rule::kMax:
      return "MX-PROOF-11";
    case Rule::kRemainder:
      return "MX-PROOF-12";
  }
  return "";
}

ProofResult Prover::ProveMultipleOf(const ir::Expr* expr,
                                    int64_t divisor) const {
  MX_CHECK(divisor > 0) << "divisor " << divisor;
  return Search(facts_, options_).Run(expr, {Property::kMultipleOf, divisor});
}

ProofResult Prover::ProveNonNegative(const ir::Expr* expr) const {
  return Search(facts_, options_).Run(expr, {Property::kNonNegative, 0});
}

}  // namespace mxtile::proof
