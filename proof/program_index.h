#ifndef PROOF_PROGRAM_INDEX_H_
#define PROOF_PROGRAM_INDEX_H_

// Where a program binds its variables and who calls its functions, as the
// certificate checker finds it: a second, independent reading of what
// proof/facts.h collects for the prover. No code is shared, on purpose.
//
//   const ProgramIndex index(*program, "");
//   const ProgramIndex::Binding* row = index.Find(row_var);
//   for (const ProgramIndex::Call& call : index.CallsOf(*row->function)) ...
//
// Requires a program that the verifier accepts. Cost: one walk.

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"

namespace mxtile::proof {

class ProgramIndex {
 public:
  // One of the pointers is set, or none for what carries no information: iter
  // args, results, dims.
  struct Binding {
    const ir::Assign* assign = nullptr;
    const ir::For* loop = nullptr;           // Whose variable it is.
    const ir::Function* function = nullptr;  // Whose parameter it is.
    size_t param = 0;
    bool several = false;  // Bound at several places.
  };
  struct Call {
    const ir::Expr* expr = nullptr;  // A Call or Submit.
    const ir::Stmt* stmt = nullptr;  // Where it stands.
    const ir::Function* caller = nullptr;
  };

  // `entry` is called by the host besides the functions that nobody calls.
  ProgramIndex(const ir::Program& program, absl::string_view entry);

  // Null for a variable that the program does not bind, or at several places.
  const Binding* Find(const ir::Expr* var) const;

  // All calls, each once a function, if all values of the function's parameters
  // come from them; empty if the host calls it, or it calls itself through
  // others or directly.
  std::vector<Call> CallsOf(const ir::Function& function) const;

 private:
  void Bind(const ir::Var* var, const Binding& binding);
  void Walk(const ir::Function& function);
  bool IsRecursive(const ir::Function& function) const;

  std::string entry_;
  absl::flat_hash_map<const ir::Var*, Binding> bindings_;
  absl::flat_hash_map<absl::string_view, std::vector<Call>>
      calls_;  // By callee.
};

// What the call passes for the parameter; null when nobody knows.
const ir::Expr* ArgumentOf(const ir::Expr& call, ir::Vars params, size_t param);

// Whether the value is a call of an operator of which OpDef says so.
bool IsNeverNegativeCall(const ir::Expr* value);

}  // namespace mxtile::proof

#endif  // PROOF_PROGRAM_INDEX_H_
