// What the prover proves the checker accepts, and of changed certificates only
// those whose claim is true.
//
//   certificate_mutation_test [--seed=N] [--certificates=N]
//
// Certificates are those of random programs (proof/random_program_test_util.h).
// Each is changed in every way that Mutator knows, one at a time, and the
// checker is asked about what the changed certificate claims. Where it accepts,
// the program is run, and no value may contradict the claim unless an overflow
// that the certificate assumes away happened in that run.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/random_test_main.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "proof/certificate.h"
#include "proof/certificate_checker.h"
#include "proof/explain.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/program_run_test_util.h"
#include "proof/proof_test_util.h"
#include "proof/prover.h"
#include "proof/random_program_test_util.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::Var;

uint64_t seed = 1;
int num_certificates = 500;

// What a mutation may put in the place of something.
struct Pool {
  std::vector<const Expr*> exprs;
  std::vector<const ir::Assign*> assigns;
  std::vector<const ir::For*> loops;
  std::vector<const ir::Function*> functions;
};

Pool PoolOf(const ir::Program& program) {
  Pool pool;
  pool.assigns = ScalarAssignments(program);
  for (const ir::Assign* assign : pool.assigns) {
    pool.exprs.push_back(assign->var);
    pool.exprs.push_back(assign->value);
  }
  for (const ir::Function* function : program.functions) {
    pool.functions.push_back(function);
    for (const Var* param : function->params) pool.exprs.push_back(param);
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      if (const auto* loop = ir::DynCast<ir::For>(stmt)) {
        pool.loops.push_back(loop);
        pool.exprs.push_back(loop->loop_var);
      }
    });
  }
  return pool;
}

// Changes one certificate in one place, in all ways.
class Mutator {
 public:
  using Visit = std::function<void(absl::string_view kind, const Certificate&)>;

  Mutator(const Certificate& original, const Pool& pool, Random* random,
          Visit visit)
      : original_(original),
        pool_(pool),
        random_(*random),
        visit_(std::move(visit)) {}

  void Run() {
    for (size_t i = 0; i < original_.nodes.size(); ++i) {
      MutateRule(i);
      MutateGoal(i);
      MutateExpr(i);
      MutateChildren(i);
      MutateOverflow(i);
      MutateFacts(i);
      MutateSources(i);
    }
    MutateNodes();
  }

 private:
  template <typename Change>
  void With(absl::string_view kind, size_t i, Change change) {
    Certificate mutated = original_;
    change(mutated.nodes[i]);
    visit_(kind, mutated);
  }

  void MutateRule(size_t i) {
    for (int rule = 1; rule <= static_cast<int>(Rule::kRemainder); ++rule) {
      if (static_cast<Rule>(rule) == original_.nodes[i].rule) continue;
      With("rule", i,
           [&](CertificateNode& node) { node.rule = static_cast<Rule>(rule); });
    }
  }

  void MutateGoal(size_t i) {
    const Goal& goal = original_.nodes[i].goal;
    std::vector<Goal> others = {goal.is_sign() ? Goal::MultipleOf(16)
                                               : Goal::NonNegative()};
    if (goal.is_sign()) {
      others.push_back({Property::kNonNegative, 1});
    } else {
      for (const int64_t divisor :
           {goal.divisor * 2, goal.divisor / 2, goal.divisor + 1,
            goal.divisor - 1, int64_t{0}, -goal.divisor, int64_t{1}}) {
        others.push_back({Property::kMultipleOf, divisor});
      }
    }
    for (const Goal& other : others) {
      if (other == goal) continue;
      With("goal", i, [&](CertificateNode& node) { node.goal = other; });
      // In all nodes alike: only the facts can tell.
      Certificate mutated = original_;
      for (CertificateNode& node : mutated.nodes) {
        if (node.goal == goal) node.goal = other;
      }
      visit_("goals", mutated);
    }
  }

