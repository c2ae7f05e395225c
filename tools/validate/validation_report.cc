#include "tools/validate/validation_report.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace mxtile {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kAsWritten[] = "as written";

std::string IndexText(const std::vector<int64_t>& index) {
  return absl::StrCat("[", absl::StrJoin(index, ", "), "]");
}

std::string ElementText(const ElementBits& element) {
  return element.written
             ? absl::StrFormat("%.9g (0x%x)", element.value, element.code)
             : "not written";
}

std::string Where(const ir::SourceSpan& span) {
  return span.known() ? absl::StrCat(" at line ", span.line) : "";
}

// "reference equal"; the reason of what did not run is given once, where it
// stays the same from stage to stage.
std::string EngineText(const ValidationReport& report, const StageReport& stage,
                       const StageReport* previous, Engine engine) {
  const EngineReport& run = stage.of(engine);
  const std::string name(EngineName(engine));
  const bool is_at_fault = report.fault.has_value() &&
                           report.fault->pass == stage.pass &&
                           report.fault->difference.has_value();
  if (is_at_fault && report.fault->engine == engine) {
    return absl::StrCat(name, " DIFFERENT");
  }
  if (is_at_fault && engine == Engine::kModel) {
    return absl::StrCat(name, " not asked");
  }
  if (run.outcome == Outcome::kRan) {
    return absl::StrCat(name, stage.pass.empty() ? " ran" : " equal");
  }
  const std::string verb =
      run.outcome == Outcome::kFailed ? " stopped" : " not run";
  if (previous != nullptr && previous->of(engine).reason == run.reason) {
    return absl::StrCat(name, verb, ", as before");
  }
  return absl::StrCat(
      name, verb, Where(run.span), ": ", run.reason,
      run.rule.empty() ? "" : absl::StrCat(" [", run.rule, "]"));
}

Json OutcomeJson(const EngineReport& engine) {
  const char* const names[] = {"ran", "not_run", "stopped"};
  Json json = {{"outcome", names[static_cast<int>(engine.outcome)]}};
  if (engine.outcome == Outcome::kRan) return json;
  json["reason"] = engine.reason;
  json["rule"] = engine.rule;
  if (engine.span.known()) {
    json["line"] = engine.span.line;
    json["column"] = engine.span.column;
  }
  return json;
}

Json ElementJson(const ElementBits& element) {
  Json json = {{"written", element.written}};
  if (!element.written) return json;
  json["bits"] = absl::StrFormat("0x%x", element.code);
  // JSON has no infinities and no NaN.
  json["value"] = absl::StrFormat("%.17g", element.value);
  return json;
}

Json FaultJson(const ValidationFault& fault) {
  Json json = {{"rule", fault.rule},
               {"pass", fault.pass},
               {"engine", std::string(EngineName(fault.engine))},
               {"suspects", fault.suspects},
               {"message", FaultMessage(fault)}};
  if (!fault.difference.has_value()) return json;
  const Difference& difference = *fault.difference;
  json["difference"] = {{"result", difference.result},
                        {"dtype", std::string(DataTypeName(difference.dtype))},
                        {"index", difference.index},
                        {"before", ElementJson(difference.before)},
                        {"after", ElementJson(difference.after)},
                        {"num_different", difference.num_different},
                        {"num_elements", difference.num_elements}};
  return json;
}

std::string ResultText(const ResultBits& result) {
  return absl::StrCat(result.name, " ", ir::DataTypeName(result.dtype), " ",
                      IndexText(result.shape));
}

// What was and was not done, in the last line.
std::string Verdict(const ValidationReport& report) {
  if (report.fault.has_value()) {
    return absl::StrCat("not the same after ", report.fault->pass);
  }
  if (report.finished && !report.validated()) {
    return "not validated: what comes out was not executed, or has no result";
  }
  const int changed = static_cast<int>(
      std::count_if(report.stages.begin(), report.stages.end(),
                    [](const StageReport& stage) { return stage.changed; }));
  return absl::StrCat(
      report.finished ? "" : "lowering ended early; up to there ",
      "the same bits at every stage that was executed: of ", changed,
      " different programs ", report.CountRan(Engine::kReference),
      " ran on the reference interpreter, ", report.CountRan(Engine::kModel),
      " on the A5 model");
}

}  // namespace

