#include "tools/quantize/quantize_run.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/positioned_file.h"
#include "base/status_macros.h"
#include "kernels/host/quantized_layout.h"
#include "nlohmann/json.hpp"
#include "numerics/scale_rule.h"
#include "re2/re2.h"
#include "tools/bench/strict_json.h"
#include "tools/quantize/checkpoint.h"
#include "tools/quantize/copy_bytes.h"
#include "tools/quantize/matrix_in_files.h"
#include "tools/quantize/matrix_source.h"
#include "tools/quantize/quantization_error.h"
#include "tools/quantize/quantize_report.h"
#include "tools/quantize/quantize_settings.h"
#include "tools/quantize/safetensors.h"
#include "tools/quantize/shard_plan.h"

namespace mxtile {
namespace {

using Json = nlohmann::ordered_json;

absl::Status InTensor(const std::string& name, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status) && !absl::IsInternal(status)) {
    return status;
  }
  return absl::Status(status.code(),
                      absl::StrCat("tensor '", name, "': ", status.message()));
}

// Everything that the bytes and the report of a shard depend on, but the data.
absl::StatusOr<Json> Fingerprint(const Shard& shard,
                                 const QuantizeOptions& options) {
  const QuantizeSettings& settings = options.settings;
  Json json;
  json["format"] = FormatOption(settings.format);
  json["scale_rule"] = RuleOption(settings.rule);
  json["axis"] = static_cast<int>(settings.axis);
  json["role"] = settings.role == host::CubeOperand::kA ? "a" : "b";
  json["data_layout"] = DataOrderOption(settings.data_order);
  json["scale_layout"] = ScaleOrderOption(settings.scale_order);
  json["pad"] = settings.pad;
  json["fail_on_nonfinite"] = options.fail_on_nonfinite;
  const Selection& selection = options.selection;
  json["include"] = selection.include != nullptr
                        ? Json(selection.include->pattern())
                        : Json();
  json["exclude"] = selection.exclude != nullptr
                        ? Json(selection.exclude->pattern())
                        : Json();
  json["stacks"] = selection.stacks;
  json["input_size_bytes"] = shard.size_bytes;
  MX_ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(shard.path));
  const int64_t header_size =
      shard.tensors.empty() ? file.size() : shard.tensors[0].offset;
  MX_ASSIGN_OR_RETURN(json["input_header_sha256"],
                      DigestOf(file, 0, header_size));
  return json;
}

// The report of an earlier run whose shard is still there, byte for byte.
absl::optional<ShardReport> Finished(const Shard& shard,
                                     const std::string& path,
                                     const std::string& record_path,
                                     const Json& fingerprint) {
  const absl::StatusOr<std::string> text = ReadFile(record_path);
  if (!text.ok()) return absl::nullopt;
  const absl::StatusOr<Json> record = bench::ParseStrictJson(*text);
  if (!record.ok() || !record->is_object() ||
      record->value("schema", Json()) != "mxtile.shard.v1" ||
      record->value("options", Json()) != fingerprint) {
    return absl::nullopt;
  }
  const absl::StatusOr<InputFile> file = InputFile::Open(path);
  if (!file.ok() || record->value("size_bytes", Json()) != file->size()) {
    return absl::nullopt;
  }
  const absl::StatusOr<std::string> digest = DigestOf(*file, 0, file->size());
  if (!digest.ok() || record->value("sha256", Json()) != *digest) {
    return absl::nullopt;
  }
  absl::StatusOr<std::vector<TensorReport>> tensors =
      TensorsOfJson(record->value("tensors", Json::array()));
  if (!tensors.ok()) return absl::nullopt;
  return ShardReport{shard.file_name, file->size(), *digest, true,
                     *std::move(tensors)};
}

class Run {
 public:
  Run(const QuantizeOptions& options, int64_t total)
      : options_(options), total_(total) {}

