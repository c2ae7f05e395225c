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
// Limits. Types are trusted: an expression of an integer type has an integer
// value (BOOL is no integer type, and nothing is proven of it), and a variable
// or parameter holds what was stored in it. A loop variable stays between start
// and stop. What else rests on arithmetic without overflow is marked in the
// certificate. Results point into the facts and the program, and must not
// outlive either.

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/facts.h"

namespace mxtile::proof {

inline constexpr int kProofBudget = 256;

struct ProofOptions {
  // The rules marked "extended" in the table.
  bool extended = false;
};

enum class Property { kMultipleOf, kNonNegative };

// What is to be shown of an expression.
struct Goal {
  Property property = Property::kNonNegative;
  int64_t divisor = 0;  // Positive; 0 for kNonNegative.

  bool HoldsFor(int64_t value) const {
    return property == Property::kNonNegative ? value >= 0
                                              : value % divisor == 0;
  }
  bool operator==(const Goal& other) const {
    return property == other.property && divisor == other.divisor;
  }
};

enum class Rule {
  kConstant = 1,
  kProduct,
  kSum,
  kDifference,
  kQuotient,
  kLoopVar,
  kNeverNegative,
  kCallers,
  kDefinition,
  kMin,
  kMax,
  kRemainder,
};

// "MX-PROOF-1" for kConstant.
absl::string_view RuleId(Rule rule);

// One application of a rule.
struct CertificateNode {
  Rule rule = Rule::kConstant;
  const ir::Expr* expr = nullptr;
  Goal goal;
  // Indices of the premises in Certificate::nodes, all smaller than this one's.
  // kProduct (multiple) and kMax have the one operand that was enough; kCallers
  // has one premise a source, in the order of `sources`.
  std::vector<int> children;
  // The conclusion needs the value of `expr`, or the conversion to its type, to
  // be the exact one.
  bool assumes_no_overflow = false;

  // The facts used.
  const ir::Assign* definition = nullptr;  // kDefinition, kNeverNegative.
  const ir::For* loop = nullptr;           // kLoopVar.
  std::optional<LoopRange> range;          // kLoopVar.
  const ir::Function* function = nullptr;  // kCallers: the callee.
  absl::Span<const ParamSource> sources;   // kCallers.
};

// A proof: the last node concludes.
struct Certificate {
  std::vector<CertificateNode> nodes;

  const CertificateNode& root() const { return nodes.back(); }
};

enum class RefusalReason {
  kConstantViolates,    // `value`.
  kLoopViolates,        // The loop's start or step; `value` where it is known.
  kLoopNotConstant,     // Start or step of the loop is no constant.
  kNoFact,              // A variable that the program does not bind.
  kRebound,             // A variable that is bound at several places.
  kIterArg,             // Carried by a loop.
  kLoopResult,          // Left by a loop.
  kIfResult,            // The phi of an if.
  kDynamicDim,          // A dimension known at run time only.
  kUnknownSource,       // `source` may pass anything.
  kRecursion,           // A parameter of a recursive function.
  kCast,                // A conversion.
  kTupleItem,           // An item of a tuple.
  kCallResult,          // The result of an operator or function.
  kSubtraction,         // In a sign proof.
  kDivisorNotConstant,  // `a // c`, `a % c`: c is no constant,
  kDivisorNotPositive,  //   not positive,
  kNotPowerOfTwo,       //   no power of two,
  kOverflow,            //   or c*d exceeds 64 bits.
  kUnsupportedOperator,
  kNotInteger,  // Of no integer type.
  kBudget,
};

// A step from a variable to where its value comes from.
struct Hop {
  const ir::Var* var = nullptr;
  const ir::Function* function = nullptr;  // Whose variable it is.
  const ir::Assign* definition = nullptr;  // The definition followed, or null.
  const ParamSource* source = nullptr;     // The caller followed, or null.
};

// Why a question has no proof. Where both factors of a product fail, a constant
// one is reported in preference to the left one.
struct Refusal {
  RefusalReason reason = RefusalReason::kNoFact;
  // The leaf that stopped the proof, and what was to be shown of it.
  const ir::Expr* expr = nullptr;
  Goal goal;
  // How the leaf was reached from the question, outermost first.
  std::vector<Hop> hops;
  // A value of `expr` that violates `goal`.
  std::optional<int64_t> value;
  const VarFacts* facts = nullptr;  // Of `expr`, when it is a known variable.
  const ParamSource* source = nullptr;  // Of kUnknownSource.
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
