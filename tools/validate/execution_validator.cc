#include "tools/validate/execution_validator.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "exec/element_type.h"
#include "exec/inputs.h"
#include "exec/specialize.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/rule_error.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

double ValueOf(const ResultBits& result, uint32_t code) {
  const std::optional<ElementFormat> format = exec::FormatOf(result.dtype);
  if (format.has_value()) return Decode(*format, code);
  float value = 0;
  std::memcpy(&value, &code, sizeof(value));
  return value;
}

ElementBits ElementOf(const ResultBits& result, size_t i) {
  if (!result.written[i]) return {false, 0, 0};
  return {true, result.codes[i], ValueOf(result, result.codes[i])};
}

std::vector<int64_t> IndexOf(int64_t flat, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return index;
}

bool SameElement(const ResultBits& a, const ResultBits& b, size_t i) {
  return a.written[i] == b.written[i] && a.codes[i] == b.codes[i];
}

std::optional<Difference> FirstDifference(const ResultBits& before,
                                          const ResultBits& after) {
  std::optional<Difference> first;
  for (size_t i = 0; i < before.codes.size(); ++i) {
    if (SameElement(before, after, i)) continue;
    if (!first.has_value()) {
      first.emplace();
      first->result = before.name;
      first->dtype = before.dtype;
      first->index = IndexOf(static_cast<int64_t>(i), before.shape);
      first->before = ElementOf(before, i);
      first->after = ElementOf(after, i);
      first->num_elements = static_cast<int64_t>(before.codes.size());
    }
    ++first->num_different;
  }
  return first;
}

// The names of the operators that the program calls.
std::set<std::string> OperatorsOf(const ir::Program& program) {
  std::set<std::string> names;
  for (const ir::Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&names](const ir::Stmt* stmt) {
      ir::ForEachRootExpr(*stmt, [&names](const ir::Expr* root) {
        ir::PostOrder(root, [&names](const ir::Expr* expr) {
          const auto* call = ir::DynCast<ir::Call>(expr);
          if (call != nullptr && !call->callee->is_function) {
            names.emplace(call->callee->name);
          }
        });
      });
    });
  }
  return names;
}

bool Includes(const std::set<std::string>& all,
              const std::set<std::string>& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

EngineReport ReportOf(const StageRun& run) {
  return {run.outcome, run.reason, run.rule, run.span};
}

}  // namespace

absl::StatusOr<std::optional<Difference>> FirstDifference(
    const std::vector<ResultBits>& before,
    const std::vector<ResultBits>& after) {
  if (before.size() != after.size()) {
    return absl::UnimplementedError(
        absl::StrCat("the program has ", after.size(), " results now and had ",
                     before.size()));
  }
  std::optional<Difference> first;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].dtype != after[i].dtype ||
        before[i].shape != after[i].shape ||
        before[i].is_coded != after[i].is_coded) {
      return absl::UnimplementedError(
          absl::StrCat("result '", before[i].name,
                       "' has another type or shape than before"));
    }
    if (!first.has_value()) first = FirstDifference(before[i], after[i]);
  }
  return first;
}

ExecutionValidator::ExecutionValidator(ValidatorOptions options,
                                       ir::DiagnosticSink* sink)
    : options_(std::move(options)), sink_(sink) {
  report_.entry = options_.entry;
  report_.seed = options_.seed;
}

absl::StatusOr<const ir::Program*> ExecutionValidator::Specialized(
    const ir::Program& program) {
  return exec::SpecializeDims(&program, dims_, options_.context);
}

absl::Status ExecutionValidator::Start(const ir::Program& program) {
  started_ = true;
  report_.program = std::string(program.name);
  exec::InputOptions inputs;
  inputs.seed = options_.seed;
  inputs.scalars = options_.scalars;
  for (const ir::Var* dim : program.dynamic_dims) {
    const auto it = inputs.scalars.find(std::string(dim->name));
    if (it == inputs.scalars.end()) continue;
    dims_.insert(*it);
    inputs.scalars.erase(it);
  }
  const auto refuse = [this](const absl::Status& status) {
    sink_->Error(ir::RuleOf(status), {}, std::string(status.message()));
    return sink_->ToStatus();
  };
  const absl::StatusOr<const ir::Program*> written = Specialized(program);
  if (!written.ok()) return refuse(written.status());
  absl::StatusOr<std::vector<exec::BoundInput>> bound =
      exec::BindInputs(**written, *(*written)->Find(options_.entry), inputs);
  if (!bound.ok()) return refuse(bound.status());
  inputs_ = *std::move(bound);
  report_.stages.emplace_back();
  MX_RETURN_IF_ERROR(RunOn(Engine::kReference, **written));
  return RunOn(Engine::kModel, **written);
}

absl::Status ExecutionValidator::BeforePass(const Pass&,
                                            const ir::Program& program) {
  return started_ ? absl::OkStatus() : Start(program);
}

