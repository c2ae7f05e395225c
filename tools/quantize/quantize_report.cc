#include "tools/quantize/quantize_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"
#include "tools/quantize/quantization_error.h"

namespace mxtile {
namespace {

using Json = nlohmann::ordered_json;

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

std::string SqnrText(double sqnr_db) {
  return std::isinf(sqnr_db) ? "exact" : absl::StrFormat("%.2f", sqnr_db);
}

std::string Line(int name_width, absl::Span<const std::string> cells) {
  return absl::StrFormat(
      "%-*s  %-5s %-16s %14s %14s %12s %10s %8s %10s %10s "
      "%7s %7s\n",
      name_width, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5],
      cells[6], cells[7], cells[8], cells[9], cells[10], cells[11]);
}

std::string TensorLine(int name_width, const TensorReport& tensor) {
  const QuantizationError& error = *tensor.error;
  return Line(name_width,
              {tensor.name, tensor.dtype, ShapeText(tensor.shape),
               absl::StrCat(tensor.bytes_in), absl::StrCat(tensor.bytes_out),
               absl::StrFormat("%.4g", error.max_abs_error),
               absl::StrFormat("%.3e", error.RelativeFrobenius()),
               SqnrText(error.SqnrDb()), absl::StrCat(error.saturated),
               absl::StrCat(error.underflowed), absl::StrCat(error.nan_groups),
               absl::StrCat(error.inf_groups)});
}

template <typename Function>
void ForEachTensor(absl::Span<const ShardReport> reports, Function function) {
  for (const ShardReport& report : reports) {
    for (const TensorReport& tensor : report.tensors) function(tensor);
  }
}

Json NumberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace

std::string QuantizeTable(absl::Span<const ShardReport> reports) {
  int width = 6;
  int64_t bytes_in = 0, bytes_out = 0, quantised = 0, copied = 0, resumed = 0;
  QuantizationError sum;
  ForEachTensor(reports, [&](const TensorReport& tensor) {
    width = std::max<int>(width, tensor.name.size());
    bytes_in += tensor.bytes_in;
    bytes_out += tensor.bytes_out;
    if (tensor.error.has_value()) sum.Add(*tensor.error);
    ++(tensor.error.has_value() ? quantised : copied);
  });
  for (const ShardReport& report : reports) resumed += report.resumed;
  std::string text;
  if (quantised > 0) {
    text = Line(width, {"tensor", "dtype", "shape", "bytes in", "bytes out",
                        "max abs err", "rel Frob", "SQNR dB", "saturated",
                        "underflow", "NaN grp", "Inf grp"});
  }
  ForEachTensor(reports, [&](const TensorReport& tensor) {
    if (tensor.error.has_value()) {
      absl::StrAppend(&text, TensorLine(width, tensor));
    }
  });
  ForEachTensor(reports, [&](const TensorReport& tensor) {
    if (!tensor.error.has_value()) {
      absl::StrAppend(
          &text,
          absl::StrFormat("%-*s  %-5s %-16s %14d %14d copied: %s\n", width,
                          tensor.name, tensor.dtype, ShapeText(tensor.shape),
                          tensor.bytes_in, tensor.bytes_out, tensor.reason));
    }
  });
  absl::StrAppend(&text, quantised, " quantised, ", copied, " copied, ",
                  bytes_in, " bytes in, ", bytes_out, " bytes out");
  if (quantised > 0) {
    absl::StrAppend(&text, ", SQNR ", SqnrText(sum.SqnrDb()), " dB");
  }
  if (resumed > 0) {
    absl::StrAppend(&text, ", ", resumed, " of ", reports.size(),
                    " shards as they were");
  }
  return text + "\n";
}

Json TensorsJson(absl::Span<const TensorReport> tensors) {
  Json list = Json::array();
  for (const TensorReport& tensor : tensors) {
    Json json;
    json["name"] = tensor.name;
    json["dtype"] = tensor.dtype;
    json["shape"] = tensor.shape;
    json["bytes_in"] = tensor.bytes_in;
    json["bytes_out"] = tensor.bytes_out;
    if (!tensor.error.has_value()) {
      json["copied"] = tensor.reason;
    } else {
      const QuantizationError& error = *tensor.error;
      json["elements"] = error.elements;
      json["groups"] = error.groups;
      json["max_abs_error"] = error.max_abs_error;
      json["sum_squared_errors"] = error.sum_squared_errors;
      json["sum_squares"] = error.sum_squares;
      json["relative_frobenius"] = error.RelativeFrobenius();
      json["sqnr_db"] = NumberOrNull(error.SqnrDb());
      json["saturated"] = error.saturated;
      json["underflowed"] = error.underflowed;
      json["nan_groups"] = error.nan_groups;
      json["inf_groups"] = error.inf_groups;
    }
    list.push_back(std::move(json));
  }
  return list;
}

absl::StatusOr<std::vector<TensorReport>> TensorsOfJson(const Json& json) {
  std::vector<TensorReport> tensors;
  // The library's own checks of types; what they throw ends here.
  try {
    for (const Json& entry : json) {
      TensorReport tensor;
      tensor.name = entry.at("name").get<std::string>();
      tensor.dtype = entry.at("dtype").get<std::string>();
      tensor.shape = entry.at("shape").get<std::vector<int64_t>>();
      tensor.bytes_in = entry.at("bytes_in").get<int64_t>();
      tensor.bytes_out = entry.at("bytes_out").get<int64_t>();
      if (entry.contains("copied")) {
        tensor.reason = entry.at("copied").get<std::string>();
      } else {
        QuantizationError error;
        error.elements = entry.at("elements").get<int64_t>();
        error.groups = entry.at("groups").get<int64_t>();
        error.max_abs_error = entry.at("max_abs_error").get<double>();
        error.sum_squared_errors = entry.at("sum_squared_errors").get<double>();
        error.sum_squares = entry.at("sum_squares").get<double>();
        error.saturated = entry.at("saturated").get<int64_t>();
        error.underflowed = entry.at("underflowed").get<int64_t>();
        error.nan_groups = entry.at("nan_groups").get<int64_t>();
        error.inf_groups = entry.at("inf_groups").get<int64_t>();
        tensor.error = error;
      }
      tensors.push_back(std::move(tensor));
    }
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return tensors;
}

std::string QuantizeJson(absl::Span<const ShardReport> reports) {
  Json json;
  json["schema"] = "mxtile.quantize.v1";
  json["shards"] = Json::array();
  for (const ShardReport& report : reports) {
    Json shard;
    shard["file"] = report.file_name;
    shard["size_bytes"] = report.size_bytes;
    if (!report.sha256.empty()) shard["sha256"] = report.sha256;
    shard["resumed"] = report.resumed;
    shard["tensors"] = TensorsJson(report.tensors);
    json["shards"].push_back(std::move(shard));
  }
  return json.dump(2) + "\n";
}

}  // namespace mxtile
