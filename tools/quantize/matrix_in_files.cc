#include "tools/quantize/matrix_in_files.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "base/positioned_file.h"
#include "base/status_macros.h"
#include "kernels/host/panel_pieces.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "tools/quantize/error_bound.h"
#include "tools/quantize/matrix_source.h"
#include "tools/quantize/quantization_error.h"

namespace mxtile {
namespace {

using host::Panel;
using host::Pieces;
using host::RowRange;

// What a thread uses for one panel after another.
struct Buffers {
  std::vector<uint8_t> raw;
  std::vector<float> values;
  std::vector<float> dequantised;
  std::vector<uint8_t> data;
  std::vector<uint8_t> scales;

  void Resize(const host::QuantizedLayout& layout) {
    values.resize(layout.rows() * layout.cols());
    data.resize(layout.data_size_bytes());
    scales.resize(layout.scale_size_bytes());
  }
};

int64_t PanelRows(int64_t cols) {
  return std::max<int64_t>(
      kPanelElements / cols / host::kPanelUnit * host::kPanelUnit,
      host::kPanelUnit);
}

// Panels in the order of their rows, each by the next free thread; the error is
// that of the first of those that failed.
absl::Status ForEachPanel(
    const host::QuantizedLayout& layout, int num_threads,
    absl::FunctionRef<absl::Status(int64_t, RowRange, Buffers&)> function) {
  const int64_t panel_rows = PanelRows(layout.cols());
  const int64_t count = CeilDivide(layout.rows(), panel_rows);
  std::atomic<int64_t> next = 0;
  std::atomic<bool> failed = false;
  std::vector<absl::Status> statuses(count);
  const auto work = [&] {
    Buffers buffers;
    for (int64_t i = next++; i < count && !failed; i = next++) {
      const RowRange rows = {i * panel_rows,
                             std::min((i + 1) * panel_rows, layout.rows())};
      statuses[i] = function(i, rows, buffers);
      if (!statuses[i].ok()) failed = true;
    }
  };
  std::vector<std::thread> threads;
  for (int64_t i = 1; i < std::min<int64_t>(num_threads, count); ++i) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : statuses) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status WritePieces(const Pieces& pieces, absl::Span<const uint8_t> bytes,
                         int64_t offset, const OutputFile& file) {
  for (int64_t i = 0; i < pieces.count; ++i) {
    MX_RETURN_IF_ERROR(
        file.WriteAt(offset + pieces.first + i * pieces.stride_bytes,
                     bytes.subspan(i * pieces.size_bytes, pieces.size_bytes)));
  }
  return absl::OkStatus();
}

template <typename File>
absl::Status ReadPieces(const Pieces& pieces, const File& file, int64_t offset,
                        absl::Span<uint8_t> bytes) {
  for (int64_t i = 0; i < pieces.count; ++i) {
    MX_RETURN_IF_ERROR(
        file.ReadAt(offset + pieces.first + i * pieces.stride_bytes,
                    bytes.subspan(i * pieces.size_bytes, pieces.size_bytes)));
  }
  return absl::OkStatus();
}

absl::Status CheckFinite(const QuantizationError& error, RowRange rows) {
  if (error.nan_groups + error.inf_groups == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "rows ", rows.first, " to ", rows.last - 1, " have ", error.nan_groups,
      " groups with a NaN and ", error.inf_groups,
      " with an Inf, which --fail-on-nonfinite refuses (MX-QUANTIZE-3)"));
}

// Calls of all threads, one at a time.
class Progress {
 public:
  explicit Progress(const std::function<void(int64_t)>& report)
      : report_(report) {}
  void Add(int64_t bytes) {
    if (!report_) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    report_(bytes);
  }

 private:
  const std::function<void(int64_t)>& report_;
  std::mutex mutex_;
};

}  // namespace

