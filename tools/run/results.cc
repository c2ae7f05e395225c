#include "tools/run/results.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/element_type.h"
#include "exec/value.h"
#include "ir/data_type.h"
#include "ir/program.h"
#include "ir/type.h"
#include "numerics/element_format.h"
#include "tools/run/comparison.h"

namespace mxtile {
namespace {

using exec::Value;

// Adds the tensors of a returned value that are no results yet.
void AddReturned(const std::string& name, const ir::Type* type,
                 const Value& value, std::vector<NamedValue>* results) {
  if (value.is_tuple()) {
    const auto* tuple = ir::CheckedCast<ir::TupleType>(type);
    for (size_t i = 0; i < value.AsTuple().size(); ++i) {
      AddReturned(absl::StrCat(name, "_", i), tuple->elements[i],
                  value.AsTuple()[i], results);
    }
    return;
  }
  if (!value.is_object()) return;
  const bool known = std::any_of(
      results->begin(), results->end(), [&](const NamedValue& result) {
        return result.value.AsObject() == value.AsObject();
      });
  if (known) return;
  results->push_back({name, ir::CheckedCast<ir::TensorType>(type), value});
}

absl::StatusOr<std::vector<double>> DecodeResult(
    const ExecutionResult& result) {
  const std::optional<ElementFormat> format = exec::FormatOf(result.dtype);
  if (!format.has_value()) {
    return absl::UnimplementedError(
        absl::StrCat("result '", result.name, "' of ",
                     ir::DataTypeName(result.dtype), " cannot be compared"));
  }
  const int bytes = BitWidth(*format) / 8;
  std::vector<double> values;
  for (size_t i = 0; i + bytes <= result.bytes.size(); i += bytes) {
    uint32_t code = 0;
    for (int b = 0; b < bytes; ++b) {
      code |= uint32_t{result.bytes[i + b]} << (8 * b);
    }
    values.push_back(Decode(*format, code));
  }
  return values;
}

}  // namespace

std::vector<NamedValue> ResultsOf(const ir::Function& entry,
                                  const std::vector<Value>& args,
                                  const std::vector<Value>& returned) {
  std::vector<NamedValue> results;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto* type = ir::DynCast<ir::TensorType>(entry.params[i]->type);
    if (entry.directions[i] == ir::ParamDirection::kIn || type == nullptr) {
      continue;
    }
    results.push_back({std::string(entry.params[i]->name), type, args[i]});
  }
  for (size_t i = 0; i < returned.size(); ++i) {
    AddReturned(returned.size() == 1 ? "return" : absl::StrCat("return_", i),
                entry.return_types[i], returned[i], &results);
  }
  return results;
}

absl::Status CompareResults(const References& references,
                            std::vector<ExecutionResult>* results) {
  MX_CHECK(references.quantised.size() == results->size());
  for (size_t i = 0; i < results->size(); ++i) {
    ExecutionResult& result = (*results)[i];
    const ReferenceResult& quantised = references.quantised[i];
    MX_ASSIGN_OR_RETURN(const std::vector<double> values, DecodeResult(result));
    result.against_quantised =
        Compare(values, quantised.values, quantised.magnitudes);
    if (references.exact.has_value()) {
      const ReferenceResult& exact = (*references.exact)[i];
      result.against_exact = Compare(values, exact.values, exact.magnitudes);
    }
  }
  return absl::OkStatus();
}

}  // namespace mxtile
