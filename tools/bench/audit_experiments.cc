#include "tools/bench/audit_experiments.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "nlohmann/json.hpp"
#include "tools/bench/audit_files.h"
#include "tools/bench/declaration.h"
#include "tools/bench/evidence_paths.h"

namespace mxtile::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOrder[] = {"base", "candidate", "candidate", "base"};

// Not the benchmark's: the middle by selection instead of by sorting.
double MiddleOf(std::vector<double> values) {
  const size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  const double lower = *std::max_element(values.begin(), values.begin() + half);
  return (lower + upper) / 2;
}

// What the numbers of one experiment, or of several, come to.
struct Totals {
  std::vector<double> base_us;
  std::vector<double> candidate_us;
  std::vector<double> ratio;
  double ratio_min = 0;
  double ratio_max = 0;
};

class ExperimentAudit {
 public:
  ExperimentAudit(const BenchRequest& request, const ExperimentSpec& spec,
                  const std::string& path, AuditFiles& files)
      : request_(request), spec_(spec), path_(path), files_(files) {}

  void Run(const Json& run) {
    Expect(run.at("experiment") == spec_.name && run.at("base") == spec_.base &&
               run.at("candidate") == spec_.candidate,
           "is about another experiment");
    const Json& visits = run.at("visits");
    if (visits.size() != 4 * static_cast<size_t>(request_.cycles)) {
      files_.Fault(path_, absl::StrCat(visits.size(), " visits, not ",
                                       4 * request_.cycles));
      return;
    }
    std::vector<double> medians;
    for (size_t i = 0; i < visits.size(); ++i) {
      medians.push_back(Visit(visits[i], i));
    }
    std::vector<double> base, candidate, ratios;
    for (size_t i = 0; i < medians.size(); i += 4) {
      ratios.push_back(medians[i + 1] / medians[i]);
      ratios.push_back(medians[i + 2] / medians[i + 3]);
      base.insert(base.end(), {medians[i], medians[i + 3]});
      candidate.insert(candidate.end(), {medians[i + 1], medians[i + 2]});
    }
    Expect(run.at("ratios") == Json(ratios),
           absl::StrCat("ratios are ", run.at("ratios").dump(), ", recomputed ",
                        Json(ratios).dump()));
    Number(run, "ratio", MiddleOf(ratios));
    Number(run, "ratio_min", *std::min_element(ratios.begin(), ratios.end()));
    Number(run, "ratio_max", *std::max_element(ratios.begin(), ratios.end()));
    Number(run, "base_us", MiddleOf(base));
    Number(run, "candidate_us", MiddleOf(candidate));
    run.at("load_before").get<double>();
    run.at("load_after").get<double>();
  }

 private:
  void Expect(bool holds, absl::string_view message) {
    files_.Expect(holds, path_, message);
  }

  void Number(const Json& run, const char* key, double expected) {
    Expect(run.at(key).get<double>() == expected,
           absl::StrCat(key, " is ", run.at(key).dump(), ", recomputed ",
                        Json(expected).dump()));
  }

  // Returns the median.
  double Visit(const Json& visit, size_t number) {
    const std::string name = absl::StrCat("visit ", number, ": ");
    const std::string arm = visit.at("arm").get<std::string>();
    Expect(arm == kOrder[number % 4],
           absl::StrCat(name, "of the ", arm, ", in A B B A it is the ",
                        kOrder[number % 4]));
    const int64_t repeats = visit.at("repeats").get<int64_t>();
    Expect(repeats >= 1 && (repeats & (repeats - 1)) == 0,
           absl::StrCat(name, "repeats is ", repeats, ", no power of two"));
    std::vector<double> us;
    for (const Json& ns : visit.at("batch_ns")) {
      Expect(ns.is_number_integer() && ns.get<int64_t>() >= 0,
             absl::StrCat(name, "a batch of ", ns.dump(), " ns"));
      us.push_back(static_cast<double>(ns.get<int64_t>()) /
                   (1000.0 * static_cast<double>(repeats)));
    }
    Expect(us.size() == request_.samples,
           absl::StrCat(name, us.size(), " batches, not ", request_.samples));
    const double claimed = visit.at("median_us").get<double>();
    if (!us.empty()) {
      const double median = MiddleOf(std::move(us));
      Expect(claimed == median,
             absl::StrCat(name, "median_us is ", Json(claimed).dump(),
                          ", the batches have ", Json(median).dump()));
    }
    const std::string& captured = files_.Bytes(
        ArmFile(spec_.workload, arm == "base" ? spec_.base : spec_.candidate,
                "output.f32"));
    Expect(visit.at("output_sha256") == Sha256Hex(captured),
           absl::StrCat(name, "another output than the captured one"));
    return claimed;
  }

