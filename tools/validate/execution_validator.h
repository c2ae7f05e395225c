#ifndef TOOLS_VALIDATE_EXECUTION_VALIDATOR_H_
#define TOOLS_VALIDATE_EXECUTION_VALIDATOR_H_

// Executes a program before and after every pass, on the same inputs, and stops
// at the first pass that changes a bit of what it computes.
//
//   ValidatorOptions options;
//   options.context = &context;
//   options.entry = "main";
//   options.seed = 1;
//   ExecutionValidator validator(options, &sink);
//   manager.AddHook(&validator);
//   absl::StatusOr<const ir::Program*> lowered = manager.Run(program, ...);
//   if (lowered.ok()) MX_RETURN_IF_ERROR(validator.Finish());
//   std::cerr << ToText(validator.report());
//
// Each stage runs on both engines of stage_run.h, as far as they can: the
// reference interpreter sees what is computed, the A5 model also where: memory
// spaces, addresses, scale bindings. What an engine cannot run is in the
// report, with the reason. A pass that changes nothing is not executed.
//
//   MX-VALIDATE-1  a pass keeps each bit of each result, and which elements
//                  are written
//   MX-VALIDATE-2  what an engine ran before a pass it runs afterwards. Only
//                  where the pass brings in an operator that the reference
//                  does not know (MX-REF-3) is the reference let off
//   MX-VALIDATE-3  a program that is lowered to the end does not trap on the
//                  model (options.is_complete)
//   MX-VALIDATE-4  the program that comes out is executed by one engine at
//                  least, and has a result
//
// Statuses: Internal for MX-VALIDATE-1 to 3, a fault of ours; InvalidArgument
// for MX-VALIDATE-4, and for a program that is wrong as written. The diagnostic
// is in the sink each time.
//
// Cost: a run of the program for each pass and engine.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "exec/inputs.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "tools/validate/stage_run.h"
#include "tools/validate/validation_report.h"

namespace mxtile {

struct ValidatorOptions {
  ir::Context* context = nullptr;
  std::string entry;
  // Of the entry's scalar parameters and the program's dynamic dims.
  std::map<std::string, int64_t> scalars;
  uint64_t seed = 1;
  // Whether the passes lower for the A5 to the end.
  bool is_complete = false;
};

class ExecutionValidator : public PassHook {
 public:
  // The sink must outlive the validator.
  ExecutionValidator(ValidatorOptions options, ir::DiagnosticSink* sink);

  absl::Status BeforePass(const Pass& pass,
                          const ir::Program& program) override;
  absl::Status AfterPass(const Pass& pass, const ir::Program& before,
                         const ir::Program& after) override;
  // After the last pass.
  absl::Status Finish();

  const ValidationReport& report() const { return report_; }

 private:
  absl::Status Start(const ir::Program& program);
  absl::StatusOr<const ir::Program*> Specialized(const ir::Program& program);
  // Runs the stage on one engine and holds it against what was before.
  absl::Status RunOn(Engine engine, const ir::Program& program);
  absl::Status Hold(Engine engine, const ir::Program& program,
                    const StageRun& run);
  absl::Status Fault(Engine engine, ValidationFault fault);

  ValidatorOptions options_;
  ir::DiagnosticSink* sink_;
  std::vector<exec::BoundInput> inputs_;
  std::map<std::string, int64_t> dims_;
  bool started_ = false;
  // What the program computes: of the first run that there was.
  std::optional<std::vector<ResultBits>> baseline_;
  struct EngineState {
    bool ran = false;
    std::set<std::string> operators;  // Of the program that it last ran.
    // The passes that changed the program since the engine last ran it.
    std::vector<std::string> suspects;
  };
  std::map<Engine, EngineState> engines_;
  ValidationReport report_;
};

// The smallest difference of two runs of one program, if there is one.
// Unimplemented when they cannot be compared: other results, shapes or types.
absl::StatusOr<std::optional<Difference>> FirstDifference(
    const std::vector<ResultBits>& before,
    const std::vector<ResultBits>& after);

}  // namespace mxtile

#endif  // TOOLS_VALIDATE_EXECUTION_VALIDATOR_H_
