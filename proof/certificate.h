#ifndef PROOF_CERTIFICATE_H_
#define PROOF_CERTIFICATE_H_

// A proof as data: a tree of rule applications with the facts that they rest
// on. proof/prover.h makes certificates and states the rules,
// proof/certificate_checker.h checks them.
//
//   for (const CertificateNode& node : certificate.nodes) {
//     Print(RuleId(node.rule), FormatExpr(node.expr), node.overflow);
//   }

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/value_range.h"

namespace mxtile::proof {

enum class Rule {
  kConstant = 1,
  kProduct,
  kSum,
  kDifference,
  kQuotient,
  kLoopVar,
  kNeverNegative,
  kCallers,
  kDefinition,
  kMin,
  kMax,
  kRemainder,
};

// "MX-PROOF-1" for kConstant.
absl::string_view RuleId(Rule rule);

// Whether a conclusion needs the exact value of its expression to fit the
// expression's type.
enum class Overflow {
  kIrrelevant,  // No: the conclusion survives wrapping, or nothing can wrap.
  kDischarged,  // Yes, and it fits: it lies in CertificateNode::exact_range.
  kAssumed,     // Yes, and it is not known to.
};

// One application of a rule.
struct CertificateNode {
  Rule rule = Rule::kConstant;
  const ir::Expr* expr = nullptr;
  Goal goal;
  // Indices of the premises in Certificate::nodes, all smaller than this one's.
  // kProduct (multiple) and kMax have the one operand that was enough; kCallers
  // has one premise a source, in the order of `sources`.
  std::vector<int> children;

  Overflow overflow = Overflow::kIrrelevant;
  std::optional<ValueRange> exact_range;  // Of kDischarged.

  // The facts used.
  const ir::Assign* definition = nullptr;  // kDefinition, kNeverNegative.
  const ir::For* loop = nullptr;           // kLoopVar.
  std::optional<LoopRange> range;          // kLoopVar.
  const ir::Function* function = nullptr;  // kCallers: the callee.
  absl::Span<const ParamSource> sources;   // kCallers.
};

// A proof: the last node concludes.
struct Certificate {
  std::vector<CertificateNode> nodes;

  const CertificateNode& root() const { return nodes.back(); }
  // Whether the proof holds only if nothing overflows at some node.
  bool has_assumptions() const {
    for (const CertificateNode& node : nodes) {
      if (node.overflow == Overflow::kAssumed) return true;
    }
    return false;
  }
};

}  // namespace mxtile::proof

#endif  // PROOF_CERTIFICATE_H_