absl::StatusOr<QuantizationError> QuantizeInFiles(
    const MatrixSource& source, const host::QuantizedLayout& layout,
    ScaleRule rule, const QuantizedPlace& place, const PanelOptions& options) {
  std::vector<QuantizationError> errors(
      CeilDivide(layout.rows(), PanelRows(layout.cols())));
  Progress progress(options.progress);
  const auto quantize = [&](int64_t index, RowRange rows,
                            Buffers& buffers) -> absl::Status {
    MX_ASSIGN_OR_RETURN(const Panel panel, host::PanelOf(layout, rows));
    buffers.Resize(panel.layout);
    buffers.dequantised.resize(buffers.values.size());
    MX_RETURN_IF_ERROR(
        ReadRows(source, rows, &buffers.raw, absl::MakeSpan(buffers.values)));
    const host::SourcePanel values = {
        ElementFormat::kF32,
        absl::MakeConstSpan(
            reinterpret_cast<const uint8_t*>(buffers.values.data()),
            buffers.values.size() * sizeof(float))};
    const RowRange all = {0, panel.layout.rows()};
    MX_RETURN_IF_ERROR(host::QuantizeRows(
        panel.layout, rule, values, all,
        {absl::MakeSpan(buffers.data), absl::MakeSpan(buffers.scales)}));
    MX_RETURN_IF_ERROR(
        host::DequantizeRows(panel.layout, {buffers.data, buffers.scales}, all,
                             absl::MakeSpan(buffers.dequantised)));
    AddPanelError(panel.layout, buffers.scales, buffers.values,
                  buffers.dequantised, &errors[index]);
    if (options.fail_on_nonfinite) {
      MX_RETURN_IF_ERROR(CheckFinite(errors[index], rows));
    }
    MX_RETURN_IF_ERROR(
        WritePieces(panel.data, buffers.data, place.data_offset, *place.file));
    MX_RETURN_IF_ERROR(WritePieces(panel.scales, buffers.scales,
                                   place.scale_offset, *place.file));
    progress.Add(buffers.values.size() * SizeBytes(source.type));
    return absl::OkStatus();
  };
  MX_RETURN_IF_ERROR(ForEachPanel(layout, options.num_threads, quantize));
  QuantizationError sum;
  for (const QuantizationError& error : errors) sum.Add(error);
  return sum;
}

absl::Status VerifyInFiles(const MatrixSource& source,
                           const host::QuantizedLayout& layout, ScaleRule rule,
                           const QuantizedPlace& place, int num_threads) {
  const auto verify = [&](int64_t, RowRange rows,
                          Buffers& buffers) -> absl::Status {
    MX_ASSIGN_OR_RETURN(const Panel panel, host::PanelOf(layout, rows));
    buffers.Resize(panel.layout);
    buffers.dequantised.resize(buffers.values.size());
    MX_RETURN_IF_ERROR(
        ReadRows(source, rows, &buffers.raw, absl::MakeSpan(buffers.values)));
    MX_RETURN_IF_ERROR(ReadPieces(panel.data, *place.file, place.data_offset,
                                  absl::MakeSpan(buffers.data)));
    MX_RETURN_IF_ERROR(ReadPieces(panel.scales, *place.file, place.scale_offset,
                                  absl::MakeSpan(buffers.scales)));
    MX_RETURN_IF_ERROR(host::DequantizeRows(
        panel.layout, {buffers.data, buffers.scales}, {0, panel.layout.rows()},
        absl::MakeSpan(buffers.dequantised)));
    return CheckBounds(panel.layout, rule, buffers.scales, buffers.values,
                       buffers.dequantised, rows.first);
  };
  return ForEachPanel(layout, num_threads, verify);
}

absl::Status DequantizeInFiles(const ConstQuantizedPlace& place,
                               const host::QuantizedLayout& layout,
                               const OutputFile& out, int64_t offset,
                               const PanelOptions& options) {
  Progress progress(options.progress);
  const auto dequantize = [&](int64_t, RowRange rows,
                              Buffers& buffers) -> absl::Status {
    MX_ASSIGN_OR_RETURN(const Panel panel, host::PanelOf(layout, rows));
    buffers.Resize(panel.layout);
    MX_RETURN_IF_ERROR(ReadPieces(panel.data, *place.file, place.data_offset,
                                  absl::MakeSpan(buffers.data)));
    MX_RETURN_IF_ERROR(ReadPieces(panel.scales, *place.file, place.scale_offset,
                                  absl::MakeSpan(buffers.scales)));
    MX_RETURN_IF_ERROR(host::DequantizeRows(
        panel.layout, {buffers.data, buffers.scales}, {0, panel.layout.rows()},
        absl::MakeSpan(buffers.values)));
    MX_RETURN_IF_ERROR(out.WriteAt(
        offset + rows.first * layout.cols() * int64_t{sizeof(float)},
        absl::MakeConstSpan(
            reinterpret_cast<const uint8_t*>(buffers.values.data()),
            buffers.values.size() * sizeof(float))));
    progress.Add(buffers.data.size());
    return absl::OkStatus();
  };
  return ForEachPanel(layout, options.num_threads, dequantize);
}

}  // namespace mxtile
