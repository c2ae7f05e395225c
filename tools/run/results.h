#ifndef TOOLS_RUN_RESULTS_H_
#define TOOLS_RUN_RESULTS_H_

// What a run leaves, whoever ran the program, and what it should have left.
//
//   for (const NamedValue& named : ResultsOf(*entry, args, returned)) {
//     results.push_back(...);
//   }
//   MX_RETURN_IF_ERROR(CompareResults(references, &results));

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "exec/value.h"
#include "ir/data_type.h"
#include "ir/program.h"
#include "ir/type.h"
#include "tools/run/comparison.h"

namespace mxtile {

// What an output parameter holds, or what was returned.
struct NamedValue {
  std::string name;  // Of the parameter, or "return", "return_0", ...
  const ir::TensorType* type;
  exec::Value value;
};

// Every Out and InOut parameter, then every returned tensor that is none of
// them. What the entry returns is what it states (MX-CALL-2).
std::vector<NamedValue> ResultsOf(const ir::Function& entry,
                                  const std::vector<exec::Value>& args,
                                  const std::vector<exec::Value>& returned);

struct ExecutionResult {
  std::string name;  // Of NamedValue.
  ir::DataType dtype = ir::DataType::kFP32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;  // Row-major, as the run left them.
  Comparison against_quantised;
  // Present when an input was quantised by us.
  std::optional<Comparison> against_exact;
};

// What the results should be, in the order of ExecutionResult. The value of an
// element that is too large for the result's type is an infinity.
struct ReferenceResult {
  std::vector<double> values;
  std::vector<double> magnitudes;  // Sums of absolute products.
};

struct References {
  std::vector<ReferenceResult> quantised;
  // Present when an input was quantised by us.
  std::optional<std::vector<ReferenceResult>> exact;
};

// Fills in the comparisons; as many results as references. Unimplemented for a
// result whose type has no values.
absl::Status CompareResults(const References& references,
                            std::vector<ExecutionResult>* results);

}  // namespace mxtile

#endif  // TOOLS_RUN_RESULTS_H_
