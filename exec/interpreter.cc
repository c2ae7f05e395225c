#include "exec/interpreter.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "exec/scalar.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr_walk.h"
#include "ir/rule_error.h"

namespace mxtile::exec {
namespace {

using ir::CheckedCast;
using ir::DynCast;
using ir::ExprKind;
using ir::StmtKind;

ir::DataType ScalarDtype(const ir::Type* type) {
  const ir::ScalarType* scalar = DynCast<ir::ScalarType>(type);
  return scalar != nullptr ? scalar->dtype : ir::DataType::kIndex;
}

// Of the operands. A bare literal has the type of the other one.
ir::DataType OperandDtype(const ir::Binary& binary) {
  const ir::ConstInt* literal = ir::AsConstInt(binary.lhs);
  const bool bare =
      literal != nullptr && literal->dtype() == ir::DataType::kIndex;
  return ScalarDtype(bare ? binary.rhs->type : binary.lhs->type);
}

// Whether the value is of the kind that the type states.
bool Fits(const Value& value, const ir::Type& type) {
  switch (type.kind) {
    case ir::TypeKind::kScalar: {
      const ir::DataType dtype = ScalarDtype(&type);
      if (dtype == ir::DataType::kBool) return value.is_bool();
      return ir::IsFloat(dtype) ? value.is_float() : value.is_int();
    }
    case ir::TypeKind::kTensor:
    case ir::TypeKind::kDistributedTensor:
    case ir::TypeKind::kTile:
      return value.is_object();
    case ir::TypeKind::kTuple:
      return value.is_tuple();
    default:
      return true;
  }
}

std::string KindText(const ir::Type& type) {
  if (type.kind == ir::TypeKind::kScalar) {
    return std::string(ir::DataTypeName(ScalarDtype(&type)));
  }
  if (ir::Isa<ir::TensorType>(&type)) return "a tensor";
  if (ir::Isa<ir::TileType>(&type)) return "a tile";
  return type.kind == ir::TypeKind::kTuple ? "a tuple" : "of another kind";
}

// Nobody before the interpreter compares what a call passes, a function
// returns, a loop carries and a mixed expression yields with the types stated
// for it.
absl::Status CheckFits(absl::string_view what, const Value& value,
                       const ir::Type& from, const ir::Type& to) {
  if (Fits(value, to) && from.kind == to.kind) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ",
                   value.is_float() ? std::string("a floating-point number")
                                    : KindText(from),
                   ", it must be ", KindText(to)));
}

ir::SourceSpan Place(const ir::Expr& expr, const ir::Stmt& stmt) {
  return expr.span.known() ? expr.span : stmt.span;
}

absl::Status CheckBlockCount(int64_t blocks, const ir::Function& function) {
  if (blocks > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", function.name, "' is launched on ", blocks, " cores"));
}

absl::StatusOr<bool> Truth(const Value& condition) {
  if (condition.is_bool()) return condition.AsBool();
  if (condition.is_int()) return condition.AsInt() != 0;
  return absl::InvalidArgumentError("a condition is BOOL or an integer");
}

bool IsReported(const absl::Status& status) {
  return status.GetPayload(kReportedPayload).has_value();
}

}  // namespace

Interpreter::Interpreter(const ir::Program& program, Backend* backend,
                         ir::DiagnosticSink* sink,
                         absl::flat_hash_map<std::string, int64_t> dynamic_dims)
    : program_(program),
      backend_(backend),
      sink_(sink),
      dynamic_dims_(std::move(dynamic_dims)) {}

absl::StatusOr<std::vector<Value>> Interpreter::Run(
    const ir::Function& function, std::vector<Value> args) {
  return RunBlocks(function, std::move(args), BlockPosition{}, {});
}

