#ifndef IR_OPS_SYSTEM_OPS_H_
#define IR_OPS_SYSTEM_OPS_H_

// What is no computation: pipes between cores, synchronisation, tasks, devices,
// prefetches, and arrays of scalars on a core.
//
//   system.aic_initialize_pipe ([c2v_consumer_buf, v2c_consumer_buf];
//     dir_mask, slot_size ...), system.reserve_buffer (; name, size, base) and
//     system.import_peer_buffer (; name, peer_func): INT32
//   system.tfree_to_aic, system.tfree_to_aiv (tile; split, id)
//   system.bar_*, fence, sync_src, sync_dst, sync_set, sync_wait, syncall,
//     cacheinvalid, set_ffts: nothing
//   system.task_invalid, task_dummy: TASK_ID; task_is_valid (task_id): BOOL
//   system.available_cluster_count, available_aiv_count: INT32
//   pld.system.world_size: INT64; rank, nranks (ctx): INT32; get_comm_ctx
//     (dist_tensor): a communication context; notify, wait, defer_wait: nothing
//   prefetch.make_context, async_prefetch, session, wait
//   array.create (extent; dtype), array.get_element (array, index): a scalar,
//     array.update_element (array, index, value): the array
//
// pl.aic_initialize_pipe fills in buffers of 0; pl.reserve_buffer base -1,
// where the compiler chooses. A constant event of pl.system.sync_set is its
// event_id.
//
// Rules:
//   MX-ARRAY-1  the extent of an array is a positive constant
//   MX-ARRAY-2  a constant index lies inside the array
//   MX-ARRAY-3  a value has the element type of the array; INDEX fits integers

#include "ir/op_registry.h"

namespace mxtile::ir {

void RegisterSystemOps(OpRegistry& registry);

}  // namespace mxtile::ir

#endif  // IR_OPS_SYSTEM_OPS_H_
