#include "ir/builder.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace mxtile::ir {

FunctionBuilder::FunctionBuilder(Context* context, absl::string_view name,
                                 FunctionType type)
    : context_(context), frames_(1) {
  function_.name = context->Intern(name);
  function_.function_type = type;
  function_.level = DerivedLevel(type);
  function_.role = DerivedRole(type);
}

const Var* FunctionBuilder::Param(absl::string_view name, const Type* type,
                                  ParamDirection direction) {
  const Var* var = context_->NewVar(name, type);
  params_.push_back(var);
  directions_.push_back(direction);
  return var;
}

void FunctionBuilder::ReturnType(const Type* type) {
  return_types_.push_back(type);
}

void FunctionBuilder::FunctionAttr(absl::string_view name, AttrValue value) {
  attrs_.push_back({context_->Intern(name), value});
}

const Var* FunctionBuilder::Assign(absl::string_view name, const Expr* value,
                                   const Type* type) {
  struct Assign stmt;
  stmt.kind = StmtKind::kAssign;
  stmt.var = context_->NewVar(name, type != nullptr ? type : value->type);
  stmt.value = value;
  Append(context_->New(stmt));
  return stmt.var;
}

const Var* FunctionBuilder::AssignOp(absl::string_view name,
                                     absl::string_view op,
                                     std::vector<const Expr*> args,
                                     std::vector<Attr> kwargs,
                                     const Type* type) {
  return Assign(name, MakeOpCall(context_, op, args, kwargs, type));
}

const Var* FunctionBuilder::AssignCall(absl::string_view name,
                                       absl::string_view function,
                                       std::vector<const Expr*> args,
                                       const Type* type) {
  Call call;
  call.kind = ExprKind::kCall;
  call.type = type;
  call.callee = context_->GetFunction(function);
  call.args = context_->List(args);
  return Assign(name, context_->New(call));
}

void FunctionBuilder::Eval(const Expr* expr) {
  struct Eval stmt;
  stmt.kind = StmtKind::kEval;
  stmt.expr = expr;
  Append(context_->New(stmt));
}

void FunctionBuilder::BeginFor(
    absl::string_view loop_var, const Expr* start, const Expr* stop,
    const Expr* step,
    std::vector<std::pair<absl::string_view, const Expr*>> carried,
    LoopKind kind) {
  std::vector<const IterArg*> iter_args;
  for (const auto& [name, init] : carried) {
    iter_args.push_back(context_->NewIterArg(name, init->type, init));
  }
  Frame frame;
  frame.loop.kind = StmtKind::kFor;
  frame.loop.loop_kind = kind;
  frame.loop.loop_var =
      context_->NewVar(loop_var, LoopVarType(start, stop, step));
  frame.loop.start = start;
  frame.loop.stop = stop;
  frame.loop.step = step;
  frame.loop.iter_args = context_->List(iter_args);
  frames_.push_back(std::move(frame));
}

void FunctionBuilder::BeginFor(absl::string_view loop_var, int64_t start,
                               int64_t stop, int64_t step) {
  BeginFor(loop_var, context_->Index(start), context_->Index(stop),
           context_->Index(step));
}

const Var* FunctionBuilder::loop_var() const {
  for (auto it = frames_.rbegin(); it != frames_.rend(); ++it) {
    if (it->loop.loop_var != nullptr) return it->loop.loop_var;
  }
  MX_CHECK(false) << "no open loop";
  return nullptr;
}

const IterArg* FunctionBuilder::iter_arg(size_t index) const {
  for (auto it = frames_.rbegin(); it != frames_.rend(); ++it) {
    if (it->loop.loop_var != nullptr) return it->loop.iter_args[index];
  }
  MX_CHECK(false) << "no open loop";
  return nullptr;
}

void FunctionBuilder::AppendYield(const std::vector<const Expr*>& values) {
  if (values.empty()) return;
  Yield yield;
  yield.kind = StmtKind::kYield;
  yield.values = context_->List(values);
  Append(context_->New(yield));
}

