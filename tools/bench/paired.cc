#include "tools/bench/paired.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "tools/bench/guarded_buffer.h"

namespace mxtile::bench {
namespace {

constexpr absl::string_view kFaultPayload = "mxtile.bench.fault";

constexpr Fault kFaults[] = {
    Fault::kNone,         Fault::kBadArgument,    Fault::kExtent,
    Fault::kOracle,       Fault::kBufferGuard,    Fault::kWorkspaceGuard,
    Fault::kInputChanged, Fault::kOutputMismatch, Fault::kLaunchChanged,
    Fault::kException,
};

absl::Status MakeFault(Fault fault, absl::string_view message) {
  const bool users = fault == Fault::kBadArgument || fault == Fault::kExtent ||
                     fault == Fault::kOracle;
  absl::Status status(
      users ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kInternal,
      absl::StrCat(message, " (", Name(fault), ")"));
  status.SetPayload(kFaultPayload, absl::Cord(Name(fault)));
  return status;
}

absl::string_view BytesOf(const float* data, int64_t count) {
  return {reinterpret_cast<const char*>(data),
          static_cast<size_t>(count) * sizeof(float)};
}

absl::Status CheckProblem(const PairedProblem& problem) {
  if (problem.output < 0 || problem.output >= problem.buffers.size() ||
      problem.program_count < 1) {
    return MakeFault(
        Fault::kBadArgument,
        absl::StrCat("output ", problem.output, " of ", problem.buffers.size(),
                     " buffers, ", problem.program_count, " programs"));
  }
  const size_t count = problem.buffers[problem.output].size();
  if (problem.oracle.size() != count) {
    return MakeFault(Fault::kExtent,
                     absl::StrCat("the oracle has ", problem.oracle.size(),
                                  " values, the output ", count));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(problem.oracle[i])) {
      return MakeFault(
          Fault::kOracle,
          absl::StrCat("value ", i, " of the oracle is ", problem.oracle[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const PairedOptions& options) {
  if (options.cycles < 1 || options.samples < 1 || options.warmup_ns < 0 ||
      options.batch_ns < 1) {
    return MakeFault(
        Fault::kBadArgument,
        absl::StrCat(options.cycles, " cycles, ", options.samples, " samples, ",
                     options.warmup_ns, " ns of warm-up, batches of ",
                     options.batch_ns, " ns"));
  }
  return absl::OkStatus();
}

// An arm with memory of its own.
class Visitor {
 public:
  Visitor(const PairedProblem& problem, const PairedArm& arm)
      : problem_(problem), arm_(arm), workspace_(arm.workspace_bytes) {
    for (const std::vector<float>& content : problem.buffers) {
      const int64_t bytes =
          static_cast<int64_t>(content.size() * sizeof(float));
      buffers_.push_back(std::make_unique<GuardedBuffer>(bytes));
      std::memcpy(buffers_.back()->data(), content.data(), bytes);
      launch_.buffers.push_back(buffers_.back()->data());
    }
    float* const out = Output();
    std::fill(out, out + OutputCount(),
              std::numeric_limits<float>::quiet_NaN());
    launch_.count = problem.program_count;
    launch_.workspace = workspace_.data();
    expected_ = launch_;
  }

  // `calls` calls.
  absl::Status Call(int64_t calls) {
    try {
      for (int64_t i = 0; i < calls; ++i) arm_.call(launch_);
    } catch (const std::exception& error) {
      return MakeFault(Fault::kException,
                       absl::StrCat(arm_.name, ": ", error.what()));
    } catch (...) {
      return MakeFault(Fault::kException, arm_.name);
    }
    return absl::OkStatus();
  }

  absl::Status Check(absl::string_view moment) const {
    const auto fault = [&](Fault fault, absl::string_view message) {
      return MakeFault(
          fault, absl::StrCat(arm_.name, ", after ", moment, ": ", message));
    };
    if (launch_.error != 0) {
      return fault(Fault::kExtent, absl::StrCat("operation ", launch_.error - 1,
                                                " left its view"));
    }
    if (launch_.buffers != expected_.buffers ||
        launch_.first != expected_.first || launch_.count != expected_.count ||
        launch_.workspace != expected_.workspace) {
      return fault(Fault::kLaunchChanged, "the launch is not what it was");
    }
    if (!workspace_.IsIntact()) {
      return fault(Fault::kWorkspaceGuard, "written beside the workspace");
    }
    for (int i = 0; i < buffers_.size(); ++i) {
      if (!buffers_[i]->IsIntact()) {
        return fault(Fault::kBufferGuard,
                     absl::StrCat("written beside buffer ", i));
      }
      if (i != problem_.output &&
          std::memcmp(buffers_[i]->data(), problem_.buffers[i].data(),
                      buffers_[i]->bytes()) != 0) {
        return fault(Fault::kInputChanged,
                     absl::StrCat("buffer ", i, " is not what it was"));
      }
    }
    for (int64_t i = 0; i < OutputCount(); ++i) {
      const double expected = problem_.oracle[i];
      const double bound = problem_.tolerance * (1 + std::fabs(expected));
      // Also false for a NaN.
      if (!(std::fabs(Output()[i] - expected) <= bound)) {
        return fault(Fault::kOutputMismatch,
                     absl::StrCat("element ", i, " is ", Output()[i],
                                  ", the oracle has ", expected));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> TimedBatch(int64_t calls, Clock& clock) {
    const int64_t begin = clock.NowNs();
    MX_RETURN_IF_ERROR(Call(calls));
    return clock.NowNs() - begin;
  }

  float* Output() const {
    return reinterpret_cast<float*>(buffers_[problem_.output]->data());
  }
  int64_t OutputCount() const {
    return static_cast<int64_t>(problem_.oracle.size());
  }

 private:
  const PairedProblem& problem_;
  const PairedArm& arm_;
  GuardedBuffer workspace_;
  std::vector<std::unique_ptr<GuardedBuffer>> buffers_;
  Launch launch_;
  Launch expected_;
};

absl::StatusOr<Visit> MakeVisit(const PairedProblem& problem,
                                const PairedArm& arm,
                                const PairedOptions& options, Clock& clock) {
  Visitor visitor(problem, arm);
  MX_RETURN_IF_ERROR(visitor.Call(1));
  MX_RETURN_IF_ERROR(visitor.Check("the first call"));
  const int64_t begin = clock.NowNs();
  while (clock.NowNs() - begin < options.warmup_ns) {
    MX_RETURN_IF_ERROR(visitor.Call(1));
  }
  MX_RETURN_IF_ERROR(visitor.Check("the warm-up"));
  Visit visit;
  for (visit.repeats = 1;; visit.repeats *= 2) {
    MX_ASSIGN_OR_RETURN(const int64_t ns,
                        visitor.TimedBatch(visit.repeats, clock));
    // A clock that stands still must not double for ever.
    if (ns >= options.batch_ns || visit.repeats >= (int64_t{1} << 40)) break;
  }
  MX_RETURN_IF_ERROR(visitor.Check("the calibration"));
  std::vector<double> us;
  for (int i = 0; i < options.samples; ++i) {
    MX_ASSIGN_OR_RETURN(const int64_t ns,
                        visitor.TimedBatch(visit.repeats, clock));
    MX_RETURN_IF_ERROR(visitor.Check(absl::StrCat("batch ", i)));
    visit.batch_ns.push_back(ns);
    us.push_back(static_cast<double>(ns) /
                 (1000.0 * static_cast<double>(visit.repeats)));
  }
  visit.median_us = Median(us);
  visit.output_sha256 =
      Sha256Hex(BytesOf(visitor.Output(), visitor.OutputCount()));
  return visit;
}

void Summarize(PairedResult* result) {
  std::vector<double> base, candidate;
  for (const Visit& visit : result->visits) {
    (visit.is_candidate ? candidate : base).push_back(visit.median_us);
  }
  for (size_t i = 0; i + 3 < result->visits.size(); i += 4) {
    const Visit* v = &result->visits[i];
    result->ratios.push_back(v[1].median_us / v[0].median_us);
    result->ratios.push_back(v[2].median_us / v[3].median_us);
  }
  result->ratio = Median(result->ratios);
  const auto range =
      std::minmax_element(result->ratios.begin(), result->ratios.end());
  result->ratio_min = *range.first;
  result->ratio_max = *range.second;
  result->base_us = Median(base);
  result->candidate_us = Median(candidate);
}

class RealClock : public Clock {
 public:
  int64_t NowNs() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace

Clock& SteadyClock() {
  static RealClock clock;
  return clock;
}

absl::string_view Name(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "none";
    case Fault::kBadArgument:
      return "bad argument";
    case Fault::kExtent:
      return "extent";
    case Fault::kOracle:
      return "oracle";
    case Fault::kBufferGuard:
      return "buffer guard";
    case Fault::kWorkspaceGuard:
      return "workspace guard";
    case Fault::kInputChanged:
      return "input changed";
    case Fault::kOutputMismatch:
      return "output mismatch";
    case Fault::kLaunchChanged:
      return "launch changed";
    case Fault::kException:
      return "exception";
  }
  return "";
}

Fault FaultOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kFaultPayload);
  if (!payload.has_value()) return Fault::kNone;
  for (const Fault fault : kFaults) {
    if (*payload == Name(fault)) return fault;
  }
  return Fault::kNone;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

absl::StatusOr<std::vector<float>> CallOnce(const PairedProblem& problem,
                                            const PairedArm& arm) {
  MX_RETURN_IF_ERROR(CheckProblem(problem));
  if (arm.call == nullptr) {
    return MakeFault(Fault::kBadArgument, absl::StrCat(arm.name, ": no call"));
  }
  Visitor visitor(problem, arm);
  MX_RETURN_IF_ERROR(visitor.Call(1));
  MX_RETURN_IF_ERROR(visitor.Check("the call"));
  return std::vector<float>(visitor.Output(),
                            visitor.Output() + visitor.OutputCount());
}

absl::StatusOr<PairedResult> MeasurePair(const PairedProblem& problem,
                                         const PairedArm& base,
                                         const PairedArm& candidate,
                                         const PairedOptions& options,
                                         Clock& clock) {
  MX_RETURN_IF_ERROR(CheckProblem(problem));
  MX_RETURN_IF_ERROR(CheckOptions(options));
  for (const PairedArm* arm : {&base, &candidate}) {
    if (arm->call == nullptr || arm->workspace_bytes < 0) {
      return MakeFault(Fault::kBadArgument,
                       absl::StrCat(arm->name, ": no call, or a workspace of ",
                                    arm->workspace_bytes, " bytes"));
    }
  }
  PairedResult result;
  for (int cycle = 0; cycle < options.cycles; ++cycle) {
    for (const bool is_candidate : {false, true, true, false}) {
      MX_ASSIGN_OR_RETURN(
          Visit visit,
          MakeVisit(problem, is_candidate ? candidate : base, options, clock));
      visit.is_candidate = is_candidate;
      result.visits.push_back(std::move(visit));
    }
  }
  Summarize(&result);
  return result;
}

}  // namespace mxtile::bench
