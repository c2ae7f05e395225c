#ifndef PROOF_FACTS_H_
#define PROOF_FACTS_H_

// What a program says about its scalar variables: the ground that proofs stand
// on, collected once.
//
//   const ProgramFacts facts(*program);
//   const VarFacts* row = facts.Find(row_var);
//   for (const ParamSource& source : row->sources) ...  // What callers pass.
//
// | Variable          | Known about it                                      |
// |-------------------|-----------------------------------------------------|
// | assigned          | its definition; never negative, when the definition |
// |                   | is directly a call of an operator with              |
// |                   | OpDef::result_never_negative                        |
// | loop variable     | start and step, when both are constants             |
// | parameter         | one source for each call, Submit and unknown caller |
// | iter arg, result of a loop or an if, dynamic dim | nothing              |
//
// Sources of a parameter. A Call passes argument i to parameter i. A Submit may
// leave out arguments (pypto_ir section 7): with gap = params - args and ctx =
// number of trailing CommCtx parameters, the last ctx arguments go to the last
// ctx parameters and the others to the first ones. These are unknown sources:
//
//   * the host, for a function that nobody calls and for FactsOptions::entry;
//   * a Call with another number of arguments than parameters; a Submit with
//     more, or with fewer than trailing CommCtx parameters: one for every
//     scalar parameter;
//   * a Submit that leaves the parameter out (it lies in the gap).
//
// A call of a function that the program does not have is ignored. A function
// that can reach itself through Calls and Submits is recursive, and so are all
// its parameters.
//
// What is known about functions serves counterexamples
// (proof/counterexample.h): who calls them, and whether a place in them is
// reached in every run.
//
// Requires a program that the verifier accepts. SSA form is not required: a
// variable that is bound at several places is marked, and nothing is provable
// of it. Facts point into the program and must not outlive its context. Cost:
// one walk, linear in the program.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"

namespace mxtile::proof {

// One origin of a parameter's value.
struct ParamSource {
  enum class Kind {
    kArgument,       // `call` passes `value`.
    kHost,           // The function is an entry: anything may be passed.
    kMalformedCall,  // `call` does not fit the parameters.
    kOmitted,        // `call`, a Submit, leaves the parameter out.
  };
  Kind kind = Kind::kArgument;
  const ir::Expr* value = nullptr;       // Null unless kArgument.
  const ir::Expr* call = nullptr;        // Call or Submit; null for kHost.
  const ir::Stmt* stmt = nullptr;        // Where `call` stands.
  const ir::Function* caller = nullptr;  // Whose body that is.

  // Of the call, or of its statement where the call has none.
  ir::SourceSpan span() const;
};

// What stands around a place in a function.
struct Surroundings {
  const ir::For* loop = nullptr;  // The innermost loop, or null.
  // Some run may leave the place out: it lies in an if, a while or a scope.
  bool conditional = false;
};

// A Call or Submit of a function.
struct CallSite {
  const ir::Expr* call = nullptr;
  const ir::Stmt* stmt = nullptr;
  const ir::Function* caller = nullptr;
  // Conditional also for a launch with a predicate, and for one on a number of
  // cores that is not known to be positive.
  Surroundings at;

  ir::SourceSpan span() const;
};

struct FunctionFacts {
  bool recursive = false;
  bool host_calls = false;
  // A loop or the function may end before its end: a break, a continue, or a
  // return that is not the last statement.
  bool early_exit = false;
  // Of each scalar parameter, sources[i] belongs to sites[i]; where the host
  // calls the function, it is the last source.
  std::vector<CallSite> sites;
};

// A loop variable takes the values start, start + step, ... before the stop.
struct LoopRange {
  int64_t start = 0;
  int64_t step = 0;
};

struct VarFacts {
  enum class Origin {
    kAssigned,
    kLoopVar,
    kParam,
    kIterArg,
    kLoopResult,
    kIfResult,
    kDynamicDim,
  };
  Origin origin = Origin::kAssigned;
  // Bound at more than one place, which SSA form excludes. The other fields
  // then tell about the first place.
  bool rebound = false;
  const ir::Function* function = nullptr;  // Null for kDynamicDim.
  Surroundings at;  // Of the binding; those of its loop for a loop variable.

  const ir::Assign* definition = nullptr;  // Of kAssigned.
  bool never_negative = false;

  const ir::For* loop = nullptr;   // Of kLoopVar.
  std::optional<LoopRange> range;  // When start and step are constants.

  std::vector<ParamSource> sources;  // Of kParam, in statement order.
  bool recursive = false;            // Of kParam: `function` is recursive.
};

struct FactsOptions {
  // A function that the host may call besides those that nobody calls; empty:
  // none. Must name a function of the program.
  std::string entry;
};

class ProgramFacts {
 public:
  explicit ProgramFacts(const ir::Program& program,
                        const FactsOptions& options = {});

  // Null for a variable of no scalar type and for one that the program does
  // not bind. Valid as long as this object.
  const VarFacts* Find(const ir::Var* var) const;
  // Null for a function of another program.
  const FunctionFacts* Find(const ir::Function* function) const;

 private:
  class Collector;

  absl::flat_hash_map<const ir::Var*, VarFacts> vars_;
  absl::flat_hash_map<const ir::Function*, FunctionFacts> functions_;
};

}  // namespace mxtile::proof

#endif  // PROOF_FACTS_H_
