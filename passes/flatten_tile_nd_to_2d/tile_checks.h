#ifndef PASSES_FLATTEN_TILE_ND_TO_2D_TILE_CHECKS_H_
#define PASSES_FLATTEN_TILE_ND_TO_2D_TILE_CHECKS_H_

// Which tiles of more than two axes FlattenTileNdTo2D refuses: the rules
// MX-FLAT2D-1 to -7 and -9 of its header, of one function.

#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace mxtile {

void CheckNdTiles(const ir::Function& function, ir::Context& context,
                  ir::DiagnosticSink* sink);

}  // namespace mxtile

#endif  // PASSES_FLATTEN_TILE_ND_TO_2D_TILE_CHECKS_H_
