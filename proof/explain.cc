#include "proof/explain.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/certificate.h"
#include "proof/fact_text.h"
#include "proof/facts.h"
#include "proof/format_expr.h"
#include "proof/goal.h"
#include "proof/refusal_text.h"

namespace mxtile::proof {
namespace {

constexpr size_t kMaxClauses = 6;
// Of a chain of definitions and callers, the first ones and the last one tell
// enough.
constexpr size_t kMaxHops = 4;

// ---- Proofs

// Collects the facts that a certificate rests on, from the conclusion down.
class ClauseCollector {
 public:
  explicit ClauseCollector(const Certificate& certificate)
      : certificate_(certificate), question_(certificate.root().goal) {}

  std::vector<std::string> Run() {
    Visit(static_cast<int>(certificate_.nodes.size()) - 1);
    if (left_out_) clauses_.push_back("more of the kind");
    return clauses_;
  }

 private:
  void Add(std::string clause) {
    for (const std::string& earlier : clauses_) {
      if (earlier == clause) return;
    }
    if (clauses_.size() == kMaxClauses) {
      left_out_ = true;
      return;
    }
    clauses_.push_back(std::move(clause));
  }

  // Certificates have at most kProofBudget nodes, so the recursion is bounded.
  void Visit(int index) {
    if (left_out_) return;
    const CertificateNode& node = certificate_.nodes[index];
    switch (node.rule) {
      case Rule::kConstant:
        return Add(ConstantText(node));
      case Rule::kLoopVar:
        return AddLoop(node);
      case Rule::kNeverNegative:
        return Add(absl::StrCat(FormatExpr(node.expr), " is the result of ",
                                FormatExpr(node.definition->value)));
      case Rule::kDefinition:
        Add(DefinitionText(*node.definition));
        break;
      case Rule::kCallers:
        return AddCallers(node);
      case Rule::kProduct:
      case Rule::kSum:
      case Rule::kDifference:
      case Rule::kQuotient:
      case Rule::kMin:
      case Rule::kMax:
      case Rule::kRemainder:
        break;
    }
    for (const int child : node.children) Visit(child);
  }

  // "32*2" where a quotient by 32 has to be a multiple of 2.
  std::string DivisorText(const Goal& goal) const {
    const int64_t factor = goal.divisor / question_.divisor;
    return factor == 1 ? absl::StrCat(goal.divisor)
                       : absl::StrCat(factor, "*", question_.divisor);
  }

  std::string ConstantText(const CertificateNode& node) const {
    const int64_t value = ir::AsConstInt(node.expr)->value;
    if (node.goal.is_sign()) {
      return absl::StrCat(value, " >= 0");
    }
    return absl::StrCat(value, " is a multiple of ", DivisorText(node.goal));
  }

  void AddLoop(const CertificateNode& node) {
    const int64_t start = node.range->start;
    const int64_t step = node.range->step;
    if (node.goal.is_sign()) {
      return Add(absl::StrCat("the loop over ", FormatExpr(node.expr),
                              " starts at ", start, " with step ", step));
    }
    Add(LoopText(node.expr, *node.loop, *node.range));
    const std::string divisor = DivisorText(node.goal);
    if (start == 0 || start == step) {
      Add(absl::StrCat(step, " is a multiple of ", divisor));
    } else {
      Add(absl::StrCat(start, " and ", step, " are multiples of ", divisor));
    }
  }

  void AddCallers(const CertificateNode& node) {
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const ParamSource& source = node.sources[i];
      Add(absl::StrCat(CallerText(source), " for ", FormatExpr(node.expr)));
      if (!ir::Isa<ir::ConstInt>(source.value)) Visit(node.children[i]);
    }
  }

  const Certificate& certificate_;
  const Goal question_;
  std::vector<std::string> clauses_;
  bool left_out_ = false;
};

// ", assuming that i * 16 does not overflow INDEX", or nothing.
std::string AssumptionText(const Certificate& certificate) {
  std::vector<std::string> assumed;
  for (const CertificateNode& node : certificate.nodes) {
    if (node.overflow != Overflow::kAssumed) continue;
    assumed.push_back(FormatExpr(node.expr));
    if (assumed.size() > 1) continue;
    assumed.back() += absl::StrCat(" does not overflow ", TypeText(*node.expr));
  }
  if (assumed.empty()) return "";
  const std::string more = assumed.size() == 1
                               ? ""
                               : absl::StrCat(" and ", assumed.size() - 1,
                                              " more values fit their types");
  return absl::StrCat(", assuming that ", assumed[0], more);
}

std::string ClaimText(const ProofResult& result) {
  const Certificate& certificate = result.certificate();
  const std::string claim = GoalText(result.goal);
  if (certificate.root().rule == Rule::kConstant) return claim;
  return absl::StrCat(claim, " since ",
                      JoinClauses(ClauseCollector(certificate).Run()),
                      AssumptionText(certificate));
}

// Where a counterexample says more than the refusal.
std::string CounterexampleClause(const ProofResult& result,
                                 absl::string_view separator) {
  const auto& counterexample = result.refusal().counterexample;
  if (!counterexample.has_value() || ClausesNameViolation(result)) return "";
  return absl::StrCat(separator, "counterexample: ",
                      CounterexampleText(result.expr, *counterexample));
}

// ---- Briefly

// What a leaf says besides that constants are what they are.
void AddLeafFact(const CertificateNode& node, std::vector<std::string>* facts) {
  std::string text;
  if (node.rule == Rule::kLoopVar) {
    text = LoopText(node.expr, *node.loop, *node.range);
  } else if (node.rule == Rule::kNeverNegative) {
    text = DefinitionText(*node.definition);
  } else {
    return;
  }
  for (const std::string& fact : *facts) {
    if (fact == text) return;
  }
  facts->push_back(std::move(text));
}

// ---- At length

// One line a node, premises indented below it.
class TreeText {
 public:
  explicit TreeText(const Certificate& certificate)
      : nodes_(certificate.nodes) {}

