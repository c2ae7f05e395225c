#include "proof/random_program_test_util.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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

}  // namespace mxtile::proof
