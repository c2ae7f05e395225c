#include "tools/bench/declaration.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {
namespace {

using exec::simd::AttentionShape;
using exec::simd::GemmShape;
using exec::simd::kAttentionShapes;
using exec::simd::NamedAttentionShape;
using Json = nlohmann::ordered_json;

constexpr int64_t kMaxExtent = int64_t{1} << 20;

// The claims of the targets, as ratios.
constexpr double kNeverLoses = 1.05;
constexpr double kGemmTo512 = 1 / 0.70;
constexpr double kGemmAbove512 = 1 / 0.60;

// 28 KiB for sixteen lanes; a depth that is a loop, not unrolled.
constexpr absl::string_view kL1Matmul = "tile:2x4x72/64";

absl::StatusOr<std::vector<int64_t>> ParseNumbers(absl::string_view whole,
                                                  absl::string_view text,
                                                  char separator) {
  std::vector<int64_t> numbers;
  for (const absl::string_view part : absl::StrSplit(text, separator)) {
    int64_t number;
    if (!absl::SimpleAtoi(part, &number) || number < 1 || number > kMaxExtent) {
      return absl::InvalidArgumentError(
          absl::StrCat("workload ", whole, ": '", part, "' is no extent, 1 to ",
                       kMaxExtent));
    }
    numbers.push_back(number);
  }
  return numbers;
}

absl::Status UnknownWorkload(absl::string_view text) {
  std::string names;
  for (const NamedAttentionShape& shape : kAttentionShapes) {
    absl::StrAppend(&names, shape.name, ", ");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("workload ", text, ": expected ", names,
                   "attention:B,HQ,HKV,Q,K,D,DV,BQ,BK, gemm:N, "
                   "gemm:MxNxK/BMxBNxBK or tile:MxNxK/ROUNDS"));
}

absl::StatusOr<WorkloadSpec> ParseGemm(absl::string_view text,
                                       absl::string_view extents) {
  WorkloadSpec spec{std::string(text), WorkloadKind::kGemm};
  const std::vector<absl::string_view> parts = absl::StrSplit(extents, '/');
  MX_ASSIGN_OR_RETURN(std::vector<int64_t> size,
                      ParseNumbers(text, parts[0], 'x'));
  if (size.size() == 1) size = {size[0], size[0], size[0]};
  // A block's tiles stay in the second cache, and a multiple of 16 columns
  // divides it: measured best or next to it from 192 to 1024.
  std::vector<int64_t> block = {48, 64, 96};
  if (size.size() == 3 && size[1] % 128 == 0) block = {128, 128, 128};
  if (parts.size() == 2) {
    MX_ASSIGN_OR_RETURN(block, ParseNumbers(text, parts[1], 'x'));
  }
  if (parts.size() > 2 || size.size() != 3 || block.size() != 3) {
    return UnknownWorkload(text);
  }
  for (int i = 0; i < 3; ++i) block[i] = std::min(block[i], size[i]);
  spec.gemm = {size[0], size[1], size[2], block[0], block[1], block[2]};
  return spec;
}

absl::StatusOr<WorkloadSpec> ParseTile(absl::string_view text,
                                       absl::string_view extents) {
  WorkloadSpec spec{std::string(text), WorkloadKind::kTile};
  const std::vector<absl::string_view> parts = absl::StrSplit(extents, '/');
  if (parts.size() != 2) return UnknownWorkload(text);
  MX_ASSIGN_OR_RETURN(const std::vector<int64_t> size,
                      ParseNumbers(text, parts[0], 'x'));
  MX_ASSIGN_OR_RETURN(const std::vector<int64_t> rounds,
                      ParseNumbers(text, parts[1], 'x'));
  if (size.size() != 3 || rounds.size() != 1) return UnknownWorkload(text);
  spec.gemm = {
      kTilePrograms * size[0], size[1], size[2], size[0], size[1], size[2]};
  spec.rounds = rounds[0];
  return spec;
}

const std::vector<std::string>& AttentionNames() {
  static const auto* const names = [] {
    auto* all = new std::vector<std::string>;
    for (const NamedAttentionShape& shape : kAttentionShapes) {
      all->push_back(std::string(shape.name));
    }
    return all;
  }();
  return *names;
}

ExperimentSpec Experiment(absl::string_view workload, absl::string_view base,
                          absl::string_view candidate, double target = 0,
                          absl::string_view claim = "") {
  return {absl::StrCat(workload, ".", candidate, "_", base),
          std::string(workload),
          std::string(base),
          std::string(candidate),
          target,
          std::string(claim)};
}

std::vector<ExperimentSpec> SeedExperiments(
    const std::vector<std::string>& workloads) {
  std::vector<ExperimentSpec> all;
  for (const std::string& workload : workloads) {
    for (const char* const clone : {"_off", "_on"}) {
      for (const char* const block : {"r2", "r4"}) {
        all.push_back(Experiment(workload, absl::StrCat("r1", clone),
                                 absl::StrCat(block, clone)));
      }
    }
  }
  return all;
}

std::vector<ExperimentSpec> TargetExperiments() {
  std::vector<ExperimentSpec> all;
  for (const std::string& shape : AttentionNames()) {
    all.push_back(Experiment(shape, "incumbent", "joint", kNeverLoses,
                             "joint never loses to the incumbent"));
  }
  for (const char* const shape : {"decode", "prefill"}) {
    all.push_back(Experiment(shape, "one_row", "incumbent", 4,
                             "one column at most 4 x one row by hand"));
  }
  all.push_back(Experiment("decode", "openblas", "joint", 1.2,
                           "decode at most 1.2 x dense OpenBLAS"));
  all.push_back(Experiment("decode", "four_rows", "joint", 1.3,
                           "decode at most 1.3 x four rows by hand"));
  all.push_back(Experiment("prefill", "four_rows", "joint", 1.25,
                           "prefill at most 1.25 x four rows by hand"));
  for (const int n : {192, 256, 384, 512, 768, 1024}) {
    const std::string gemm = absl::StrCat("gemm:", n);
    all.push_back(Experiment(
        gemm, "openblas", "joint", n <= 512 ? kGemmTo512 : kGemmAbove512,
        n <= 512 ? "at least 70% of OpenBLAS" : "at least 60% of OpenBLAS"));
    all.push_back(Experiment(gemm, "incumbent", "joint", kNeverLoses,
                             "joint never loses to the incumbent"));
  }
  all.push_back(Experiment(kL1Matmul, "r1_on", "r4_on", 0.5,
                           "four columns at most half of one, in L1"));
  all.push_back(Experiment("decode", "joint", "joint", 0,
                           "noise: the same code against itself"));
  return all;
}

absl::Status CheckRequest(const BenchRequest& request) {
  if (request.repeats < 1 || request.cycles < 1 || request.samples < 1 ||
      request.warmup_us < 0 || request.batch_us < 1 ||
      request.clone_budget < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "repeats ", request.repeats, ", cycles ", request.cycles, ", samples ",
        request.samples, ", warm-up ", request.warmup_us, " us, batch ",
        request.batch_us, " us, clone budget ", request.clone_budget,
        ": counts and the batch are above 0, the others not below"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ExperimentSpec>> Experiments(
    const BenchRequest& request) {
  if (request.matrix == "seed") {
    return SeedExperiments(request.workloads.empty()
                               ? std::vector<std::string>{"decode", "prefill"}
                               : request.workloads);
  }
  if (request.matrix == "targets") {
    if (request.workloads.empty()) return TargetExperiments();
    return absl::InvalidArgumentError(
        "the targets are about workloads of their own: leave them out");
  }
  if (request.matrix != "pairs") {
    return absl::InvalidArgumentError(absl::StrCat(
        "matrix ", request.matrix, ": expected seed, targets or pairs"));
  }
  std::vector<ExperimentSpec> all;
  for (const std::string& workload :
       request.workloads.empty() ? AttentionNames() : request.workloads) {
    all.push_back(Experiment(workload, request.base, request.candidate));
  }
  return all;
}

}  // namespace

std::vector<int64_t> WorkloadSpec::BufferSizes() const {
  if (!is_attention()) {
    return {gemm.m * gemm.k, gemm.k * gemm.n, gemm.m * gemm.n};
  }
  const AttentionShape& s = attention;
  const int64_t query_rows = s.batch * s.query_heads * s.queries;
  const int64_t key_rows = s.batch * s.kv_heads * s.keys;
  return {query_rows * s.head_dim, key_rows * s.head_dim,
          key_rows * s.value_dim, query_rows * s.value_dim};
}

int64_t WorkloadSpec::Programs() const {
  const auto blocks = [](int64_t extent, int64_t block) {
    return (extent + block - 1) / block;
  };
  if (!is_attention()) {
    return blocks(gemm.m, gemm.block_m) * blocks(gemm.n, gemm.block_n);
  }
  const AttentionShape& s = attention;
  return s.batch * s.query_heads * blocks(s.queries, s.block_queries);
}

absl::StatusOr<WorkloadSpec> ParseWorkload(absl::string_view text) {
  for (const NamedAttentionShape& named : kAttentionShapes) {
    if (named.name == text) {
      return WorkloadSpec{std::string(text), WorkloadKind::kAttention,
                          named.shape};
    }
  }
  absl::string_view extents = text;
  if (absl::ConsumePrefix(&extents, "gemm:")) return ParseGemm(text, extents);
  if (absl::ConsumePrefix(&extents, "tile:")) return ParseTile(text, extents);
  if (!absl::ConsumePrefix(&extents, "attention:")) {
    return UnknownWorkload(text);
  }
  MX_ASSIGN_OR_RETURN(const std::vector<int64_t> n,
                      ParseNumbers(text, extents, ','));
  if (n.size() != 9) return UnknownWorkload(text);
  return WorkloadSpec{std::string(text),
                      WorkloadKind::kAttention,
                      {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]}};
}

absl::StatusOr<ArmSpec> ParseArm(absl::string_view name) {
  std::vector<ArmSpec> all = {
      {"joint", ArmKind::kJoint},         {"incumbent", ArmKind::kIncumbent},
      {"reference", ArmKind::kReference}, {"one_row", ArmKind::kHand},
      {"four_rows", ArmKind::kHand},      {"openblas", ArmKind::kOpenBlas},
  };
  all[4].rows = 4;
  for (const int block : {1, 2, 4}) {
    for (const bool clone : {false, true}) {
      all.push_back({absl::StrCat("r", block, clone ? "_on" : "_off"),
                     ArmKind::kCompat, block, clone});
    }
  }
  std::string names;
  for (const ArmSpec& arm : all) {
    if (arm.name == name) return arm;
    absl::StrAppend(&names, names.empty() ? "" : ", ", arm.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("arm ", name, ": expected one of ", names));
}

const WorkloadSpec& Declaration::workload(absl::string_view name) const {
  for (const WorkloadSpec& spec : workloads) {
    if (spec.name == name) return spec;
  }
  MX_CHECK(false) << name;
  return workloads[0];
}

std::vector<std::string> Declaration::ArmsOf(absl::string_view workload) const {
  std::vector<std::string> arms;
  for (const ExperimentSpec& experiment : experiments) {
    if (experiment.workload != workload) continue;
    for (const std::string& arm : {experiment.base, experiment.candidate}) {
      if (std::find(arms.begin(), arms.end(), arm) == arms.end()) {
        arms.push_back(arm);
      }
    }
  }
  return arms;
}

absl::StatusOr<Declaration> Declare(const BenchRequest& request) {
  MX_RETURN_IF_ERROR(CheckRequest(request));
  Declaration declaration;
  declaration.request = request;
  MX_ASSIGN_OR_RETURN(declaration.experiments, Experiments(request));
  std::vector<std::string> seen;
  for (const ExperimentSpec& experiment : declaration.experiments) {
    MX_ASSIGN_OR_RETURN(WorkloadSpec spec, ParseWorkload(experiment.workload));
    for (const std::string& name : {experiment.base, experiment.candidate}) {
      MX_ASSIGN_OR_RETURN(const ArmSpec arm, ParseArm(name));
      const bool is_there =
          arm.is_compiled() || spec.is_attention() ||
          (arm.kind == ArmKind::kOpenBlas && spec.kind == WorkloadKind::kGemm);
      if (!is_there) {
        return absl::InvalidArgumentError(absl::StrCat(
            "arm ", name, ": not written for ", experiment.workload));
      }
    }
    if (std::find(seen.begin(), seen.end(), experiment.name) != seen.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("experiment ", experiment.name, " is there twice"));
    }
    seen.push_back(experiment.name);
    const bool is_new = std::none_of(
        declaration.workloads.begin(), declaration.workloads.end(),
        [&](const WorkloadSpec& w) { return w.name == spec.name; });
    if (is_new) declaration.workloads.push_back(std::move(spec));
  }
  return declaration;
}

std::string FileName(absl::string_view name) {
  std::string file(name);
  for (char& c : file) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '-') c = '_';
  }
  return file;
}

