#ifndef IR_OPS_TENSOR_COLLECTIVE_OPS_H_
#define IR_OPS_TENSOR_COLLECTIVE_OPS_H_

// What all ranks of a group do together, on windows that each of them has. The
// result is the window that receives: `target`, or `signal` of a barrier.
//
// pld.tensor.allreduce (target[, signal]; op, mode, core_num)    FP16, FP32
// pld.tensor.reduce_scatter (target, signal; op)                 op is Sum
// pld.tensor.broadcast (target, signal; root)
// pld.tensor.barrier (signal)
// pld.tensor.allgather (input, target, signal)
//   input [1, SIZE] into target [NR, SIZE].
// pld.tensor.all_to_all (input, target, signal)
//   input and target [NR, SIZE].
// pld.tensor.all_to_all_v (input, target, signal, send_counts, recv_counts)
//   input and target [NR * MAX_RECV, SIZE], signal and recv_counts [NR, 1],
//   send_counts [NR] or [NR, 1]; NR is a constant that divides the rows.
// builtin.tensor.<the same>, and builtin.tensor.allreduce_ring
//   What a chip runs: of windows only, with `dtype`, which is that of the data
//   and FP32 (allreduce: FP16 too).
//
// A signal is a window of INT32. Where input is a tensor it may be a window.
// The rows of the signal are the ranks; other than for pld's reductions,
// broadcast and barrier it is [NR] or [NR, 1], of builtins [NR], of builtin
// allreduce with core_num > 1 [NR, core_num or more], of a ring [2 * (NR - 1) +
// 1, NR].
//
// The rules are listed in ir/ops/tensor_rules.h.

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterTensorCollectiveOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_COLLECTIVE_OPS_H_
