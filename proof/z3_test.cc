// The prover against Z3.
//
//   z3_test [--seed=N] [--questions=N]
//
// Questions about random programs (proof/random_program_test_util.h) are put to
// Z3 as well, as formulas over bit vectors of the width of the types, with all
// that the program says about variables: definitions, loops, block indices and
// what callers pass. What the program does not say is left open. Z3 has 100 ms
// for a question, and may not know.
//
// A contradiction is: proven with strict_overflow, and Z3 has a value that
// violates the claim; or refused with a counterexample, and Z3 has none.

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/random_test_main.h"
#include "gtest/gtest.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/explain.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/proof_test_util.h"
#include "proof/prover.h"
#include "proof/random_program_test_util.h"
#include "proof/value_range.h"

#ifndef MX_WITHOUT_Z3
#include "z3++.h"
#endif

namespace mxtile::proof {
namespace {

uint64_t seed = 1;
int num_questions = 300;

#ifndef MX_WITHOUT_Z3

using ir::BinaryOp;
using ir::DataType;
using ir::Expr;
using ir::Var;

// Wide enough for all values of all types, and for differences of two.
constexpr int kWide = 70;

DataType TypeOf(const Expr& expr) { return *ScalarDataType(expr); }
int WidthOf(const Expr& expr) { return ir::BitWidth(TypeOf(expr)); }
bool IsSigned(const Expr& expr) { return ir::IsSignedInteger(TypeOf(expr)); }

// One expression as a formula, with constraints on what it depends on.
class Encoder {
 public:
  Encoder(z3::context* context, const ProgramFacts& facts, bool rounds_down)
      : z3_(*context),
        facts_(facts),
        rounds_down_(rounds_down),
        constraints_(*context) {}

  z3::expr Violation(const Expr* expr, const Goal& goal) {
    const z3::expr value = Wide(Encode(expr), IsSigned(*expr));
    if (goal.is_sign()) return z3::slt(value, Number(0));
    return z3::srem(value, Number(goal.divisor)) != Number(0);
  }
  const z3::expr_vector& constraints() const { return constraints_; }

 private:
  z3::expr Number(int64_t value) { return z3_.bv_val(value, kWide); }

  z3::expr Fresh(const Expr& expr) {
    return z3_.bv_const(absl::StrCat("v", count_++).c_str(), WidthOf(expr));
  }

  static z3::expr Widen(const z3::expr& value, int width, bool is_signed) {
    const int missing = width - static_cast<int>(value.get_sort().bv_size());
    if (missing == 0) return value;
    if (missing < 0) return value.extract(width - 1, 0);
    return is_signed ? z3::sext(value, missing) : z3::zext(value, missing);
  }
  static z3::expr Wide(const z3::expr& value, bool is_signed) {
    return Widen(value, kWide, is_signed);
  }

  // The value of `expr` as a value of the type of `to`.
  z3::expr EncodeAs(const Expr* expr, const Expr& to) {
    return Widen(Encode(expr), WidthOf(to), IsSigned(*expr));
  }

  // Expressions of random programs are small, chains of definitions short.
  z3::expr Encode(const Expr* expr) {
    if (const ir::ConstInt* constant = ir::AsConstInt(expr)) {
      return z3_.bv_val(constant->value, WidthOf(*expr));
    }
    if (const Var* var = ir::DynCast<Var>(expr)) {
      const auto it = vars_.find(var);
      if (it != vars_.end()) return it->second;
      z3::expr value = EncodeVar(*var);
      vars_.emplace(var, value);
      return value;
    }
    if (const auto* cast = ir::DynCast<ir::Cast>(expr)) {
      return EncodeAs(cast->operand, *expr);
    }
    if (const auto* unary = ir::DynCast<ir::Unary>(expr)) {
      return -EncodeAs(unary->operand, *expr);
    }
    if (const auto* binary = ir::DynCast<ir::Binary>(expr)) {
      return EncodeBinary(*binary);
    }
    return EncodeCall(*ir::CheckedCast<ir::Call>(expr));
  }

