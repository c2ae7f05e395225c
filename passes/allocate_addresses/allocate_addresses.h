#ifndef PASSES_ALLOCATE_ADDRESSES_ALLOCATE_ADDRESSES_H_
#define PASSES_ALLOCATE_ADDRESSES_ALLOCATE_ADDRESSES_H_

// Gives each tile of the in-core functions an address in its memory.
//
//   l: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Left] = pl.tile.move(...)
//   ls: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.LeftScale] = pl.tile.move(...)
//   ls_bound: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.LeftScale] =
//       pl.tile.tget_scale_addr(ls, l)
// becomes
//   mem_left_0: pl.Ptr = pl.tile.alloc(pl.Mem.Left, 1024)
//   mem_leftscale_0: pl.Ptr = pl.tile.alloc(pl.Mem.LeftScale, 32)
//   l: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.MemRef(mem_left_0, 0, 1024),
//              pl.Mem.Left] = pl.tile.move(...)
//   ls: pl.Tile[[16, 2], pl.FP8E8M0, pl.MemRef(mem_leftscale_0, 0, 32),
//               pl.Mem.LeftScale] = pl.tile.move(...)
//   ls_bound: ... pl.MemRef(mem_leftscale_0, 0, 32) ... =
//       pl.tile.tget_scale_addr(ls, l)
//
// The function begins with one allocation for each buffer, in the order in
// which their first tiles are defined, numbered by memory. A MemRef's offset is
// the absolute address in the memory, its size that of the tile.
//
// Which tiles share a buffer: tile_buffers.h. How large a tile is:
// tile_bytes.h. Sizes and alignments of the memories: a5_model/soc; a buffer
// starts at a multiple of its memory's alignment, in Left and Right at a
// multiple of a data fractal, 512.
//
// Scales: the cube looks for the scales of the data at X at X >> 4. So a scale
// buffer that tile.tget_scale_addr binds to data at X is placed at X >> 4. One
// that is bound to data at two addresses is refused, as bytes cannot be at two
// places. Scale buffers that nothing binds take the lowest free addresses
// besides.
//
// All other buffers are stacked, in order of allocation, and live as long as
// their function. Not here yet: the reuse of a buffer whose tiles are dead. A
// function whose tiles do not fit at the same time is refused until then.
//
// A second run changes nothing: functions whose tiles all have addresses are
// left alone.
//
// Requires: ssa_form, incore_tile_ops, tile_memory_inferred. Produces: those
// and allocated_memory_addr. Cost: n log n, see tile_buffers.h.
//
// Rules:
//   MX-ADDR-1  a tile has a constant shape
//   MX-ADDR-2  a tile is in a memory of the core, and all tiles of a buffer are
//              in the same one
//   MX-ADDR-3  a tile is not overwritten while it is needed
//   MX-ADDR-4  a scale tile is bound to data at one address
//   MX-ADDR-5  the tiles fit in their memory
//   MX-ADDR-6  all tiles of a function have addresses, or none
//   MX-ADDR-7  a tile is a variable that the function defines
//   MX-ADDR-8  scales that are bound to different data do not overlap
//   MX-ADDR-9  the target is not one whose memories are unknown (a2a3)

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class AllocateAddresses : public Pass {
 public:
  absl::string_view name() const override { return "allocate_addresses"; }
  absl::string_view pypto_name() const override { return "AllocateMemoryAddr"; }
  PropertySet required() const override;
  PropertySet produced() const override;
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_ALLOCATE_ADDRESSES_ALLOCATE_ADDRESSES_H_
