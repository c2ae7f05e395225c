// The pass on random programs of scalars, loops and branches: the program that
// comes out is in SSA form and returns what the one before returned.

#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/random_test_main.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "passes/convert_to_ssa/convert_to_ssa.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

uint64_t seed = 20261201;
int num_programs = 400;

// ---- Execution

// A number, or nothing for what was never assigned and all that depends on it.
using Value = std::optional<int64_t>;

class Interpreter {
 public:
  // What the function returns, or nothing where that depends on what was never
  // assigned.
  std::optional<std::vector<int64_t>> Run(const ir::Function& function,
                                          int64_t n) {
    values_[function.params[0]] = n;
    Run(function.body);
    if (unknown_) return std::nullopt;
    std::vector<int64_t> results;
    for (const Value& value : returned_) {
      if (!value.has_value()) return std::nullopt;
      results.push_back(*value);
    }
    return results;
  }

 private:
  Value Of(const ir::Expr* expr) {
    if (const auto* constant = ir::AsConstInt(expr)) return constant->value;
    if (const auto* var = ir::DynCast<ir::Var>(expr)) return values_[var];
    const auto& binary = *ir::CheckedCast<ir::Binary>(expr);
    const Value a = Of(binary.lhs);
    const Value b = Of(binary.rhs);
    if (!a.has_value() || !b.has_value()) return std::nullopt;
    // Numbers wrap around, alike before and after.
    const uint64_t x = *a;
    const uint64_t y = *b;
    switch (binary.op) {
      case ir::BinaryOp::kAdd:
        return x + y;
      case ir::BinaryOp::kSub:
        return x - y;
      case ir::BinaryOp::kMul:
        return x * y;
      case ir::BinaryOp::kGt:
        return *a > *b;
      default:
        ADD_FAILURE() << ir::PrintExpr(expr);
        return std::nullopt;
    }
  }
  std::vector<Value> Of(ir::Exprs exprs) {
    std::vector<Value> values;
    for (const ir::Expr* expr : exprs) values.push_back(Of(expr));
    return values;
  }
  template <typename Vars>
  void Bind(const Vars& vars, const std::vector<Value>& values) {
    ASSERT_EQ(vars.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) values_[vars[i]] = values[i];
  }
  // A condition; false, and the result unknown, when it is.
  bool Holds(const ir::Expr* condition) {
    const Value value = Of(condition);
    unknown_ = unknown_ || !value.has_value();
    return value.value_or(0) != 0;
  }

  // Runs the block; what it yields.
  std::vector<Value> Run(ir::Block block) {
    std::vector<Value> yielded;
    for (const ir::Stmt* stmt : block) {
      if (const auto* yield = ir::DynCast<ir::Yield>(stmt)) {
        yielded = Of(yield->values);
      } else {
        Run(*stmt);
      }
    }
    return yielded;
  }
  template <typename Loop, typename Next>
  void RunLoop(const Loop& loop, const Next& next) {
    std::vector<Value> carried;
    for (const ir::IterArg* arg : loop.iter_args) {
      carried.push_back(Of(arg->init));
    }
    for (int round = 0; round < 8; ++round) {
      Bind(loop.iter_args, carried);
      if (!next(round)) break;
      carried = Run(loop.body);
    }
    Bind(loop.return_vars, carried);
  }
  void Run(const ir::Stmt& stmt) {
    if (const auto* assign = ir::DynCast<ir::Assign>(&stmt)) {
      const Value value = Of(assign->value);
      values_[assign->var] = value;
    } else if (const auto* ret = ir::DynCast<ir::Return>(&stmt)) {
      returned_ = Of(ret->values);
    } else if (const auto* branch = ir::DynCast<ir::If>(&stmt)) {
      const bool holds = Holds(branch->condition);
      Bind(branch->return_vars,
           Run(holds ? branch->then_body : branch->else_body));
    } else if (const auto* loop = ir::DynCast<ir::For>(&stmt)) {
      const int64_t stop = Of(loop->stop).value_or(0);
      RunLoop(*loop, [&](int round) {
        values_[loop->loop_var] = round;
        return round < stop;
      });
    } else if (const auto* loop = ir::DynCast<ir::While>(&stmt)) {
      RunLoop(*loop, [&](int) { return Holds(loop->condition); });
    } else {
      ADD_FAILURE() << "a statement of another kind";
    }
  }

