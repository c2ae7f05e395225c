#ifndef PASSES_INSERT_MX_SCALE_ADDR_INSERT_MX_SCALE_ADDR_H_
#define PASSES_INSERT_MX_SCALE_ADDR_INSERT_MX_SCALE_ADDR_H_

// Binds the scales of MX matmuls to the addresses of their data.
//
//   c = pl.tile.matmul_mx(l, ls, r, rs)
// becomes
//   ls_bound = pl.tile.tget_scale_addr(ls, l)
//   rs_bound = pl.tile.tget_scale_addr(rs, r)
//   c = pl.tile.matmul_mx(l, ls_bound, r, rs_bound)
//
// in InCore, AIC and AIV functions. MX matmuls are the operators with MxPairs;
// their calls stand alone, as the value of an assignment or as a statement. The
// result variable, the result type, kwargs and attributes stay; functions
// without MX matmuls stay the same objects.
//
// A binding is an address register of one side of the cube: the next binding of
// that side replaces it, and whatever may touch the side's buffers makes it
// unknown. So each side remembers its last (scale, data) -> bound, in straight
// code only, and a matmul with the same pair reuses it:
//
//   event                                            left      right
//   MX matmul with the pair that a side remembers    reuses    reuses
//   MX matmul with another pair                      rebinds   rebinds
//   anything else with a Left or LeftScale tile      forgets   keeps
//   anything else with a Right or RightScale tile    keeps     forgets
//   call of a function, Submit, unknown operator     forgets   forgets
//   begin and end of each body of an if or a loop    forgets   forgets
//
// "With a tile" means: an expression anywhere in the statement has that tile as
// its value; also aliases, tuple items, yields and bindings in the source. With
// PassOptions::reuse_scale_bindings off every matmul binds both sides.
//
// A second run binds again (names end in _bound_bound), because bindings that
// stand in the program already make it forget.
//
// Requires and produces: ssa_form, incore_tile_ops, split_incore_orch,
// normalized_stmt_structure, tile_memory_inferred. Cost: one walk; constant
// state. Source: seed 001, pypto_passes section 8.
//
// Rules (besides MX-BIND-n, those of tile.tget_scale_addr itself, and those of
// the matmul, which is asked again whether it takes its operands):
//   MX-SCALEADDR-1  MX matmuls need the target Ascend950 ('a5')
//   MX-SCALEADDR-2  an MX matmul is no operand of another expression
//   MX-SCALEADDR-3  its scales and data are variables
//   MX-SCALEADDR-4  its left scale is in LeftScale with data in Left, its right
//                   scale in RightScale with data in Right

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class InsertMxScaleAddr : public Pass {
 public:
  absl::string_view name() const override { return "insert_mx_scale_addr"; }
  absl::string_view pypto_name() const override { return "InsertMxScaleAddr"; }
  PropertySet required() const override;
  PropertySet produced() const override;
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_INSERT_MX_SCALE_ADDR_INSERT_MX_SCALE_ADDR_H_
