#ifndef TOOLS_QUANTIZE_QUANTIZE_RUN_H_
#define TOOLS_QUANTIZE_QUANTIZE_RUN_H_

// A whole checkpoint, quantised. The way back: dequantize_run.h.
//
//   MX_ASSIGN_OR_RETURN(const Checkpoint in, OpenCheckpoint("model/", {}));
//   MX_ASSIGN_OR_RETURN(const std::vector<ShardReport> reports,
//                       QuantizeCheckpoint(in, "model-mx/", options));
//
// A single file becomes one .safetensors file. A checkpoint in shards becomes a
// folder with shards of the same names, an index, and beside each shard a
// record, SHARD.mxtile.json: options, size and SHA-256 of the shard and the
// report of its tensors. Each file appears when it is whole (OutputFile); the
// record after its shard, the index first, since headers say all of it. So runs
// of parts of the shards write the same folder, in any order or at once.
//
// With `resume`, a shard is skipped whose record has the same options, the same
// input by size and header, and the size and digest that the file has. That the
// data of the input changed under the same header is not seen.
//
// Errors: as of checkpoint.h, shard_plan.h and matrix_in_files.h, with the
// tensor; the system's for files; and (kInvalidArgument)
//   MX-QUANTIZE-4  no two tensors of the output have one name;
//   MX-QUANTIZE-7  the output of a single file is a name *.safetensors; no file
//                  of the output is one of the input.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/quantize/checkpoint.h"
#include "tools/quantize/quantize_report.h"
#include "tools/quantize/quantize_settings.h"
#include "tools/quantize/shard_plan.h"

namespace mxtile {

struct QuantizeOptions {
  QuantizeSettings settings;
  Selection selection;
  int num_threads = 1;
  bool fail_on_nonfinite = false;
  // Reads each tensor back before its file appears: VerifyInFiles.
  bool verify = false;
  bool resume = false;
  // Only the shards i, i + shard_count, ...
  int64_t shard_index = 0;
  int64_t shard_count = 1;
  // Bytes of the input that were done, out of so many.
  std::function<void(int64_t done, int64_t total)> progress;
};

absl::StatusOr<std::vector<ShardReport>> QuantizeCheckpoint(
    const Checkpoint& input, const std::string& output,
    const QuantizeOptions& options);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_QUANTIZE_RUN_H_
