#include "tools/bench/result_report.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/bench/bench_run.h"
#include "tools/bench/declaration.h"
#include "tools/bench/paired.h"

namespace mxtile::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ExperimentRun RunOf(double base_us, double candidate_us, double ratio,
                    double ratio_min, double ratio_max) {
  ExperimentRun run;
  run.result.base_us = base_us;
  run.result.candidate_us = candidate_us;
  run.result.ratio = ratio;
  run.result.ratio_min = ratio_min;
  run.result.ratio_max = ratio_max;
  run.load_before = 0.25;
  run.load_after = 0.5;
  return run;
}

TEST(SummarizeTest, MediansOfRunsRangeOfAllAndTheTarget) {
  ExperimentResult experiment;
  experiment.runs = {RunOf(10, 5, 0.5, 0.4, 0.6), RunOf(30, 9, 0.9, 0.8, 1.5),
                     RunOf(20, 7, 0.7, 0.7, 0.7)};
  const Row row = Summarize(experiment);
  EXPECT_EQ(row.base_us, 20);
  EXPECT_EQ(row.candidate_us, 7);
  EXPECT_EQ(row.ratio, 0.7);
  EXPECT_EQ(row.ratio_min, 0.4);
  EXPECT_EQ(row.ratio_max, 1.5);
  EXPECT_TRUE(row.met);
  experiment.spec.target = 0.7;
  EXPECT_TRUE(Summarize(experiment).met);
  experiment.spec.target = 0.69;
  EXPECT_FALSE(Summarize(experiment).met);
}

BenchResult TwoTargets() {
  BenchRequest request;
  request.matrix = "pairs";
  request.workloads = {"decode", "gemm:8"};
  request.base = "openblas";
  BenchResult result;
  absl::StatusOr<Declaration> declaration = Declare(request);
  EXPECT_TRUE(declaration.ok());
  result.declaration = *declaration;
  for (const ExperimentSpec& spec : declaration->experiments) {
    result.experiments.push_back({spec, {}, ""});
  }
  return result;
}

TEST(ResultReportTest, LosersAndTheSkippedAreThere) {
  BenchResult result = TwoTargets();
  result.experiments[0].spec.target = 1.2;
  result.experiments[0].spec.claim = "at most 1.2";
  result.experiments[0].runs = {RunOf(100, 150, 1.5, 1.25, 1.75)};
  result.experiments[1].skipped = "no OpenBLAS";
  const std::string text = ResultText(result);
  EXPECT_THAT(text, HasSubstr("joint / openblas"));
  EXPECT_THAT(text, HasSubstr("100.00      150.00   1.500  1.250 .. 1.750"));
  EXPECT_THAT(text, HasSubstr("<= 1.200 MISSED  at most 1.2"));
  EXPECT_THAT(text, HasSubstr("skipped: no OpenBLAS"));
  EXPECT_THAT(text, HasSubstr("load average 0.25 .. 0.50"));
  const nlohmann::ordered_json json = ResultJson(result);
  EXPECT_EQ(json["rows"][0]["met"], false);
  EXPECT_EQ(json["rows"][0]["runs"], 1);
  EXPECT_EQ(json["rows"][1]["skipped"], "no OpenBLAS");
}

TEST(ResultReportTest, RequestedAndRealisedOfAnArm) {
  BenchResult result = TwoTargets();
  result.facts["decode"]["joint"] = {{"kind", "compiled"},
                                     {"mode", "compat"},
                                     {"requested_block", 4},
                                     {"requested_clone", true},
                                     {"candidate", "the fast"},
                                     {"block_rows", 1},
                                     {"block_cols", 4},
                                     {"blocked_mmas", 1},
                                     {"clones", 0},
                                     {"body_instructions", 1891},
                                     {"team_instructions", 0},
                                     {"bytes", 12864},
                                     {"allocations", 8},
                                     {"workspace", 102912}};
  result.facts["decode"]["openblas"] = {{"kind", "openblas"}};
  std::string text = ResultText(result);
  EXPECT_THAT(text, HasSubstr("joint      4/1x4   on/0       1891       0"));
  EXPECT_THAT(text, HasSubstr("the fast"));
  result.facts["decode"]["joint"]["blocked_mmas"] = 0;
  text = ResultText(result);
  EXPECT_THAT(text, HasSubstr("joint      4/1     on/0"));
  EXPECT_THAT(text, Not(HasSubstr("4/1x4")));
  // Nothing was measured.
  EXPECT_THAT(text, Not(HasSubstr("load average")));
}

}  // namespace
}  // namespace mxtile::bench
