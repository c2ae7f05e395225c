#include "kernels/a5/ub_test_util.h"

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "a5_model/vector/ub_checker.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "gtest/gtest.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/tile_view.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kGuardBytes = 64;

// What a load of two registers can read beyond the end of a tile.
constexpr int64_t kSlackBytes = 512;

}  // namespace

UbArena::UbArena(Machine& machine, VectorUnit& unit)
    : machine_(machine), unit_(unit) {
  AddGuard("the first tile", kGuardBytes);
}

void UbArena::AddGuard(absl::string_view name, int64_t size) {
  machine_.memory(MemorySpace::kVec)
      .Poke(next_, std::vector<uint8_t>(size, kUnset));
  guards_.push_back({absl::StrCat("beside ", name), next_, size});
  next_ += size;
}

uint64_t UbArena::Reserve(absl::string_view name,
                          const std::vector<uint8_t>& bytes) {
  const uint64_t address = next_;
  const int64_t size = static_cast<int64_t>(bytes.size());
  machine_.memory(MemorySpace::kVec).Poke(address, bytes);
  unit_.DeclareBuffer(name, address, size, BufferOverlap::kForbidden);
  next_ += size;
  // To the next block, and a guard of at least two.
  AddGuard(name, (32 - size % 32) % 32 + kGuardBytes);
  MX_CHECK(next_ + kSlackBytes <
           machine_.soc().memory(MemorySpace::kVec).limit_bytes)
      << "the tiles of a test do not fit UB";
  return address;
}

UbTile UbArena::Place(absl::string_view name, const ConstTileView& view) {
  return {view.type, Reserve(name, {view.bytes.begin(), view.bytes.end()})};
}

UbTile UbArena::Place(absl::string_view name, const TileType& type) {
  return {type, Reserve(name, std::vector<uint8_t>(*TileBytes(type), kUnset))};
}

std::vector<uint8_t> UbArena::Bytes(const UbTile& tile) const {
  return machine_.memory(MemorySpace::kVec)
      .Peek(tile.address, *TileBytes(tile.type));
}

void UbArena::ExpectGuardsUntouched() const {
  for (const Guard& guard : guards_) {
    EXPECT_EQ(
        machine_.memory(MemorySpace::kVec).Peek(guard.address, guard.size),
        std::vector<uint8_t>(guard.size, kUnset))
        << guard.name;
  }
}

}  // namespace a5
}  // namespace mxtile
