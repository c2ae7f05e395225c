#ifndef BASE_STOPWATCH_H_
#define BASE_STOPWATCH_H_

// Wall time of one phase after the other.
//
//   Stopwatch stopwatch;
//   Plan();
//   plan_ms = stopwatch.Lap();
//   Compile();
//   compile_ms = stopwatch.Lap();

#include <chrono>

namespace mxtile {

class Stopwatch {
 public:
  // Milliseconds since it was made or last read.
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> lap = now - start_;
    start_ = now;
    return lap.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace mxtile

#endif  // BASE_STOPWATCH_H_
