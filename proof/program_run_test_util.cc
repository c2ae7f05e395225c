#include "proof/program_run_test_util.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/goal.h"
#include "proof/value_range.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using ir::DataType;
using ir::Expr;
using ir::Var;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

DataType TypeOf(const Expr& expr) { return *ScalarDataType(expr); }

// The low bits, as the type reads them.
Integer Wrapped(Integer exact, DataType type) {
  const int bits = ir::BitWidth(type);
  const Integer low = exact & ((Integer{1} << bits) - 1);
  const bool negative = ir::IsSignedInteger(type) && (low >> (bits - 1)) != 0;
  return negative ? low - (Integer{1} << bits) : low;
}

}  // namespace

bool HoldsFor(const Goal& goal, Integer value) {
  return goal.is_sign() ? value >= 0 : value % goal.divisor == 0;
}

void ProgramRun::Call(
    const ir::Function& function,
    const absl::flat_hash_map<const Var*, int64_t>& host_values,
    int max_steps) {
  values_.clear();
  exact_.clear();
  overflowed_.clear();
  host_values_ = &host_values;
  frame_.clear();
  depth_ = 0;
  steps_ = 0;
  max_steps_ = max_steps;
  stopped_ = false;
  rounds_down_ = random_.OneIn(2);
  converts_operands_ = random_.OneIn(2);
  CallWith(function, {});
}

const std::vector<Integer>& ProgramRun::ValuesOf(const Expr* expr) const {
  static const auto& none = *new std::vector<Integer>();
  const auto it = values_.find(expr);
  return it == values_.end() ? none : it->second;
}

const ProgramRun::Extent* ProgramRun::ExactOf(const Expr* expr) const {
  const auto it = exact_.find(expr);
  return it == exact_.end() ? nullptr : &it->second;
}

Integer ProgramRun::Anything(const Expr& expr) {
  static const auto& values = *new std::vector<int64_t>{
      -64, -17, -16, -3, -1,  0,   1,   2,    7,    8,        15,
      16,  31,  32,  64, 100, 127, 255, kMax, kMin, kMax - 15};
  return Wrapped(random_.Pick(values), TypeOf(expr));
}

void ProgramRun::CallWith(const ir::Function& function, const Frame& args) {
  constexpr int kMaxCallDepth = 5;
  if (depth_ == kMaxCallDepth) {
    stopped_ = true;
    return;
  }
  ++depth_;
  Frame outer;
  std::swap(outer, frame_);
  for (const Var* param : function.params) {
    const auto it = args.find(param);
    const auto host = host_values_->find(param);
    if (it != args.end()) {
      Bind(param, it->second);
    } else if (host != host_values_->end()) {
      Bind(param, host->second);
    } else {
      Bind(param, Anything(*param));
    }
  }
  RunBlock(function.body);
  std::swap(outer, frame_);
  --depth_;
}

// Returns the values that the block yields.
std::vector<Integer> ProgramRun::RunBlock(ir::Block block) {
  std::vector<Integer> yielded;
  for (const ir::Stmt* stmt : block) {
    if (++steps_ > max_steps_) stopped_ = true;
    if (stopped_) return {};
    switch (stmt->kind) {
      case ir::StmtKind::kAssign:
        RunAssign(*static_cast<const ir::Assign*>(stmt));
        break;
      case ir::StmtKind::kEval: {
        const auto* call =
            ir::CheckedCast<ir::Call>(static_cast<const ir::Eval*>(stmt)->expr);
        RunCall(*call->callee, call->args, /*may_leave_out=*/false);
        break;
      }
      case ir::StmtKind::kIf:
        RunIf(*static_cast<const ir::If*>(stmt));
        break;
      case ir::StmtKind::kFor:
        RunFor(*static_cast<const ir::For*>(stmt));
        break;
      case ir::StmtKind::kYield:
        for (const Expr* e : static_cast<const ir::Yield*>(stmt)->values) {
          yielded.push_back(Eval(e));
        }
        break;
      default:
        MX_CHECK(false) << "the generator makes no such statement";
    }
  }
  return stopped_ ? std::vector<Integer>() : yielded;
}

void ProgramRun::RunAssign(const ir::Assign& assign) {
  if (const auto* submit = ir::DynCast<ir::Submit>(assign.value)) {
    return RunCall(*submit->callee, submit->args, /*may_leave_out=*/true);
  }
  const Integer value = Eval(assign.value);
  if (!stopped_) Bind(assign.var, value);
}

void ProgramRun::RunIf(const ir::If& branch) {
  const auto* condition = ir::CheckedCast<ir::Binary>(branch.condition);
  const Integer lhs = Eval(condition->lhs), rhs = Eval(condition->rhs);
  if (stopped_) return;
  BindAll(branch.return_vars,
          RunBlock(lhs < rhs ? branch.then_body : branch.else_body));
}

