#ifndef IR_BUILDER_H_
#define IR_BUILDER_H_

// Builds functions and programs in C++: passes' new code, tests, importers.
//
//   FunctionBuilder f(&context, "cell", FunctionType::kInCore);
//   const Var* row = f.Param("row", context.IndexType());
//   f.BeginFor("i", 0, 64, 16);                       // f.loop_var()
//   const Var* g = f.Assign("g", context.NewBinary(...));
//   f.EndFor();
//   f.Return({});
//   const Program* p = MakeProgram(&context, "P", {f.Build()});
//
// Blocks nest: Begin... opens one, End... closes it; Build checks that all are
// closed.

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"

namespace mxtile::ir {

class FunctionBuilder {
 public:
  FunctionBuilder(Context* context, absl::string_view name, FunctionType type);

  const Var* Param(absl::string_view name, const Type* type,
                   ParamDirection direction = ParamDirection::kIn);
  void ReturnType(const Type* type);
  void FunctionAttr(absl::string_view name, AttrValue value);

  // var = value; the variable has the value's type unless `type` is given.
  const Var* Assign(absl::string_view name, const Expr* value,
                    const Type* type = nullptr);
  // var = op(args, kwargs), with the type that the operator's deduction gives
  // (it must succeed), or `type` for an operator without deduction.
  const Var* AssignOp(absl::string_view name, absl::string_view op,
                      std::vector<const Expr*> args,
                      std::vector<Attr> kwargs = {},
                      const Type* type = nullptr);
  // var = self.function(args), of the given result type.
  const Var* AssignCall(absl::string_view name, absl::string_view function,
                        std::vector<const Expr*> args, const Type* type);
  void Eval(const Expr* expr);

  // Opens a loop. Bounds may be any expressions.
  void BeginFor(
      absl::string_view loop_var, const Expr* start, const Expr* stop,
      const Expr* step,
      std::vector<std::pair<absl::string_view, const Expr*>> carried = {},
      LoopKind kind = LoopKind::kSequential);
  void BeginFor(absl::string_view loop_var, int64_t start, int64_t stop,
                int64_t step);
  // Of the innermost open loop.
  const Var* loop_var() const;
  const IterArg* iter_arg(size_t index) const;
  // Closes the loop, yielding `values`; the result variables are named `names`.
  std::vector<const Var*> EndFor(std::vector<const Expr*> values = {},
                                 std::vector<absl::string_view> names = {});

  void BeginIf(const Expr* condition);
  void BeginElse(std::vector<const Expr*> then_values = {});
  std::vector<const Var*> EndIf(std::vector<const Expr*> values = {},
                                std::vector<absl::string_view> names = {});

  void Return(std::vector<const Expr*> values);

  const Function* Build();

 private:
  struct Frame {
    std::vector<const Stmt*> stmts;
    For loop;   // Of a For frame.
    If branch;  // Of an If frame.
    bool in_else = false;
  };

  void Append(const Stmt* stmt) { frames_.back().stmts.push_back(stmt); }
  void AppendYield(const std::vector<const Expr*>& values);
  Vars ResultVars(const std::vector<const Expr*>& values,
                  const std::vector<absl::string_view>& names);

  Context* context_;
  Function function_;
  std::vector<const Var*> params_;
  std::vector<ParamDirection> directions_;
  std::vector<const Type*> return_types_;
  std::vector<Attr> attrs_;
  std::vector<Frame> frames_;
};

// The type of the variable of a loop with these bounds: INDEX, unless one is of
// another type.
const Type* LoopVarType(const Expr* start, const Expr* stop, const Expr* step);

// A call of a registered or unknown operator; its type as AssignOp.
const Call* MakeOpCall(Context* context, absl::string_view op, Exprs args,
                       Attrs kwargs, const Type* type = nullptr,
                       SourceSpan span = {});

// Orders the functions by name.
const Program* MakeProgram(Context* context, absl::string_view name,
                           std::vector<const Function*> functions,
                           Vars dynamic_dims = {});

}  // namespace mxtile::ir

#endif  // IR_BUILDER_H_
