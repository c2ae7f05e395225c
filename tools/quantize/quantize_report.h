#ifndef TOOLS_QUANTIZE_QUANTIZE_REPORT_H_
#define TOOLS_QUANTIZE_QUANTIZE_REPORT_H_

// What quantising a checkpoint did, tensor by tensor: as a table for people and
// as JSON for machines.
//
//   std::cout << QuantizeTable(reports);
//   std::cout << QuantizeJson(reports);

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"
#include "tools/quantize/quantization_error.h"

namespace mxtile {

struct TensorReport {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t bytes_in = 0;
  int64_t bytes_out = 0;
  // Of a quantised tensor.
  absl::optional<QuantizationError> error;
  // Why the others were copied.
  std::string reason;
};

struct ShardReport {
  std::string file_name;
  int64_t size_bytes = 0;
  // Of the file that was written; empty for a single one.
  std::string sha256;
  // Taken from the record of an earlier run.
  bool resumed = false;
  std::vector<TensorReport> tensors;
};

// A line for each tensor in the order of the files, copies last, and a sum.
std::string QuantizeTable(absl::Span<const ShardReport> reports);

// Schema "mxtile.quantize.v1", see docs/quantize.md. A figure that is infinite
// is null.
std::string QuantizeJson(absl::Span<const ShardReport> reports);

nlohmann::ordered_json TensorsJson(absl::Span<const TensorReport> tensors);
// The way back; kInvalidArgument when it is none.
absl::StatusOr<std::vector<TensorReport>> TensorsOfJson(
    const nlohmann::ordered_json& json);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_QUANTIZE_REPORT_H_
