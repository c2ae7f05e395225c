#ifndef PROOF_PROOF_TEST_UTIL_H_
#define PROOF_PROOF_TEST_UTIL_H_

// Short ways to write programs in tests of this room.
//
//   TestIr ir;
//   FunctionBuilder f = ir.Function("cell");
//   const Expr* offset = ir.Mul(ir.Loop(f, 0, 64, 1), ir.Int(16));
//   ir.Add(f);
//   const ProgramFacts facts(*ir.Program());

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/type.h"
#include "proof/prover.h"
#include "proof/refusal.h"

namespace mxtile::proof {

class TestIr {
 public:
  // Knows tile.get_block_idx and tile.get_block_num.
  TestIr();

  ir::Context& context() { return context_; }

  const ir::Expr* Int(int64_t value) { return context_.Index(value); }
  const ir::Expr* Add(const ir::Expr* a, const ir::Expr* b);
  const ir::Expr* Sub(const ir::Expr* a, const ir::Expr* b);
  const ir::Expr* Mul(const ir::Expr* a, const ir::Expr* b);
  const ir::Expr* Div(const ir::Expr* a, const ir::Expr* b);
  const ir::Expr* Mod(const ir::Expr* a, const ir::Expr* b);
  const ir::Expr* Min(const ir::Expr* a, const ir::Expr* b);
  const ir::Expr* Max(const ir::Expr* a, const ir::Expr* b);

  ir::FunctionBuilder Function(absl::string_view name) {
    return {&context_, name, ir::FunctionType::kInCore};
  }
  const ir::Type* TensorType() {
    ir::TensorType type;
    type.kind = ir::TypeKind::kTensor;
    return context_.GetTensorType(type);
  }
  // Of type INDEX.
  const ir::Var* Param(ir::FunctionBuilder& f, absl::string_view name) {
    return f.Param(name, context_.IndexType());
  }
  // The variable of a new loop, which is closed again at once.
  const ir::Var* Loop(ir::FunctionBuilder& f, const ir::Expr* start,
                      const ir::Expr* stop, const ir::Expr* step,
                      absl::string_view name = "i");
  const ir::Var* Loop(ir::FunctionBuilder& f, int64_t start, int64_t stop,
                      int64_t step, absl::string_view name = "i") {
    return Loop(f, Int(start), Int(stop), Int(step), name);
  }
  const ir::Var* BlockIdx(ir::FunctionBuilder& f) {
    return f.AssignOp("b", "tile.get_block_idx", {});
  }
  // self.function(args), for its effect.
  void Call(ir::FunctionBuilder& f, absl::string_view function,
            std::vector<const ir::Expr*> args);
  // pl.submit(self.function, args).
  void Submit(ir::FunctionBuilder& f, absl::string_view function,
              std::vector<const ir::Expr*> args);

  void Add(const ir::Function* function) { functions_.push_back(function); }
  void Add(ir::FunctionBuilder& f) { Add(f.Build()); }
  // Of all functions so far.
  const ir::Program* Program(ir::Vars dynamic_dims = {}) {
    return MakeProgram(&context_, "P", functions_, dynamic_dims);
  }

  // The function with its statements on lines of `file`, in order, from
  // `first_line` on. Statement objects are new, variables and expressions not.
  const ir::Function* OnLines(const ir::Function* function,
                              absl::string_view file, int first_line);

 private:
  ir::Block OnLines(ir::Block block, absl::string_view file, int* line);

  ir::OpRegistry registry_;
  ir::Context context_;
  std::vector<const ir::Function*> functions_;
};

// The enumerator: "kBudget".
std::string ToString(RefusalReason reason);
// What became of the question: "proven", or the reason.
std::string Verdict(const ProofResult& result);

}  // namespace mxtile::proof

#endif  // PROOF_PROOF_TEST_UTIL_H_
