#ifndef TOOLS_BENCH_PAIRED_H_
#define TOOLS_BENCH_PAIRED_H_

// Two ways to compute the same thing, timed in turn: A B B A, so that a machine
// that drifts slows both alike, and only ratios of neighbours are formed.
//
//   MX_ASSIGN_OR_RETURN(PairedResult result,
//                       MeasurePair(problem, base, candidate, {},
//                       SteadyClock()));
//   result.ratio            // candidate / base, below 1: the candidate is
//   faster
//
// A visit, of which a cycle has four: private copies of all buffers, aligned to
// 64 bytes between guards; the output all NaN, the workspace all zero; one
// call; calls for warmup_ns; the number of calls of a batch doubled until a
// batch takes batch_ns; then `samples` batches. All buffers are checked after
// the call, the warm-up, the calibration and each batch: the output against the
// oracle, inputs, guards and the launch for changes. The visit's value is the
// median of its batches, in us a call.
//
// Timed: the arm's call and what it calls. Not timed: copies, checks,
// allocation. An error is about one arm at one moment; FaultOf says of what
// kind.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile::bench {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowNs() = 0;
};

Clock& SteadyClock();

// What a call gets: the entry's arguments (exec/simd/emit/kernel_emitter.h).
struct Launch {
  std::vector<void*> buffers;
  int64_t first = 0;
  int64_t count = 0;
  void* workspace = nullptr;  // 64-byte aligned
  int64_t error = 0;
};

struct PairedArm {
  std::string name;
  std::function<void(Launch&)> call;
  int64_t workspace_bytes = 0;
};

// f32 buffers, of which one is the output.
struct PairedProblem {
  std::vector<std::vector<float>> buffers;
  int output = 0;
  int64_t program_count = 1;
  std::vector<double> oracle;  // as long as the output
  double tolerance = 0;        // absolute, plus relative to the oracle
};

struct PairedOptions {
  int cycles = 3;
  int samples = 7;
  int64_t warmup_ns = 30'000'000;
  int64_t batch_ns = 15'000'000;
};

struct Visit {
  bool is_candidate = false;
  int64_t repeats = 0;            // calls in a batch
  std::vector<int64_t> batch_ns;  // options.samples of them
  double median_us = 0;           // of a call
  std::string output_sha256;      // after the last batch
};

struct PairedResult {
  std::vector<Visit> visits;   // cycles x (A, B, B, A)
  std::vector<double> ratios;  // B / A: visits 1 / 0 and 2 / 3 of each cycle
  double ratio = 0;            // their median
  double ratio_min = 0;
  double ratio_max = 0;
  // Medians of the visits' medians. Their quotient is not the ratio.
  double base_us = 0;
  double candidate_us = 0;
};

enum class Fault {
  kNone,
  kBadArgument,     // numbers below 1, an arm without a call
  kExtent,          // the oracle or a buffer of another size; a window that
                    // left its view
  kOracle,          // the oracle has no finite values
  kBufferGuard,     // written before or behind a buffer
  kWorkspaceGuard,  // written before or behind the workspace
  kInputChanged,
  kOutputMismatch,  // farther from the oracle than the tolerance
  kLaunchChanged,   // the call changed the arguments it got
  kException,
};

absl::string_view Name(Fault fault);
// Of a status of this file; kNone for others.
Fault FaultOf(const absl::Status& status);

absl::StatusOr<PairedResult> MeasurePair(const PairedProblem& problem,
                                         const PairedArm& base,
                                         const PairedArm& candidate,
                                         const PairedOptions& options,
                                         Clock& clock);

// One checked call, as a visit begins: the output.
absl::StatusOr<std::vector<float>> CallOnce(const PairedProblem& problem,
                                            const PairedArm& arm);

// The middle, or the mean of the two in the middle. `values` is not empty.
double Median(std::vector<double> values);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_PAIRED_H_
