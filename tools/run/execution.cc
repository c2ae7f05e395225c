#include "tools/run/execution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/interpreter.h"
#include "exec/model/model_backend.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_backend.h"
#include "exec/value.h"
#include "ir/type.h"
#include "tools/run/reference_data.h"
#include "tools/run/results.h"

namespace mxtile {
namespace {

using exec::BoundInput;
using exec::Interpreter;
using exec::ModelBackend;
using exec::ReferenceBackend;
using exec::Tracked;
using exec::Value;

const ir::Function& EntryOf(const ir::Program& program,
                            const std::string& name) {
  const ir::Function* entry = program.Find(name);
  MX_CHECK(entry != nullptr) << "no function '" << name << "'";
  return *entry;
}

// ---- Reference

absl::StatusOr<Value> TrackedArgument(const BoundInput& input, bool exact) {
  const auto& type = *ir::CheckedCast<ir::TensorType>(input.param->type);
  MX_ASSIGN_OR_RETURN(const ReferenceData data,
                      ReferenceDataOf(input, type, exact));
  return ReferenceBackend<Tracked>::MakeTensor(data.shape, data.values);
}

// MX-RUN-3 unless every element of a result has a value.
absl::Status CheckWhole(const NamedValue& named,
                        const exec::ReferenceTensor<Tracked>& tensor,
                        const ir::Function& entry, ir::DiagnosticSink* sink) {
  const auto hole =
      std::find(tensor.defined.begin(), tensor.defined.end(), uint8_t{0});
  if (hole == tensor.defined.end()) return absl::OkStatus();
  int64_t rest = hole - tensor.defined.begin();
  std::vector<int64_t> index(tensor.shape.size());
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    index[i] = rest % tensor.shape[i];
    rest /= tensor.shape[i];
  }
  sink->Error(
      "MX-RUN-3", entry.span,
      absl::StrCat("result '", named.name, "' of '", entry.name, "': element [",
                   absl::StrJoin(index, ", "), "] is never written"));
  return sink->ToStatus();
}

// As a store to FP32 leaves it: what is too large becomes infinite. Smaller
// values keep their precision.
double RoundOverflow(double value, ir::DataType dtype) {
  const float rounded = static_cast<float>(value);
  return dtype == ir::DataType::kFP32 && std::isinf(rounded) ? rounded : value;
}

absl::StatusOr<std::vector<ReferenceResult>> RunReference(
    const ExecutionRequest& request, bool exact, ir::DiagnosticSink* sink) {
  const ir::Function& entry = EntryOf(*request.source, request.entry);
  ReferenceBackend<Tracked> backend(*request.registry);
  std::vector<Value> args;
  for (const BoundInput& input : request.inputs) {
    const auto* type = ir::DynCast<ir::TensorType>(input.param->type);
    if (type == nullptr) {
      args.emplace_back(input.scalar);
    } else if (input.is_output) {
      MX_ASSIGN_OR_RETURN(Value arg,
                          backend.CreateTensor(*type, input.param->name));
      args.push_back(std::move(arg));
    } else {
      MX_ASSIGN_OR_RETURN(Value arg, TrackedArgument(input, exact));
      args.push_back(std::move(arg));
    }
  }
  Interpreter interpreter(*request.source, &backend, sink);
  MX_ASSIGN_OR_RETURN(const std::vector<Value> returned,
                      interpreter.Run(entry, args));
  std::vector<ReferenceResult> results;
  for (const NamedValue& named : ResultsOf(entry, args, returned)) {
    const auto& tensor = ReferenceBackend<Tracked>::Tensor(named.value);
    MX_RETURN_IF_ERROR(CheckWhole(named, tensor, entry, sink));
    ReferenceResult result;
    for (const Tracked& number : tensor.values) {
      result.values.push_back(RoundOverflow(number.value, named.type->dtype));
      result.magnitudes.push_back(number.magnitude);
    }
    results.push_back(std::move(result));
  }
  if (!results.empty()) return results;
  sink->Error("MX-RUN-2", entry.span,
              absl::StrCat("'", entry.name,
                           "' has no output parameter and returns no tensor: "
                           "there is nothing to compare"));
  return sink->ToStatus();
}

// ---- Machine

// Scale tensors are those of E8M0.
bool IsScale(const BoundInput& input) {
  const auto* type = ir::DynCast<ir::TensorType>(input.param->type);
  return type != nullptr && type->dtype == ir::DataType::kFP8E8M0 &&
         !input.is_output;
}

absl::StatusOr<std::vector<uint8_t>> MachineBytes(const BoundInput& input,
                                                  const ir::TensorType& type,
                                                  DataFault fault) {
  if (fault == DataFault::kRowMajorScale) return input.codes;
  MX_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes,
                      exec::PackForType(type, input.shape, input.codes));
  if (fault == DataFault::kFlipScaleByte && !bytes.empty()) {
    // Not all bits, as that could make the scale 2^127 or NaN: a factor of 2^8
    // at most is hard enough to see.
    bytes[bytes.size() / 2] ^= 0x08;
  }
  return bytes;
}

