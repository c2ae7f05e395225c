#include "proof/certificate_checker.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/certificate.h"
#include "proof/checked_range.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/program_index.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using ir::Expr;

// Whether the goal survives that a value is brought modulo 2^width.
bool Survives(const Goal& goal, const Interval& type) {
  if (goal.is_sign()) return type.lo == 0;
  // Powers of two divide 2^width, or leave 0 of their multiples.
  return (goal.divisor & (goal.divisor - 1)) == 0;
}

class NodeCheck {
 public:
  NodeCheck(const ProgramIndex& index, const CertificateCheckOptions& options,
            const Certificate& certificate)
      : index_(index),
        options_(options),
        ranges_(index, options.block_limit),
        nodes_(certificate.nodes) {}

  bool Follows(const CertificateNode& node, size_t index) {
    if (node.expr == nullptr) return false;
    type_ = BoundsOfType(*node.expr);
    if (!type_.has_value() || (node.goal.is_sign() ? node.goal.divisor != 0
                                                   : node.goal.divisor <= 0)) {
      return false;
    }
    for (const int child : node.children) {
      if (child < 0 || static_cast<size_t>(child) >= index) return false;
    }
    may_break_ = false;
    return FollowsByRule(node) && FactsAreThoseOfRule(node) &&
           FitsAsStated(node);
  }

 private:
  bool Premise(const CertificateNode& node, size_t i, const Expr* expr,
               const Goal& goal) const {
    if (i >= node.children.size()) return false;
    const CertificateNode& child = nodes_[node.children[i]];
    return child.expr == expr && child.goal == goal;
  }

  // Notes whether the value of `from` may lose the goal on the way to the node.
  bool Convert(const Expr* from, const Goal& goal) {
    const std::optional<Interval> source = BoundsOfType(*from);
    if (!source.has_value()) return false;
    may_break_ |= !source->Within(*type_) && !Survives(goal, *type_);
    return true;
  }

  bool FollowsByRule(const CertificateNode& node) {
    if (ir::Isa<ir::ConstInt>(node.expr)) return FollowsFromConstant(node);
    if (ir::Isa<ir::Binary>(node.expr)) return FollowsFromOperands(node);
    const ProgramIndex::Binding* found = index_.Find(node.expr);
    if (found == nullptr) return false;
    const ProgramIndex::Binding& binding = *found;
    switch (node.rule) {
      case Rule::kLoopVar:
        return binding.loop != nullptr && FollowsFromLoop(node, *binding.loop);
      case Rule::kDefinition:
        return binding.assign != nullptr && node.definition == binding.assign &&
               node.children.size() == 1 &&
               Premise(node, 0, binding.assign->value, node.goal) &&
               Convert(binding.assign->value, node.goal);
      case Rule::kNeverNegative:
        return binding.assign != nullptr && node.definition == binding.assign &&
               node.goal.is_sign() && node.children.empty() &&
               IsNeverNegativeCall(binding.assign->value) &&
               Convert(binding.assign->value, node.goal);
      case Rule::kCallers:
        return binding.function != nullptr && FollowsFromCallers(node, binding);
      default:
        return false;
    }
  }

  bool FollowsFromConstant(const CertificateNode& node) {
    if (node.rule != Rule::kConstant || !node.children.empty()) return false;
    const int64_t value = ir::AsConstInt(node.expr)->value;
    may_break_ =
        !Interval::Of(value).Within(*type_) && !Survives(node.goal, *type_);
    return node.goal.is_sign() ? value >= 0 : value % node.goal.divisor == 0;
  }

  bool FollowsFromOperands(const CertificateNode& node) {
    const auto& binary = static_cast<const ir::Binary&>(*node.expr);
    const Goal& goal = node.goal;
    const size_t premises = node.children.size();
    const bool both = premises == 2 && Premise(node, 0, binary.lhs, goal) &&
                      Premise(node, 1, binary.rhs, goal);
    const bool either = premises == 1 && (Premise(node, 0, binary.lhs, goal) ||
                                          Premise(node, 0, binary.rhs, goal));
    const bool integers =
        Convert(binary.lhs, goal) && Convert(binary.rhs, goal);
    if (!integers) return false;
    switch (node.rule) {
      case Rule::kProduct:
        may_break_ = !Survives(goal, *type_);
        return binary.op == BinaryOp::kMul && (goal.is_sign() ? both : either);
      case Rule::kSum:
        may_break_ = !Survives(goal, *type_);
        return binary.op == BinaryOp::kAdd && both;
      case Rule::kDifference:
        may_break_ = !Survives(goal, *type_);
        return binary.op == BinaryOp::kSub && !goal.is_sign() && both;
      case Rule::kMin:
        return binary.op == BinaryOp::kMin && goal.is_sign() && both;
      case Rule::kMax:
        return binary.op == BinaryOp::kMax && goal.is_sign() && either;
      case Rule::kQuotient:
      case Rule::kRemainder:
        return FollowsFromDivision(node, binary);
      default:
        return false;
    }
  }

