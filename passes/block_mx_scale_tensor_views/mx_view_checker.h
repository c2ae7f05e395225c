#ifndef PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_VIEW_CHECKER_H_
#define PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_VIEW_CHECKER_H_

// Judges the MX tensors of a program before they are blocked: MX-BLOCK-1 to 9
// and MX-OFFSET-1 to 5, which block_mx_scale_tensor_views.h lists.
//
//   CheckMxViews(*program, options, context);
//   MX_RETURN_IF_ERROR(context.sink->ToStatus());
//
// Functions that are marked mx_tensor_views_blocked are left out. All that is
// wrong is reported, in program order; context.findings.offsets gets a verdict
// for each offset of a load or store whose window is sound.

#include "ir/program.h"
#include "passes/block_mx_scale_tensor_views/block_mx_options.h"
#include "passes/pass.h"

namespace mxtile {

void CheckMxViews(const ir::Program& program, const BlockMxOptions& options,
                  PassContext& context);

}  // namespace mxtile

#endif  // PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_VIEW_CHECKER_H_
