#ifndef TOOLS_QUANTIZE_DEQUANTIZE_RUN_H_
#define TOOLS_QUANTIZE_DEQUANTIZE_RUN_H_

// A checkpoint that `mxtile quantize` wrote, back to floats.
//
//   MX_ASSIGN_OR_RETURN(const Checkpoint in, OpenCheckpoint("w-mx.safetensors",
//                                                           {}));
//   MX_RETURN_IF_ERROR(DequantizeCheckpoint(in, "w.npy", /*num_threads=*/2));
//
// Quantised tensors become F32 of their logical shapes, padding and scales go;
// everything else is copied. A single file becomes a .safetensors file or, when
// it has one tensor after that, a .npy file; a checkpoint in shards a folder of
// the same shards and index.
//
// Errors: as of shard_plan.h (FindQuantized), the system's for files, and
// (kInvalidArgument)
//   MX-QUANTIZE-8  the output of a single file is a name *.safetensors or
//   *.npy,
//                  a *.npy of one quantised tensor; no file of the output is
//                  one of the input.

#include <string>

#include "absl/status/status.h"
#include "tools/quantize/checkpoint.h"

namespace mxtile {

absl::Status DequantizeCheckpoint(const Checkpoint& input,
                                  const std::string& output, int num_threads);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_DEQUANTIZE_RUN_H_
