#ifndef IR_OPS_VALID_REGION_H_
#define IR_OPS_VALID_REGION_H_

// How valid regions travel through loads and stores. A valid region is the
// rectangle from the origin to the valid extents.
//
//   // 40 of 64 rows are valid, the window is rows 32 to 63: 8 rows are valid.
//   VisibleThrough({[40,64], [32,0], [32,64]}) == [8,64]
//   // 16 valid rows, 16 more written below them: 32.
//   UnionWithWritten({[16,64], [16,0], [16,64]}) == [32,64]

#include <optional>
#include <vector>

#include "ir/context.h"
#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile::ir {

struct RegionAt {
  Dims valid;     // Of the tensor.
  Exprs offsets;  // Where the window begins.
  Exprs extents;  // How far it reaches, from its offset on.
};

// Whether a <= b is known: of two constants, and of equal expressions.
bool KnownAtMost(const Expr* a, const Expr* b, Context& context);

// The part of the window that the tensor's valid region covers, one extent a
// dim. A dim with a symbolic part keeps the window's extent.
std::vector<const Expr*> VisibleThrough(const RegionAt& window,
                                        Context& context);

// The tensor's valid region once the window has been written; nullopt when that
// is not known to be a rectangle at the origin.
std::optional<std::vector<const Expr*>> UnionWithWritten(
    const RegionAt& written, Context& context);

}  // namespace mxtile::ir

#endif  // IR_OPS_VALID_REGION_H_
