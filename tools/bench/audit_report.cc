#include "tools/bench/audit_report.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace mxtile::bench {

std::string ToText(const AuditReport& report) {
  std::string text;
  size_t faults = 0;
  for (const AuditVerdict& verdict : report.verdicts) {
    if (verdict.faults.empty()) {
      absl::StrAppend(&text, "ok     ", verdict.subject,
                      verdict.note.empty() ? "" : ": ", verdict.note, "\n");
    }
    for (const std::string& fault : verdict.faults) {
      absl::StrAppend(&text, "FAULT  ", verdict.subject, ": ", fault, "\n");
    }
    faults += verdict.faults.size();
  }
  absl::StrAppend(
      &text,
      faults == 0 ? "no fault"
                  : absl::StrCat(faults, faults == 1 ? " fault" : " faults"),
      " in ", report.verdicts.size(), " subjects\n");
  return text;
}

}  // namespace mxtile::bench
