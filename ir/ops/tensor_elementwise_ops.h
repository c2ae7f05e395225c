#ifndef IR_OPS_TENSOR_ELEMENTWISE_OPS_H_
#define IR_OPS_TENSOR_ELEMENTWISE_OPS_H_

// Operators on the elements of tensors, one by one.
//
// tensor.add, sub, mul, div, fmod (lhs, rhs)
//   Shapes broadcast, element types are promoted. The result is as valid as the
//   operands where those have one shape and one valid region, else all valid.
//   div is for INT16, INT32, FP16, FP32; high_precision for floats.
// tensor.part_add, part_mul, part_max, part_min (src0, src1)
//   The same; all valid: where only one operand is valid, it is the result.
// tensor.adds, subs, muls, divs, fmods (lhs, scalar)
//   Valid as lhs. A bare integer literal takes the element type of lhs. subs
//   keeps the type of lhs.
// tensor.maximum, minimum, cmp (lhs, rhs)
//   rhs is a tensor or a scalar. The result of cmp is all valid.
// tensor.and, or, xor, shl, shr (lhs, rhs) and ands, ors, xors, shls, shrs
//   Of integers; tensors have one shape. Shifts keep the type of lhs, and so do
//   all forms with a scalar. The results of xor and xors are all valid.
// tensor.neg, abs, not, exp, log, sin, cos, sqrt, rsqrt, recip (input)
//   Valid as the input. exp, sqrt, rsqrt and recip of other than floats give
//   FP32.
// tensor.cast (input; target_type, mode)
//   To another type than its own; round by default.
//
// Short forms: pl.<name> of a tensor; pl.add of a tensor and a scalar is
// tensor.adds, and so is pl.tensor.add.
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorElementwiseOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_ELEMENTWISE_OPS_H_
