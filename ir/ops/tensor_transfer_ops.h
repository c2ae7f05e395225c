#ifndef IR_OPS_TENSOR_TRANSFER_OPS_H_
#define IR_OPS_TENSOR_TRANSFER_OPS_H_

// Window buffers, which all ranks of a group reach, and transfers between
// ranks.
//
// pld.tensor.alloc_window_buffer (size; name, dtype)
//   A pointer to `size` bytes a rank; or to elements of `dtype` of that shape.
// pld.tensor.window (buf, shape; dtype)
//   The buffer as a distributed tensor.
// pld.tensor.put (dst, peer, src[, dst_offsets, src_offsets, shape];
//                 atomic, chunk_rows, chunk_cols, pipeline)
//   Writes the local src, or a region of it, into the window dst of rank
//   `peer`.
// pld.tensor.get (dst, peer, src[, dst_offsets, src_offsets, shape];
//                 chunk_rows, chunk_cols, pipeline)
//   Reads the window src of rank `peer` into the local dst.
//   Without a region both have one shape. Transfers of symbolic extents say in
//   which chunks they go; so do those in a pipeline.
// pld.tensor.remote_store (src, target, peer, offsets; atomic)
//   Writes a matrix into the window `target` of rank `peer`.
// dist.make_tensor, tree_reduce, submit_worker, submit_orchestrator, future_get
//   What distributed code generation calls; results are of no type known here.
//
// put, get and remote_store have no result.
//
// Short forms: pld.alloc_window_buffer, pld.window, and pld.remote_store of a
// tensor.
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorTransferOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_TRANSFER_OPS_H_
