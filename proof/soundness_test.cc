// Nothing that the prover proves is false in any run of a random program.
//
//   soundness_test [--seed=N]
//
// Programs are built at random from loops, ifs, carried values, calls, Submits
// that leave out arguments, malformed calls, recursion, casts and all integer
// operators, with small constants. The value of each assignment is asked about,
// then the program is run from each function that the host may call, with many
// values for what the host, a malformed call and a missing argument may bring,
// and each value that occurs is held against what was proven. Runs in which a
// value grows so large that the machine's 64 bits could matter are cut short.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/explain.h"
#include "proof/facts.h"
#include "proof/proof_test_util.h"
#include "proof/prover.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;

uint64_t seed = 1;

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  int Below(int limit) { return static_cast<int>(engine_() % limit); }
  bool OneIn(int n) { return Below(n) == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[Below(static_cast<int>(values.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

const std::vector<int64_t>& Constants() {
  static const auto& values = *new std::vector<int64_t>{
      0, 1, 2, 3, 4, 8, 8, 16, 16, 16, 32, 32, 32, 48, 64, 64, -1, -16};
  return values;
}

// ---- Random programs

class Generator {
 public:
  Generator(TestIr* ir, Random* random) : ir_(*ir), random_(*random) {}

  const ir::Program* Run() {
    const int count = 1 + random_.Below(4);
    for (int n = 0; n < count; ++n) {
      functions_.push_back({absl::StrCat("f", n), random_.Below(4)});
    }
    for (int n = 0; n < count; ++n) AddFunction(n);
    return ir_.Program();
  }

 private:
  struct Signature {
    std::string name;
    int params;
  };

  void AddFunction(int index) {
    index_ = index;
    scope_.clear();
    FunctionBuilder f = ir_.Function(functions_[index].name);
    for (int n = 0; n < functions_[index].params; ++n) {
      scope_.push_back(ir_.Param(f, absl::StrCat("p", n)));
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
                                    ir_.context().IndexType()));
        return;
      case 3:
      case 4:
      case 5:
      case 6:
        scope_.push_back(f.Assign("v", Value(3)));
        return;
      case 7:
        return AddIf(f, depth);
      default:
        return AddLoop(f, depth);
    }
  }

  void AddIf(FunctionBuilder& f, int depth) {
    const size_t outer = scope_.size();
    f.BeginIf(ir_.context().NewBinary(BinaryOp::kLt, Value(1), Value(1)));
    AddBlock(f, depth + 1);
    const Expr* then_value = Value(1);
    scope_.resize(outer);
    f.BeginElse({then_value});
    AddBlock(f, depth + 1);
    const Expr* else_value = Value(1);
    scope_.resize(outer);
    scope_.push_back(f.EndIf({else_value}, {"phi"})[0]);
  }

  void AddLoop(FunctionBuilder& f, int depth) {
    const Expr* start = random_.OneIn(6) ? Value(1) : Constant();
    static const auto& steps =
        *new std::vector<int64_t>{1, 1, 2, 8, 16, 16, 32, 64, -1, -16};
    const int64_t step = random_.Pick(steps);
    const int rounds = random_.Below(4);
    const Expr* stop = ir_.Int(step * rounds);
    if (const ir::ConstInt* constant = ir::AsConstInt(start)) {
      stop = ir_.Int(constant->value + step * rounds);
    } else {
      stop = ir_.Add(start, stop);
    }
    const size_t outer = scope_.size();
    const bool carries = random_.OneIn(2);
    if (carries) {
      f.BeginFor("i", start, stop, ir_.Int(step), {{"at", Value(1)}});
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
    const Expr* carried = Value(1);
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
    int count = functions_[callee].params;
    if (random_.OneIn(20)) ++count;
    if (random_.OneIn(submit ? 3 : 20) && count > 0) --count;
    std::vector<const Expr*> args;
    for (int n = 0; n < count; ++n) args.push_back(Value(2));
    if (submit) {
      ir_.Submit(f, functions_[callee].name, args);
    } else {
      ir_.Call(f, functions_[callee].name, args);
    }
  }

  const Expr* Constant() { return ir_.Int(random_.Pick(Constants())); }

  const Expr* Value(int depth) {
    if (depth == 0 || random_.OneIn(4)) return Leaf();
    const Expr* a = Value(depth - 1);
    switch (random_.Below(16)) {
      case 0:
        return ir_.context().NewCast(a, ir::DataType::kIndex);
      case 1:
        return ir_.context().NewUnary(ir::UnaryOp::kNeg, a);
      case 2:
        return random_.OneIn(8) ? ir_.Div(a, Value(depth - 1))
                                : ir_.Div(a, ir_.Int(Divisor()));
      case 3:
        return ir_.Div(a, ir_.Int(Divisor()));
      case 4:
        return ir_.Mod(a, ir_.Int(Divisor()));
      case 5:
        return ir_.Min(a, Value(depth - 1));
      case 6:
        return ir_.Max(a, Value(depth - 1));
      case 7:
        return ir_.Sub(a, Value(depth - 1));
      case 8:
      case 9:
      case 10:
        return ir_.Add(a, Value(depth - 1));
      case 11:
        return ir_.Mul(a, Value(depth - 1));
      default:
        return ir_.Mul(a, Constant());
    }
  }

  int64_t Divisor() {
    static const auto& divisors =
        *new std::vector<int64_t>{1, 2, 2, 3, 4, 8, 16, 32, -2};
    return random_.Pick(divisors);
  }

  const Expr* Leaf() {
    if (scope_.empty() || random_.OneIn(4)) return Constant();
    return random_.Pick(scope_);
  }

  TestIr& ir_;
  Random& random_;
  std::vector<Signature> functions_;
  int index_ = 0;
  std::vector<const Var*> scope_;
};

// ---- Running them

struct Asked {
  std::vector<ProofResult> results;
  bool occurred = false;
  // Whether a value contradicted what was not proven, by result.
  std::vector<bool> refuted;
};

using Questions = absl::flat_hash_map<const Expr*, Asked>;

class Interpreter {
 public:
  Interpreter(const ir::Program& program, Random* random, Questions* questions)
      : program_(program), random_(*random), questions_(*questions) {}

  // Calls the function as the host would.
  void Run(const ir::Function& function) {
    steps_ = 0;
    stopped_ = false;
    floor_semantics_ = random_.OneIn(2);
    Call(function, {});
  }

 private:
  static constexpr int kMaxSteps = 400;
  static constexpr int kMaxCallDepth = 5;
  static constexpr int64_t kLarge = int64_t{1} << 40;

  int64_t Anything() {
    static const auto& values = *new std::vector<int64_t>{
        -64, -17, -16, -3, -1, 0, 1, 2, 7, 8, 15, 16, 31, 32, 64};
    return random_.Pick(values);
  }

  // Parameters without an argument can have any value.
  void Call(const ir::Function& function,
            const absl::flat_hash_map<const Var*, int64_t>& args) {
    if (depth_ == kMaxCallDepth) return;
    ++depth_;
    absl::flat_hash_map<const Var*, int64_t> frame;
    for (const Var* param : function.params) {
      const auto it = args.find(param);
      frame[param] = it != args.end() ? it->second : Anything();
    }
    std::swap(frame, frame_);
    RunBlock(function.body);
    std::swap(frame, frame_);
    --depth_;
  }

  // Returns the values that the block yields.
  std::vector<int64_t> RunBlock(ir::Block block) {
    std::vector<int64_t> yielded;
    for (const ir::Stmt* stmt : block) {
      if (++steps_ > kMaxSteps) stopped_ = true;
      if (stopped_) return {};
      switch (stmt->kind) {
        case ir::StmtKind::kAssign:
          RunAssign(*static_cast<const ir::Assign*>(stmt));
          break;
        case ir::StmtKind::kEval:
          RunCall(*ir::CheckedCast<ir::Call>(
              static_cast<const ir::Eval*>(stmt)->expr));
          break;
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
    return stopped_ ? std::vector<int64_t>() : yielded;
  }

  void RunAssign(const ir::Assign& assign) {
    if (const auto* submit = ir::DynCast<ir::Submit>(assign.value)) {
      return RunSubmit(*submit);
    }
    const int64_t value = Eval(assign.value);
    if (stopped_) return;
    frame_[assign.var] = value;
    const auto it = questions_.find(assign.value);
    if (it != questions_.end()) Check(it->second, value);
  }

  void Check(Asked& asked, int64_t value) {
    asked.occurred = true;
    for (size_t i = 0; i < asked.results.size(); ++i) {
      const ProofResult& result = asked.results[i];
      if (result.goal.HoldsFor(value)) continue;
      asked.refuted[i] = true;
      EXPECT_FALSE(result.proven()) << "seed " << seed << ": value " << value
                                    << " of " << Explain(result);
    }
  }

  void RunIf(const ir::If& branch) {
    const auto* condition = ir::CheckedCast<ir::Binary>(branch.condition);
    const int64_t lhs = Eval(condition->lhs), rhs = Eval(condition->rhs);
    if (stopped_) return;
    BindAll(branch.return_vars,
            RunBlock(lhs < rhs ? branch.then_body : branch.else_body));
  }

  void RunFor(const ir::For& loop) {
    const int64_t start = Eval(loop.start), stop = Eval(loop.stop);
    const int64_t step = ir::AsConstInt(loop.step)->value;
    std::vector<int64_t> carried;
    for (const ir::IterArg* arg : loop.iter_args) {
      carried.push_back(Eval(arg->init));
    }
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
      if (stopped_) return;
      frame_[loop.loop_var] = i;
      for (size_t n = 0; n < carried.size(); ++n) {
        frame_[loop.iter_args[n]] = carried[n];
      }
      carried = RunBlock(loop.body);
    }
    BindAll(loop.return_vars, carried);
  }

  void BindAll(ir::Vars vars, const std::vector<int64_t>& values) {
    if (stopped_) return;
    MX_CHECK(vars.size() == values.size());
    for (size_t n = 0; n < vars.size(); ++n) frame_[vars[n]] = values[n];
  }

  void RunCall(const ir::Call& call) {
    RunFunction(*call.callee, call.args,
                [](size_t args, size_t params) { return args == params; });
  }

  void RunSubmit(const ir::Submit& submit) {
    RunFunction(*submit.callee, submit.args,
                [](size_t args, size_t params) { return args <= params; });
  }

  template <typename Fits>
  void RunFunction(const ir::Callee& callee, ir::Exprs args, Fits fits) {
    const ir::Function* function = program_.Find(callee.name);
    absl::flat_hash_map<const Var*, int64_t> values;
    if (fits(args.size(), function->params.size())) {
      for (size_t n = 0; n < args.size(); ++n) {
        values[function->params[n]] = Eval(args[n]);
      }
    }
    if (!stopped_) Call(*function, values);
  }

  int64_t Eval(const Expr* expr) {
    const int64_t value = EvalUnlimited(expr);
    if (value > kLarge || value < -kLarge) stopped_ = true;
    return stopped_ ? 0 : value;
  }

  // Operands are at most kLarge; a product of two of them that does not fit
  // ends the run.
  int64_t EvalUnlimited(const Expr* expr) {
    if (const ir::ConstInt* constant = ir::AsConstInt(expr)) {
      return constant->value;
    }
    if (ir::Isa<Var>(expr)) {
      const auto it = frame_.find(ir::DynCast<Var>(expr));
      MX_CHECK(it != frame_.end());
      return it->second;
    }
    if (const auto* call = ir::DynCast<ir::Call>(expr)) {
      return call->callee->def != nullptr ? random_.Below(20) : Anything();
    }
    if (const auto* cast = ir::DynCast<ir::Cast>(expr)) {
      return Eval(cast->operand);
    }
    if (const auto* unary = ir::DynCast<ir::Unary>(expr)) {
      return -Eval(unary->operand);
    }
    return EvalBinary(*ir::CheckedCast<ir::Binary>(expr));
  }

  int64_t EvalBinary(const ir::Binary& binary) {
    const int64_t a = Eval(binary.lhs), b = Eval(binary.rhs);
    int64_t product = 0;
    switch (binary.op) {
      case BinaryOp::kAdd:
        return a + b;
      case BinaryOp::kSub:
        return a - b;
      case BinaryOp::kMul:
        return __builtin_mul_overflow(a, b, &product) ? 2 * kLarge : product;
      case BinaryOp::kMin:
        return a < b ? a : b;
      case BinaryOp::kMax:
        return a < b ? b : a;
      default:
        return Divide(binary.op, a, b);
    }
  }

  // Compilers do not agree on which way to round: half of the runs round down,
  // half towards zero.
  int64_t Divide(BinaryOp op, int64_t a, int64_t b) {
    if (b == 0) {
      stopped_ = true;
      return 0;
    }
    int64_t quotient = a / b;
    if (floor_semantics_ && a % b != 0 && (a < 0) != (b < 0)) --quotient;
    if (op == BinaryOp::kFloorDiv) return quotient;
    MX_CHECK(op == BinaryOp::kFloorMod);
    return a - quotient * b;
  }

  const ir::Program& program_;
  Random& random_;
  Questions& questions_;
  absl::flat_hash_map<const Var*, int64_t> frame_;
  int depth_ = 0;
  int steps_ = 0;
  bool stopped_ = false;
  bool floor_semantics_ = false;
};

// ---- The test

struct Counts {
  int questions = 0;
  int occurred = 0;  // Of them, those whose value occurred in some run.
  int proven = 0;    // Of the occurred ones.
  int refuted = 0;   // Of the occurred ones: not proven, and rightly so.
};

void AskAbout(const ir::Block block, const ProgramFacts& facts, Random& random,
              Questions* questions) {
  static const auto& divisors = *new std::vector<int64_t>{2, 16, 16, 32, 3};
  for (const ir::Stmt* stmt : block) {
    if (const auto* loop = ir::DynCast<ir::For>(stmt)) {
      AskAbout(loop->body, facts, random, questions);
    } else if (const auto* branch = ir::DynCast<ir::If>(stmt)) {
      AskAbout(branch->then_body, facts, random, questions);
      AskAbout(branch->else_body, facts, random, questions);
    }
    const auto* assign = ir::DynCast<ir::Assign>(stmt);
    if (assign == nullptr || ir::Isa<ir::Submit>(assign->value) ||
        ir::Isa<ir::ConstInt>(assign->value)) {
      continue;
    }
    const Prover prover(facts, {/*extended=*/random.OneIn(2)});
    // A variable stands for its definition, which tells more.
    const Expr* expr = random.OneIn(2) ? assign->value : assign->var;
    (*questions)[assign->value].results = {
        prover.ProveMultipleOf(expr, random.Pick(divisors)),
        prover.ProveNonNegative(expr)};
    (*questions)[assign->value].refuted = {false, false};
  }
}

void RunProgram(const ir::Program& program, Random& random,
                Questions* questions) {
  Interpreter interpreter(program, &random, questions);
  const absl::flat_hash_map<absl::string_view, bool> called = [&] {
    absl::flat_hash_map<absl::string_view, bool> result;
    const ProgramFacts facts(program);
    for (const ir::Function* f : program.functions) {
      for (const Var* param : f->params) {
        for (const ParamSource& source : facts.Find(param)->sources) {
          if (source.kind != ParamSource::Kind::kHost) result[f->name] = true;
        }
      }
    }
    return result;
  }();
  for (const ir::Function* function : program.functions) {
    if (called.contains(function->name)) continue;
    for (int round = 0; round < 8; ++round) interpreter.Run(*function);
  }
}

void Count(const Questions& questions, Counts* counts) {
  for (const auto& [expr, asked] : questions) {
    for (size_t i = 0; i < asked.results.size(); ++i) {
      ++counts->questions;
      if (!asked.occurred) continue;
      ++counts->occurred;
      if (asked.results[i].proven()) ++counts->proven;
      if (asked.refuted[i]) ++counts->refuted;
    }
  }
}

TEST(SoundnessTest, NothingProvenIsFalse) {
  constexpr int kQuestions = 10000;  // About values that occur.
  Random random(seed);
  Counts counts;
  while (counts.occurred < kQuestions && !testing::Test::HasFailure()) {
    TestIr ir;
    const ir::Program& program = *Generator(&ir, &random).Run();
    const ProgramFacts facts(program);
    Questions questions;
    for (const ir::Function* function : program.functions) {
      AskAbout(function->body, facts, random, &questions);
    }
    RunProgram(program, random, &questions);
    Count(questions, &counts);
  }
  const std::string summary = absl::StrCat(
      "seed ", seed, ": ", counts.questions, " questions, ", counts.occurred,
      " about values that occurred, ", counts.proven, " of them proven, ",
      counts.refuted, " refused and found false");
  std::cout << summary << "\n";
  // The test tells something only if enough of each kind was met.
  EXPECT_GT(counts.proven, kQuestions / 10) << summary;
  EXPECT_GT(counts.refuted, kQuestions / 10) << summary;
}

}  // namespace
}  // namespace mxtile::proof

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (!absl::ConsumePrefix(&arg, "--seed=") ||
        !absl::SimpleAtoi(arg, &mxtile::proof::seed)) {
      std::cerr << "usage: soundness_test [--seed=N]\n";
      return EXIT_FAILURE;
    }
  }
  return RUN_ALL_TESTS();
}
