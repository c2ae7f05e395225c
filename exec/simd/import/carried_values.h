#ifndef EXEC_SIMD_IMPORT_CARRIED_VALUES_H_
#define EXEC_SIMD_IMPORT_CARRIED_VALUES_H_

// What a variable is on the way through loops and ifs: values enter, go round
// and leave, and all that is known of them beside their values has to stay.
//
//   MX_ASSIGN_OR_RETURN(Binding init, AsCarried(state, arg, binding, axes));
//   if (HasValue(init)) carried.push_back(ValueOf(init));
//   ... a loop of the builder over `carried`, which has the parameters ...
//   Binding inside = WithValue(state, init, param);
//   MX_RETURN_IF_ERROR(CheckAlike(state, arg, init, yielded));
//
// Errors: MX-SIMD-8, and MX-SIMD-6 for valid regions.

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "exec/simd/import/import_state.h"
#include "exec/simd/import/imported_value.h"
#include "exec/simd/import/tile_axes.h"
#include "exec/simd/tile_program.h"
#include "ir/expr.h"

namespace mxtile::exec::simd {

// MX-SIMD-8: "'NAME' WHAT"
absl::Status YieldError(absl::string_view name, absl::string_view what);

// Tensors have none: stores write in place.
bool HasValue(const Binding& binding);
// Of a binding that has one.
ValueId ValueOf(const Binding& binding);
// The same with another value, of which nothing more is known.
Binding WithValue(ImportState& state, const Binding& binding, ValueId value);

// The binding as a value that leaves a block: a tile over `axes`, in order.
absl::StatusOr<Binding> AsCarried(ImportState& state, const ir::Var& var,
                                  const Binding& binding, const AxisPair* axes);

// Two values of a variable that differ by no more than their values.
absl::Status CheckAlike(const ImportState& state, const ir::Var& var,
                        const Binding& a, const Binding& b);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_CARRIED_VALUES_H_