  void MutateExpr(size_t i) {
    std::vector<const Expr*> others;
    for (const CertificateNode& node : original_.nodes) {
      others.push_back(node.expr);
    }
    for (int n = 0; n < 4 && !pool_.exprs.empty(); ++n) {
      others.push_back(random_.Pick(pool_.exprs));
    }
    others.push_back(nullptr);
    for (const Expr* other : others) {
      if (other == original_.nodes[i].expr) continue;
      With("expression", i, [&](CertificateNode& node) { node.expr = other; });
    }
  }

  void MutateChildren(size_t i) {
    const std::vector<int>& children = original_.nodes[i].children;
    for (size_t c = 0; c < children.size(); ++c) {
      With("premise dropped", i, [&](CertificateNode& node) {
        node.children.erase(node.children.begin() + c);
      });
      With("premise duplicated", i, [&](CertificateNode& node) {
        node.children.insert(node.children.begin() + c, children[c]);
      });
      for (int other = -1; other <= static_cast<int>(i); ++other) {
        if (other == children[c]) continue;
        With("premise replaced", i,
             [&](CertificateNode& node) { node.children[c] = other; });
      }
      for (size_t d = c + 1; d < children.size(); ++d) {
        With("premises swapped", i, [&](CertificateNode& node) {
          std::swap(node.children[c], node.children[d]);
        });
      }
    }
    With("premise added", i,
         [&](CertificateNode& node) { node.children.push_back(0); });
  }

  void MutateOverflow(size_t i) {
    const CertificateNode& original = original_.nodes[i];
    for (const Overflow overflow :
         {Overflow::kIrrelevant, Overflow::kDischarged, Overflow::kAssumed}) {
      if (overflow == original.overflow) continue;
      With("overflow", i,
           [&](CertificateNode& node) { node.overflow = overflow; });
    }
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    std::vector<ValueRange> ranges = {{0, 0}, {0, 1000}, {0, 127}, {0, kMax}};
    if (original.exact_range.has_value()) {
      const ValueRange& range = *original.exact_range;
      if (range.min < kMax) ranges.push_back({range.min + 1, range.max});
      if (range.max > -kMax) ranges.push_back({range.min, range.max - 1});
    }
    for (const ValueRange& range : ranges) {
      With("range claimed", i, [&](CertificateNode& node) {
        node.overflow = Overflow::kDischarged;
        node.exact_range = range;
      });
      With("range", i,
           [&](CertificateNode& node) { node.exact_range = range; });
    }
    With("overflow forgotten", i, [&](CertificateNode& node) {
      node.overflow = Overflow::kIrrelevant;
      node.exact_range.reset();
    });
  }

  void MutateFacts(size_t i) {
    const CertificateNode& original = original_.nodes[i];
    std::vector<const ir::Assign*> assigns = {nullptr};
    std::vector<const ir::For*> loops = {nullptr};
    std::vector<const ir::Function*> functions = {nullptr};
    if (!pool_.assigns.empty()) assigns.push_back(random_.Pick(pool_.assigns));
    if (!pool_.loops.empty()) loops.push_back(random_.Pick(pool_.loops));
    functions.push_back(random_.Pick(pool_.functions));
    for (const ir::Assign* assign : assigns) {
      if (assign == original.definition) continue;
      With("definition", i,
           [&](CertificateNode& node) { node.definition = assign; });
    }
    for (const ir::For* loop : loops) {
      if (loop == original.loop) continue;
      With("loop", i, [&](CertificateNode& node) { node.loop = loop; });
    }
    for (const ir::Function* function : functions) {
      if (function == original.function) continue;
      With("function", i,
           [&](CertificateNode& node) { node.function = function; });
    }
    for (const LoopRange range :
         {LoopRange{0, 16}, LoopRange{0, 0}, LoopRange{32, 64}}) {
      With("loop range", i, [&](CertificateNode& node) { node.range = range; });
    }
    if (original.range.has_value()) {
      With("loop range", i,
           [&](CertificateNode& node) { ++node.range->start; });
      With("loop range", i, [&](CertificateNode& node) { ++node.range->step; });
      With("loop range", i, [&](CertificateNode& node) { node.range.reset(); });
    }
  }