  void Progress(int64_t bytes) {
    done_ += bytes;
    if (options_.progress) options_.progress(done_, total_);
  }

  absl::StatusOr<ShardReport> WriteShard(const Shard& shard,
                                         const ShardPlan& plan,
                                         const std::string& path,
                                         bool with_digest) {
    MX_ASSIGN_OR_RETURN(const InputFile in, InputFile::Open(shard.path));
    MX_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
    ShardReport report;
    report.file_name = shard.file_name;
    report.size_bytes = plan.file_size_bytes;
    MX_RETURN_IF_ERROR(
        out.WriteAt(0, absl::MakeConstSpan(
                           reinterpret_cast<const uint8_t*>(plan.header.data()),
                           plan.header.size())));
    for (const PlannedTensor& tensor : plan.tensors) {
      absl::StatusOr<TensorReport> written = WriteTensor(in, tensor, out);
      if (!written.ok()) {
        return InTensor(tensor.source.name, written.status());
      }
      report.tensors.push_back(*std::move(written));
    }
    if (with_digest) {
      MX_ASSIGN_OR_RETURN(report.sha256,
                          DigestOf(out, 0, plan.file_size_bytes));
    }
    MX_RETURN_IF_ERROR(out.Commit());
    return report;
  }

 private:
  absl::StatusOr<TensorReport> WriteTensor(const InputFile& in,
                                           const PlannedTensor& tensor,
                                           const OutputFile& out) {
    const CheckpointTensor& source = tensor.source;
    TensorReport report;
    report.name = source.name;
    report.dtype = source.dtype;
    report.shape = source.shape;
    report.bytes_in = source.size_bytes;
    report.bytes_out = tensor.output_size_bytes();
    report.reason = tensor.reason;
    const auto progress = [this](int64_t bytes) { Progress(bytes); };
    if (!tensor.layout.has_value()) {
      MX_RETURN_IF_ERROR(CopyBytes(in, source.offset, source.size_bytes, out,
                                   tensor.data_offset, progress));
      return report;
    }
    const host::QuantizedLayout& layout = *tensor.layout;
    MatrixSource matrix = {
        &in,           source.offset, *SourceTypeOfDtype(source.dtype),
        layout.rows(), layout.cols(), source.fortran_order};
    PanelOptions panels;
    panels.num_threads = options_.num_threads;
    panels.fail_on_nonfinite = options_.fail_on_nonfinite;
    panels.progress = progress;
    QuantizationError sum;
    const ScaleRule rule = options_.settings.rule;
    for (int64_t i = 0; i < tensor.matrices; ++i) {
      const QuantizedPlace place = {
          &out, tensor.data_offset + i * layout.data_size_bytes(),
          tensor.scale_offset + i * layout.scale_size_bytes()};
      MX_ASSIGN_OR_RETURN(const QuantizationError error,
                          QuantizeInFiles(matrix, layout, rule, place, panels));
      sum.Add(error);
      if (options_.verify) {
        MX_RETURN_IF_ERROR(
            VerifyInFiles(matrix, layout, rule, place, options_.num_threads));
      }
      matrix.offset += source.size_bytes / tensor.matrices;
    }
    report.error = sum;
    return report;
  }

  const QuantizeOptions& options_;
  int64_t total_;
  int64_t done_ = 0;
};

// As the shards are written: a run that is killed leaves nothing but names that
// the next one writes again.
absl::Status WriteSmallFile(const std::string& path, const std::string& text) {
  MX_ASSIGN_OR_RETURN(OutputFile out,
                      OutputFile::Create(path, OutputFile::WhenLocked::kWait));
  MX_RETURN_IF_ERROR(out.WriteAt(
      0, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()),
                             text.size())));
  return out.Commit();
}

absl::Status WriteRecord(const std::string& path, const Json& fingerprint,
                         const ShardReport& report) {
  Json record;
  record["schema"] = "mxtile.shard.v1";
  record["options"] = fingerprint;
  record["size_bytes"] = report.size_bytes;
  record["sha256"] = report.sha256;
  record["tensors"] = TensorsJson(report.tensors);
  return WriteSmallFile(path, record.dump(2) + "\n");
}

