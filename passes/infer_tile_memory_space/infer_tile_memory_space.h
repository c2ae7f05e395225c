#ifndef PASSES_INFER_TILE_MEMORY_SPACE_INFER_TILE_MEMORY_SPACE_H_
#define PASSES_INFER_TILE_MEMORY_SPACE_INFER_TILE_MEMORY_SPACE_H_

// Decides in which memory each tile lives and inserts the moves that follow.
//
//   a: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Mat] = pl.tile.load(...)
//   ...
//   c: pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc] =
//       pl.tile.matmul_mx(a, sa, b, sb)
// becomes
//   a_Left: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Left] =
//       pl.tile.move(a, target_memory=pl.Mem.Left)
//   sa_LeftScale: ... = pl.tile.move(sa, target_memory=pl.Mem.LeftScale)
//   b_Right: ... = pl.tile.move(b, target_memory=pl.Mem.Right)
//   sb_RightScale: ... = pl.tile.move(sb, target_memory=pl.Mem.RightScale)
//   c: ... = pl.tile.matmul_mx(a_Left, sa_LeftScale, b_Right, sb_RightScale)
//
// in InCore, AIC and AIV functions. What an operator accepts and produces is
// what its OpDef says.
//
// Spaces: tile_spaces.h. A tile whose space changes gets the implicit layout of
// its new space; valid shape, padding and compact mode stay, and so does a flat
// layout in another flat space. A load or create says its space in kwarg
// target_memory afterwards, with the type that its deduction gives.
//
// Moves: an operand in a space that its operator does not accept is moved to
// the first one that it does. The move stands directly before the consumer, is
// named <tile>_<Space>, and serves later consumers in the same statement list,
// until a statement changes the tile in place. A loop's initial value moves in
// front of its loop. From Acc to a buffer of the cube, and from Vec to a scale
// buffer, the way goes through Mat; a scale keeps its layout on it. From Vec to
// Left, Right and Bias the move is direct, as a later split of vector and cube
// code expects.
//
// A second run changes nothing: the same program comes back.
//
// Requires: ssa_form, incore_tile_ops. Produces: ssa_form,
// tile_memory_inferred. Cost: three walks, linear.
//
// Not here yet: moving invariant loads out of loops (phase 4 of PyPTO's pass).
//
// Rules (besides those of the operators, which are asked again where a type
// changes: MX-MOVE-n for a scale in a layout that its buffer does not take):
//   MX-SPACE-1  an in-core function has no tile parameter
//   MX-SPACE-2  the branches of an if yield from one space
//   MX-SPACE-3  an operand with a memory rule is a variable, or in place
//   MX-SPACE-4  nothing moves into Acc
//   MX-SPACE-5  an MX matmul's scales are two tiles, also under two names

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class InferTileMemorySpace : public Pass {
 public:
  absl::string_view name() const override { return "infer_tile_memory_space"; }
  absl::string_view pypto_name() const override {
    return "InferTileMemorySpace";
  }
  PropertySet required() const override;
  PropertySet produced() const override;
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_INFER_TILE_MEMORY_SPACE_INFER_TILE_MEMORY_SPACE_H_
