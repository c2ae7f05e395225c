#ifndef TOOLS_QUANTIZE_CHECKPOINT_H_
#define TOOLS_QUANTIZE_CHECKPOINT_H_

// What `mxtile quantize` and `dequantize` read: the tensors of a .npy file, of
// a .safetensors file, or of a checkpoint in shards, by their headers alone.
//
//   MX_ASSIGN_OR_RETURN(const Checkpoint in, OpenCheckpoint("model/", {}));
//   for (const Shard& shard : in.shards) ...
//
//   path                           shards
//   *.npy                          one, with one tensor named as the file
//   *.safetensors                  one
//   *.safetensors.index.json       those that its weight_map names, in the
//   a folder with such a file      order of their names
//
// An index is {"metadata": {...}, "weight_map": {"name": "file", ...}}.
//
// Errors: as of safetensors.h and base/npy.h, the system's for files, and
// (kInvalidArgument)
//   MX-CHECKPOINT-1  the path is one of the above, a folder has one index;
//   MX-CHECKPOINT-2  an index is an object with a "weight_map" of names to
//                    names of files, no key twice, at most kMaxIndexBytes, not
//                    nested deeper than 1000;
//   MX-CHECKPOINT-3  the file of a shard is a plain name, "*.safetensors";
//   MX-CHECKPOINT-4  index and shards have the same tensors.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile {

inline constexpr int64_t kMaxIndexBytes = 100'000'000;

struct CheckpointTensor {
  std::string name;
  // As in .safetensors files: "F32".
  std::string dtype;
  std::vector<int64_t> shape;
  // Where its bytes lie in the file.
  int64_t offset = 0;
  int64_t size_bytes = 0;
  // The first extent changes fastest.
  bool fortran_order = false;
};

struct Shard {
  // "model-00001-of-00002.safetensors"
  std::string file_name;
  std::string path;
  int64_t size_bytes = 0;
  // In the order of their offsets.
  std::vector<CheckpointTensor> tensors;
  std::map<std::string, std::string> metadata;
};

struct Checkpoint {
  std::vector<Shard> shards;
  // "model.safetensors.index.json"; empty for a single file.
  std::string index_name;
};

struct CheckpointOptions {
  // "<u2" of a .npy file is bf16.
  bool npy_bf16 = false;
};

absl::StatusOr<Checkpoint> OpenCheckpoint(const std::string& path,
                                          const CheckpointOptions& options);

// The index of an output: from each tensor to its file, and how many bytes all
// tensors have.
std::string IndexText(const std::map<std::string, std::string>& weight_map,
                      int64_t total_size_bytes);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_CHECKPOINT_H_
