#ifndef PASSES_FLATTEN_TILE_ND_TO_2D_PAGE_TRANSPOSES_H_
#define PASSES_FLATTEN_TILE_ND_TO_2D_PAGE_TRANSPOSES_H_

// A transpose of the last two of more than two axes as one transpose a page.

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/type.h"
#include "passes/statement_emitter.h"

namespace mxtile {

// `written`: the tile to transpose, [..., M, N], `input`: the same, flat. The
// variable of the flat result, [pages * N, M], named `name`; it and the scratch
// tile are made in `space`.
const ir::Var* TransposePages(const ir::TileType& written,
                              const ir::Expr* input, absl::string_view name,
                              ir::MemorySpace space, ir::Context& context,
                              StatementEmitter& emit);

}  // namespace mxtile

#endif  // PASSES_FLATTEN_TILE_ND_TO_2D_PAGE_TRANSPOSES_H_