  // The lists outlive the certificates that name them.
  void WithSources(absl::string_view kind, size_t i,
                   std::vector<ParamSource> sources,
                   std::vector<int> children) {
    With(kind, i, [&](CertificateNode& node) {
      node.sources = sources;
      node.children = children;
    });
  }

  void MutateSources(size_t i) {
    const CertificateNode& node = original_.nodes[i];
    const std::vector<ParamSource> sources(node.sources.begin(),
                                           node.sources.end());
    for (size_t s = 0; s < sources.size(); ++s) {
      auto fewer = sources;
      auto fewer_children = node.children;
      fewer.erase(fewer.begin() + s);
      fewer_children.erase(fewer_children.begin() + s);
      WithSources("caller dropped", i, fewer, fewer_children);
      WithSources("caller dropped from the list", i, fewer, node.children);
      auto more = sources;
      auto more_children = node.children;
      more.insert(more.begin() + s, sources[s]);
      more_children.insert(more_children.begin() + s, node.children[s]);
      WithSources("caller duplicated", i, more, more_children);
      for (size_t t = 0; t < sources.size(); ++t) {
        if (t == s) continue;
        auto swapped = sources;
        auto swapped_children = node.children;
        std::swap(swapped[s], swapped[t]);
        WithSources("callers swapped in the list", i, swapped, node.children);
        std::swap(swapped_children[s], swapped_children[t]);
        WithSources("callers swapped", i, swapped, swapped_children);
        // One caller twice, another not at all.
        auto twice = sources;
        auto twice_children = node.children;
        twice[s] = sources[t];
        twice_children[s] = node.children[t];
        WithSources("caller in place of another", i, twice, twice_children);
      }
      const auto with_source = [&](absl::string_view kind, auto change) {
        auto changed = sources;
        change(changed[s]);
        WithSources(kind, i, changed, node.children);
      };
      with_source("caller's value",
                  [&](ParamSource& source) { source.value = node.expr; });
      with_source("caller's call",
                  [&](ParamSource& source) { source.call = nullptr; });
      with_source("caller's function", [&](ParamSource& source) {
        source.caller = random_.Pick(pool_.functions);
      });
      with_source("caller's statement",
                  [&](ParamSource& source) { source.stmt = nullptr; });
      with_source("caller's kind", [&](ParamSource& source) {
        source.kind = ParamSource::Kind::kHost;
      });
    }
    if (!sources.empty()) WithSources("no callers", i, {}, {});
  }

  void MutateNodes() {
    const size_t count = original_.nodes.size();
    for (size_t i = 0; i < count; ++i) {
      Certificate dropped = original_;
      dropped.nodes.erase(dropped.nodes.begin() + i);
      visit_("node dropped", dropped);
      Certificate duplicated = original_;
      duplicated.nodes.insert(duplicated.nodes.begin() + i, original_.nodes[i]);
      visit_("node duplicated", duplicated);
      for (size_t j = i + 1; j < count && j < i + 4; ++j) {
        Certificate swapped = original_;
        std::swap(swapped.nodes[i], swapped.nodes[j]);
        visit_("nodes swapped", swapped);
      }
    }
  }

  const Certificate& original_;
  const Pool& pool_;
  Random& random_;
  Visit visit_;
};

// What the runs of one program contradict.
class BruteForce {
 public:
  BruteForce(const ir::Program& program, const ProgramFacts& facts,
             Random* random) {
    for (const ir::Function* function : program.functions) {
      if (!facts.Find(function)->host_calls) continue;
      for (int round = 0; round < 6; ++round) {
        runs_.emplace_back(program, random);
        runs_.back().Call(*function);
      }
    }
  }

