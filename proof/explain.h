#ifndef PROOF_EXPLAIN_H_
#define PROOF_EXPLAIN_H_

// Says in one line, or at length, why something is proven, or what stopped the
// proof.
//
//   Explain(prover.ProveMultipleOf(offset, 2))
//     "k0 // 32: multiple of 2 since k0 = 64 + 64*i (loop at 41) and 64 is a
//      multiple of 32*2"
//   Explain(prover.ProveMultipleOf(row, 16))
//     "row: parameter of 'cell'; caller 'main' at gemm.py:12 passes 8, not a
//      multiple of 16"
//
// The line names at most a handful of facts and shortens long expressions.
// Places without a known line are left out. The wording may change; programs
// read the ProofResult.

#include <string>

#include "proof/prover.h"

namespace mxtile::proof {

std::string Explain(const ProofResult& result);

// Both questions about one offset in one line: both proofs, or the first
// refusal.
std::string Explain(const ProofResult& multiple, const ProofResult& sign);

// The same without the way: the loops and block indices that the proofs rest
// on, or the leaf that stopped the first refused one.
//
//   "k0 = 64 + 64*i (loop at 41)"
std::string ExplainBriefly(const ProofResult& multiple,
                           const ProofResult& sign);

// Several lines, each ended: the whole proof as a tree of rule applications, or
// the whole chain that led to the refusal.
//
//   i * 16: >= 0: proven
//     i * 16 >= 0 [MX-PROOF-2]; 0 to 1008 fits INDEX
//       i >= 0 [MX-PROOF-6] i = 1*j (loop at 41)
//       16 >= 0 [MX-PROOF-1]
std::string ExplainAtLength(const ProofResult& result);

}  // namespace mxtile::proof

#endif  // PROOF_EXPLAIN_H_
