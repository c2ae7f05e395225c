#include "proof/prover.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/certificate.h"
#include "proof/counterexample.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/refusal.h"
#include "proof/value_range.h"
#include "proof/wrapping.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using Origin = VarFacts::Origin;

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

bool HasIntegerValue(const ir::Expr& expr) {
  const std::optional<ir::DataType> dtype = ScalarDataType(expr);
  return dtype.has_value() && ir::IsInteger(*dtype);
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
      : facts_(facts), options_(options), ranges_(facts, options.block_limit) {}

  ProofResult Run(const ir::Expr* expr, const Goal& goal) {
    ProofResult result;
    result.expr = expr;
    result.goal = goal;
    if (Visit(expr, goal)) {
      result.outcome = Certificate{std::move(nodes_)};
    } else {
      refusal_.counterexample = FindCounterexample(facts_, expr, goal);
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
    return Conclude(NodeOf(Rule::kConstant, constant, goal),
                    WrappingBreaks(goal, *ScalarDataType(constant)) &&
                        !FitsTypeOf(constant, constant));
  }

  bool VisitBinary(const ir::Binary& binary, const Goal& goal) {
    const bool sign = goal.is_sign();
    switch (binary.op) {
      case BinaryOp::kMul:
        return sign ? VisitBoth(Rule::kProduct, binary, goal)
                    : VisitEither(Rule::kProduct, binary, goal);
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
    return ConcludeOperation(rule, binary, goal, {lhs, LastNode()});
  }

  bool VisitEither(Rule rule, const ir::Binary& binary, const Goal& goal) {
    // The operand that is not looked into has to be an integer too: a multiple
    // times one half is none.
    for (const ir::Expr* operand : {binary.lhs, binary.rhs}) {
      if (!HasIntegerValue(*operand)) {
        return Refuse(RefusalReason::kNotInteger, operand, goal);
      }
    }
    const size_t mark = nodes_.size();
    if (Visit(binary.lhs, goal)) {
      return ConcludeOperation(rule, binary, goal, {LastNode()});
    }
    nodes_.resize(mark);
    Refusal lhs_refusal = std::move(refusal_);
    if (Visit(binary.rhs, goal)) {
      return ConcludeOperation(rule, binary, goal, {LastNode()});
    }
    const bool prefer_rhs = lhs_refusal.reason != RefusalReason::kBudget &&
                            (refusal_.reason == RefusalReason::kBudget ||
                             (ir::Isa<ir::ConstInt>(binary.rhs) &&
                              !ir::Isa<ir::ConstInt>(binary.lhs)));
    if (!prefer_rhs) refusal_ = std::move(lhs_refusal);
    return false;
  }

  bool VisitQuotient(const ir::Binary& quotient, const Goal& goal) {
    std::optional<int64_t> divisor = PositiveDivisor(quotient, goal);
    if (!divisor.has_value()) return false;
    const bool sign = goal.is_sign();
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
    return ConcludeDivision(Rule::kQuotient, quotient, goal);
  }

  bool VisitRemainder(const ir::Binary& remainder, const Goal& goal) {
    if (!PositiveDivisor(remainder, goal).has_value()) return false;
    // The machine's remainder has the sign of the dividend.
    if (!Visit(remainder.lhs, goal)) return false;
    return ConcludeDivision(Rule::kRemainder, remainder, goal);
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
    CertificateNode node = NodeOf(Rule::kNeverNegative, var, goal);
    node.definition = facts.definition;
    const ir::Expr& value = *facts.definition->value;
    if (!goal.is_sign() || !facts.never_negative) {
      hops_.push_back({&var, facts.function, facts.definition, nullptr});
      if (!Visit(&value, goal)) return PopHop();
      hops_.pop_back();
      node.rule = Rule::kDefinition;
      node.children = {LastNode()};
    }
    return Conclude(std::move(node), ConversionBreaks(goal, value, var));
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
    CertificateNode node = NodeOf(Rule::kLoopVar, var, goal);
    node.loop = facts.loop;
    node.range = facts.range;
    return Conclude(std::move(node),
                    WrappingBreaks(goal, *ScalarDataType(var)) &&
                        LoopMayLeaveType(*facts.loop));
  }

  bool VisitParam(const ir::Var& param, const VarFacts& facts,
                  const Goal& goal) {
    if (facts.recursive) {
      return RefuseVar(RefusalReason::kRecursion, param, facts, goal);
    }
    MX_CHECK(!facts.sources.empty()) << "a function that nobody calls has the "
                                        "host for a source";
    CertificateNode node = NodeOf(Rule::kCallers, param, goal);
    node.function = facts.function;
    node.sources = facts.sources;
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
      node.children.push_back(LastNode());
      conversion_breaks |= ConversionBreaks(goal, *source.value, param);
    }
    return Conclude(std::move(node), conversion_breaks);
  }

  int LastNode() const { return static_cast<int>(nodes_.size()) - 1; }

  bool PopHop() {
    hops_.pop_back();
    return false;
  }

  static CertificateNode NodeOf(Rule rule, const ir::Expr& expr,
                                const Goal& goal) {
    CertificateNode node;
    node.rule = rule;
    node.expr = &expr;
    node.goal = goal;
    return node;
  }

  // Results of + - * are what they would be, modulo 2^width, whatever types the
  // operands have; of min and max they are not.
  bool ConcludeOperation(Rule rule, const ir::Binary& binary, const Goal& goal,
                         std::vector<int> children) {
    CertificateNode node = NodeOf(rule, binary, goal);
    bool may_break = false;
    if (rule == Rule::kMin || rule == Rule::kMax) {
      for (const ir::Expr* operand : {binary.lhs, binary.rhs}) {
        may_break |= ConversionBreaks(goal, *operand, binary);
      }
    } else {
      may_break = WrappingBreaks(goal, *ScalarDataType(binary));
    }
    node.children = std::move(children);
    return Conclude(std::move(node), may_break);
  }

  // By a constant, which has been found positive; the last node is about the
  // dividend.
  bool ConcludeDivision(Rule rule, const ir::Binary& division,
                        const Goal& goal) {
    CertificateNode node = NodeOf(rule, division, goal);
    node.children = {LastNode()};
    const bool may_break =
        ConversionBreaks(nodes_.back().goal, *division.lhs, division) ||
        !FitsTypeOf(*ir::AsConstInt(division.rhs), division);
    return Conclude(std::move(node), may_break);
  }

  // `may_break`: the conclusion needs the exact value to fit the type.
  bool Conclude(CertificateNode node, bool may_break) {
    if (may_break) {
      const std::optional<ValueRange> exact = ranges_.ExactRange(node.expr);
      if (exact.has_value() && FitsType(*exact, *ScalarDataType(*node.expr))) {
        node.overflow = Overflow::kDischarged;
        node.exact_range = exact;
      } else if (options_.strict_overflow) {
        Refuse(RefusalReason::kMayOverflow, node.expr, node.goal);
        refusal_.range = exact;
        return false;
      } else {
        node.overflow = Overflow::kAssumed;
      }
    }
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
  RangeFinder ranges_;
  int visited_ = 0;
  std::vector<CertificateNode> nodes_;
  std::vector<Hop> hops_;
  Refusal refusal_;
};

}  // namespace

ProofResult Prover::ProveMultipleOf(const ir::Expr* expr,
                                    int64_t divisor) const {
  MX_CHECK(divisor > 0) << "divisor " << divisor;
  return Search(facts_, options_).Run(expr, Goal::MultipleOf(divisor));
}

ProofResult Prover::ProveNonNegative(const ir::Expr* expr) const {
  return Search(facts_, options_).Run(expr, Goal::NonNegative());
}

}  // namespace mxtile::proof
