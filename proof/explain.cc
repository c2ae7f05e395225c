#include "proof/explain.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "proof/facts.h"
#include "proof/format_expr.h"

namespace mxtile::proof {
namespace {

constexpr size_t kMaxClauses = 6;
// Of a chain of definitions and callers, the first ones and the last one tell
// enough.
constexpr size_t kMaxHops = 4;

std::string At(const ir::SourceSpan& span) {
  return span.known() ? absl::StrCat(" at ", span.file, ":", span.line) : "";
}

// "(loop at 41)", or without a line "(loop)".
std::string InParentheses(absl::string_view what, const ir::SourceSpan& span) {
  return span.known() ? absl::StrCat("(", what, " at ", span.line, ")")
                      : absl::StrCat("(", what, ")");
}

std::string GoalText(const Goal& goal) {
  return goal.property == Property::kNonNegative
             ? ">= 0"
             : absl::StrCat("multiple of ", goal.divisor);
}

// "k0 = 64 + 64*i (loop at 41)"
std::string LoopText(const ir::Expr* var, const ir::For& loop,
                     const LoopRange& range) {
  const std::string name = FormatExpr(var);
  const absl::string_view round = name == "i" ? "j" : "i";
  const std::string start =
      range.start == 0 ? "" : absl::StrCat(range.start, " + ");
  return absl::StrCat(name, " = ", start, range.step, "*", round, " ",
                      InParentheses("loop", loop.span));
}

// "g = k0 // 32 (line 12)"
std::string DefinitionText(const ir::Assign& definition) {
  const std::string line =
      definition.span.known()
          ? absl::StrCat(" (line ", definition.span.line, ")")
          : "";
  return absl::StrCat(FormatExpr(definition.var), " = ",
                      FormatExpr(definition.value), line);
}

// "caller 'main' at gemm.py:12 passes 8"
std::string CallerText(const ParamSource& source) {
  return absl::StrCat("caller '", source.caller->name, "'", At(source.span()),
                      " passes ", FormatExpr(source.value));
}

std::string JoinClauses(const std::vector<std::string>& clauses) {
  if (clauses.size() < 2) return absl::StrJoin(clauses, "");
  const auto all_but_last =
      absl::MakeConstSpan(clauses).first(clauses.size() - 1);
  return absl::StrCat(absl::StrJoin(all_but_last, ", "), " and ",
                      clauses.back());
}

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
    if (node.goal.property == Property::kNonNegative) {
      return absl::StrCat(value, " >= 0");
    }
    return absl::StrCat(value, " is a multiple of ", DivisorText(node.goal));
  }

