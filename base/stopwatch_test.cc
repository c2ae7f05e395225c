#include "base/stopwatch.h"

#include <chrono>

#include "gtest/gtest.h"

namespace mxtile {
namespace {

TEST(StopwatchTest, LapsAddUpToTheTimeThatPassed) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start)
        .count();
  };
  const Clock::time_point before = Clock::now();
  Stopwatch stopwatch;
  const Clock::time_point after = Clock::now();
  double sum = 0;
  for (int lap = 0; lap < 3; ++lap) {
    const Clock::time_point start = Clock::now();
    while (since(start) < 2) {
    }
    const double ms = stopwatch.Lap();
    EXPECT_GE(ms, 2);
    sum += ms;
  }
  EXPECT_LE(sum, since(before));
  EXPECT_LE(6, since(after));
}

}  // namespace
}  // namespace mxtile