void ProgramRun::RunFor(const ir::For& loop) {
  const Integer start = Eval(loop.start), stop = Eval(loop.stop);
  const int64_t step = ir::AsConstInt(loop.step)->value;
  std::vector<Integer> carried;
  for (const ir::IterArg* arg : loop.iter_args) {
    carried.push_back(Eval(arg->init));
  }
  if (stopped_) return;
  for (Integer i = start; step > 0 ? i < stop : i > stop; i += step) {
    // The body may be empty.
    if (++steps_ > max_steps_) stopped_ = true;
    if (stopped_) return;
    Bind(loop.loop_var, i);
    for (size_t n = 0; n < carried.size(); ++n) {
      Bind(loop.iter_args[n], carried[n]);
    }
    carried = RunBlock(loop.body);
    if (stopped_) return;
  }
  BindAll(loop.return_vars, carried);
}

void ProgramRun::RunCall(const ir::Callee& callee, ir::Exprs args,
                         bool may_leave_out) {
  const ir::Function* function = program_.Find(callee.name);
  const size_t params = function->params.size();
  Frame values;
  if (args.size() == params || (may_leave_out && args.size() < params)) {
    for (size_t n = 0; n < args.size(); ++n) {
      values[function->params[n]] = Eval(args[n]);
    }
  }
  if (!stopped_) CallWith(*function, values);
}

void ProgramRun::Bind(const Var* var, Integer exact) {
  frame_[var] = Hold(*var, exact);
  Keep(var, frame_[var]);
}

void ProgramRun::BindAll(ir::Vars vars, const std::vector<Integer>& values) {
  if (stopped_) return;
  MX_CHECK(vars.size() == values.size());
  for (size_t n = 0; n < vars.size(); ++n) Bind(vars[n], values[n]);
}

void ProgramRun::Keep(const Expr* expr, Integer value) {
  if (watched_ == nullptr || watched_->contains(expr)) {
    values_[expr].push_back(value);
  }
}

Integer ProgramRun::Hold(const Expr& expr, Integer exact) {
  const Integer held = Wrapped(exact, TypeOf(expr));
  if (held != exact) overflowed_.insert(&expr);
  if (watched_ != nullptr && !watched_->contains(&expr)) return held;
  const auto [it, is_new] = exact_.emplace(&expr, Extent{exact, exact});
  if (!is_new) {
    it->second.min = std::min(it->second.min, exact);
    it->second.max = std::max(it->second.max, exact);
  }
  return held;
}

Integer ProgramRun::Eval(const Expr* expr) {
  if (stopped_) return 0;
  const Integer value = EvalNew(*expr);
  if (stopped_) return 0;
  // Variables are kept where they are bound.
  if (!ir::Isa<Var>(expr)) Keep(expr, value);
  return value;
}

Integer ProgramRun::EvalNew(const Expr& expr) {
  if (const ir::ConstInt* constant = ir::AsConstInt(&expr)) {
    const Integer held = Hold(expr, constant->value);
    return converts_operands_ ? held : constant->value;
  }
  if (ir::Isa<Var>(&expr)) {
    const auto it = frame_.find(ir::DynCast<Var>(&expr));
    MX_CHECK(it != frame_.end());
    return it->second;
  }
  if (const auto* call = ir::DynCast<ir::Call>(&expr)) {
    if (call->callee->def == nullptr) return Anything(expr);
    return random_.OneIn(10) ? kDefaultBlockLimit - random_.Below(2)
                             : random_.Below(20);
  }
  if (const auto* cast = ir::DynCast<ir::Cast>(&expr)) {
    return Hold(expr, Eval(cast->operand));
  }
  if (const auto* unary = ir::DynCast<ir::Unary>(&expr)) {
    return Hold(expr, -Eval(unary->operand));
  }
  return EvalBinary(*ir::CheckedCast<ir::Binary>(&expr));
}

Integer ProgramRun::EvalBinary(const ir::Binary& binary) {
  const Integer a = Eval(binary.lhs), b = Eval(binary.rhs);
  if (stopped_) return 0;
  switch (binary.op) {
    case BinaryOp::kAdd:
      return Hold(binary, a + b);
    case BinaryOp::kSub:
      return Hold(binary, a - b);
    case BinaryOp::kMul: {
      Integer product = 0;
      // Of two UINT64: modulo 2^128 will do.
      if (__builtin_mul_overflow(a, b, &product)) overflowed_.insert(&binary);
      return Hold(binary, product);
    }
    default:
      break;
  }
  // Here it matters when an operand of another type is converted.
  const Integer held_a = Hold(binary, a), held_b = Hold(binary, b);
  const Integer left = converts_operands_ ? held_a : a;
  const Integer right = converts_operands_ ? held_b : b;
  switch (binary.op) {
    case BinaryOp::kMin:
      return Hold(binary, std::min(left, right));
    case BinaryOp::kMax:
      return Hold(binary, std::max(left, right));
    default:
      return Hold(binary, Divide(binary.op, left, right));
  }
}

Integer ProgramRun::Divide(BinaryOp op, Integer a, Integer b) {
  if (b == 0) {
    stopped_ = true;
    return 0;
  }
  Integer quotient = a / b;
  if (rounds_down_ && a % b != 0 && (a < 0) != (b < 0)) --quotient;
  if (op == BinaryOp::kFloorDiv) return quotient;
  MX_CHECK(op == BinaryOp::kFloorMod);
  return a - quotient * b;
}

}  // namespace mxtile::proof
