#ifndef IR_OPS_RESHAPE_RULES_H_
#define IR_OPS_RESHAPE_RULES_H_

// What becomes of shapes and valid regions when the same bytes get another
// shape or another element type. For tensors and tiles alike.
//
//   // 40 of 64 rows of 8 are valid; as [32, 16] that is 20 rows.
//   ReshapedValidShape({[64, 8], [40, 8], [32, 16], true}, context) == [20, 16]
//
// Source: ComputeReshapeValidShape (type_inference.cpp) and
// reinterpret_view_semantics.h of public PyPTO.

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/type.h"

namespace mxtile::ir {

struct Reshape {
  Dims shape;
  Dims valid;  // One extent a dim of the shape.
  Exprs new_shape;
  // Whether the elements follow each other row by row.
  bool is_row_major;
};

// The valid region under the new shape. Nullopt when the elements that are
// valid are not known to be a rectangle at the origin there. They are when all
// or nothing is valid, when only dims of 1 come and go, and when they fill the
// buffer from the start up to a whole number of rows of the new shape.
std::optional<std::vector<const Expr*>> ReshapedValidShape(
    const Reshape& reshape, Context& context);

// Whether elements of the type can be read as those of another type.
bool IsReinterpretable(DataType dtype);

// The dims when elements of type `from` are read as `to`: dim `axis`, along
// which elements follow each other, counts the same bytes. Nullopt when they
// are not known to be a whole number of elements.
std::optional<std::vector<const Expr*>> ReinterpretedShape(
    Exprs shape, size_t axis, DataType from, DataType to, Context& context);

}  // namespace mxtile::ir

#endif  // IR_OPS_RESHAPE_RULES_H_
