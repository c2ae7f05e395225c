#ifndef EXEC_SIMD_IMPORT_RETURNED_PARAMS_H_
#define EXEC_SIMD_IMPORT_RETURNED_PARAMS_H_

// What an in-core function returns is known without running it: tile.store
// gives back the tensor that it writes, so that a returned tensor is one of the
// function's parameters.
//
//   // def f(x, out): ... r = pl.store(t, [0, 0], out); return r
//   ReturnedParams(f, table)   // {1}

#include <vector>

#include "absl/status/statusor.h"
#include "exec/simd/import/op_table.h"
#include "ir/program.h"

namespace mxtile::exec::simd {

// By returned value, the parameter's index. MX-SIMD-4: a value that is not
// known to be one of the parameters.
absl::StatusOr<std::vector<int>> ReturnedParams(const ir::Function& function,
                                                const OpTable& table);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_RETURNED_PARAMS_H_
