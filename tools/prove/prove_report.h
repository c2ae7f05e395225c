#ifndef TOOLS_PROVE_PROVE_REPORT_H_
#define TOOLS_PROVE_PROVE_REPORT_H_

// What `mxtile prove` has to say: every offset of an MX window of a program
// with what the prover said about it; as text for people and as JSON for
// machines (docs/prove_report.md).
//
//   const proof::ProgramFacts facts(*program, {entry});
//   const auto proven =
//       ProveOffsets(file, *program, registry, facts, options);
//   if (proven.ok()) std::cout << ToText(*proven, /*explain=*/true);

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "passes/block_mx_scale_tensor_views/mx_offsets.h"
#include "proof/facts.h"
#include "proof/prover.h"

namespace mxtile {

// The judgements point into the program and the facts.
struct ProvenProgram {
  std::string file;
  std::string program;
  std::vector<OffsetJudgement> offsets;

  int num_proven() const;
  // Of the proven ones, those that assume that something does not overflow.
  int num_assuming() const;
  int num_refused() const {
    return static_cast<int>(offsets.size()) - num_proven();
  }
};

struct ProveOptions {
  std::string entry;
  proof::ProofOptions proof;
};

// Asks about the program as it is: no pass is run. `facts` are those of the
// program and the entry. Every certificate is checked without the prover
// (proof/certificate_checker.h); Internal when one does not hold.
absl::StatusOr<ProvenProgram> ProveOffsets(const std::string& file,
                                           const ir::Program& program,
                                           const ir::OpRegistry& registry,
                                           const proof::ProgramFacts& facts,
                                           const ProveOptions& options);

// A table; below each row, if `explain`, the proofs as trees or the refusals
// with their chains.
std::string ToText(const ProvenProgram& program, bool explain);
// "8 offsets: 7 proven, 1 refused"
std::string SummaryText(const std::vector<ProvenProgram>& programs);
std::string ToJson(const std::vector<ProvenProgram>& programs,
                   const ProveOptions& options);

}  // namespace mxtile

#endif  // TOOLS_PROVE_PROVE_REPORT_H_
