#include "proof/fact_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "proof/counterexample.h"
#include "proof/facts.h"
#include "proof/format_expr.h"
#include "proof/goal.h"
#include "proof/value_range.h"

namespace mxtile::proof {
namespace {

// "row = 8 when 'cell' is called at gemm.py:12"
std::string BindingText(const Binding& binding) {
  const std::string text =
      absl::StrCat(FormatExpr(binding.var), " = ", binding.value);
  switch (binding.kind) {
    case Binding::Kind::kLoop:
      return absl::StrCat(text, " ", InParentheses("loop", binding.loop->span));
    case Binding::Kind::kArgument: {
      const CallSite& site = *binding.site;
      const ir::Callee& callee =
          ir::Isa<ir::Call>(site.call)
              ? *static_cast<const ir::Call*>(site.call)->callee
              : *ir::CheckedCast<ir::Submit>(site.call)->callee;
      return site.span().known()
                 ? absl::StrCat(text, " when '", callee.name, "' is called",
                                At(site.span()))
                 : absl::StrCat(text, " when '", site.caller->name, "' calls '",
                                callee.name, "'");
    }
    case Binding::Kind::kHost:
      return absl::StrCat(text, " (which the host may pass)");
    case Binding::Kind::kDim:
      return absl::StrCat(text, " at run time");
  }
  return text;
}

}  // namespace

std::string At(const ir::SourceSpan& span) {
  return span.known() ? absl::StrCat(" at ", span.file, ":", span.line) : "";
}

std::string InParentheses(absl::string_view what, const ir::SourceSpan& span) {
  return span.known() ? absl::StrCat("(", what, " at ", span.line, ")")
                      : absl::StrCat("(", what, ")");
}

std::string GoalText(const Goal& goal) {
  return goal.property == Property::kNonNegative
             ? ">= 0"
             : absl::StrCat("multiple of ", goal.divisor);
}

std::string LoopText(const ir::Expr* var, const ir::For& loop,
                     const LoopRange& range) {
  const std::string name = FormatExpr(var);
  const absl::string_view round = name == "i" ? "j" : "i";
  const std::string start =
      range.start == 0 ? "" : absl::StrCat(range.start, " + ");
  return absl::StrCat(name, " = ", start, range.step, "*", round, " ",
                      InParentheses("loop", loop.span));
}

std::string DefinitionText(const ir::Assign& definition) {
  const std::string line =
      definition.span.known()
          ? absl::StrCat(" (line ", definition.span.line, ")")
          : "";
  return absl::StrCat(FormatExpr(definition.var), " = ",
                      FormatExpr(definition.value), line);
}

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

std::string TypeText(const ir::Expr& expr) {
  const auto type = ScalarDataType(expr);
  return std::string(type.has_value() ? ir::DataTypeName(*type) : "?");
}

std::string CounterexampleText(const ir::Expr* expr,
                               const Counterexample& counterexample) {
  std::vector<std::string> clauses;
  for (const Binding& binding : counterexample.bindings) {
    clauses.push_back(BindingText(binding));
  }
  const std::string text = JoinClauses(clauses);
  if (!clauses.empty() && counterexample.bindings.back().var == expr) {
    return text;
  }
  return absl::StrCat(text, clauses.empty() ? "" : " ", "gives ",
                      counterexample.value);
}

}  // namespace mxtile::proof
