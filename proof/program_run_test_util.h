#ifndef PROOF_PROGRAM_RUN_TEST_UTIL_H_
#define PROOF_PROGRAM_RUN_TEST_UTIL_H_

// What a random program (proof/random_program_test_util.h) computes.
//
//   ProgramRun run(program, &random);
//   run.Call(*program.functions[0]);       // as a host would
//   for (Integer value : run.ValuesOf(expr)) ...

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/goal.h"
#include "proof/random_program_test_util.h"

namespace mxtile::proof {

// A value of any type: UINT64 has some that no int64 holds.
__extension__ using Integer = __int128;

bool HoldsFor(const Goal& goal, Integer value);

// Calls of one program, with integers of the width of their types that wrap.
// What the language leaves open is drawn for each call from outside: whether
// divisions round down or towards zero, and whether an operand of another type
// is brought to the type of the operation or only its result is. Parameters
// without an argument, unknown operators and block indices have random values.
// A call that takes too many steps, divides by zero or nests too deep ends
// early.
class ProgramRun {
 public:
  // Values are kept of these expressions only; null: of all.
  ProgramRun(const ir::Program& program, Random* random,
             const absl::flat_hash_set<const ir::Expr*>* watched = nullptr)
      : program_(program), random_(*random), watched_(watched) {}

  // As a host would. Forgets what earlier calls did.
  void Call(const ir::Function& function) { Call(function, {}, 400); }
  // With the given values for parameters that no call passes.
  void Call(const ir::Function& function,
            const absl::flat_hash_map<const ir::Var*, int64_t>& host_values,
            int max_steps);

  // Whether the last call ended early.
  bool stopped() const { return stopped_; }
  // The values that the expression had in the last call.
  const std::vector<Integer>& ValuesOf(const ir::Expr* expr) const;
  // Whether in the last call the exact value of the expression did not fit its
  // type (or an operand that is compared or divided did not).
  bool Overflowed(const ir::Expr* expr) const {
    return overflowed_.contains(expr);
  }
  // The smallest and largest exact value in the last call, of a variable, a
  // sum, difference or product; null when there was none.
  struct Extent {
    Integer min;
    Integer max;
  };
  const Extent* ExactOf(const ir::Expr* expr) const;

 private:
  using Frame = absl::flat_hash_map<const ir::Var*, Integer>;

  Integer Anything(const ir::Expr& expr);
  void CallWith(const ir::Function& function, const Frame& args);
  std::vector<Integer> RunBlock(ir::Block block);
  void RunAssign(const ir::Assign& assign);
  void RunIf(const ir::If& branch);
  void RunFor(const ir::For& loop);
  void RunCall(const ir::Callee& callee, ir::Exprs args, bool may_leave_out);
  void Bind(const ir::Var* var, Integer exact);
  void BindAll(ir::Vars vars, const std::vector<Integer>& values);
  Integer Eval(const ir::Expr* expr);
  Integer EvalNew(const ir::Expr& expr);
  Integer EvalBinary(const ir::Binary& binary);
  Integer Divide(ir::BinaryOp op, Integer a, Integer b);
  // What the type of `expr` holds of the exact value.
  Integer Hold(const ir::Expr& expr, Integer exact);
  void Keep(const ir::Expr* expr, Integer value);

  const ir::Program& program_;
  Random& random_;
  const absl::flat_hash_set<const ir::Expr*>* watched_;
  absl::flat_hash_map<const ir::Expr*, std::vector<Integer>> values_;
  absl::flat_hash_map<const ir::Expr*, Extent> exact_;
  absl::flat_hash_set<const ir::Expr*> overflowed_;
  const absl::flat_hash_map<const ir::Var*, int64_t>* host_values_ = nullptr;
  Frame frame_;
  int depth_ = 0;
  int steps_ = 0;
  int max_steps_ = 0;
  bool stopped_ = false;
  bool rounds_down_ = false;
  bool converts_operands_ = false;
};

}  // namespace mxtile::proof

#endif  // PROOF_PROGRAM_RUN_TEST_UTIL_H_