Vars FunctionBuilder::ResultVars(const std::vector<const Expr*>& values,
                                 const std::vector<absl::string_view>& names) {
  MX_CHECK(values.size() == names.size()) << "one name a yielded value";
  std::vector<const Var*> vars;
  for (size_t i = 0; i < values.size(); ++i) {
    vars.push_back(context_->NewVar(names[i], values[i]->type));
  }
  return context_->List(vars);
}

std::vector<const Var*> FunctionBuilder::EndFor(
    std::vector<const Expr*> values, std::vector<absl::string_view> names) {
  MX_CHECK(frames_.back().loop.loop_var != nullptr) << "no open loop";
  AppendYield(values);
  For loop = frames_.back().loop;
  loop.body = context_->List(frames_.back().stmts);
  loop.return_vars = ResultVars(values, names);
  MX_CHECK(loop.return_vars.size() == loop.iter_args.size());
  frames_.pop_back();
  Append(context_->New(loop));
  return {loop.return_vars.begin(), loop.return_vars.end()};
}

void FunctionBuilder::BeginIf(const Expr* condition) {
  Frame frame;
  frame.branch.kind = StmtKind::kIf;
  frame.branch.condition = condition;
  frames_.push_back(std::move(frame));
}

void FunctionBuilder::BeginElse(std::vector<const Expr*> then_values) {
  AppendYield(then_values);
  Frame& frame = frames_.back();
  MX_CHECK(frame.branch.condition != nullptr && !frame.in_else) << "no open if";
  frame.branch.then_body = context_->List(frame.stmts);
  frame.stmts.clear();
  frame.in_else = true;
}

std::vector<const Var*> FunctionBuilder::EndIf(
    std::vector<const Expr*> values, std::vector<absl::string_view> names) {
  AppendYield(values);
  Frame& frame = frames_.back();
  MX_CHECK(frame.branch.condition != nullptr) << "no open if";
  If branch = frame.branch;
  (frame.in_else ? branch.else_body : branch.then_body) =
      context_->List(frame.stmts);
  branch.return_vars = ResultVars(values, names);
  frames_.pop_back();
  Append(context_->New(branch));
  return {branch.return_vars.begin(), branch.return_vars.end()};
}

void FunctionBuilder::Return(std::vector<const Expr*> values) {
  struct Return stmt;
  stmt.kind = StmtKind::kReturn;
  stmt.values = context_->List(values);
  Append(context_->New(stmt));
}

const Function* FunctionBuilder::Build() {
  MX_CHECK(frames_.size() == 1) << "a loop or if is still open";
  function_.params = context_->List(params_);
  function_.directions = context_->List(directions_);
  function_.return_types = context_->List(return_types_);
  function_.attrs = context_->List(attrs_);
  function_.body = context_->List(frames_.back().stmts);
  return context_->New(function_);
}

const Type* LoopVarType(const Expr* start, const Expr* stop, const Expr* step) {
  for (const Expr* bound : {start, stop, step}) {
    const ScalarType* type = DynCast<ScalarType>(bound->type);
    if (type == nullptr || type->dtype != DataType::kIndex) return bound->type;
  }
  return start->type;
}

const Call* MakeOpCall(Context* context, absl::string_view op, Exprs args,
                       Attrs kwargs, const Type* type, SourceSpan span) {
  Call call;
  call.kind = ExprKind::kCall;
  call.callee = context->GetOp(op);
  call.args = context->List(args);
  call.kwargs = context->List(kwargs);
  call.span = span;
  call.type = type;
  const OpDef* def = call.callee->def;
  if (type == nullptr && def != nullptr && def->deduce) {
    absl::StatusOr<const Type*> deduced =
        def->deduce({def, call.args, call.kwargs}, *context);
    MX_CHECK(deduced.ok()) << deduced.status().ToString();
    call.type = *deduced;
  }
  MX_CHECK(call.type != nullptr) << op << " needs a type";
  return context->New(call);
}

const Program* MakeProgram(Context* context, absl::string_view name,
                           std::vector<const Function*> functions,
                           Vars dynamic_dims) {
  std::sort(
      functions.begin(), functions.end(),
      [](const Function* a, const Function* b) { return a->name < b->name; });
  Program program;
  program.name = context->Intern(name);
  program.functions = context->List(functions);
  program.dynamic_dims = context->List(dynamic_dims);
  return context->New(program);
}

}  // namespace mxtile::ir
