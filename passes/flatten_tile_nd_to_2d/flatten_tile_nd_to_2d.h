#ifndef PASSES_FLATTEN_TILE_ND_TO_2D_FLATTEN_TILE_ND_TO_2D_H_
#define PASSES_FLATTEN_TILE_ND_TO_2D_FLATTEN_TILE_ND_TO_2D_H_

// Makes tiles of more than two axes two-dimensional, as the core takes them:
// [d0, ..., dn] becomes [d0 * ... * dn-1, dn], valid shapes likewise.
//
//   t: pl.Tile[[2, 3, 4], pl.FP32] = pl.tile.load(x, [0, 0, 0], [2, 3, 4], ...)
//   y = pl.tile.store(t, [0, 0, 0], out)
// becomes
//   t: pl.Tile[[6, 4], pl.FP32] = pl.tile.load(x, [0, 0, 0], [2, 3, 4], ...)
//   y = pl.tile.store(t, [0, 0, 0], out, [2, 3, 4])
//
// In functions of type InCore, AIC and AIV:
//
//   tile.load      the window keeps its axes. Of a load into Mat in its usual
//                  boxes (col_major of row_major) they become two as well: it
//                  reads a two-dimensional tensor.view of its source; but for
//                  a source in layout NZ
//   tile.store     into a tensor of more than two axes: states the extent of
//                  its window as 4th argument
//   tile.create, tile.full, tile.assemble
//                  shape or offset in two axes
//   tile.transpose gets its scratch tile as 4th argument; of more than two axes
//                  it becomes one transpose a page
//   tile.batch_matmul, _acc
//                  one matmul a page. An operand stays whole in Mat, and its
//                  pages are slices of it, where both operands fit Mat (that
//                  of the A5; no limit for other targets) and its load reads a
//                  band of rows; else each page is loaded by itself. A store
//                  that follows directly, and is the only use, stores the pages
//   tile.reshape   to more than two axes stays; what uses it is given a flat
//                  reshape of it
//   others         have flat operands and the type that follows
//
// Requires: ssa_form, incore_tile_ops. Produces: ssa_form, tile_ops_2d. Cost:
// linear in the program that comes out. A second run changes nothing.
//
// Rules, of tiles with more than two axes:
//   MX-FLAT2D-1  dims are positive constants, and the flat tile has less than
//                2^63 rows
//   MX-FLAT2D-2  they are no operand of tile.read, tile.write and tile.slice,
//                and result of operators with tile operands or of the above
//                only
//   MX-FLAT2D-3  tile.assemble has source, target and offset of one rank
//   MX-FLAT2D-4  ... and writes a band of rows: behind its first axis with more
//                than one element it has all of each axis but the last
//   MX-FLAT2D-5  tile.transpose swaps the last two axes
//   MX-FLAT2D-6  nothing is reduced along another axis than the last
//   MX-FLAT2D-7  a valid region is a band of rows, as far as constants and
//   equal
//                expressions tell. (PyPTO flattens others too, and moves their
//                valid elements.)
//   MX-FLAT2D-8  a load into Mat in its usual boxes reads a band of rows
//   MX-FLAT2D-9  a call of them is a statement of its own
//   MX-FLAT2D-10 operands and accumulator of batch matmuls have constant dims,
//                batches that broadcast, and are flat

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class FlattenTileNdTo2D : public Pass {
 public:
  absl::string_view name() const override { return "flatten_tile_nd_to_2d"; }
  absl::string_view pypto_name() const override { return "FlattenTileNdTo2D"; }
  PropertySet required() const override {
    return {Property::kSsaForm, Property::kIncoreTileOps};
  }
  PropertySet produced() const override {
    return {Property::kSsaForm, Property::kTileOps2D};
  }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_FLATTEN_TILE_ND_TO_2D_FLATTEN_TILE_ND_TO_2D_H_
