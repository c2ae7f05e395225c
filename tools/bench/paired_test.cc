#include "tools/bench/paired.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::bench {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Time passes only where a test says so.
class FakeClock : public Clock {
 public:
  int64_t NowNs() override { return now_; }
  void Pass(int64_t ns) { now_ += ns; }

 private:
  int64_t now_ = 1'000'000;
};

// y = 2 x, in buffers 0 and 1.
PairedProblem Doubling() {
  PairedProblem problem;
  problem.buffers = {{1, 2, 3}, {0, 0, 0}};
  problem.output = 1;
  problem.program_count = 3;
  problem.oracle = {2, 4, 6};
  problem.tolerance = 1e-6;
  return problem;
}

float* Buffer(const Launch& launch, int i) {
  return static_cast<float*>(launch.buffers[i]);
}

void Double(Launch& launch) {
  for (int64_t i = launch.first; i < launch.first + launch.count; ++i) {
    Buffer(launch, 1)[i] = 2 * Buffer(launch, 0)[i];
  }
}

TEST(MedianTest, OfOddAndEvenCounts) {
  EXPECT_EQ(Median({3}), 3);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({4, 1, 10, 2}), 3);
}

class MeasureTest : public ::testing::Test {
 protected:
  // An arm whose calls take ns[visit], of its own visits.
  PairedArm Taking(const std::string& name, std::vector<int64_t> ns) {
    PairedArm arm;
    arm.name = name;
    arm.call = [this, ns = std::move(ns), name,
                visit = -1](Launch& launch) mutable {
      // A new visit has a new output, all NaN.
      if (std::isnan(Buffer(launch, 1)[0])) {
        ++visit;
        order_ += name;
      }
      clock_.Pass(ns[visit % ns.size()]);
      Double(launch);
    };
    return arm;
  }

  FakeClock clock_;
  std::string order_;
};

TEST_F(MeasureTest, VisitsInTheOrderABBAAndFormsRatiosOfNeighbours) {
  PairedOptions options;
  options.cycles = 2;
  options.samples = 3;
  options.warmup_ns = 5000;
  options.batch_ns = 10000;
  // Visits: A 1000, B 500, B 800, A 2000; A 4000, B 1000, B 6000, A 3000.
  MX_ASSERT_OK_AND_ASSIGN(
      const PairedResult result,
      MeasurePair(Doubling(), Taking("A", {1000, 2000, 4000, 3000}),
                  Taking("B", {500, 800, 1000, 6000}), options, clock_));
  EXPECT_EQ(order_, "ABBAABBA");
  EXPECT_THAT(result.ratios, ElementsAre(0.5, 0.4, 0.25, 2));
  EXPECT_THAT(result.ratio, DoubleEq(0.45));
  EXPECT_EQ(result.ratio_min, 0.25);
  EXPECT_EQ(result.ratio_max, 2);
  EXPECT_THAT(result.base_us, DoubleEq(2.5));
  EXPECT_THAT(result.candidate_us, DoubleEq(0.9));
}

TEST_F(MeasureTest, DoublesTheRepeatsUntilABatchIsLongEnough) {
  PairedOptions options;
  options.cycles = 1;
  options.samples = 7;
  options.warmup_ns = 0;
  options.batch_ns = 10000;
  MX_ASSERT_OK_AND_ASSIGN(const PairedResult result,
                          MeasurePair(Doubling(), Taking("A", {1000}),
                                      Taking("B", {20000}), options, clock_));
  ASSERT_EQ(result.visits.size(), 4);
  EXPECT_EQ(result.visits[0].repeats, 16);
  EXPECT_EQ(result.visits[0].batch_ns, std::vector<int64_t>(7, 16000));
  EXPECT_EQ(result.visits[1].repeats, 1);
  EXPECT_EQ(result.visits[1].median_us, 20);
  EXPECT_FALSE(result.visits[3].is_candidate);
  EXPECT_EQ(result.visits[0].output_sha256, result.visits[1].output_sha256);
}

TEST_F(MeasureTest, RefusesNumbersWithoutMeaning) {
  PairedOptions options;
  options.cycles = 0;
  const absl::Status status = MeasurePair(Doubling(), Taking("A", {1}),
                                          Taking("B", {1}), options, clock_)
                                  .status();
  EXPECT_EQ(FaultOf(status), Fault::kBadArgument);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("0 cycles")));
  EXPECT_EQ(FaultOf(absl::InternalError("of somebody else")), Fault::kNone);
}

