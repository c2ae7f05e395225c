#ifndef TOOLS_QUANTIZE_SHARD_PLAN_H_
#define TOOLS_QUANTIZE_SHARD_PLAN_H_

// What quantising makes of a shard, from its header alone: the tensors of the
// output, their places and metadata.
//
//   MX_ASSIGN_OR_RETURN(const ShardPlan plan,
//                       PlanShard(shard, settings, selection));
//   // plan.header is written first, then each of plan.tensors
//
// Quantised are matrices of F16, BF16, F32 and F64 that are selected. A matrix
// NAME becomes two tensors:
//
//   NAME         codes: F8_E4M3, F8_E5M2, FP4 as U8, two in a byte, the even
//                column low. nd [R, C], FP4 [R, C/2]; nz [C/32, R, 32], FP4
//                [C/64, R, 32]: boxes are not seen in this shape, bytes are
//   NAME_scale   F8_E8M0: nd [M, G]; dn [G, N]; zz, nn [M/16, G/2, 16, 2];
//                mx-a-nd [M, G/2, 2]; mx-a-dn, mx-b-nd [G/2, M, 2]; mx-b-dn
//                [N, G/2, 2], with padded extents
//
// With Selection::stacks a tensor of rank 3, [E, rows, cols], is E matrices one
// after the other; both shapes then begin with E.
//
// The metadata has "mxtile.version": "1" and for each quantised tensor
// "mxtile.tensor.NAME", whose value is JSON:
//
//   {"shape":[100,4000],"dtype":"BF16","format":"mxfp8-e4m3",
//    "scale_rule":"ocp","axis":1,"role":"b","data_layout":"nd",
//    "scale_layout":"nn","padded":[128,4032],"scale":"NAME_scale"}
//
// Everything else is copied. Errors (kInvalidArgument):
//   MX-QUANTIZE-2  as of quantize_settings.h, with the tensor;
//   MX-QUANTIZE-4  no tensor of the shard is called as a scale of the output.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "kernels/host/quantized_layout.h"
#include "tools/quantize/checkpoint.h"
#include "tools/quantize/quantize_settings.h"
#include "tools/quantize/safetensors.h"

namespace re2 {
class RE2;
}

namespace mxtile {

// Of tensors by name: those in which `include` matches, if it is given, and
// `exclude` does not.
struct Selection {
  const re2::RE2* include = nullptr;
  const re2::RE2* exclude = nullptr;
  bool stacks = false;
};

struct PlannedTensor {
  CheckpointTensor source;
  // Of one matrix; nothing: copied.
  absl::optional<host::QuantizedLayout> layout;
  int64_t matrices = 1;
  // Why it is copied, in words.
  std::string reason;
  // Of the data, or of the copy, and of the scales; in the file.
  int64_t data_offset = 0;
  int64_t scale_offset = 0;

  int64_t output_size_bytes() const;
};

struct ShardPlan {
  std::string header;
  std::vector<PlannedTensor> tensors;
  // All tensors of the output.
  std::vector<SafetensorsTensor> output;
  int64_t file_size_bytes = 0;
};

absl::StatusOr<ShardPlan> PlanShard(const Shard& shard,
                                    const QuantizeSettings& settings,
                                    const Selection& selection);

// A quantised tensor of a file that PlanShard planned.
struct QuantizedTensor {
  std::string name;
  std::string scale_name;
  std::vector<int64_t> shape;
  QuantizeSettings settings;
  host::QuantizedLayout layout;
  int64_t matrices = 1;
  int64_t data_offset = 0;
  int64_t scale_offset = 0;
};

// What the metadata of a shard says, checked against its tensors. Errors
// (kInvalidArgument):
//   MX-QUANTIZE-5  there is metadata of quantised tensors, of version 1;
//   MX-QUANTIZE-6  each names its choices as above, and the tensors have the
//                  dtypes, shapes and sizes that follow from it.
absl::StatusOr<std::vector<QuantizedTensor>> FindQuantized(const Shard& shard);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_SHARD_PLAN_H_