  bool Contradicts(const Certificate& certificate) const {
    const CertificateNode& root = certificate.root();
    for (const ProgramRun& run : runs_) {
      for (const Integer value : run.ValuesOf(root.expr)) {
        if (HoldsFor(root.goal, value)) continue;
        const bool excused =
            std::any_of(certificate.nodes.begin(), certificate.nodes.end(),
                        [&](const CertificateNode& node) {
                          return node.overflow == Overflow::kAssumed &&
                                 run.Overflowed(node.expr);
                        });
        if (!excused) return true;
      }
    }
    return false;
  }

 private:
  std::vector<ProgramRun> runs_;
};

struct Outcome {
  int rejected = 0;
  int accepted = 0;  // And confirmed.
};

TEST(CertificateMutationTest, RejectedOrTrue) {
  Random random(seed);
  std::map<std::string, Outcome> outcomes;
  int certificates = 0;
  while (certificates < num_certificates && !testing::Test::HasFailure()) {
    TestIr ir;
    const ir::Program& program = *RandomProgram(&ir, &random);
    const ProgramFacts facts(program);
    const CertificateChecker checker(program);
    const Pool pool = PoolOf(program);
    const BruteForce brute_force(program, facts, &random);
    for (const ir::Assign* assign : pool.assigns) {
      const Prover prover(facts, {/*extended=*/random.OneIn(2)});
      const Expr* expr = random.OneIn(2) ? assign->value : assign->var;
      const ProofResult result =
          random.OneIn(2) ? prover.ProveNonNegative(expr)
                          : prover.ProveMultipleOf(expr, 1 + random.Below(17));
      if (!result.proven()) continue;
      ++certificates;
      const absl::Status accepted =
          checker.Check(expr, result.goal, result.certificate());
      ASSERT_TRUE(accepted.ok()) << "seed " << seed << ": " << accepted << "\n"
                                 << ExplainAtLength(result);
      ASSERT_FALSE(brute_force.Contradicts(result.certificate()));
      // Large ones have the same kinds of nodes, only more.
      if (result.certificate().nodes.size() > 12) continue;
      Mutator(result.certificate(), pool, &random,
              [&](absl::string_view kind, const Certificate& mutated) {
                Outcome& outcome = outcomes[std::string(kind)];
                const bool is_empty = mutated.nodes.empty();
                const bool ok =
                    checker
                        .Check(is_empty ? expr : mutated.root().expr,
                               is_empty ? result.goal : mutated.root().goal,
                               mutated)
                        .ok();
                ++(ok ? outcome.accepted : outcome.rejected);
                if (!ok) return;
                EXPECT_FALSE(brute_force.Contradicts(mutated))
                    << "seed " << seed << ", " << kind << " in\n"
                    << ExplainAtLength(result);
              })
          .Run();
    }
  }
  Outcome all;
  std::cout << "seed " << seed << ": " << certificates
            << " certificates accepted; their mutations:\n";
  for (const auto& [kind, outcome] : outcomes) {
    std::cout << "  " << kind << ": " << outcome.rejected << " rejected, "
              << outcome.accepted << " accepted and confirmed\n";
    all.rejected += outcome.rejected;
    all.accepted += outcome.accepted;
  }
  std::cout << "  all: " << all.rejected << " rejected, " << all.accepted
            << " accepted and confirmed\n";
  // The lists of callers were really met, and none was believed.
  EXPECT_GT(outcomes["caller dropped"].rejected, 0);
  EXPECT_GT(outcomes["caller in place of another"].rejected, 0);
  EXPECT_EQ(outcomes["caller dropped"].accepted, 0);
  EXPECT_EQ(outcomes["caller duplicated"].accepted, 0);
}

}  // namespace
}  // namespace mxtile::proof

int main(int argc, char** argv) {
  using namespace mxtile::proof;
  return mxtile::RunRandomTests(argc, argv, "--certificates=", &seed,
                                &num_certificates);
}