absl::StatusOr<std::vector<Value>> MachineArguments(
    const ExecutionRequest& request, const ir::Function& entry,
    ModelBackend& backend) {
  DataFault fault = request.fault;  // Of the next scale tensor.
  std::vector<Value> args;
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const BoundInput& input = request.inputs[i];
    const auto* type = ir::DynCast<ir::TensorType>(entry.params[i]->type);
    if (type == nullptr) {
      args.emplace_back(input.scalar);
      continue;
    }
    if (input.is_output) {
      MX_ASSIGN_OR_RETURN(Value arg,
                          backend.CreateTensor(*type, input.param->name));
      args.push_back(std::move(arg));
      continue;
    }
    const DataFault applied = IsScale(input)
                                  ? std::exchange(fault, DataFault::kNone)
                                  : DataFault::kNone;
    MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                        MachineBytes(input, *type, applied));
    MX_ASSIGN_OR_RETURN(Value arg,
                        backend.MakeTensor(*type, input.param->name, bytes));
    args.push_back(std::move(arg));
  }
  return args;
}

absl::StatusOr<Execution> RunMachine(const ExecutionRequest& request,
                                     ir::DiagnosticSink* sink) {
  const ir::Function& entry = EntryOf(*request.lowered, request.entry);
  ModelBackend backend(*request.registry);
  MX_ASSIGN_OR_RETURN(const std::vector<Value> args,
                      MachineArguments(request, entry, backend));
  Interpreter interpreter(*request.lowered, &backend, sink);
  MX_ASSIGN_OR_RETURN(const std::vector<Value> returned,
                      interpreter.Run(entry, args));
  Execution execution;
  for (const NamedValue& named : ResultsOf(entry, args, returned)) {
    ExecutionResult result;
    result.name = named.name;
    result.dtype = named.type->dtype;
    MX_ASSIGN_OR_RETURN(result.shape,
                        exec::LogicalShape(*named.type, named.name));
    MX_ASSIGN_OR_RETURN(result.bytes, backend.ReadTensor(named.value));
    execution.results.push_back(std::move(result));
  }
  execution.estimated = backend.estimated();
  execution.timeline = backend.machine().timeline();
  return execution;
}

}  // namespace

absl::StatusOr<References> ComputeReferences(const ExecutionRequest& request,
                                             ir::DiagnosticSink* sink) {
  References references;
  MX_ASSIGN_OR_RETURN(references.quantised,
                      RunReference(request, /*exact=*/false, sink));
  const bool has_exact =
      std::any_of(request.inputs.begin(), request.inputs.end(),
                  [](const BoundInput& input) { return input.quantised; });
  if (has_exact) {
    MX_ASSIGN_OR_RETURN(references.exact,
                        RunReference(request, /*exact=*/true, sink));
  }
  return references;
}

absl::StatusOr<Execution> Execute(const ExecutionRequest& request,
                                  const References& references,
                                  ir::DiagnosticSink* sink) {
  MX_ASSIGN_OR_RETURN(Execution execution, RunMachine(request, sink));
  MX_RETURN_IF_ERROR(CompareResults(references, &execution.results));
  return execution;
}

}  // namespace mxtile
