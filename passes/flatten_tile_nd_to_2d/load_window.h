#ifndef PASSES_FLATTEN_TILE_ND_TO_2D_LOAD_WINDOW_H_
#define PASSES_FLATTEN_TILE_ND_TO_2D_LOAD_WINDOW_H_

// Loads of windows with more than two axes as loads of two-dimensional ones.
//
//   t = pl.tile.load(x, [1, n, 0], [1, 16, 32], [1, 16, 32], ...)
// becomes
//   t_view2d = pl.tensor.view(x, [32, 32])
//   t = pl.tile.load(t_view2d, [16 + n, 0], [16, 32], [16, 32], ...)

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "passes/statement_emitter.h"

namespace mxtile {

// tile.load's source as a two-dimensional tensor: tensor.view(tensor, [rows,
// columns]), with the valid shape and pad that it has.
const ir::Var* FlatSource(const ir::Expr* tensor, absl::string_view name,
                          ir::Context& context, StatementEmitter& emit);

// Makes source, offsets and extents of the load two-dimensional. A source in
// layout NZ keeps its window; one that is no band of rows is refused
// (MX-FLAT2D-8). `assign`: the load's statement as written.
void FlattenWindow(const ir::Assign& assign, ir::Context& context,
                   StatementEmitter& emit, ir::DiagnosticSink* sink,
                   ir::Call* load);

}  // namespace mxtile

#endif  // PASSES_FLATTEN_TILE_ND_TO_2D_LOAD_WINDOW_H_
