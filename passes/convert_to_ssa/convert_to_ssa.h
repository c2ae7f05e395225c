#ifndef PASSES_CONVERT_TO_SSA_CONVERT_TO_SSA_H_
#define PASSES_CONVERT_TO_SSA_CONVERT_TO_SSA_H_

// Gives each assignment a variable of its own, and makes explicit what loops
// and branches hand on.
//
//   total = x                        total__ssa_v0 = x
//   for i in pl.range(4):            for i, (total__iter_v1,) in pl.range(
//       total = total + i                    4, init_values=(total__ssa_v0,)):
//                                        total__ssa_v3 = total__iter_v1 + i
//                                        total__rv_v2 =
//                                        pl.yield_(total__ssa_v3)
//   return total                     return total__rv_v2
//
// A variable that is assigned once, and used only where that assignment is
// visible, stays as it is; a program in SSA form comes back as the same
// pointer.
//
//   assigned in a loop, had a value before it   carried from round to round
//   ... had none, is read behind it, or in the next round before that assigns
//       it: carried; it starts as the first Out or InOut parameter of its type,
//       else as the first variable of its type, a scalar as 0: where that value
//       is read, the program reads what it never assigned, so any is right
//   ... had none, is not read so                stays inside
//   assigned in a branch, had a value before    result of the `if`: of a branch
//       without an assignment, the value before
//   ... had none, both branches assign it       result of the `if`
//
// New carried values and results stand behind those that the statement has, in
// the order of their names. The body of a scope is part of what is around it.
//
// Names: BASE__ROLE_vN, N counting the versions of a variable, with the roles
// ssa, iter, rv (result of a loop), phi (of a branch), idx (loop variable).
//
// Requires: nothing (type_checked and use_after_def always hold). Produces:
// ssa_form. Cost: linear in the program, times the depth of nesting.
//
// Rules:
//   MX-TOSSA-1  what is read has a value on every way to it
//   MX-TOSSA-2  a value that a loop has to start with exists
//   MX-TOSSA-3  a loop or branch that hands on values is not left by break,
//               continue or return

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class ConvertToSsa : public Pass {
 public:
  absl::string_view name() const override { return "convert_to_ssa"; }
  absl::string_view pypto_name() const override { return "ConvertToSSA"; }
  PropertySet produced() const override { return {Property::kSsaForm}; }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_CONVERT_TO_SSA_CONVERT_TO_SSA_H_
