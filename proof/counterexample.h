#ifndef PROOF_COUNTEREXAMPLE_H_
#define PROOF_COUNTEREXAMPLE_H_

// A run of the program in which an expression violates a goal.
//
//   FindCounterexample(facts, row, Goal::MultipleOf(16))
//     // row = 8, passed by the call at gemm.py:12
//   FindCounterexample(facts, i_times_8, Goal::MultipleOf(16))
//     // i = 1 in the loop at gemm.py:40: i * 8 = 8
//
// What is looked for: a chain of callers up to a function that the host calls,
// a value for each parameter that the host passes and for each dimension that
// is known at run time only, and a round for each loop, such that
//
//  * every loop around what is used has that round, and every call of the chain
//    is made in every run: neither stands under an if, a while or a scope, nor
//    in a function that a break, continue or nested return may leave early;
//  * every value follows from these by arithmetic at the width of the types;
//  * the expression has a value then, and the value violates the goal.
//
// So no value is taken from what the program says nothing about: iter args,
// results of loops and ifs, results of operators (the block index too: how many
// blocks a launch has is the runtime's affair), parameters that a malformed
// call or a Submit leaves open, recursive functions. And none that depends on
// how a division rounds. What the expression is needed for may still stand
// under a condition: the question is about its value.
//
// Cost: at most kCounterexampleTrials runs and kCounterexampleBudget
// expressions. Nullopt says nothing: there may be a run that was not tried.

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/expr.h"
#include "proof/facts.h"
#include "proof/goal.h"

namespace mxtile::proof {

inline constexpr int kCounterexampleTrials = 256;
inline constexpr int kCounterexampleBudget = 4096;

// The value of a variable in the run.
struct Binding {
  enum class Kind {
    kLoop,      // A round of `loop`.
    kArgument,  // The call `site` passes the value.
    kHost,      // The host may pass it.
    kDim,       // Chosen at run time.
  };
  Kind kind = Kind::kLoop;
  const ir::Var* var = nullptr;
  int64_t value = 0;
  const ir::For* loop = nullptr;
  const CallSite* site = nullptr;
};

struct Counterexample {
  int64_t value = 0;  // Of the expression.
  // The parameters, loop variables and dims that it depends on, and what else
  // the host has to choose; each after what it depends on itself.
  std::vector<Binding> bindings;
};

std::optional<Counterexample> FindCounterexample(const ProgramFacts& facts,
                                                 const ir::Expr* expr,
                                                 const Goal& goal);

}  // namespace mxtile::proof

#endif  // PROOF_COUNTEREXAMPLE_H_
