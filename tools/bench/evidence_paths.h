#ifndef TOOLS_BENCH_EVIDENCE_PATHS_H_
#define TOOLS_BENCH_EVIDENCE_PATHS_H_

// Where things are in an evidence folder (docs/bench.md), for the one who
// writes it and the one who audits it.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tools/bench/declaration.h"

namespace mxtile::bench {

inline constexpr char kManifestFile[] = "manifest.json";
inline constexpr char kDeclaredFile[] = "declared.json";
inline constexpr char kEnvironmentFile[] = "environment.json";
inline constexpr char kResultsFile[] = "results.json";

// Raw little-endian floats, those of the inputs.
inline std::string BufferFile(absl::string_view workload, int buffer) {
  return absl::StrCat("workloads/", FileName(workload), "/buffer", buffer,
                      ".f32");
}
// Raw little-endian doubles.
inline std::string OracleFile(absl::string_view workload) {
  return absl::StrCat("workloads/", FileName(workload), "/oracle.f64");
}
// What is captured of an arm: "facts.json", "output.f32", and of a compiled one
// "object.o", "before.ll", "after.ll".
inline std::string ArmFile(absl::string_view workload, absl::string_view arm,
                           absl::string_view file) {
  return absl::StrCat("arms/", FileName(workload), "/", arm, "/", file);
}
inline std::string ExperimentFile(absl::string_view experiment, int repeat) {
  return absl::StrCat("experiments/", FileName(experiment), "/", repeat,
                      ".json");
}

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_EVIDENCE_PATHS_H_
