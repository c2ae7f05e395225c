#include "tools/bench/workload.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "tools/bench/audit_oracle.h"
#include "tools/bench/declaration.h"

namespace mxtile::bench {
namespace {

class WorkloadTest : public ::testing::TestWithParam<const char*> {};

// The benchmark's inputs and oracle against those of the audit.
TEST_P(WorkloadTest, AgreesWithTheIndependentOracle) {
  MX_ASSERT_OK_AND_ASSIGN(const WorkloadSpec spec, ParseWorkload(GetParam()));
  MX_ASSERT_OK_AND_ASSIGN(const Workload workload, MakeWorkload(spec));
  std::vector<std::vector<float>> inputs = workload.problem.buffers;
  EXPECT_EQ(workload.problem.output, inputs.size() - 1);
  inputs.pop_back();
  for (int b = 0; b < inputs.size(); ++b) {
    for (int64_t i = 0; i < inputs[b].size(); ++i) {
      ASSERT_NEAR(inputs[b][i], ExpectedInput(spec, b, i), 1e-7);
    }
  }
  const std::vector<double> expected = IndependentOracle(spec, inputs);
  ASSERT_EQ(workload.problem.oracle.size(), expected.size());
  double largest = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(workload.problem.oracle[i], expected[i],
                1e-12 * (1 + std::fabs(expected[i])));
    largest = std::max(largest, std::fabs(expected[i]));
  }
  EXPECT_GT(largest, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Workloads, WorkloadTest,
                         ::testing::Values("prefill",
                                           "attention:2,6,3,7,19,5,9,3,8",
                                           "attention:1,1,1,1,1,1,1,1,1",
                                           "gemm:64", "gemm:7x5x9/2x2x2",
                                           "gemm:3x2x1", "tile:3x5x7/4"));

TEST(IndependentOracleTest, OfProductsAndOfEqualScores) {
  MX_ASSERT_OK_AND_ASSIGN(const WorkloadSpec gemm, ParseWorkload("gemm:2"));
  EXPECT_EQ(IndependentOracle(gemm, {{1, 2, 3, 4}, {5, 6, 7, 8}}),
            (std::vector<double>{19, 22, 43, 50}));
  // The second of two queries has the mean of both values.
  MX_ASSERT_OK_AND_ASSIGN(const WorkloadSpec two,
                          ParseWorkload("attention:1,1,1,2,2,1,1,1,1"));
  EXPECT_EQ(IndependentOracle(two, {{0, 0}, {1, 2}, {3, 5}}),
            (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace mxtile::bench
