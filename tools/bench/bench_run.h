#ifndef TOOLS_BENCH_BENCH_RUN_H_
#define TOOLS_BENCH_BENCH_RUN_H_

// Runs what was declared: first all captures, then all experiments.
//
//   MX_ASSIGN_OR_RETURN(const Declaration declaration, Declare(request));
//   MX_ASSIGN_OR_RETURN(BenchResult result,
//                       RunBench(declaration, SteadyClock(), nullptr,
//                       nullptr));
//   std::cout << ResultText(result);     // result_report.h

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "tools/bench/arm.h"
#include "tools/bench/declaration.h"
#include "tools/bench/evidence.h"
#include "tools/bench/paired.h"

namespace mxtile::bench {

struct ExperimentRun {
  PairedResult result;
  // Of the last minute, before and after.
  double load_before = 0;
  double load_after = 0;
};

struct ExperimentResult {
  ExperimentSpec spec;
  std::vector<ExperimentRun> runs;  // request.repeats; none when skipped
  std::string skipped;              // why
};

struct BenchResult {
  Declaration declaration;
  nlohmann::ordered_json environment;
  // By workload and arm. Code and outputs are in the evidence only.
  std::map<std::string, std::map<std::string, nlohmann::ordered_json>> facts;
  std::vector<ExperimentResult> experiments;
};

// An arm that this build or processor does not have makes its experiments
// skipped. `evidence` gets everything but the results, and `progress` a line
// for each step; either may be null.
absl::StatusOr<BenchResult> RunBench(
    const Declaration& declaration, Clock& clock, Evidence* evidence,
    const std::function<void(absl::string_view)>& progress);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_BENCH_RUN_H_
