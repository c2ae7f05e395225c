#ifndef A5_MODEL_CUBE_PROVENANCE_TEST_UTIL_H_
#define A5_MODEL_CUBE_PROVENANCE_TEST_UTIL_H_

// Where each byte of a memory comes from, for complete checks of moves.
//
//   const std::vector<int64_t> from = TraceMat(
//       /*source_bytes=*/4096, MemorySpace::kLeft, /*size=*/2048,
//       [](Machine& machine) { return Load2d(machine, ...); });
//   // from[i]: offset in Mat of the byte that is now at i of Left
//
// The move runs twice, on sources that hold the low and the high byte of every
// offset + 1. Sources are smaller than 64 KiB.

#include <cstdint>
#include <functional>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"

namespace mxtile {
namespace a5 {

// Values that are no offsets.
inline constexpr int64_t kNoValue = -1;
inline constexpr int64_t kZeroByte = -2;

std::vector<int64_t> TraceMat(
    int64_t source_bytes, MemorySpace to, int64_t size,
    const std::function<absl::Status(Machine&)>& move);

// The source is a GM buffer, whose address `load` gets; the destination is Mat.
std::vector<int64_t> TraceGm(
    int64_t source_bytes, int64_t size,
    const std::function<absl::Status(Machine&, uint64_t)>& load);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_PROVENANCE_TEST_UTIL_H_
