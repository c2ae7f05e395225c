#ifndef TOOLS_RUN_EXECUTION_H_
#define TOOLS_RUN_EXECUTION_H_

// Runs a lowered program on the A5 model and the program as written in float64,
// and compares.
//
//   ExecutionRequest request;
//   request.registry = &ir::StandardOps();
//   request.source = program;
//   request.lowered = lowered;
//   request.entry = "main";
//   request.inputs = inputs;
//   absl::StatusOr<Execution> execution = Execute(request, &sink);
//
// Two references: the float64 result for the quantised inputs decides whether
// the machine computed the right thing; that for the values before quantisation
// says what quantising cost.
//
// Errors: what the program does wrong (a trap of the machine, an undefined
// element) is in the sink, at the operator; the status repeats its code.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "a5_model/pipe_timeline.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "exec/inputs.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "tools/run/comparison.h"

namespace mxtile {

// Test hooks: data made wrong on purpose before the machine runs.
enum class DataFault {
  kNone,
  kRowMajorScale,  // The first scale parameter is not packed into boxes.
  kFlipScaleByte,  // One bit of one byte of the first scale parameter flips.
};

struct ExecutionRequest {
  const ir::OpRegistry* registry = nullptr;
  const ir::Program* source = nullptr;
  const ir::Program* lowered = nullptr;
  std::string entry;
  std::vector<exec::BoundInput> inputs;  // One a parameter of the entry.
  absl::flat_hash_map<std::string, int64_t> dynamic_dims;
  DataFault fault = DataFault::kNone;
};

struct ExecutionResult {
  std::string name;  // Of the parameter, or "return", "return_0", ...
  ir::DataType dtype = ir::DataType::kFP32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;  // Row-major, as the machine left them.
  Comparison against_quantised;
  // Present when an input was quantised by us.
  std::optional<Comparison> against_exact;
};

struct Execution {
  std::vector<ExecutionResult> results;
  a5::PipeTimeline timeline;
};

absl::StatusOr<Execution> Execute(const ExecutionRequest& request,
                                  ir::DiagnosticSink* sink);

}  // namespace mxtile

#endif  // TOOLS_RUN_EXECUTION_H_
