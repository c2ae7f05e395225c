#include "tools/validate/stage_run.h"

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "exec/element_type.h"
#include "exec/interpreter.h"
#include "exec/model/model_backend.h"
#include "exec/reference/machine_number_backend.h"
#include "exec/reference/reference_backend.h"
#include "exec/value.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "ir/type.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"
#include "tools/run/reference_data.h"
#include "tools/run/results.h"

namespace mxtile {
namespace {

using exec::BoundInput;
using exec::MachineNumberBackend;
using exec::ModelBackend;
using exec::Value;

// ---- Arguments

absl::StatusOr<Value> ArgumentOf(const BoundInput& input,
                                 const ir::TensorType& type,
                                 MachineNumberBackend& backend) {
  MX_ASSIGN_OR_RETURN(const ReferenceData data,
                      ReferenceDataOf(input, type, /*exact=*/false));
  return backend.MakeTensor(data.shape, data.values);
}

absl::StatusOr<Value> ArgumentOf(const BoundInput& input,
                                 const ir::TensorType& type,
                                 ModelBackend& backend) {
  MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                      exec::PackForType(type, input.shape, input.codes));
  return backend.MakeTensor(type, input.param->name, bytes);
}

template <typename Backend>
absl::StatusOr<std::vector<Value>> ArgumentsOf(const StageRequest& request,
                                               const ir::Function& entry,
                                               Backend& backend) {
  if (entry.params.size() != request.inputs->size()) {
    return absl::UnimplementedError(absl::StrCat(
        "'", entry.name, "' has ", entry.params.size(), " parameters now and ",
        request.inputs->size(), " as written"));
  }
  std::vector<Value> args;
  for (size_t i = 0; i < request.inputs->size(); ++i) {
    const BoundInput& input = (*request.inputs)[i];
    const auto* type = ir::DynCast<ir::TensorType>(entry.params[i]->type);
    if (type == nullptr) {
      args.emplace_back(input.scalar);
      continue;
    }
    absl::StatusOr<Value> arg =
        input.is_output ? backend.CreateTensor(*type, input.param->name)
                        : ArgumentOf(input, *type, backend);
    MX_RETURN_IF_ERROR(arg.status());
    args.push_back(*std::move(arg));
  }
  return args;
}

// ---- Results

ResultBits DescribedBits(const NamedValue& named) {
  ResultBits bits;
  bits.name = named.name;
  bits.dtype = named.type->dtype;
  return bits;
}

uint32_t BitsOf(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

absl::StatusOr<ResultBits> BitsOfResult(const NamedValue& named,
                                        const MachineNumberBackend& backend) {
  const auto& tensor = backend.Tensor(named.value);
  const std::optional<ElementFormat> format = exec::FormatOf(named.type->dtype);
  ResultBits bits = DescribedBits(named);
  bits.shape = tensor.shape;
  bits.is_coded = format.has_value();
  bits.written = tensor.defined;
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    const float value = tensor.values[i];
    bits.codes.push_back(!tensor.defined[i] ? 0
                         : format.has_value()
                             ? Encode(*format, value, Overflow::kSpecial)
                             : BitsOf(value));
  }
  return bits;
}

absl::StatusOr<ResultBits> BitsOfResult(const NamedValue& named,
                                        const ModelBackend& backend) {
  const ir::TensorType& type = *named.type;
  const std::optional<ElementFormat> format = exec::FormatOf(type.dtype);
  ResultBits bits = DescribedBits(named);
  MX_ASSIGN_OR_RETURN(bits.shape, exec::LogicalShape(type, named.name));
  int64_t count = 1;
  for (const int64_t size : bits.shape) count *= size;
  MX_ASSIGN_OR_RETURN(const exec::TensorBytes content,
                      backend.ReadWritten(named.value));
  const int64_t width = format.has_value() ? BitWidth(*format) / 8 : 0;
  if (width == 0 || type.layout() != ir::TensorLayout::kND ||
      count * width != static_cast<int64_t>(content.bytes.size())) {
    return absl::UnimplementedError(absl::StrCat(
        "the elements of result '", named.name, "', ",
        ir::DataTypeName(type.dtype), " in layout ",
        ir::EnumName(type.layout()),
        ", are not looked at: only packed row-major floating-point ones are"));
  }
  for (int64_t i = 0; i < count; ++i) {
    uint32_t code = 0;
    bool is_written = true;
    for (int64_t b = 0; b < width; ++b) {
      code |= uint32_t{content.bytes[i * width + b]} << (8 * b);
      is_written = is_written && content.written[i * width + b];
    }
    bits.codes.push_back(is_written ? code : 0);
    bits.written.push_back(is_written);
  }
  return bits;
}

// ---- Running

template <typename Backend>
absl::StatusOr<std::vector<ResultBits>> Run(const StageRequest& request,
                                            ir::DiagnosticSink* sink) {
  const ir::Function* entry = request.program->Find(request.entry);
  if (entry == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("the program has no function '", request.entry, "' now"));
  }
  Backend backend(*request.registry);
  MX_ASSIGN_OR_RETURN(const std::vector<Value> args,
                      ArgumentsOf(request, *entry, backend));
  exec::Interpreter interpreter(*request.program, &backend, sink);
  MX_ASSIGN_OR_RETURN(const std::vector<Value> returned,
                      interpreter.Run(*entry, args));
  std::vector<ResultBits> results;
  for (const NamedValue& named : ResultsOf(*entry, args, returned)) {
    MX_ASSIGN_OR_RETURN(ResultBits bits, BitsOfResult(named, backend));
    results.push_back(std::move(bits));
  }
  return results;
}

bool IsUnsupported(const absl::Status& status, absl::string_view rule) {
  return absl::IsUnimplemented(status) ||
         rule == exec::kReferenceUnsupportedRule ||
         rule == exec::kModelNoAddressRule ||
         rule == exec::kModelUnsupportedRule;
}

}  // namespace

absl::string_view EngineName(Engine engine) {
  return engine == Engine::kReference ? "reference" : "model";
}

StageRun RunStage(Engine engine, const StageRequest& request) {
  ir::DiagnosticSink sink;
  absl::StatusOr<std::vector<ResultBits>> results =
      engine == Engine::kReference ? Run<MachineNumberBackend>(request, &sink)
                                   : Run<ModelBackend>(request, &sink);
  StageRun run;
  if (results.ok()) {
    run.results = *std::move(results);
    return run;
  }
  run.rule = ir::RuleOf(results.status());
  run.reason = std::string(results.status().message());
  // What the interpreter reported says more than the status.
  if (!sink.diagnostics().empty()) {
    const ir::Diagnostic& diagnostic = sink.diagnostics().front();
    run.reason = diagnostic.message;
    run.span = diagnostic.span;
    if (run.rule.empty()) run.rule = diagnostic.rule_id;
  }
  run.outcome = IsUnsupported(results.status(), run.rule)
                    ? Outcome::kUnsupported
                    : Outcome::kFailed;
  return run;
}

}  // namespace mxtile
