#ifndef PASSES_RESOLVE_BACKEND_OP_LAYOUTS_RESOLVE_BACKEND_OP_LAYOUTS_H_
#define PASSES_RESOLVE_BACKEND_OP_LAYOUTS_RESOLVE_BACKEND_OP_LAYOUTS_H_

// Gives operators that walk rows tiles that lie in rows.
//
//   s: pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec]  # a column, col_major
//   r = pl.tile.subs(s, 2.0)
// becomes
//   s_row_major: pl.Tile[[1, 16], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(s,
//   ...) r_row_major = pl.tile.subs(s_row_major, 2.0) r =
//   pl.tile.reshape(r_row_major, [16, 1])
//
// In functions of type InCore, AIC and AIV, for the operators of
// row_major_ops.h; nothing for target "none":
//
//   a column, [N, 1] and col_major, for an operator that goes element by
//   element, together with columns only
//                    is reshaped to [1, N], which moves no bytes; the result,
//                    a column too, is reshaped back
//   every other tile that is not row_major
//                    goes through a tile.move to row_major and none_box in its
//                    own space; a result that was not row_major is moved back
//                    into its layout
//
// The second also for columns that are broadcast against something that is no
// column, and for operators to which rows mean something (sorts, masks): as a
// row they would mean something else. (Public PyPTO reshapes them.) Scalars and
// operators that do not ask are untouched.
//
// Requires: ssa_form, incore_tile_ops, split_incore_orch, tile_ops_2d.
// Produces: these and normalized_stmt_structure. Cost: one walk. A second run
// changes nothing.
//
// Rules:
//   MX-ROWMAJOR-1  a call whose operands need it is a statement of its own

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

class ResolveBackendOpLayouts : public Pass {
 public:
  absl::string_view name() const override {
    return "resolve_backend_op_layouts";
  }
  absl::string_view pypto_name() const override {
    return "ResolveBackendOpLayouts";
  }
  PropertySet required() const override {
    return {Property::kSsaForm, Property::kIncoreTileOps,
            Property::kSplitIncoreOrch, Property::kTileOps2D};
  }
  PropertySet produced() const override {
    return {Property::kSsaForm, Property::kIncoreTileOps,
            Property::kSplitIncoreOrch, Property::kTileOps2D,
            Property::kNormalizedStmtStructure};
  }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_RESOLVE_BACKEND_OP_LAYOUTS_RESOLVE_BACKEND_OP_LAYOUTS_H_
