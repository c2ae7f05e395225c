#ifndef TOOLS_BENCH_AUDIT_H_
#define TOOLS_BENCH_AUDIT_H_

// Recomputes what an evidence folder claims (docs/bench.md), from its files
// alone: nothing of it is loaded or executed, and this library has no compiler
// in it.
//
//   MX_ASSIGN_OR_RETURN(const AuditReport report, AuditEvidence("seed"));
//   std::cout << ToText(report);
//
// Subjects: the inventory and its hashes; the declaration, which is made again;
// each workload (inputs, oracle); each arm (facts against the module's text and
// the object, output against the oracle); arms of a workload against each
// other; each experiment (order, counts, medians, ratios); the results.

#include <string>

#include "absl/status/statusor.h"
#include "tools/bench/audit_report.h"

namespace mxtile::bench {

// Error: the folder cannot be read. What is wrong in it is in the report.
absl::StatusOr<AuditReport> AuditEvidence(const std::string& folder);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_AUDIT_H_
