#include "tools/plan/plan_report.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "exec/simd/candidate.h"
#include "exec/simd/mx_product_form.h"
#include "exec/simd/planner.h"
#include "exec/simd/tile_program.h"

namespace mxtile {
namespace {

using exec::simd::Candidate;
using exec::simd::CandidateFacts;
using exec::simd::ExecutionPlan;
using exec::simd::LaneMode;
using exec::simd::PlanMode;
using exec::simd::PlannerOptions;
using Json = nlohmann::ordered_json;

// Of all bodies.
int64_t Instructions(const CandidateFacts& facts) {
  return facts.body_instructions + facts.team_instructions;
}

// Lanes that may be inactive; a clone for full packets does without.
bool HasMask(const CandidateFacts& facts) {
  return facts.candidate.lanes == LaneMode::kPrograms;
}

bool IsSelected(const PlannedKernel& kernel, const CandidateFacts& facts) {
  return facts.rejection.empty() &&
         ToString(facts.candidate) ==
             ToString(kernel.plan.selected.candidate());
}

// Why a candidate is not the plan: "" for the selected one.
std::string WhyNot(const PlannedKernel& kernel, const CandidateFacts& facts) {
  if (!facts.rejection.empty()) return facts.rejection;
  if (IsSelected(kernel, facts)) return "";
  const double best = kernel.plan.selected.facts.cycles;
  return facts.cycles > best && best > 0
             ? absl::StrFormat("%.2f times the cycles", facts.cycles / best)
             : "no fewer cycles, later in the list";
}

// The seed's word: nobody knows whether a forced block pays.
absl::string_view BlockingCost(const ExecutionPlan& plan) {
  return plan.mode == PlanMode::kCompat ? "unmodeled" : "modeled";
}

// "1 launch", "8 launches"; the noun as one and as many.
std::string Counted(int64_t count, absl::string_view one,
                    absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

std::string BlockText(const Candidate& candidate) {
  return absl::StrCat(candidate.block_rows, "x", candidate.block_cols);
}

// ---- Text

void AppendOptions(const PlanReport& report, std::string* out) {
  const PlannerOptions& options = report.options;
  absl::StrAppend(out, "target ", report.target.cpu, ": ",
                  report.target.f32_lanes, " lanes of f32, ",
                  report.target.vector_registers, " vector registers\n");
  absl::StrAppend(out, "mode ", Name(options.mode));
  if (options.mode == PlanMode::kCompat) {
    absl::StrAppend(out, ", mma_output_block ", options.mma_output_block,
                    ", full packet ", options.full_packet ? "on" : "off",
                    ", clone budget ", options.clone_budget, " instructions\n");
  } else {
    absl::StrAppend(out, ", JIT budget ", options.jit_budget,
                    " instructions, array limit ", options.max_local_bytes,
                    " bytes an instance\n");
  }
}

void AppendSelected(const PlannedKernel& kernel, std::string* out) {
  const ExecutionPlan& plan = kernel.plan.selected;
  const CandidateFacts& facts = plan.facts;
  const bool compat = plan.mode == PlanMode::kCompat;
  absl::StrAppend(out, "  selected       ", ToString(facts.candidate), "\n");
  absl::StrAppendFormat(
      out,
      "  output block   requested %s, realised %s; %s blocked, "
      "mma_blocking_cost %s\n",
      compat ? absl::StrCat(plan.requested_block) : "any",
      BlockText(facts.candidate),
      Counted(facts.blocked_mmas, "contraction", "contractions"),
      BlockingCost(plan));
  if (HasMask(facts)) {
    absl::StrAppendFormat(
        out, "  clone          requested %s, realised %s; %d instructions\n",
        plan.requested_clone ? "yes" : "no", facts.has_clone() ? "yes" : "no",
        facts.team_instructions);
  } else {
    absl::StrAppend(out,
                    "  clone          not needed: lanes along an axis have no "
                    "mask\n");
  }
  absl::StrAppendFormat(
      out, "  instructions   %d in all: body %d, whole teams %d\n",
      Instructions(facts), facts.body_instructions, facts.team_instructions);
  absl::StrAppendFormat(
      out,
      "  snapshots      %d bytes in %d allocations an instance; workspace %d "
      "bytes\n",
      facts.resources.bytes, facts.resources.allocations,
      facts.resources.workspace);
  if (exec::simd::HasMxContractions(kernel.program)) {
    absl::StrAppend(out, "  MX products    by ",
                    facts.candidate.mx_f32 ? "f32" : "f64",
                    "; a run chooses by its scales\n");
  }
  absl::StrAppendFormat(out, "  estimated      %.0f cycles for all instances\n",
                        facts.cycles);
  absl::StrAppendFormat(out, "  candidates     %d admitted, %d rejected\n",
                        kernel.plan.admitted.size(),
                        kernel.plan.rejected.size());
}

void AppendRow(const PlannedKernel& kernel, const CandidateFacts& facts,
               std::string* out) {
  const bool is_known = facts.cycles > 0;
  std::string remark = WhyNot(kernel, facts);
  if (IsSelected(kernel, facts)) remark = "selected";
  if (facts.is_incumbent) {
    absl::StrAppend(&remark, remark.empty() ? "" : "; ", "the incumbent");
  }
  absl::StrAppendFormat(out, "  %12s %8s %7s  %-62s %s\n",
                        is_known ? absl::StrFormat("%.0f", facts.cycles) : "-",
                        is_known ? absl::StrCat(Instructions(facts)) : "-",
                        is_known ? absl::StrCat(facts.resources.bytes) : "-",
                        ToString(facts.candidate), remark);
}

void AppendCandidates(const PlannedKernel& kernel, std::string* out) {
  std::vector<CandidateFacts> admitted = kernel.plan.admitted;
  std::stable_sort(admitted.begin(), admitted.end(),
                   [](const CandidateFacts& a, const CandidateFacts& b) {
                     return a.cycles < b.cycles;
                   });
  absl::StrAppendFormat(out, "\n  %12s %8s %7s  %-62s %s\n", "cycles", "instrs",
                        "bytes", "admitted, best first", "");
  for (const CandidateFacts& facts : admitted) AppendRow(kernel, facts, out);
  if (kernel.plan.rejected.empty()) return;
  absl::StrAppendFormat(out, "\n  %12s %8s %7s  %-62s %s\n", "cycles", "instrs",
                        "bytes", "rejected", "");
  for (const CandidateFacts& facts : kernel.plan.rejected) {
    AppendRow(kernel, facts, out);
  }
}

// ---- JSON

Json CandidateJson(const Candidate& candidate) {
  const bool programs = candidate.lanes == LaneMode::kPrograms;
  return {{"text", ToString(candidate)},
          {"lanes", programs ? "programs" : "axis"},
          {"width", candidate.width},
          {"group", candidate.group},
          {"block_rows", candidate.block_rows},
          {"block_cols", candidate.block_cols},
          {"k_unroll", candidate.k_unroll},
          {"share_uniform", candidate.share_uniform},
          {"forward", candidate.forward},
          {"vector_copies", candidate.vector_copies},
          {"full_packet", candidate.full_packet},
          {"masked_lanes", candidate.masked_lanes},
          {"mx_f32", candidate.mx_f32},
          {"max_unrolled_elements", candidate.max_unrolled_elements}};
}

Json FactsJson(const CandidateFacts& facts) {
  const bool is_clone = HasMask(facts) && facts.has_clone();
  return {{"candidate", CandidateJson(facts.candidate)},
          {"is_incumbent", facts.is_incumbent},
          {"blocked_mmas", facts.blocked_mmas},
          {"full_packet_specializations", is_clone ? 1 : 0},
          {"full_packet_cloned_instructions",
           is_clone ? facts.team_instructions : 0},
          {"body_instructions", facts.body_instructions},
          {"instructions", Instructions(facts)},
          {"snapshot_bytes", facts.resources.bytes},
          {"snapshot_allocations", facts.resources.allocations},
          {"workspace_bytes", facts.resources.workspace},
          {"estimated_cycles", facts.cycles}};
}

Json OptionsJson(const PlannerOptions& options) {
  return {{"mode", std::string(Name(options.mode))},
          {"mma_output_block", options.mma_output_block},
          {"full_packet", options.full_packet},
          {"clone_budget", options.clone_budget},
          {"jit_budget", options.jit_budget},
          {"max_local_bytes", options.max_local_bytes},
          {"max_unrolled_tile_elements", options.max_unrolled_tile_elements},
          {"mx_f32", options.mx_f32}};
}

Json KernelJson(const PlannedKernel& kernel) {
  Json admitted = Json::array();
  for (const CandidateFacts& facts : kernel.plan.admitted) {
    Json json = FactsJson(facts);
    json["lost"] = WhyNot(kernel, facts);
    admitted.push_back(std::move(json));
  }
  Json rejected = Json::array();
  for (const CandidateFacts& facts : kernel.plan.rejected) {
    Json json = FactsJson(facts);
    json["rejection"] = facts.rejection;
    rejected.push_back(std::move(json));
  }
  return {{"name", kernel.program.name},
          {"instances", kernel.program.program_count},
          {"launches", kernel.launches},
          {"selected", PlanToJson(kernel.plan.selected)},
          {"admitted", std::move(admitted)},
          {"rejected", std::move(rejected)}};
}

}  // namespace

Json PlanToJson(const ExecutionPlan& plan) {
  const CandidateFacts& facts = plan.facts;
  Json json = {{"mode", std::string(Name(plan.mode))},
               {"requested_mma_output_block", plan.requested_block},
               {"realised_block", BlockText(facts.candidate)},
               {"mma_blocking_cost", std::string(BlockingCost(plan))},
               {"requested_clone", plan.requested_clone}};
  json.update(FactsJson(facts));
  return json;
}

std::string PlanToLine(const ExecutionPlan& plan) {
  const CandidateFacts& facts = plan.facts;
  return absl::StrCat(
      ToString(facts.candidate), "; ",
      Counted(facts.blocked_mmas, "contraction", "contractions"), " blocked, ",
      Instructions(facts), " instructions");
}

std::string KernelTitle(const std::string& name, int64_t instances,
                        int64_t launches) {
  return absl::StrCat(name, ": ", Counted(instances, "instance", "instances"),
                      ", ", Counted(launches, "launch", "launches"));
}

std::string ToText(const PlanReport& report, PlanDetail detail,
                   bool with_programs) {
  std::string out = absl::StrCat("program ", report.program, ", entry ",
                                 report.entry, ", ", report.file, "\n");
  AppendOptions(report, &out);
  for (const PlannedKernel& kernel : report.kernels) {
    absl::StrAppend(&out, "\nkernel ",
                    KernelTitle(kernel.program.name,
                                kernel.program.program_count, kernel.launches),
                    "\n");
    AppendSelected(kernel, &out);
    if (detail == PlanDetail::kCandidates) AppendCandidates(kernel, &out);
    if (with_programs) {
      absl::StrAppend(&out, "\n", exec::simd::ToText(kernel.program));
    }
  }
  if (report.kernels.empty()) absl::StrAppend(&out, "\nno kernel launched\n");
  return out;
}

std::string ToJson(const PlanReport& report) {
  Json kernels = Json::array();
  for (const PlannedKernel& kernel : report.kernels) {
    kernels.push_back(KernelJson(kernel));
  }
  const Json json = {{"schema", "mxtile.plan_report.v1"},
                     {"file", report.file},
                     {"program", report.program},
                     {"entry", report.entry},
                     {"target",
                      {{"cpu", report.target.cpu},
                       {"f32_lanes", report.target.f32_lanes},
                       {"vector_registers", report.target.vector_registers}}},
                     {"options", OptionsJson(report.options)},
                     {"kernels", std::move(kernels)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mxtile
