#ifndef TOOLS_BENCH_AUDIT_FILES_H_
#define TOOLS_BENCH_AUDIT_FILES_H_

// The files of an evidence folder as an audit reads them, and where it says
// what is wrong.
//
//   AuditFiles files(folder);
//   files.Begin("inventory");
//   MX_RETURN_IF_ERROR(files.ReadAll());
//   files.Expect(sum == claimed, path, "...");

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "tools/bench/audit_report.h"

namespace mxtile::bench {

class AuditFiles {
 public:
  explicit AuditFiles(std::string folder) : folder_(std::move(folder)) {}

  // Verdicts are about one subject after another.
  void Begin(std::string subject);
  void Fault(absl::string_view place, absl::string_view message);
  // A fault unless `holds`.
  void Expect(bool holds, absl::string_view place, absl::string_view message) {
    if (!holds) Fault(place, message);
  }
  // What the subject's line says when it is without a fault.
  void Note(std::string note) {
    report_.verdicts.back().note = std::move(note);
  }

  // Reads every file. Links, devices and names that leave the folder are
  // faults. Error: the folder cannot be read.
  absl::Status ReadAll();
  const std::map<std::string, std::string>& contents() const {
    return contents_;
  }
  bool Has(const std::string& path) const { return contents_.count(path) > 0; }

  // A missing file, and one that is no strict JSON, are faults and give null.
  nlohmann::ordered_json Json(const std::string& path);
  // Empty for a missing file, a fault.
  const std::string& Bytes(const std::string& path);
  // Faults unless there are `count` finite numbers; then empty.
  std::vector<float> Floats(const std::string& path, int64_t count);
  std::vector<double> Doubles(const std::string& path, int64_t count);

  AuditReport& report() { return report_; }

 private:
  const std::string folder_;
  std::map<std::string, std::string> contents_;
  AuditReport report_;
};

// Runs the check; keys that are missing and values of another type, which it
// meets while it reads, become a fault.
template <typename Check>
void Guarded(absl::string_view place, AuditFiles& files, const Check& check) {
  try {
    check();
  } catch (const nlohmann::ordered_json::exception& error) {
    files.Fault(place,
                std::string("not as docs/bench.md has it: ") + error.what());
  }
}

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_AUDIT_FILES_H_
