#include "tools/quantize/dequantize_run.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/positioned_file.h"
#include "base/status_macros.h"
#include "kernels/host/quantized_layout.h"
#include "tools/quantize/checkpoint.h"
#include "tools/quantize/copy_bytes.h"
#include "tools/quantize/matrix_in_files.h"
#include "tools/quantize/safetensors.h"
#include "tools/quantize/shard_plan.h"

namespace mxtile {
namespace {

absl::Status RefuseOutput(const std::string& output, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("output ", output, " ", what, " (MX-QUANTIZE-8)"));
}

absl::Status CheckNotInput(const Shard& shard, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::equivalent(shard.path, path, error)) {
    return absl::OkStatus();
  }
  return RefuseOutput(path, "is the input");
}

absl::Status WriteHeader(const std::string& header, const OutputFile& out) {
  return out.WriteAt(
      0, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(header.data()),
                             header.size()));
}

absl::Status WriteMatrices(const QuantizedTensor& tensor, const InputFile& in,
                           int64_t offset, int num_threads,
                           const OutputFile& out) {
  PanelOptions options;
  options.num_threads = num_threads;
  const host::QuantizedLayout& layout = tensor.layout;
  for (int64_t i = 0; i < tensor.matrices; ++i) {
    MX_RETURN_IF_ERROR(DequantizeInFiles(
        {&in, tensor.data_offset + i * layout.data_size_bytes(),
         tensor.scale_offset + i * layout.scale_size_bytes()},
        layout, out,
        offset + i * layout.rows() * layout.cols() * int64_t{sizeof(float)},
        options));
  }
  return absl::OkStatus();
}

absl::Status WriteNpy(const Shard& shard, const std::string& output,
                      int num_threads) {
  MX_ASSIGN_OR_RETURN(const std::vector<QuantizedTensor> quantized,
                      FindQuantized(shard));
  if (quantized.size() != 1 || shard.tensors.size() != 2) {
    return RefuseOutput(
        output, absl::StrCat("is a .npy, which holds one tensor: ", shard.path,
                             " has ", quantized.size(), " quantised ones and ",
                             shard.tensors.size() - 2 * quantized.size(),
                             " others; name a *.safetensors"));
  }
  const std::string header = SerializeNpyHeader("<f4", quantized[0].shape);
  MX_ASSIGN_OR_RETURN(const InputFile in, InputFile::Open(shard.path));
  MX_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(output));
  MX_RETURN_IF_ERROR(WriteHeader(header, out));
  MX_RETURN_IF_ERROR(
      WriteMatrices(quantized[0], in, header.size(), num_threads, out));
  return out.Commit();
}

// The tensors of the output, in the order of the shard.
absl::StatusOr<std::vector<SafetensorsTensor>> OutputTensors(
    const Shard& shard, const std::map<std::string, QuantizedTensor>& by_name,
    const std::set<std::string>& scales) {
  std::vector<SafetensorsTensor> output;
  int64_t end = 0;
  for (const CheckpointTensor& tensor : shard.tensors) {
    if (scales.count(tensor.name) > 0) continue;
    SafetensorsTensor out = {tensor.name, tensor.dtype, tensor.shape, end, 0};
    const auto it = by_name.find(tensor.name);
    if (it != by_name.end()) {
      out.dtype = "F32";
      out.shape = it->second.shape;
    }
    MX_ASSIGN_OR_RETURN(const int64_t size,
                        SafetensorsBytes(out.dtype, out.shape));
    end += size;
    out.end = end;
    output.push_back(std::move(out));
  }
  return output;
}

absl::Status WriteShard(const Shard& shard, const std::string& path,
                        int num_threads,
                        std::vector<SafetensorsTensor>* output) {
  MX_ASSIGN_OR_RETURN(const std::vector<QuantizedTensor> quantized,
                      FindQuantized(shard));
  std::map<std::string, QuantizedTensor> by_name;
  std::set<std::string> scales;
  for (const QuantizedTensor& tensor : quantized) {
    by_name.emplace(tensor.name, tensor);
    scales.insert(tensor.scale_name);
  }
  MX_ASSIGN_OR_RETURN(*output, OutputTensors(shard, by_name, scales));
  std::map<std::string, std::string> metadata;
  for (const auto& entry : shard.metadata) {
    if (!absl::StartsWith(entry.first, "mxtile.")) metadata.insert(entry);
  }
  MX_ASSIGN_OR_RETURN(const std::string header,
                      SerializeSafetensorsHeader(*output, metadata));
  MX_ASSIGN_OR_RETURN(const InputFile in, InputFile::Open(shard.path));
  MX_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
  MX_RETURN_IF_ERROR(WriteHeader(header, out));
  auto place = output->begin();
  for (const CheckpointTensor& tensor : shard.tensors) {
    if (scales.count(tensor.name) > 0) continue;
    const int64_t offset = static_cast<int64_t>(header.size()) + place->begin;
    ++place;
    const auto it = by_name.find(tensor.name);
    MX_RETURN_IF_ERROR(
        it == by_name.end()
            ? CopyBytes(in, tensor.offset, tensor.size_bytes, out, offset, {})
            : WriteMatrices(it->second, in, offset, num_threads, out));
  }
  return out.Commit();
}

}  // namespace

absl::Status DequantizeCheckpoint(const Checkpoint& input,
                                  const std::string& output, int num_threads) {
  std::vector<SafetensorsTensor> tensors;
  if (input.index_name.empty()) {
    const Shard& shard = input.shards[0];
    MX_RETURN_IF_ERROR(CheckNotInput(shard, output));
    if (absl::EndsWith(output, ".npy")) {
      return WriteNpy(shard, output, num_threads);
    }
    if (!absl::EndsWith(output, ".safetensors") &&
        !absl::StartsWith(output, "/dev/")) {
      return RefuseOutput(output, "is no *.safetensors or *.npy");
    }
    return WriteShard(shard, output, num_threads, &tensors);
  }
  MX_RETURN_IF_ERROR(CreateDirectories(output));
  std::map<std::string, std::string> weight_map;
  int64_t total = 0;
  for (const Shard& shard : input.shards) {
    const std::string path = absl::StrCat(output, "/", shard.file_name);
    MX_RETURN_IF_ERROR(CheckNotInput(shard, path));
    MX_RETURN_IF_ERROR(WriteShard(shard, path, num_threads, &tensors));
    for (const SafetensorsTensor& tensor : tensors) {
      weight_map.emplace(tensor.name, shard.file_name);
      total += tensor.size_bytes();
    }
  }
  return WriteFileAtomically(absl::StrCat(output, "/", input.index_name),
                             IndexText(weight_map, total));
}

}  // namespace mxtile
