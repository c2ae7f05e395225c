#ifndef PASSES_A5_PIPELINE_H_
#define PASSES_A5_PIPELINE_H_

// The passes that bring a program into the form that the A5 reads, in order.
//
//   PassManager manager(A5Pipeline());
//
// block_mx_scale_tensor_views, infer_tile_memory_space, insert_mx_scale_addr,
// materialize_tensor_strides, allocate_addresses

#include <vector>

#include "absl/strings/string_view.h"
#include "passes/pass.h"

namespace mxtile {

const std::vector<const Pass*>& A5Pipeline();

// Every pass that there is, in the order of PyPTO's pipeline: those that bring
// what people type into the form that the A5 pipeline takes (convert_to_ssa,
// normalize_stmt_structure, flatten_call_expr, flatten_tile_nd_to_2d), and
// those of the A5 pipeline, with the ones between them that a program may need
// (block_nz_tensor_views, legalize_tile_cast, resolve_backend_op_layouts).
const std::vector<const Pass*>& AllPasses();

// The pass of that name, ours or PyPTO's; null when there is none.
const Pass* FindPass(absl::string_view name);

}  // namespace mxtile

#endif  // PASSES_A5_PIPELINE_H_
