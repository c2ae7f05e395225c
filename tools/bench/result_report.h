#ifndef TOOLS_BENCH_RESULT_REPORT_H_
#define TOOLS_BENCH_RESULT_REPORT_H_

// What a benchmark says: the table for people, JSON for machines and for the
// evidence. docs/bench.md explains both.
//
//   std::cout << ResultText(result);
//   evidence.Add(kResultsFile, ResultJson(result).dump(1));

#include <string>

#include "nlohmann/json.hpp"
#include "tools/bench/bench_run.h"

namespace mxtile::bench {

// Of all runs of an experiment.
struct Row {
  double base_us = 0;       // median over the runs
  double candidate_us = 0;  // likewise
  double ratio = 0;         // median of the runs' ratios
  double ratio_min = 0;     // over all pairs of all runs
  double ratio_max = 0;
  bool met = true;  // ratio <= target; true without one
};

// The experiment has runs.
Row Summarize(const ExperimentResult& experiment);

std::string ResultText(const BenchResult& result);
nlohmann::ordered_json ResultJson(const BenchResult& result);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_RESULT_REPORT_H_
