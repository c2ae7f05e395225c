#ifndef IR_OPS_TENSOR_DATA_OPS_H_
#define IR_OPS_TENSOR_DATA_OPS_H_

// Tensors of given contents, and single elements of tensors.
//
// tensor.full (shape, value; dtype)
// tensor.ci (start, shape; dtype, descending)
//   start, start + 1, ...: one row, of more than one element, of 16 or 32-bit
//   integers. start is of the dtype.
// tensor.random (key0, key1, counter0 ... counter3, shape; dtype, rounds)
//   Counter-based: the same keys and counters give the same numbers. A matrix
//   of INT32 or UINT32, in 7 or 10 rounds.
// tensor.create_l1 (shape; dtype, transpose)
//   On the cube core, of constant dims; what tensor.gather_row fills.
// tensor.alloc (memory_space, size): a pointer to bytes in DDR.
// tensor.read (tensor, indices), tensor.write (tensor, indices, value)
//   One index a dim. The result of a write is the tensor; value has its type.
// tensor.dim (tensor, axis): the extent, an INDEX.
// tensor.get_block_idx, get_block_num, get_subblock_idx (): INDEX, never
//   negative.
//
// Short forms: pl.full, ci, arange, random, create_l1, dim; pl.read and
// pl.write of a tensor.
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorDataOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_DATA_OPS_H_
