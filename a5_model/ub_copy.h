#ifndef A5_MODEL_UB_COPY_H_
#define A5_MODEL_UB_COPY_H_

// The DMA of UB: runs of bytes from global memory into UB (pipe MTE2), and from
// UB to global memory or to Mat (L1; MTE3).
//
//   // 16 rows of 64 bytes of a row-major matrix of 256 columns, packed in UB.
//   CopyGmToUb(machine, {/*source=*/gm, /*destination=*/0, /*burst_count=*/16,
//                        /*burst_bytes=*/64, /*source_stride=*/256,
//                        /*destination_stride=*/64});
//
// Bursts are in order and as they are: no conversion, no padding. What a burst
// covers is written; a byte without a value stays without one (only reading it
// for a result would trap), but GM has values only: a byte of GM without one
// traps, going either way.
//
// Traps A5-MEM-1 to 4 (a5_model/memory.h), A5-FIELD-1. Addresses in UB and Mat
// are multiples of 32.

#include <cstdint>

#include "a5_model/machine.h"
#include "absl/status/status.h"

namespace mxtile {
namespace a5 {

struct UbCopyParams {
  uint64_t source;
  uint64_t destination;
  int64_t burst_count;         // 1..65535
  int64_t burst_bytes;         // 1..65535
  int64_t source_stride;       // bytes from one burst's start to the next's,
  int64_t destination_stride;  // 0..2^24; multiples of 32 in UB and Mat
};

absl::Status CopyGmToUb(Machine& machine, const UbCopyParams& params);
absl::Status CopyUbToGm(Machine& machine, const UbCopyParams& params);
absl::Status CopyUbToMat(Machine& machine, const UbCopyParams& params);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_UB_COPY_H_