bool ValidationReport::validated() const {
  if (!finished || fault.has_value() || results.empty()) return false;
  for (auto it = stages.rbegin(); it != stages.rend(); ++it) {
    if (it->changed) return it->was_executed();
  }
  return false;
}

int ValidationReport::CountRan(Engine engine) const {
  return static_cast<int>(std::count_if(
      stages.begin(), stages.end(), [engine](const StageReport& stage) {
        return stage.changed && stage.of(engine).outcome == Outcome::kRan;
      }));
}

std::string FaultMessage(const ValidationFault& fault) {
  const std::string machine = fault.engine == Engine::kReference
                                  ? "the reference interpreter"
                                  : "the A5 model";
  const std::string who =
      fault.suspects.size() > 1
          ? absl::StrCat("one of the passes ",
                         absl::StrJoin(fault.suspects, ", "))
          : absl::StrCat("pass ", fault.pass);
  if (!fault.difference.has_value()) {
    return absl::StrCat(who, " makes a program that stops on ", machine, ": ",
                        fault.reason);
  }
  const Difference& difference = *fault.difference;
  return absl::StrCat(
      who, " changes what the program computes: ", difference.result,
      IndexText(difference.index), " is ", ElementText(difference.before),
      " before and ", ElementText(difference.after), " after, on ", machine,
      "; ", difference.num_different, " of ", difference.num_elements,
      " elements differ");
}

std::string ToText(const ValidationReport& report) {
  std::string text = absl::StrCat("validation by execution: entry ",
                                  report.entry, ", seed ", report.seed);
  for (const ResultBits& result : report.results) {
    absl::StrAppend(&text, ", ", ResultText(result));
  }
  absl::StrAppend(&text, "\n");
  size_t width = 0;
  for (const StageReport& stage : report.stages) {
    width = std::max(width, stage.pass.size());
  }
  width = std::max(width, sizeof(kAsWritten) - 1);
  const StageReport* previous = nullptr;
  for (const StageReport& stage : report.stages) {
    const bool is_first = stage.pass.empty();
    const std::string name = is_first ? kAsWritten : stage.pass;
    absl::StrAppendFormat(&text, "  %-*s  ", static_cast<int>(width), name);
    if (!stage.changed) {
      absl::StrAppend(&text, "unchanged\n");
      continue;
    }
    absl::StrAppend(
        &text, EngineText(report, stage, previous, Engine::kReference), "; ",
        EngineText(report, stage, previous, Engine::kModel), "\n");
    previous = &stage;
  }
  return absl::StrCat(text, Verdict(report), "\n");
}

std::string ToJson(const ValidationReport& report) {
  Json json = {{"schema", "mxtile.validation_report.v1"},
               {"program", report.program},
               {"entry", report.entry},
               {"seed", report.seed},
               {"validated", report.validated()}};
  json["results"] = Json::array();
  for (const ResultBits& result : report.results) {
    json["results"].push_back(
        {{"name", result.name},
         {"dtype", std::string(ir::DataTypeName(result.dtype))},
         {"shape", result.shape}});
  }
  json["stages"] = Json::array();
  for (const StageReport& stage : report.stages) {
    Json entry = {{"pass", stage.pass}, {"changed", stage.changed}};
    if (stage.changed) {
      for (const Engine engine : kEngines) {
        entry[std::string(EngineName(engine))] = OutcomeJson(stage.of(engine));
      }
    }
    json["stages"].push_back(std::move(entry));
  }
  json["fault"] = report.fault.has_value() ? FaultJson(*report.fault) : Json();
  return absl::StrCat(json.dump(2), "\n");
}

}  // namespace mxtile
