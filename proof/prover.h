#ifndef PROOF_PROVER_H_
#define PROOF_PROVER_H_

// Proves two things about an integer expression of a program: that its value
// is a multiple of d, and that it is not negative, whenever it is computed.
//
//   const ProgramFacts facts(*program);
//   const Prover prover(facts);
//   const ProofResult result = prover.ProveMultipleOf(offset, 16);
//   if (!result.proven()) return Error(Explain(result));   // proof/explain.h
//
// The rules; whatever no rule covers is not proven.
//
// | Rule        | Expression         | multiple of d  | not negative      |
// |-------------|--------------------|----------------|-------------------|
// | MX-PROOF-1  | constant c         | d divides c    | c >= 0            |
// | MX-PROOF-2  | a * b              | a or b         | a and b           |
// | MX-PROOF-3  | a + b              | a and b        | a and b           |
// | MX-PROOF-4  | a - b              | a and b        | never             |
// | MX-PROOF-5  | a // c             | a, of c*d [1]  | a [2]             |
// | MX-PROOF-6  | loop variable      | start and step | start and step    |
// | MX-PROOF-7  | block index, count | never          | always            |
// | MX-PROOF-8  | parameter          | all sources    | all sources       |
// | MX-PROOF-9  | assigned variable  | definition     | definition        |
// | MX-PROOF-10 | min(a, b)          | never          | extended: a and b |
// | MX-PROOF-11 | max(a, b)          | never          | extended: a or b  |
// | MX-PROOF-12 | a % c, c > 0       | never          | extended: a       |
//
// [1] c = 2^n, and c*d fits 63 bits. [2] c = 2^n; extended: any c > 0.
//
// In 5 and 12, c is a constant. MX-PROOF-7 applies to a variable assigned
// directly from an operator with OpDef::result_never_negative. Parameters of
// recursive functions are never proven.
//
// Budget. A question may visit kProofBudget expressions; one that would need a
// visit more is refused. Every visit counts, also of an expression visited
// before. Operands are visited left to right, the second only when the first
// did not decide. The constants c and unknown sources are not visited.
//
// Overflow. An integer has the width of its type (INDEX: 64 bits) and what does
// not fit wraps, operands of another type before the operation or only its
// result: both are covered. Being a multiple of d survives that when d is a
// power of two that the type can tell, d <= 2^width; being one of any other d
// does not, and a sign only in an unsigned type. Where a conclusion does not
// survive, the exact value has to fit the type. Known ranges
// (proof/value_range.h) show that: then the certificate states the range.
// Otherwise it states the assumption, and ProofOptions::strict_overflow refuses
// instead. What the rules look at:
//
// | Rule                                | What has to fit                    |
// |-------------------------------------|------------------------------------|
// | constant                            | the constant                       |
// | product, sum, difference            | the exact result                   |
// | quotient, remainder, min, max       | operands of another type           |
// | loop variable                       | start to stop, of another type     |
// | definition, block index, parameter  | values of another type             |
//
// Limits. Types are trusted: an expression of an integer type has an integer
// value (BOOL is no integer type, and nothing is proven of it). A loop variable
// stays between start and stop: a loop ends where its variable would wrap.
// Results point into the facts and the program, and must not outlive either.

#include <cstdint>
#include <variant>

#include "base/check.h"
#include "ir/expr.h"
#include "proof/certificate.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/refusal.h"
#include "proof/value_range.h"

namespace mxtile::proof {

inline constexpr int kProofBudget = 256;

struct ProofOptions {
  // The rules marked "extended" in the table.
  bool extended = false;
  // Refuse what rests on the assumption that nothing overflows.
  bool strict_overflow = false;
  // At least the number of blocks of any launch.
  int64_t block_limit = kDefaultBlockLimit;
};

struct ProofResult {
  const ir::Expr* expr = nullptr;
  Goal goal;
  int visited = 0;
  std::variant<Refusal, Certificate> outcome;

  bool proven() const { return std::holds_alternative<Certificate>(outcome); }
  const Certificate& certificate() const {
    MX_CHECK(proven());
    return std::get<Certificate>(outcome);
  }
  const Refusal& refusal() const {
    MX_CHECK(!proven());
    return std::get<Refusal>(outcome);
  }
};

class Prover {
 public:
  // The facts must outlive the prover and its results.
  explicit Prover(const ProgramFacts& facts, const ProofOptions& options = {})
      : facts_(facts), options_(options) {}

  // The divisor must be positive.
  ProofResult ProveMultipleOf(const ir::Expr* expr, int64_t divisor) const;
  ProofResult ProveNonNegative(const ir::Expr* expr) const;

 private:
  const ProgramFacts& facts_;
  ProofOptions options_;
};

}  // namespace mxtile::proof

#endif  // PROOF_PROVER_H_
