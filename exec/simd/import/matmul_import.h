#ifndef EXEC_SIMD_IMPORT_MATMUL_IMPORT_H_
#define EXEC_SIMD_IMPORT_MATMUL_IMPORT_H_

// The matmul family as contractions.
//
//   MX_ASSIGN_OR_RETURN(Tile c, ImportMatmul(state, call, info.roles, args));
//
// The valid columns of lhs limit k. Errors: MX-SIMD-2 (element types), -3 (the
// extents of scales), -6 (valid regions that are not known to fit).

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/simd/import/import_state.h"
#include "exec/simd/import/imported_value.h"
#include "exec/simd/import/op_table.h"
#include "ir/expr.h"

namespace mxtile::exec::simd {

absl::StatusOr<Tile> ImportMatmul(ImportState& state, const ir::Call& call,
                                  const MatmulRoles& roles,
                                  absl::Span<const Binding> args);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_MATMUL_IMPORT_H_
