#ifndef TOOLS_BENCH_AUDIT_EXPERIMENTS_H_
#define TOOLS_BENCH_AUDIT_EXPERIMENTS_H_

// The audit of what was measured: order, counts, medians and ratios of each
// experiment, and the rows that were made of them.

#include "tools/bench/audit_files.h"
#include "tools/bench/declaration.h"

namespace mxtile::bench {

// Whether all arms of the experiment were captured; others were skipped.
bool IsMeasured(const ExperimentSpec& experiment, const AuditFiles& files);

void AuditExperiments(const Declaration& declaration, AuditFiles& files);
void AuditResults(const Declaration& declaration, AuditFiles& files);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_AUDIT_EXPERIMENTS_H_
