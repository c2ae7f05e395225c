#ifndef KERNELS_A5_STORE_H_
#define KERNELS_A5_STORE_H_

// TSTORE of an accumulator: the valid region of a tile in Acc (L0C) into a
// window of a row-major fp32 tensor in global memory.
//
//   TStoreAcc(machine, acc, c, {/*offsets=*/{32, 0}, /*sizes=*/{30, 50}});
//
// The tile has 16 * ceil(valid_rows / 16) rows a column of fractals, as the
// matmul laid it out.
//
// Errors: A5-TILE-1 (the tile), A5-TILE-2 (the window leaves the tensor),
// A5-TILE-3 (window and tile do not fit; anything but fp32 with adjacent
// columns), and the traps of FIXPIPE.

#include "a5_model/machine.h"
#include "absl/status/status.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"

namespace mxtile {
namespace a5 {

absl::Status TStoreAcc(Machine& machine, const Tile& source,
                       const GmTensor& destination, const GmWindow& window);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_STORE_H_
