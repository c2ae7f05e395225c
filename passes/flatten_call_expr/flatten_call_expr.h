#ifndef PASSES_FLATTEN_CALL_EXPR_FLATTEN_CALL_EXPR_H_
#define PASSES_FLATTEN_CALL_EXPR_FLATTEN_CALL_EXPR_H_

// Gives each call a statement of its own.
//
//   c = pl.tile.add(pl.tile.exp(a), b)
//   if pl.tile.get_block_idx() > 0:
// becomes
//   t__tmp_v0 = pl.tile.exp(a)
//   c = pl.tile.add(t__tmp_v0, b)
//   t__tmp_v1 = pl.tile.get_block_idx()
//   if t__tmp_v1 > 0:
//
// Afterwards a call or launch (pl.submit) is the whole right side of an
// assignment or a whole expression statement: passes that look at statements
// see every one. Calls come out of arguments, also inside tuples, of
// arithmetic, of conditions, of bounds and initial values of loops, of
// arguments of scopes, and of what is yielded and returned. They run in the
// order in which they stood, operands first, directly in front of their
// statement, inside the block that it is in. Both sides of `and` and `or` run.
//
// The condition of a while loop runs again each round. A call comes out of it
// only when it gives the same each time: its arguments are scalars from outside
// of the loop, its operator has no effect.
//
// Requires: ssa_form. Produces: ssa_form, no_nested_calls. Cost: one walk. A
// second run changes nothing.
//
// Rules:
//   MX-FLATTEN-1  a call in the condition of a while loop gives the same in
//                 each round

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class FlattenCallExpr : public Pass {
 public:
  absl::string_view name() const override { return "flatten_call_expr"; }
  absl::string_view pypto_name() const override { return "FlattenCallExpr"; }
  PropertySet required() const override { return {Property::kSsaForm}; }
  PropertySet produced() const override {
    return {Property::kSsaForm, Property::kNoNestedCalls};
  }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_FLATTEN_CALL_EXPR_FLATTEN_CALL_EXPR_H_
