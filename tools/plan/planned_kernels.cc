#include "tools/plan/planned_kernels.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/inputs.h"
#include "exec/interpreter.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/kernel_runner.h"
#include "exec/simd/mx_product_form.h"
#include "exec/simd/planner.h"
#include "exec/simd/simd_backend.h"
#include "exec/simd/tile_program.h"
#include "exec/value.h"
#include "ir/program.h"
#include "ir/type.h"

namespace mxtile {
namespace {

using exec::Value;
using exec::simd::BufferSpan;
using exec::simd::PlannerOptions;
using exec::simd::SimdBackend;
using exec::simd::TileProgram;

// Plans what it is asked to run.
class Planner {
 public:
  explicit Planner(const PlanRequest& request) : request_(request) {}

  absl::Status Run(const TileProgram& program) {
    const auto [it, is_new] =
        index_.emplace(exec::simd::ContentKey(program), kernels_.size());
    if (is_new) {
      PlannerOptions options = request_.options;
      options.mx_f32 = options.mx_f32 && exec::simd::HasMxContractions(program);
      PlannedKernel kernel;
      kernel.program = program;
      MX_ASSIGN_OR_RETURN(kernel.plan,
                          exec::simd::Plan(program, options, request_.target));
      kernels_.push_back(std::move(kernel));
    }
    ++kernels_[it->second].launches;
    return absl::OkStatus();
  }

  std::vector<PlannedKernel> Take() && { return std::move(kernels_); }

 private:
  const PlanRequest& request_;
  std::map<std::string, size_t> index_;  // By contents.
  std::vector<PlannedKernel> kernels_;
};

absl::StatusOr<std::vector<Value>> Arguments(const PlanRequest& request,
                                             const ir::Function& entry,
                                             SimdBackend& backend) {
  exec::InputOptions options;
  options.scalars = request.scalars;
  options.shapes_only = true;
  MX_ASSIGN_OR_RETURN(const std::vector<exec::BoundInput> inputs,
                      exec::BindInputs(*request.program, entry, options));
  std::vector<Value> args;
  for (const exec::BoundInput& input : inputs) {
    if (const auto* type = ir::DynCast<ir::TensorType>(input.param->type)) {
      MX_ASSIGN_OR_RETURN(Value arg,
                          backend.CreateTensor(*type, input.param->name));
      args.push_back(std::move(arg));
    } else {
      args.emplace_back(input.scalar);
    }
  }
  return args;
}

}  // namespace

absl::StatusOr<std::vector<PlannedKernel>> PlanKernels(
    const PlanRequest& request, ir::DiagnosticSink* sink) {
  const ir::Function* entry = request.program->Find(request.entry);
  MX_CHECK(entry != nullptr) << "no function '" << request.entry << "'";
  Planner planner(request);
  SimdBackend backend(
      *request.registry,
      [&planner](const TileProgram& program, absl::Span<const BufferSpan>) {
        return planner.Run(program);
      },
      sink);
  MX_ASSIGN_OR_RETURN(std::vector<Value> args,
                      Arguments(request, *entry, backend));
  exec::Interpreter interpreter(*request.program, &backend, sink);
  MX_RETURN_IF_ERROR(interpreter.Run(*entry, std::move(args)).status());
  return std::move(planner).Take();
}

}  // namespace mxtile
