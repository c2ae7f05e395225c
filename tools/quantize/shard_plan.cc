#include "tools/quantize/shard_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "nlohmann/json.hpp"
#include "numerics/element_format.h"
#include "re2/re2.h"
#include "tools/bench/strict_json.h"
#include "tools/quantize/checkpoint.h"
#include "tools/quantize/matrix_source.h"
#include "tools/quantize/quantize_settings.h"
#include "tools/quantize/safetensors.h"

namespace mxtile {
namespace {

using Json = nlohmann::ordered_json;
using Shape = std::vector<int64_t>;
using host::QuantizedLayout;

constexpr char kVersionKey[] = "mxtile.version";
constexpr char kTensorKey[] = "mxtile.tensor.";

std::string ScaleName(const std::string& name) {
  return absl::StrCat(name, "_scale");
}

std::string DataDtype(ElementFormat format) {
  switch (format) {
    case ElementFormat::kF8E4M3FN:
      return "F8_E4M3";
    case ElementFormat::kF8E5M2:
      return "F8_E5M2";
    default:
      return "U8";
  }
}

Shape DataShape(const QuantizedLayout& layout) {
  const int64_t row_bytes = layout.data_size_bytes() / layout.padded_rows();
  if (layout.form().data_order == host::DataOrder::kND) {
    return {layout.padded_rows(), row_bytes};
  }
  return {row_bytes / 32, layout.padded_rows(), 32};
}

Shape ScaleShape(const QuantizedLayout& layout) {
  const int64_t lines = layout.lines(), groups = layout.groups();
  switch (layout.form().scale_order) {
    case ScaleOrder::kND:
      return {lines, groups};
    case ScaleOrder::kDN:
      return {groups, lines};
    case ScaleOrder::kZZ:
    case ScaleOrder::kNN:
      return {lines / kScaleBoxLines, groups / 2, kScaleBoxLines, 2};
    case ScaleOrder::kMxAND:
    case ScaleOrder::kMxBDN:
      return {lines, groups / 2, 2};
    case ScaleOrder::kMxADN:
    case ScaleOrder::kMxBND:
      return {groups / 2, lines, 2};
  }
  return {};
}

Shape Stacked(Shape shape, const Shape& source) {
  if (source.size() == 3) shape.insert(shape.begin(), source[0]);
  return shape;
}

std::string Description(const CheckpointTensor& tensor,
                        const QuantizeSettings& settings,
                        const QuantizedLayout& layout) {
  Json json;
  json["shape"] = tensor.shape;
  json["dtype"] = tensor.dtype;
  json["format"] = FormatOption(settings.format);
  json["scale_rule"] = RuleOption(settings.rule);
  json["axis"] = static_cast<int>(settings.axis);
  json["role"] = settings.role == host::CubeOperand::kA ? "a" : "b";
  json["data_layout"] = DataOrderOption(settings.data_order);
  json["scale_layout"] = ScaleOrderOption(settings.scale_order);
  json["padded"] = {layout.padded_rows(), layout.padded_cols()};
  json["scale"] = ScaleName(tensor.name);
  return json.dump();
}

// Why the tensor is not quantised; empty when it is.
std::string ReasonToCopy(const CheckpointTensor& tensor,
                         const Selection& selection) {
  if (!SourceTypeOfDtype(tensor.dtype).has_value()) {
    return absl::StrCat("dtype ", tensor.dtype);
  }
  const size_t rank = tensor.shape.size();
  if (rank != 2 && !(rank == 3 && selection.stacks && !tensor.fortran_order)) {
    return absl::StrCat("rank ", rank);
  }
  if (tensor.size_bytes == 0) return "no elements";
  if (selection.include != nullptr &&
      !re2::RE2::PartialMatch(tensor.name, *selection.include)) {
    return "not included";
  }
  if (selection.exclude != nullptr &&
      re2::RE2::PartialMatch(tensor.name, *selection.exclude)) {
    return "excluded";
  }
  return "";
}

absl::StatusOr<PlannedTensor> PlanTensor(const CheckpointTensor& tensor,
                                         const QuantizeSettings& settings,
                                         const Selection& selection) {
  PlannedTensor planned;
  planned.source = tensor;
  planned.reason = ReasonToCopy(tensor, selection);
  if (!planned.reason.empty()) return planned;
  const size_t rank = tensor.shape.size();
  absl::StatusOr<QuantizedLayout> layout =
      LayoutFor(settings, tensor.shape[rank - 2], tensor.shape[rank - 1]);
  if (!layout.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor '", tensor.name, "': ", layout.status().message()));
  }
  planned.layout = *layout;
  planned.matrices = rank == 3 ? tensor.shape[0] : 1;
  return planned;
}

// Appends the tensors of the output, places them from `*end` on.
void Place(PlannedTensor* planned, const QuantizeSettings& settings,
           int64_t* end, ShardPlan* plan,
           std::map<std::string, std::string>* metadata) {
  const CheckpointTensor& source = planned->source;
  const auto append = [&](const std::string& name, const std::string& dtype,
                          Shape shape, int64_t size) {
    plan->output.push_back({name, dtype, std::move(shape), *end, *end + size});
    *end += size;
    return *end - size;
  };
  if (!planned->layout.has_value()) {
    planned->data_offset =
        append(source.name, source.dtype, source.shape, source.size_bytes);
    return;
  }
  const QuantizedLayout& layout = *planned->layout;
  planned->data_offset = append(source.name, DataDtype(settings.format),
                                Stacked(DataShape(layout), source.shape),
                                planned->matrices * layout.data_size_bytes());
  planned->scale_offset = append(ScaleName(source.name), "F8_E8M0",
                                 Stacked(ScaleShape(layout), source.shape),
                                 planned->matrices * layout.scale_size_bytes());
  (*metadata)[absl::StrCat(kTensorKey, source.name)] =
      Description(source, settings, layout);
  (*metadata)[kVersionKey] = "1";
}

absl::Status Wrong(const std::string& name, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("metadata of the quantised tensor '", name, "': ", what,
                   " (MX-QUANTIZE-6)"));
}

std::string Text(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

bool IsExtents(const Json& json, const char* key, size_t least, size_t most) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_array() || it->size() < least ||
      it->size() > most) {
    return false;
  }
  return std::all_of(it->begin(), it->end(), [](const Json& extent) {
    return extent.is_number_unsigned() && extent.get<uint64_t>() >= 1 &&
           extent.get<uint64_t>() <=
               static_cast<uint64_t>(QuantizedLayout::kMaxExtent);
  });
}