Json ToJson(const Declaration& declaration) {
  const BenchRequest& r = declaration.request;
  Json json = {{"request",
                {{"matrix", r.matrix},
                 {"workloads", r.workloads},
                 {"base", r.base},
                 {"candidate", r.candidate},
                 {"repeats", r.repeats},
                 {"clone_budget", r.clone_budget},
                 {"target", r.target},
                 {"cycles", r.cycles},
                 {"samples", r.samples},
                 {"warmup_us", r.warmup_us},
                 {"batch_us", r.batch_us}}},
               {"workloads", Json::array()},
               {"experiments", Json::array()}};
  for (const WorkloadSpec& workload : declaration.workloads) {
    const AttentionShape& a = workload.attention;
    const GemmShape& g = workload.gemm;
    const bool is_attention = workload.is_attention();
    json["workloads"].push_back(
        {{"name", workload.name},
         {"kind", is_attention                           ? "attention"
                  : workload.kind == WorkloadKind::kGemm ? "gemm"
                                                         : "tile"},
         {"shape",
          is_attention
              ? std::vector<int64_t>{a.batch, a.query_heads, a.kv_heads,
                                     a.queries, a.keys, a.head_dim, a.value_dim,
                                     a.block_queries, a.block_keys}
              : std::vector<int64_t>{g.m, g.n, g.k, g.block_m, g.block_n,
                                     g.block_k}},
         {"rounds", workload.rounds},
         {"arms", declaration.ArmsOf(workload.name)}});
  }
  for (const ExperimentSpec& experiment : declaration.experiments) {
    json["experiments"].push_back({{"name", experiment.name},
                                   {"workload", experiment.workload},
                                   {"base", experiment.base},
                                   {"candidate", experiment.candidate},
                                   {"target", experiment.target},
                                   {"claim", experiment.claim}});
  }
  return json;
}

absl::StatusOr<BenchRequest> RequestFromJson(const Json& json) {
  BenchRequest request;
  try {
    const Json& r = json.at("request");
    request.matrix = r.at("matrix").get<std::string>();
    request.workloads = r.at("workloads").get<std::vector<std::string>>();
    request.base = r.at("base").get<std::string>();
    request.candidate = r.at("candidate").get<std::string>();
    request.repeats = r.at("repeats").get<int>();
    request.clone_budget = r.at("clone_budget").get<int64_t>();
    request.target = r.at("target").get<std::string>();
    request.cycles = r.at("cycles").get<int>();
    request.samples = r.at("samples").get<int>();
    request.warmup_us = r.at("warmup_us").get<int64_t>();
    request.batch_us = r.at("batch_us").get<int64_t>();
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return request;
}

}  // namespace mxtile::bench
