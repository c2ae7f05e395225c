#ifndef PROOF_REFUSAL_TEXT_H_
#define PROOF_REFUSAL_TEXT_H_

// What stopped a proof, as a list of clauses: how the leaf was reached, and the
// leaf last.
//
//   RefusalClauses(prover.ProveMultipleOf(row, 16), 4)
//     {"parameter of 'cell'", "caller 'main' at gemm.py:12 passes 8, not a
//      multiple of 16"}

#include <cstddef>
#include <string>
#include <vector>

#include "proof/prover.h"

namespace mxtile::proof {

// Of a chain of more than `max_hops` definitions and callers, the first ones
// and the last one are told.
std::vector<std::string> RefusalClauses(const ProofResult& result,
                                        size_t max_hops);

// Whether the clauses name a value that the question's expression takes:
// nothing is computed on the way to the leaf, and the leaf has a value.
bool ClausesNameViolation(const ProofResult& result);

}  // namespace mxtile::proof

#endif  // PROOF_REFUSAL_TEXT_H_
