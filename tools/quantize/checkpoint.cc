#include "tools/quantize/checkpoint.h"

#include <algorithm>
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
#include "base/npy.h"
#include "base/positioned_file.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/bench/strict_json.h"
#include "tools/quantize/safetensors.h"

namespace mxtile {
namespace {

using Json = nlohmann::ordered_json;

constexpr absl::string_view kIndexSuffix = ".safetensors.index.json";
constexpr absl::string_view kShardSuffix = ".safetensors";
constexpr int64_t kMaxDepth = 1000;

absl::Status Refuse(absl::string_view rule, absl::string_view name,
                    absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": ", what, " (", rule, ")"));
}

std::string FileName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

absl::StatusOr<std::string> FirstBytes(const InputFile& file, int64_t most) {
  std::string bytes(std::min(file.size(), most), '\0');
  MX_RETURN_IF_ERROR(file.ReadAt(
      0,
      absl::MakeSpan(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size())));
  return bytes;
}

// The dtype of a .npy type as .safetensors files call it.
std::string DtypeOfNpy(const std::string& descr, bool bf16) {
  if (descr == "<u2" && bf16) return "BF16";
  const char kind = descr[1] == 'f' ? 'F' : descr[1] == 'i' ? 'I' : 'U';
  return absl::StrCat(std::string(1, kind), (descr[2] - '0') * 8);
}

absl::StatusOr<Shard> OpenNpy(const std::string& path,
                              const CheckpointOptions& options) {
  MX_ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path));
  MX_ASSIGN_OR_RETURN(const std::string bytes,
                      FirstBytes(file, kMaxNpyHeaderBytes));
  MX_ASSIGN_OR_RETURN(NpyHeader header,
                      ParseNpyHeader(bytes, file.size(), path));
  const std::string name = std::filesystem::path(path).stem().string();
  MX_RETURN_IF_ERROR(CheckTensorName(name));
  Shard shard;
  shard.file_name = FileName(path);
  shard.path = path;
  shard.size_bytes = file.size();
  shard.tensors.push_back({name, DtypeOfNpy(header.descr, options.npy_bf16),
                           std::move(header.shape), header.data_offset,
                           header.data_size_bytes, header.fortran_order});
  return shard;
}

absl::StatusOr<Shard> OpenSafetensors(const std::string& path) {
  MX_ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path));
  MX_ASSIGN_OR_RETURN(SafetensorsHeader header, ReadSafetensorsHeader(file));
  Shard shard;
  shard.file_name = FileName(path);
  shard.path = path;
  shard.size_bytes = file.size();
  shard.metadata = std::move(header.metadata);
  for (SafetensorsTensor& tensor : header.tensors) {
    shard.tensors.push_back({std::move(tensor.name), std::move(tensor.dtype),
                             std::move(tensor.shape),
                             header.data_offset + tensor.begin,
                             tensor.size_bytes(), false});
  }
  return shard;
}

// A name of a shard becomes the name of a file that is written.
bool IsPlainShardName(const std::string& name) {
  const auto bad = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '/' || c == '\\';
  };
  return absl::EndsWith(name, kShardSuffix) && name[0] != '.' &&
         std::none_of(name.begin(), name.end(), bad);
}

// Brackets that are open at once; those in strings count as well, which only
// makes the limit stricter.
int64_t Depth(absl::string_view json) {
  int64_t depth = 0, deepest = 0;
  for (const char c : json) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

absl::StatusOr<std::map<std::string, std::string>> ReadWeightMap(
    const std::string& path) {
  MX_ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path));
  if (file.size() > kMaxIndexBytes) {
    return Refuse("MX-CHECKPOINT-2", path,
                  absl::StrCat("an index of ", file.size(), " bytes: at most ",
                               kMaxIndexBytes, " are read"));
  }
  MX_ASSIGN_OR_RETURN(const std::string text, FirstBytes(file, kMaxIndexBytes));
  if (Depth(text) > kMaxDepth) {
    return Refuse("MX-CHECKPOINT-2", path,
                  absl::StrCat("JSON nested deeper than ", kMaxDepth));
  }
  const absl::StatusOr<Json> json = bench::ParseStrictJson(text);
  if (!json.ok()) {
    return Refuse("MX-CHECKPOINT-2", path, json.status().message());
  }
  if (!json->is_object() || !json->contains("weight_map") ||
      !(*json)["weight_map"].is_object()) {
    return Refuse("MX-CHECKPOINT-2", path,
                  "an index must be an object with an object \"weight_map\"");
  }
  std::map<std::string, std::string> weight_map;
  for (const auto& entry : (*json)["weight_map"].items()) {
    if (!entry.value().is_string()) {
      return Refuse("MX-CHECKPOINT-2", path,
                    absl::StrCat("weight_map of '", entry.key(),
                                 "' is no name of a file"));
    }
    const std::string shard = entry.value().get<std::string>();
    if (!IsPlainShardName(shard)) {
      return Refuse("MX-CHECKPOINT-3", path,
                    absl::StrCat("shard '", shard, "' of tensor '", entry.key(),
                                 "' is no plain name of a .safetensors file"));
    }
    weight_map.emplace(entry.key(), shard);
  }
  return weight_map;
}

