#ifndef TOOLS_BENCH_EVIDENCE_H_
#define TOOLS_BENCH_EVIDENCE_H_

// The folder that a benchmark leaves, for the audit (audit.h).
//
//   MX_ASSIGN_OR_RETURN(Evidence evidence, Evidence::Create("results/seed"));
//   MX_RETURN_IF_ERROR(evidence.Add("environment.json", text));
//   MX_RETURN_IF_ERROR(evidence.Finish());
//
// Everything is written to a folder of another name beside it, which Finish
// completes by the manifest and renames; without Finish it is removed.

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile::bench {

class Evidence {
 public:
  // FailedPrecondition when `folder` exists; errors of base/file.h.
  static absl::StatusOr<Evidence> Create(const std::string& folder);
  Evidence(Evidence&& other);
  Evidence& operator=(Evidence&&) = delete;
  ~Evidence();

  // `path` is relative, its folders are made.
  absl::Status Add(const std::string& path, absl::string_view contents);
  absl::Status Finish();

 private:
  struct File {
    std::string sha256;
    int64_t bytes;
  };

  Evidence(std::string folder, std::string temporary)
      : folder_(std::move(folder)), temporary_(std::move(temporary)) {}

  std::string folder_;
  std::string temporary_;  // empty when finished
  std::map<std::string, File> files_;
};

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_EVIDENCE_H_