  void AddLoop(const CertificateNode& node) {
    const int64_t start = node.range->start;
    const int64_t step = node.range->step;
    if (node.goal.property == Property::kNonNegative) {
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

std::string ClaimText(const ProofResult& result) {
  const Certificate& certificate = result.certificate();
  const std::string claim = GoalText(result.goal);
  if (certificate.root().rule == Rule::kConstant) return claim;
  return absl::StrCat(claim, " since ",
                      JoinClauses(ClauseCollector(certificate).Run()));
}

// ---- Refusals

class RefusalText {
 public:
  explicit RefusalText(const ProofResult& result)
      : root_(result.expr), refusal_(result.refusal()) {}

  std::string Run() {
    AddHops();
    const bool is_shown =
        !refusal_.hops.empty() && LastHopValue() == refusal_.expr;
    if (is_shown && refusal_.reason == RefusalReason::kConstantViolates) {
      absl::StrAppend(&parts_.back(), ", ", ViolationText());
    } else {
      parts_.push_back(LeafText());
    }
    return absl::StrCat(FormatExpr(root_), ": ", absl::StrJoin(parts_, "; "));
  }

 private:
  const ir::Expr* LastHopValue() const {
    const Hop& hop = refusal_.hops.back();
    return hop.source != nullptr ? hop.source->value : hop.definition->value;
  }

  void AddHops() {
    const std::vector<Hop>& hops = refusal_.hops;
    for (size_t i = 0; i < hops.size(); ++i) {
      if (hops.size() > kMaxHops && i == kMaxHops - 1) {
        parts_.push_back("...");
        i = hops.size() - 1;
      }
      AddHop(hops[i]);
    }
  }

  void AddHop(const Hop& hop) {
    if (hop.definition != nullptr) {
      parts_.push_back(DefinitionText(*hop.definition));
      return;
    }
    parts_.push_back(IsA(hop.var, ParameterText(hop.function)));
    parts_.push_back(CallerText(*hop.source));
  }

  static std::string ParameterText(const ir::Function* function) {
    return absl::StrCat("parameter of '", function->name, "'");
  }

  // "row is a parameter", or only "parameter" when the line starts with "row:".
  std::string IsA(const ir::Expr* expr, absl::string_view noun) const {
    if (expr == root_) return std::string(noun);
    return absl::StrCat(FormatExpr(expr), " is a ", noun);
  }

  std::string ViolationText() const {
    return refusal_.goal.property == Property::kNonNegative
               ? "a negative value"
               : absl::StrCat("not a multiple of ", refusal_.goal.divisor);
  }

  // That the goal is open, for leaves that do not contradict it.
  std::string Unknown(std::string text) const {
    return absl::StrCat(
        text, ", not known to be ",
        refusal_.goal.property == Property::kNonNegative ? "" : "a ",
        GoalText(refusal_.goal));
  }

  std::string LeafText() const {
    const ir::Expr* expr = refusal_.expr;
    switch (refusal_.reason) {
      case RefusalReason::kConstantViolates:
        return absl::StrCat(*refusal_.value, " is ", ViolationText());
      case RefusalReason::kLoopViolates:
        return LoopViolationText();
      case RefusalReason::kLoopNotConstant:
        return Unknown(absl::StrCat(
            IsA(expr, "loop variable without constant start and step"), " ",
            InParentheses("loop", refusal_.facts->loop->span)));
      case RefusalReason::kNoFact:
        return Unknown(IsA(expr, "variable that nothing defines"));
      case RefusalReason::kRebound:
        return Unknown(IsA(expr, "variable assigned at several places"));
      case RefusalReason::kIterArg:
        return Unknown(IsA(expr, "value carried by a loop"));
      case RefusalReason::kLoopResult:
        return Unknown(IsA(expr, "result of a loop"));
      case RefusalReason::kIfResult:
        return Unknown(IsA(expr, "result of an if"));
      case RefusalReason::kDynamicDim:
        return Unknown(IsA(expr, "dimension known at run time only"));
      case RefusalReason::kUnknownSource:
        return Unknown(UnknownSourceText());
      case RefusalReason::kRecursion:
        return Unknown(
            absl::StrCat(IsA(expr, ParameterText(refusal_.facts->function)),
                         ", which is recursive"));
      case RefusalReason::kCast:
        return Unknown(IsA(expr, "conversion"));
      case RefusalReason::kTupleItem:
        return Unknown(IsA(expr, "tuple item"));
      case RefusalReason::kCallResult:
        return Unknown(IsA(expr, "result of a call"));
      case RefusalReason::kSubtraction:
        return IsA(expr, "subtraction, which may be negative");
      case RefusalReason::kDivisorNotConstant:
        return Unknown(IsA(expr, "division by something not constant"));
      case RefusalReason::kDivisorNotPositive:
        return Unknown(IsA(expr, "division by something not positive"));
      case RefusalReason::kNotPowerOfTwo:
        return Unknown(IsA(expr, "division by no power of two"));
      case RefusalReason::kOverflow:
        return Unknown(IsA(
            expr, "division whose dividend would need a divisor over 64 bits"));
      case RefusalReason::kUnsupportedOperator:
        return Unknown(IsA(expr, "kind of expression that no rule covers"));
      case RefusalReason::kNotInteger:
        return Unknown(IsA(expr, "value of no integer type"));
      case RefusalReason::kBudget:
        return absl::StrCat("the proof would take more than ", kProofBudget,
                            " steps");
    }
    return "";
  }

  std::string LoopViolationText() const {
    const LoopRange& range = *refusal_.facts->range;
    const std::string loop =
        LoopText(refusal_.expr, *refusal_.facts->loop, range);
    if (refusal_.value.has_value()) {
      return absl::StrCat(loop, " takes the value ", *refusal_.value, ", ",
                          ViolationText());
    }
    const bool start_holds = refusal_.goal.HoldsFor(range.start);
    return absl::StrCat(loop, " has the ", start_holds ? "step " : "start ",
                        start_holds ? range.step : range.start, ", ",
                        ViolationText());
  }

  std::string UnknownSourceText() const {
    const ParamSource& source = *refusal_.source;
    const std::string parameter =
        IsA(refusal_.expr, ParameterText(refusal_.facts->function));
    const auto caller = [&source] {
      return absl::StrCat("'", source.caller->name, "'", At(source.span()));
    };
    switch (source.kind) {
      case ParamSource::Kind::kHost:
        return absl::StrCat(parameter, ", to which the host may pass anything");
      case ParamSource::Kind::kMalformedCall:
        return absl::StrCat(parameter, ", which ", caller(),
                            " calls with a wrong number of arguments");
      case ParamSource::Kind::kOmitted:
        return absl::StrCat(parameter, ", which ", caller(),
                            " submits without this argument");
      case ParamSource::Kind::kArgument:
        break;
    }
    MX_CHECK(false) << "an argument is no unknown source";
    return "";
  }

  const ir::Expr* root_;
  const Refusal& refusal_;
  std::vector<std::string> parts_;
};

}  // namespace

std::string Explain(const ProofResult& result) {
  if (!result.proven()) return RefusalText(result).Run();
  return absl::StrCat(FormatExpr(result.expr), ": ", ClaimText(result));
}

std::string Explain(const ProofResult& multiple, const ProofResult& sign) {
  if (!multiple.proven()) return Explain(multiple);
  if (!sign.proven()) return Explain(sign);
  return absl::StrCat(Explain(multiple), "; ", ClaimText(sign));
}

}  // namespace mxtile::proof
