#include "proof/random_program_test_util.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "proof/value_range.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using ir::DataType;
using ir::Expr;
using ir::FunctionBuilder;
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

// ---- Programs

class Generator {
 public:
  Generator(TestIr* ir, Random* random) : ir_(*ir), random_(*random) {
    // Half of the programs are as most are: all INDEX, small numbers.
    plain_ = random_.OneIn(2);
  }

  const ir::Program* Run() {
    const int count = 1 + random_.Below(4);
    for (int n = 0; n < count; ++n) {
      Signature signature;
      signature.name = absl::StrCat("f", n);
      signature.params.resize(random_.Below(4));
      for (DataType& type : signature.params) type = SomeType();
      functions_.push_back(signature);
    }
    for (int n = 0; n < count; ++n) AddFunction(n);
    return ir_.Program();
  }

 private:
  struct Signature {
    std::string name;
    std::vector<DataType> params;
  };

  DataType SomeType() {
    static const auto& types = *new std::vector<DataType>{
        DataType::kIndex, DataType::kIndex,  DataType::kInt32,
        DataType::kInt32, DataType::kInt8,   DataType::kUInt8,
        DataType::kInt64, DataType::kUInt32, DataType::kUInt64};
    return plain_ ? DataType::kIndex : random_.Pick(types);
  }

  void AddFunction(int index) {
    index_ = index;
    scope_.clear();
    FunctionBuilder f = ir_.Function(functions_[index].name);
    for (const DataType type : functions_[index].params) {
      scope_.push_back(f.Param("p", ir_.context().GetScalarType(type)));
    }
    AddBlock(f, 0);
    ir_.Add(f);
  }

  void AddBlock(FunctionBuilder& f, int depth) {
    for (int n = 2 + random_.Below(5); n > 0; --n) AddStmt(f, depth);
  }

  void AddStmt(FunctionBuilder& f, int depth) {
    switch (random_.Below(depth < 2 ? 10 : 7)) {
      case 0:
        scope_.push_back(f.AssignOp("b", "tile.get_block_idx", {}));
        return;
      case 1:
        return AddCall(f);
      case 2:
        if (!random_.OneIn(4)) return AddCall(f);
        scope_.push_back(f.AssignOp("unknown", "tile.unknown", {}, {},
                                    ir_.context().GetScalarType(SomeType())));
        return;
      case 3:
      case 4:
      case 5:
      case 6:
        return AddAssign(f);
      case 7:
        return AddIf(f, depth);
      default:
        return AddLoop(f, depth);
    }
  }

  void AddAssign(FunctionBuilder& f) {
    const Expr* value = Value(3, SomeType());
    // Seldom, a variable of another type.
    const ir::Type* type = !plain_ && random_.OneIn(10)
                               ? ir_.context().GetScalarType(SomeType())
                               : value->type;
    scope_.push_back(f.Assign("v", value, type));
  }

  void AddIf(FunctionBuilder& f, int depth) {
    const size_t outer = scope_.size();
    const DataType type = SomeType();
    f.BeginIf(
        ir_.context().NewBinary(BinaryOp::kLt, Value(1, type), Value(1, type)));
    AddBlock(f, depth + 1);
    const Expr* then_value = Value(1, type);
    scope_.resize(outer);
    f.BeginElse({then_value});
    AddBlock(f, depth + 1);
    const Expr* else_value = Value(1, type);
    scope_.resize(outer);
    scope_.push_back(f.EndIf({else_value}, {"phi"})[0]);
  }

  void AddLoop(FunctionBuilder& f, int depth) {
    const DataType type = SomeType();
    const Expr* start = random_.OneIn(6) ? Value(1, type) : Constant(type);
    static const auto& steps =
        *new std::vector<int64_t>{1, 1, 2, 8, 16, 16, 32, 64, -1, -16};
    const int64_t step = random_.Pick(steps);
    const int rounds = random_.Below(4);
    const Expr* stop = nullptr;
    int64_t end = 0;
    const ir::ConstInt* constant = ir::AsConstInt(start);
    if (random_.OneIn(6)) {
      stop = Value(1, type);
    } else if (constant == nullptr) {
      stop = ir_.Add(start, ir_.Int(step * rounds));
    } else if (!__builtin_add_overflow(constant->value, step * rounds, &end)) {
      stop = ir_.Int(end);
    } else {
      stop = Constant(type);
    }
    const size_t outer = scope_.size();
    const bool carries = random_.OneIn(2);
    if (carries) {
      f.BeginFor("i", start, stop, ir_.Int(step), {{"at", Value(1, type)}});
      scope_.push_back(f.iter_arg(0));
    } else {
      f.BeginFor("i", start, stop, ir_.Int(step));
    }
    scope_.push_back(f.loop_var());
    AddBlock(f, depth + 1);
    if (!carries) {
      f.EndFor();
      scope_.resize(outer);
      return;
    }
    const Expr* carried = Value(1, type);
    scope_.resize(outer);
    scope_.push_back(f.EndFor({carried}, {"end"})[0]);
  }

