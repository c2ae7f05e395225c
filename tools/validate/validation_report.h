#ifndef TOOLS_VALIDATE_VALIDATION_REPORT_H_
#define TOOLS_VALIDATE_VALIDATION_REPORT_H_

// What validation by execution has to say: as data, as text for people, as JSON
// for machines (docs/validate.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/data_type.h"
#include "ir/source_span.h"
#include "tools/validate/stage_run.h"

namespace mxtile {

// What one engine made of one stage.
struct EngineReport {
  Outcome outcome = Outcome::kRan;
  // Where it did not run (StageRun).
  std::string reason;
  std::string rule;
  ir::SourceSpan span;
};

struct StageReport {
  std::string pass;     // "": the program as written.
  bool changed = true;  // Otherwise nothing was executed, nor had to be.
  EngineReport reference;
  EngineReport model;

  const EngineReport& of(Engine engine) const {
    return engine == Engine::kReference ? reference : model;
  }
  bool was_executed() const {
    return reference.outcome == Outcome::kRan || model.outcome == Outcome::kRan;
  }
};

// An element, or that it was never written.
struct ElementBits {
  bool written = true;
  uint32_t code = 0;
  // What the code stands for; of a type without a known format the number that
  // the reference computed.
  double value = 0;
};

// The smallest element that differs: of the first result that has one, in
// row-major order.
struct Difference {
  std::string result;
  ir::DataType dtype = ir::DataType::kFP32;
  std::vector<int64_t> index;
  ElementBits before;
  ElementBits after;
  int64_t num_different = 0;  // Of the result's elements.
  int64_t num_elements = 0;
};

// The first stage that is not what the program was.
struct ValidationFault {
  std::string rule;  // MX-VALIDATE-1 to 3.
  std::string pass;  // After which it was seen.
  Engine engine = Engine::kReference;
  // The passes that may be to blame, `pass` last: more than one where the
  // engine could run no stage between them.
  std::vector<std::string> suspects;
  std::optional<Difference> difference;  // Of MX-VALIDATE-1.
  std::string reason;                    // Of the others.
};

struct ValidationReport {
  std::string program;
  std::string entry;
  uint64_t seed = 0;
  // Of the first stage that was executed; without their elements.
  std::vector<ResultBits> results;
  std::vector<StageReport> stages;
  std::optional<ValidationFault> fault;
  bool finished = false;  // Every pass ran.

  // Finished without a fault, and the last stage that changed anything was
  // executed and has results.
  bool validated() const;
  int CountRan(Engine engine) const;
};

// One line, without the rule: "pass X changes what the program computes: ...".
std::string FaultMessage(const ValidationFault& fault);

std::string ToText(const ValidationReport& report);
std::string ToJson(const ValidationReport& report);

}  // namespace mxtile

#endif  // TOOLS_VALIDATE_VALIDATION_REPORT_H_
