#include "tools/run/report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/sha256.h"
#include "ir/data_type.h"
#include "ir/type.h"
#include "nlohmann/json.hpp"
#include "tools/offset_json.h"
#include "tools/plan/plan_report.h"
#include "tools/run/pipes.h"
#include "tools/run/results.h"
#include "tools/run/simd_execution.h"

namespace mxtile {
namespace {

using Json = nlohmann::ordered_json;

std::string Shape(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

bool IsWithin(const RunReport& report, const ExecutionResult& result) {
  return result.against_quantised.max_scaled_error <= report.tolerance;
}

int64_t CountProven(const RunReport& report) {
  return std::count_if(report.findings.offsets.begin(),
                       report.findings.offsets.end(),
                       [](const OffsetVerdict& v) { return v.proven; });
}

// ---- Text

void AppendInputs(const RunReport& report, std::string* out) {
  absl::StrAppend(out, "\ninputs\n");
  for (const exec::BoundInput& input : report.inputs) {
    const auto* type = ir::DynCast<ir::TensorType>(input.param->type);
    absl::StrAppendFormat(out, "  %-10s %-18s %s\n", input.param->name,
                          type == nullptr
                              ? absl::StrCat(input.scalar)
                              : absl::StrCat(ir::DataTypeName(type->dtype), " ",
                                             Shape(input.shape)),
                          input.origin);
  }
}

void AppendOffsets(const RunReport& report, std::string* out) {
  const auto& offsets = report.findings.offsets;
  absl::StrAppend(out, "\noffsets: ", CountProven(report), " of ",
                  offsets.size(), " proven\n");
  for (const OffsetVerdict& v : offsets) {
    absl::StrAppendFormat(out, "  %s:%d %s %s, %s axis, by %d: %s: %s\n",
                          v.function, v.span.line, v.op, v.tensor, v.axis,
                          v.divisor, v.proven ? "proven" : "refused", v.reason);
  }
}

void AppendPasses(const RunReport& report, std::string* out) {
  absl::StrAppend(out, "\npasses\n");
  for (const PassReport& pass : report.passes) {
    absl::StrAppendFormat(out, "  %-28s %7.2f ms  %s\n", pass.name,
                          pass.milliseconds,
                          pass.changed ? pass.detail : "unchanged");
  }
}

void AppendBindings(const RunReport& report, std::string* out) {
  absl::StrAppend(out, "\nbindings: ", report.findings.bindings.size(), "\n");
  for (const ScaleBinding& binding : report.findings.bindings) {
    absl::StrAppendFormat(out, "  %s:%d %s: %s to %s\n", binding.function,
                          binding.span.line, binding.side, binding.scale,
                          binding.data);
  }
}

bool IsL0OrScale(const TileAddress& tile) {
  return tile.space == "Left" || tile.space == "Right" || tile.space == "Acc" ||
         tile.space == "LeftScale" || tile.space == "RightScale";
}

void AppendAddresses(const RunReport& report, std::string* out) {
  absl::StrAppend(out, "\naddresses of L0 and scale tiles\n");
  for (const TileAddress& tile : report.findings.addresses) {
    if (!IsL0OrScale(tile)) continue;
    absl::StrAppendFormat(out, "  %-10s 0x%05x %7d bytes  %s.%s\n", tile.space,
                          tile.address, tile.size_bytes, tile.function,
                          tile.tile);
  }
}

void AppendPipes(const RunReport& report, const a5::Soc& soc,
                 std::string* out) {
  const a5::PipeTimeline& timeline = report.execution.timeline;
  absl::StrAppend(out, "\npipes of ", soc.name, " (", kCostSource, ")\n");
  for (const a5::Pipe pipe : kPipesInOrder) {
    const a5::PipeStats& stats = timeline.stats(pipe);
    if (stats.instructions == 0) continue;
    absl::StrAppendFormat(
        out, "  %-5s %8d cycles  %9d bytes  %4d instructions\n", a5::Name(pipe),
        stats.cycles, stats.bytes, stats.instructions);
  }
  for (const auto& [op, cost] : report.execution.estimated) {
    absl::StrAppendFormat(
        out,
        "  of V  %8d cycles estimated: %s, %d calls, no kernel of its own\n",
        cost.cycles, op, cost.calls);
  }
  absl::StrAppendFormat(out, "  busiest pipe: %d cycles, %.2f us at %g MHz\n",
                        timeline.Makespan(),
                        timeline.Makespan() / soc.clock_mhz, soc.clock_mhz);
}

void AppendKernels(const SimdExecution& simd, std::string* out) {
  absl::StrAppend(out, "\nSIMD backend on ", simd.cpu, ", ", simd.threads,
                  simd.threads == 1 ? " thread\n" : " threads\n");
  for (const auto& kernel : simd.kernels) {
    absl::StrAppend(
        out, "  ",
        KernelTitle(kernel->name, kernel->program_count, kernel->launches),
        "\n    ", PlanToLine(kernel->plan.selected), "\n");
    absl::StrAppendFormat(
        out, "    planned in %.1f ms, compiled in %.1f ms, ran for %.2f ms\n",
        kernel->plan_ms, kernel->compile_ms, kernel->run_ms);
  }
}

void AppendComparison(absl::string_view label, const Comparison& c,
                      std::string* out) {
  absl::StrAppendFormat(
      out,
      "    against %s: absolute %.3g, relative %.3g, of the sum of absolute "
      "products %.3g\n",
      label, c.max_absolute_error, c.max_relative_error, c.max_scaled_error);
}

void AppendResults(const RunReport& report, std::string* out) {
  absl::StrAppend(out, "\nresults\n");
  for (const ExecutionResult& result : report.execution.results) {
    absl::StrAppend(out, "  ", result.name, " ", ir::DataTypeName(result.dtype),
                    " ", Shape(result.shape), ", maximal errors\n");
    AppendComparison("float64 of the quantised inputs",
                     result.against_quantised, out);
    if (result.against_exact.has_value()) {
      AppendComparison("float64 of the inputs before quantising",
                       *result.against_exact, out);
    }
    absl::StrAppend(out, "    sha256 ", Sha256Hex(result.bytes), "\n");
  }
  absl::StrAppendFormat(
      out,
      "\n%s: errors against the quantised inputs %s %g of the sum of "
      "absolute products\n",
      report.correct() ? "correct" : "WRONG",
      report.correct() ? "are within" : "exceed", report.tolerance);
}

// ---- JSON

// JSON has no infinity and no NaN.
Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(absl::StrCat(value));
}

Json ComparisonJson(const Comparison& c) {
  return {{"max_absolute_error", Number(c.max_absolute_error)},
          {"max_relative_error", Number(c.max_relative_error)},
          {"max_scaled_error", Number(c.max_scaled_error)},
          {"worst_index", c.worst_index}};
}

Json InputsJson(const RunReport& report) {
  Json inputs = Json::array();
  for (const exec::BoundInput& input : report.inputs) {
    const auto* type = ir::DynCast<ir::TensorType>(input.param->type);
    Json entry = {{"name", std::string(input.param->name)},
                  {"origin", input.origin}};
    if (type == nullptr) {
      entry["value"] = input.scalar;
    } else {
      entry["dtype"] = std::string(ir::DataTypeName(type->dtype));
      entry["shape"] = input.shape;
    }
    inputs.push_back(entry);
  }
  return inputs;
}

Json OffsetsJson(const RunReport& report) {
  Json offsets = Json::array();
  for (const OffsetVerdict& v : report.findings.offsets) {
    offsets.push_back(OffsetToJson(v));
  }
  return offsets;
}

Json PassesJson(const RunReport& report) {
  Json passes = Json::array();
  for (const PassReport& pass : report.passes) {
    passes.push_back({{"name", pass.name},
                      {"milliseconds", pass.milliseconds},
                      {"changed", pass.changed},
                      {"detail", pass.detail}});
  }
  return passes;
}

Json BindingsJson(const RunReport& report) {
  Json bindings = Json::array();
  for (const ScaleBinding& b : report.findings.bindings) {
    bindings.push_back({{"function", b.function},
                        {"line", b.span.line},
                        {"side", b.side},
                        {"scale", b.scale},
                        {"data", b.data}});
  }
  return bindings;
}

Json AddressesJson(const RunReport& report) {
  Json addresses = Json::array();
  for (const TileAddress& tile : report.findings.addresses) {
    addresses.push_back({{"function", tile.function},
                         {"tile", tile.tile},
                         {"space", tile.space},
                         {"address", tile.address},
                         {"size_bytes", tile.size_bytes}});
  }
  return addresses;
}

Json PipesJson(const RunReport& report) {
  Json pipes = Json::array();
  for (const a5::Pipe pipe : kPipesInOrder) {
    const a5::PipeStats& stats = report.execution.timeline.stats(pipe);
    pipes.push_back({{"pipe", std::string(a5::Name(pipe))},
                     {"cycles", stats.cycles},
                     {"bytes", stats.bytes},
                     {"instructions", stats.instructions}});
  }
  return pipes;
}

Json EstimatedJson(const RunReport& report) {
  Json estimated = Json::array();
  for (const auto& [op, cost] : report.execution.estimated) {
    estimated.push_back({{"op", op},
                         {"pipe", std::string(a5::Name(a5::Pipe::kV))},
                         {"calls", cost.calls},
                         {"cycles", cost.cycles}});
  }
  return estimated;
}

Json MachineJson(const RunReport& report, const a5::Soc& soc) {
  return {{"soc", std::string(soc.name)},
          {"clock_mhz", soc.clock_mhz},
          {"cost_source", std::string(kCostSource)},
          {"pipes", PipesJson(report)},
          {"estimated", EstimatedJson(report)},
          {"busiest_pipe_cycles", report.execution.timeline.Makespan()}};
}

Json SimdJson(const SimdExecution& simd) {
  Json kernels = Json::array();
  for (const auto& kernel : simd.kernels) {
    kernels.push_back({{"name", kernel->name},
                       {"instances", kernel->program_count},
                       {"launches", kernel->launches},
                       {"plan", PlanToJson(kernel->plan.selected)},
                       {"plan_milliseconds", kernel->plan_ms},
                       {"compile_milliseconds", kernel->compile_ms},
                       {"run_milliseconds", kernel->run_ms}});
  }
  return {{"cpu", simd.cpu},
          {"threads", simd.threads},
          {"kernels", std::move(kernels)}};
}

Json ResultsJson(const RunReport& report) {
  Json results = Json::array();
  for (const ExecutionResult& result : report.execution.results) {
    Json entry = {
        {"name", result.name},
        {"dtype", std::string(ir::DataTypeName(result.dtype))},
        {"shape", result.shape},
        {"sha256", Sha256Hex(result.bytes)},
        {"correct", IsWithin(report, result)},
        {"against_quantised", ComparisonJson(result.against_quantised)}};
    if (result.against_exact.has_value()) {
      entry["against_exact"] = ComparisonJson(*result.against_exact);
    }
    results.push_back(entry);
  }
  return results;
}

}  // namespace

bool RunReport::correct() const {
  return std::all_of(execution.results.begin(), execution.results.end(),
                     [this](const ExecutionResult& result) {
                       return IsWithin(*this, result);
                     });
}

std::string ToText(const RunReport& report, const a5::Soc& soc) {
  std::string out = absl::StrCat("program ", report.program, ", entry ",
                                 report.entry, ", ", report.file, "\n");
  AppendInputs(report, &out);
  if (report.simd.has_value()) {
    AppendKernels(*report.simd, &out);
  } else {
    AppendOffsets(report, &out);
    AppendPasses(report, &out);
    AppendBindings(report, &out);
    AppendAddresses(report, &out);
    AppendPipes(report, soc, &out);
  }
  AppendResults(report, &out);
  return out;
}

std::string ToJson(const RunReport& report, const a5::Soc& soc) {
  const bool simd = report.simd.has_value();
  Json json = {{"schema", "mxtile.run_report.v1"},
               {"backend", simd ? "simd" : "model"},
               {"file", report.file},
               {"program", report.program},
               {"entry", report.entry},
               {"inputs", InputsJson(report)},
               {"offsets", OffsetsJson(report)},
               {"passes", PassesJson(report)},
               {"bindings", BindingsJson(report)},
               {"addresses", AddressesJson(report)}};
  if (simd) {
    json["simd"] = SimdJson(*report.simd);
  } else {
    json["machine"] = MachineJson(report, soc);
  }
  json["results"] = ResultsJson(report);
  json["tolerance"] = report.tolerance;
  json["correct"] = report.correct();
  // Names may hold any bytes that a file had; none may end the report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mxtile
