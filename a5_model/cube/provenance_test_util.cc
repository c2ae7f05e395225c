#include "a5_model/cube/provenance_test_util.h"

#include <cstdint>
#include <functional>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int kPlanes = 2;

std::vector<uint8_t> Plane(int64_t size, int plane) {
  EXPECT_LT(size, 1 << (8 * kPlanes));
  std::vector<uint8_t> bytes(size);
  for (int64_t i = 0; i < size; ++i) bytes[i] = (i + 1) >> (8 * plane);
  return bytes;
}

void AddPlane(const Memory& memory, int plane, std::vector<int64_t>& offsets) {
  const std::vector<uint8_t> bytes = memory.Peek(0, offsets.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!memory.HasValue(i, 1)) continue;
    if (plane == 0) offsets[i] = 0;
    offsets[i] += static_cast<int64_t>(bytes[i]) << (8 * plane);
  }
}

void RemoveBias(std::vector<int64_t>& offsets) {
  for (int64_t& offset : offsets) {
    if (offset == kNoValue) continue;
    offset = offset == 0 ? kZeroByte : offset - 1;
  }
}

}  // namespace

std::vector<int64_t> TraceMat(
    int64_t source_bytes, MemorySpace to, int64_t size,
    const std::function<absl::Status(Machine&)>& move) {
  std::vector<int64_t> offsets(size, kNoValue);
  for (int plane = 0; plane < kPlanes; ++plane) {
    Machine machine;
    machine.memory(MemorySpace::kMat).Poke(0, Plane(source_bytes, plane));
    MX_EXPECT_OK(move(machine));
    AddPlane(machine.memory(to), plane, offsets);
  }
  RemoveBias(offsets);
  return offsets;
}

std::vector<int64_t> TraceGm(
    int64_t source_bytes, int64_t size,
    const std::function<absl::Status(Machine&, uint64_t)>& load) {
  std::vector<int64_t> offsets(size, kNoValue);
  for (int plane = 0; plane < kPlanes; ++plane) {
    Machine machine;
    const uint64_t gm = machine.AllocateGm("source", source_bytes);
    MX_EXPECT_OK(machine.WriteGm(gm, Plane(source_bytes, plane)));
    MX_EXPECT_OK(load(machine, gm));
    AddPlane(machine.memory(MemorySpace::kMat), plane, offsets);
  }
  RemoveBias(offsets);
  return offsets;
}

}  // namespace a5
}  // namespace mxtile