  absl::flat_hash_map<const ir::Var*, Value> values_;
  std::vector<Value> returned_;
  bool unknown_ = false;
};

// ---- Programs

// Draws programs over the parameter n and the variables a to f. A name is read
// only behind a line that assigns it, as the reader asks.
class Generator {
 public:
  explicit Generator(std::mt19937_64* random) : random_(*random) {}

  std::string Program() {
    std::string body;
    for (const char* name : {"a", "b", "c"}) {
      if (Draw(4) > 0) Assign(name, "", &body);
    }
    for (int i = 0; i < 5; ++i) Statement(3, "", &body);
    absl::StrAppend(&body, "return ", Name());
    for (int i = Draw(3); i > 0; --i) absl::StrAppend(&body, ", ", Name());
    return ir::ProgramText({ir::FunctionText("Orchestration", "main",
                                             "n: pl.Scalar[pl.INDEX]", body)});
  }

 private:
  int Draw(int below) { return random_() % below; }

  std::string Name() {
    return names_.empty() || Draw(6) == 0 ? "n" : names_[Draw(names_.size())];
  }
  std::string Operand() {
    return Draw(3) == 0 ? absl::StrCat(Draw(5)) : Name();
  }
  void Assign(absl::string_view name, absl::string_view indent,
              std::string* body) {
    static constexpr const char* kOps[] = {" + ", " - ", " * "};
    absl::StrAppend(body, indent, name, " = ", Name(), kOps[Draw(3)], Operand(),
                    "\n");
    names_.emplace_back(name);
  }
  void Block(int depth, const std::string& indent, std::string* body) {
    for (int i = Draw(3); i >= 0; --i) Statement(depth - 1, indent, body);
  }
  void Statement(int depth, const std::string& indent, std::string* body) {
    const std::string inner = indent + "    ";
    const int kind = depth == 0 ? 9 : Draw(10);
    if (kind < 2) {
      absl::StrAppend(body, indent, "for i", next_loop_++, " in pl.range(",
                      Draw(4), "):\n");
      Block(depth, inner, body);
    } else if (kind < 3) {
      absl::StrAppend(body, indent, "while ", Name(), " > ", Draw(5), ":\n");
      Block(depth, inner, body);
    } else if (kind < 5) {
      absl::StrAppend(body, indent, "if ", Name(), " > ", Operand(), ":\n");
      Block(depth, inner, body);
      if (Draw(2) == 0) return;
      absl::StrAppend(body, indent, "else:\n");
      Block(depth, inner, body);
    } else {
      Assign(std::string(1, 'a' + Draw(6)), indent, body);
    }
  }

  std::mt19937_64& random_;
  std::vector<std::string> names_;  // Assigned so far.
  int next_loop_ = 0;
};

TEST(ConvertToSsaRandomTest, KeepsWhatProgramsReturn) {
  std::mt19937_64 random(seed);
  int converted = 0;
  int refused = 0;
  int compared = 0;
  for (int i = 0; i < num_programs; ++i) {
    const std::string text = Generator(&random).Program();
    SCOPED_TRACE(absl::StrCat("--seed=", seed, " program ", i, "\n", text));
    const ir::TextProgram input(text);
    const PassOutcome outcome = RunOnText(ConvertToSsa(), input);
    if (outcome.program == nullptr) {
      for (const ir::Diagnostic& diagnostic : outcome.sink.diagnostics()) {
        EXPECT_EQ(diagnostic.rule_id, "MX-TOSSA-1");
      }
      ++refused;
      continue;
    }
    ++converted;
    EXPECT_EQ(RunOnText(ConvertToSsa(), input, {}, outcome.program).program,
              outcome.program);
    for (const int64_t n : {0, 3}) {
      const auto want = Interpreter().Run(*input->functions[0], n);
      if (!want.has_value()) continue;
      ++compared;
      EXPECT_EQ(Interpreter().Run(*outcome.program->functions[0], n), want)
          << ir::PrintProgram(*outcome.program);
    }
    if (::testing::Test::HasFailure()) return;
  }
  std::cout << "seed " << seed << ": " << converted << " converted, " << refused
            << " refused, " << compared << " results compared\n";
  EXPECT_GT(converted, num_programs / 2);
  EXPECT_GT(compared, num_programs / 2);
}

}  // namespace
}  // namespace mxtile

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv, "--programs=", &mxtile::seed,
                                &mxtile::num_programs);
}
