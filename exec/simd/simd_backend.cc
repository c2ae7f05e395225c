#include "exec/simd/simd_backend.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/simd/import/import_state.h"
#include "exec/simd/import/importer.h"
#include "exec/simd/import/returned_params.h"
#include "exec/simd/view_error.h"
#include "exec/window.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/source_span.h"
#include "ir/type.h"

namespace mxtile::exec::simd {
namespace {

struct Tensor : Object {
  ElementType type = ElementType::kF32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

Tensor& TensorOf(const exec::Value& value) {
  auto* tensor = dynamic_cast<Tensor*>(value.AsObject().get());
  MX_CHECK(tensor != nullptr) << "object of another kind";
  return *tensor;
}

bool IsInCore(const ir::Function& function) {
  return function.function_type == ir::FunctionType::kInCore ||
         function.function_type == ir::FunctionType::kAIC ||
         function.function_type == ir::FunctionType::kAIV;
}

// "FILE:LINE:COLUMN" as a place in the function's file.
ir::SourceSpan SpanOf(const std::string& place, const ir::Function& function) {
  ir::SourceSpan span;
  span.file = function.span.file;
  std::vector<absl::string_view> parts = absl::StrSplit(place, ':');
  if (parts.size() < 3 ||
      !absl::SimpleAtoi(parts[parts.size() - 2], &span.line) ||
      !absl::SimpleAtoi(parts.back(), &span.column)) {
    return function.span;
  }
  span.end_line = span.line;
  span.end_column = span.column + 1;
  return span;
}

}  // namespace

SimdBackend::SimdBackend(const ir::OpRegistry& registry, Run run,
                         ir::DiagnosticSink* sink)
    : registry_(registry),
      table_(registry),
      run_(std::move(run)),
      sink_(sink) {}

exec::Value SimdBackend::MakeTensor(ElementType type,
                                    std::vector<int64_t> shape,
                                    std::vector<uint8_t> bytes) {
  auto tensor = std::make_shared<Tensor>();
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  MX_CHECK(static_cast<int64_t>(bytes.size()) == BytesOf(type, count));
  tensor->type = type;
  tensor->shape = std::move(shape);
  tensor->bytes = std::move(bytes);
  return exec::Value(std::shared_ptr<Object>(std::move(tensor)));
}

const std::vector<uint8_t>& SimdBackend::Bytes(const exec::Value& tensor) {
  return TensorOf(tensor).bytes;
}

absl::StatusOr<exec::Value> SimdBackend::EvalOp(const ir::Call& call,
                                                const ir::Type* result_type,
                                                absl::Span<const exec::Value>,
                                                BlockPosition) {
  const auto* tensor = ir::DynCast<ir::TensorType>(result_type);
  if (call.callee->name == "tensor.create" && tensor != nullptr &&
      ir::FindAttr(call.kwargs, "init_value") == nullptr) {
    return CreateTensor(*tensor, "of tensor.create");
  }
  return ir::RuleError(
      "MX-SIMD-1", absl::StrCat("operator ", call.callee->name,
                                " outside of an in-core function cannot be run "
                                "by the SIMD backend"));
}

absl::StatusOr<exec::Value> SimdBackend::CreateTensor(
    const ir::TensorType& type, absl::string_view name) {
  std::vector<int64_t> shape;
  int64_t count = 1;
  for (const ir::Expr* dim : type.shape) {
    const ir::ConstInt* extent = ir::AsConstInt(dim);
    if (extent == nullptr) {
      return ir::RuleError(
          "MX-SIMD-3",
          absl::StrCat("tensor '", name, "' needs constant extents"));
    }
    shape.push_back(extent->value);
  }
  MX_RETURN_IF_ERROR(CheckExtents(absl::StrCat("tensor '", name, "'"), shape));
  for (const int64_t extent : shape) count *= extent;
  MX_ASSIGN_OR_RETURN(const ElementType element, ViewTypeOf(type.dtype));
  return MakeTensor(element, std::move(shape),
                    std::vector<uint8_t>(BytesOf(element, count)));
}

absl::StatusOr<exec::Value> SimdBackend::FillTensor(
    const ir::TensorType& type, absl::string_view name,
    std::vector<uint8_t> bytes) {
  MX_ASSIGN_OR_RETURN(exec::Value value, CreateTensor(type, name));
  Tensor& tensor = TensorOf(value);
  if (bytes.size() != tensor.bytes.size()) {
    return ir::RuleError("MX-SIMD-3",
                         absl::StrCat("tensor '", name,
                                      "' is blocked: the SIMD backend runs "
                                      "programs as they were before lowering"));
  }
  tensor.bytes = std::move(bytes);
  return value;
}

absl::StatusOr<absl::optional<std::vector<exec::Value>>>
SimdBackend::RunFunction(const ir::Function& function,
                         absl::Span<const exec::Value> args,
                         BlockPosition block) {
  if (!IsInCore(function)) return absl::optional<std::vector<exec::Value>>();
  MX_ASSIGN_OR_RETURN(const std::vector<int> returned,
                      ReturnedParams(function, table_));
  std::vector<exec::Value> results;
  for (const int param : returned) results.push_back(args[param]);
  LaunchCall call = {&function, {args.begin(), args.end()}, block};
  if (recorder_.is_recording()) {
    recorder_.Add(std::move(call));
  } else {
    MX_RETURN_IF_ERROR(RunStage({std::move(call)}));
  }
  return absl::optional<std::vector<exec::Value>>(std::move(results));
}

absl::Status SimdBackend::EndParallel() {
  for (const Stage& stage : recorder_.EndRegion()) {
    MX_RETURN_IF_ERROR(RunStage(stage));
  }
  return absl::OkStatus();
}

absl::Status SimdBackend::RunStage(const Stage& stage) {
  for (const Launch& launch : LaunchesOf(stage)) {
    MX_RETURN_IF_ERROR(RunLaunch(launch));
  }
  return absl::OkStatus();
}

absl::StatusOr<ImportedKernel> SimdBackend::Import(const Launch& launch) {
  // Less may be known of a scalar in memory: what is refused then may be fine
  // as it was.
  ir::DiagnosticSink refused;
  absl::StatusOr<ImportedKernel> kernel = ImportInCore(
      *launch.function, registry_, history_.Generalize(launch), &refused);
  if (kernel.ok()) return kernel;
  return ImportInCore(*launch.function, registry_, launch.request, sink_);
}

absl::Status SimdBackend::RunLaunch(const Launch& launch) {
  MX_ASSIGN_OR_RETURN(ImportedKernel kernel, Import(launch));
  std::vector<BufferSpan> buffers;
  for (const exec::Value& value : launch.tensors) {
    Tensor& tensor = TensorOf(value);
    buffers.push_back(
        {tensor.bytes.data(), static_cast<int64_t>(tensor.bytes.size())});
  }
  for (TableBuffer& table : kernel.tables) {
    buffers.push_back(
        {table.values.data(),
         static_cast<int64_t>(table.values.size() * sizeof(int64_t))});
  }
  ++launches_;
  instances_ += kernel.program.program_count;
  const absl::Status status = run_(kernel.program, buffers);
  const std::string place = PlaceOf(status);
  if (place.empty()) return status;
  sink_->Error("MX-REF-2", SpanOf(place, *launch.function),
               absl::StrCat(MessageWithoutPlace(status), ", in one of ",
                            kernel.program.program_count, " instances"));
  absl::Status reported = sink_->ToStatus();
  reported.SetPayload(kReportedPayload, absl::Cord());
  return reported;
}

}  // namespace mxtile::exec::simd
