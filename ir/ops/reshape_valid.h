#ifndef IR_OPS_RESHAPE_VALID_H_
#define IR_OPS_RESHAPE_VALID_H_

// Where the valid region of a tile lies under another shape.
//
//   // All is valid: all stays valid.
//   ReshapedValid({[16,64], [16,64], [1,1024]}) == [1,1024]
//   // Dims of extent 1 come and go.
//   ReshapedValid({[1,16,64], [1,n,64], [16,64]}) == [n,64]
//   // 8 whole rows of 64 are 2 whole rows of 256.
//   ReshapedValid({[16,64], [8,64], [4,256]}) == [2,256]

#include <optional>
#include <vector>

#include "ir/context.h"
#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile::ir {

struct Reshape {
  Dims shape;
  Dims valid;
  Exprs new_shape;
};

// Nullopt when it is not known to be a rectangle at the origin.
std::optional<std::vector<const Expr*>> ReshapedValid(const Reshape& reshape,
                                                      Context& context);

}  // namespace mxtile::ir

#endif  // IR_OPS_RESHAPE_VALID_H_
