#ifndef IR_VERIFIER_TEST_UTIL_H_
#define IR_VERIFIER_TEST_UTIL_H_

// Programs for tests of the verifier, statement by statement.
//
//   MadeProgram m;
//   const Stmt* assign = m.New(m.AssignTo(m.NewVar("y")));
//   VerifySsaForm(*m.ProgramOf({assign, assign}), &sink);

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::ir {

// A program of statements that the text form cannot say. Each statement has a
// line, in the order in which they are made.
class MadeProgram {
 public:
  explicit MadeProgram(absl::string_view name = "f")
      : builder_(&context_, name, FunctionType::kOpaque) {}

  Context& context() { return context_; }
  const Var* Param(absl::string_view name, const Type* type) {
    return builder_.Param(name, type);
  }
  const Var* NewVar(absl::string_view name, const Type* type = nullptr) {
    return context_.NewVar(name, type != nullptr ? type : context_.IndexType());
  }
  const Expr* Index(int64_t value) { return context_.Index(value); }
  Assign AssignTo(const Var* var, const Expr* value = nullptr) {
    Assign assign;
    assign.kind = StmtKind::kAssign;
    assign.span = At();
    assign.var = var;
    assign.value = value != nullptr ? value : Index(0);
    return assign;
  }
  const Stmt* YieldOf(const std::vector<const Expr*>& values) {
    Yield yield;
    yield.kind = StmtKind::kYield;
    yield.span = At();
    yield.values = context_.List(values);
    return context_.New(yield);
  }
  For Loop(const std::vector<const Stmt*>& body) {
    For loop;
    loop.kind = StmtKind::kFor;
    loop.span = At();
    loop.loop_var = NewVar("i");
    loop.start = loop.stop = loop.step = Index(1);
    loop.body = context_.List(body);
    return loop;
  }
  // A loop that carries one value.
  For Carrying(const IterArg* arg, const Expr* yielded, const Var* result,
               std::vector<const Stmt*> body = {}) {
    body.push_back(YieldOf({yielded}));
    For loop = Loop(body);
    loop.iter_args = context_.List<const IterArg*>(std::vector{arg});
    loop.return_vars = context_.List(std::vector<const Var*>{result});
    return loop;
  }
  // An if with one result.
  If Choosing(const Expr* then_value, const Expr* else_value,
              const Var* result) {
    If branch;
    branch.kind = StmtKind::kIf;
    branch.condition = context_.Bool(true);
    branch.then_body = Body({YieldOf({then_value})});
    branch.else_body = Body({YieldOf({else_value})});
    branch.return_vars = context_.List(std::vector<const Var*>{result});
    branch.span = At();
    return branch;
  }
  Block Body(const std::vector<const Stmt*>& stmts) {
    return context_.List(stmts);
  }
  template <typename Node>
  const Stmt* New(Node node) {
    return context_.New(node);
  }
  // A function of these statements.
  const Program* ProgramOf(const std::vector<const Stmt*>& body) {
    Function function = *builder_.Build();
    function.body = context_.List(body);
    return MakeProgram(&context_, "P", {context_.New(function)});
  }

 private:
  SourceSpan At() {
    SourceSpan span;
    span.line = ++line_;
    span.column = 1;
    return span;
  }

  Context context_{&StandardOps()};
  FunctionBuilder builder_;
  int line_ = 0;
};

}  // namespace mxtile::ir

#endif  // IR_VERIFIER_TEST_UTIL_H_