  z3::expr EncodeBinary(const ir::Binary& binary) {
    const z3::expr a = EncodeAs(binary.lhs, binary);
    const z3::expr b = EncodeAs(binary.rhs, binary);
    const bool is_signed = IsSigned(binary);
    const z3::expr less = is_signed ? z3::slt(a, b) : z3::ult(a, b);
    switch (binary.op) {
      case BinaryOp::kAdd:
        return a + b;
      case BinaryOp::kSub:
        return a - b;
      case BinaryOp::kMul:
        return a * b;
      case BinaryOp::kMin:
        return z3::ite(less, a, b);
      case BinaryOp::kMax:
        return z3::ite(less, b, a);
      default:
        break;
    }
    const bool quotient = binary.op == BinaryOp::kFloorDiv;
    MX_CHECK(quotient || binary.op == BinaryOp::kFloorMod);
    const z3::expr zero = z3_.bv_val(0, WidthOf(binary));
    constraints_.push_back(b != zero);
    if (!is_signed) return quotient ? z3::udiv(a, b) : z3::urem(a, b);
    const z3::expr down = z3::srem(a, b) != zero &&
                          z3::slt(a, zero) != z3::slt(b, zero) &&
                          z3_.bool_val(rounds_down_);
    const z3::expr one = z3_.bv_val(1, WidthOf(binary));
    return quotient ? (a / b) - z3::ite(down, one, zero)
                    : z3::srem(a, b) + z3::ite(down, b, zero);
  }

  z3::expr EncodeCall(const ir::Call& call) {
    const z3::expr result = Fresh(call);
    if (call.callee->def != nullptr &&
        call.callee->def->result_never_negative) {
      const z3::expr wide = Wide(result, IsSigned(call));
      constraints_.push_back(z3::sge(wide, Number(0)) &&
                             z3::sle(wide, Number(kDefaultBlockLimit)));
    }
    return result;
  }

  z3::expr EncodeVar(const Var& var) {
    const VarFacts* facts = facts_.Find(&var);
    MX_CHECK(facts != nullptr && !facts->rebound);
    switch (facts->origin) {
      case VarFacts::Origin::kAssigned:
        return EncodeAs(facts->definition->value, var);
      case VarFacts::Origin::kLoopVar:
        return EncodeLoopVar(var, *facts->loop);
      case VarFacts::Origin::kParam:
        return EncodeParam(var, *facts);
      default:
        return Fresh(var);
    }
  }

  // start + k * step, before the stop.
  z3::expr EncodeLoopVar(const Var& var, const ir::For& loop) {
    const auto wide = [this](const Expr* bound) {
      return Wide(Encode(bound), IsSigned(*bound));
    };
    const z3::expr value =
        z3_.bv_const(absl::StrCat("v", count_++).c_str(), kWide);
    const z3::expr start = wide(loop.start), stop = wide(loop.stop);
    const int64_t step = ir::AsConstInt(loop.step)->value;
    constraints_.push_back(step > 0
                               ? z3::sle(start, value) && z3::slt(value, stop)
                               : z3::sge(start, value) && z3::sgt(value, stop));
    constraints_.push_back(z3::srem(value - start, Number(step)) == Number(0));
    return Widen(value, WidthOf(var), IsSigned(var));
  }

  z3::expr EncodeParam(const Var& var, const VarFacts& facts) {
    const z3::expr value = Fresh(var);
    if (facts.recursive) return value;
    z3::expr any = z3_.bool_val(false);
    for (const ParamSource& source : facts.sources) {
      if (source.value == nullptr) return value;
      any = any || EncodeSource(source, var, value);
    }
    constraints_.push_back(any);
    return value;
  }

  // What the source's value depends on is bound to it: another caller's loop
  // may have no rounds.
  z3::expr EncodeSource(const ParamSource& source, const Var& var,
                        const z3::expr& value) {
    const auto outer_vars = vars_;
    z3::expr_vector constraints(z3_);
    std::swap(constraints, constraints_);
    const z3::expr is_source = value == EncodeAs(source.value, var);
    std::swap(constraints, constraints_);
    vars_ = outer_vars;
    return is_source && z3::mk_and(constraints);
  }

