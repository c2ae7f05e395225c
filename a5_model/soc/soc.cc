#include "a5_model/soc/soc.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kKiB = 1024;

// Sizes and tile alignments [soc]. Access units: 32-byte blocks of L1 and UB
// [ini]; fractals of L0A and L0B, boxes of the scale buffers [hdr]; a row of a
// fractal for Acc and the tile alignment for Bias [ours].
Soc MakeAscend950() {
  Soc soc;
  soc.name = "Ascend950";
  soc.cube_cores = 36;
  soc.vector_cores = 72;
  soc.clock_mhz = 1650;
  soc.memories = {{
      {MemorySpace::kGm, 0, 0, 1, 1},
      {MemorySpace::kMat, 512 * kKiB, 512 * kKiB, 128, 32},
      {MemorySpace::kLeft, 64 * kKiB, 64 * kKiB, 64, 512},
      {MemorySpace::kRight, 64 * kKiB, 64 * kKiB, 64, 512},
      {MemorySpace::kAcc, 256 * kKiB, 256 * kKiB, 128, 64},
      {MemorySpace::kBias, 4 * kKiB, 4 * kKiB, 64, 64},
      {MemorySpace::kLeftScale, 4 * kKiB, 4 * kKiB, 32, 32},
      {MemorySpace::kRightScale, 4 * kKiB, 4 * kKiB, 32, 32},
      // 256 KiB, of which the top 8 KiB are reserved (writing there corrupts
      // data) and the 8 KiB below are the runtime's.
      {MemorySpace::kVec, 240 * kKiB, 248 * kKiB, 128, 32},
  }};
  // [soc]. The public table also allows moves from each on-chip memory to
  // itself on pipe V; only Vec has an instruction behind it.
  soc.routes = {
      {MemorySpace::kGm, MemorySpace::kVec, Pipe::kMte2},
      {MemorySpace::kGm, MemorySpace::kMat, Pipe::kMte2},
      {MemorySpace::kVec, MemorySpace::kGm, Pipe::kMte3},
      {MemorySpace::kVec, MemorySpace::kMat, Pipe::kMte3},
      {MemorySpace::kVec, MemorySpace::kVec, Pipe::kV},
      {MemorySpace::kMat, MemorySpace::kLeft, Pipe::kMte1},
      {MemorySpace::kMat, MemorySpace::kRight, Pipe::kMte1},
      {MemorySpace::kMat, MemorySpace::kBias, Pipe::kMte1},
      {MemorySpace::kMat, MemorySpace::kLeftScale, Pipe::kMte1},
      {MemorySpace::kMat, MemorySpace::kRightScale, Pipe::kMte1},
      {MemorySpace::kAcc, MemorySpace::kGm, Pipe::kFix},
      {MemorySpace::kAcc, MemorySpace::kMat, Pipe::kFix},
      {MemorySpace::kAcc, MemorySpace::kVec, Pipe::kFix},
  };
  soc.scale_address_shift = 4;
  soc.l0_tile_alignment_bytes = 512;
  return soc;
}

}  // namespace

absl::string_view Name(MemorySpace space) {
  static constexpr std::array<absl::string_view, kNumMemorySpaces> kNames = {
      "GM",   "Mat",       "Left",       "Right", "Acc",
      "Bias", "LeftScale", "RightScale", "Vec"};
  return kNames[static_cast<int>(space)];
}

absl::string_view Name(Pipe pipe) {
  static constexpr std::array<absl::string_view, kNumPipes> kNames = {
      "MTE1", "MTE2", "MTE3", "M", "V", "FIX", "S"};
  return kNames[static_cast<int>(pipe)];
}

const Soc& Ascend950() {
  static const Soc* const kSoc = new Soc(MakeAscend950());
  return *kSoc;
}

std::optional<Pipe> FindRoute(const Soc& soc, MemorySpace from,
                              MemorySpace to) {
  for (const Route& route : soc.routes) {
    if (route.from == from && route.to == to) return route.pipe;
  }
  return std::nullopt;
}

bool IsScaleSpace(MemorySpace space) {
  return space == MemorySpace::kLeftScale || space == MemorySpace::kRightScale;
}

}  // namespace a5
}  // namespace mxtile