  const BenchRequest& request_;
  const ExperimentSpec& spec_;
  const std::string& path_;
  AuditFiles& files_;
};

// Over the runs of an experiment, from its files.
Totals TotalsOf(const Declaration& declaration, const ExperimentSpec& spec,
                AuditFiles& files) {
  Totals totals;
  for (int i = 0; i < declaration.request.repeats; ++i) {
    const Json run = files.Json(ExperimentFile(spec.name, i));
    const double low = run.at("ratio_min").get<double>();
    const double high = run.at("ratio_max").get<double>();
    totals.ratio_min = i == 0 ? low : std::min(totals.ratio_min, low);
    totals.ratio_max = i == 0 ? high : std::max(totals.ratio_max, high);
    totals.base_us.push_back(run.at("base_us").get<double>());
    totals.candidate_us.push_back(run.at("candidate_us").get<double>());
    totals.ratio.push_back(run.at("ratio").get<double>());
  }
  return totals;
}

Json ExpectedRow(const Declaration& declaration, const ExperimentSpec& spec,
                 AuditFiles& files) {
  const Totals totals = TotalsOf(declaration, spec, files);
  const double ratio = MiddleOf(totals.ratio);
  return {{"experiment", spec.name},
          {"base_us", MiddleOf(totals.base_us)},
          {"candidate_us", MiddleOf(totals.candidate_us)},
          {"ratio", ratio},
          {"ratio_min", totals.ratio_min},
          {"ratio_max", totals.ratio_max},
          {"target", spec.target},
          {"met", spec.target == 0 || ratio <= spec.target},
          {"runs", declaration.request.repeats}};
}

}  // namespace

bool IsMeasured(const ExperimentSpec& experiment, const AuditFiles& files) {
  return files.Has(
             ArmFile(experiment.workload, experiment.base, "facts.json")) &&
         files.Has(
             ArmFile(experiment.workload, experiment.candidate, "facts.json"));
}

void AuditExperiments(const Declaration& declaration, AuditFiles& files) {
  for (const ExperimentSpec& spec : declaration.experiments) {
    if (!IsMeasured(spec, files)) {
      files.Begin(absl::StrCat("experiment ", spec.name));
      files.Note("skipped: an arm was not captured");
      continue;
    }
    for (int i = 0; i < declaration.request.repeats; ++i) {
      const std::string path = ExperimentFile(spec.name, i);
      files.Begin(absl::StrCat("experiment ", spec.name, " ", i));
      const Json run = files.Json(path);
      if (run.is_null()) continue;
      Guarded(path, files, [&] {
        ExperimentAudit(declaration.request, spec, path, files).Run(run);
      });
    }
  }
}

void AuditResults(const Declaration& declaration, AuditFiles& files) {
  files.Begin("results");
  const Json results = files.Json(kResultsFile);
  if (results.is_null()) return;
  Guarded(kResultsFile, files, [&] {
    files.Expect(results.at("declared") == files.Json(kDeclaredFile),
                 kResultsFile, "declared is not declared.json");
    files.Expect(results.at("environment") == files.Json(kEnvironmentFile),
                 kResultsFile, "environment is not environment.json");
    for (const Json& arm : results.at("arms")) {
      const std::string path =
          ArmFile(arm.at("workload").get<std::string>(),
                  arm.at("arm").get<std::string>(), "facts.json");
      files.Expect(arm.at("facts") == files.Json(path), kResultsFile,
                   absl::StrCat("arms: not ", path));
    }
    const Json& rows = results.at("rows");
    files.Expect(
        rows.size() == declaration.experiments.size(), kResultsFile,
        absl::StrCat(rows.size(), " rows, ", declaration.experiments.size(),
                     " experiments declared"));
    for (size_t i = 0;
         i < std::min(rows.size(), declaration.experiments.size()); ++i) {
      const ExperimentSpec& spec = declaration.experiments[i];
      if (!IsMeasured(spec, files)) {
        files.Expect(
            rows[i].at("experiment") == spec.name &&
                rows[i].contains("skipped"),
            kResultsFile,
            absl::StrCat("row ", i, " is not ", spec.name, ", skipped"));
        continue;
      }
      const Json expected = ExpectedRow(declaration, spec, files);
      files.Expect(rows[i] == expected, kResultsFile,
                   absl::StrCat("row ", i, " is ", rows[i].dump(),
                                ", recomputed ", expected.dump()));
    }
  });
}

}  // namespace mxtile::bench