  bool FollowsFromDivision(const CertificateNode& node,
                           const ir::Binary& binary) {
    const ir::ConstInt* divisor = ir::AsConstInt(binary.rhs);
    const bool quotient = node.rule == Rule::kQuotient;
    if (divisor == nullptr || divisor->value <= 0 ||
        node.children.size() != 1 ||
        binary.op != (quotient ? BinaryOp::kFloorDiv : BinaryOp::kFloorMod)) {
      return false;
    }
    Goal dividend = node.goal;
    if (!dividend.is_sign()) {
      const Wide product = Wide{divisor->value} * dividend.divisor;
      if (!quotient || product > std::numeric_limits<int64_t>::max())
        return false;
      dividend.divisor = static_cast<int64_t>(product);
    }
    may_break_ = !Interval::Of(divisor->value).Within(*type_);
    return Premise(node, 0, binary.lhs, dividend) &&
           Convert(binary.lhs, dividend);
  }

  bool FollowsFromLoop(const CertificateNode& node, const ir::For& loop) {
    const ir::ConstInt* start = ir::AsConstInt(loop.start);
    const ir::ConstInt* step = ir::AsConstInt(loop.step);
    if (node.loop != &loop || !node.children.empty() || start == nullptr ||
        step == nullptr || !node.range.has_value() ||
        node.range->start != start->value || node.range->step != step->value ||
        !node.goal.HoldsFor(start->value) || !node.goal.HoldsFor(step->value)) {
      return false;
    }
    for (const Expr* bound : {loop.start, loop.stop}) {
      const ir::ConstInt* constant = ir::AsConstInt(bound);
      const std::optional<Interval> range = BoundsOfType(*bound);
      const bool fits = constant != nullptr
                            ? Interval::Of(constant->value).Within(*type_)
                            : range.has_value() && range->Within(*type_);
      may_break_ |= !fits && !Survives(node.goal, *type_);
    }
    return true;
  }

  // Each call that was found stands in the list, in the order of the program.
  bool FollowsFromCallers(const CertificateNode& node,
                          const ProgramIndex::Binding& binding) {
    const std::vector<ProgramIndex::Call> calls =
        index_.CallsOf(*binding.function);
    if (node.function != binding.function || calls.empty() ||
        node.sources.size() != calls.size() ||
        node.children.size() != calls.size()) {
      return false;
    }
    for (size_t i = 0; i < calls.size(); ++i) {
      const ParamSource& source = node.sources[i];
      const Expr* value =
          ArgumentOf(*calls[i].expr, binding.function->params, binding.param);
      if (value == nullptr || source.kind != ParamSource::Kind::kArgument ||
          source.call != calls[i].expr || source.stmt != calls[i].stmt ||
          source.caller != calls[i].caller || source.value != value ||
          !Premise(node, i, value, node.goal) || !Convert(value, node.goal)) {
        return false;
      }
    }
    return true;
  }

  // A certificate says nothing besides what its rules use.
  static bool FactsAreThoseOfRule(const CertificateNode& node) {
    const bool defines =
        node.rule == Rule::kDefinition || node.rule == Rule::kNeverNegative;
    const bool loops = node.rule == Rule::kLoopVar;
    const bool calls = node.rule == Rule::kCallers;
    return defines == (node.definition != nullptr) &&
           loops == (node.loop != nullptr) && loops == node.range.has_value() &&
           calls == (node.function != nullptr) &&
           calls == !node.sources.empty();
  }

  bool FitsAsStated(const CertificateNode& node) {
    if ((node.overflow == Overflow::kDischarged) !=
        node.exact_range.has_value()) {
      return false;
    }
    switch (node.overflow) {
      case Overflow::kIrrelevant:
        return !may_break_;
      case Overflow::kAssumed:
        return !options_.refuse_assumptions;
      case Overflow::kDischarged: {
        const Interval stated = {node.exact_range->min, node.exact_range->max};
        return stated.Within(*type_) && ranges_.Exact(node.expr).Within(stated);
      }
    }
    return false;
  }

  const ProgramIndex& index_;
  const CertificateCheckOptions& options_;
  CheckedRanges ranges_;
  const std::vector<CertificateNode>& nodes_;

  // Of the node that is looked at.
  std::optional<Interval> type_;
  bool may_break_ = false;  // An overflow could make the conclusion false.
};

}  // namespace

absl::Status CertificateChecker::Check(const Expr* expr, const Goal& goal,
                                       const Certificate& certificate) const {
  if (certificate.nodes.empty() || certificate.root().expr != expr ||
      !(certificate.root().goal == goal)) {
    return absl::InvalidArgumentError(
        "the certificate does not conclude what was asked");
  }
  NodeCheck check(index_, options_, certificate);
  for (size_t i = 0; i < certificate.nodes.size(); ++i) {
    if (check.Follows(certificate.nodes[i], i)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "node ", i, " does not follow by ", RuleId(certificate.nodes[i].rule)));
  }
  return absl::OkStatus();
}

}  // namespace mxtile::proof