// What an arm does wrong, and what is said about it.
struct FaultCase {
  std::string name;
  Fault fault;
  std::function<void(Launch&)> call;
};

class FaultTest : public ::testing::TestWithParam<FaultCase> {};

TEST_P(FaultTest, IsFoundAndNamed) {
  PairedArm arm = {"arm", GetParam().call, 64};
  const absl::Status status = CallOnce(Doubling(), arm).status();
  EXPECT_EQ(FaultOf(status), GetParam().fault) << status;
  if (GetParam().fault == Fault::kNone) return;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(std::string(Name(GetParam().fault))));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultTest,
    ::testing::Values(
        FaultCase{"good", Fault::kNone, Double},
        FaultCase{"no_call", Fault::kBadArgument, nullptr},
        FaultCase{"writes_nothing", Fault::kOutputMismatch, [](Launch&) {}},
        FaultCase{"wrong", Fault::kOutputMismatch,
                  [](Launch& launch) {
                    Double(launch);
                    Buffer(launch, 1)[2] += 1e-4f;
                  }},
        FaultCase{"behind_the_output", Fault::kBufferGuard,
                  [](Launch& launch) {
                    Double(launch);
                    Buffer(launch, 1)[3] = 0;
                  }},
        FaultCase{"before_an_input", Fault::kBufferGuard,
                  [](Launch& launch) {
                    Double(launch);
                    Buffer(launch, 0)[-1] = 0;
                  }},
        FaultCase{"behind_the_workspace", Fault::kWorkspaceGuard,
                  [](Launch& launch) {
                    Double(launch);
                    static_cast<float*>(launch.workspace)[16] = 0;
                  }},
        FaultCase{"changes_an_input", Fault::kInputChanged,
                  [](Launch& launch) {
                    Double(launch);
                    Buffer(launch, 0)[1] += 1;
                  }},
        FaultCase{"changes_the_launch", Fault::kLaunchChanged,
                  [](Launch& launch) {
                    Double(launch);
                    launch.buffers[0] = nullptr;
                  }},
        FaultCase{"leaves_a_view", Fault::kExtent,
                  [](Launch& launch) {
                    Double(launch);
                    launch.error = 5;
                  }},
        FaultCase{"throws", Fault::kException,
                  [](Launch&) { throw std::runtime_error("no"); }}),
    [](const auto& info) { return info.param.name; });

TEST(CallOnceTest, MemoryIsAlignedZeroedAndPrivate) {
  const PairedProblem problem = Doubling();
  int calls = 0;
  const PairedArm arm = {
      "arm",
      [&](Launch& launch) {
        ++calls;
        for (void* data : launch.buffers) {
          EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0);
        }
        EXPECT_EQ(reinterpret_cast<uintptr_t>(launch.workspace) % 64, 0);
        EXPECT_EQ(static_cast<float*>(launch.workspace)[15], 0);
        EXPECT_NE(launch.buffers[0], problem.buffers[0].data());
        EXPECT_TRUE(std::isnan(Buffer(launch, 1)[0]));
        EXPECT_EQ(launch.first, 0);
        EXPECT_EQ(launch.count, 3);
        Double(launch);
      },
      64};
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<float> output,
                          CallOnce(problem, arm));
  EXPECT_THAT(output, ElementsAre(2, 4, 6));
  EXPECT_EQ(calls, 1);
}

TEST(CallOnceTest, RefusesAnOracleThatDoesNotFit) {
  PairedProblem problem = Doubling();
  problem.oracle.pop_back();
  EXPECT_EQ(FaultOf(CallOnce(problem, {"arm", Double}).status()),
            Fault::kExtent);
  problem.oracle.push_back(std::nan(""));
  EXPECT_EQ(FaultOf(CallOnce(problem, {"arm", Double}).status()),
            Fault::kOracle);
  problem.output = 2;
  EXPECT_EQ(FaultOf(CallOnce(problem, {"arm", Double}).status()),
            Fault::kBadArgument);
}

TEST(SteadyClockTest, DoesNotGoBack) {
  const int64_t before = SteadyClock().NowNs();
  EXPECT_GE(SteadyClock().NowNs(), before);
}

}  // namespace
}  // namespace mxtile::bench