absl::Status ExecutionValidator::AfterPass(const Pass& pass,
                                           const ir::Program& before,
                                           const ir::Program& after) {
  report_.stages.emplace_back();
  StageReport& stage = report_.stages.back();
  stage.pass = std::string(pass.name());
  stage.changed = &before != &after;
  if (!stage.changed) return absl::OkStatus();
  for (const Engine engine : kEngines) {
    engines_[engine].suspects.push_back(stage.pass);
  }
  MX_ASSIGN_OR_RETURN(const ir::Program* program, Specialized(after));
  MX_RETURN_IF_ERROR(RunOn(Engine::kReference, *program));
  return RunOn(Engine::kModel, *program);
}

absl::Status ExecutionValidator::RunOn(Engine engine,
                                       const ir::Program& program) {
  const StageRequest request = {&options_.context->registry(), &program,
                                options_.entry, &inputs_};
  const StageRun run = RunStage(engine, request);
  StageReport& stage = report_.stages.back();
  (engine == Engine::kReference ? stage.reference : stage.model) =
      ReportOf(run);
  EngineState& state = engines_[engine];
  if (run.outcome == Outcome::kRan) return Hold(engine, program, run);
  // The reference may not know an operator of lowered programs; what it refuses
  // without a new one is a variant that nobody wrote.
  const bool is_excused = engine == Engine::kReference &&
                          run.outcome == Outcome::kUnsupported &&
                          !Includes(state.operators, OperatorsOf(program));
  const bool is_lost = state.ran && !is_excused;
  if (is_lost) {
    ValidationFault fault;
    fault.rule = "MX-VALIDATE-2";
    fault.reason = run.reason;
    return Fault(engine, std::move(fault));
  }
  const bool is_wrong_as_written = stage.pass.empty() &&
                                   engine == Engine::kReference &&
                                   run.outcome == Outcome::kFailed;
  if (!is_wrong_as_written) return absl::OkStatus();
  sink_->Error(run.rule, run.span, run.reason);
  return sink_->ToStatus();
}

absl::Status ExecutionValidator::Hold(Engine engine, const ir::Program& program,
                                      const StageRun& run) {
  EngineState& state = engines_[engine];
  if (!baseline_.has_value()) {
    baseline_ = run.results;
    report_.results = run.results;
    for (ResultBits& result : report_.results) {
      result.codes.clear();
      result.written.clear();
    }
  }
  const absl::StatusOr<std::optional<Difference>> difference =
      FirstDifference(*baseline_, run.results);
  if (!difference.ok()) {
    StageReport& stage = report_.stages.back();
    EngineReport& report =
        engine == Engine::kReference ? stage.reference : stage.model;
    report.outcome = Outcome::kUnsupported;
    report.reason = std::string(difference.status().message());
    return absl::OkStatus();
  }
  if (difference->has_value()) {
    ValidationFault fault;
    fault.rule = "MX-VALIDATE-1";
    fault.difference = **difference;
    return Fault(engine, std::move(fault));
  }
  state.ran = true;
  state.operators = OperatorsOf(program);
  state.suspects.clear();
  return absl::OkStatus();
}

absl::Status ExecutionValidator::Fault(Engine engine, ValidationFault fault) {
  fault.pass = report_.stages.back().pass;
  fault.engine = engine;
  fault.suspects = engines_[engine].suspects;
  ir::Diagnostic& diagnostic =
      sink_->Error(fault.rule, {}, FaultMessage(fault));
  const StageReport& stage = report_.stages.back();
  if (engine == Engine::kModel && stage.reference.outcome == Outcome::kRan) {
    diagnostic.AddNote(
        {},
        "the reference interpreter, which knows no memory, still "
        "computes the same: look at memory spaces, addresses "
        "and scale bindings");
  }
  if (fault.suspects.size() > 1) {
    diagnostic.AddNote(
        {}, absl::StrCat("seen after ", fault.pass,
                         "; the passes before it "
                         "made programs that could not be run there"));
  }
  report_.fault = std::move(fault);
  return absl::InternalError(FaultMessage(*report_.fault));
}

absl::Status ExecutionValidator::Finish() {
  if (report_.fault.has_value() || report_.stages.empty()) {
    return absl::OkStatus();
  }
  report_.finished = true;
  // What a pass left alone was executed before it.
  const StageReport* last = nullptr;
  for (const StageReport& stage : report_.stages) {
    if (stage.changed) last = &stage;
  }
  if (options_.is_complete && last->model.outcome == Outcome::kFailed) {
    ValidationFault fault;
    fault.rule = "MX-VALIDATE-3";
    fault.reason = absl::StrCat(
        last->model.reason, last->model.rule.empty()
                                ? ""
                                : absl::StrCat(" [", last->model.rule, "]"));
    return Fault(Engine::kModel, std::move(fault));
  }
  if (last->was_executed() && !report_.results.empty()) {
    return absl::OkStatus();
  }
  const std::string why =
      last->was_executed()
          ? absl::StrCat("'", options_.entry,
                         "' has no output parameter and returns no tensor")
          : absl::StrCat("neither engine can run it; reference: ",
                         last->reference.reason,
                         "; model: ", last->model.reason);
  sink_->Error(
      "MX-VALIDATE-4", {},
      absl::StrCat("the program that comes out is not validated: ", why));
  return sink_->ToStatus();
}

}  // namespace mxtile
