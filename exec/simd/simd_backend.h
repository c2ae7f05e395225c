#ifndef EXEC_SIMD_SIMD_BACKEND_H_
#define EXEC_SIMD_SIMD_BACKEND_H_

// Runs Orchestration functions whose in-core calls are tile programs:
// exec::Interpreter goes through the statements, and calls that are independent
// of each other (the rounds of pl.parallel, the blocks of a launch) become one
// program of many instances.
//
//   SimdBackend backend(registry, run, &sink);
//   const Value a =
//       SimdBackend::MakeTensor(ElementType::kF32, {64, 64}, bytes);
//   Interpreter interpreter(*program, &backend, &sink);
//   interpreter.Run(*program->Find("main"), {a, ...});
//   SimdBackend::Bytes(a)
//
// `run` executes a program: the strict interpreter, or compiled code.
//
// Tensors are bytes, row-major in their logical shape. Errors: those of
// import/importer.h, reported at their place; MX-SIMD-1 for operators outside
// of in-core functions other than tensor.create; MX-REF-2, at the operator, for
// a window that leaves its tensor in some instance. Other errors of `run` are
// reported at the call.

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "exec/interpreter.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/import/importer.h"
#include "exec/simd/import/op_table.h"
#include "exec/simd/launch_history.h"
#include "exec/simd/launches.h"
#include "exec/simd/tile_program.h"
#include "exec/value.h"
#include "ir/diagnostic.h"
#include "ir/op_registry.h"

namespace mxtile::exec::simd {

class SimdBackend : public Backend {
 public:
  using Run = std::function<absl::Status(const TileProgram&,
                                         absl::Span<const BufferSpan>)>;

  // The registry and the sink must outlive the backend.
  SimdBackend(const ir::OpRegistry& registry, Run run,
              ir::DiagnosticSink* sink);

  // A tensor of these elements, as many bytes as its shape has.
  static exec::Value MakeTensor(ElementType type, std::vector<int64_t> shape,
                                std::vector<uint8_t> bytes);
  static const std::vector<uint8_t>& Bytes(const exec::Value& tensor);

  // A tensor of this type that holds `bytes`, row-major in its logical shape.
  // MX-SIMD-2 and MX-SIMD-3 for types that tile programs do not have.
  absl::StatusOr<exec::Value> FillTensor(const ir::TensorType& type,
                                         absl::string_view name,
                                         std::vector<uint8_t> bytes);

  // How many programs have been run, and how many instances they had.
  int64_t launches() const { return launches_; }
  int64_t instances() const { return instances_; }

  absl::StatusOr<exec::Value> EvalOp(const ir::Call& call,
                                     const ir::Type* result_type,
                                     absl::Span<const exec::Value> args,
                                     BlockPosition block) override;
  absl::StatusOr<exec::Value> CreateTensor(const ir::TensorType& type,
                                           absl::string_view name) override;
  absl::StatusOr<absl::optional<std::vector<exec::Value>>> RunFunction(
      const ir::Function& function, absl::Span<const exec::Value> args,
      BlockPosition block) override;
  void BeginParallel() override { recorder_.BeginRegion(); }
  void BeginRound() override { recorder_.BeginRound(); }
  absl::Status EndParallel() override;

 private:
  absl::Status RunStage(const Stage& stage);
  absl::Status RunLaunch(const Launch& launch);
  absl::StatusOr<ImportedKernel> Import(const Launch& launch);

  const ir::OpRegistry& registry_;
  const OpTable table_;
  const Run run_;
  ir::DiagnosticSink* sink_;
  LaunchRecorder recorder_;
  LaunchHistory history_;
  int64_t launches_ = 0;
  int64_t instances_ = 0;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_SIMD_BACKEND_H_
