#ifndef PROOF_FACT_TEXT_H_
#define PROOF_FACT_TEXT_H_

// Facts of a proof or a refusal as pieces of a sentence.
//
//   GoalText(Goal::MultipleOf(16))      "multiple of 16"
//   LoopText(k0, loop, {64, 64})        "k0 = 64 + 64*i (loop at 41)"
//   DefinitionText(assign)              "g = k0 // 32 (line 12)"
//   CallerText(source)                  "caller 'main' at gemm.py:12 passes 8"
//
// Places without a known line are left out.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "proof/counterexample.h"
#include "proof/facts.h"
#include "proof/goal.h"

namespace mxtile::proof {

// " at gemm.py:12", or nothing.
std::string At(const ir::SourceSpan& span);
// "(loop at 41)", or without a line "(loop)".
std::string InParentheses(absl::string_view what, const ir::SourceSpan& span);
std::string GoalText(const Goal& goal);
// "INDEX"; "?" for what is no scalar.
std::string TypeText(const ir::Expr& expr);
std::string LoopText(const ir::Expr* var, const ir::For& loop,
                     const LoopRange& range);
std::string DefinitionText(const ir::Assign& definition);
// Of a source that passes a value.
std::string CallerText(const ParamSource& source);
// "row = 8 when 'cell' is called at gemm.py:12 gives 24"; without the value
// when `expr` is the last variable named.
std::string CounterexampleText(const ir::Expr* expr,
                               const Counterexample& counterexample);
// "a, b and c"
std::string JoinClauses(const std::vector<std::string>& clauses);

}  // namespace mxtile::proof

#endif  // PROOF_FACT_TEXT_H_
