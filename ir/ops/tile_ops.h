#ifndef IR_OPS_TILE_OPS_H_
#define IR_OPS_TILE_OPS_H_

// Tiles come, move and go: tile.load, tile.store, tile.move, tile.create,
// tile.alloc, tile.cast, tile.get_block_idx, tile.get_block_num.
//
//   OpRegistry registry;
//   RegisterTileOps(registry);
//   Context context(&registry);
//
// tile.load (tensor, offsets, shapes[, valid_shape]; target_memory, clamp)
//   A tile of the window's shape in target_memory, or in no space yet. In Mat
//   a DN source swaps the two layouts and a single row is not boxed. The valid
//   shape is the requested one (the window without a request), cut where the
//   tensor's constant valid region ends. clamp: a window past the tensor's edge
//   is cut instead of refused. A window of three dims or more, for which the
//   text states a tile of two, gives its rows one below the other.
//   An MX source gives the scale layout: row/row/32 for MX_A_ZZ, col/col/32 for
//   MX_B_NN. Once blocked, [1, *, *, 16, 2], its window [1, s1, s2, 16, 2]
//   gives the 2-D tile [16*s1, 2*s2] (A) or [2*s2, 16*s1] (B). Offsets and
//   boxes of a rank-2 MX source are judged by the pass that blocks it.
//   A window [b, c, r, 16, c0] of a blocked NZ source, c0 elements in 32 bytes,
//   gives the 2-D tile [b*r*16, c*c0] where the text states it.
// tile.store (tile, offsets, output_tensor[, shapes]; atomic)
//   The type of output_tensor. Where only a part of it was valid, the valid
//   part grows by what is written. MX destinations are judged by the blocking
//   pass.
// tile.move (tile; target_memory, blayout, slayout)
//   pypto_ir section 3. Without target_memory to Vec. UINT8 scales become
//   FP8E8M0 on their way to a scale space.
// tile.create (shape; dtype, target_memory, transpose, flat_layout)
//   A tile of undefined contents with the space's implicit layout; in Mat,
//   transpose gives row/col boxes and flat_layout no boxes.
// tile.cast (tile; target_type, mode): in Vec, of the same shape.
// tile.alloc (memory_space, size; pinned): pl.Ptr.
//
// The short forms pl.load and pl.create_tile fill target_memory (Vec; Mat for
// an MX source), pl.load the valid shape, pl.cast the mode "round".
//
// Rules:
//   MX-LOAD-1   an MX source is FP8E8M0 or UINT8
//   MX-LOAD-2   an MX source is 2-D, or blocked [1, *, *, 16, 2]
//   MX-LOAD-3   a window of a 2-D MX source is 2-D, and so is its valid_shape
//   MX-LOAD-4   an MX source is packed
//   MX-LOAD-5   an MX source is loaded to Mat, named in the call
//   MX-LOAD-6   a blocked window has the form [1, s1, s2, 16, 2] with the valid
//               shape equal to it: complete boxes
//   MX-LOAD-7   a blocked window begins at [0, o1, o2, 0, 0]
//   MX-LOAD-8   offsets, shapes and valid_shape have one rank, from 1 to that
//               of the tensor
//   MX-LOAD-9   what is read lies inside the tensor
//   MX-LOAD-10  the valid shape lies inside the window
//   MX-LOAD-11  the target is Vec or Mat
//   MX-STORE-1  shapes and offsets have one rank
//   MX-STORE-2  what is written lies inside the tensor
//   MX-STORE-3  the valid region stays a rectangle at the origin
//   MX-STORE-4  atomic add has the element types of the hardware
//   MX-MOVE-1   a scale space takes no blayout / slayout
//   MX-MOVE-2   a scale space takes a 2-D tile
//   MX-MOVE-3   a scale space is filled from Mat
//   MX-MOVE-4   a scale space takes UINT8 or FP8E8M0
//   MX-MOVE-5   the source has the layout of the scale space
//   MX-CREATE-1 no tile is created in a scale space
//   MX-CREATE-2 transpose is for 2-D tiles in Mat
//   MX-CREATE-3 flat_layout is for Mat, without transpose
//   MX-CREATE-4 the shape is constant and not empty
//   MX-CAST-1   the element type changes
//   MX-ALLOC-1  the size is not negative
// and those of ir/ops/op_signature.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTileOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TILE_OPS_H_