absl::StatusOr<Checkpoint> OpenIndex(const std::string& path) {
  using WeightMap = std::map<std::string, std::string>;
  MX_ASSIGN_OR_RETURN(const WeightMap weight_map, ReadWeightMap(path));
  std::set<std::string> names;
  for (const auto& entry : weight_map) names.insert(entry.second);
  Checkpoint checkpoint;
  checkpoint.index_name = FileName(path);
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  size_t tensors = 0;
  for (const std::string& name : names) {
    MX_ASSIGN_OR_RETURN(Shard shard, OpenSafetensors((folder / name).string()));
    for (const CheckpointTensor& tensor : shard.tensors) {
      const auto it = weight_map.find(tensor.name);
      if (it == weight_map.end() || it->second != name) {
        return Refuse("MX-CHECKPOINT-4", path,
                      absl::StrCat("shard ", name, " has the tensor '",
                                   tensor.name, "', which the index ",
                                   it == weight_map.end()
                                       ? "does not have"
                                       : absl::StrCat("has in ", it->second)));
      }
    }
    tensors += shard.tensors.size();
    checkpoint.shards.push_back(std::move(shard));
  }
  if (tensors == weight_map.size()) return checkpoint;
  for (const Shard& shard : checkpoint.shards) {
    std::set<std::string> present;
    for (const auto& tensor : shard.tensors) present.insert(tensor.name);
    for (const auto& entry : weight_map) {
      if (entry.second == shard.file_name && present.count(entry.first) == 0) {
        return Refuse("MX-CHECKPOINT-4", path,
                      absl::StrCat("tensor '", entry.first, "' is not in ",
                                   shard.file_name));
      }
    }
  }
  return checkpoint;
}

absl::StatusOr<std::string> IndexOfFolder(const std::string& path) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (absl::EndsWith(entry.path().string(), kIndexSuffix)) {
      found.push_back(entry.path().string());
    }
  }
  if (found.size() == 1) return found[0];
  return Refuse("MX-CHECKPOINT-1", path,
                absl::StrCat("a folder with one *", kIndexSuffix,
                             " is read, this one has ", found.size()));
}

}  // namespace

absl::StatusOr<Checkpoint> OpenCheckpoint(const std::string& path,
                                          const CheckpointOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    MX_ASSIGN_OR_RETURN(const std::string index, IndexOfFolder(path));
    return OpenIndex(index);
  }
  if (absl::EndsWith(path, kIndexSuffix)) return OpenIndex(path);
  Checkpoint checkpoint;
  if (absl::EndsWith(path, ".npy")) {
    MX_ASSIGN_OR_RETURN(Shard shard, OpenNpy(path, options));
    checkpoint.shards.push_back(std::move(shard));
  } else if (absl::EndsWith(path, kShardSuffix)) {
    MX_ASSIGN_OR_RETURN(Shard shard, OpenSafetensors(path));
    checkpoint.shards.push_back(std::move(shard));
  } else {
    return Refuse("MX-CHECKPOINT-1", path,
                  absl::StrCat("the input is a .npy or .safetensors file, a *",
                               kIndexSuffix, " or a folder with one"));
  }
  return checkpoint;
}

std::string IndexText(const std::map<std::string, std::string>& weight_map,
                      int64_t total_size_bytes) {
  Json json;
  json["metadata"]["total_size"] = total_size_bytes;
  json["weight_map"] = weight_map;
  return json.dump(2) + "\n";
}

}  // namespace mxtile
