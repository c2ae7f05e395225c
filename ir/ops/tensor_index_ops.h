#ifndef IR_OPS_TENSOR_INDEX_OPS_H_
#define IR_OPS_TENSOR_INDEX_OPS_H_

// Elements of tensors by their positions.
//
// tensor.gather (input, index; dim)
//   Of the shape of index: along `dim` the element that it names. Elsewhere
//   index is not larger than input. index is INT32, or INT16 for 16-bit
//   elements.
// tensor.gather_mask (input; mask_pattern, output_dtype)
//   The columns that the pattern keeps: every second (1, 2), every fourth (3 to
//   6) or all (7). output_dtype is of the same width.
// tensor.gather_compare (input, kvalue; cmp_mode, out_cols, offset,
// count_dtype)
//   A tuple: positions [rows, out_cols] in INT32, and how many there are of
//   each row, [1, rows] in count_dtype.
// tensor.scatter (input, index, src; dim)
//   input with the elements of src put along the last dim where index says.
//   index and src have one shape, that fits into input. Indices have the width
//   of the elements, 16 bits for those of 8.
// tensor.scatter_mask (input, dst; mask_pattern)
//   dst with input in the columns of the pattern.
// tensor.scatter_update (input, index, src; dim)
//   input, 2-D or 4-D, with the rows of src where the matrix index says; dim
//   -2.
// tensor.paged_gather (src, indices, block_table; block_size, size,
// max_indices,
//                      col_off, is_trans, is_b_matrix, space)
//   [max_indices, size] rows of src through the table, on the core; transposed
//   only into Mat.
// tensor.gather_row (acc, src, dst_offset, src_offset, shapes[, valid_shape];
//                    transpose)
//   acc with a window of src, of constant shape, at an offset.
// tensor.sort32 (src, idx)
//   Blocks of 32 sorted, with their positions (UINT32, of the shape of src):
//   the last dim doubles.
// tensor.mrgsort_format1 (src, block_len), mrgsort_format2 (src0 ... src3;
//   exhausted)
//   Merges sorted runs: of one list, or of two to four, whose last dims add up.
//
// Sources and elements are FP16, FP32, INT16 or INT32 where not said otherwise;
// what is sorted is FP16 or FP32. Results are new data, but of gather_row,
// which writes into acc.
//
// Short forms: pl.<name> of a tensor; pl.gather is gather_mask with a
// mask_pattern and gather_compare with a kvalue, pl.scatter is scatter_mask
// with a mask_pattern, pl.mrgsort is mrgsort_format1 with a block_len.
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorIndexOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_INDEX_OPS_H_
