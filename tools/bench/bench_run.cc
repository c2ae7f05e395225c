#include "tools/bench/bench_run.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/config.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "exec/simd/jit/target.h"
#include "nlohmann/json.hpp"
#include "tools/bench/arm.h"
#include "tools/bench/declaration.h"
#include "tools/bench/environment.h"
#include "tools/bench/evidence.h"
#include "tools/bench/evidence_paths.h"
#include "tools/bench/paired.h"
#include "tools/bench/workload.h"

#ifndef ABSL_IS_LITTLE_ENDIAN
#error "evidence holds little-endian numbers"
#endif

namespace mxtile::bench {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
absl::string_view BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

absl::StatusOr<CaptureOptions> OptionsOf(const BenchRequest& request) {
  CaptureOptions options;
  options.clone_budget = request.clone_budget;
  if (request.target.empty()) return options;
  MX_ASSIGN_OR_RETURN(options.target, exec::simd::NamedTarget(request.target));
  MX_RETURN_IF_ERROR(exec::simd::CheckRunsOnHost(options.target));
  return options;
}

Json RunJson(const ExperimentSpec& spec, const ExperimentRun& run) {
  Json visits = Json::array();
  for (const Visit& visit : run.result.visits) {
    visits.push_back({{"arm", visit.is_candidate ? "candidate" : "base"},
                      {"repeats", visit.repeats},
                      {"batch_ns", visit.batch_ns},
                      {"median_us", visit.median_us},
                      {"output_sha256", visit.output_sha256}});
  }
  const PairedResult& r = run.result;
  return {{"experiment", spec.name},
          {"base", spec.base},
          {"candidate", spec.candidate},
          {"visits", std::move(visits)},
          {"ratios", r.ratios},
          {"ratio", r.ratio},
          {"ratio_min", r.ratio_min},
          {"ratio_max", r.ratio_max},
          {"base_us", r.base_us},
          {"candidate_us", r.candidate_us},
          {"load_before", run.load_before},
          {"load_after", run.load_after}};
}

class Runner {
 public:
  Runner(const Declaration& declaration, Clock& clock, Evidence* evidence,
         const std::function<void(absl::string_view)>& progress)
      : declaration_(declaration),
        clock_(clock),
        evidence_(evidence),
        progress_(progress) {}

  absl::StatusOr<BenchResult> Run() && {
    BenchResult result;
    result.declaration = declaration_;
    MX_ASSIGN_OR_RETURN(options_, OptionsOf(declaration_.request));
    result.environment = EnvironmentJson(options_.target);
    MX_RETURN_IF_ERROR(AddJson(kDeclaredFile, ToJson(declaration_)));
    MX_RETURN_IF_ERROR(AddJson(kEnvironmentFile, result.environment));
    for (const WorkloadSpec& spec : declaration_.workloads) {
      MX_RETURN_IF_ERROR(CaptureWorkload(spec, &result));
    }
    for (const ExperimentSpec& spec : declaration_.experiments) {
      result.experiments.push_back({spec, {}, SkipReason(spec)});
    }
    // Repeats are spread over the whole time rather than one after another.
    for (int repeat = 0; repeat < declaration_.request.repeats; ++repeat) {
      for (ExperimentResult& experiment : result.experiments) {
        if (experiment.skipped.empty()) {
          MX_RETURN_IF_ERROR(Measure(repeat, &experiment));
        }
      }
    }
    return result;
  }

 private:
  struct Captured {
    std::unique_ptr<Workload> workload;
    std::map<std::string, CapturedArm> arms;
    std::map<std::string, std::string> missing;  // arm -> why
  };

  void Say(absl::string_view line) const {
    if (progress_) progress_(line);
  }

  absl::Status Add(const std::string& path, absl::string_view contents) {
    return evidence_ == nullptr ? absl::OkStatus()
                                : evidence_->Add(path, contents);
  }
  absl::Status AddJson(const std::string& path, const Json& json) {
    return Add(path, absl::StrCat(json.dump(1), "\n"));
  }