absl::Status RefuseOutput(const std::string& output, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("output ", output, " ", what, " (MX-QUANTIZE-7)"));
}

absl::Status CheckNotInput(const Shard& shard, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::equivalent(shard.path, path, error)) {
    return absl::OkStatus();
  }
  return RefuseOutput(path, "is the input");
}

absl::Status WriteIndex(const Checkpoint& input,
                        absl::Span<const ShardPlan> plans,
                        const std::string& folder) {
  std::map<std::string, std::string> weight_map;
  int64_t total = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    for (const SafetensorsTensor& tensor : plans[i].output) {
      if (!weight_map.emplace(tensor.name, input.shards[i].file_name).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("two shards would have a tensor '", tensor.name,
                         "'; --exclude one of them (MX-QUANTIZE-4)"));
      }
      total += tensor.size_bytes();
    }
  }
  return WriteSmallFile(absl::StrCat(folder, "/", input.index_name),
                        IndexText(weight_map, total));
}

}  // namespace

absl::StatusOr<std::vector<ShardReport>> QuantizeCheckpoint(
    const Checkpoint& input, const std::string& output,
    const QuantizeOptions& options) {
  MX_RETURN_IF_ERROR(CheckSettings(options.settings));
  std::vector<ShardPlan> plans;
  int64_t total = 0;
  for (size_t i = 0; i < input.shards.size(); ++i) {
    MX_ASSIGN_OR_RETURN(
        ShardPlan plan,
        PlanShard(input.shards[i], options.settings, options.selection));
    plans.push_back(std::move(plan));
    if (static_cast<int64_t>(i) % options.shard_count != options.shard_index) {
      continue;
    }
    for (const auto& tensor : input.shards[i].tensors) {
      total += tensor.size_bytes;
    }
  }
  Run run(options, total);
  std::vector<ShardReport> reports;
  if (input.index_name.empty()) {
    if (!absl::EndsWith(output, ".safetensors") &&
        !absl::StartsWith(output, "/dev/")) {
      return RefuseOutput(output, "is no *.safetensors");
    }
    MX_RETURN_IF_ERROR(CheckNotInput(input.shards[0], output));
    if (options.shard_index != 0) return reports;
    MX_ASSIGN_OR_RETURN(
        ShardReport report,
        run.WriteShard(input.shards[0], plans[0], output, false));
    report.file_name = std::filesystem::path(output).filename().string();
    reports.push_back(std::move(report));
    return reports;
  }
  MX_RETURN_IF_ERROR(CreateDirectories(output));
  for (const Shard& shard : input.shards) {
    MX_RETURN_IF_ERROR(
        CheckNotInput(shard, absl::StrCat(output, "/", shard.file_name)));
  }
  MX_RETURN_IF_ERROR(WriteIndex(input, plans, output));
  for (size_t i = options.shard_index; i < plans.size();
       i += options.shard_count) {
    const Shard& shard = input.shards[i];
    const std::string path = absl::StrCat(output, "/", shard.file_name);
    const std::string record = absl::StrCat(path, ".mxtile.json");
    MX_ASSIGN_OR_RETURN(const Json fingerprint, Fingerprint(shard, options));
    absl::optional<ShardReport> report;
    if (options.resume) report = Finished(shard, path, record, fingerprint);
    if (report.has_value()) {
      for (const auto& tensor : shard.tensors) run.Progress(tensor.size_bytes);
    } else {
      MX_ASSIGN_OR_RETURN(report, run.WriteShard(shard, plans[i], path, true));
      MX_RETURN_IF_ERROR(WriteRecord(record, fingerprint, *report));
    }
    reports.push_back(*std::move(report));
  }
  return reports;
}

}  // namespace mxtile
