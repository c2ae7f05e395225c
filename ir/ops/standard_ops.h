#ifndef IR_OPS_STANDARD_OPS_H_
#define IR_OPS_STANDARD_OPS_H_

// The registry with all operators that mxtile knows.
//
//   Context context(&StandardOps());

#include "ir/op_registry.h"

namespace mxtile::ir {

// Never destroyed, so that contexts may live as long as they like.
const OpRegistry& StandardOps();

}  // namespace mxtile::ir

#endif  // IR_OPS_STANDARD_OPS_H_
