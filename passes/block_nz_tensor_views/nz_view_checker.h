#ifndef PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_VIEW_CHECKER_H_
#define PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_VIEW_CHECKER_H_

// Judges the NZ tensors of a function before they are blocked: NZ-BLOCK-1 to 11
// and NZ-OFFSET-1 to 5, which block_nz_tensor_views.h lists.
//
//   CheckNzViews(*program, *function, context);
//   MX_RETURN_IF_ERROR(context.sink->ToStatus());
//
// All that is wrong is reported, in program order; context.findings.offsets
// gets a verdict for each offset of a load whose window is sound.

#include "ir/program.h"
#include "passes/pass.h"

namespace mxtile {

void CheckNzViews(const ir::Program& program, const ir::Function& function,
                  PassContext& context);

}  // namespace mxtile

#endif  // PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_VIEW_CHECKER_H_