absl::optional<QuantizeSettings> SettingsOf(const Json& json) {
  const auto format = FormatOfOption(Text(json, "format"));
  const auto rule = RuleOfOption(Text(json, "scale_rule"));
  const auto data = DataOrderOfOption(Text(json, "data_layout"));
  const auto scale = ScaleOrderOfOption(Text(json, "scale_layout"));
  const std::string role = Text(json, "role");
  const auto axis = json.find("axis");
  if (!format || !rule || !data || !scale || (role != "a" && role != "b") ||
      axis == json.end() || (*axis != 0 && *axis != 1)) {
    return absl::nullopt;
  }
  QuantizeSettings settings;
  settings.format = *format;
  settings.rule = *rule;
  settings.axis = *axis == 0 ? GroupAxis::kAxis0 : GroupAxis::kAxis1;
  settings.role = role == "a" ? host::CubeOperand::kA : host::CubeOperand::kB;
  settings.data_order = *data;
  settings.scale_order = *scale;
  return settings;
}

const CheckpointTensor* Find(const Shard& shard, const std::string& name) {
  for (const CheckpointTensor& tensor : shard.tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

absl::StatusOr<QuantizedTensor> ReadDescription(const Shard& shard,
                                                const std::string& name,
                                                const std::string& text) {
  const absl::StatusOr<Json> json = bench::ParseStrictJson(text);
  if (!json.ok()) return Wrong(name, json.status().message());
  if (!json->is_object() || !IsExtents(*json, "shape", 2, 3) ||
      !IsExtents(*json, "padded", 2, 2)) {
    return Wrong(name,
                 "it must be an object with the extents \"shape\" and "
                 "\"padded\"");
  }
  const absl::optional<QuantizeSettings> settings = SettingsOf(*json);
  if (!settings.has_value()) {
    return Wrong(name,
                 "format, scale_rule, axis, role, data_layout or "
                 "scale_layout is missing or unknown");
  }
  MX_RETURN_IF_ERROR(CheckSettings(*settings));
  const Shape shape = (*json)["shape"].get<Shape>();
  const size_t rank = shape.size();
  host::QuantizedForm form;
  form.format = settings->format;
  form.axis = settings->axis;
  form.data_order = settings->data_order;
  form.scale_order = settings->scale_order;
  form.padded = {(*json)["padded"][0].get<int64_t>(),
                 (*json)["padded"][1].get<int64_t>()};
  MX_ASSIGN_OR_RETURN(
      const QuantizedLayout layout,
      QuantizedLayout::Create(shape[rank - 2], shape[rank - 1], form));
  const CheckpointTensor* const data = Find(shard, name);
  const CheckpointTensor* const scale = Find(shard, Text(*json, "scale"));
  if (data == nullptr || scale == nullptr) {
    return Wrong(name, "its tensor or its \"scale\" is not in the file");
  }
  if (data->dtype != DataDtype(form.format) || scale->dtype != "F8_E8M0" ||
      data->shape != Stacked(DataShape(layout), shape) ||
      scale->shape != Stacked(ScaleShape(layout), shape)) {
    return Wrong(name,
                 "dtype or shape of the data or of the scales is not "
                 "what it says");
  }
  QuantizedTensor tensor = {name,   scale->name, shape,        *settings,
                            layout, 1,           data->offset, scale->offset};
  if (rank == 3) tensor.matrices = shape[0];
  return tensor;
}

}  // namespace

int64_t PlannedTensor::output_size_bytes() const {
  return layout.has_value() ? matrices * (layout->data_size_bytes() +
                                          layout->scale_size_bytes())
                            : source.size_bytes;
}

absl::StatusOr<ShardPlan> PlanShard(const Shard& shard,
                                    const QuantizeSettings& settings,
                                    const Selection& selection) {
  ShardPlan plan;
  std::map<std::string, std::string> metadata = shard.metadata;
  int64_t end = 0;
  for (const CheckpointTensor& tensor : shard.tensors) {
    MX_ASSIGN_OR_RETURN(PlannedTensor planned,
                        PlanTensor(tensor, settings, selection));
    Place(&planned, settings, &end, &plan, &metadata);
    plan.tensors.push_back(std::move(planned));
  }
  std::set<std::string> names;
  for (const SafetensorsTensor& tensor : plan.output) {
    if (!names.insert(tensor.name).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          shard.path, ": the scales of a tensor would be called '", tensor.name,
          "', as a tensor of the input is; --exclude the one or "
          "the other's matrix (MX-QUANTIZE-4)"));
    }
  }
  MX_ASSIGN_OR_RETURN(plan.header,
                      SerializeSafetensorsHeader(plan.output, metadata));
  const int64_t header_size = plan.header.size();
  for (PlannedTensor& tensor : plan.tensors) {
    tensor.data_offset += header_size;
    tensor.scale_offset += header_size;
  }
  plan.file_size_bytes = header_size + end;
  return plan;
}

absl::StatusOr<std::vector<QuantizedTensor>> FindQuantized(const Shard& shard) {
  const auto version = shard.metadata.find(kVersionKey);
  if (version == shard.metadata.end() || version->second != "1") {
    return absl::InvalidArgumentError(absl::StrCat(
        shard.path, ": no metadata \"", kVersionKey,
        "\": \"1\", so no file that `mxtile quantize` wrote (MX-QUANTIZE-5)"));
  }
  std::vector<QuantizedTensor> found;
  for (const auto& entry : shard.metadata) {
    absl::string_view name = entry.first;
    if (!absl::ConsumePrefix(&name, kTensorKey)) continue;
    absl::StatusOr<QuantizedTensor> tensor =
        ReadDescription(shard, std::string(name), entry.second);
    if (!tensor.ok()) {
      return absl::Status(
          tensor.status().code(),
          absl::StrCat(shard.path, ": ", tensor.status().message()));
    }
    found.push_back(*std::move(tensor));
  }
  return found;
}

}  // namespace mxtile
