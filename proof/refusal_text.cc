#include "proof/refusal_text.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/fact_text.h"
#include "proof/facts.h"
#include "proof/format_expr.h"
#include "proof/refusal.h"

namespace mxtile::proof {
namespace {

const ir::Expr* ValueOf(const Hop& hop) {
  return hop.source != nullptr ? hop.source->value : hop.definition->value;
}

class RefusalText {
 public:
  RefusalText(const ProofResult& result, size_t max_hops)
      : root_(result.expr), refusal_(result.refusal()), max_hops_(max_hops) {}

  std::vector<std::string> Run() {
    AddHops();
    const bool is_shown =
        !refusal_.hops.empty() && LastHopValue() == refusal_.expr;
    if (is_shown && refusal_.reason == RefusalReason::kConstantViolates) {
      absl::StrAppend(&parts_.back(), ", ", ViolationText());
    } else {
      parts_.push_back(LeafText());
    }
    return std::move(parts_);
  }

 private:
  const ir::Expr* LastHopValue() const { return ValueOf(refusal_.hops.back()); }

  void AddHops() {
    const std::vector<Hop>& hops = refusal_.hops;
    for (size_t i = 0; i < hops.size(); ++i) {
      if (hops.size() > max_hops_ && i == max_hops_ - 1) {
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
    return refusal_.goal.is_sign()
               ? "a negative value"
               : absl::StrCat("not a multiple of ", refusal_.goal.divisor);
  }

  // That the goal is open, for leaves that do not contradict it.
  std::string Unknown(std::string text) const {
    return absl::StrCat(text, ", not known to be ",
                        refusal_.goal.is_sign() ? "" : "a ",
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
      case RefusalReason::kMayOverflow:
        return Unknown(OverflowText());
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

  std::string OverflowText() const {
    const std::string text =
        IsA(refusal_.expr,
            absl::StrCat("value that may not fit ", TypeText(*refusal_.expr)));
    if (!refusal_.range.has_value()) return text;
    return absl::StrCat(text, " (", refusal_.range->min, " to ",
                        refusal_.range->max, ")");
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
  const size_t max_hops_;
  std::vector<std::string> parts_;
};

}  // namespace

std::vector<std::string> RefusalClauses(const ProofResult& result,
                                        size_t max_hops) {
  return RefusalText(result, max_hops).Run();
}

bool ClausesNameViolation(const ProofResult& result) {
  const Refusal& refusal = result.refusal();
  const ir::Expr* expr = result.expr;
  for (const Hop& hop : refusal.hops) {
    if (hop.var != expr) return false;
    expr = ValueOf(hop);
  }
  return expr == refusal.expr && refusal.value.has_value();
}

}  // namespace mxtile::proof
