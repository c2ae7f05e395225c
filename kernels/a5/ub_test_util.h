#ifndef KERNELS_A5_UB_TEST_UTIL_H_
#define KERNELS_A5_UB_TEST_UTIL_H_

// Places for tiles in UB, for tests: each in a declared buffer of its own, with
// guard bytes around it that no kernel may touch.
//
//   UbArena arena(machine, unit);
//   const UbTile src = arena.Place("src", source.const_view());
//   const UbTile dst = arena.Place("dst", FullTile(format, 32, 64));
//   ... TQuant(unit, options, {dst, src, ...}) ...
//   EXPECT_EQ(arena.Bytes(dst), expected.bytes());
//   arena.ExpectGuardsUntouched();

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/strings/string_view.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/tile_view.h"

namespace mxtile {
namespace a5 {

class UbArena {
 public:
  // What guards and fresh tiles hold.
  static constexpr uint8_t kUnset = 0xA5;

  UbArena(Machine& machine, VectorUnit& unit);

  // A tile with bytes, or with kUnset in every byte (which have values, so that
  // a kernel that reads one computes with it).
  UbTile Place(absl::string_view name, const ConstTileView& view);
  UbTile Place(absl::string_view name, const TileType& type);

  std::vector<uint8_t> Bytes(const UbTile& tile) const;
  void ExpectGuardsUntouched() const;

 private:
  struct Guard {
    std::string name;
    uint64_t address;
    int64_t size;
  };

  uint64_t Reserve(absl::string_view name, const std::vector<uint8_t>& bytes);
  void AddGuard(absl::string_view name, int64_t size);

  Machine& machine_;
  VectorUnit& unit_;
  uint64_t next_ = 0;
  std::vector<Guard> guards_;
};

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_UB_TEST_UTIL_H_
