#ifndef EXEC_INTERPRETER_H_
#define EXEC_INTERPRETER_H_

// Runs a program statement by statement; what tensors and tiles are and what
// operators do with them is a Backend's affair.
//
//   Interpreter interpreter(*program, &backend, &sink);
//   MX_ASSIGN_OR_RETURN(std::vector<Value> results,
//                       interpreter.Run(*entry, std::move(args)));
//
// Calls and Submits run at once, in program order; parallel loops run as
// sequential ones; SPMD launches run block after block. Outputs that a Submit
// leaves out are created by the backend.
//
// What a program does not promise is checked: that arguments, returned and
// carried values are of the kinds that the types state.
//
// An error of an operator is reported into the sink at the operator's place,
// with the chain of calls as notes; the returned status has the operator's
// code. Calls nested deeper than kMaxCallDepth are an error (recursion).

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "exec/value.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::exec {

// The payload of a status whose diagnostic is in the sink already: what a
// backend has reported itself is not reported again.
inline constexpr absl::string_view kReportedPayload = "mxtile.exec.reported";

// Which block of an SPMD launch runs.
struct BlockPosition {
  int64_t index = 0;
  int64_t count = 1;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // The result of an operator. `result_type`: the type of the variable that it
  // is assigned to (it may state more than the call's own), or the call's.
  virtual absl::StatusOr<Value> EvalOp(const ir::Call& call,
                                       const ir::Type* result_type,
                                       absl::Span<const Value> args,
                                       BlockPosition block) = 0;
  // A tensor without values.
  virtual absl::StatusOr<Value> CreateTensor(const ir::TensorType& type,
                                             absl::string_view name) = 0;

  // What the function returns, where the backend runs it, now or at the end of
  // the parallel region around it; nullopt: the interpreter runs it statement
  // by statement. Asked once a block.
  virtual absl::StatusOr<absl::optional<std::vector<Value>>> RunFunction(
      const ir::Function& function, absl::Span<const Value> args,
      BlockPosition block) {
    return absl::optional<std::vector<Value>>();
  }
  // Around the rounds of a parallel loop or the blocks of a launch, which are
  // independent of each other, and before each of them. Regions nest; one in
  // which a round fails is not ended.
  virtual void BeginParallel() {}
  virtual void BeginRound() {}
  virtual absl::Status EndParallel() { return absl::OkStatus(); }
};

class Interpreter {
 public:
  static constexpr int kMaxCallDepth = 50;

  // All must outlive the interpreter. `dynamic_dims` gives the value of each of
  // the program's dynamic dimensions.
  Interpreter(const ir::Program& program, Backend* backend,
              ir::DiagnosticSink* sink,
              absl::flat_hash_map<std::string, int64_t> dynamic_dims = {});

  // `args`: one a parameter; an integer is brought to the parameter's width, or
  // to BOOL. Returns what the function returns.
  absl::StatusOr<std::vector<Value>> Run(const ir::Function& function,
                                         std::vector<Value> args);

 private:
  using Env = absl::flat_hash_map<const ir::Var*, Value>;
  // How a block of statements ended.
  enum class Flow { kNext, kYield, kReturn, kBreak, kContinue };
  struct Frame {
    const ir::Function* function = nullptr;
    BlockPosition block;
    Env env;
    const ir::Yield* yield = nullptr;  // The last one,
    std::vector<Value> yielded;        //   with its values.
    std::vector<Value> returned;       // After kReturn.
  };

  // Once for each block, of the function's or the call's core_num; else once,
  // in the block `outer`.
  absl::StatusOr<std::vector<Value>> RunBlocks(const ir::Function& function,
                                               std::vector<Value> args,
                                               BlockPosition outer,
                                               ir::Attrs call_attrs);
  absl::StatusOr<std::vector<Value>> RunBody(const ir::Function& function,
                                             const std::vector<Value>& args,
                                             BlockPosition block);
  absl::StatusOr<Flow> RunBlock(ir::Block block, Frame& frame);
  absl::StatusOr<Flow> RunStmt(const ir::Stmt& stmt, Frame& frame);
  absl::StatusOr<Flow> RunIf(const ir::If& branch, Frame& frame);
  absl::StatusOr<Flow> RunFor(const ir::For& loop, Frame& frame);
  absl::StatusOr<Flow> RunWhile(const ir::While& loop, Frame& frame);
  // One round of a loop; the new iter args are stored.
  absl::StatusOr<Flow> RunRound(ir::Block body,
                                absl::Span<const ir::IterArg* const> iter_args,
                                Frame& frame);
  void BindResults(ir::Vars results,
                   absl::Span<const ir::IterArg* const> iter_args,
                   Frame& frame);

  absl::Status CheckReturned(const ir::Return& ret, const Frame& frame);

  absl::StatusOr<bool> EvalCondition(const ir::Expr* condition,
                                     const ir::Stmt& stmt, Frame& frame);
  absl::StatusOr<Value> Eval(const ir::Expr* root, const ir::Type* result_type,
                             const ir::Stmt& stmt, Frame& frame);
  absl::StatusOr<Value> EvalNode(const ir::Expr& expr,
                                 const ir::Type* result_type,
                                 absl::Span<const Value> operands,
                                 Frame& frame);
  absl::Status CheckArgs(const ir::Callee& callee, ir::Exprs args,
                         absl::Span<const Value> values) const;
  absl::StatusOr<Value> CallFunction(const ir::Expr& call, Frame& frame,
                                     absl::Span<const Value> operands);
  absl::StatusOr<Value> RunSubmit(const ir::Submit& submit, Frame& frame,
                                  absl::Span<const Value> operands);
  // Into the sink, unless it is there already.
  absl::Status Report(const absl::Status& status, ir::SourceSpan place);

  const ir::Program& program_;
  Backend* backend_;
  ir::DiagnosticSink* sink_;
  absl::flat_hash_map<std::string, int64_t> dynamic_dims_;
  // The calls that are running, outermost first: where and into which function.
  struct ActiveCall {
    ir::SourceSpan span;
    const ir::Function* callee;
  };
  std::vector<ActiveCall> calls_;
};

}  // namespace mxtile::exec

#endif  // EXEC_INTERPRETER_H_
