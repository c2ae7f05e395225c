#include "kernels/host/quantize_matrix.h"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

// Splits the rows evenly, in whole panels; returns the first error in their
// order.
absl::Status ForEachPart(int64_t rows, int num_threads,
                         absl::FunctionRef<absl::Status(RowRange)> function) {
  const int64_t panels = CeilDivide(rows, kPanelRows);
  const int64_t parts =
      std::max<int64_t>(1, std::min<int64_t>(num_threads, panels));
  std::vector<absl::Status> statuses(parts);
  const auto run = [&](int64_t part) {
    const RowRange range = {
        panels * part / parts * kPanelRows,
        std::min(panels * (part + 1) / parts * kPanelRows, rows)};
    statuses[part] = function(range);
  };
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < parts; ++part) threads.emplace_back(run, part);
  run(0);
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : statuses) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status QuantizeMatrix(const QuantizedLayout& layout, ScaleRule rule,
                            const SourcePanel& source, int num_threads,
                            const QuantizedBytes& out) {
  const int64_t row_bytes = layout.cols() * BitWidth(source.format) / 8;
  if (static_cast<int64_t>(source.bytes.size()) != layout.rows() * row_bytes) {
    // Its error is that of the whole matrix.
    return QuantizeRows(layout, rule, source, {0, layout.rows()}, out);
  }
  return ForEachPart(layout.rows(), num_threads, [&](RowRange rows) {
    const SourcePanel panel = {
        source.format,
        source.bytes.subspan(rows.first * row_bytes,
                             (rows.last - rows.first) * row_bytes)};
    return QuantizeRows(layout, rule, panel, rows, out);
  });
}

absl::Status DequantizeMatrix(const QuantizedLayout& layout,
                              const ConstQuantizedBytes& in, int num_threads,
                              absl::Span<float> values) {
  const int64_t cols = layout.cols();
  if (static_cast<int64_t>(values.size()) != layout.rows() * cols) {
    return DequantizeRows(layout, in, {0, layout.rows()}, values);
  }
  return ForEachPart(layout.rows(), num_threads, [&](RowRange rows) {
    return DequantizeRows(
        layout, in, rows,
        values.subspan(rows.first * cols, (rows.last - rows.first) * cols));
  });
}

}  // namespace mxtile::host
