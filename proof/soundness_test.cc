// Nothing that the prover proves is false in any run of a random program, and
// every counterexample is one.
//
//   soundness_test [--seed=N] [--questions=N]
//
// Programs are built at random (proof/random_program_test_util.h) and the value
// of each assignment is asked about, with all combinations of options. Then the
// program is run from each function that the host may call, at the width of its
// types, and each value that occurs is held against what was proven:
//
//  * with strict_overflow it must fit the claim,
//  * without, it must, or an overflow that the certificate assumes away
//    happened in that very run;
//  * an exact value that a certificate gives a range for lies in it.
//
// What was refused and yet held in all runs is the completeness gap; it is
// printed by the reason of the refusal. For a counterexample the program is run
// with the values that it names, and the value that it promises has to occur.

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/random_test_main.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "proof/certificate.h"
#include "proof/explain.h"
#include "proof/facts.h"
#include "proof/program_run_test_util.h"
#include "proof/proof_test_util.h"
#include "proof/prover.h"
#include "proof/random_program_test_util.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::Var;

uint64_t seed = 1;
int num_questions = 10000;  // About values that occur.

struct Question {
  ProofResult result;
  const Var* var = nullptr;  // To which the value is assigned.
  bool strict = false;
  bool occurred = false;
  bool refuted = false;  // A value violates the goal.
};

struct GapRow {
  int refused = 0;  // Of questions about values that occurred.
  int held = 0;     // Of them, those that no value contradicted.
};

struct Counts {
  int questions = 0;
  int occurred = 0;
  int proven = 0;      // Of the occurred ones.
  int assumed = 0;     // Of the proven ones, those that assume something.
  int discharged = 0;  // Of the proven ones, those that rest on a range.
  int excused = 0;  // Of the assuming ones, those that an overflow made false.
  int refuted = 0;  // Of the occurred ones: not proven, and rightly so.
  int counterexamples = 0;
  int confirmed = 0;  // Of them; the others' runs ended early.
  std::map<std::string, GapRow> gap;
};

std::vector<Question> Ask(const ir::Program& program, const ProgramFacts& facts,
                          Random& random) {
  static const auto& divisors = *new std::vector<int64_t>{2, 16, 16, 32, 3};
  std::vector<Question> questions;
  for (const ir::Assign* assign : ScalarAssignments(program)) {
    ProofOptions options;
    options.extended = random.OneIn(2);
    options.strict_overflow = random.OneIn(2);
    const Prover prover(facts, options);
    // A variable stands for its definition, which tells more.
    const Expr* expr = random.OneIn(2) ? assign->value : assign->var;
    for (ProofResult& result : std::array<ProofResult, 2>{
             prover.ProveMultipleOf(expr, random.Pick(divisors)),
             prover.ProveNonNegative(expr)}) {
      questions.push_back(
          {std::move(result), assign->var, options.strict_overflow});
    }
  }
  return questions;
}

std::string ToText(Integer value) {
  // UINT64 is all that int64 does not hold.
  return value < 0 ? absl::StrCat(static_cast<int64_t>(value))
                   : absl::StrCat(static_cast<uint64_t>(value));
}

class Inspector {
 public:
  Inspector(const ir::Program& program, const ProgramFacts& facts,
            Random* random, Counts* counts)
      : program_(program), facts_(facts), random_(*random), counts_(*counts) {}

  void Inspect(std::vector<Question>& questions) {
    const auto watched = Watched(questions);
    ProgramRun run(program_, &random_, &watched);
    for (const ir::Function* function : program_.functions) {
      if (!facts_.Find(function)->host_calls) continue;
      for (int round = 0; round < 5; ++round) {
        run.Call(*function);
        for (Question& question : questions) Hold(run, question);
      }
    }
    for (const Question& question : questions) {
      Count(question);
      if (!question.result.proven()) Confirm(question, run);
    }
  }

 private:
  static absl::flat_hash_set<const Expr*> Watched(
      const std::vector<Question>& questions) {
    absl::flat_hash_set<const Expr*> watched;
    for (const Question& question : questions) {
      watched.insert(question.result.expr);
      if (!question.result.proven()) continue;
      for (const CertificateNode& node : question.result.certificate().nodes) {
        if (node.exact_range.has_value()) watched.insert(node.expr);
      }
    }
    return watched;
  }

  // The run against the claim.
  void Hold(const ProgramRun& run, Question& question) {
    const ProofResult& result = question.result;
    for (const Integer value : run.ValuesOf(result.expr)) {
      question.occurred = true;
      if (HoldsFor(result.goal, value)) continue;
      question.refuted = true;
      if (!result.proven()) continue;
      const bool excused =
          !question.strict && AssumptionFailed(result.certificate(), run);
      EXPECT_TRUE(excused) << "seed " << seed << ": value " << ToText(value)
                           << " of\n"
                           << ExplainAtLength(result);
    }
    if (result.proven()) HoldRanges(run, result);
  }

  static bool AssumptionFailed(const Certificate& certificate,
                               const ProgramRun& run) {
    return std::any_of(certificate.nodes.begin(), certificate.nodes.end(),
                       [&](const CertificateNode& node) {
                         return node.overflow == Overflow::kAssumed &&
                                run.Overflowed(node.expr);
                       });
  }

