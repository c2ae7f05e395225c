#ifndef PROOF_CERTIFICATE_CHECKER_H_
#define PROOF_CERTIFICATE_CHECKER_H_

// Checks certificates without the engine that made them: who doubts the prover
// has to believe only this, proof/program_index.h and proof/checked_range.h.
//
//   const CertificateChecker checker(*program);
//   absl::Status status =
//       checker.Check(offset, Goal::MultipleOf(16), result.certificate());
//
// No code is shared with the prover, its facts and its ranges. Definitions,
// loops and all callers are found in the program anew, and what the certificate
// says is compared with what was found; a list in a certificate is never
// believed. Ranges that discharge overflow assumptions are computed anew.
//
// Accepted: the last node claims the goal of the expression, every node follows
// by its rule (proof/prover.h, "extended" ones included) from nodes before it,
// and every overflow is irrelevant, discharged or assumed as stated. Then the
// claim holds in every run in which none of the assumed overflows happens; a
// caller may refuse assumptions. InvalidArgument otherwise, naming the node.
//
// Requires a program that the verifier accepts, which must outlive the checker.
// Cost: one walk over the program, then linear in the certificate, but for
// ranges: one may take as many steps as the program has expressions.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "proof/certificate.h"
#include "proof/goal.h"
#include "proof/program_index.h"
#include "proof/value_range.h"

namespace mxtile::proof {

struct CertificateCheckOptions {
  std::string entry;                         // FactsOptions::entry.
  int64_t block_limit = kDefaultBlockLimit;  // ProofOptions::block_limit.
  // Refuse certificates that assume that something does not overflow.
  bool refuse_assumptions = false;
};

class CertificateChecker {
 public:
  explicit CertificateChecker(const ir::Program& program,
                              const CertificateCheckOptions& options = {})
      : options_(options), index_(program, options.entry) {}

  absl::Status Check(const ir::Expr* expr, const Goal& goal,
                     const Certificate& certificate) const;

 private:
  CertificateCheckOptions options_;
  ProgramIndex index_;
};

}  // namespace mxtile::proof

#endif  // PROOF_CERTIFICATE_CHECKER_H_
