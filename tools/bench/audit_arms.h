#ifndef TOOLS_BENCH_AUDIT_ARMS_H_
#define TOOLS_BENCH_AUDIT_ARMS_H_

// The audit of what was captured of a workload and its arms. Each has a subject
// of its own in the report of `files`.

#include <vector>

#include "tools/bench/audit_files.h"
#include "tools/bench/declaration.h"

namespace mxtile::bench {

// Inputs against their formula, the oracle against an independent one, which is
// returned; empty when the inputs are no good.
std::vector<double> AuditWorkload(const WorkloadSpec& spec, AuditFiles& files);

// Each arm that is there, then those of the workload against each other.
void AuditArms(const Declaration& declaration, const WorkloadSpec& spec,
               const std::vector<double>& oracle, AuditFiles& files);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_AUDIT_ARMS_H_