  static void HoldRanges(const ProgramRun& run, const ProofResult& result) {
    for (const CertificateNode& node : result.certificate().nodes) {
      if (node.overflow != Overflow::kDischarged) continue;
      const ProgramRun::Extent* exact = run.ExactOf(node.expr);
      if (exact == nullptr) continue;
      EXPECT_TRUE(node.exact_range->min <= exact->min &&
                  exact->max <= node.exact_range->max &&
                  !run.Overflowed(node.expr))
          << "seed " << seed << ": " << ToText(exact->min) << " to "
          << ToText(exact->max) << " in\n"
          << ExplainAtLength(result);
    }
  }

  void Count(const Question& question) {
    ++counts_.questions;
    if (!question.occurred) return;
    ++counts_.occurred;
    if (!question.result.proven()) {
      counts_.refuted += question.refuted;
      GapRow& row = counts_.gap[Verdict(question.result)];
      ++row.refused;
      row.held += !question.refuted;
      return;
    }
    ++counts_.proven;
    counts_.assumed += question.result.certificate().has_assumptions();
    counts_.excused += question.refuted;
    for (const CertificateNode& node : question.result.certificate().nodes) {
      if (node.overflow != Overflow::kDischarged) continue;
      ++counts_.discharged;
      break;
    }
  }

  // Whether the assignment is made in every run that the counterexample names:
  // the value is asked about, not the place.
  bool IsReached(const Question& question,
                 const std::vector<Binding>& bindings) const {
    const Surroundings& at = facts_.Find(question.var)->at;
    return !at.conditional && !bindings.empty() &&
           (at.loop == nullptr || std::any_of(bindings.begin(), bindings.end(),
                                              [&](const Binding& binding) {
                                                return binding.var ==
                                                       at.loop->loop_var;
                                              }));
  }

  // Runs the counterexample from each function that the host may call.
  void Confirm(const Question& question, ProgramRun& run) {
    const ProofResult& result = question.result;
    const auto& counterexample = result.refusal().counterexample;
    if (!counterexample.has_value()) return;
    ++counts_.counterexamples;
    EXPECT_FALSE(result.goal.HoldsFor(counterexample->value));
    absl::flat_hash_map<const ir::Var*, int64_t> host_values;
    for (const Binding& binding : counterexample->bindings) {
      if (binding.kind == Binding::Kind::kHost) {
        host_values[binding.var] = binding.value;
      }
    }
    bool occurred = false;
    bool stopped = false;
    for (const ir::Function* function : program_.functions) {
      if (!facts_.Find(function)->host_calls) continue;
      run.Call(*function, host_values, 1000);
      const std::vector<Integer>& values = run.ValuesOf(result.expr);
      occurred |= std::count(values.begin(), values.end(),
                             Integer{counterexample->value}) > 0;
      stopped |= run.stopped();
    }
    counts_.confirmed += occurred;
    EXPECT_TRUE(occurred || stopped ||
                !IsReached(question, counterexample->bindings))
        << "seed " << seed << ": " << counterexample->value
        << " does not occur\n"
        << ir::PrintProgram(program_) << "\n"
        << ExplainAtLength(result);
  }

  const ir::Program& program_;
  const ProgramFacts& facts_;
  Random& random_;
  Counts& counts_;
};

void PrintGap(const Counts& counts) {
  std::cout << "completeness gap: refused, and true in all runs\n";
  std::cout << absl::StrFormat("  %-22s %9s %9s\n", "reason", "refused",
                               "true");
  GapRow all;
  for (const auto& [reason, row] : counts.gap) {
    std::cout << absl::StrFormat("  %-22s %9d %9d\n", reason, row.refused,
                                 row.held);
    all.refused += row.refused;
    all.held += row.held;
  }
  std::cout << absl::StrFormat("  %-22s %9d %9d\n", "all", all.refused,
                               all.held);
}

TEST(SoundnessTest, NothingProvenIsFalse) {
  Random random(seed);
  Counts counts;
  while (counts.occurred < num_questions && !testing::Test::HasFailure()) {
    TestIr ir;
    const ir::Program& program = *RandomProgram(&ir, &random);
    const ProgramFacts facts(program);
    std::vector<Question> questions = Ask(program, facts, random);
    Inspector(program, facts, &random, &counts).Inspect(questions);
  }
  const std::string summary = absl::StrCat(
      "seed ", seed, ": ", counts.questions, " questions, ", counts.occurred,
      " about values that occurred, ", counts.proven, " of them proven (",
      counts.discharged, " by ranges, ", counts.assumed,
      " assuming no overflow, ", counts.excused,
      " of these false in a run that overflowed), ", counts.refuted,
      " refused and found false; ", counts.counterexamples,
      " counterexamples, ", counts.confirmed, " seen");
  std::cout << summary << "\n";
  PrintGap(counts);
  // The test tells something only if enough of each kind was met.
  EXPECT_GT(counts.proven, num_questions / 10) << summary;
  EXPECT_GT(counts.refuted, num_questions / 10) << summary;
  EXPECT_GT(counts.assumed, num_questions / 1000) << summary;
  EXPECT_GT(counts.discharged, num_questions / 200) << summary;
  EXPECT_GT(counts.excused, 0) << summary;
  EXPECT_GT(counts.confirmed, num_questions / 10) << summary;
}

}  // namespace
}  // namespace mxtile::proof

int main(int argc, char** argv) {
  using namespace mxtile::proof;
  return mxtile::RunRandomTests(argc, argv, "--questions=", &seed,
                                &num_questions);
}
