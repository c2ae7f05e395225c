#ifndef PROOF_REFUSAL_H_
#define PROOF_REFUSAL_H_

// Why a question of proof/prover.h has no proof: the leaf that stopped it, how
// it was reached, and a run that contradicts the claim where one was found.
//
//   RefusalReasonName(result.refusal().reason)      "unknown_source"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/counterexample.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/value_range.h"

namespace mxtile::proof {

enum class RefusalReason {
  kConstantViolates,    // `value`.
  kLoopViolates,        // The loop's start or step; `value` where it is known.
  kLoopNotConstant,     // Start or step of the loop is no constant.
  kNoFact,              // A variable that the program does not bind.
  kRebound,             // A variable that is bound at several places.
  kIterArg,             // Carried by a loop.
  kLoopResult,          // Left by a loop.
  kIfResult,            // The phi of an if.
  kDynamicDim,          // A dimension known at run time only.
  kUnknownSource,       // `source` may pass anything.
  kRecursion,           // A parameter of a recursive function.
  kCast,                // A conversion.
  kTupleItem,           // An item of a tuple.
  kCallResult,          // The result of an operator or function.
  kSubtraction,         // In a sign proof.
  kDivisorNotConstant,  // `a // c`, `a % c`: c is no constant,
  kDivisorNotPositive,  //   not positive,
  kNotPowerOfTwo,       //   no power of two,
  kOverflow,            //   or c*d exceeds 64 bits.
  kMayOverflow,         // By strict_overflow; `range` where it is known.
  kUnsupportedOperator,
  kNotInteger,  // Of no integer type.
  kBudget,
};

// "loop_violates" for kLoopViolates.
absl::string_view RefusalReasonName(RefusalReason reason);

// A step from a variable to where its value comes from.
struct Hop {
  const ir::Var* var = nullptr;
  const ir::Function* function = nullptr;  // Whose variable it is.
  const ir::Assign* definition = nullptr;  // The definition followed, or null.
  const ParamSource* source = nullptr;     // The caller followed, or null.
};

// Why a question has no proof. Where both factors of a product fail, a constant
// one is reported in preference to the left one.
struct Refusal {
  RefusalReason reason = RefusalReason::kNoFact;
  // The leaf that stopped the proof, and what was to be shown of it.
  const ir::Expr* expr = nullptr;
  Goal goal;
  // How the leaf was reached from the question, outermost first.
  std::vector<Hop> hops;
  // A value of `expr` that violates `goal`.
  std::optional<int64_t> value;
  // In which the exact value of `expr` lies.
  std::optional<ValueRange> range;
  const VarFacts* facts = nullptr;  // Of `expr`, when it is a known variable.
  const ParamSource* source = nullptr;  // Of kUnknownSource.
  // A run in which the question's expression violates the question's goal.
  std::optional<Counterexample> counterexample;
};

}  // namespace mxtile::proof

#endif  // PROOF_REFUSAL_H_
