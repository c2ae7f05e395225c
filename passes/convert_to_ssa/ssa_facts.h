#ifndef PASSES_CONVERT_TO_SSA_SSA_FACTS_H_
#define PASSES_CONVERT_TO_SSA_SSA_FACTS_H_

// What ConvertToSsa has to know about a function before it starts.
//
//   const SsaFacts facts = CollectSsaFacts(function);
//   if (facts.versioned.contains(var)) ...
//
// Cost: linear in the function, times the depth of its nesting.

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"

namespace mxtile {

struct SsaFacts {
  // The variables that cannot stay one: defined more than once, or used outside
  // of the branch or loop body that defines them.
  absl::flat_hash_set<const ir::Var*> versioned;

  // Of a branch or loop: the versioned variables that its bodies assign, at any
  // depth, by name, those of one name in the order of their first assignment.
  // What is not listed assigns none.
  absl::flat_hash_map<const ir::Stmt*, std::vector<const ir::Var*>> assigned;

  // Of a branch or loop: those of `assigned` whose value may be read behind it,
  // or in the next round before that assigns them. (A loop that is left early
  // counts as one that is not.)
  absl::flat_hash_map<const ir::Stmt*, absl::flat_hash_set<const ir::Var*>>
      needed;

  // The loops whose body has a break or continue of its own.
  absl::flat_hash_set<const ir::Stmt*> left_early;
};

SsaFacts CollectSsaFacts(const ir::Function& function);

}  // namespace mxtile

#endif  // PASSES_CONVERT_TO_SSA_SSA_FACTS_H_