  void AddCall(FunctionBuilder& f) {
    // Mostly of later functions, so that most programs have no recursion.
    const int last = static_cast<int>(functions_.size()) - 1;
    if (index_ == last && !random_.OneIn(20)) return;
    const int callee = random_.OneIn(20) || index_ == last
                           ? random_.Below(last + 1)
                           : index_ + 1 + random_.Below(last - index_);
    const bool submit = random_.OneIn(3);
    std::vector<DataType> types = functions_[callee].params;
    if (random_.OneIn(20)) types.push_back(SomeType());
    if (random_.OneIn(submit ? 3 : 20) && !types.empty()) types.pop_back();
    std::vector<const Expr*> args;
    for (const DataType type : types) {
      args.push_back(Value(2, random_.OneIn(10) ? SomeType() : type));
    }
    if (submit) {
      ir_.Submit(f, functions_[callee].name, args);
    } else {
      ir_.Call(f, functions_[callee].name, args);
    }
  }

  // A literal, which fits every type, or a constant of the type.
  const Expr* Constant(DataType type) {
    static const auto& small = *new std::vector<int64_t>{
        0, 1, 2, 3, 4, 8, 8, 16, 16, 16, 32, 32, 32, 48, 64, 64, -1, -16};
    static const auto& large = *new std::vector<int64_t>{
        kMax, kMin, int64_t{1} << 62, (int64_t{1} << 31) - 1, 100, 127,
        -128, 255,  int64_t{1} << 59};
    const bool is_large = !plain_ && random_.OneIn(8);
    const int64_t value = random_.Pick(is_large ? large : small);
    const bool fits = FitsType({value, value}, type);
    // Seldom, a literal that is none of the type.
    if (!fits && !random_.OneIn(4)) return Constant(type);
    return !fits || random_.OneIn(2) ? ir_.Int(value)
                                     : ir_.context().Int(value, type);
  }

  const Expr* Value(int depth, DataType type) {
    if (depth == 0 || random_.OneIn(4)) return Leaf(type);
    // Seldom, operands of other types.
    const auto operand = [&] {
      return Value(depth - 1, !plain_ && random_.OneIn(12) ? SomeType() : type);
    };
    const Expr* a = operand();
    switch (random_.Below(16)) {
      case 0:
        return ir_.context().NewCast(a, type);
      case 1:
        return ir_.context().NewUnary(ir::UnaryOp::kNeg, a);
      case 2:
        return ir_.Div(a, random_.OneIn(8) ? operand() : ir_.Int(Divisor()));
      case 3:
        return ir_.Div(a, ir_.Int(Divisor()));
      case 4:
        return ir_.Mod(a, ir_.Int(Divisor()));
      case 5:
        return ir_.Min(a, operand());
      case 6:
        return ir_.Max(a, operand());
      case 7:
        return ir_.Sub(a, operand());
      case 8:
      case 9:
      case 10:
        return ir_.Add(a, operand());
      case 11:
        return ir_.Mul(a, operand());
      default:
        return ir_.Mul(a, Constant(type));
    }
  }

  int64_t Divisor() {
    static const auto& divisors =
        *new std::vector<int64_t>{1, 2, 2, 3, 4, 8, 16, 32, -2};
    return !plain_ && random_.OneIn(10) ? 128 << random_.Below(3)
                                        : random_.Pick(divisors);
  }

  const Expr* Leaf(DataType type) {
    std::vector<const Var*> fitting;
    for (const Var* var : scope_) {
      if (TypeOf(*var) == type) fitting.push_back(var);
    }
    if (fitting.empty() || random_.OneIn(4)) return Constant(type);
    return random_.Pick(fitting);
  }

  TestIr& ir_;
  Random& random_;
  bool plain_ = false;
  std::vector<Signature> functions_;
  int index_ = 0;
  std::vector<const Var*> scope_;
};

}  // namespace

const ir::Program* RandomProgram(TestIr* ir, Random* random) {
  return Generator(ir, random).Run();
}

std::vector<const ir::Assign*> ScalarAssignments(const ir::Program& program) {
  std::vector<const ir::Assign*> result;
  for (const ir::Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      const auto* assign = ir::DynCast<ir::Assign>(stmt);
      if (assign == nullptr || ir::Isa<ir::Submit>(assign->value) ||
          ir::Isa<ir::ConstInt>(assign->value)) {
        return;
      }
      result.push_back(assign);
    });
  }
  return result;
}

bool HoldsFor(const Goal& goal, Integer value) {
  return goal.is_sign() ? value >= 0 : value % goal.divisor == 0;
}

// ---- Running them

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
