#ifndef TOOLS_BENCH_AUDIT_REPORT_H_
#define TOOLS_BENCH_AUDIT_REPORT_H_

// What an audit found: a verdict for each subject.
//
//   std::cout << ToText(report);
//   ok     inventory: 61 files
//   FAULT  experiments/decode.r2_on_r1_on/0.json: visit 3: ...

#include <string>
#include <vector>

namespace mxtile::bench {

struct AuditVerdict {
  std::string subject;
  std::string note;                 // of one without a fault
  std::vector<std::string> faults;  // each begins with a place
};

struct AuditReport {
  std::vector<AuditVerdict> verdicts;

  bool ok() const {
    for (const AuditVerdict& verdict : verdicts) {
      if (!verdict.faults.empty()) return false;
    }
    return true;
  }
};

// A line a verdict and a line a fault; the last says how many.
std::string ToText(const AuditReport& report);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_AUDIT_REPORT_H_