  std::string Run() {
    Add(static_cast<int>(nodes_.size()) - 1, 1, "");
    return std::move(text_);
  }

 private:
  // Certificates have at most kProofBudget nodes, so the recursion is bounded.
  void Add(int index, int depth, absl::string_view prefix) {
    const CertificateNode& node = nodes_[index];
    absl::StrAppend(&text_, std::string(2 * depth, ' '), prefix,
                    FormatExpr(node.expr), " ", VerbText(node.goal), " [",
                    RuleId(node.rule), "]", FactText(node), OverflowText(node),
                    "\n");
    for (size_t i = 0; i < node.children.size(); ++i) {
      const std::string caller =
          node.rule == Rule::kCallers
              ? absl::StrCat(CallerText(node.sources[i]), ": ")
              : "";
      Add(node.children[i], depth + 1, caller);
    }
  }

  static std::string VerbText(const Goal& goal) {
    return goal.is_sign() ? GoalText(goal)
                          : absl::StrCat("is a ", GoalText(goal));
  }

  static std::string FactText(const CertificateNode& node) {
    switch (node.rule) {
      case Rule::kLoopVar:
        return absl::StrCat(" ", LoopText(node.expr, *node.loop, *node.range));
      case Rule::kDefinition:
      case Rule::kNeverNegative:
        return absl::StrCat(" ", DefinitionText(*node.definition));
      case Rule::kCallers:
        return absl::StrCat(" parameter of '", node.function->name, "'");
      default:
        return "";
    }
  }

  static std::string OverflowText(const CertificateNode& node) {
    switch (node.overflow) {
      case Overflow::kIrrelevant:
        return "";
      case Overflow::kDischarged:
        return absl::StrCat("; ", node.exact_range->min, " to ",
                            node.exact_range->max, " fits ",
                            TypeText(*node.expr));
      case Overflow::kAssumed:
        return absl::StrCat("; assumes that ", TypeText(*node.expr),
                            " does not overflow");
    }
    return "";
  }

  const std::vector<CertificateNode>& nodes_;
  std::string text_;
};

}  // namespace

std::string Explain(const ProofResult& result) {
  const std::string subject = FormatExpr(result.expr);
  if (result.proven()) return absl::StrCat(subject, ": ", ClaimText(result));
  return absl::StrCat(subject, ": ",
                      absl::StrJoin(RefusalClauses(result, kMaxHops), "; "),
                      CounterexampleClause(result, "; "));
}

std::string ExplainBriefly(const ProofResult& multiple,
                           const ProofResult& sign) {
  for (const ProofResult* result : {&multiple, &sign}) {
    if (result->proven()) continue;
    return absl::StrCat(RefusalClauses(*result, kMaxHops).back(),
                        CounterexampleClause(*result, "; "));
  }
  std::vector<std::string> facts;
  for (const ProofResult* result : {&multiple, &sign}) {
    for (const CertificateNode& node : result->certificate().nodes) {
      AddLeafFact(node, &facts);
    }
  }
  const std::string text = facts.empty() ? "constant" : JoinClauses(facts);
  const std::string assumed = AssumptionText(multiple.certificate());
  return absl::StrCat(
      text, assumed.empty() ? AssumptionText(sign.certificate()) : assumed);
}

std::string Explain(const ProofResult& multiple, const ProofResult& sign) {
  if (!multiple.proven()) return Explain(multiple);
  if (!sign.proven()) return Explain(sign);
  return absl::StrCat(Explain(multiple), "; ", ClaimText(sign));
}

std::string ExplainAtLength(const ProofResult& result) {
  const std::string claim =
      absl::StrCat(FormatExpr(result.expr), ": ", GoalText(result.goal), ": ");
  if (result.proven()) {
    return absl::StrCat(claim, "proven\n",
                        TreeText(result.certificate()).Run());
  }
  std::string text = absl::StrCat(claim, "not proven\n");
  for (const std::string& clause : RefusalClauses(result, kProofBudget)) {
    absl::StrAppend(&text, "  ", clause, "\n");
  }
  const auto& counterexample = result.refusal().counterexample;
  if (counterexample.has_value()) {
    absl::StrAppend(&text, "  counterexample: ",
                    CounterexampleText(result.expr, *counterexample), "\n");
  }
  return text;
}

}  // namespace mxtile::proof
