#ifndef EXEC_SIMD_IMPORT_MEMORY_IMPORT_H_
#define EXEC_SIMD_IMPORT_MEMORY_IMPORT_H_

// tile.load and tile.store as loads and stores of views.
//
//   MX_ASSIGN_OR_RETURN(Tile tile, ImportLoad(state, call, args));
//   MX_RETURN_IF_ERROR(ImportStore(state, call, args));
//
// Windows have the rank of their tensor; of a window of more than two axes all
// but the last two have the extent 1. What is not valid is not touched: it is 0
// in a loaded tile. A window that is not proven to stay in its tensor is
// checked.
//
// Errors: MX-SIMD-2 (atomic stores, element types), -3 (the window's shape),
// -6 (a store whose window is not known to be the tile's valid region).

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/simd/import/import_state.h"
#include "exec/simd/import/imported_value.h"
#include "ir/expr.h"

namespace mxtile::exec::simd {

absl::StatusOr<Tile> ImportLoad(ImportState& state, const ir::Call& call,
                                absl::Span<const Binding> args);
// The tensor is args[2].
absl::Status ImportStore(ImportState& state, const ir::Call& call,
                         absl::Span<const Binding> args);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_MEMORY_IMPORT_H_
