#ifndef TOOLS_VALIDATE_STAGE_RUN_H_
#define TOOLS_VALIDATE_STAGE_RUN_H_

// One execution of a program, at whatever stage of lowering, as bits.
//
//   StageRequest request = {&ir::StandardOps(), program, "main", &inputs, {}};
//   const StageRun a = RunStage(Engine::kReference, request);
//   const StageRun b = RunStage(Engine::kModel, request);
//   if (a.outcome == Outcome::kRan) use(a.results[0].codes);
//
// Two engines with the same numbers, so that their results are compared bit for
// bit: the reference interpreter (exec/reference/machine_number_backend.h),
// which knows neither memory spaces nor addresses and so runs programs before
// and after lowering, and the A5 model, which runs what has addresses.
//
// A result keeps a code for each element, in the order of its type, and whether
// the element was written. Of an element type without a floating-point format
// the reference knows numbers but no codes: `codes` are then the bits of the
// float, and only results of one engine can be compared (`is_coded`).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "exec/inputs.h"
#include "ir/data_type.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/source_span.h"

namespace mxtile {

enum class Engine { kReference, kModel };
inline constexpr Engine kEngines[] = {Engine::kReference, Engine::kModel};

// "reference", "model"
absl::string_view EngineName(Engine engine);

struct StageRequest {
  const ir::OpRegistry* registry = nullptr;
  // Without dynamic dims (exec/specialize.h).
  const ir::Program* program = nullptr;
  std::string entry;
  // One a parameter of the entry as written; lowering keeps their order.
  const std::vector<exec::BoundInput>* inputs = nullptr;
};

struct ResultBits {
  std::string name;  // Of the parameter, or "return", ...
  ir::DataType dtype = ir::DataType::kFP32;
  std::vector<int64_t> shape;
  std::vector<uint32_t> codes;   // Row-major; 0 where nothing was written.
  std::vector<uint8_t> written;  // One an element.
  bool is_coded = true;
};

enum class Outcome {
  kRan,
  // The engine has no machine for the program: an operator that it does not
  // know, a tile without an address (MX-REF-3, MX-MODEL-1, MX-MODEL-2, and what
  // is Unimplemented).
  kUnsupported,
  // The program is wrong, or traps.
  kFailed,
};

struct StageRun {
  Outcome outcome = Outcome::kRan;
  std::vector<ResultBits> results;  // Of kRan.
  // Otherwise why, one line; the rule behind it, "" for none; and where.
  std::string reason;
  std::string rule;
  ir::SourceSpan span;
};

StageRun RunStage(Engine engine, const StageRequest& request);

}  // namespace mxtile

#endif  // TOOLS_VALIDATE_STAGE_RUN_H_
