#include "tools/bench/result_report.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "tools/bench/bench_run.h"
#include "tools/bench/declaration.h"
#include "tools/bench/paired.h"

namespace mxtile::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string TargetText(const ExperimentSpec& spec, const Row& row) {
  if (spec.target == 0) return spec.claim;
  return absl::StrFormat("<= %.3f %s  %s", spec.target,
                         row.met ? "met   " : "MISSED", spec.claim);
}

// Of the column that names workloads.
int NameWidth(const BenchResult& result) {
  size_t width = 8;
  for (const WorkloadSpec& workload : result.declaration.workloads) {
    width = std::max(width, workload.name.size());
  }
  return static_cast<int>(width);
}

void AppendExperiments(const BenchResult& result, std::string* text) {
  const int width = NameWidth(result);
  absl::StrAppendFormat(text, "%-*s %-22s %11s %11s %7s  %-15s  %s\n", width,
                        "workload", "candidate / base", "base us", "candidate",
                        "ratio", "range", "target");
  for (const ExperimentResult& experiment : result.experiments) {
    const ExperimentSpec& spec = experiment.spec;
    const std::string pair = absl::StrCat(spec.candidate, " / ", spec.base);
    if (experiment.runs.empty()) {
      absl::StrAppendFormat(text, "%-*s %-22s skipped: %s\n", width,
                            spec.workload, pair, experiment.skipped);
      continue;
    }
    const Row row = Summarize(experiment);
    absl::StrAppendFormat(
        text, "%-*s %-22s %11.2f %11.2f %7.3f  %5.3f .. %5.3f  %s\n", width,
        spec.workload, pair, row.base_us, row.candidate_us, row.ratio,
        row.ratio_min, row.ratio_max, TargetText(spec, row));
  }
}

void AppendArms(const BenchResult& result, std::string* text) {
  const int width = NameWidth(result);
  absl::StrAppendFormat(text,
                        "\n%-*s %-10s %-7s %-7s %7s %7s %6s %7s %9s  %s\n",
                        width, "workload", "arm", "block", "clone", "body",
                        "team", "bytes", "arrays", "workspace", "candidate");
  for (const WorkloadSpec& workload : result.declaration.workloads) {
    const auto arms = result.facts.find(workload.name);
    if (arms == result.facts.end()) continue;
    for (const std::string& name : result.declaration.ArmsOf(workload.name)) {
      const auto it = arms->second.find(name);
      if (it == arms->second.end() || it->second.at("kind") != "compiled") {
        continue;
      }
      const Json& f = it->second;
      const bool compat = f.at("mode") == "compat";
      // Requested, then realised.
      const std::string block = absl::StrCat(
          compat ? absl::StrCat(f.at("requested_block").get<int>()) : "-", "/",
          f.at("blocked_mmas").get<int64_t>() > 0
              ? absl::StrCat(f.at("block_rows").get<int>(), "x",
                             f.at("block_cols").get<int>())
              : "1");
      const std::string clone =
          absl::StrCat(f.at("requested_clone").get<bool>() ? "on" : "off", "/",
                       f.at("clones").get<int>());
      absl::StrAppendFormat(
          text, "%-*s %-10s %-7s %-7s %7d %7d %6d %7d %9d  %s\n", width,
          workload.name, name, block, clone,
          f.at("body_instructions").get<int64_t>(),
          f.at("team_instructions").get<int64_t>(),
          f.at("bytes").get<int64_t>(), f.at("allocations").get<int64_t>(),
          f.at("workspace").get<int64_t>(),
          f.at("candidate").get<std::string>());
    }
  }
}

// The lowest and highest of all experiments.
void AppendLoad(const BenchResult& result, std::string* text) {
  double low = 1e9, high = -1;
  for (const ExperimentResult& experiment : result.experiments) {
    for (const ExperimentRun& run : experiment.runs) {
      low = std::min({low, run.load_before, run.load_after});
      high = std::max({high, run.load_before, run.load_after});
    }
  }
  if (high < low) return;
  absl::StrAppendFormat(
      text,
      "\nus: single-thread native entry, wall; medians of visits. ratio: "
      "median "
      "of pairs, never of the two times.\nload average %.2f .. %.2f\n",
      low, high);
}

}  // namespace

Row Summarize(const ExperimentResult& experiment) {
  std::vector<double> base, candidate, ratio;
  Row row;
  for (const ExperimentRun& run : experiment.runs) {
    const PairedResult& r = run.result;
    const bool first = ratio.empty();
    base.push_back(r.base_us);
    candidate.push_back(r.candidate_us);
    ratio.push_back(r.ratio);
    row.ratio_min = first ? r.ratio_min : std::min(row.ratio_min, r.ratio_min);
    row.ratio_max = first ? r.ratio_max : std::max(row.ratio_max, r.ratio_max);
  }
  row.base_us = Median(std::move(base));
  row.candidate_us = Median(std::move(candidate));
  row.ratio = Median(std::move(ratio));
  const double target = experiment.spec.target;
  row.met = target == 0 || row.ratio <= target;
  return row;
}

std::string ResultText(const BenchResult& result) {
  std::string text;
  AppendExperiments(result, &text);
  AppendArms(result, &text);
  AppendLoad(result, &text);
  return text;
}

Json ResultJson(const BenchResult& result) {
  Json json = {{"declared", ToJson(result.declaration)},
               {"environment", result.environment},
               {"arms", Json::array()},
               {"rows", Json::array()}};
  for (const WorkloadSpec& workload : result.declaration.workloads) {
    const auto arms = result.facts.find(workload.name);
    if (arms == result.facts.end()) continue;
    for (const auto& [name, facts] : arms->second) {
      json["arms"].push_back(
          {{"workload", workload.name}, {"arm", name}, {"facts", facts}});
    }
  }
  for (const ExperimentResult& experiment : result.experiments) {
    Json row = {{"experiment", experiment.spec.name}};
    if (experiment.runs.empty()) {
      row["skipped"] = experiment.skipped;
    } else {
      const Row r = Summarize(experiment);
      row["base_us"] = r.base_us;
      row["candidate_us"] = r.candidate_us;
      row["ratio"] = r.ratio;
      row["ratio_min"] = r.ratio_min;
      row["ratio_max"] = r.ratio_max;
      row["target"] = experiment.spec.target;
      row["met"] = r.met;
      row["runs"] = experiment.runs.size();
    }
    json["rows"].push_back(std::move(row));
  }
  return json;
}

}  // namespace mxtile::bench