namespace {

// The blocks that the attributes ask for, nullopt for none.
absl::StatusOr<std::optional<int64_t>> CoreNum(ir::Attrs attrs) {
  const ir::AttrValue* cores = ir::FindAttr(attrs, "core_num");
  if (cores == nullptr) return std::nullopt;
  if (cores->kind == ir::AttrValue::Kind::kInt) return cores->int_value;
  return absl::UnimplementedError(
      "a core_num attribute that is no constant cannot be run");
}

// As the parameter holds it: an integer has the width of its type.
Value AsParameter(const Value& value, const ir::Type* type) {
  const auto* scalar = DynCast<ir::ScalarType>(type);
  if (scalar == nullptr || !value.is_int()) return value;
  if (scalar->dtype == ir::DataType::kBool) return Value(value.AsInt() != 0);
  return ir::IsInteger(scalar->dtype)
             ? Value(WrapToWidth(value.AsInt(), scalar->dtype))
             : value;
}

}  // namespace

absl::StatusOr<std::vector<Value>> Interpreter::RunBlocks(
    const ir::Function& function, std::vector<Value> args, BlockPosition outer,
    ir::Attrs call_attrs) {
  for (size_t i = 0; i < std::min(args.size(), function.params.size()); ++i) {
    args[i] = AsParameter(args[i], function.params[i]->type);
  }
  MX_ASSIGN_OR_RETURN(std::optional<int64_t> cores, CoreNum(function.attrs));
  if (!cores.has_value()) {
    MX_ASSIGN_OR_RETURN(cores, CoreNum(call_attrs));
  }
  if (!cores.has_value()) return RunBody(function, args, outer);
  const int64_t blocks = *cores;
  MX_RETURN_IF_ERROR(CheckBlockCount(blocks, function));
  std::vector<Value> results;
  backend_->BeginParallel();
  for (int64_t i = 0; i < blocks; ++i) {
    backend_->BeginRound();
    MX_ASSIGN_OR_RETURN(results,
                        RunBody(function, args, BlockPosition{i, blocks}));
  }
  MX_RETURN_IF_ERROR(backend_->EndParallel());
  return results;
}

absl::StatusOr<std::vector<Value>> Interpreter::RunBody(
    const ir::Function& function, const std::vector<Value>& args,
    BlockPosition block) {
  if (args.size() != function.params.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "function '", function.name, "' has ", function.params.size(),
        " parameters, got ", args.size(), " arguments"));
  }
  Frame frame;
  frame.function = &function;
  frame.block = block;
  for (const ir::Var* dim : program_.dynamic_dims) {
    const auto it = dynamic_dims_.find(dim->name);
    if (it != dynamic_dims_.end()) frame.env[dim] = Value(it->second);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const ir::Var* param = function.params[i];
    MX_RETURN_IF_ERROR(CheckFits(absl::StrCat("argument '", param->name, "'"),
                                 args[i], *param->type, *param->type));
    frame.env[param] = args[i];
  }
  MX_ASSIGN_OR_RETURN(absl::optional<std::vector<Value>> results,
                      backend_->RunFunction(function, args, block));
  if (results.has_value()) return *std::move(results);
  MX_RETURN_IF_ERROR(RunBlock(function.body, frame).status());
  // A function that states no returns may have some: nobody can use them.
  const size_t stated = function.return_types.size();
  if (stated != 0 && frame.returned.size() != stated) {
    return Report(absl::InvalidArgumentError(absl::StrCat(
                      "function '", function.name, "' states ", stated,
                      " returned values and returned ", frame.returned.size())),
                  function.span);
  }
  return std::move(frame.returned);
}

// ---- Statements