  z3::context& z3_;
  const ProgramFacts& facts_;
  const bool rounds_down_;
  z3::expr_vector constraints_;
  absl::flat_hash_map<const Var*, z3::expr> vars_;
  int count_ = 0;
};

struct Counts {
  int questions = 0;
  int proven = 0;
  int confirmed = 0;  // Proven, and Z3 agrees.
  int counterexamples = 0;
  int counterexamples_confirmed = 0;
  int refused_though_valid = 0;  // Refused, and Z3 has a proof.
  int unknown = 0;
};

z3::check_result AskZ3(const ProgramFacts& facts, const ProofResult& result,
                       bool rounds_down) {
  z3::context context;
  Encoder encoder(&context, facts, rounds_down);
  const z3::expr violation = encoder.Violation(result.expr, result.goal);
  z3::solver solver(context);
  z3::params params(context);
  params.set("timeout", 100u);
  solver.set(params);
  solver.add(encoder.constraints());
  solver.add(violation);
  try {
    return solver.check();
  } catch (const z3::exception&) {
    return z3::unknown;
  }
}

void Compare(const ProgramFacts& facts, const ProofResult& result,
             bool rounds_down, Counts* counts) {
  ++counts->questions;
  const bool has_counterexample =
      !result.proven() && result.refusal().counterexample.has_value();
  counts->proven += result.proven();
  counts->counterexamples += has_counterexample;
  const z3::check_result answer = AskZ3(facts, result, rounds_down);
  if (answer == z3::unknown) {
    ++counts->unknown;
    return;
  }
  const bool violated = answer == z3::sat;
  EXPECT_FALSE(result.proven() && violated)
      << "seed " << seed << ": Z3 refutes\n"
      << ExplainAtLength(result);
  EXPECT_FALSE(has_counterexample && !violated)
      << "seed " << seed << ": Z3 proves\n"
      << ExplainAtLength(result);
  counts->confirmed += result.proven() && !violated;
  counts->counterexamples_confirmed += has_counterexample && violated;
  counts->refused_though_valid += !result.proven() && !violated;
}

TEST(Z3Test, NoContradiction) {
  Random random(seed);
  Counts counts;
  while (counts.questions < num_questions && !testing::Test::HasFailure()) {
    TestIr ir;
    const ir::Program& program = *RandomProgram(&ir, &random);
    const ProgramFacts facts(program);
    for (const ir::Assign* assign : ScalarAssignments(program)) {
      if (!random.OneIn(3)) continue;
      ProofOptions options;
      options.extended = true;
      options.strict_overflow = true;
      const Prover prover(facts, options);
      static const auto& divisors = *new std::vector<int64_t>{2, 16, 16, 3};
      const ProofResult result =
          random.OneIn(2)
              ? prover.ProveNonNegative(assign->var)
              : prover.ProveMultipleOf(assign->var, random.Pick(divisors));
      Compare(facts, result, random.OneIn(2), &counts);
    }
  }
  std::cout << "seed " << seed << ": " << counts.questions << " questions, "
            << counts.proven << " proven, " << counts.confirmed
            << " of them by Z3 too; " << counts.counterexamples
            << " counterexamples, " << counts.counterexamples_confirmed
            << " of them found by Z3 too; " << counts.refused_though_valid
            << " refused although Z3 has a proof; Z3 does not know "
            << counts.unknown << "\n";
  EXPECT_GT(counts.confirmed, num_questions / 20);
  EXPECT_GT(counts.counterexamples_confirmed, num_questions / 100);
}

#else

TEST(Z3Test, NoContradiction) { GTEST_SKIP() << "built without Z3"; }

#endif  // MX_WITHOUT_Z3

}  // namespace
}  // namespace mxtile::proof

int main(int argc, char** argv) {
  using namespace mxtile::proof;
  return mxtile::RunRandomTests(argc, argv, "--questions=", &seed,
                                &num_questions);
}