  absl::Status CaptureWorkload(const WorkloadSpec& spec, BenchResult* result) {
    Captured& captured = captured_[spec.name];
    MX_ASSIGN_OR_RETURN(Workload workload, MakeWorkload(spec));
    captured.workload = std::make_unique<Workload>(std::move(workload));
    const PairedProblem& problem = captured.workload->problem;
    for (int i = 0; i < problem.output; ++i) {
      MX_RETURN_IF_ERROR(
          Add(BufferFile(spec.name, i), BytesOf(problem.buffers[i])));
    }
    MX_RETURN_IF_ERROR(Add(OracleFile(spec.name), BytesOf(problem.oracle)));
    for (const std::string& name : declaration_.ArmsOf(spec.name)) {
      Say(absl::StrCat("capture ", spec.name, " ", name));
      MX_ASSIGN_OR_RETURN(const ArmSpec arm_spec, ParseArm(name));
      absl::StatusOr<CapturedArm> arm =
          Capture(*captured.workload, arm_spec, options_);
      if (!arm.ok() && absl::IsUnimplemented(arm.status()) &&
          !arm_spec.is_compiled()) {
        captured.missing[name] = std::string(arm.status().message());
        continue;
      }
      if (!arm.ok()) return arm.status();
      MX_RETURN_IF_ERROR(AddArm(spec, *arm));
      result->facts[spec.name][name] = arm->facts;
      captured.arms.emplace(name, *std::move(arm));
    }
    return absl::OkStatus();
  }

  absl::Status AddArm(const WorkloadSpec& spec, const CapturedArm& arm) {
    const auto path = [&](absl::string_view file) {
      return ArmFile(spec.name, arm.spec.name, file);
    };
    MX_RETURN_IF_ERROR(AddJson(path("facts.json"), arm.facts));
    MX_RETURN_IF_ERROR(Add(path("output.f32"), BytesOf(arm.output)));
    if (!arm.spec.is_compiled()) return absl::OkStatus();
    MX_RETURN_IF_ERROR(Add(path("object.o"), arm.object));
    MX_RETURN_IF_ERROR(Add(path("before.ll"), arm.ir_before));
    return Add(path("after.ll"), arm.ir_after);
  }

  std::string SkipReason(const ExperimentSpec& spec) const {
    const Captured& captured = captured_.at(spec.workload);
    for (const std::string& arm : {spec.base, spec.candidate}) {
      const auto it = captured.missing.find(arm);
      if (it != captured.missing.end()) return it->second;
    }
    return "";
  }

  absl::Status Measure(int repeat, ExperimentResult* experiment) {
    const ExperimentSpec& spec = experiment->spec;
    Say(absl::StrCat("measure ", spec.name, " ", repeat + 1, "/",
                     declaration_.request.repeats));
    const Captured& captured = captured_.at(spec.workload);
    // Linked anew, so that no experiment depends on what another left.
    MX_ASSIGN_OR_RETURN(
        const PairedArm base,
        Replay(*captured.workload, captured.arms.at(spec.base)));
    MX_ASSIGN_OR_RETURN(
        const PairedArm candidate,
        Replay(*captured.workload, captured.arms.at(spec.candidate)));
    const BenchRequest& request = declaration_.request;
    const PairedOptions options = {request.cycles, request.samples,
                                   request.warmup_us * 1000,
                                   request.batch_us * 1000};
    ExperimentRun run;
    run.load_before = LoadAverage();
    MX_ASSIGN_OR_RETURN(run.result,
                        MeasurePair(captured.workload->problem, base, candidate,
                                    options, clock_));
    run.load_after = LoadAverage();
    MX_RETURN_IF_ERROR(
        AddJson(ExperimentFile(spec.name, repeat), RunJson(spec, run)));
    experiment->runs.push_back(std::move(run));
    return absl::OkStatus();
  }

  const Declaration& declaration_;
  Clock& clock_;
  Evidence* const evidence_;
  const std::function<void(absl::string_view)>& progress_;
  CaptureOptions options_;
  std::map<std::string, Captured> captured_;  // by workload
};

}  // namespace

absl::StatusOr<BenchResult> RunBench(
    const Declaration& declaration, Clock& clock, Evidence* evidence,
    const std::function<void(absl::string_view)>& progress) {
  return Runner(declaration, clock, evidence, progress).Run();
}

}  // namespace mxtile::bench