absl::StatusOr<Interpreter::Flow> Interpreter::RunBlock(ir::Block block,
                                                        Frame& frame) {
  for (const ir::Stmt* stmt : block) {
    MX_ASSIGN_OR_RETURN(const Flow flow, RunStmt(*stmt, frame));
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunStmt(const ir::Stmt& stmt,
                                                       Frame& frame) {
  const auto eval_all = [&](ir::Exprs exprs,
                            std::vector<Value>* out) -> absl::Status {
    std::vector<Value> values;
    for (const ir::Expr* expr : exprs) {
      MX_ASSIGN_OR_RETURN(Value value, Eval(expr, expr->type, stmt, frame));
      values.push_back(std::move(value));
    }
    *out = std::move(values);
    return absl::OkStatus();
  };
  switch (stmt.kind) {
    case StmtKind::kAssign: {
      const auto* assign = CheckedCast<ir::Assign>(&stmt);
      MX_ASSIGN_OR_RETURN(Value value,
                          Eval(assign->value, assign->var->type, stmt, frame));
      frame.env[assign->var] = std::move(value);
      return Flow::kNext;
    }
    case StmtKind::kEval: {
      const ir::Expr* expr = CheckedCast<ir::Eval>(&stmt)->expr;
      MX_RETURN_IF_ERROR(Eval(expr, expr->type, stmt, frame).status());
      return Flow::kNext;
    }
    case StmtKind::kIf:
      return RunIf(*CheckedCast<ir::If>(&stmt), frame);
    case StmtKind::kFor:
      return RunFor(*CheckedCast<ir::For>(&stmt), frame);
    case StmtKind::kWhile:
      return RunWhile(*CheckedCast<ir::While>(&stmt), frame);
    case StmtKind::kYield:
      frame.yield = CheckedCast<ir::Yield>(&stmt);
      MX_RETURN_IF_ERROR(eval_all(frame.yield->values, &frame.yielded));
      return Flow::kYield;
    case StmtKind::kReturn: {
      const auto* ret = CheckedCast<ir::Return>(&stmt);
      MX_RETURN_IF_ERROR(eval_all(ret->values, &frame.returned));
      MX_RETURN_IF_ERROR(CheckReturned(*ret, frame));
      return Flow::kReturn;
    }
    case StmtKind::kScope:
      return Report(
          absl::UnimplementedError(
              "a scope is not run: make its body a function and call that"),
          stmt.span);
    case StmtKind::kBreak:
      return Flow::kBreak;
    case StmtKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNext;
}

absl::Status Interpreter::CheckReturned(const ir::Return& ret,
                                        const Frame& frame) {
  const auto types = frame.function->return_types;
  for (size_t i = 0; i < std::min(types.size(), ret.values.size()); ++i) {
    const absl::Status fits = CheckFits("the returned value", frame.returned[i],
                                        *ret.values[i]->type, *types[i]);
    if (!fits.ok()) return Report(fits, Place(*ret.values[i], ret));
  }
  return absl::OkStatus();
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunIf(const ir::If& branch,
                                                     Frame& frame) {
  MX_ASSIGN_OR_RETURN(const bool taken,
                      EvalCondition(branch.condition, branch, frame));
  MX_ASSIGN_OR_RETURN(
      const Flow flow,
      RunBlock(taken ? branch.then_body : branch.else_body, frame));
  if (flow != Flow::kYield) return flow;
  if (frame.yielded.size() < branch.return_vars.size()) {
    return Report(absl::InvalidArgumentError(
                      "the branch yields fewer values than the if has results"),
                  frame.yield->span);
  }
  for (size_t i = 0; i < branch.return_vars.size(); ++i) {
    frame.env[branch.return_vars[i]] = frame.yielded[i];
  }
  // A yield in a branch without results belongs to the loop around it.
  return branch.return_vars.empty() ? Flow::kYield : Flow::kNext;
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunRound(
    ir::Block body, absl::Span<const ir::IterArg* const> iter_args,
    Frame& frame) {
  MX_ASSIGN_OR_RETURN(const Flow flow, RunBlock(body, frame));
  if (flow != Flow::kYield) return flow;
  const ir::Yield& yield = *frame.yield;
  for (size_t i = 0; i < iter_args.size(); ++i) {
    const absl::Status fits =
        i < frame.yielded.size()
            ? CheckFits(absl::StrCat("what '", iter_args[i]->name, "' becomes"),
                        frame.yielded[i], *yield.values[i]->type,
                        *iter_args[i]->type)
            : absl::InvalidArgumentError(absl::StrCat(
                  "'", iter_args[i]->name, "' is carried and not yielded"));
    if (!fits.ok()) return Report(fits, yield.span);
    frame.env[iter_args[i]] = frame.yielded[i];
  }
  return Flow::kNext;
}

void Interpreter::BindResults(ir::Vars results,
                              absl::Span<const ir::IterArg* const> iter_args,
                              Frame& frame) {
  for (size_t i = 0; i < results.size(); ++i) {
    Value value = frame.env[iter_args[i]];
    frame.env[results[i]] = std::move(value);
  }
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunFor(const ir::For& loop,
                                                      Frame& frame) {
  int64_t bounds[3];
  const ir::Expr* exprs[3] = {loop.start, loop.stop, loop.step};
  for (int i = 0; i < 3; ++i) {
    MX_ASSIGN_OR_RETURN(const Value value,
                        Eval(exprs[i], exprs[i]->type, loop, frame));
    bounds[i] = value.AsInt();
  }
  const auto [start, stop, step] = bounds;
  if (step == 0) {
    return Report(absl::InvalidArgumentError("the loop's step is 0"),
                  Place(*loop.step, loop));
  }
  for (const ir::IterArg* arg : loop.iter_args) {
    MX_ASSIGN_OR_RETURN(Value init, Eval(arg->init, arg->type, loop, frame));
    frame.env[arg] = std::move(init);
  }
  const bool is_parallel = loop.loop_kind == ir::LoopKind::kParallel;
  if (is_parallel) backend_->BeginParallel();
  Flow flow = Flow::kNext;
  for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
    if (is_parallel) backend_->BeginRound();
    frame.env[loop.loop_var] = Value(i);
    MX_ASSIGN_OR_RETURN(flow, RunRound(loop.body, loop.iter_args, frame));
    if (flow == Flow::kReturn || flow == Flow::kBreak) break;
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  if (is_parallel) {
    const absl::Status ended = backend_->EndParallel();
    if (!ended.ok()) return Report(ended, loop.span);
  }
  if (flow == Flow::kReturn) return flow;
  BindResults(loop.return_vars, loop.iter_args, frame);
  return Flow::kNext;
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunWhile(const ir::While& loop,
                                                        Frame& frame) {
  for (const ir::IterArg* arg : loop.iter_args) {
    MX_ASSIGN_OR_RETURN(Value init, Eval(arg->init, arg->type, loop, frame));
    frame.env[arg] = std::move(init);
  }
  while (true) {
    MX_ASSIGN_OR_RETURN(const bool goes_on,
                        EvalCondition(loop.condition, loop, frame));
    if (!goes_on) break;
    MX_ASSIGN_OR_RETURN(const Flow flow,
                        RunRound(loop.body, loop.iter_args, frame));
    if (flow == Flow::kReturn) return flow;
    if (flow == Flow::kBreak) break;
  }
  BindResults(loop.return_vars, loop.iter_args, frame);
  return Flow::kNext;
}

// ---- Expressions

absl::StatusOr<bool> Interpreter::EvalCondition(const ir::Expr* condition,
                                                const ir::Stmt& stmt,
                                                Frame& frame) {
  MX_ASSIGN_OR_RETURN(const Value value,
                      Eval(condition, condition->type, stmt, frame));
  absl::StatusOr<bool> truth = Truth(value);
  if (!truth.ok()) return Report(truth.status(), Place(*condition, stmt));
  return truth;
}

absl::Status Interpreter::Report(const absl::Status& status,
                                 ir::SourceSpan place) {
  if (IsReported(status)) return status;
  ir::Diagnostic& diagnostic =
      sink_->Error(ir::RuleOf(status), place, status.message());
  for (auto it = calls_.rbegin(); it != calls_.rend(); ++it) {
    diagnostic.AddNote(it->span,
                       absl::StrCat("in the call of '", it->callee->name, "'"));
  }
  absl::Status reported = status;
  reported.SetPayload(kReportedPayload, absl::Cord());
  return reported;
}

absl::StatusOr<Value> Interpreter::Eval(const ir::Expr* root,
                                        const ir::Type* result_type,
                                        const ir::Stmt& stmt, Frame& frame) {
  // Operands come first: a node's operands are the last entries of `done`.
  std::vector<Value> done;
  absl::Status status;
  ir::PostOrder(root, [&](const ir::Expr* expr) {
    if (!status.ok()) return;
    size_t count = 0;
    ir::ForEachOperand(*expr, [&count](const ir::Expr*) { ++count; });
    const size_t first = done.size() - count;
    absl::StatusOr<Value> value =
        EvalNode(*expr, expr == root ? result_type : expr->type,
                 absl::MakeConstSpan(done).subspan(first), frame);
    if (!value.ok()) {
      status = Report(value.status(), Place(*expr, stmt));
      return;
    }
    done.resize(first);
    done.push_back(*std::move(value));
  });
  MX_RETURN_IF_ERROR(status);
  return std::move(done[0]);
}

absl::StatusOr<Value> Interpreter::EvalNode(const ir::Expr& expr,
                                            const ir::Type* result_type,
                                            absl::Span<const Value> operands,
                                            Frame& frame) {
  switch (expr.kind) {
    case ExprKind::kVar:
    case ExprKind::kIterArg: {
      const ir::Var* var = CheckedCast<ir::Var>(&expr);
      const auto it = frame.env.find(var);
      if (it != frame.env.end()) return it->second;
      return absl::InvalidArgumentError(
          absl::StrCat("'", var->name, "' has no value"));
    }
    case ExprKind::kConstInt:
      return Value(CheckedCast<ir::ConstInt>(&expr)->value);
    case ExprKind::kConstFloat:
      return Value(CheckedCast<ir::ConstFloat>(&expr)->value);
    case ExprKind::kConstBool:
      return Value(CheckedCast<ir::ConstBool>(&expr)->value);
    case ExprKind::kCall: {
      const ir::Call* call = CheckedCast<ir::Call>(&expr);
      const absl::Span<const Value> args =
          operands.subspan(0, call->args.size());
      if (call->callee->is_function) {
        MX_RETURN_IF_ERROR(CheckArgs(*call->callee, call->args, args));
        return CallFunction(expr, frame, args);
      }
      return backend_->EvalOp(*call, result_type, args, frame.block);
    }
    case ExprKind::kSubmit:
      return RunSubmit(*CheckedCast<ir::Submit>(&expr), frame, operands);
    case ExprKind::kTuple:
      return Value(std::vector<Value>(operands.begin(), operands.end()));
    case ExprKind::kTupleItem: {
      const auto index = CheckedCast<ir::TupleItem>(&expr)->index;
      const std::vector<Value>& items = operands[0].AsTuple();
      if (index < static_cast<int64_t>(items.size())) return items[index];
      return absl::InvalidArgumentError(absl::StrCat(
          "item ", index, " of a tuple of ", items.size(), " items"));
    }
    case ExprKind::kBinary: {
      const ir::Binary* binary = CheckedCast<ir::Binary>(&expr);
      MX_ASSIGN_OR_RETURN(Value value,
                          EvalBinary(binary->op, operands[0], operands[1],
                                     OperandDtype(*binary)));
      MX_RETURN_IF_ERROR(
          CheckFits("the result", value, *expr.type, *expr.type));
      return value;
    }
    case ExprKind::kUnary:
      return EvalUnary(CheckedCast<ir::Unary>(&expr)->op, operands[0],
                       ScalarDtype(expr.type));
    case ExprKind::kCast:
      return EvalCast(operands[0],
                      ScalarDtype(CheckedCast<ir::Cast>(&expr)->operand->type),
                      ScalarDtype(expr.type));
  }
  return absl::InternalError("expression of unknown kind");
}

// ---- Calls

absl::Status Interpreter::CheckArgs(const ir::Callee& callee, ir::Exprs args,
                                    absl::Span<const Value> values) const {
  const ir::Function* function = program_.Find(callee.name);
  if (function == nullptr) return absl::OkStatus();  // Told by CallFunction.
  // The arguments of a launch that leaves some out end in contexts, which are
  // compared with nothing.
  for (size_t i = 0; i < std::min(args.size(), function->params.size()); ++i) {
    if (args[i]->type->kind == ir::TypeKind::kCommCtx) break;
    const ir::Var* param = function->params[i];
    MX_RETURN_IF_ERROR(CheckFits(absl::StrCat("argument '", param->name, "'"),
                                 values[i], *args[i]->type, *param->type));
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Interpreter::CallFunction(
    const ir::Expr& expr, Frame& frame, absl::Span<const Value> operands) {
  const ir::Call* call = DynCast<ir::Call>(&expr);
  const ir::Callee* callee =
      call != nullptr ? call->callee : CheckedCast<ir::Submit>(&expr)->callee;
  const ir::Function* function = program_.Find(callee->name);
  if (function == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program has no function '", callee->name, "'"));
  }
  if (calls_.size() >= kMaxCallDepth) {
    return absl::InvalidArgumentError(absl::StrCat(
        "calls are nested deeper than ", kMaxCallDepth, ": recursion?"));
  }
  calls_.push_back({expr.span, function});
  absl::Cleanup pop = [this] { calls_.pop_back(); };

  // A launch's own core_num is what its blocks come from.
  const ir::Attrs attrs = call != nullptr ? call->attrs : ir::Attrs();
  MX_ASSIGN_OR_RETURN(std::vector<Value> results,
                      RunBlocks(*function, {operands.begin(), operands.end()},
                                frame.block, attrs));
  if (results.size() == 1) return results[0];
  return results.empty() ? Value() : Value(std::move(results));
}

absl::StatusOr<Value> Interpreter::RunSubmit(const ir::Submit& submit,
                                             Frame& frame,
                                             absl::Span<const Value> operands) {
  const ir::Function* function = program_.Find(submit.callee->name);
  if (function == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the program has no function '", submit.callee->name, "'"));
  }
  const size_t args = submit.args.size();
  const size_t params = function->params.size();
  size_t suffix = 0;  // Trailing communication contexts.
  while (suffix < params && function->params[params - 1 - suffix]->type->kind ==
                                ir::TypeKind::kCommCtx) {
    ++suffix;
  }
  if (args > params || args < suffix) {
    return absl::InvalidArgumentError(
        absl::StrCat("the launch of '", function->name, "' has ", args,
                     " arguments for ", params, " parameters"));
  }
  MX_RETURN_IF_ERROR(
      CheckArgs(*submit.callee, submit.args, operands.subspan(0, args)));
  std::vector<Value> all(operands.begin(), operands.begin() + (args - suffix));
  while (all.size() + suffix < params) {
    const ir::Var* param = function->params[all.size()];
    const auto* tensor = DynCast<ir::TensorType>(param->type);
    if (tensor == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("the launch of '", function->name, "' leaves out '",
                       param->name, "', which is no tensor"));
    }
    MX_ASSIGN_OR_RETURN(Value created,
                        backend_->CreateTensor(*tensor, param->name));
    all.push_back(std::move(created));
  }
  all.insert(all.end(), operands.begin() + (args - suffix),
             operands.begin() + args);

  int64_t blocks = 1;
  size_t next = args + submit.deps.size();
  if (submit.core_num != nullptr) {
    if (!operands[next].is_int()) {
      return absl::InvalidArgumentError("core_num is no integer");
    }
    blocks = operands[next++].AsInt();
  }
  MX_RETURN_IF_ERROR(CheckBlockCount(blocks, *function));
  if (submit.predicate != nullptr) {
    MX_ASSIGN_OR_RETURN(const bool launched, Truth(operands[next]));
    if (!launched) {
      return absl::UnimplementedError(absl::StrCat(
          "the launch of '", function->name,
          "' has a predicate that does not hold; what its outputs are then is "
          "not known"));
    }
  }
  const BlockPosition outer = frame.block;
  std::vector<Value> items;
  if (submit.core_num != nullptr) backend_->BeginParallel();
  for (int64_t i = 0; i < blocks; ++i) {
    if (submit.core_num != nullptr) {
      backend_->BeginRound();
      frame.block = {i, blocks};
    }
    absl::StatusOr<Value> result = CallFunction(submit, frame, all);
    frame.block = outer;
    MX_RETURN_IF_ERROR(result.status());
    if (result->is_tuple() && function->return_types.size() > 1) {
      items = result->AsTuple();
    } else {
      items.assign(function->return_types.size(), *result);
    }
  }
  if (submit.core_num != nullptr) {
    MX_RETURN_IF_ERROR(backend_->EndParallel());
  }
  items.push_back(Value(int64_t{0}));  // The task's id.
  return Value(std::move(items));
}

}  // namespace mxtile::exec
