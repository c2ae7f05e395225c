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
//   MX_ASSIGN_OR_RETURN(References references,
//                       ComputeReferences(request, &sink));
//   MX_ASSIGN_OR_RETURN(Execution execution,
//                       Execute(request, references, &sink));
//
// Two references: the float64 result for the quantised inputs decides whether
// the machine computed the right thing; that for the values before quantisation
// says what quantising cost.
//
//   MX-RUN-1  one function is the entry (the tool chooses it: --entry, else the
//             only Orchestration function, else the only in-core one)
//   MX-RUN-2  an entry has an output parameter or returns a tensor
//   MX-RUN-3  each of their elements is written
//
// Errors are in the sink, at the operator that stopped the run; the status
// repeats their code and rule. The references come first: what they refuse (a
// window that leaves its tensor, an element without a value, an operator that
// they do not know) is wrong with the program. What traps on the machine
// afterwards went wrong in lowering, except for MX-MODEL-2, an operator that
// the model does not know.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "a5_model/pipe_timeline.h"
#include "absl/status/statusor.h"
#include "exec/inputs.h"
#include "exec/model/estimated_ops.h"
#include "ir/diagnostic.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "tools/run/results.h"

namespace mxtile {

// Test hooks: data made wrong on purpose before the machine runs.
enum class DataFault {
  kNone,
  kRowMajorScale,  // The first scale parameter is not packed into boxes.
  kFlipScaleByte,  // One bit of one byte of the first scale parameter flips.
};

struct ExecutionRequest {
  const ir::OpRegistry* registry = nullptr;
  // Both without dynamic dims (exec/specialize.h).
  const ir::Program* source = nullptr;
  const ir::Program* lowered = nullptr;
  std::string entry;
  std::vector<exec::BoundInput> inputs;  // One a parameter of the entry.
  DataFault fault = DataFault::kNone;
};

struct Execution {
  std::vector<ExecutionResult> results;
  // Operators of the vector core that have no kernel on the model
  // (exec/model/estimated_ops.h); their cycles are among those of pipe V.
  std::map<std::string, exec::EstimatedCost> estimated;
  a5::PipeTimeline timeline;
};

// `request.lowered` is not needed.
absl::StatusOr<References> ComputeReferences(const ExecutionRequest& request,
                                             ir::DiagnosticSink* sink);

absl::StatusOr<Execution> Execute(const ExecutionRequest& request,
                                  const References& references,
                                  ir::DiagnosticSink* sink);

}  // namespace mxtile

#endif  // TOOLS_RUN_EXECUTION_H_
