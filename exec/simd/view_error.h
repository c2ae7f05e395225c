#ifndef EXEC_SIMD_VIEW_ERROR_H_
#define EXEC_SIMD_VIEW_ERROR_H_

// The error of an operation whose window leaves its view, whoever executes it.
//
//   return LeftViewError(program, op, "window [16] at [90]");
//   // OutOfRange: gemm.py:12:5: load of view x: window [16] at [90] leaves
//   // the view [100]
//   PlaceOf(status)            // "gemm.py:12:5"
//   MessageWithoutPlace(status)

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// `op` is a load or store. `window` may be "": it is not known.
absl::Status LeftViewError(const TileProgram& program, const Op& op,
                           absl::string_view window);

// Op::place of such an error, "" for other ones.
std::string PlaceOf(const absl::Status& status);
std::string MessageWithoutPlace(const absl::Status& status);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_VIEW_ERROR_H_
