#include "tools/run/simd_execution.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/inputs.h"
#include "exec/interpreter.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/kernel_runner.h"
#include "exec/simd/simd_backend.h"
#include "exec/value.h"
#include "ir/data_type.h"
#include "ir/program.h"
#include "ir/type.h"
#include "tools/run/execution.h"
#include "tools/run/results.h"

namespace mxtile {
namespace {

using exec::BoundInput;
using exec::Value;
using exec::simd::KernelRunner;
using exec::simd::SimdBackend;

absl::StatusOr<std::vector<Value>> SimdArguments(
    const ExecutionRequest& request, SimdBackend& backend) {
  bool flip = request.fault == DataFault::kFlipScaleByte;
  std::vector<Value> args;
  for (const BoundInput& input : request.inputs) {
    const auto* type = ir::DynCast<ir::TensorType>(input.param->type);
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
    std::vector<uint8_t> bytes = input.codes;
    if (flip && type->dtype == ir::DataType::kFP8E8M0 && !bytes.empty()) {
      bytes[bytes.size() / 2] ^= 0x08;
      flip = false;
    }
    MX_ASSIGN_OR_RETURN(Value arg, backend.FillTensor(*type, input.param->name,
                                                      std::move(bytes)));
    args.push_back(std::move(arg));
  }
  return args;
}

}  // namespace

absl::Status CheckHasSimd() {
  if (!absl::IsUnimplemented(
          exec::simd::CheckRunsOnHost(exec::simd::HostTarget()))) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      "the SIMD backend is not in this build, which has no LLVM (see "
      "third_party/README.md); --backend model is");
}

absl::StatusOr<SimdExecution> ExecuteSimd(
    const ExecutionRequest& request, const References& references,
    const exec::simd::KernelRunnerOptions& options, ir::DiagnosticSink* sink) {
  MX_RETURN_IF_ERROR(CheckHasSimd());
  const ir::Function* entry = request.source->Find(request.entry);
  MX_CHECK(entry != nullptr) << "no function '" << request.entry << "'";
  KernelRunner runner(options);
  SimdBackend backend(*request.registry, runner.AsRun(), sink);
  MX_ASSIGN_OR_RETURN(const std::vector<Value> args,
                      SimdArguments(request, backend));
  exec::Interpreter interpreter(*request.source, &backend, sink);
  MX_ASSIGN_OR_RETURN(const std::vector<Value> returned,
                      interpreter.Run(*entry, args));
  SimdExecution execution;
  for (const NamedValue& named : ResultsOf(*entry, args, returned)) {
    ExecutionResult result;
    result.name = named.name;
    result.dtype = named.type->dtype;
    MX_ASSIGN_OR_RETURN(result.shape,
                        exec::LogicalShape(*named.type, named.name));
    result.bytes = SimdBackend::Bytes(named.value);
    execution.results.push_back(std::move(result));
  }
  MX_RETURN_IF_ERROR(CompareResults(references, &execution.results));
  execution.cpu = options.jit.target.cpu;
  execution.threads = runner.threads();
  execution.kernels = std::move(runner).TakeKernels();
  return execution;
}

}  // namespace mxtile
