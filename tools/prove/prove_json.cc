#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/source_span.h"
#include "nlohmann/json.hpp"
#include "passes/block_mx_scale_tensor_views/mx_offsets.h"
#include "proof/certificate.h"
#include "proof/counterexample.h"
#include "proof/format_expr.h"
#include "proof/goal.h"
#include "proof/prover.h"
#include "proof/refusal.h"
#include "tools/offset_json.h"
#include "tools/prove/prove_report.h"

namespace mxtile {
namespace {

using Json = nlohmann::ordered_json;

std::string Text(absl::string_view text) { return std::string(text); }

void AddPlace(const ir::SourceSpan& span, Json* json) {
  (*json)["file"] = Text(span.file);
  (*json)["line"] = span.line;
  (*json)["column"] = span.column;
}

Json GoalToJson(const proof::Goal& goal) {
  if (goal.is_sign()) return {{"property", "non_negative"}};
  return {{"property", "multiple_of"}, {"divisor", goal.divisor}};
}

Json RangeToJson(const proof::ValueRange& range) {
  return Json::array({range.min, range.max});
}

absl::string_view OverflowName(proof::Overflow overflow) {
  switch (overflow) {
    case proof::Overflow::kIrrelevant:
      return "irrelevant";
    case proof::Overflow::kDischarged:
      return "discharged";
    case proof::Overflow::kAssumed:
      return "assumed";
  }
  return "";
}

Json SourceToJson(const proof::ParamSource& source) {
  Json json = {{"caller", Text(source.caller->name)},
               {"value", proof::FormatExpr(source.value)}};
  AddPlace(source.span(), &json);
  return json;
}

Json NodeToJson(const proof::CertificateNode& node) {
  Json json = {{"rule", Text(proof::RuleId(node.rule))},
               {"expression", proof::FormatExpr(node.expr)},
               {"goal", GoalToJson(node.goal)},
               {"premises", node.children},
               {"overflow", Text(OverflowName(node.overflow))}};
  if (node.exact_range.has_value()) {
    json["exact_range"] = RangeToJson(*node.exact_range);
  }
  if (node.definition != nullptr) {
    json["definition"] = {{"value", proof::FormatExpr(node.definition->value)}};
    AddPlace(node.definition->span, &json["definition"]);
  }
  if (node.loop != nullptr) {
    json["loop"] = {{"start", node.range->start}, {"step", node.range->step}};
    AddPlace(node.loop->span, &json["loop"]);
  }
  if (node.function != nullptr) {
    json["parameter_of"] = Text(node.function->name);
    json["callers"] = Json::array();
    for (const proof::ParamSource& source : node.sources) {
      json["callers"].push_back(SourceToJson(source));
    }
  }
  return json;
}

Json HopToJson(const proof::Hop& hop) {
  Json json = {{"variable", Text(hop.var->name)},
               {"function", Text(hop.function->name)}};
  if (hop.definition != nullptr) {
    json["definition"] = {{"value", proof::FormatExpr(hop.definition->value)}};
    AddPlace(hop.definition->span, &json["definition"]);
  } else {
    json["caller"] = SourceToJson(*hop.source);
  }
  return json;
}

Json BindingToJson(const proof::Binding& binding) {
  Json json = {{"variable", Text(binding.var->name)}, {"value", binding.value}};
  switch (binding.kind) {
    case proof::Binding::Kind::kLoop:
      json["from"] = "loop";
      AddPlace(binding.loop->span, &json);
      break;
    case proof::Binding::Kind::kArgument:
      json["from"] = "call";
      json["caller"] = Text(binding.site->caller->name);
      AddPlace(binding.site->span(), &json);
      break;
    case proof::Binding::Kind::kHost:
      json["from"] = "host";
      break;
    case proof::Binding::Kind::kDim:
      json["from"] = "dim";
      break;
  }
  return json;
}

Json RefusalToJson(const proof::Refusal& refusal) {
  Json json = {{"reason", Text(proof::RefusalReasonName(refusal.reason))},
               {"leaf", proof::FormatExpr(refusal.expr)},
               {"goal", GoalToJson(refusal.goal)},
               {"chain", Json::array()}};
  for (const proof::Hop& hop : refusal.hops) {
    json["chain"].push_back(HopToJson(hop));
  }
  if (refusal.value.has_value()) json["value"] = *refusal.value;
  if (refusal.range.has_value()) {
    json["exact_range"] = RangeToJson(*refusal.range);
  }
  if (refusal.counterexample.has_value()) {
    Json bindings = Json::array();
    for (const proof::Binding& binding : refusal.counterexample->bindings) {
      bindings.push_back(BindingToJson(binding));
    }
    json["counterexample"] = {{"value", refusal.counterexample->value},
                              {"bindings", bindings}};
  }
  return json;
}

Json ResultToJson(const proof::ProofResult& result) {
  Json json = {{"goal", GoalToJson(result.goal)},
               {"proven", result.proven()},
               {"visited", result.visited}};
  if (!result.proven()) {
    json["refusal"] = RefusalToJson(result.refusal());
    return json;
  }
  json["certificate"] = Json::array();
  for (const proof::CertificateNode& node : result.certificate().nodes) {
    json["certificate"].push_back(NodeToJson(node));
  }
  return json;
}

Json JudgementToJson(const OffsetJudgement& judgement) {
  Json json = OffsetToJson(judgement.verdict);
  json["questions"] = {ResultToJson(judgement.multiple),
                       ResultToJson(judgement.sign)};
  return json;
}

}  // namespace

std::string ToJson(const std::vector<ProvenProgram>& programs,
                   const ProveOptions& options) {
  Json files = Json::array();
  int proven = 0, assuming = 0, refused = 0;
  for (const ProvenProgram& program : programs) {
    Json offsets = Json::array();
    for (const OffsetJudgement& judgement : program.offsets) {
      offsets.push_back(JudgementToJson(judgement));
    }
    files.push_back({{"file", program.file},
                     {"program", program.program},
                     {"offsets", offsets}});
    proven += program.num_proven();
    assuming += program.num_assuming();
    refused += program.num_refused();
  }
  const Json json = {
      {"schema", "mxtile.prove_report.v1"},
      {"entry", options.entry},
      {"extended", options.proof.extended},
      {"strict_overflow", options.proof.strict_overflow},
      {"files", files},
      {"proven", proven},
      {"assuming_no_overflow", assuming},
      {"refused", refused},
  };
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mxtile
