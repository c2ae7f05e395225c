#ifndef PASSES_LEGALIZE_TILE_CAST_LEGALIZE_TILE_CAST_H_
#define PASSES_LEGALIZE_TILE_CAST_LEGALIZE_TILE_CAST_H_

// Replaces casts of tiles that the target has no instruction for by chains of
// those that it has.
//
//   c = pl.tile.cast(t, target_type=pl.FP8E4M3FN, mode='rint')  # t is FP4
// becomes, on the A5
//   c_BF16 = pl.tile.cast(t, target_type=pl.BF16, mode='rint')
//   c_FP32 = pl.tile.cast(c_BF16, target_type=pl.FP32, mode='rint')
//   c = pl.tile.cast(c_FP32, target_type=pl.FP8E4M3FN, mode='rint')
//
// Which casts a target has says a5_model/soc/native_casts.h, which chain is
// taken a5_model/soc/cast_chain.h: the shortest on which nothing is lost that
// the last type could hold. Every step has the mode of the cast; the valid
// region stays. A cast inside of another expression becomes casts inside each
// other. In all functions; for target "none" nothing changes.
//
// The reference interpreter defines a cast as its chain on the A5
// (exec/reference/cast_ops.h), so there the pass changes no result.
//
// Requires and produces nothing; keeps ssa_form. Cost: one walk. A second run
// changes nothing.
//
// Rules:
//   MX-LEGALIZE-1  there is an instruction or a chain of them for the cast

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/program.h"
#include "passes/pass.h"

namespace mxtile {

class LegalizeTileCast : public Pass {
 public:
  absl::string_view name() const override { return "legalize_tile_cast"; }
  absl::string_view pypto_name() const override { return "LegalizeTileCast"; }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override;
};

}  // namespace mxtile

#endif  // PASSES_LEGALIZE_TILE_CAST_LEGALIZE_TILE_CAST_H_
